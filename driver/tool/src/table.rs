// SPDX-License-Identifier: MIT OR Apache-2.0
//! Columns.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other() {
        let rows = [["1".to_string(), "long cell".into()], ["1000".into(), "x".into()]];
        assert_eq!(table(["n", "what"], &rows), "n     what\n1     long cell\n1000  x\n");
    }
}
