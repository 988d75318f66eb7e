// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the linter reports.
use super::rules::Rule;
use proc_macro2::Span;
use serde::Serialize;
use std::fmt;

/// One violation of a rule.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Path from the workspace root, or the emitted text's name.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Rule broken.
    pub rule: &'static str,
    /// What was found, with the text.
    pub what: String,
    /// What to write instead.
    pub instead: &'static str,
}

impl Finding {
    /// A finding at the start of `span`.
    pub fn at(file: &str, span: Span, rule: &'static Rule, what: String) -> Self {
        let start = span.start();
        Self::on(file, start.line, start.column + 1, rule, what)
    }

    /// A finding at a line and column, both from 1.
    pub fn on(file: &str, line: usize, column: usize, rule: &'static Rule, what: String) -> Self {
        Self { file: file.into(), line, column, rule: rule.name, what, instead: rule.instead }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { file, line, column, rule, what, instead } = self;
        write!(f, "{file}:{line}:{column}: {rule}: {what}; {instead}")
    }
}

/// The source text of a span on one line, cut at 60 characters.
pub fn text_of(span: Span) -> String {
    let text = span.source_text().unwrap_or_default();
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match flat.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &flat[..end]),
        None => flat,
    }
}
