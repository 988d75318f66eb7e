// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks on tokens, so that text inside strings never counts: unfinished work and ignored tests.
use super::finding::Finding;
use super::rules;
use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};

/// Looks for macros and attributes that mark unfinished work, also inside other macros' arguments.
pub fn check(file: &str, tokens: TokenStream) -> Vec<Finding> {
    let mut findings = vec![];
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, tree) in trees.iter().enumerate() {
        let mark =
            |at: usize, c: char| matches!(trees.get(at), Some(TokenTree::Punct(p)) if p.as_char() == c);
        match tree {
            TokenTree::Ident(name) if (name == "todo" || name == "unimplemented") && mark(i + 1, '!') => {
                let what = format!("`{name}!`");
                findings.push(Finding::at(file, name.span(), rules::UNFINISHED, what));
            }
            TokenTree::Group(group) => {
                let attribute = group.delimiter() == Delimiter::Bracket && i > 0 && mark(i - 1, '#');
                if attribute && ignores(group.stream()) {
                    let what = "test marked `ignore`".into();
                    findings.push(Finding::at(file, group.span_open(), rules::IGNORED_TEST, what));
                }
                findings.extend(check(file, group.stream()));
            }
            _ => {}
        }
    }
    findings
}

/// True for `ignore`, `ignore = "why"` and `cfg_attr(.., ignore)`.
fn ignores(attribute: TokenStream) -> bool {
    let mut trees = attribute.into_iter();
    match trees.next() {
        Some(TokenTree::Ident(name)) if name == "ignore" => true,
        Some(TokenTree::Ident(name)) if name == "cfg_attr" => match trees.next() {
            Some(TokenTree::Group(g)) => {
                g.stream().into_iter().any(|t| matches!(t, TokenTree::Ident(n) if n == "ignore"))
            }
            _ => false,
        },
        _ => false,
    }
}

/// Calls `see` with each literal, at any depth.
pub fn for_each_literal(tokens: TokenStream, see: &mut impl FnMut(&Literal)) {
    for tree in tokens {
        match tree {
            TokenTree::Literal(literal) => see(&literal),
            TokenTree::Group(group) => for_each_literal(group.stream(), see),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules_of(source: &str) -> Vec<&'static str> {
        check("x.rs", source.parse().unwrap()).into_iter().map(|f| f.rule).collect()
    }

    #[test]
    fn unfinished_macros_are_found_at_any_depth_and_not_in_strings() {
        assert_eq!(rules_of("fn f() { todo!() }"), ["unfinished"]);
        assert_eq!(rules_of("fn f() { g(|| assert!(x, unimplemented!(\"y\"))) }"), ["unfinished"]);
        assert_eq!(rules_of("fn f() { let todo = \"todo!()\"; if !todo.is_empty() {} }"), [""; 0]);
    }

    #[test]
    fn ignored_tests_are_found_with_reason_and_under_cfg_attr() {
        assert_eq!(rules_of("#[test] #[ignore] fn f() {}"), ["ignored-test"]);
        assert_eq!(rules_of("mod m { #[ignore = \"slow\"] #[test] fn f() {} }"), ["ignored-test"]);
        assert_eq!(rules_of("#[cfg_attr(feature = \"x\", ignore)] #[test] fn f() {}"), ["ignored-test"]);
        assert_eq!(rules_of("#[test] fn ignore() { let a = [ignore]; }"), [""; 0]);
    }
}
