//! The source rules over files of the workspace.
use super::files::{self, Size};
use super::finding::Finding;
use super::{custom, kernel, names, rules, tokens};
use crate::repo;
use crate::steps::Step;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Judges the named files and folders, or the whole workspace; prints warnings as it goes.
pub fn judge(paths: &[PathBuf], step: &Step) -> Result<Vec<Finding>> {
    let whole = paths.is_empty();
    let paths = if whole { vec![repo::root()] } else { paths.to_vec() };
    let mut findings = vec![];
    let mut seen = vec![];
    for path in &paths {
        let path = std::path::absolute(path)?;
        for entry in WalkDir::new(&path).sort_by_file_name().into_iter().filter_entry(is_ours) {
            let entry = entry.with_context(|| format!("cannot read {}", path.display()))?;
            let extension = entry.path().extension().and_then(|e| e.to_str()).unwrap_or_default();
            if !entry.file_type().is_file() || !["rs", "cpp", "h"].contains(&extension) {
                continue;
            }
            let shown = repo::shown(entry.path());
            step.note(&shown);
            let text =
                std::fs::read_to_string(entry.path()).with_context(|| format!("cannot read {shown}"))?;
            if let Size::Large(warning) = files::size(&shown, &text) {
                step.line(&format!("warning: {warning}"));
            }
            findings.extend(if extension == "rs" { rust(&shown, &text) } else { common(&shown, &text) });
            seen.push(shown);
        }
    }
    if whole {
        findings.extend(stages(&repo::root().join("hdl/src"))?);
        findings.extend(files::twins(&seen));
    }
    step.line(&format!("{} files, {} findings", seen.len(), findings.len()));
    Ok(findings)
}

/// Everything but build output and hidden folders.
fn is_ours(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    entry.depth() == 0 || !(name == "target" || name.starts_with('.'))
}

/// The rules for any text of ours.
fn common(file: &str, text: &str) -> Vec<Finding> {
    let mut findings = files::comments(file, text);
    if let Size::Refused(finding) = files::size(file, text) {
        findings.push(finding);
    }
    findings
}

/// All rules for one Rust file. A file that does not parse is a finding: nothing in it was judged.
pub fn rust(file: &str, text: &str) -> Vec<Finding> {
    let mut findings = common(file, text);
    match syn::parse_file(text) {
        Ok(syntax) => {
            findings.extend(kernel::check(file, &syntax));
            findings.extend(names::check(file, &syntax));
            findings.extend(custom::check(file, &syntax));
        }
        Err(e) => findings.push(Finding::at(file, e.span(), rules::UNPARSED, e.to_string())),
    }
    if let Ok(stream) = text.parse() {
        findings.extend(tokens::check(file, stream));
    }
    findings
}

/// The READMEs of the stage folders.
fn stages(folder: &Path) -> Result<Vec<Finding>> {
    let mut findings = vec![];
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() && files::is_stage(&name) {
            let text = std::fs::read_to_string(entry.path().join("README.md")).ok();
            findings.extend(files::readme(&name, text.as_deref()));
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_does_not_parse_is_a_finding() {
        let rules: Vec<_> = rust("x.rs", "fn f( {").iter().map(|f| f.rule).collect();
        assert_eq!(rules, ["unparsed"]);
    }

    #[test]
    fn a_finding_shows_place_rule_text_and_cure() {
        let source = "impl Logic for A {\n    #[hdl_gen]\n    fn update(&mut self) {\n        \
                      self.x.next = (self.a.val() + 1) == self.b.val();\n    }\n}\n";
        let findings = rust("hdl/src/x.rs", source);
        let shown: Vec<_> = findings.iter().map(|f| f.to_string()).collect();
        assert_eq!(shown.len(), 1, "{shown:?}");
        assert!(shown[0].starts_with("hdl/src/x.rs:4:24: arith-in-compare: "), "{}", shown[0]);
        assert!(
            shown[0].contains("`self.a.val() + 1`") && shown[0].contains("Signal<Local>"),
            "{}",
            shown[0]
        );
    }
}
