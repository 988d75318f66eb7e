// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a campaign shows: figures by part, failures by invariant.
use ferrowarp_tests::campaign::{Bug, Figures, Invariant, Line, Part, Session};
use serde_json::{json, Value};
use std::collections::BTreeMap;

/// Sums of the lines of a part, or of all.
#[derive(Clone, Copy, Default)]
struct Sum {
    runs: usize,
    failed: usize,
    seconds: f64,
    figures: Figures,
}

impl Sum {
    fn of<'a>(lines: impl Iterator<Item = &'a Line>) -> Self {
        let mut sum = Self::default();
        for line in lines {
            sum.runs += 1;
            sum.failed += usize::from(line.failure.is_some());
            sum.seconds += line.seconds;
            sum.figures += line.figures;
        }
        sum
    }

    fn json(&self) -> Value {
        let figures = self
            .figures
            .named()
            .into_iter()
            .map(|(name, n)| (name.to_lowercase().replace(' ', "_"), json!(n)));
        let mut all: BTreeMap<String, Value> = figures.collect();
        all.insert("runs".into(), json!(self.runs));
        all.insert("failed".into(), json!(self.failed));
        all.insert("seconds".into(), json!(self.seconds));
        json!(all)
    }
}

/// The lines of each part, and those of all.
fn sums(lines: &[Line]) -> Vec<(String, Sum)> {
    let mut names: Vec<_> = lines.iter().map(Line::part).collect();
    names.sort_unstable();
    names.dedup();
    let part = |name: &str| Sum::of(lines.iter().filter(|line| line.part() == name));
    let all = [("all".to_string(), Sum::of(lines.iter()))];
    names.iter().map(|name| (name.to_string(), part(name))).chain(all).collect()
}

/// Failures of each invariant.
fn broken(lines: &[Line]) -> Vec<(Invariant, &'static str, usize)> {
    let count =
        |which| lines.iter().filter(|l| l.failure.as_ref().is_some_and(|f| f.invariant == which)).count();
    Invariant::ALL.into_iter().map(|(which, what)| (which, what, count(which))).collect()
}

/// One object with all figures.
pub fn json(session: &Session, lines: &[Line]) -> Value {
    let parts: BTreeMap<_, _> = sums(lines).into_iter().map(|(name, sum)| (name, sum.json())).collect();
    let broken: BTreeMap<_, _> =
        broken(lines).into_iter().map(|(_, what, count)| (what.replace(' ', "_"), count)).collect();
    let failures: Vec<_> = lines.iter().filter_map(|line| line.failure.as_ref()).collect();
    json!({ "session": session, "parts": parts, "broken": broken, "failures": failures })
}

/// The figures that are not 0.
pub fn counted(figures: &Figures) -> String {
    let named = figures.named().into_iter().filter(|(_, n)| *n > 0);
    named.map(|(name, n)| format!("{n} {name}")).collect::<Vec<_>>().join(", ")
}

/// A line for a campaign that runs.
pub fn progress(lines: &[Line]) -> String {
    let Sum { runs, failed, figures, .. } = Sum::of(lines.iter());
    format!("{runs} runs, {failed} failed, {:.1} million cycles", figures.cycles as f64 / 1e6)
}

/// Prints the figures of each part as columns, then the failures of each invariant.
pub fn show(lines: &[Line]) {
    let sums = sums(lines);
    let names: String = sums.iter().map(|(name, _)| format!("{name:>15}")).collect();
    say!("\n{:<18}{names}", "figure");
    let row = |what: &str, of: &dyn Fn(&Sum) -> String| {
        say!("{what:<18}{}", sums.iter().map(|(_, sum)| format!("{:>15}", of(sum))).collect::<String>());
    };
    row("runs", &|sum| sum.runs.to_string());
    row("failed", &|sum| sum.failed.to_string());
    row("seconds", &|sum| format!("{:.0}", sum.seconds));
    for (n, (name, _)) in Figures::default().named().into_iter().enumerate() {
        row(name, &|sum| sum.figures.named()[n].1.to_string());
    }
    say!("");
    for (which, what, count) in broken(lines) {
        say!("{:<6}{what:<32}{count:>4}", format!("{which:?}"));
    }
    for failure in lines.iter().filter_map(|line| line.failure.as_ref()) {
        say!("\nfailed: cargo xtask campaign --run {}", failure.run);
    }
}

/// Prints the parts with their cells, and the bugs.
pub fn list(parts: &[&dyn Part], bugs: &[Bug]) {
    for part in parts {
        say!("{}: {} ({} cells)", part.name(), part.about(), part.cells());
        (0..part.cells()).for_each(|cell| say!("    {cell:>3}  {}", part.cell(cell)));
    }
    say!("bugs:");
    bugs.iter().for_each(|bug| say!("    {:<12} {:<10} {}", bug.name, bug.part, bug.about));
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_tests::campaign::Failure;

    fn line(run: &str, cycles: u64, invariant: Option<Invariant>) -> Line {
        let failure = invariant.map(|invariant| Failure { invariant, run: run.into(), why: "w".into() });
        let figures = Figures { cycles, ..Default::default() };
        Line { run: run.into(), nth: Some(0), seconds: 1.0, figures, failure }
    }

    #[test]
    fn parts_are_summed_and_failures_counted() {
        let lines =
            [line("F1:0:1", 5, None), line("F2:0:1", 7, None), line("F1:1:2", 0, Some(Invariant::I2))];
        let session = Session { seed: 3, shard: "1/1".into(), device: "d".into() };
        let told = json(&session, &lines);
        assert_eq!(told["parts"]["F1"]["cycles"], 5);
        assert_eq!(told["parts"]["all"]["cycles"], 12);
        assert_eq!(told["parts"]["all"]["failed"], 1);
        assert_eq!(told["broken"]["completions_missing_or_twice"], 1);
        assert_eq!(told["failures"][0]["run"], "F1:1:2");
        assert!(progress(&lines).starts_with("3 runs, 1 failed"));
    }
}
