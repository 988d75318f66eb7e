// SPDX-License-Identifier: MIT OR Apache-2.0
//! Links of Markdown pages to files of the repository and to anchors of pages.
use super::finding::Finding;
use super::prose::{self, Kind};
use super::rules;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// What stands at a path from the repository's root.
pub enum There {
    /// Nothing.
    Nothing,
    /// A folder, or a file that is no page.
    Plain,
    /// A page and its text.
    Page(String),
}

/// Checks the links of a page; `look` says what stands at a path.
pub fn check(file: &str, text: &str, look: &mut dyn FnMut(&Path) -> There) -> Vec<Finding> {
    let mut findings = vec![];
    for (number, line, kind) in prose::lines(text) {
        if kind == Kind::Code {
            continue;
        }
        for (column, target) in targets(&prose::without_code(line)) {
            if let Some(why) = fault(file, text, &target, look) {
                findings.push(Finding::on(file, number, column + 1, rules::DEAD_LINK, why));
            }
        }
    }
    findings
}

/// What is wrong with a target; targets with a scheme lead out of the repository.
fn fault(file: &str, text: &str, target: &str, look: &mut dyn FnMut(&Path) -> There) -> Option<String> {
    let scheme = target.split_once(':').is_some_and(|(s, _)| s.chars().all(|c| c.is_ascii_alphanumeric()));
    if scheme || target.starts_with("//") {
        return None;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, a)| (path, Some(a)));
    let known = |page: &str, anchor: &str| anchors(page).iter().any(|a| a == anchor);
    if path.is_empty() {
        let missing = anchor.filter(|a| !known(text, a));
        return missing.map(|a| format!("`{target}`: this page has no anchor `{a}`"));
    }
    let Some(whole) = resolved(file, &path.replace("%20", " ")) else {
        return Some(format!("`{target}` leaves the repository"));
    };
    match look(&whole) {
        There::Nothing => Some(format!("`{target}`: there is no {}", whole.display())),
        There::Plain => None,
        There::Page(page) => {
            let missing = anchor.filter(|a| !known(&page, a));
            missing.map(|a| format!("`{target}`: {} has no anchor `{a}`", whole.display()))
        }
    }
}

/// `path` as `file` names it, from the root; `None` if it lies outside.
fn resolved(file: &str, path: &str) -> Option<PathBuf> {
    let (base, path) = match path.strip_prefix('/') {
        Some(path) => (Path::new(""), path),
        None => (Path::new(file).parent().unwrap_or(Path::new("")), path),
    };
    let mut whole = base.to_path_buf();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(name) => whole.push(name),
            Component::ParentDir => whole.pop().then_some(())?,
            _ => {}
        }
    }
    Some(whole)
}

/// Targets of the links in a line without code, with their columns from 0: `](target)`,
/// `[name]: target`, `href="target"` and `src="target"`.
fn targets(line: &str) -> Vec<(usize, String)> {
    let mut found = vec![];
    let mut add = |at: usize, end: &[char]| {
        let rest = line[at..].trim_start();
        let target = rest.split(end).next().unwrap_or_default().trim_matches(['<', '>']);
        if !target.is_empty() {
            found.push((line[..at].chars().count(), target.to_string()));
        }
    };
    for (at, mark) in line.match_indices("](") {
        add(at + mark.len(), &[')', ' ']);
    }
    for mark in ["href=\"", "src=\""] {
        line.match_indices(mark).for_each(|(at, _)| add(at + mark.len(), &['"']));
    }
    let definition = line.trim_start().starts_with('[') && !line.trim_start().starts_with("[^");
    if let Some(at) = line.find("]: ").filter(|_| definition) {
        add(at + 3, &[' ']);
    }
    found
}

/// The anchors of a page: one of each heading by GitHub's rule, and each `id` or `name` of a tag.
pub fn anchors(page: &str) -> Vec<String> {
    let mut all = vec![];
    let mut times: HashMap<String, usize> = HashMap::new();
    let mut before = "";
    for (_, line, kind) in prose::lines(page) {
        let text = line.trim();
        if kind == Kind::Prose {
            let level = text.len() - text.trim_start_matches('#').len();
            let underline = ["=", "-"].iter().any(|c| !text.is_empty() && text.replace(c, "").is_empty());
            let heading = match level {
                1..=6 if text[level..].starts_with(' ') => Some(&text[level..]),
                _ if underline && !before.is_empty() => Some(before),
                _ => None,
            };
            if let Some(heading) = heading {
                let slug = slug(heading);
                let seen = times.entry(slug.clone()).or_default();
                all.push(if *seen == 0 { slug } else { format!("{slug}-{seen}") });
                *seen += 1;
            }
            for mark in ["<a id=\"", "<a name=\"", " id=\""] {
                let ids = text.split(mark).skip(1).filter_map(|rest| rest.split('"').next());
                all.extend(ids.map(String::from));
            }
        }
        before = if kind == Kind::Prose { text } else { "" };
    }
    all
}

/// GitHub's anchor of a heading: small letters, digits, `-` and `_`, with `-` for each blank. Of a
/// link only the text counts.
fn slug(heading: &str) -> String {
    let mut text = String::new();
    let mut rest = heading.trim();
    while let Some(at) = rest.find("](") {
        text.push_str(&rest[..at]);
        rest = rest[at..].split_once(')').map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    let kept = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    };
    text.to_lowercase().chars().filter_map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(page: &str) -> Vec<(usize, String)> {
        let mut look = |path: &Path| match path.to_str() {
            Some("docs/other.md") => There::Page("# Other page\n<a id=\"d1\"></a>\n".into()),
            Some("README.md") => There::Page(String::new()),
            Some("docs" | "docs/a b.svg") => There::Plain,
            _ => There::Nothing,
        };
        check("docs/page.md", page, &mut look).into_iter().map(|f| (f.line, f.what)).collect()
    }

    #[test]
    fn a_link_to_a_missing_file_or_anchor_is_dead() {
        let fine = "[a](other.md#other-page) [b](../docs/other.md#d1)\n[c](/README.md) ![d](a%20b.svg)\n\
                    [e](https://example.org/x.md) [f](#a-head)\n# A head\n[g]: other.md\n<img src=\"../docs\">\n\
                    `[h](none.md)`\n```\n[i](none.md)\n```\n";
        assert_eq!(found(fine), []);
        for (bad, why) in [
            ("[a](none.md)", "there is no docs/none.md"),
            ("[`a`](other.md#d2)", "docs/other.md has no anchor `d2`"),
            ("x\n\n[a](#b)", "this page has no anchor `b`"),
            ("[a]: none.svg", "there is no docs/none.svg"),
            ("| [a](/none/) |", "there is no none"),
            ("<a href=\"none.md\">", "there is no docs/none.md"),
            ("[a](../../x)", "leaves the repository"),
        ] {
            let found = found(bad);
            assert!(found.len() == 1 && found[0].1.contains(why), "{bad}: {found:?}");
        }
    }

    #[test]
    fn anchors_follow_githubs_rule() {
        let page = "# What it is, for `a_b`\n## [Link](x.md) & more\n## Same\n## Same\nUnder\n=====\n\
                    ```\n# code\n```\n#no\n<a name=\"x\"></a>\n";
        let expected = ["what-it-is-for-a_b", "link--more", "same", "same-1", "under", "x"];
        assert_eq!(anchors(page), expected);
    }
}
