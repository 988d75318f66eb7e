// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which rows Linux siw passes: those whose steps hold there in some script. `interop --only
//! scripts` judges that; what differs is committed.
use crate::interop::differs::{written, List};
use anyhow::Result;
use ferrowarp_tests::script::{files, Script, Step};
use std::collections::{BTreeMap, BTreeSet};

/// By row, the scripts that siw passes as far as they name the row.
#[derive(Default)]
pub struct Siw(BTreeMap<String, BTreeSet<String>>);

impl Siw {
    /// Of the scripts and the list in the tree.
    pub fn committed() -> Result<Self> {
        let (list, mut siw) = (List::committed()?, Self::default());
        for (name, text) in files() {
            let script = Script::parse(&name, &text)?;
            if script.is_for_siw() {
                let (over, end) = list.steps(&script.name);
                siw.add(&script, &text, &over, end);
            }
        }
        Ok(siw)
    }

    /// A script; in the steps `over` siw has a habit, behind `end` nothing is known.
    fn add(&mut self, script: &Script, text: &str, over: &[&str], end: Option<&str>) {
        let lines: Vec<_> = text.lines().map(written).collect();
        // of equal lines the first one that is not in front of the step before
        let find = |from: usize, step: &str| (from..lines.len()).find(|&at| lines[at] == step);
        let last = over.iter().try_fold(0, |from, step| find(from, step));
        // a step that is not found leaves nothing for sure
        let end = match (last, end) {
            (None, _) => 0,
            (Some(_), None) => lines.len(),
            (Some(from), Some(step)) => find(from, step).unwrap_or(0),
        };
        let is_late = |step: &&Step| step.line > end || over.contains(&lines[step.line - 1].as_str());
        let late: BTreeSet<_> = script.steps.iter().filter(is_late).flat_map(|step| &step.rows).collect();
        for row in script.proves.iter().filter(|row| !late.contains(row)) {
            self.0.entry(row.clone()).or_default().insert(script.name.clone());
        }
    }

    /// Scripts by which siw passes a row.
    pub fn passes(&self, row: &str) -> impl Iterator<Item = &String> {
        self.0.get(row).into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn siw_passes_the_rows_in_front_of_the_step_that_differs() {
        let text =
            "# x\nproves MPA-8-01 MPA-8-02\ndevices sim siw\nwire fin [MPA-8-01]\nwire rst [MPA-8-02]\n";
        let script = Script::parse("mpa/x", text).unwrap();
        let passes = |over: &[&str], end| {
            let mut siw = Siw::default();
            siw.add(&script, text, over, end);
            ["MPA-8-01", "MPA-8-02"].map(|row| siw.passes(row).count())
        };
        assert_eq!(passes(&[], None), [1, 1]);
        assert_eq!(passes(&[], Some("wire rst")), [1, 0]);
        assert_eq!(passes(&["wire fin"], None), [0, 1]);
        assert_eq!(passes(&[], Some("wire fin")), [0, 0]);
        assert_eq!(passes(&[], Some("wire closed")), [0, 0]);
        assert_eq!(passes(&["wire rst"], Some("wire fin")), [0, 0], "not in this order");
    }
}
