// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers of decisions: `D` and a number in prose needs an anchor in `docs/decisions.md`.
use super::comments::Comment;
use super::finding::Finding;
use super::prose::{self, Kind};
use super::rules;
use std::collections::BTreeSet;

/// The page of the decisions.
pub const PAGE: &str = "docs/decisions.md";

/// The decisions that have an anchor.
pub struct Decisions(BTreeSet<usize>);

impl Decisions {
    /// Reads the page: a decision's anchor is `<a id="dN">`.
    pub fn of(page: &str) -> Self {
        let after = page.split("<a id=\"d").skip(1);
        Self(after.filter_map(|rest| rest.split('"').next()?.parse().ok()).collect())
    }

    /// Checks the comments of a source file.
    pub fn comments(&self, file: &str, comments: &[Comment<'_>]) -> Vec<Finding> {
        comments.iter().flat_map(|c| self.line(file, c.line, c.column, c.text)).collect()
    }

    /// Checks the prose and the tables of a page; code names no decision.
    pub fn markdown(&self, file: &str, text: &str) -> Vec<Finding> {
        let lines = prose::lines(text).into_iter().filter(|(_, _, kind)| *kind != Kind::Code);
        lines.flat_map(|(number, line, _)| self.line(file, number, 1, line)).collect()
    }

    fn line(&self, file: &str, number: usize, column: usize, text: &str) -> Vec<Finding> {
        let unknown = cited(&prose::without_code(text)).into_iter().filter(|(_, n)| !self.0.contains(n));
        let finding = |(at, n): (usize, usize)| {
            let what = format!("D{n} has no anchor `<a id=\"d{n}\">` in {PAGE}");
            Finding::on(file, number, column + at, rules::DECISION, what)
        };
        unknown.map(finding).collect()
    }
}

/// Numbers of decisions in a text, with their columns from 0. Decisions begin at 1. A word with
/// more than the number, such as `0xD5`, `D3hot` or `AD12`, names no decision. An octet behind
/// another hexadecimal octet names none either.
fn cited(text: &str) -> Vec<(usize, usize)> {
    let mut found = vec![];
    let mut before = "";
    let mut column = 0;
    for word in text.split_inclusive(|c: char| !is_word(c)) {
        let name = word.trim_end_matches(|c: char| !is_word(c));
        let number = name.strip_prefix('D').filter(|n| n.len() <= 2 && !n.starts_with('0'));
        if let Some(number) = number.and_then(|n| n.parse().ok()).filter(|_| !is_octet(before)) {
            found.push((column, number));
        }
        before = name;
        column += word.chars().count();
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// True for an octet in hexadecimal that is no decision.
fn is_octet(word: &str) -> bool {
    word.len() == 2 && word.chars().all(|c| c.is_ascii_hexdigit()) && !word.starts_with('D')
}

#[cfg(test)]
mod tests {
    use super::super::comments;
    use super::*;

    const SOME: &str = "# Decisions\n<a id=\"d1\"></a>\n## One\n<a id=\"d12\"></a>\n## Twelve\n";

    #[test]
    fn a_number_without_an_anchor_is_found_in_comments_and_pages() {
        let some = Decisions::of(SOME);
        let source = "// As D1 says, and (D7)\nlet d = \"D7\"; /* D12, D13 */";
        let found = some.comments("x.rs", &comments::of(source));
        let places: Vec<_> = found.iter().map(|f| (f.line, f.column)).collect();
        assert_eq!(places, [(1, 21), (2, 23)]);
        assert!(found[0].to_string().contains("D7 has no anchor `<a id=\"d7\">`"), "{}", found[0]);
        let page = "See D2.\n\n```\nD3\n```\n| D4 | `D5` |\n[D1](decisions.md#d1)\n";
        let lines: Vec<_> = some.markdown("x.md", page).iter().map(|f| f.line).collect();
        assert_eq!(lines, [1, 6]);
    }

    #[test]
    fn hexadecimal_names_and_power_states_are_no_decisions() {
        for none in ["0xD5", "D3hot and D0", "AD12 D123 D D1x D_1", "octets 55 D5", "d5", "xD1"] {
            assert_eq!(cited(none), [], "{none}");
        }
        assert_eq!(cited("D1/D2-D10"), [(0, 1), (3, 2), (6, 10)]);
    }
}
