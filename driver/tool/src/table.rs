// SPDX-License-Identifier: MIT OR Apache-2.0
//! Columns, and the form of numbers.
use ferrowarp::inspect::Named;

/// Rows under a head, each column as wide as its widest cell.
pub(crate) fn table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> String {
    let width = |n: usize| rows.iter().map(|row| row[n].chars().count()).chain([head[n].len()]).max();
    let widths: [usize; N] = std::array::from_fn(|n| width(n).unwrap_or(0));
    let line = |cells: [&str; N]| {
        let padded = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    let rows = rows.iter().map(|row| line(row.each_ref().map(String::as_str)));
    std::iter::once(line(head)).chain(rows).collect()
}

/// `NAME=VALUE`. STags, keys, tagged offsets and addresses are hexadecimal, and so are numbers of
/// `most` or more.
pub(crate) fn named(field: &Named, most: u64) -> String {
    let Named { name, value } = field;
    let is_place = ["stag", "_to", "base", "key"].iter().any(|end| name.ends_with(end));
    let is_offset = matches!(*name, "tagged_offset" | "sink_offset" | "source_offset");
    match is_place || is_offset || *value >= most {
        true => format!("{name}={value:#x}"),
        false => format!("{name}={value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stags_keys_and_places_are_hexadecimal() {
        let shown = |name, value| named(&Named { name, value }, 1000);
        assert_eq!(shown("invalidate_stag", 10), "invalidate_stag=0xa");
        assert_eq!(["key", "remote_to"].map(|n| shown(n, 16)), ["key=0x10", "remote_to=0x10"]);
        assert_eq!(["log2", "length"].map(|n| shown(n, 999)), ["log2=999", "length=999"]);
        assert_eq!(shown("length", 1000), "length=0x3e8");
    }

    #[test]
    fn columns_stand_below_each_other() {
        let rows = [["1".to_string(), "long cell".into()], ["1000".into(), "x".into()]];
        assert_eq!(table(["n", "what"], &rows), "n     what\n1     long cell\n1000  x\n");
    }
}
