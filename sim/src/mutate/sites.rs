// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a comparison or a constant of emitted Verilog can be changed at run time.
//!
//! The grammar is what Rust-HDL and the handwritten cells emit: modules of declarations, instances,
//! `assign` and `always` with `begin`, `if`, `case` and assignments. Ranges, widths, case labels,
//! loop bounds and declarations need constants and are left alone.
use super::text::{flipped, tokens, Kind, Token};
use std::collections::HashMap;
use std::ops::Range;

/// One place.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// Module that it stands in.
    pub module: &'a str,
    /// Octets of the text that are replaced.
    pub span: Range<usize>,
    /// What stands there instead when the mutant is chosen.
    pub after: String,
}

/// One instance of a module in another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Instance<'a> {
    /// Module that it stands in.
    pub parent: &'a str,
    /// Module that it is an instance of.
    pub kind: &'a str,
    /// Its name.
    pub name: &'a str,
}

/// What a text holds.
#[derive(Default)]
pub struct Survey<'a> {
    /// All places, in order.
    pub places: Vec<Place<'a>>,
    /// All instances, in order.
    pub instances: Vec<Instance<'a>>,
}

/// Reads a text.
pub fn survey(text: &str) -> Survey<'_> {
    let tokens = tokens(text);
    let mut finder =
        Finder { text, tokens: &tokens, at: 0, module: "", params: HashMap::new(), found: Survey::default() };
    finder.modules();
    finder.found
}

const DECLARATIONS: [&str; 8] = ["input", "output", "inout", "wire", "reg", "integer", "genvar", "parameter"];
/// Signs that bind weaker than a comparison, or open or close the expression around it.
const BEFORE: [&str; 10] = ["(", "=", "<=", "&&", "||", "?", ":", ",", "{", "!"];
const AFTER: [&str; 8] = [")", ";", "&&", "||", "?", ":", ",", "}"];

struct Finder<'a, 't> {
    text: &'a str,
    tokens: &'t [Token],
    at: usize,
    module: &'a str,
    /// The module's localparams and their values.
    params: HashMap<&'a str, &'a str>,
    found: Survey<'a>,
}

impl<'a> Finder<'a, '_> {
    fn word(&self, i: usize) -> &'a str {
        self.tokens.get(i).map_or("", |t| &self.text[t.start..t.end])
    }

    fn now(&self) -> &'a str {
        self.word(self.at)
    }

    fn done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Index of the next `stop` outside all brackets from `from` on, or of the end.
    fn find(&self, from: usize, stops: &[&str]) -> usize {
        let mut depth = 0_i32;
        for i in from..self.tokens.len() {
            let word = self.word(i);
            if depth == 0 && stops.contains(&word) {
                return i;
            }
            match word {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    fn past(&mut self, stop: &str) {
        self.at = self.find(self.at, &[stop]) + 1;
    }

    fn modules(&mut self) {
        while !self.done() {
            match self.now() {
                "module" => {
                    self.module = self.word(self.at + 1);
                    self.params.clear();
                    self.past(";");
                }
                "endmodule" => self.at += 1,
                "localparam" => {
                    let end = self.find(self.at, &[";"]);
                    // `localparam NAME = VALUE;`, possibly signed
                    if end >= 3 && self.word(end - 2) == "=" {
                        self.params.insert(self.word(end - 3), self.word(end - 1));
                    }
                    self.at = end + 1;
                }
                "function" => self.past("endfunction"),
                "assign" => {
                    self.at += 1;
                    self.statement();
                }
                "always" => {
                    // `always @ ( .. )`
                    self.at = self.find(self.at + 3, &[")"]) + 1;
                    self.statement();
                }
                word if DECLARATIONS.contains(&word) => self.past(";"),
                kind => {
                    let name = self.word(self.at + 1);
                    self.found.instances.push(Instance { parent: self.module, kind, name });
                    self.past(";");
                }
            }
        }
    }

    fn statement(&mut self) {
        match self.now() {
            "begin" => {
                self.at += if self.word(self.at + 1) == ":" { 3 } else { 1 };
                while !self.done() && self.now() != "end" {
                    self.statement();
                }
                self.at += 1;
            }
            "if" => {
                self.head(true);
                self.statement();
                if self.now() == "else" {
                    self.at += 1;
                    self.statement();
                }
            }
            "case" | "casez" | "casex" => {
                self.head(true);
                while !self.done() && self.now() != "endcase" {
                    let bare = self.now() == "default" && self.word(self.at + 1) != ":";
                    self.at = if bare { self.at + 1 } else { self.find(self.at, &[":"]) + 1 };
                    self.statement();
                }
                self.at += 1;
            }
            "for" | "repeat" | "while" => {
                self.head(false);
                self.statement();
            }
            ";" => self.at += 1,
            _ => {
                let from = self.find(self.at, &["=", "<=", ";"]);
                let end = self.find(from, &[";"]);
                self.expression(from + 1..end);
                self.at = end + 1;
            }
        }
    }

    /// `KEYWORD ( .. )`; the expression is searched if `judged`.
    fn head(&mut self, judged: bool) {
        let end = self.find(self.at + 2, &[")"]);
        if judged {
            self.expression(self.at + 2..end);
        }
        self.at = end + 1;
    }

    /// Looks for places in the expression of these tokens.
    fn expression(&mut self, range: Range<usize>) {
        let mut brackets = 0_i32;
        for i in range.start..range.end.min(self.tokens.len()) {
            let word = self.word(i);
            match word {
                "[" => brackets += 1,
                "]" => brackets -= 1,
                _ => {}
            }
            if brackets > 0 {
                continue;
            }
            match self.tokens[i].kind {
                Kind::Sign => self.comparison(i, &range),
                Kind::Number => self.constant(i, word),
                Kind::Word => {
                    if let Some(value) = self.params.get(word).copied() {
                        self.constant(i, value);
                    }
                }
            }
        }
    }

    fn constant(&mut self, i: usize, value: &str) {
        let repeats = self.word(i + 1) == "{";
        if let Some(after) = flipped(value).filter(|_| !repeats) {
            let Token { start, end, .. } = self.tokens[i];
            self.found.places.push(Place { module: self.module, span: start..end, after });
        }
    }

    fn comparison(&mut self, i: usize, range: &Range<usize>) {
        let other = match self.word(i) {
            "==" => "!=",
            "!=" => "==",
            "<" => "<=",
            "<=" => "<",
            ">" => ">=",
            ">=" => ">",
            _ => return,
        };
        let (Some(left), Some(right)) = (self.operand_before(i, range.start), self.operand_after(i)) else {
            return;
        };
        let fits_left = left == range.start || BEFORE.contains(&self.word(left - 1));
        if !fits_left || !(right == range.end || AFTER.contains(&self.word(right))) {
            return; // a neighbour that binds tighter: the operand is more than what was found
        }
        let sign = self.tokens[i];
        let span = self.tokens[left].start..self.tokens[right - 1].end;
        let after =
            format!("{}{other}{}", &self.text[span.start..sign.start], &self.text[sign.end..span.end]);
        self.found.places.push(Place { module: self.module, span, after });
    }

    /// First token of the operand that ends before token `i`; nothing before `floor` belongs to it.
    fn operand_before(&self, i: usize, floor: usize) -> Option<usize> {
        let mut first = i.checked_sub(1)?;
        while self.word(first) == "]" {
            first = self.opening(first)?.checked_sub(1)?;
        }
        match self.word(first) {
            ")" | "}" => {
                first = self.opening(first)?;
                if first > floor && self.tokens[first - 1].kind == Kind::Word {
                    first -= 1; // a system function
                }
            }
            _ if self.tokens[first].kind != Kind::Sign => {}
            _ => return None,
        }
        while first > floor && is_unary(self.word(first - 1)) && self.opens(first - 1, floor) {
            first -= 1;
        }
        (first >= floor).then_some(first)
    }

    /// True if the sign at `i` has no operand before it: it is a unary one.
    fn opens(&self, i: usize, floor: usize) -> bool {
        i == floor || (self.tokens[i - 1].kind == Kind::Sign && ![")", "]", "}"].contains(&self.word(i - 1)))
    }

    /// Token after the operand that starts behind token `i`.
    fn operand_after(&self, i: usize) -> Option<usize> {
        let mut next = i + 1;
        while is_unary(self.word(next)) {
            next += 1;
        }
        if self.word(next).starts_with('$') {
            next += 1;
        }
        next = match self.word(next) {
            "(" => self.find(next + 1, &[")"]) + 1,
            "{" => self.find(next + 1, &["}"]) + 1,
            _ if self.tokens.get(next)?.kind != Kind::Sign => next + 1,
            _ => return None,
        };
        while self.word(next) == "[" {
            next = self.find(next + 1, &["]"]) + 1;
        }
        (next < self.tokens.len()).then_some(next)
    }

    /// The bracket that the closing one at `i` closes.
    fn opening(&self, i: usize) -> Option<usize> {
        let mut depth = 0_i32;
        for j in (0..=i).rev() {
            match self.word(j) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(j);
            }
        }
        None
    }
}

fn is_unary(sign: &str) -> bool {
    ["~", "-", "!", "&", "|", "^"].contains(&sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(body: &str) -> Vec<String> {
        let text = format!(
            "module m(a,b,q);\n input wire [7:0] a;\n output reg q;\n localparam  k = 8'h10;\n localparam St_B = 1;\n\
             sub s(\n .a(a),\n .k(1'b1)\n );\n{body}\nendmodule\n"
        );
        let shown =
            survey(&text).places.into_iter().map(|p| format!("{} -> {}", &text[p.span.clone()], p.after));
        shown.collect()
    }

    #[test]
    fn instances_are_found_with_parent_and_kind() {
        let text = "module t(a);\n input wire a;\n t_s one(\n .a(a)\n );\n t_s two( .a(a) );\nendmodule\n";
        let instance = |name| Instance { parent: "t", kind: "t_s", name };
        assert_eq!(survey(text).instances, [instance("one"), instance("two")]);
    }

    #[test]
    fn comparisons_take_whole_operands() {
        let found = changes(
            "always @(*) begin\n if ((a == ~b[(64'h4)+:(4)]) && c < d) begin q = |a != (b & c); end\n \
             else if (a <= b) q <= $signed(a) >= b; end",
        );
        assert_eq!(
            found,
            [
                "a == ~b[(64'h4)+:(4)] -> a != ~b[(64'h4)+:(4)]",
                "c < d -> c <= d",
                "|a != (b & c) -> |a == (b & c)",
                "a <= b -> a < b",
                "$signed(a) >= b -> $signed(a) > b",
            ]
        );
    }

    #[test]
    fn an_operand_that_a_tighter_operator_continues_is_left_alone() {
        assert_eq!(changes("assign q = a + b == c;"), [""; 0]);
        assert_eq!(changes("assign q = a == b - c;"), [""; 0]);
        assert_eq!(changes("assign q = (a + b) == c;"), ["(a + b) == c -> (a + b) != c"]);
    }

    #[test]
    fn constants_and_localparams_change_where_they_are_used_as_values() {
        let found = changes(
            "always @(posedge clock) if (reset) q <= 8'h0; else q <= k;\nassign x = {3'b010, {4{c}}, d[7:0]} << 2;\n\
             always @(*) begin e[(64'h8)+:(8)] = St_B; for (i = 0; i < 4; i = i + 1) f[i] = 1'b1; end",
        );
        assert_eq!(
            found,
            ["8'h0 -> 8'h1", "k -> 8'h11", "3'b010 -> 3'b011", "2 -> 3", "St_B -> 0", "1'b1 -> 1'b0"]
        );
    }

    #[test]
    fn case_labels_stay_and_their_statements_do_not() {
        let found = changes(
            "always @(*) case (s)\n St_B:\n begin q = 1'b0; end\n 2'b01: if (a) q = 1'b1; else q = c == d;\n \
             default: begin end\n endcase",
        );
        assert_eq!(found, ["1'b0 -> 1'b1", "1'b1 -> 1'b0", "c == d -> c != d"]);
    }
}
