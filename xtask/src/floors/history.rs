// SPDX-License-Identifier: MIT OR Apache-2.0
//! The commits that changed the floors: one that lowers a floor does nothing else, and says why.
use super::file::{figure, Floors, PATH};
use crate::{child, repo};
use anyhow::{bail, Context, Result};
use std::process::Command;

/// A commit that changed the floors.
#[derive(Debug, Default)]
struct Commit {
    /// Its abbreviated id and subject.
    name: String,
    /// Its message below the subject.
    body: String,
    /// What it touches besides the floors; of a merge nothing is said.
    others: Vec<String>,
    /// The floors of its parents.
    before: Vec<Floors>,
    after: Floors,
}

/// What was looked at.
#[derive(Debug, PartialEq, Eq)]
pub enum Looked {
    /// This many commits.
    At(usize),
    /// Nothing, for this reason.
    Nowhere(String),
}

/// Looks at every commit that changed the floors since the file came. Fails with a line for each
/// that lowered one in company, or without a word.
pub fn check() -> Result<Looked> {
    match git(&["rev-parse", "--is-shallow-repository"]) {
        Err(why) => return Ok(Looked::Nowhere(why.to_string().lines().next().unwrap_or_default().into())),
        Ok(said) if said.trim() == "true" => {
            return Ok(Looked::Nowhere(
                "this clone is shallow; `git fetch --unshallow` brings the rest".into(),
            ))
        }
        Ok(_) => {}
    }
    let ids = git(&["rev-list", "--full-history", "HEAD", "--", PATH])?;
    let commits = ids.lines().map(commit).collect::<Result<Vec<_>>>()?;
    let faults: Vec<_> = commits.iter().filter_map(fault).collect();
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(Looked::At(commits.len()))
}

/// What is wrong with a commit.
fn fault(commit: &Commit) -> Option<String> {
    let lowered = commit.before.iter().map(|before| lowered(before, &commit.after)).min_by_key(Vec::len);
    let lowered = lowered.filter(|lines| !lines.is_empty())?.join(", ");
    let (name, is_merge) = (&commit.name, commit.before.len() > 1);
    let cure = "lower a floor in a commit of its own whose message says why below its subject";
    if is_merge {
        return Some(format!("merge {name} lowers what none of its parents does ({lowered}): {cure}"));
    }
    if let [first, ..] = &commit.others[..] {
        let rest = commit.others.len() - 1;
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        return Some(format!("commit {name} lowers floors ({lowered}) and touches {first}{more}: {cure}"));
    }
    commit
        .body
        .trim()
        .is_empty()
        .then(|| format!("commit {name} lowers floors ({lowered}) without a word: {cure}"))
}

/// What `after` holds lower than `before`: `name from -> to`. A family that is gone is not lowered
/// if another one took its floor along.
fn lowered(before: &Floors, after: &Floors) -> Vec<String> {
    let mut lines = vec![];
    let mut taken: Vec<&str> = vec![];
    let sections = [
        (&before.conformance, &after.conformance, false),
        (&before.mutants, &after.mutants, false),
        (&before.coverage, &after.coverage, false),
        (&before.tests, &after.tests, true),
    ];
    for (old, new, is_tests) in sections {
        // The highest first: a low floor is not to take the heir that a high one needs.
        let mut old_floors: Vec<_> = old.iter().collect();
        old_floors.sort_by_key(|(_, from)| std::cmp::Reverse(**from));
        for (name, from) in old_floors {
            let to = new.get(name).copied();
            let heir = || {
                let rose = |other: &str, now: u64| now >= figure(old, other) + from;
                let mut heirs = new.iter().filter(|(other, now)| rose(other, **now));
                heirs.find(|(other, _)| !taken.contains(&other.as_str()))
            };
            match to {
                Some(to) if to >= *from => {}
                None if is_tests => match heir() {
                    Some((other, _)) => taken.push(other),
                    None => lines.push(format!("{name} {from} -> gone")),
                },
                Some(to) => lines.push(format!("{name} {from} -> {to}")),
                None => lines.push(format!("{name} {from} -> gone")),
            }
        }
    }
    lines
}

/// What git has of a commit.
fn commit(id: &str) -> Result<Commit> {
    let parents = git(&["rev-parse", &format!("{id}^@")])?;
    let parents: Vec<_> = parents.lines().collect();
    let others = match parents[..] {
        [_] => git(&["diff-tree", "--no-commit-id", "--name-only", "-r", id])?,
        _ => String::new(),
    };
    Ok(Commit {
        name: git(&["log", "-1", "--format=%h \"%s\"", id])?.trim().into(),
        body: git(&["log", "-1", "--format=%b", id])?,
        others: others.lines().filter(|path| *path != PATH).map(String::from).collect(),
        before: parents.iter().map(|parent| at(parent)).collect::<Result<_>>()?,
        after: at(id)?,
    })
}

/// The floors of a commit; none where the file is not there.
fn at(id: &str) -> Result<Floors> {
    let listed = git(&["ls-tree", "--name-only", id, "--", PATH])?;
    if listed.trim().is_empty() {
        return Ok(Floors::default());
    }
    let text = git(&["show", &format!("{id}:{PATH}")])?;
    Floors::parse(&text).with_context(|| format!("{PATH} of commit {id} is not understood"))
}

fn git(args: &[&str]) -> Result<String> {
    child::capture(Command::new("git").arg("-C").arg(repo::root()).args(args))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floors(tests: &str) -> Floors {
        Floors::parse(&format!("[conformance]\nmust = 48\n[tests]\n{tests}")).unwrap()
    }

    fn told(before: &[&str], after: &str, others: &[&str], body: &str) -> String {
        let others = others.iter().map(|path| path.to_string()).collect();
        let before = before.iter().map(|text| floors(text)).collect();
        let commit =
            Commit { name: "12ab \"x\"".into(), body: body.into(), others, before, after: floors(after) };
        fault(&commit).unwrap_or_default()
    }

    #[test]
    fn a_floor_is_lowered_alone_and_with_a_reason() {
        assert_eq!(told(&["fw = 5"], "fw = 6\nx = 1", &["a.rs"], ""), "");
        let line = |figure| format!("fw = 5\n[coverage]\nline = {figure}");
        assert!(told(&[&line(951)], &line(950), &["a.rs"], "why").contains("(line 951 -> 950)"));
        assert_eq!(told(&["fw = 5"], "fw = 4", &[], "The tests of a stage that is gone."), "");
        let company = told(&["fw = 5"], "fw = 4", &["a.rs", "b.rs"], "why");
        assert!(
            company.starts_with("commit 12ab \"x\" lowers floors (fw 5 -> 4) and touches a.rs and 1 more")
        );
        assert!(told(&["fw = 5"], "fw = 4", &[], "\n").contains("without a word"));
    }

    #[test]
    fn a_family_that_is_gone_left_its_floor_to_one_other() {
        assert_eq!(told(&["fw = 5"], "firmware = 5", &["a.rs"], ""), "");
        assert_eq!(told(&["fw = 5\nx = 2"], "x = 7", &["a.rs"], ""), "");
        assert_eq!(told(&["a = 2\nfw = 5"], "firmware = 5\nlab = 2", &["a.rs"], ""), "");
        assert!(told(&["fw = 5\nx = 2"], "x = 6", &["a.rs"], "").contains("(fw 5 -> gone)"));
        assert!(
            told(&["a = 5\nb = 5"], "c = 5", &["a.rs"], "").contains("(b 5 -> gone)"),
            "one heir, two floors"
        );
    }

    #[test]
    fn a_merge_may_take_the_lower_floor_of_a_parent_and_no_lower_one() {
        assert_eq!(told(&["fw = 5", "fw = 4"], "fw = 4", &[], ""), "");
        assert!(told(&["fw = 5", "fw = 4"], "fw = 3", &[], "").starts_with("merge 12ab"));
    }

    /// Every commit up to here, if its history is there.
    #[test]
    fn the_history_of_this_repository_is_read() {
        check().unwrap();
    }
}
