// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of a script as words, fields and rows.
use thiserror::Error;

/// A script that is not understood, or a step of it that does not hold.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{script}:{line}: {why}")]
pub struct ScriptError {
    /// Name of the file.
    pub script: String,
    /// Line, from 1 on.
    pub line: usize,
    /// What is wrong, with the values, and what would be right.
    pub why: String,
}

/// The words of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Words that are no fields, in their order.
    pub words: Vec<String>,
    /// `name=value`, in their order.
    pub fields: Vec<(String, String)>,
    /// Ids in brackets at the end.
    pub rows: Vec<String>,
}

/// Takes a line apart. A `#` in front of a word begins a comment; a part in quotes is one word;
/// rows stand in brackets at the end. The error says what is wrong.
pub fn line(text: &str) -> Result<Line, String> {
    let (text, rows) = match text.trim_end().strip_suffix(']').map(|text| text.rsplit_once('[')) {
        Some(Some((text, rows))) => (text, rows),
        Some(None) => return Err("a bracket closes that none has opened".into()),
        None => (text, ""),
    };
    let mut line = Line { rows: rows.split_whitespace().map(String::from).collect(), ..Default::default() };
    for word in words(text)? {
        if word.starts_with('[') {
            return Err("rows stand in brackets at the end of the line, without a comment behind".into());
        }
        match field(&word) {
            Some((name, _)) if line.fields.iter().any(|(other, _)| other == name) => {
                return Err(format!("`{name}=` stands twice in this line"));
            }
            Some((name, value)) => line.fields.push((name.to_string(), value.to_string())),
            None => line.words.push(word),
        }
    }
    Ok(line)
}

fn field(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (!name.is_empty() && name.chars().all(plain)).then_some((name, value))
}

fn words(text: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quoted) = (vec![], String::new(), false);
    for c in text.chars() {
        match c {
            '#' if !quoted && word.is_empty() => break,
            c if c.is_whitespace() && !quoted => {
                words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            }
            c => {
                quoted ^= c == '"';
                word.push(c);
            }
        }
    }
    if quoted {
        return Err("a quote is not closed".into());
    }
    words.extend((!word.is_empty()).then_some(word));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_words_fields_and_rows() {
        let line = line(r#"peer fpdu send msn=1 data="a = b" [MPA-1.1-01 DDP-3-01] "#).unwrap();
        assert_eq!(line.words, ["peer", "fpdu", "send"]);
        assert_eq!(line.fields[1], ("data".into(), "\"a = b\"".into()));
        assert_eq!(line.rows, ["MPA-1.1-01", "DDP-3-01"]);
    }

    #[test]
    fn a_comment_is_no_word() {
        assert_eq!(line("  # nothing").unwrap(), Line::default());
        assert_eq!(line("app recv 1 r#0 # more").unwrap().words, ["app", "recv", "1", "r#0"]);
    }

    #[test]
    fn what_is_not_closed_is_named() {
        assert!(line("app fill r 0 \"abc").unwrap_err().contains("quote"));
        assert!(line("wire fin [MPA-1").unwrap_err().contains("bracket"));
        assert!(line("wire fin MPA-1]").unwrap_err().contains("bracket"));
        assert!(line("wire fin a=1 a=2").unwrap_err().contains("twice"));
    }
}
