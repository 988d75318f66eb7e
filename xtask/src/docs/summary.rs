// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chapters of the book, in the order in which a reader needs them.

/// Parts of the book and their chapters, by path from the root. A path that ends with `/` is the
/// README of the folder, and the READMEs of the folders below.
const PARTS: [(&str, &[&str]); 4] = [
    (
        "Use",
        &[
            "docs/tutorial.md",
            "docs/verbs.md",
            "docs/commands.md",
            "docs/troubleshooting.md",
            ".github/actions/rdma-in-your-ci/README.md",
        ],
    ),
    (
        "State",
        &[
            "docs/status.md",
            "CHANGELOG.md",
            "docs/interop.md",
            "docs/loss.md",
            "docs/campaign.md",
            "docs/coverage.md",
            "docs/mutants.md",
            "SECURITY.md",
            "docs/security.md",
        ],
    ),
    (
        "Inside",
        &[
            "ARCHITECTURE.md",
            "docs/decisions.md",
            "hdl/",
            "abi/",
            "firmware/",
            "driver/",
            "sim/",
            "tests/",
            "xtask/",
            "docs/abi.md",
            "docs/registers.md",
            "docs/placement.md",
        ],
    ),
    ("Change", &["CONTRIBUTING.md", "STYLE.md"]),
];

/// The part of pages that no other part names.
const MORE: &str = "More";
/// The first page.
const FIRST: &str = "README.md";

/// A page of the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Path of the Markdown from the root.
    pub path: String,
    /// Its first head.
    pub title: String,
    /// The part that it stands in; empty for the first page.
    pub part: &'static str,
    /// How deep it stands.
    depth: usize,
}

/// Puts pages, given by path and title, in order. No page is left out.
pub fn order(mut given: Vec<(String, String)>) -> Vec<Page> {
    given.sort();
    let mut pages = vec![];
    let mut take = |part: &'static str, is_wanted: &dyn Fn(&str) -> bool, base: usize| {
        let (taken, rest): (Vec<_>, Vec<_>) = given.drain(..).partition(|(path, _)| is_wanted(path));
        given = rest;
        for (path, title) in taken {
            let depth = path.matches('/').count().saturating_sub(base).min(2);
            pages.push(Page { path, title, part, depth });
        }
    };
    take("", &|path| path == FIRST, 0);
    for (part, wanted) in PARTS {
        for wanted in wanted {
            let base = wanted.matches('/').count();
            if wanted.ends_with('/') {
                take(part, &|path| path.starts_with(wanted) && path.ends_with("README.md"), base);
            } else {
                take(part, &|path| path == *wanted, base);
            }
        }
    }
    take(MORE, &|_| true, usize::MAX);
    pages
}

/// `SUMMARY.md`, as mdBook reads it; `place` gives the path of a page in the book.
pub fn text(pages: &[Page], place: impl Fn(&str) -> String) -> String {
    let (mut text, mut part) = ("# Summary\n".to_string(), "");
    for page in pages {
        if page.part != part {
            part = page.part;
            text += &format!("\n# {part}\n");
        }
        let dash = if part.is_empty() { String::new() } else { format!("{}- ", "  ".repeat(page.depth)) };
        text += &format!("\n{dash}[{}]({})", page.title, place(&page.path));
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_has_a_chapter_and_folders_stand_below_their_crate() {
        let given = ["docs/new.md", "hdl/src/tcp/README.md", "README.md", "hdl/README.md", "STYLE.md"];
        let pages = order(given.map(|path| (path.into(), format!("Title of {path}"))).to_vec());
        let paths: Vec<_> = pages.iter().map(|page| &*page.path).collect();
        assert_eq!(paths, ["README.md", "hdl/README.md", "hdl/src/tcp/README.md", "STYLE.md", "docs/new.md"]);
        let text = text(&pages, |path| path.replace("README.md", "index.md"));
        assert_eq!(
            text,
            "# Summary\n\n[Title of README.md](index.md)\n# Inside\n\n- [Title of hdl/README.md](hdl/index.md)\n    - \
             [Title of hdl/src/tcp/README.md](hdl/src/tcp/index.md)\n# Change\n\n- [Title of STYLE.md](STYLE.md)\n# More\n\n- \
             [Title of docs/new.md](docs/new.md)\n"
        );
    }
}
