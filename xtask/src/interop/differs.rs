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

/// What stands before steps that hold but for a habit of siw.
const PASSED_OVER: &str = "passed over ";
/// Between these steps and the one that does not hold.
const THEN: &str = "; then ";

/// Steps that do not hold on siw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Name of the script.
    pub script: String,
    /// The steps as they are written, without their rows: those that were passed over, then the one
    /// that ended the script.
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
        write!(f, "{script}, at {step}: {seen}")
    }
}

impl Difference {
    /// Of a script's text: steps that were passed over, and the one that ended the script. `None`
    /// if nothing differs.
    pub fn new(
        script: &Script,
        text: &str,
        noted: &[ScriptError],
        end: Option<&ScriptError>,
    ) -> Option<Self> {
        let first = end.or(noted.first())?;
        let step_of = |why: &ScriptError| {
            let line = text.lines().nth(why.line.saturating_sub(1)).unwrap_or_default();
            format!("`{}`", written(line))
        };
        let mut over: Vec<_> = noted.iter().map(step_of).collect();
        over.dedup();
        let over = (!over.is_empty()).then(|| format!("{PASSED_OVER}{}", over.join(", ")));
        let step: Vec<_> = over.into_iter().chain(end.map(step_of)).collect();
        let seen: Vec<_> = noted.first().into_iter().chain(end).map(|why| cell(&why.why)).collect();
        let at = script.steps.iter().find(|step| step.line == first.line && !step.rows.is_empty());
        let mut rows: Vec<_> = at.map_or(vec![], |step| step.rows.clone());
        if rows.is_empty() {
            rows.extend(script.proves.iter().next().cloned());
        }
        let sentence = |id: &String| {
            let said = matrix::row(id).map_or("", |row| row.requirement);
            format!("{id}: {said}")
        };
        let rows: Vec<_> = rows.iter().map(sentence).collect();
        Some(Self {
            script: script.name.clone(),
            step: step.join(THEN),
            seen: seen.join("; "),
            rows: cell(&rows.join("; ")),
            why: NO_REASON.into(),
        })
    }

    /// Steps that were passed over, and the one that ended the script.
    fn steps(&self) -> (Vec<&str>, Option<&str>) {
        let (over, end) = match self.step.strip_prefix(PASSED_OVER) {
            Some(rest) => rest.split_once(THEN).map_or((rest, None), |(over, end)| (over, Some(end))),
            None => ("", Some(self.step.as_str())),
        };
        // between two steps stands a comma and a space
        let over = over.split('`').filter(|part| !part.is_empty() && *part != ", ").collect();
        (over, end.map(|end| end.trim_matches('`')))
    }
}

/// A line of a script as a step of the list: without its rows.
pub fn written(line: &str) -> String {
    cell(line.rsplit_once('[').map_or(line, |(step, _)| step))
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
            let difference = Difference {
                script: script.trim_matches('`').into(),
                step: step.into(),
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

    /// Steps of a script that siw's habits were passed over in, and the one that does not hold.
    pub fn steps(&self, script: &str) -> (Vec<&str>, Option<&str>) {
        self.0.get(script).map_or((vec![], None), Difference::steps)
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
            format!("| `{script}` | {step} | {seen} | {rows} | {why} |\n")
        });
        format!("{HEAD}{}", rows.collect::<String>())
    }
}

/// What stands above the table.
const HEAD: &str = "# Where Linux siw differs

`cargo xtask interop --only scripts` runs each script of `tests/conformance/scripts` that names
`siw` on Linux siw. A script that does not hold there stands below. Two habits of siw are passed
over: the bit order of a Terminate, and the octets of a pad. Any other step that does not hold ends
the script. A difference that is not listed fails. The run writes the table to
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
        Difference::new(&script, &text, &[], Some(&why)).unwrap()
    }

    #[test]
    fn a_list_is_read_as_it_was_written_and_keeps_reasons() {
        let found = difference("wire fin");
        assert_eq!((found.step.as_str(), found.seen.as_str()), ("`wire fin`", "a b c"));
        let list = List::default().with(std::slice::from_ref(&found));
        let told = List::parse(&list.text()).unwrap_err().to_string();
        assert!(told.contains("mpa/x` has no reason"), "{told}");
        let text = list.text().replace("| ? |", "| siw is so |");
        let list = List::parse(&text).unwrap();
        assert!(list.has(&found) && !list.has(&difference("wire rst")));
        assert_eq!(list.with(&[found]).text(), text);
    }

    #[test]
    fn steps_that_were_passed_over_stand_before_the_one_that_ended_the_script() {
        let text = "# A title\nproves MPA-8-01\nwire fin [MPA-8-01]\nwire rst\nwire closed";
        let script = Script::parse("mpa/x", text).unwrap();
        let at = |line| ScriptError { script: "mpa/x.iw".into(), line, why: "why".into() };
        let steps = |noted: &[usize], end: Option<usize>| {
            let (noted, end): (Vec<_>, _) = (noted.iter().map(|line| at(*line)).collect(), end.map(at));
            let found = Difference::new(&script, text, &noted, end.as_ref()).unwrap();
            let (over, end) = found.steps();
            (over.join("+"), end.map(str::to_string))
        };
        assert_eq!(steps(&[3, 3, 4], None), ("wire fin+wire rst".into(), None));
        assert_eq!(steps(&[3], Some(5)), ("wire fin".into(), Some("wire closed".into())));
        assert_eq!(steps(&[], Some(5)), (String::new(), Some("wire closed".into())));
        assert_eq!(Difference::new(&script, text, &[], None), None);
    }

    #[test]
    fn what_is_listed_and_passes_is_told() {
        let list = List::default().with(&[difference("wire fin")]);
        let script = Script::parse("mpa/x", "# x\ndevices siw").unwrap();
        assert_eq!(list.gone(&[(script, String::new())], &[]), ["mpa/x"]);
        assert_eq!(list.gone(&[], &[]), [""; 0]);
    }
}
