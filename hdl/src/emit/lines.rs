// SPDX-License-Identifier: MIT OR Apache-2.0
//! A module of Rust-HDL's text as lines: declarations, instances, statements of its `always @(*)`.
use std::collections::{HashMap, HashSet};

/// A declared signal.
pub(super) struct Signal<'t> {
    /// `input wire`, `output reg`, `wire` or `reg`.
    pub(super) kind: &'t str,
    /// Line of the declaration.
    pub(super) line: usize,
    /// Rust-HDL made the name, for a port of a child.
    pub(super) is_stub: bool,
}

/// One line of the `always @(*)`: an assignment, or anything else, which has no target.
pub(super) struct Statement<'t> {
    /// Line in the module.
    pub(super) line: usize,
    /// Nesting: 1 is unconditional.
    pub(super) depth: usize,
    /// The line without its indentation.
    pub(super) code: &'t str,
    /// The signal that is assigned, whole or in part.
    pub(super) target: Option<&'t str>,
    /// All bits of `target` are assigned.
    pub(super) is_whole: bool,
    /// What is assigned; empty without a target.
    pub(super) value: &'t str,
    /// The assignment has an `always @(*)` of its own.
    pub(super) is_alone: bool,
}

/// A module with an `always @(*)` that Rust-HDL wrote.
pub(super) struct Module<'t> {
    lines: Vec<String>,
    /// Line of `always @(*) begin`.
    update: usize,
    /// Declared signals by name.
    pub(super) declared: HashMap<&'t str, Signal<'t>>,
    /// Lines of the `always @(*)`, in their order, then the assignments that have one of their own.
    pub(super) statements: Vec<Statement<'t>>,
}

impl<'t> Module<'t> {
    /// Cuts a text before each of its modules.
    pub(super) fn texts(verilog: &str) -> Vec<&str> {
        let heads = verilog.match_indices("module ").map(|(at, _)| at);
        let mut bounds: Vec<usize> = heads.filter(|&at| verilog[..at].ends_with('\n')).collect();
        bounds.insert(0, 0);
        bounds.push(verilog.len());
        bounds.windows(2).map(|ends| &verilog[ends[0]..ends[1]]).collect()
    }

    /// Reads a module's text; nothing for one without Rust-HDL's `always @(*)`, such as a
    /// handwritten cell.
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let trimmed = |line: usize| lines[line].trim();
        let head = (1..lines.len()).find(|&line| trimmed(line) == "always @(*) begin")?;
        if trimmed(head - 1) != "// Update code" {
            return None;
        }
        let locals = (0..head).find(|&line| trimmed(line) == "// Local signals").unwrap_or(head);
        let declared = (0..head).filter_map(|line| {
            let (kind, rest) = declaration(trimmed(line))?;
            let name = rest.trim_end_matches(';').split_whitespace().last()?;
            Some((name, Signal { kind, line, is_stub: line < locals }))
        });
        let declared = declared.collect();
        let mut statements = vec![];
        let mut depth = 1;
        for line in head + 1..lines.len() {
            let code = trimmed(line);
            if depth == 0 {
                let alone = code.strip_prefix("always @(*) ");
                statements.extend(
                    alone.map(|code| Statement { is_alone: true, ..Statement::parse(line, 1, code) }),
                );
                continue;
            }
            if matches!(words(code).next(), Some("end" | "endcase")) {
                depth -= 1;
            }
            if depth > 0 {
                statements.push(Statement::parse(line, depth, code));
            }
            if code.ends_with("begin") || code.starts_with("case ") {
                depth += 1;
            }
        }
        let lines = lines.iter().map(|line| line.to_string()).collect();
        Some(Self { lines, update: head, declared, statements })
    }

    /// Takes lines of the `always @(*)` out.
    pub(super) fn remove(&mut self, gone: &HashSet<usize>) {
        self.statements.retain(|statement| !gone.contains(&statement.line));
        gone.iter().for_each(|&line| self.lines[line].clear());
    }

    /// Names that a statement or a child's input reads, but for lines that are `gone`.
    ///
    /// A connection counts as a read unless a child drives its signal.
    pub(super) fn reads(&self, gone: &HashSet<usize>, resolve: &dyn Fn(&str) -> String) -> HashSet<String> {
        let mut reads = HashSet::new();
        for statement in self.statements.iter().filter(|s| !gone.contains(&s.line)) {
            let code = if statement.is_whole { statement.value } else { statement.code };
            reads.extend(words(code).map(resolve));
        }
        for line in &self.lines[..self.update] {
            let Some((_, signal)) = connection(line) else { continue };
            let source = resolve(signal);
            if source != signal || self.declared.get(signal).is_none_or(|s| s.kind != "wire") {
                reads.insert(source);
            }
        }
        reads
    }

    /// Declares a `wire` instead of a `reg`.
    pub(super) fn drive_by_wire(&mut self, line: usize) {
        self.lines[line] = self.lines[line].replacen("reg ", "wire ", 1);
    }

    /// Takes lines out, renames what is left, and puts `assigns` before the `always @(*)`, which
    /// goes if nothing is left of it. So do headings of nothing.
    pub(super) fn rewrite(&mut self, gone: &HashSet<usize>, assigns: &str, name: &dyn Fn(&str) -> String) {
        self.remove(gone);
        for (at, line) in self.lines.iter_mut().enumerate() {
            if at > self.update && !line.trim_start().starts_with("//") {
                *line = renamed(line, name);
            } else if let Some((port, signal)) = connection(line) {
                *line = line.replacen(&format!("{port}({signal})"), &format!("{port}({})", name(signal)), 1);
            }
        }
        if self.statements.iter().all(|statement| statement.is_alone) {
            let end = (self.update..self.lines.len()).find(|&line| self.lines[line].trim() == "end");
            self.lines[self.update].clear();
            end.into_iter().for_each(|line| self.lines[line].clear());
            if assigns.is_empty() && self.statements.is_empty() {
                self.lines[self.update - 1].clear();
            }
        }
        self.lines[self.update].insert_str(0, assigns);
        for heading in ["// Stub signals", "// Local signals"] {
            let Some(at) = self.lines.iter().position(|line| line.trim() == heading) else { continue };
            let below = self.lines[at + 1..].iter().find(|line| !line.is_empty());
            if below.is_none_or(|line| declaration(line.trim()).is_none()) {
                self.lines[at].clear();
            }
        }
    }

    /// The text as it is now.
    pub(super) fn text(&self) -> String {
        self.lines.concat()
    }
}

impl<'t> Statement<'t> {
    fn parse(line: usize, depth: usize, code: &'t str) -> Self {
        let plain = Self { line, depth, code, target: None, is_whole: false, value: "", is_alone: false };
        let Some((left, value)) = code.strip_suffix(';').and_then(|c| c.split_once(" = ")) else {
            return plain;
        };
        let Some(target) = words(left).next().filter(|name| left.starts_with(name)) else { return plain };
        Self { target: Some(target), is_whole: left == target, value, ..plain }
    }
}

/// Kind of a declaration, and what follows.
fn declaration(code: &str) -> Option<(&str, &str)> {
    let kinds = ["input wire", "output wire", "output reg", "wire", "reg"];
    let kind = kinds.into_iter().find(|kind| code.strip_prefix(kind).is_some_and(|c| c.starts_with(' ')))?;
    Some((&code[..kind.len()], &code[kind.len()..]))
}

/// The port, with its point, and the signal of a line `.port(signal)` of an instance.
pub(super) fn connection(line: &str) -> Option<(&str, &str)> {
    let code = line.trim().trim_end_matches(',');
    let (port, rest) = code.strip_suffix(')')?.split_once('(')?;
    port.starts_with('.').then_some((port, rest))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The names in a piece of code; digits behind a base such as `'h` are none.
pub(super) fn words(code: &str) -> impl Iterator<Item = &str> {
    let parts = code.split_inclusive(|c| !is_word(c)).scan(false, |is_digits, part| {
        let word = part.trim_end_matches(|c| !is_word(c));
        let skip = std::mem::replace(is_digits, part.ends_with('\''));
        Some(if skip { "" } else { word })
    });
    parts.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

/// The text with each name replaced by what `name` makes of the name; digits of a constant stay.
pub(super) fn renamed(text: &str, name: &dyn Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut rest = text;
    while !rest.is_empty() {
        let (word, tail) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
        let begins = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if begins && !out.ends_with('\'') {
            out.push_str(&name(word));
        } else {
            out.push_str(word);
        }
        let (gap, tail) = tail.split_at(tail.find(is_word).unwrap_or(tail.len()));
        out.push_str(gap);
        rest = tail;
    }
    out
}

/// The text with each identifier `top` and `top$..` put under `top$<name>`.
pub(super) fn under(raw: &str, name: &str) -> String {
    renamed(raw, &|word| match word.strip_prefix("top") {
        Some(below) if below.is_empty() || below.starts_with('$') => format!("top${name}{below}"),
        _ => word.into(),
    })
}
