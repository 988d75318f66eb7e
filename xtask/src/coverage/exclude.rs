// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tests/coverage/exclude.toml`: bits and lines that no run can reach, each with the reason.
use super::tally::Place;
use crate::repo;
use anyhow::{bail, ensure, Context, Result};
use regex::Regex;
use serde::Deserialize;
use std::cell::Cell;

/// The file, below the repository.
pub const PATH: &str = "tests/coverage/exclude.toml";

/// How an entry begins.
const HEAD: &str = "[[exclude]]";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    exclude: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Pattern of whole names of modules; all, if it is missing.
    #[serde(default = "all")]
    modules: String,
    /// Pattern of whole names of signals.
    signals: Option<String>,
    /// Bits of these signals: `49..`, `3..7` (7 is one of them) or `5`; all, if it is missing.
    bits: Option<String>,
    /// Pattern within a line of Verilog, whose blocks are meant.
    lines: Option<String>,
    /// Why no run can reach them.
    reason: String,
}

fn all() -> String {
    ".*".into()
}

/// An entry that was read.
struct Rule {
    /// Line of the file.
    line: usize,
    modules: Regex,
    what: What,
    matched: Cell<usize>,
}

enum What {
    Signals(Regex, usize, usize),
    Lines(Regex),
}

/// The entries.
pub struct Exclude(Vec<Rule>);

impl Exclude {
    /// The committed file.
    pub fn load() -> Result<Self> {
        let path = repo::root().join(PATH);
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {PATH}"))?;
        Self::parse(&text)
    }

    /// A text of that format.
    fn parse(text: &str) -> Result<Self> {
        let file: File = toml::from_str(text).with_context(|| format!("{PATH} is not understood"))?;
        let lines = (1..).zip(text.lines()).filter(|(_, line)| line.trim_start().starts_with(HEAD));
        let rule = |((line, _), entry): ((usize, _), Entry)| {
            rule(line, &entry).with_context(|| format!("{PATH}:{line}"))
        };
        Ok(Self(lines.zip(file.exclude).map(rule).collect::<Result<_>>()?))
    }

    /// Whether a place of a module, whose lines are `text`, is excluded.
    pub fn has(&self, module: &str, text: &[String], place: &Place) -> bool {
        let mut is_out = false;
        for rule in &self.0 {
            let hit = match (&rule.what, place) {
                (What::Signals(names, low, high), Place::Bit(name, bit, _)) => {
                    (low..=high).contains(&bit) && names.is_match(name)
                }
                (What::Lines(pattern), Place::Block(line, ..)) => {
                    text.get(*line).is_some_and(|text| pattern.is_match(text))
                }
                _ => false,
            };
            if hit && rule.modules.is_match(module) {
                rule.matched.set(rule.matched.get() + 1);
                is_out = true;
            }
        }
        is_out
    }

    /// Fails with the line of each entry that has excluded nothing.
    pub fn check(&self) -> Result<()> {
        let idle = self.0.iter().filter(|rule| rule.matched.get() == 0);
        let lines: Vec<_> = idle.map(|rule| format!("{PATH}:{}", rule.line)).collect();
        if lines.is_empty() {
            return Ok(());
        }
        bail!("these entries match nothing in the device, remove or mend each: {}", lines.join(", "))
    }
}

fn rule(line: usize, entry: &Entry) -> Result<Rule> {
    let whole = |pattern: &str| Regex::new(&format!("^(?:{pattern})$"));
    ensure!(!entry.reason.trim().is_empty(), "an entry needs a reason");
    let what = match (&entry.signals, &entry.lines) {
        (Some(signals), None) => {
            let (low, high) = entry.bits.as_deref().map_or(Ok((0, usize::MAX)), bits)?;
            What::Signals(whole(signals)?, low, high)
        }
        (None, Some(lines)) if entry.bits.is_none() => What::Lines(Regex::new(lines)?),
        _ => bail!("an entry has either `signals`, with or without `bits`, or `lines`"),
    };
    Ok(Rule { line, modules: whole(&entry.modules)?, what, matched: Cell::new(0) })
}

/// `5`, `3..7` or `49..`.
fn bits(text: &str) -> Result<(usize, usize)> {
    let number = |text: &str| text.trim().parse::<usize>();
    let range = match text.split_once("..") {
        Some((low, high)) if high.trim().is_empty() => number(low).map(|low| (low, usize::MAX)),
        Some((low, high)) => number(low).and_then(|low| Ok((low, number(high)?))),
        None => number(text).map(|bit| (bit, bit)),
    };
    range.with_context(|| format!("`{text}` are no bits; write `5`, `3..7` or `49..`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# head\n\n[[exclude]]\nmodules = \"t_.*\"\nsignals = \"addr|a\"\nbits = \"49..\"\nreason = \"far\"\n\n\
                        [[exclude]]\nlines = \"default:\"\nreason = \"never\"\n";

    #[test]
    fn bits_and_lines_are_excluded_by_pattern() {
        let exclude = Exclude::parse(TEXT).unwrap();
        let text = ["module t_a(x);".to_string(), "  default: y = 1;".into()];
        let bit = |name: &str, bit| Place::Bit(name.into(), bit, true);
        let block = |line| Place::Block(line, 3, "case".into(), vec![]);
        let has = |module: &str, place| exclude.has(module, &text, &place);
        assert!(has("t_a", bit("addr", 49)) && has("t_a", bit("addr", 63)));
        assert!(!has("t_a", bit("addr", 48)) && !has("t_a", bit("addrs", 49)) && !has("u", bit("addr", 49)));
        let idle = exclude.check().unwrap_err().to_string();
        assert!(idle.contains("exclude.toml:9") && !idle.contains("exclude.toml:3,"), "{idle}");
        assert!(has("u", block(1)) && !has("u", block(0)) && !has("u", block(7)));
        exclude.check().unwrap();
    }

    #[test]
    fn a_malformed_entry_is_refused_with_its_line() {
        for (entry, why) in [
            ("signals = \"x\"\nreason = \" \"", "needs a reason"),
            ("reason = \"x\"", "either `signals`"),
            ("lines = \"x\"\nbits = \"3\"\nreason = \"x\"", "either `signals`"),
            ("signals = \"x\"\nbits = \"3-4\"\nreason = \"x\"", "`3-4` are no bits"),
        ] {
            let text = format!("\n[[exclude]]\n{entry}\n");
            let told = format!("{:#}", Exclude::parse(&text).err().unwrap());
            assert!(told.contains("exclude.toml:2") && told.contains(why), "{told}");
        }
    }

    #[test]
    fn the_committed_file_is_understood() {
        Exclude::load().unwrap();
    }
}
