// SPDX-License-Identifier: MIT OR Apache-2.0
//! Emitted Verilog as words: what is declared, what is assigned, where a block ends.
use crate::mutate::text::{tokens, Kind, Token};

/// A text as words.
pub(super) struct Words<'a> {
    text: &'a str,
    all: Vec<Token>,
}

impl<'a> Words<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, all: tokens(text) }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The word at a place; nothing behind the last one.
    pub(super) fn at(&self, n: usize) -> &'a str {
        self.all.get(n).map_or("", |t| &self.text[t.start..t.end])
    }

    /// Where the word at a place begins in the text.
    pub(super) fn start(&self, n: usize) -> usize {
        self.all.get(n).map_or(self.text.len(), |t| t.start)
    }

    /// Where the word at a place ends in the text.
    pub(super) fn end(&self, n: usize) -> usize {
        self.all.get(n).map_or(self.text.len(), |t| t.end)
    }

    /// Whether a name or keyword stands there.
    pub(super) fn is_name(&self, n: usize) -> bool {
        self.all.get(n).is_some_and(|t| t.kind == Kind::Word)
    }

    /// Place of the `end` of the `begin` at a place.
    pub(super) fn end_of(&self, begin: usize) -> usize {
        let mut open = 0;
        for n in begin..self.len() {
            match self.at(n) {
                "begin" => open += 1,
                "end" => open -= 1,
                _ => {}
            }
            if open == 0 {
                return n;
            }
        }
        self.len()
    }

    /// Place behind the statement at a place: an `else` goes on with it.
    pub(super) fn end_of_statement(&self, first: usize) -> usize {
        let mut open = 0;
        for n in first..self.len() {
            match self.at(n) {
                "begin" => open += 1,
                "end" => open -= 1,
                _ => {}
            }
            let may_end = open == 0 && matches!(self.at(n), ";" | "end");
            if may_end && self.at(n + 1) != "else" {
                return n + 1;
            }
        }
        self.len()
    }

    /// Name, range and place of the name of the variable that the `reg` at a place declares.
    pub(super) fn declared(&self, reg: usize) -> Option<(&'a str, &'a str, usize)> {
        if self.at(reg + 1) != "[" {
            return Some((self.at(reg + 1), "", reg + 1));
        }
        let close = (reg..self.len()).find(|&n| self.at(n) == "]")?;
        let range = &self.text[self.start(reg + 1)..self.end(close)];
        Some((self.at(close + 1), range, close + 1))
    }

    /// The variable that the `=` or `<=` at a place assigns, or part of which it assigns.
    pub(super) fn target(&self, sign: usize) -> Option<&'a str> {
        let mut n = sign.checked_sub(1)?;
        let mut open = 0;
        loop {
            match self.at(n) {
                "]" => open += 1,
                "[" => open -= 1,
                _ => {}
            }
            if open == 0 && self.at(n) != "[" {
                return self.is_name(n).then(|| self.at(n));
            }
            n = n.checked_sub(1)?;
        }
    }
}
