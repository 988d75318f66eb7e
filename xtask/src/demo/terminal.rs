// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a terminal showed, as a picture (SVG): `demo --record`.
use crate::html::escaped;

/// Pixels of a character of the font, and of a line.
const WIDE: f64 = 7.83;
const HIGH: usize = 19;
/// Pixels around the text, and of the title bar.
const MARGIN: usize = 18;
const BAR: usize = 30;
/// Columns of the terminal: longer lines go on below.
const COLUMNS: usize = 100;

const STYLE: &str = "\
.page { fill: #fdfcfa; stroke: #d5d1ca; } .text { fill: #24272b; } .soft { fill: #7a8087; }
.good { fill: #2f7d4f; } .bad { fill: #b3261e; } .head { font-weight: 600; } .dot { fill: #d5d1ca; }
@media (prefers-color-scheme: dark) {
  .page { fill: #15181c; stroke: #343a41; } .text { fill: #d9dce0; } .soft { fill: #8b939c; }
  .good { fill: #7fcf9b; } .bad { fill: #ff8a80; } .dot { fill: #3c434b; }
}
text { font: 13px 'DejaVu Sans Mono', Menlo, Consolas, monospace; white-space: pre; }
";

/// The picture of a command and the lines behind it.
pub fn svg(command: &str, lines: &[String]) -> String {
    let shown: Vec<&str> = lines.iter().flat_map(|line| line.split('\n')).flat_map(folded).collect();
    let longest = shown.iter().map(|line| line.chars().count()).max().unwrap_or(0).max(command.len() + 2);
    let width = (longest as f64 * WIDE).ceil() as usize + 2 * MARGIN;
    let height = BAR + (shown.len() + 1) * HIGH + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{}\">\n<style>\n{STYLE}</style>\n\
         <rect class=\"page\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n",
        escaped(command),
        width - 1,
        height - 1
    );
    for x in [18, 34, 50] {
        svg += &format!("<circle class=\"dot\" cx=\"{x}\" cy=\"17\" r=\"5\"/>\n");
    }
    let prompt = format!("$ {command}");
    for (n, line) in std::iter::once(&*prompt).chain(shown).enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let class = if n == 0 { "text head" } else { class(line) };
        let y = BAR + (n + 1) * HIGH - 5;
        svg += &format!(
            "<text class=\"{class}\" x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\">{}</text>\n",
            escaped(line)
        );
    }
    svg + "</svg>\n"
}

/// The pieces of a line that fit the terminal, cut behind a space where there is one.
fn folded(line: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (vec![], line);
    while let Some((end, _)) = rest.char_indices().nth(COLUMNS) {
        let cut = rest[..end].rfind(' ').map_or(end, |space| space + 1);
        let (piece, left) = rest.split_at(cut);
        pieces.push(piece);
        rest = left;
    }
    pieces.push(rest);
    pieces
}

/// How a line looks: steps are soft, ends of steps and heads of tables stand out.
fn class(line: &str) -> &'static str {
    let is_head = ["operation ", "step ", "loss "].iter().any(|head| line.starts_with(head));
    match line {
        _ if line.starts_with("--- ") => "soft",
        _ if line.starts_with("ok   ") => "good",
        _ if line.starts_with("FAIL ") || line.starts_with("error") => "bad",
        _ if is_head => "text head",
        _ => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_its_place_and_no_character_ends_the_picture() {
        let lines =
            ["--- setup", "ok   setup (0.1 s)", "", "operation   octets", "a < b & c"].map(String::from);
        let svg = svg("cargo xtask demo", &lines);
        assert_eq!(svg.matches("<text ").count(), 5, "an empty line has no text\n{svg}");
        assert!(svg.contains("aria-label=\"cargo xtask demo\"") && svg.contains("$ cargo xtask demo"));
        assert!(svg.contains("class=\"good\"") && svg.contains("class=\"text head\""));
        assert!(svg.contains("a &lt; b &amp; c") && svg.trim_end().ends_with("</svg>"));
        let heights: Vec<_> = svg.lines().filter_map(|line| line.split(" y=\"").nth(1)).collect();
        assert!(heights.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn a_long_line_goes_on_below() {
        let words = "word ".repeat(45);
        let pieces = folded(&words);
        assert_eq!((pieces.len(), pieces.concat()), (3, words.clone()));
        assert!(pieces.iter().all(|piece| piece.chars().count() <= COLUMNS && !piece.starts_with(' ')));
        assert_eq!(folded(&"ä".repeat(COLUMNS + 1)), ["ä".repeat(COLUMNS), "ä".into()]);
        assert_eq!(folded(""), [""]);
    }
}
