// SPDX-License-Identifier: MIT OR Apache-2.0
//! The list of runs that failed once: they come first in each campaign.
use crate::repo;
use anyhow::{Context, Result};
use ferrowarp_tests::campaign::Run;

/// The list, from the root.
const LIST: &str = "tests/data/campaign-seeds.txt";

/// Reads the list.
pub fn load() -> Result<Vec<Run>> {
    let path = repo::root().join(LIST);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    read(&text)
}

/// A run a line, with what it was behind `#`.
fn read(text: &str) -> Result<Vec<Run>> {
    let mut runs = vec![];
    for (n, line) in (1..).zip(text.lines()) {
        let run = line.split('#').next().unwrap_or_default().trim();
        if !run.is_empty() {
            runs.push(run.parse().with_context(|| format!("{LIST} line {n}"))?);
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        let runs = load().unwrap();
        let part = |run: &Run| ferrowarp_tests::campaign::part(&run.part);
        assert!(runs.iter().all(|run| part(run).is_some_and(|part| run.cell < part.cells())), "{runs:?}");
    }

    #[test]
    fn comments_are_passed_over_and_a_bad_line_is_named() {
        let runs = read("# a list\n\nF1:2:3  # what it was\n").unwrap();
        assert_eq!(runs.iter().map(Run::to_string).collect::<Vec<_>>(), ["F1:2:3"]);
        let told = format!("{:#}", read("F1:2:3\nF1\n").unwrap_err());
        assert!(told.contains("line 2") && told.contains("no run"), "{told}");
    }
}
