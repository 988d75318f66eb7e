// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sentences of Markdown: at most [`WORDS`] words.
use super::finding::Finding;
use super::prose::{self, Kind};
use super::rules;

/// Words of a sentence. A code span is one word.
pub const WORDS: usize = 25;

/// The sentences of a page that are longer, each at the first line of its paragraph or item.
pub fn long(file: &str, text: &str) -> Vec<Finding> {
    let mut findings = vec![];
    let (mut block, mut first) = (String::new(), 0);
    for (number, line, kind) in prose::lines(text).into_iter().chain([(0, "", Kind::Blank)]) {
        let words = line.trim().trim_start_matches("> ");
        let is_item = prose::is_item(words);
        let is_text = kind == Kind::Prose && !line.starts_with("    ") && !is_mark(words);
        if !is_text || is_item {
            findings.extend(sentences(&block).into_iter().filter(|n| *n > WORDS).map(|n| {
                let what = format!("a sentence of {n} words, the limit is {WORDS}");
                Finding::on(file, first, 1, rules::LONG_SENTENCE, what)
            }));
            block.clear();
        }
        if is_text {
            first = if block.is_empty() { number } else { first };
            block += if is_item { words.split_once(' ').map_or("", |w| w.1) } else { words };
            block.push(' ');
        }
    }
    findings
}

/// True for a heading, an HTML line and the target of a reference link.
fn is_mark(words: &str) -> bool {
    words.starts_with(['#', '<']) || (words.starts_with('[') && words.contains("]: "))
}

/// The number of words of each sentence.
fn sentences(block: &str) -> Vec<usize> {
    let (mut counts, mut words, mut ticks) = (vec![], 0, 0);
    for token in prose::without_code(block).split_whitespace() {
        words += usize::from(token.contains(char::is_alphanumeric));
        ticks += usize::from(!token.contains(char::is_alphanumeric) && token.contains('`'));
        if token.trim_end_matches([')', '"', '*', '_']).ends_with(['.', '?', '!']) {
            counts.push(words + ticks / 2);
            (words, ticks) = (0, 0);
        }
    }
    counts.push(words + ticks / 2);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_at_most_twenty_five_words() {
        let words = |n: usize| "w ".repeat(n - 1) + "w.";
        let found = |text: &str| long("x.md", text).into_iter().map(|f| f.line).collect::<Vec<_>>();
        assert_eq!(found(&format!("{} {}", words(25), words(25))), [0; 0]);
        assert_eq!(found(&format!("a.\n{}", words(26))), [1]);
        assert_eq!(found(&format!("a.\n\n- {}\n- b.\n1. {}", words(26), words(26))), [3, 5]);
        let spans = "`a b c` ".repeat(25);
        assert_eq!(found(&format!("{spans}\n\n{spans}w")), [3], "a code span is one word");
        for free in ["# ", "| ", "    ", "<!-- ", "[a]: "] {
            assert_eq!(found(&format!("{free}{}", words(30))), [0; 0], "{free}");
        }
    }
}
