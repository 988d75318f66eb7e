// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks that hand on their results once.
//!
//! An `always @(*)` block of the emitted text gives each of its variables a default and then
//! another value. A simulator by events hands on the default as well. Two such blocks that read
//! each other then wake each other for ever, though no bit depends on itself; a simulator that
//! orders statements, as Verilator does, never sees the default. Here each block computes on
//! variables of its own and assigns the results in its last lines, where an unchanged value wakes
//! nobody. Expressions and conditions stay as they are.
use super::words::Words;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

/// What the names of a block's own variables end with.
const OWN: &str = "__own";

/// The text with such blocks.
pub(super) fn quiet(text: &str) -> String {
    let words = Words::of(text);
    let mut out = String::with_capacity(text.len() * 2);
    let (mut from, mut module) = (0, 0);
    for at in 0..words.len() {
        match words.at(at) {
            "module" => module = at,
            "always" if is_block(&words, at) => {
                let (begin, end) = (at + 5, words.end_of(at + 5));
                let declared = variables(&words, module..at, begin + 1..end);
                out += &text[from..words.start(at)];
                for (name, range) in &declared {
                    // writing to a String cannot fail
                    let _ = write!(out, "reg {range} {name}{OWN};\n    ");
                }
                from = words.start(at);
                for n in (begin..end).filter(|&n| declared.contains_key(words.at(n))) {
                    out += &text[from..words.end(n)];
                    out += OWN;
                    from = words.end(n);
                }
                out += &text[from..words.start(end)];
                for name in declared.keys() {
                    let _ = write!(out, "    {name} = {name}{OWN};\n    ");
                }
                from = words.start(end);
            }
            _ => {}
        }
    }
    out + &text[from..]
}

/// Whether `always @(*) begin` stands there.
fn is_block(words: &Words<'_>, n: usize) -> bool {
    ["@", "(", "*", ")", "begin"].iter().zip(n + 1..).all(|(word, n)| words.at(n) == *word)
}

/// The variables that the words of `body` assign, with the ranges that the words of `head` declare.
/// A loop's counter is no `reg` and is left out.
fn variables<'a>(words: &Words<'a>, head: Range<usize>, body: Range<usize>) -> BTreeMap<&'a str, &'a str> {
    let declared = head.filter(|&n| words.at(n) == "reg").filter_map(|n| words.declared(n));
    let declared: BTreeMap<_, _> = declared.map(|(name, range, _)| (name, range)).collect();
    let assigned = body.filter(|&n| words.at(n) == "=").filter_map(|n| words.target(n));
    assigned.filter_map(|name| Some((name, *declared.get(name)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_hands_on_its_results_in_its_last_lines() {
        let text = "module m(a, y);\n    input wire a;\n    output reg [3:0] y;\n    reg [1:0] t;\n    integer i;\n    always @(*) begin\n        \
                    y = 4'd0;\n        t[0] = a;\n        for (i = 0; i < 2; i = i + 1) begin\n            y[t[i]] = a == t[1];\n        end\n    end\n    \
                    always @(posedge a) t <= y;\nendmodule\n";
        let quiet = quiet(text);
        let wanted = "module m(a, y);\n    input wire a;\n    output reg [3:0] y;\n    reg [1:0] t;\n    integer i;\n    reg [1:0]t__own;\n    \
                      reg [3:0]y__own;\n    always @(*) begin\n        y__own = 4'd0;\n        t__own[0] = a;\n        \
                      for (i = 0; i < 2; i = i + 1) begin\n            y__own[t__own[i]] = a == t__own[1];\n        end\n        \
                      t = t__own;\n    y = y__own;\nend\n    always @(posedge a) t <= y;\nendmodule\n";
        assert_eq!(quiet.replace(' ', ""), wanted.replace(' ', ""));
    }
}
