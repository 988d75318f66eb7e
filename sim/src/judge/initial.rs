// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers and memories that start at 0, as those of [`crate::Library::instantiate_zeroed`] do.
use super::words::Words;
use std::collections::BTreeMap;
use std::fmt::Write;

/// When the values are set, before the testbench's first edge: blocks that wait for a change are
/// waiting by then.
const AT: &str = "#5";

/// The text with an initial value for whatever a clock edge assigns.
pub(super) fn zeroed(text: &str) -> String {
    let words = Words::of(text);
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let (mut from, mut module) = (0, 0);
    for n in 0..words.len() {
        match words.at(n) {
            "module" => module = n,
            "endmodule" => {
                out += &text[from..words.start(n)];
                from = words.start(n);
                for (name, last) in stored(&words, module, n) {
                    // writing to a String cannot fail
                    let _ = match last {
                        None => writeln!(out, "    initial {AT} {name} = 0;"),
                        Some(last) => writeln!(
                            out,
                            "    integer {name}__place;\n    initial {AT} for ({name}__place = 0; {name}__place <= {last}; \
                             {name}__place = {name}__place + 1) {name}[{name}__place] = 0;"
                        ),
                    };
                }
            }
            _ => {}
        }
    }
    out + &text[from..]
}

/// What clock edges assign between two places, with the last place of a memory.
fn stored<'a>(words: &Words<'a>, first: usize, last: usize) -> BTreeMap<&'a str, Option<usize>> {
    let mut found = BTreeMap::new();
    let edges = (first..last).filter(|&n| words.at(n) == "always" && words.at(n + 3) == "posedge");
    for edge in edges {
        let ends = words.end_of_statement(edge + 6);
        let mut depth = 0;
        for n in edge + 6..ends {
            match words.at(n) {
                "(" => depth += 1,
                ")" => depth -= 1,
                "<=" if depth == 0 => drop(words.target(n).map(|name| found.insert(name, None))),
                _ => {}
            }
        }
    }
    for reg in (first..last).filter(|&n| words.at(n) == "reg") {
        let Some((name, _, place)) = words.declared(reg) else { continue };
        // `reg [7:0] words[15:0];`
        if let Some(last) = found.get_mut(name).filter(|_| words.at(place + 1) == "[") {
            *last = [place + 2, place + 4].into_iter().filter_map(|n| words.at(n).parse().ok()).max();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_clock_edge_assigns_starts_at_0() {
        let text = "module m(c, q);\n    input wire c;\n    output reg [3:0] q;\n    reg [7:0] words[15:0];\n    reg never;\n    \
                    always @(posedge c) if (q <= 3) words[q] <= 8'd1;\n    always @(posedge c) begin q <= q + 4'd1; end\n    \
                    always @(*) never = c;\nendmodule\n";
        let made = zeroed(text);
        let added: Vec<_> = made.lines().filter(|line| !text.contains(line)).map(str::trim).collect();
        assert_eq!(
            added,
            [
                "initial #5 q = 0;",
                "integer words__place;",
                "initial #5 for (words__place = 0; words__place <= 15; words__place = words__place + 1) words[words__place] = 0;"
            ]
        );
        assert!(made.ends_with("= 0;\nendmodule\n"), "{made}");
    }
}
