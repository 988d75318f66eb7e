// SPDX-License-Identifier: MIT OR Apache-2.0
//! The calls of a project's script against the list that is kept beside the script.
use super::tcl::Call;
use crate::repo;
use anyhow::{bail, Context, Result};
use std::path::Path;

/// The list as a file has it.
pub fn list(calls: &[Call]) -> String {
    calls.iter().map(|call| call.shown() + "\n").collect()
}

/// Fails at the first line in which `calls` differ from the list in `golden`; the calls stand in
/// `made`.
pub fn compare(calls: &[Call], golden: &Path, made: &Path) -> Result<()> {
    let list = list(calls);
    repo::write(made, &list)?;
    let kept =
        std::fs::read_to_string(golden).with_context(|| format!("cannot read {}", repo::shown(golden)))?;
    let (made, golden) = (repo::shown(made), repo::shown(golden));
    if let Some((line, now, was)) = difference(&list, &kept) {
        bail!(
            "the script calls otherwise than {golden} says, from line {line} on:\n  \
             the script: {now}\n  the list:   {was}\nIf this is meant: cp {made} {golden}"
        );
    }
    Ok(())
}

/// The first line that differs, from 1 on, in both.
fn difference<'a>(now: &'a str, was: &'a str) -> Option<(usize, &'a str, &'a str)> {
    let (mut now, mut was) = (now.lines(), was.lines());
    let mut line = 0;
    loop {
        line += 1;
        let (a, b) = (now.next(), was.next());
        match (a, b) {
            (None, None) => return None,
            _ if a == b => {}
            _ => return Some((line, a.unwrap_or("(nothing)"), b.unwrap_or("(nothing)"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tcl::tests::of;
    use super::*;

    #[test]
    fn a_changed_call_is_shown_beside_the_one_that_was() {
        let calls = of("golden", "set_property top board [current_fileset]\nwait_on_run impl_1").unwrap();
        let folder = repo::target("xtask-tests");
        let file = |name: &str| folder.join(format!("{name}-{}", std::process::id()));
        let (golden, made) = (file("golden"), file("made"));
        let judged = |kept: &str| {
            repo::write(&golden, kept).unwrap();
            compare(&calls, &golden, &made).map_err(|e| e.to_string())
        };
        let good = list(&calls);
        assert_eq!(judged(&good), Ok(()));
        let changed = judged(&good.replace("impl_1", "impl_2")).unwrap_err();
        assert!(changed.contains("from line 2 on"), "{changed}");
        assert!(
            changed.contains("the script: wait_on_run impl_1\n  the list:   wait_on_run impl_2"),
            "{changed}"
        );
        let longer = judged(&(good + "open_run impl_1\n")).unwrap_err();
        assert!(longer.contains("the script: (nothing)\n  the list:   open_run impl_1"), "{longer}");
        std::fs::remove_file(golden).unwrap();
        std::fs::remove_file(made).unwrap();
    }
}
