// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a case did more than once, and whether it may: what passes at the second try only is told,
//! and fails unless `.ci/allowed-repeats` names the case and the cause with a reason.
use super::cause::{Cause, Repeat};
use super::lab::Outcome;
use super::ping::MOST_MS;
use crate::reasons::Reasons;
use anyhow::{bail, Result};

/// The file, in `.ci`.
const FILE: &str = "allowed-repeats";

/// Fails if a case did something again that it may not.
pub fn judge(outcomes: &[Outcome]) -> Result<()> {
    let faults = faults(outcomes, &Reasons::load(FILE)?);
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

/// A line for each case and cause that has no excuse.
fn faults(outcomes: &[Outcome], allowed: &Reasons) -> Vec<String> {
    let mut lines = vec![];
    for outcome in outcomes.iter().filter(|outcome| outcome.passed) {
        let is_excused = |repeat: &&Repeat| match repeat.cause {
            Cause::SlowEcho if outcome.stalled_ms >= MOST_MS => true,
            cause => allowed.has(&format!("{} {}", outcome.case, cause.name())),
        };
        let without = outcome.repeats.iter().filter(|repeat| !is_excused(repeat));
        lines.extend(without.map(|Repeat { cause, what }| {
            format!(
                "case {} passed when it was repeated: {what}. The machine stood still for {:.0} ms at most meanwhile. Run it again \
                 on a machine that nobody else uses; if it is the case's own, mend it or name `{} {}` in .ci/{FILE} with a reason",
                outcome.case, outcome.stalled_ms, outcome.case, cause.name()
            )
        }));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchfile::Figures;
    use crate::interop::case;

    fn outcome(cause: Cause, stalled_ms: f64) -> Outcome {
        Outcome {
            case: "server",
            siw: "stock",
            passed: true,
            error: None,
            seconds: 1.0,
            stalled_ms,
            repeats: vec![Repeat { cause, what: "x".into() }],
            put_off: 0,
            figures: Figures::new(),
            capture: String::new(),
        }
    }

    #[test]
    fn what_passed_when_repeated_needs_an_excuse() {
        let allowed = Reasons::parse(FILE, "server unread-send  Linux\nclient-100 slow-echo  x\n").unwrap();
        let told = |cause, stalled_ms| faults(&[outcome(cause, stalled_ms)], &allowed).join("");
        assert_eq!(told(Cause::UnreadSend, 0.0), "");
        assert_eq!(told(Cause::SlowEcho, MOST_MS), "", "the machine stood still as long");
        let quick = told(Cause::SlowEcho, 3.0);
        assert!(quick.starts_with("case server passed when it was repeated: x. ") && quick.contains(" 3 ms"));
        assert!(quick.contains("`server slow-echo` in .ci/allowed-repeats"), "{quick}");
        let strict = Reasons::parse(FILE, "").unwrap();
        assert_eq!(
            faults(&[outcome(Cause::UnreadSend, 500.0)], &strict).len(),
            1,
            "a stall is no excuse for siw"
        );
        let failed = Outcome { passed: false, ..outcome(Cause::SlowEcho, 0.0) };
        assert!(faults(&[failed], &strict).is_empty(), "it fails by itself");
    }

    #[test]
    fn the_committed_file_names_cases_and_causes() {
        for (name, reason) in Reasons::load(FILE).unwrap().iter() {
            let known =
                case::all().flat_map(|case| Cause::ALL.map(|c| format!("{} {}", case.name, c.name())));
            assert!(known.into_iter().any(|known| known == name) && reason.len() > 20, "{name}");
        }
    }
}
