// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tests/mutants`: what was tried and killed of each stage, and the survivors with reasons.
use super::log::Line;
use super::stages;
use crate::floors::Figures;
use crate::repo;
use anyhow::{bail, ensure, Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// Reason of a survivor that nobody has explained.
pub const OPEN: &str = "open";

const STAGES: &str = "stage\thash\tdrawn\ttried\tkilled";
const SURVIVORS: &str = "stage\tmodule\tnth\tbefore\tafter\treason";

/// The figures of a stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Of the emitted text of the top.
    pub hash: String,
    /// Mutants that the model has.
    pub drawn: usize,
    /// Those that were tried.
    pub tried: usize,
    /// Those that a test noticed.
    pub killed: usize,
}

/// A survivor: stage, module, how many equal lines of the module there are up to this one, the
/// line, and the changed line.
pub type Survivor = (String, String, usize, String, String);

/// The committed tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// By stage.
    pub rows: BTreeMap<String, Row>,
    /// Survivors and why they are none of a missing test, or [`OPEN`].
    pub survivors: BTreeMap<Survivor, String>,
}

fn path(name: &str) -> PathBuf {
    repo::root().join("tests/mutants").join(name)
}

/// The survivor that a line tells of.
pub fn survivor(line: &Line) -> Survivor {
    (line.stage.clone(), line.module.clone(), line.nth, line.before.clone(), line.after.clone())
}

impl Record {
    /// The committed files.
    pub fn load() -> Result<Self> {
        let read = |name| {
            let text = std::fs::read_to_string(path(name));
            text.with_context(|| format!("cannot read tests/mutants/{name}"))
        };
        Self::parse(&read("stages.tsv")?, &read("survivors.tsv")?)
    }

    /// Reads both tables.
    pub fn parse(stages: &str, survivors: &str) -> Result<Self> {
        let mut record = Self::default();
        for cells in table(stages, STAGES)? {
            let [stage, hash, drawn, tried, killed] = cells[..] else { unreachable!("columns were counted") };
            let [drawn, tried, killed] = [number(drawn)?, number(tried)?, number(killed)?];
            stages::known(stage)?;
            record.rows.insert(stage.into(), Row { hash: hash.into(), drawn, tried, killed });
        }
        for cells in table(survivors, SURVIVORS)? {
            let [stage, module, nth, before, after, reason] = cells[..] else {
                unreachable!("columns were counted")
            };
            ensure!(
                !reason.trim().is_empty(),
                "`{before}` of {module} has no reason; write one, or `{OPEN}`"
            );
            let key = (stage.into(), module.into(), number(nth)?, before.into(), after.into());
            ensure!(
                record.survivors.insert(key, reason.into()).is_none(),
                "`{after}` of {module} stands twice"
            );
        }
        record.check()?;
        Ok(record)
    }

    /// Each survivor belongs to a stage, and each stage has as many as it says.
    fn check(&self) -> Result<()> {
        for stage in stages::all() {
            let of = self.survivors.keys().filter(|(s, ..)| s == stage.name).count();
            let told = self.rows.get(stage.name).map_or(0, |row| row.tried.saturating_sub(row.killed));
            ensure!(
                of == told,
                "{}: {of} survivors are listed and {told} mutants survived; an explanation belongs to a \
                 survivor: `cargo xtask mutants --record` writes both tables",
                stage.name
            );
        }
        let stray = self.survivors.keys().find(|(stage, ..)| stages::known(stage).is_err());
        ensure!(stray.is_none(), "survivors.tsv has no such stage: {stray:?}");
        Ok(())
    }

    /// Takes in what was tried of a stage. Reasons stay with their survivors.
    ///
    /// # Errors
    /// If a reason stands at a mutant that does not survive, or if less was tried than the table
    /// has of the same text.
    pub fn take(&mut self, stage: &str, hash: &str, drawn: usize, lines: &[Line]) -> Result<()> {
        let lines: Vec<_> = lines.iter().filter(|line| line.stage == stage).collect();
        let killed = lines.iter().filter(|line| line.by.is_some()).count();
        if let Some(row) = self.rows.get(stage).filter(|row| row.hash == hash) {
            ensure!(
                row.tried <= lines.len(),
                "{stage}: {} mutants were tried, the table has {} of the same text; go on with \
                 `cargo xtask mutants --stage {stage} --resume --record`",
                lines.len(),
                row.tried
            );
        }
        let mut fresh: BTreeMap<_, _> =
            lines.iter().filter(|l| l.by.is_none()).map(|l| (survivor(l), OPEN.to_string())).collect();
        let mut stray = vec![];
        for (key, reason) in self.survivors.iter().filter(|((s, ..), reason)| s == stage && *reason != OPEN) {
            match fresh.get_mut(key) {
                Some(open) => open.clone_from(reason),
                None => stray.push(format!("{} line {} `{}` -> `{}`: {reason}", key.1, key.2, key.3, key.4)),
            }
        }
        if !stray.is_empty() {
            bail!(
                "explanations of {stage} that match no survivor; remove them from tests/mutants/survivors.tsv:\n{}",
                stray.join("\n")
            );
        }
        self.survivors.retain(|(s, ..), _| s != stage);
        self.survivors.append(&mut fresh);
        self.rows.insert(stage.into(), Row { hash: hash.into(), drawn, tried: lines.len(), killed });
        Ok(())
    }

    /// Writes both tables.
    pub fn save(&self) -> Result<()> {
        let (stages, survivors) = self.text();
        repo::write(&path("stages.tsv"), &stages)?;
        repo::write(&path("survivors.tsv"), &survivors)
    }

    fn text(&self) -> (String, String) {
        let (mut of_stages, mut survivors) = (format!("{STAGES}\n"), format!("{SURVIVORS}\n"));
        for stage in stages::all() {
            let Some(Row { hash, drawn, tried, killed }) = self.rows.get(stage.name) else { continue };
            // writing to a string does not fail
            let _ = writeln!(of_stages, "{}\t{hash}\t{drawn}\t{tried}\t{killed}", stage.name);
        }
        for ((stage, module, nth, before, after), reason) in &self.survivors {
            let _ = writeln!(survivors, "{stage}\t{module}\t{nth}\t{before}\t{after}\t{reason}");
        }
        (of_stages, survivors)
    }

    /// What has floors: mutants tried, and of 1,000 of them those that a test noticed.
    pub fn figures(&self) -> Figures {
        let sum = |of: fn(&Row) -> usize| self.rows.values().map(of).sum::<usize>() as u64;
        let (tried, killed) = (sum(|row| row.tried), sum(|row| row.killed));
        let score = (killed * 1000).checked_div(tried).unwrap_or(0);
        [("tried".to_string(), tried), ("killed_of_1000".to_string(), score)].into()
    }

    /// Survivors with a reason.
    pub fn explained(&self) -> usize {
        self.survivors.values().filter(|reason| *reason != OPEN).count()
    }
}

/// Cells of each row below a head.
fn table<'a>(text: &'a str, head: &str) -> Result<Vec<Vec<&'a str>>> {
    let mut lines = text.lines();
    ensure!(lines.next() == Some(head), "the first line is not `{}`", head.replace('\t', " | "));
    let columns = head.split('\t').count();
    let row = |line: &'a str| {
        let cells: Vec<_> = line.split('\t').collect();
        ensure!(cells.len() == columns, "{} cells instead of {columns}: `{line}`", cells.len());
        Ok(cells)
    };
    lines.map(row).collect()
}

fn number(text: &str) -> Result<usize> {
    text.parse().with_context(|| format!("`{text}` is no number"))
}

#[cfg(test)]
mod tests {
    use super::super::log::tests::line;
    use super::*;

    fn of(lines: &[Line]) -> Record {
        let mut record = Record::default();
        record.take("cq", "h", 7, lines).unwrap();
        record
    }

    #[test]
    fn a_record_is_read_as_it_is_written_and_counts() {
        let record = of(&[line("cq", 1, Some("t")), line("cq", 2, None), line("rq", 1, None)]);
        assert_eq!(record.rows["cq"], Row { hash: "h".into(), drawn: 7, tried: 2, killed: 1 });
        let (stages, survivors) = record.text();
        assert_eq!(Record::parse(&stages, &survivors).unwrap(), record);
        assert_eq!(record.figures(), [("killed_of_1000".into(), 500), ("tried".into(), 2)].into());
        assert_eq!(record.explained(), 0);
    }

    #[test]
    fn a_reason_stays_with_its_survivor_and_is_refused_without_one() {
        let mut record = of(&[line("cq", 1, None)]);
        *record.survivors.get_mut(&survivor(&line("cq", 1, None))).unwrap() = "equal".into();
        record.take("cq", "g", 7, &[line("cq", 1, None), line("cq", 2, None)]).unwrap();
        assert_eq!((record.explained(), record.survivors.len()), (1, 2));
        let lines = [line("cq", 1, Some("t")), line("cq", 2, None)];
        let told = record.take("cq", "g", 7, &lines).unwrap_err().to_string();
        assert!(told.contains("match no survivor") && told.contains("m line 1"), "{told}");
    }

    #[test]
    fn fewer_mutants_of_the_same_text_are_refused() {
        let mut record = of(&[line("cq", 1, Some("t")), line("cq", 2, Some("t"))]);
        let told = record.take("cq", "h", 7, &[line("cq", 1, Some("t"))]).unwrap_err().to_string();
        assert!(told.contains("--resume"), "{told}");
        record.take("cq", "g", 7, &[line("cq", 1, Some("t"))]).unwrap();
    }

    #[test]
    fn a_table_that_does_not_add_up_is_refused() {
        let (stages, survivors) = of(&[line("cq", 1, None)]).text();
        assert!(Record::parse(&stages, &format!("{SURVIVORS}\n")).is_err());
        assert!(Record::parse(&stages.replace("\tcq", "\tzz").replace("cq\t", "zz\t"), &survivors).is_err());
        assert!(Record::parse(&stages, &survivors.replace("\topen", "\t ")).is_err());
        assert!(Record::parse("x\n", &survivors).is_err());
    }

    #[test]
    fn the_committed_tables_are_understood_and_keep_the_floors() {
        let record = Record::load().unwrap();
        let floors = crate::floors::Floors::load().unwrap();
        crate::floors::judge::mutants(&floors.mutants, &record.figures()).unwrap();
    }
}
