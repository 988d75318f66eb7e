// SPDX-License-Identifier: MIT OR Apache-2.0
//! The comments of a source text.

/// One line of a comment.
#[derive(Clone, Debug)]
pub struct Comment<'a> {
    /// Line, from 1.
    pub line: usize,
    /// Column of the first octet, from 1.
    pub column: usize,
    /// Text of this line, the slashes with it.
    pub text: &'a str,
    /// True if the comment begins with `//` and no code stands before the comment on the line.
    pub alone: bool,
}

impl Comment<'_> {
    /// The marker: `///`, `//!` or `//`; empty inside a block comment.
    pub fn marker(&self) -> &str {
        let marks = ["///", "//!", "//"];
        marks.into_iter().find(|m| self.text.starts_with(m)).unwrap_or_default()
    }

    /// The text behind the marker and one blank.
    pub fn prose(&self) -> &str {
        let text = &self.text[self.marker().len()..];
        text.strip_prefix(' ').unwrap_or(text)
    }
}

/// All comments of a text in Rust, C++ or Verilog; strings and characters are stepped over.
pub fn of(text: &str) -> Vec<Comment<'_>> {
    let mut found = vec![];
    let (mut line, mut line_start, mut at) = (1, 0, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let rest = &text[at..];
        let end = if rest.starts_with("//") {
            let end = at + rest.find('\n').unwrap_or(rest.len());
            let alone = text[line_start..at].trim().is_empty();
            found.push(Comment { line, column: at - line_start + 1, text: &text[at..end], alone });
            end
        } else if rest.starts_with("/*") {
            let end = at + rest.find("*/").map_or(rest.len(), |e| e + 2);
            for (i, part) in text[at..end].split('\n').enumerate() {
                let column = if i == 0 { at - line_start + 1 } else { 1 };
                found.push(Comment { line: line + i, column, text: part, alone: false });
            }
            end
        } else if let Some(raw) = raw_string(rest).filter(|_| at == 0 || !is_word(bytes[at - 1])) {
            at + raw
        } else if rest.starts_with('"') {
            at + quoted(rest, '"')
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\") {
            at + quoted(rest, '\'')
        } else {
            at + rest.chars().next().map_or(1, char::len_utf8)
        };
        for (i, _) in text[at..end].match_indices('\n') {
            line += 1;
            line_start = at + i + 1;
        }
        at = end;
    }
    found
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Length of the raw string at the start of `rest`, if one is there.
fn raw_string(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..].strip_prefix('"')?;
    let head = rest.len() - after.len() + hashes + 1;
    let close = format!("\"{}", "#".repeat(hashes));
    Some(rest[head..].find(&close).map_or(rest.len(), |e| head + e + close.len()))
}

/// Length of the quoted text at the start of `rest`, with escapes.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return i + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_have_place_marker_and_prose_and_strings_have_none() {
        let text = "//! a\nlet x = \"// b\"; // c\n    ///  d\n/* e\n f */ r#\"// g\"#; '\"' // h";
        let all = of(text);
        let places: Vec<_> = all.iter().map(|c| (c.line, c.column, c.alone)).collect();
        let expected =
            [(1, 1, true), (2, 17, false), (3, 5, true), (4, 1, false), (5, 1, false), (5, 22, false)];
        assert_eq!(places, expected);
        let prose: Vec<_> = all.iter().map(|c| (c.marker(), c.prose())).collect();
        assert_eq!(prose[..3], [("//!", "a"), ("//", "c"), ("///", " d")]);
    }
}
