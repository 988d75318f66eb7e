// SPDX-License-Identifier: MIT OR Apache-2.0
//! HTML that we write: one look, and no resource beside the page.

const STYLE: &str = include_str!("html.css");

/// A page of this title. `body` is HTML.
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\
         <footer>Ferrowarp {}, MIT or Apache-2.0</footer>\n</main>\n</body>\n</html>\n",
        escaped(title),
        env!("CARGO_PKG_VERSION"),
    )
}

/// Text as HTML and SVG have it.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
