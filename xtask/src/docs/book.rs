// SPDX-License-Identifier: MIT OR Apache-2.0
//! The book: a copy of the repository's Markdown, with what the Markdown links to, and mdBook.
use super::summary::{self, Page};
use crate::steps::Step;
use crate::{child, repo};
use anyhow::{ensure, Context, Result};
use regex::Regex;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// Markdown that is no page: templates of other texts.
const NO_PAGES: [&str; 2] = [".github/ISSUE_TEMPLATE/", "xtask/src/release/"];
/// A link of Markdown, its target without the fragment.
const LINK: &str = r"\]\((?P<target>[^)#\s]+)(?P<rest>#[^)\s]*)?\)";
/// mdBook's settings. Quotes and dashes stay as they were written.
const SETTINGS: &str =
    "[book]\ntitle = \"Ferrowarp\"\nlanguage = \"en\"\nsrc = \"src\"\n\n[build]\ncreate-missing = false\n\n\
                        [output.html]\nsmart-punctuation = false\n";

/// Makes the book in `folder`. Returns its pages.
pub fn make(step: &Step, folder: &Path) -> Result<Vec<Page>> {
    let place = repo::emptied("docs-book")?;
    let listed = child::capture(Command::new("git").current_dir(repo::root()).args(["ls-files", "*.md"]))?;
    let paths = listed.lines().filter(|path| NO_PAGES.iter().all(|none| !path.starts_with(none)));
    let mut given = vec![];
    for path in paths {
        let file = repo::root().join(path);
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {path}"))?;
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(path);
        given.push((path.to_string(), title.replace(['[', ']', '`'], "")));
        let (text, beside) = relinked(Path::new(path), &text)?;
        repo::write(&place.join("src").join(in_book(path)), &text)?;
        for target in beside {
            copy(&target, &place.join("src"))?;
        }
    }
    ensure!(!given.is_empty(), "git lists no Markdown in {}", repo::root().display());
    let pages = summary::order(given);
    repo::write(&place.join("src/SUMMARY.md"), &summary::text(&pages, in_book))?;
    repo::write(&place.join("book.toml"), SETTINGS)?;
    step.capture(Command::new("mdbook").arg("build").arg(&place).arg("--dest-dir").arg(folder))?;
    Ok(pages)
}

/// Path of a page in the book: the README of a folder is the folder's first page.
pub fn in_book(path: &str) -> String {
    match path.strip_suffix("README.md") {
        Some(folder) => format!("{folder}index.md"),
        None => path.into(),
    }
}

/// The text with links to pages of the book, and the other files of the repository that the text
/// links to. A link to nothing stays as it is: the check of the links finds it.
fn relinked(path: &Path, text: &str) -> Result<(String, Vec<PathBuf>)> {
    let link = Regex::new(LINK)?;
    let mut beside = vec![];
    let text = link.replace_all(text, |found: &regex::Captures<'_>| {
        let target = &found["target"];
        if target.contains("://") || target.starts_with("mailto:") {
            return found[0].to_string();
        }
        let from_root = joined(path.parent().unwrap_or(Path::new("")), Path::new(target));
        if !target.ends_with(".md") {
            beside.push(from_root);
        }
        let rest = found.name("rest").map_or("", |rest| rest.as_str());
        format!("]({}{rest})", in_book(target))
    });
    Ok((text.into_owned(), beside))
}

/// A path from the root, without `..`.
fn joined(folder: &Path, target: &Path) -> PathBuf {
    let mut path = PathBuf::new();
    for part in folder.join(target).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

/// Copies a file of the repository; a folder, or what is not there, is left out.
fn copy(path: &Path, to: &Path) -> Result<()> {
    let (from, to) = (repo::root().join(path), to.join(path));
    if !from.is_file() {
        return Ok(());
    }
    fs::create_dir_all(to.parent().unwrap_or(&to))?;
    fs::copy(&from, &to).map(drop).with_context(|| format!("cannot copy {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_pages_lead_into_the_book_and_other_files_are_taken_along() {
        let text = "[a](../README.md#use), [b](src/top/device.rs), [c](https://x.y/README.md), [d](#here), [e](abi.md)";
        let (text, beside) = relinked(Path::new("hdl/README.md"), text).unwrap();
        assert_eq!(
            text,
            "[a](../index.md#use), [b](src/top/device.rs), [c](https://x.y/README.md), [d](#here), [e](abi.md)"
        );
        assert_eq!(beside, [PathBuf::from("hdl/src/top/device.rs")]);
        assert_eq!(joined(Path::new("a/b"), Path::new("../../c/d")), PathBuf::from("c/d"));
    }
}
