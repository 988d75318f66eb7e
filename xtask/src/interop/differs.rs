// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where siw differs from what scripts say: the committed list, and what a run adds to it. A run
//! writes the table; a person writes the reasons.
use crate::repo;
use anyhow::{bail, Context, Result};
use ferrowarp_tests::proves::matrix;
use ferrowarp_tests::script::{Script, ScriptError};
use std::collections::BTreeMap;
use std::fmt;

/// Characters of a cell.
const CELL: usize = 160;
/// What stands where a person has written no reason yet.
const NO_REASON: &str = "?";

/// How a reason begins, if the kernel of the guest does not outlive the script.
const ENDS: &str = "The kernel fails";

/// A step that does not hold on siw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Name of the script.
    pub script: String,
    /// The step as it is written, without its rows.
    pub step: String,
    /// What siw does.
    pub seen: String,
    /// What the RFC says: the rows of the step, else those of the script.
    pub rows: String,
    /// Why, by a person.
    pub why: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { script, step, seen, .. } = self;
        write!(f, "{script}, at `{step}`: {seen}")
    }
}

impl Difference {
    /// Of a script's text.
    pub fn new(script: &Script, text: &str, why: &ScriptError) -> Self {
        let line = text.lines().nth(why.line.saturating_sub(1)).unwrap_or_default().trim();
        let step = line.rsplit_once('[').map_or(line, |(step, _)| step).trim();
        let at = script.steps.iter().find(|step| step.line == why.line && !step.rows.is_empty());
        let mut rows: Vec<_> = at.map_or(vec![], |step| step.rows.clone());
        if rows.is_empty() {
            rows.extend(script.proves.iter().next().cloned());
        }
        let sentence = |id: &String| {
            let said = matrix::row(id).map_or("", |row| row.requirement);
            format!("{id}: {said}")
        };
        let rows: Vec<_> = rows.iter().map(sentence).collect();
        Self {
            script: script.name.clone(),
            step: cell(step),
            seen: cell(&why.why),
            rows: cell(&rows.join("; ")),
            why: NO_REASON.into(),
        }
    }
}

/// Text that fits in a cell.
fn cell(text: &str) -> String {
    let text: String = text.replace(['\n', '|'], " ");
    let words: Vec<_> = text.split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// The list, by script.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct List(BTreeMap<String, Difference>);

impl List {
    /// Where it is, below the repository.
    pub const PATH: &'static str = "docs/siw-differs.md";

    /// The committed one.
    pub fn committed() -> Result<Self> {
        let path = repo::root().join(Self::PATH);
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", Self::PATH))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let mut list = Self::default();
        for (nth, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with("| `")) {
            let cells: Vec<_> = line.trim_matches('|').split(" | ").map(|cell| cell.trim()).collect();
            let [script, step, seen, rows, why] = cells[..] else {
                bail!("{}:{}: a row has five cells, not {}", Self::PATH, nth + 1, cells.len());
            };
            if why.is_empty() || why == NO_REASON {
                bail!("{}:{}: {script} has no reason", Self::PATH, nth + 1);
            }
            let bare = |text: &str| text.trim_matches('`').to_string();
            let difference = Difference {
                script: bare(script),
                step: bare(step),
                seen: seen.into(),
                rows: rows.into(),
                why: why.into(),
            };
            list.0.insert(difference.script.clone(), difference);
        }
        Ok(list)
    }

    /// Whether a difference is listed.
    pub fn has(&self, difference: &Difference) -> bool {
        self.0.get(&difference.script).is_some_and(|listed| listed.step == difference.step)
    }

    /// The first step of a script that does not hold.
    pub fn step(&self, script: &str) -> Option<&str> {
        self.0.get(script).map(|listed| listed.step.as_str())
    }

    /// Whether a script is known to end the guest's kernel: nothing can run behind it.
    pub fn ends_kernel(&self, script: &str) -> bool {
        self.0.get(script).is_some_and(|listed| listed.why.starts_with(ENDS))
    }

    /// Names of scripts that are listed and pass.
    pub fn gone(&self, tried: &[(Script, String)], differences: &[Difference]) -> Vec<&str> {
        let ran = |name: &str| tried.iter().any(|(script, _)| script.name == name);
        let differs = |name: &str| differences.iter().any(|difference| difference.script == name);
        self.0.keys().map(String::as_str).filter(|name| ran(name) && !differs(name)).collect()
    }

    /// The list of a run: reasons of what has not changed stay.
    pub fn with(&self, differences: &[Difference]) -> Self {
        let kept = |difference: &Difference| match self.has(difference) {
            true => self.0[&difference.script].clone(),
            false => difference.clone(),
        };
        Self(differences.iter().map(|one| (one.script.clone(), kept(one))).collect())
    }

    /// As a page.
    pub fn text(&self) -> String {
        let rows = self.0.values().map(|difference| {
            let Difference { script, step, seen, rows, why } = difference;
            format!("| `{script}` | `{step}` | {seen} | {rows} | {why} |\n")
        });
        format!("{HEAD}{}", rows.collect::<String>())
    }
}

/// What stands above the table.
const HEAD: &str = "# Where Linux siw differs

`cargo xtask interop --only scripts` runs each script of `tests/conformance/scripts` that names
`siw` on Linux siw. A script that does not hold there stands below, with its first step that does
not hold. A difference that is not listed fails. The run writes the table to
`target/interop/siw-differs.md`; a person adds the reason.

| script | step | what siw does | what is required | why |
|---|---|---|---|---|
";

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(step: &str) -> Difference {
        let text =
            format!("# A title\\nproves MPA-8-01\\ndevices siw\\n{step} [MPA-8-01]\\n").replace("\\n", "\n");
        let script = Script::parse("mpa/x", &text).unwrap();
        let why = ScriptError { script: "mpa/x.iw".into(), line: 4, why: "a | b\nc".into() };
        Difference::new(&script, &text, &why)
    }

    #[test]
    fn a_list_is_read_as_it_was_written_and_keeps_reasons() {
        let found = difference("wire fin");
        assert_eq!((found.step.as_str(), found.seen.as_str()), ("wire fin", "a b c"));
        let list = List::default().with(std::slice::from_ref(&found));
        let told = List::parse(&list.text()).unwrap_err().to_string();
        assert!(told.contains("mpa/x` has no reason"), "{told}");
        let text = list.text().replace("| ? |", "| siw is so |");
        let list = List::parse(&text).unwrap();
        assert!(list.has(&found) && !list.has(&difference("wire rst")));
        assert_eq!(list.with(&[found]).text(), text);
    }

    #[test]
    fn what_is_listed_and_passes_is_told() {
        let list = List::default().with(&[difference("wire fin")]);
        let script = Script::parse("mpa/x", "# x\ndevices siw").unwrap();
        assert_eq!(list.gone(&[(script, String::new())], &[]), ["mpa/x"]);
        assert_eq!(list.gone(&[], &[]), [""; 0]);
    }
}
