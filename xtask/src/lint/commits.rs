// SPDX-License-Identifier: MIT OR Apache-2.0
//! Subjects of commits: `area: imperative`, at most [`COLUMNS`] characters.
use super::finding::Finding;
use super::rules;
use crate::repo;
use crate::steps::Step;
use std::process::Command;

/// Characters of a subject.
const COLUMNS: usize = 72;
/// The last commit before the rule began: subjects up to here stay as they are.
const BASE: &str = "3c19740ec5c4a2109495b444fc872d30e174725b";
/// First words that are no verb.
const NO_VERBS: [&str; 32] = [
    "a", "all", "an", "and", "any", "as", "at", "by", "each", "every", "for", "from", "how", "if", "in",
    "it", "its", "more", "no", "not", "of", "on", "one", "some", "that", "the", "these", "this", "two",
    "what", "when", "with",
];
/// Verbs that end as a participle or a plural does.
const VERBS: [&str; 18] = [
    "alias", "bias", "bring", "embed", "exceed", "feed", "focus", "heed", "need", "ping", "proceed", "ring",
    "seed", "shed", "speed", "string", "succeed", "swing",
];

/// Judges the commits since [`BASE`]. Where git or a part of the history is missing nothing is
/// judged, and a line says why.
pub fn judge(step: &Step) -> Vec<Finding> {
    match subjects(BASE) {
        Ok(subjects) => subjects.iter().filter_map(|(hash, subject)| finding(hash, subject)).collect(),
        Err(why) => {
            step.line(&format!("subjects of commits are not judged: {why}"));
            vec![]
        }
    }
}

/// Hashes and subjects of the commits behind `base`, merges left out.
fn subjects(base: &str) -> Result<Vec<(String, String)>, String> {
    let known = git(&["merge-base", "--is-ancestor", base, "HEAD"]);
    known
        .map_err(|e| format!("commit {} is not in the history of HEAD ({e})", &base[..7.min(base.len())]))?;
    let log = git(&["log", "--no-merges", "--format=%h%x09%s", &format!("{base}..HEAD")])?;
    let pair = |line: &str| line.split_once('\t').map(|(hash, subject)| (hash.into(), subject.into()));
    Ok(log.lines().filter_map(pair).collect())
}

/// What git prints.
fn git(args: &[&str]) -> Result<String, String> {
    let output = Command::new("git").arg("-C").arg(repo::root()).args(args).output();
    let output = output.map_err(|e| format!("cannot run git: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("git says no more");
        return Err(format!("{}: {said}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn finding(hash: &str, subject: &str) -> Option<Finding> {
    let why = fault(subject)?;
    let what = format!("{why} in `{subject}`");
    Some(Finding::on(&format!("commit {hash}"), 1, 1, rules::COMMIT_SUBJECT, what))
}

/// What is wrong with a subject.
fn fault(subject: &str) -> Option<String> {
    let columns = subject.chars().count();
    if columns > COLUMNS {
        return Some(format!("{columns} characters, the limit is {COLUMNS},"));
    }
    let Some((areas, rest)) = subject.split_once(": ") else { return Some("no `area: `".into()) };
    if !areas.split(", ").all(is_area) {
        return Some(format!("`{areas}` is no area"));
    }
    let word = rest.split_whitespace().next().unwrap_or_default();
    if !is_imperative(word) {
        return Some(format!("`{word}` is no imperative"));
    }
    rest.ends_with('.').then(|| "a full stop".into())
}

/// True for a name such as `hdl`, `.ci` or `docs/synth`.
fn is_area(area: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-./".contains(c);
    !area.is_empty() && area.chars().all(fits)
}

/// False for what cannot be an imperative: articles, participles, third persons and plurals.
fn is_imperative(word: &str) -> bool {
    if VERBS.contains(&word) {
        return true;
    }
    let ends =
        word.ends_with("ing") || word.ends_with("ed") || (word.ends_with('s') && !word.ends_with("ss"));
    word.starts_with(|c: char| c.is_ascii_lowercase()) && !ends && !NO_VERBS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_an_area_and_an_imperative_of_72_characters() {
        for fine in
            ["lint: count circles", "queue, tcp: feed the slot", ".ci: bypass nothing", "a/b: re-run x"]
        {
            assert_eq!(fault(fine), None, "{fine}");
        }
        for bad in [
            "count circles",
            "lint:count circles",
            "lint: the count of circles",
            "lint: Count circles",
            "lint: counts circles",
            "lint: counting circles",
            "lint: counted circles",
            "lint: count circles.",
            "The lint: count circles",
            "lint: ",
        ] {
            assert!(fault(bad).is_some(), "{bad}");
        }
        let long = |columns: usize| format!("lint: count {}", "x".repeat(columns - 12));
        assert_eq!(fault(&long(COLUMNS)), None);
        assert!(fault(&long(COLUMNS + 1)).is_some_and(|why| why.starts_with("73 characters")));
    }

    #[test]
    fn a_finding_names_the_commit() {
        let found = finding("1234567", "docs: lines").unwrap().to_string();
        assert!(found.starts_with("commit 1234567:1:1: commit-subject: `lines` is no imperative"), "{found}");
    }

    #[test]
    fn a_history_without_the_base_is_not_judged() {
        let why = subjects("0123456789012345678901234567890123456789").unwrap_err();
        assert!(why.starts_with("commit 0123456 is not in the history"), "{why}");
    }
}
