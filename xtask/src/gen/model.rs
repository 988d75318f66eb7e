// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the generators of software and hardware share: how the fields of a layout lie on octets,
//! and what a constant is.
use crate::lint::COLUMNS;
use ferrowarp_abi::table::{Access, Field, Kind, Layout};

/// Groups that share a file.
pub struct Family {
    pub name: String,
    pub doc: String,
    pub groups: Vec<Group>,
}

/// A group as it is written: owned, since some are made here.
pub struct Group {
    pub name: String,
    pub doc: String,
    pub constants: Vec<Entry>,
}

/// One constant of a [`Group`].
pub struct Entry {
    pub name: String,
    pub width: usize,
    pub value: u128,
    pub hex: bool,
    pub source: String,
    pub doc: String,
}

/// The value as people write it: codes and masks with all their digits.
pub fn literal(e: &Entry) -> String {
    match e.hex {
        true => format!("{:#0width$X}", e.value, width = 2 + e.width.div_ceil(4)),
        false => e.value.to_string(),
    }
}

/// Neighbouring fields that together begin and end on an octet boundary; no shorter such group lies
/// in it.
pub struct Run {
    /// First octet.
    pub octet: usize,
    /// Number of octets.
    pub octets: usize,
    /// All its fields, reserved ones included.
    pub fields: Vec<&'static Field>,
}

impl Run {
    /// Bits from the least significant bit of `field` to the end of the run.
    pub fn shift(&self, field: &Field) -> usize {
        8 * (self.octet + self.octets) - field.end()
    }

    /// The fields that codecs and records have.
    pub fn members(&self) -> Vec<&'static Field> {
        self.fields.iter().copied().filter(|f| f.access != Access::Reserved).collect()
    }

    /// The one field that fills the run, if it is a member.
    pub fn whole(&self) -> Option<&'static Field> {
        match self.members()[..] {
            [one] if one.width == 8 * self.octets => Some(one),
            _ => None,
        }
    }
}

/// The runs of a layout, in order.
pub fn runs(layout: &Layout) -> Vec<Run> {
    let mut all = vec![];
    let mut fields = vec![];
    for field in layout.fields {
        fields.push(field);
        if field.end() % 8 == 0 {
            let octet = fields[0].offset / 8;
            all.push(Run { octet, octets: field.end() / 8 - octet, fields: std::mem::take(&mut fields) });
        }
    }
    all
}

/// Width of the smallest unsigned integer of Rust that holds `bits`.
pub fn uint(bits: usize) -> usize {
    bits.next_power_of_two().max(8)
}

/// The field's type in software.
pub fn rust_type(field: &Field) -> String {
    match field.kind {
        Kind::Uint if field.width == 1 => "bool".into(),
        Kind::Uint => format!("u{}", uint(field.width)),
        Kind::Mac => "MacAddr".into(),
        Kind::Ipv4 => "Ipv4Addr".into(),
        Kind::Ipv6 => "Ipv6Addr".into(),
        other => format!("{other:?}"),
    }
}

/// Module of abi (or of `core`) that a field's type comes from; `None` for those that need no
/// `use`.
pub fn type_home(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Uint => None,
        Kind::Ipv4 | Kind::Ipv6 => Some("core::net"),
        _ => Some("crate::types"),
    }
}

/// `TcpOptMss` becomes `tcp_opt_mss`.
pub fn snake(camel: &str) -> String {
    let mut out = String::new();
    for c in camel.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The terms in one expression; a lone term needs no parentheses.
pub fn joined(terms: &[String]) -> String {
    match terms {
        [one] => bare(one).to_string(),
        all => all.join(" | "),
    }
}

/// `text` without the parentheses around all of it.
pub fn bare(text: &str) -> &str {
    text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text)
}

/// `text` as lines of documentation that keep to the line width when indented by `indent`.
pub fn comment(indent: usize, text: &str) -> String {
    let lines = wrap(COLUMNS - indent - "/// ".len(), text);
    lines.iter().map(|line| format!("/// {line}").trim_end().to_string() + "\n").collect()
}

/// `text` as lines of a page of Markdown, without an end of the last line.
pub fn paragraph(text: &str) -> String {
    wrap(COLUMNS, text).join("\n")
}

/// `text` as lines of at most `room` octets; ends of lines in `text` stay.
fn wrap(room: usize, text: &str) -> Vec<String> {
    let mut lines = vec![];
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.len() + 1 + word.len() > room {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line += word;
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_a_layout_and_are_as_short_as_can_be() {
        let ip = runs(&ferrowarp_abi::wire::ip::IPV4);
        let spans: Vec<_> = ip.iter().map(|r| (r.octet, r.octets, r.fields.len())).collect();
        let expected = [
            (0, 1, 2),
            (1, 1, 2),
            (2, 2, 1),
            (4, 2, 1),
            (6, 2, 4),
            (8, 1, 1),
            (9, 1, 1),
            (10, 2, 1),
            (12, 4, 1),
        ];
        assert_eq!(spans[..9], expected);
        assert_eq!(ip[4].shift(ip[4].fields[1]), 14, "DF is the second bit of its 16");
        assert!(ip[4].whole().is_none() && ip[2].whole().is_some());
    }

    #[test]
    fn comments_keep_to_the_line_width() {
        let text = format!("{}\n\nlast", "word ".repeat(50));
        let lines = comment(4, &text);
        assert!(lines.lines().all(|l| l.starts_with("///") && l.len() + 4 <= COLUMNS));
        assert!(lines.ends_with("\n///\n/// last\n"));
        assert_eq!(lines.matches("word").count(), 50);
        assert!(paragraph(&text).lines().all(|l| l.len() <= COLUMNS));
    }

    #[test]
    fn names_change_their_case() {
        assert_eq!(snake("TcpOptMss"), "tcp_opt_mss");
        assert_eq!(snake("Ipv4Hdr"), "ipv4_hdr");
    }
}
