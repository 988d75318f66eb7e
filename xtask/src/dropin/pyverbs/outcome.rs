// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outcomes of cases, as `run.py` tells them, and which failures are known.
use anyhow::{bail, Result};

/// Cases that fail, and why.
const KNOWN: &str = include_str!("known.tsv");

/// How a case has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    Failed,
    Passed,
    Skipped,
}

/// A case that has ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    pub what: What,
    /// `tests.module.Class.method`.
    pub case: String,
    /// Why the case was skipped, or has failed.
    pub why: String,
}

/// The outcomes in what a run has said. Other lines are the cases' own.
pub fn outcomes(said: &str) -> Vec<Outcome> {
    let one = |line: &str| {
        let mut parts = line.splitn(3, '\t');
        let (case, what, why) = (parts.next()?, parts.next()?, parts.next()?);
        let what = match what {
            "passed" => What::Passed,
            "skipped" => What::Skipped,
            "failed" => What::Failed,
            _ => return None,
        };
        Some(Outcome { what, case: case.into(), why: why.into() })
    };
    said.lines().filter_map(one).collect()
}

/// Why a case is known to fail.
pub fn known(case: &str) -> Option<&'static str> {
    let lines = KNOWN.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).find(|(name, _)| *name == case).map(|(_, why)| why)
}

/// Holds outcomes against the known failures.
pub fn judge(done: &[Outcome]) -> Result<()> {
    for Outcome { what, case, why } in done {
        match (what, known(case)) {
            (What::Failed, None) => bail!("{case} fails: {why}"),
            (What::Passed | What::Skipped, Some(_)) => {
                bail!("{case} does not fail any more: take its line out of known.tsv")
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_without_a_known_reason_and_a_known_one_that_passes_are_errors() {
        let shared = "tests.test_shared_pd.SharedPDTestCase.test_imported_rc_ex_rdma_write";
        let said = format!(
            "noise\na\tpassed\t\nb\tskipped\tno such device\n{shared}\tfailed\tBad file descriptor\n"
        );
        let mut done = outcomes(&said);
        assert_eq!(
            done.iter().map(|one| one.what).collect::<Vec<_>>(),
            [What::Passed, What::Skipped, What::Failed]
        );
        assert!(judge(&done).is_ok());
        done[2].what = What::Passed;
        assert!(judge(&done).unwrap_err().to_string().contains("does not fail any more"));
        let strange = outcomes("c\tfailed\tErrno: 22");
        assert!(judge(&strange).unwrap_err().to_string().contains("c fails: Errno: 22"));
    }
}
