// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which lines of Markdown are prose: the same for a page and for the comments of a source file.

/// What a line of Markdown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Words: a paragraph, a list, a heading, a quotation.
    Prose,
    /// A row of a table.
    Table,
    /// Inside a fence, the fence itself, or indented by four columns behind a blank line.
    Code,
    /// Nothing.
    Blank,
}

/// Tells the kind of each line, from the first line of a page or of a comment on.
#[derive(Default)]
pub struct Lines<'a> {
    fence: Option<&'a str>,
    in_list: bool,
    before: Option<Kind>,
}

impl<'a> Lines<'a> {
    /// The kind of the next line.
    pub fn next(&mut self, line: &'a str) -> Kind {
        let kind = self.judge(line);
        self.before = Some(kind);
        kind
    }

    fn judge(&mut self, line: &'a str) -> Kind {
        let text = line.trim();
        let fence = ["```", "~~~"].into_iter().find(|f| text.starts_with(f));
        if let Some(open) = self.fence {
            if fence == Some(open) {
                self.fence = None;
            }
            return Kind::Code;
        }
        if fence.is_some() {
            self.fence = fence;
            return Kind::Code;
        }
        if text.is_empty() {
            return Kind::Blank;
        }
        let indented = line.starts_with("    ") || line.starts_with('\t');
        let behind = !matches!(self.before, Some(Kind::Prose | Kind::Table));
        if indented && behind && !self.in_list {
            return Kind::Code;
        }
        if is_item(text) {
            self.in_list = true;
        } else if !line.starts_with(' ') && behind {
            self.in_list = false;
        }
        if text.starts_with('|') {
            Kind::Table
        } else {
            Kind::Prose
        }
    }
}

/// True if a line without its indentation begins an item of a list.
pub fn is_item(text: &str) -> bool {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = number.len() < text.len() && (number.starts_with(". ") || number.starts_with(") "));
    numbered || ["- ", "* ", "+ "].iter().any(|mark| text.starts_with(mark))
}

/// The lines of a page with number (from 1) and kind.
pub fn lines(text: &str) -> Vec<(usize, &str, Kind)> {
    let mut kinds = Lines::default();
    text.lines().enumerate().map(|(i, line)| (i + 1, line, kinds.next(line))).collect()
}

/// `line` with blanks in place of each code span, so that columns stay.
pub fn without_code(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let ticks = rest.len() - start - rest[start..].trim_start_matches('`').len();
        let (open, inside) = rest.split_at(start + ticks);
        out.push_str(open);
        let Some(end) = inside.find(&"`".repeat(ticks)) else {
            rest = inside;
            continue;
        };
        out.extend(inside[..end].chars().map(|_| ' '));
        out.push_str(&inside[end..end + ticks]);
        rest = &inside[end + ticks..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> String {
        let letter = |kind| match kind {
            Kind::Prose => 'p',
            Kind::Table => 't',
            Kind::Code => 'c',
            Kind::Blank => '.',
        };
        lines(text).into_iter().map(|(_, _, kind)| letter(kind)).collect()
    }

    #[test]
    fn tables_fences_and_indented_code_are_no_prose() {
        assert_eq!(kinds("# a\nb\n\n| c |\n|---|\n"), "pp.tt");
        assert_eq!(kinds("a\n```text\nb\n~~~\n```\nc"), "pccccp");
        assert_eq!(kinds("a\n\n    b\n\n    c\nd\n    e"), "p.c.cpp");
        assert_eq!(kinds("- a\n  b\n\n    c\n\nd\n\n    e"), "pp.p.p.c");
        assert!(is_item("12. a") && is_item("- a") && !is_item("-a") && !is_item("12 a"));
    }

    #[test]
    fn code_spans_become_blanks_of_the_same_width() {
        assert_eq!(without_code("a `b` c ``d`e`` f"), "a ` ` c ``   `` f");
        assert_eq!(without_code("a `b c"), "a `b c");
    }
}
