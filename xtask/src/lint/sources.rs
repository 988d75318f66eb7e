// SPDX-License-Identifier: MIT OR Apache-2.0
//! The source rules over files of the workspace.
use super::decisions::{self, Decisions};
use super::files::{self, Size};
use super::finding::Finding;
use super::links::{self, There};
use super::tree::Tree;
use super::{comments, commits, custom, debt, kernel, names, rules, spdx, tokens, width};
use crate::repo;
use crate::steps::Step;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// What a file is written in, as far as the rules differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Rust,
    /// Verilog or C++.
    Other,
    Script,
    Markdown,
}

impl Language {
    /// By the end of a file's name; `None` for what is not judged.
    fn of(extension: &str) -> Option<Self> {
        match extension {
            "rs" => Some(Self::Rust),
            "cpp" | "h" | "v" | "sv" => Some(Self::Other),
            "sh" => Some(Self::Script),
            "md" => Some(Self::Markdown),
            _ => None,
        }
    }
}

/// Judges the named files and folders, or the whole workspace; prints warnings as it goes.
pub fn judge(paths: &[PathBuf], step: &Step) -> Result<Vec<Finding>> {
    let decisions = std::fs::read_to_string(repo::root().join(decisions::PAGE)).ok();
    let decisions = decisions.map(|page| Decisions::of(&page));
    let mut findings = vec![];
    let mut seen = vec![];
    let mut tree = Tree::default();
    walk(paths, step, &mut |file, text, language| {
        if language == Language::Markdown {
            findings.extend(page(file, text, decisions.as_ref()));
            tree.add_page(file, text);
        } else {
            findings.extend(spdx::check(file, text));
        }
        if matches!(language, Language::Rust | Language::Other) {
            if let Size::Large(warning) = files::size(file, text) {
                step.line(&format!("warning: {warning}"));
            }
            findings.extend(common(file, text, decisions.as_ref()));
        }
        if language == Language::Rust {
            findings.extend(rust(file, text, &mut tree));
        }
        seen.push(file.to_string());
    })?;
    if paths.is_empty() {
        findings.extend(stages(&repo::root().join("hdl/src"))?);
        findings.extend(files::twins(&seen));
        findings.extend(commits::judge(step));
        let recorded = std::fs::read_to_string(repo::root().join(debt::FILE)).unwrap_or_default();
        findings.extend(debt::check(&recorded, tree.debts()));
    }
    step.line(&format!("{} files, {} findings", seen.len(), findings.len()));
    Ok(findings)
}

/// Prints each place that a debt counts, and the counts.
pub fn debts(step: &Step) -> Result<()> {
    let mut tree = Tree::default();
    walk(&[], step, &mut |file, text, language| {
        if language == Language::Markdown {
            tree.add_page(file, text);
        } else if let (Language::Rust, Ok(syntax)) = (language, syn::parse_file(text)) {
            tree.add(file, text, &syntax);
        }
    })?;
    let debts = tree.debts();
    for debt in &debts {
        debt.places.iter().for_each(|place| step.line(&format!("{}: {place}", debt.key)));
    }
    debts.iter().for_each(|d| step.line(&format!("{} = {}", d.key, d.places.len())));
    Ok(())
}

/// Writes the licence lines that are missing.
pub fn fix(paths: &[PathBuf], step: &Step) -> Result<()> {
    let mut missing = vec![];
    walk(paths, step, &mut |file, text, language| {
        if language != Language::Markdown {
            missing.extend(spdx::fixed(file, text).map(|new| (file.to_string(), new)));
        }
    })?;
    for (file, new) in &missing {
        repo::write(&repo::root().join(file), new)?;
    }
    step.line(&format!("{} licence lines written", missing.len()));
    Ok(())
}

/// Shows `each` the path, the text and the language of each file of the named files and folders, or
/// of the whole workspace.
fn walk(paths: &[PathBuf], step: &Step, each: &mut dyn FnMut(&str, &str, Language)) -> Result<()> {
    let paths = if paths.is_empty() { vec![repo::root()] } else { paths.to_vec() };
    for path in &paths {
        let path = std::path::absolute(path)?;
        for entry in WalkDir::new(&path).sort_by_file_name().into_iter().filter_entry(is_ours) {
            let entry = entry.with_context(|| format!("cannot read {}", path.display()))?;
            let extension = entry.path().extension().and_then(|e| e.to_str()).unwrap_or_default();
            let Some(language) = Language::of(extension).filter(|_| entry.file_type().is_file()) else {
                continue;
            };
            let shown = repo::shown(entry.path());
            step.note(&shown);
            let text =
                std::fs::read_to_string(entry.path()).with_context(|| format!("cannot read {shown}"))?;
            each(&shown, &text, language);
        }
    }
    Ok(())
}

/// Everything but build output and hidden folders.
fn is_ours(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    entry.depth() == 0 || !(name == "target" || name.starts_with('.'))
}

/// The rules for a page of Markdown.
fn page(file: &str, text: &str, decisions: Option<&Decisions>) -> Vec<Finding> {
    let mut look = |path: &Path| {
        let whole = repo::root().join(path);
        match std::fs::read_to_string(&whole) {
            Ok(text) if path.extension().is_some_and(|e| e == "md") => There::Page(text),
            _ if whole.exists() => There::Plain,
            _ => There::Nothing,
        }
    };
    let mut findings = width::markdown(file, text);
    findings.extend(links::check(file, text, &mut look));
    findings.extend(decisions.map(|d| d.markdown(file, text)).unwrap_or_default());
    findings
}

/// The rules for the source text of any language.
fn common(file: &str, text: &str, decisions: Option<&Decisions>) -> Vec<Finding> {
    let comments = comments::of(text);
    let mut findings = files::unfinished(file, &comments);
    if let Size::Refused(finding) = files::size(file, text) {
        findings.push(finding);
    }
    if !files::is_generated(file) {
        findings.extend(width::comments(file, text, &comments));
    }
    findings.extend(decisions.map(|d| d.comments(file, &comments)).unwrap_or_default());
    findings
}

/// The rules for Rust alone. A file that does not parse is a finding: nothing in it was judged.
fn rust(file: &str, text: &str, tree: &mut Tree) -> Vec<Finding> {
    let mut findings = vec![];
    match syn::parse_file(text) {
        Ok(syntax) => {
            findings.extend(kernel::check(file, &syntax));
            findings.extend(names::check(file, &syntax));
            findings.extend(custom::check(file, &syntax));
            tree.add(file, text, &syntax);
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
        let rules: Vec<_> = rust("x.rs", "fn f( {", &mut Tree::default()).iter().map(|f| f.rule).collect();
        assert_eq!(rules, ["unparsed"]);
    }

    #[test]
    fn a_finding_shows_place_rule_text_and_cure() {
        let source = "impl Logic for A {\n    #[hdl_gen]\n    fn update(&mut self) {\n        \
                      self.x.next = (self.a.val() + 1) == self.b.val();\n    }\n}\n";
        let findings = rust("hdl/src/x.rs", source, &mut Tree::default());
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
