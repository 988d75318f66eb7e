// SPDX-License-Identifier: MIT OR Apache-2.0
//! The front page: links to the book and to the crates.
use super::api::Crate;
use super::book::in_book;
use super::summary::Page;
use crate::html::{escaped, page};

/// The page.
pub fn html(crates: &[Crate], pages: &[Page]) -> String {
    let mut parts: Vec<(&str, Vec<&Page>)> = vec![];
    for page in pages {
        match parts.last_mut() {
            Some((part, pages)) if *part == page.part => pages.push(page),
            _ => parts.push((page.part, vec![page])),
        }
    }
    let part = |(part, pages): &(&str, Vec<&Page>)| {
        let name = if part.is_empty() { "Begin" } else { part };
        let links: Vec<_> = pages.iter().map(|page| link(page)).collect();
        format!("<tr><td>{name}</td><td>{}</td></tr>\n", links.join(", "))
    };
    let documented = |c: &Crate| {
        format!(
            "<tr><td><a href=\"api/{0}/index.html\"><code>{0}</code></a></td><td>{1}</td></tr>\n",
            c.folder,
            escaped(&c.about)
        )
    };
    let body = format!(
        "<h1>Ferrowarp</h1>\n<p>An open iWARP RNIC: documentation of this commit.</p>\n\
         <h2><a href=\"book/index.html\">The book</a></h2>\n<div class=\"panel\"><table>\n{}</table></div>\n\
         <h2>The crates</h2>\n<div class=\"panel\"><table>\n{}</table></div>\n",
        parts.iter().map(part).collect::<String>(),
        crates.iter().map(documented).collect::<String>()
    );
    page("Ferrowarp: documentation", &body)
}

fn link(page: &Page) -> String {
    let path = in_book(&page.path);
    let path = path.strip_suffix(".md").unwrap_or(&path);
    format!("<a href=\"book/{path}.html\">{}</a>", escaped(&page.title))
}
