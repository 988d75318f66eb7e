// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the linter counts over all Rust files and pages of the workspace.
use super::circles::Circles;
use super::debt::Debt;
use super::finding::Finding;
use super::{files, ports, rules, sentences, spdx};

/// Lines that no handwritten Rust file is to exceed.
const LINES: usize = 400;

/// Collects the Rust files and the pages of Markdown.
#[derive(Default)]
pub struct Tree {
    circles: Circles,
    long: Vec<Finding>,
    ports: Vec<Finding>,
    sentences: Vec<Finding>,
}

impl Tree {
    /// Adds a file. Generated files count for circles only.
    pub fn add(&mut self, file: &str, text: &str, syntax: &syn::File) {
        self.circles.add(file, syntax);
        if files::is_generated(file) {
            return;
        }
        self.ports.extend(ports::check(file, syntax));
        let lines = spdx::lines(text);
        if lines > LINES {
            let what = format!("{lines} lines, more than {LINES}");
            self.long.push(Finding::on(file, LINES + 1, 1, rules::FILE_LENGTH, what));
        }
    }

    /// Adds a page of Markdown.
    pub fn add_page(&mut self, file: &str, text: &str) {
        self.sentences.extend(sentences::long(file, text));
    }

    /// The counts of all files.
    pub fn debts(self) -> Vec<Debt> {
        let mut debts = self.circles.debts();
        debts.push(Debt::of("files_over_400_lines", self.long));
        debts.push(Debt::of("one_word_port_comments", self.ports));
        debts.push(Debt::of("long_sentences", self.sentences));
        debts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_may_be_long_and_have_short_comments() {
        let text = "#[derive(LogicBlock)] struct A {\n/// Taken.\na: Signal<In, Bit> }\n".to_string()
            + &"// x\n".repeat(LINES - 2);
        let counts = |file: &str| {
            let mut tree = Tree::default();
            tree.add(file, &text, &syn::parse_file(&text).unwrap());
            tree.debts().iter().map(|d| d.places.len()).sum::<usize>()
        };
        assert_eq!(counts("hdl/src/mpa/rx.rs"), 2);
        assert_eq!(counts("hdl/src/gen/rx.rs"), 0);
    }
}
