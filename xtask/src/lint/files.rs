// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes, stage READMEs and marks of unfinished work in comments.
use super::comments::Comment;
use super::finding::Finding;
use super::{rules, spdx};
use std::collections::HashMap;

/// Lines of a file above which the linter warns.
pub const SOFT_LINES: usize = 300;
/// Lines of a file above which it refuses.
pub const HARD_LINES: usize = 401;
/// Folders that `cargo xtask gen` and `cargo xtask dropin --types` write.
const GENERATED: [&str; 3] = ["abi/src/gen/", "hdl/src/gen/", "driver/dropin/src/gen/"];
/// Folders of hdl/src that are no stage.
const NO_STAGE: [&str; 4] = ["top", "emit", "gen", "record"];
/// Heads that a stage's README has, as second-level Markdown heads.
const HEADS: [&str; 5] =
    ["purpose", "ports and contract", "latency and throughput", "errors and counters", "requirements"];

/// What the size of a file gives.
pub enum Size {
    /// Within the soft limit.
    Fine,
    /// Above the soft limit: a warning.
    Large(String),
    /// Above the hard limit.
    Refused(Finding),
}

/// True for a Rust file that `cargo xtask gen` writes.
pub fn is_generated(file: &str) -> bool {
    GENERATED.iter().any(|folder| file.starts_with(folder))
}

/// Judges the number of lines of a handwritten file.
pub fn size(file: &str, text: &str) -> Size {
    let lines = spdx::lines(text);
    if is_generated(file) || lines <= SOFT_LINES {
        return Size::Fine;
    }
    if lines <= HARD_LINES {
        return Size::Large(format!("{file}: {lines} lines; split it before it reaches {HARD_LINES}"));
    }
    let what = format!("{lines} lines, the limit is {HARD_LINES}");
    Size::Refused(Finding::on(file, HARD_LINES + 1, 1, rules::FILE_SIZE, what))
}

/// True if the folder `hdl/src/<name>` is a stage and needs a README.
pub fn is_stage(name: &str) -> bool {
    !NO_STAGE.contains(&name)
}

/// Checks a stage's README; `None` if the file is missing.
pub fn readme(stage: &str, text: Option<&str>) -> Vec<Finding> {
    let file = format!("hdl/src/{stage}/README.md");
    let Some(text) = text else {
        return vec![Finding::on(&file, 1, 1, rules::STAGE_README, "the stage has no README".into())];
    };
    let heads: Vec<String> =
        text.lines().filter_map(|l| l.strip_prefix("## ")).map(|h| h.trim().to_lowercase()).collect();
    let missing = HEADS.iter().filter(|h| !heads.iter().any(|x| x == *h));
    missing
        .map(|h| Finding::on(&file, 1, 1, rules::STAGE_README, format!("head `## {h}` is missing")))
        .collect()
}

/// Finds test binaries of one name: files `<crate>/tests/<name>.rs` and
/// `<crate>/tests/<name>/main.rs` of the workspace, given by their paths.
pub fn twins(files: &[String]) -> Vec<Finding> {
    let mut first: HashMap<&str, &str> = HashMap::new();
    let mut findings = vec![];
    for file in files {
        let name = match file.split('/').collect::<Vec<_>>()[..] {
            [_, "tests", name] => name.trim_end_matches(".rs"),
            [_, "tests", name, "main.rs"] => name,
            _ => continue,
        };
        match first.get(name) {
            Some(other) => {
                let what = format!("the test binary is called as that of {other}");
                findings.push(Finding::on(file, 1, 1, rules::TWIN_TESTS, what));
            }
            None => {
                first.insert(name, file);
            }
        }
    }
    findings
}

/// Marks that comments use for work left over.
fn marks() -> [String; 2] {
    // Put together here so that this file does not hold them.
    ["TO".to_string() + "DO", "FIX".to_string() + "ME"]
}

/// Looks for marks of unfinished work in the comments of a file.
pub fn unfinished(file: &str, comments: &[Comment<'_>]) -> Vec<Finding> {
    let mut findings = vec![];
    for comment in comments {
        for mark in marks() {
            let whole = |c: char| !c.is_ascii_alphanumeric() && c != '_';
            if comment.text.split(whole).any(|word| word == mark) {
                let what = format!("comment `{}`", comment.text.trim());
                findings.push(Finding::on(file, comment.line, comment.column, rules::UNFINISHED, what));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::comments;
    use super::*;

    #[test]
    fn three_hundred_lines_pass_six_hundred_warn_more_is_refused_and_generated_files_are_exempt() {
        let text = |n: usize| "x\n".repeat(n);
        assert!(matches!(size("a/b.rs", &text(SOFT_LINES)), Size::Fine));
        assert!(matches!(size("a/b.rs", &text(SOFT_LINES + 1)), Size::Large(_)));
        assert!(matches!(size("a/b.rs", &text(HARD_LINES)), Size::Large(_)));
        assert!(matches!(size("a/b.rs", &text(HARD_LINES + 1)), Size::Refused(_)));
        assert!(matches!(size("hdl/src/gen/b.rs", &text(HARD_LINES + 1)), Size::Fine));
    }

    #[test]
    fn a_stage_needs_a_readme_with_five_heads() {
        assert_eq!(readme("mpa", None).len(), 1);
        let whole: String = HEADS.iter().map(|h| format!("## {h}\ntext\n")).collect();
        assert_eq!(readme("mpa", Some(&whole)).len(), 0);
        assert_eq!(readme("mpa", Some(&whole.to_uppercase().replace("TEXT", "x"))).len(), 0);
        assert_eq!(readme("mpa", Some(&whole.replace("## purpose", "purpose"))).len(), 1);
        assert!(is_stage("cell") && is_stage("stream") && !is_stage("top"));
    }

    #[test]
    fn test_binaries_of_two_crates_have_two_names() {
        let files = [
            "sim/tests/a.rs",
            "sim/src/a.rs",
            "tests/tests/a/main.rs",
            "tests/tests/b.rs",
            "sim/tests/x/b.rs",
            "tests/tests/x.rs",
        ];
        let found = twins(&files.map(String::from));
        let shown: Vec<_> = found.iter().map(|f| (f.file.as_str(), f.what.as_str())).collect();
        assert_eq!(shown, [("tests/tests/a/main.rs", "the test binary is called as that of sim/tests/a.rs")]);
    }

    #[test]
    fn marks_count_in_comments_only() {
        for mark in marks() {
            let code = format!("let a = 1; // {mark}: later\n/* x\n {mark} */");
            let at: Vec<_> =
                unfinished("x.rs", &comments::of(&code)).iter().map(|f| (f.line, f.column)).collect();
            assert_eq!(at, [(1, 12), (3, 1)]);
            for fine in [
                format!("let a = \"// {mark}\"; let c = '\"'; let s = r#\"\" // {mark}\"#;"),
                format!("fn f<'a>(x: &'a str) {{ let {mark} = '\\''; }} // {mark}S_LEFT"),
            ] {
                assert!(unfinished("x.rs", &comments::of(&fine)).is_empty(), "{fine}");
            }
        }
    }
}
