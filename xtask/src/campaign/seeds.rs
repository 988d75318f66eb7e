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
    Run::listed(&text).with_context(|| format!("cannot read {LIST}"))
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
}
