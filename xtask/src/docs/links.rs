// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links of the written pages: each file and each place in a file must be there.
use anyhow::{bail, Context, Result};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Links and sources of an HTML page.
const LINK: &str = r#"<(?:a|link|img|script)\b[^>]*?\s(?:href|src)="([^"]+)""#;
/// Places of an HTML page.
const PLACE: &str = r#"\s(?:id|name)="([^"]+)""#;
/// Pages that mdBook writes for other purposes: all chapters in one, and a page for a path that is
/// not there. Their links are those of other pages.
const NO_PAGES: [&str; 3] = ["print.html", "404.html", "toc.html"];

/// Checks the pages `below` the folder, which are files or folders. Returns the number of links.
///
/// # Errors
/// All links that lead nowhere.
pub fn check(folder: &Path, below: &[&str]) -> Result<usize> {
    let (link, place) = (Regex::new(LINK)?, Regex::new(PLACE)?);
    let mut places = Places { place, known: BTreeMap::new() };
    let (mut count, mut dead) = (0, vec![]);
    for page in below.iter().flat_map(|name| WalkDir::new(folder.join(name)).sort_by_file_name()) {
        let page = page?.into_path();
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.ends_with(".html") || NO_PAGES.contains(&&*name) {
            continue;
        }
        let text = fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
        for found in link.captures_iter(&text) {
            let target = &found[1];
            if target.contains("://") || target.starts_with("mailto:") || target.starts_with("data:") {
                continue;
            }
            count += 1;
            if let Some(why) = places.missing(&page, target)? {
                dead.push(format!("{}: `{target}`: {why}", page.strip_prefix(folder)?.display()));
            }
        }
    }
    if !dead.is_empty() {
        bail!("{} links lead nowhere:\n{}", dead.len(), dead.join("\n"));
    }
    Ok(count)
}

/// Places of the pages that were read.
struct Places {
    place: Regex,
    known: BTreeMap<PathBuf, BTreeSet<String>>,
}

impl Places {
    /// Why a target cannot be reached from `page`.
    fn missing(&mut self, page: &Path, target: &str) -> Result<Option<&'static str>> {
        let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
        let path = path.split('?').next().unwrap_or_default();
        let mut file = if path.is_empty() { page.into() } else { page.parent().unwrap_or(page).join(path) };
        if file.is_dir() {
            file.push("index.html");
        }
        if !file.is_file() {
            return Ok(Some("there is no such file"));
        }
        let is_page = file.extension().is_some_and(|extension| extension == "html");
        if fragment.is_empty() || !is_page {
            return Ok(None);
        }
        if !self.known.contains_key(&file) {
            let text =
                fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            let ids = self.place.captures_iter(&text).map(|found| found[1].to_string()).collect();
            self.known.insert(file.clone(), ids);
        }
        let is_there = self.known[&file].contains(fragment);
        Ok((!is_there).then_some("the file has no such place"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_link_is_named_with_its_page() {
        let folder = std::env::temp_dir().join(format!("fw-links-{}", std::process::id()));
        fs::create_dir_all(folder.join("book/a")).unwrap();
        let page = "<a href=\"a/\">1</a> <a class=\"x\" href=\"a/index.html#here\">2</a> <a href=\"https://x.y/\">3</a> \
                    <a href=\"#top\">4</a><h1 id=\"top\">t</h1>";
        fs::write(folder.join("book/index.html"), page).unwrap();
        fs::write(folder.join("book/a/index.html"), "<h2 id=\"here\">h</h2>").unwrap();
        assert_eq!(check(&folder, &["book"]).unwrap(), 3);
        fs::write(folder.join("book/a/index.html"), "<a href=\"../gone.html\">g</a><img src=\"no.png\">")
            .unwrap();
        let why = check(&folder, &["book"]).unwrap_err().to_string();
        for dead in [
            "3 links",
            "book/a/index.html: `../gone.html`",
            "`no.png`",
            "`a/index.html#here`: the file has no",
        ] {
            assert!(why.contains(dead), "`{dead}` is not in {why}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
