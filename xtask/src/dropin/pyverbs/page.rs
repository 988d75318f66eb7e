// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page about rdma-core's cases.
use super::outcome::{known, Outcome, What};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Where the page is.
pub const FILE: &str = "docs/pyverbs.md";

const HEAD: &str = "\
# pyverbs

`cargo xtask dropin --pyverbs` wrote this page. The command runs the cases of rdma-core's `tests`
with Debian's pyverbs, on the library and two simulated devices. Cases of the providers mlx5 and efa
are left out.

An iWARP device differs from the devices for which the cases were written. The script
`xtask/src/dropin/pyverbs/run.py` has what the cases get instead:

- The address of a device is the one of FERROWARP_DEVICES. The host has no interface with that
  address. The process that connects has the second device.
- A queue pair is connected by librdmacm, with a queue pair of the other device. The cases connect
  queue pairs by numbers and GIDs, as InfiniBand does.
- Behind the completion of a Write a case waits 0.3 s before the case reads the peer's memory. An
  iWARP Write completes at the sender before the peer places the octets.
- pyverbs' modules over libmlx5 and libefa are empty.

";

fn names(of: &[&Outcome]) -> String {
    let short = |one: &&Outcome| format!("`{}`", one.case.trim_start_matches("tests."));
    of.iter().map(short).collect::<Vec<_>>().join(", ")
}

/// A table of reasons and the cases of each.
fn reasons(head: &str, of: &[&Outcome], why: impl Fn(&Outcome) -> String) -> String {
    let mut rows: BTreeMap<String, Vec<&Outcome>> = BTreeMap::new();
    of.iter().for_each(|one| rows.entry(why(one)).or_default().push(one));
    let row = |(why, these): (&String, &Vec<&Outcome>)| format!("| {why} | {} |\n", names(these));
    format!("## {head}\n\n| why | cases |\n|---|---|\n{}\n", rows.iter().map(row).collect::<String>())
}

/// The page.
pub fn text(done: &[Outcome]) -> String {
    let all = |what| done.iter().filter(|one| one.what == what).collect::<Vec<_>>();
    let (passed, failed, skipped) = (all(What::Passed), all(What::Failed), all(What::Skipped));
    let mut text = HEAD.to_string();
    let counts = [("passed", &passed), ("failed", &failed), ("skipped", &skipped)];
    text.push_str("| outcome | cases |\n|---|---|\n");
    counts.iter().for_each(|(what, these)| {
        // writing to a text does not fail
        let _ = writeln!(text, "| {what} | {} |", these.len());
    });
    let mut modules: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for one in &passed {
        modules.entry(one.case.split('.').nth(1).unwrap_or_default()).or_default().push(one);
    }
    text.push_str("\n## Passed\n\n| module | cases |\n|---|---|\n");
    for (module, these) in &modules {
        let _ = writeln!(text, "| {module} | {} |", names(these));
    }
    text.push('\n');
    text.push_str(&reasons("Failed", &failed, |one| known(&one.case).unwrap_or(&one.why).into()));
    text.push_str(&reasons("Skipped", &skipped, |one| one.why.clone()));
    text.trim_end().to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_each_case_with_its_reason() {
        let one = |what, case: &str, why: &str| Outcome { what, case: case.into(), why: why.into() };
        let text = text(&[
            one(What::Failed, "tests.a.B.c", "Errno: 22"),
            one(What::Passed, "tests.a.B.d", ""),
            one(What::Skipped, "tests.b.B.e", "no memory"),
        ]);
        for due in ["| passed | 1 |", "| a | `a.B.d` |", "| Errno: 22 | `a.B.c` |", "| no memory | `b.B.e` |"]
        {
            assert!(text.contains(due), "{due}:\n{text}");
        }
    }
}
