// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of prose: at most [`COLUMNS`] wide, in comments and in Markdown.
use super::comments::Comment;
use super::finding::Finding;
use super::prose::{self, Kind, Lines};
use super::rules;

/// Columns of a line of prose, its indentation and comment marker with it.
pub const COLUMNS: usize = 100;

/// Checks the lines that are comments only. `text` is the whole file that the comments are of.
pub fn comments(file: &str, text: &str, comments: &[Comment<'_>]) -> Vec<Finding> {
    let all: Vec<&str> = text.lines().collect();
    let mut kinds = Lines::default();
    let mut before: Option<(usize, String)> = None;
    let mut findings = vec![];
    for comment in comments.iter().filter(|c| c.alone) {
        let follows =
            before.as_ref().is_some_and(|(line, mark)| line + 1 == comment.line && mark == comment.marker());
        if !follows {
            kinds = Lines::default();
        }
        before = Some((comment.line, comment.marker().into()));
        let kind = kinds.next(comment.prose());
        let line = all.get(comment.line - 1).copied().unwrap_or_default();
        findings.extend(judge(file, comment.line, line, comment.prose(), kind));
    }
    findings
}

/// Checks the lines of a page.
pub fn markdown(file: &str, text: &str) -> Vec<Finding> {
    prose::lines(text)
        .into_iter()
        .filter_map(|(number, line, kind)| judge(file, number, line, line, kind))
        .collect()
}

/// Judges a whole `line` whose words are `words`.
fn judge(file: &str, number: usize, line: &str, words: &str, kind: Kind) -> Option<Finding> {
    let columns = line.chars().count();
    if columns <= COLUMNS || kind != Kind::Prose || is_whole(words) {
        return None;
    }
    let what = format!("{columns} columns of prose, the limit is {COLUMNS}");
    Some(Finding::on(file, number, COLUMNS + 1, rules::PROSE_WIDTH, what))
}

/// True if a line cannot be broken: it is one word, or one link, perhaps as the item of a list.
fn is_whole(words: &str) -> bool {
    let words = words.trim();
    let words = if prose::is_item(words) { words.split_once(' ').map_or("", |w| w.1).trim() } else { words };
    let link = words.trim_start_matches('!').starts_with('[')
        && words.ends_with([')', ']', '>'])
        && words.matches("](").count() <= 1;
    let reference = words.starts_with('[') && words.contains("]: ");
    link || reference || !words.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::super::comments::of;
    use super::*;

    fn found(text: &str) -> Vec<usize> {
        comments("x.rs", text, &of(text)).into_iter().map(|f| f.line).collect()
    }

    #[test]
    fn a_comment_of_its_own_line_has_at_most_a_hundred_columns() {
        for marker in ["//", "///", "//!"] {
            let fits = |columns: usize| {
                let words = "w ".repeat(60);
                format!("    {marker} {}", &words[..columns - 5 - marker.len()])
            };
            assert_eq!(found(&fits(99)), [0; 0], "{marker}");
            assert_eq!(found(&format!("fn f() {{\n{}x\n}}", fits(101))), [2], "{marker}");
        }
        let behind_code = format!("let {} = 1; // {}", "x".repeat(60), "w ".repeat(40));
        assert_eq!(found(&behind_code), [0; 0]);
        assert_eq!(found(&format!("let s = r\"\n// {}\n\";", "w ".repeat(60))), [0; 0]);
        assert_eq!(found(&format!("// {}", "ü ".repeat(48))), [0; 0], "columns, not octets");
    }

    #[test]
    fn what_cannot_be_broken_may_be_wide() {
        let long = "w".repeat(120);
        let words = "w ".repeat(60);
        for fine in [
            format!("/// | {words} |"),
            format!("/// ```\n/// {words}\n/// ```"),
            format!("/// https://{long}"),
            format!("/// [{words}](https://{long})"),
            format!("/// - [`{words}`]: {long}"),
        ] {
            assert_eq!(found(&fine), [0; 0], "{fine}");
        }
        // A fence of one comment does not reach into the next one.
        assert_eq!(found(&format!("/// ```\nfn f() {{}}\n/// {words}")), [3]);
    }

    #[test]
    fn pages_are_judged_likewise() {
        let words = "w ".repeat(60);
        let page = format!("{words}\n\n- {words}\n\n| {words} |\n\n```\n{words}\n```\n\n# {words}\n");
        let lines: Vec<_> = markdown("x.md", &page).iter().map(|f| f.line).collect();
        assert_eq!(lines, [1, 3, 11]);
    }
}
