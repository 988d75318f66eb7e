// SPDX-License-Identifier: MIT OR Apache-2.0
//! `docs/coverage.tsv`: the committed figures, with the hash of the text that they are of.
use super::figures::{Row, Share};
use crate::floors::Figures;
use crate::repo;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The file, below the repository.
pub const PATH: &str = "docs/coverage.tsv";

/// Row of all modules.
const ALL: &str = "all";

/// The text of the file.
pub fn text(hash: &str, tests: &str, rows: &BTreeMap<&str, Row>, sum: &Row) -> String {
    let mut text = format!(
        "# Coverage of the emitted device: `cargo xtask coverage --record` (docs/coverage.md).\n\
         # text of device_w64: {hash}\n# tests: {tests}\n\
         module\tlines\tlines hit\tblocks\tblocks hit\ttoggles\ttoggles hit\texcluded\n"
    );
    for (name, row) in std::iter::once((&ALL, sum)).chain(rows) {
        let shares = [row.lines, row.blocks, row.toggles];
        let columns: String = shares.iter().map(|share| format!("\t{}\t{}", share.all, share.hit)).collect();
        // writing to a string does not fail
        let _ = writeln!(text, "{name}{columns}\t{}", row.excluded);
    }
    text
}

/// The committed figures that have floors; none before the first `--record`.
pub fn figures() -> Result<Figures> {
    let path = repo::root().join(PATH);
    match std::fs::read_to_string(&path) {
        Ok(text) => sum(&text).map(|row| row.floors()).with_context(|| {
            format!("{PATH} has no row `{ALL}`; write the file by `cargo xtask coverage --record`")
        }),
        Err(_) => Ok(Figures::new()),
    }
}

/// The row of all modules.
fn sum(text: &str) -> Option<Row> {
    let row = text.lines().find_map(|line| line.strip_prefix(ALL)?.strip_prefix('\t'))?;
    let numbers: Vec<usize> = row.split('\t').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let [a, b, c, d, e, f, excluded] = numbers[..] else { return None };
    let share = |all, hit| Share { all, hit };
    Some(Row { lines: share(a, b), blocks: share(c, d), toggles: share(e, f), excluded })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_read_as_it_is_written() {
        let share = |all, hit| Share { all, hit };
        let row = Row { lines: share(9, 8), blocks: share(7, 6), toggles: share(50, 43), excluded: 3 };
        let text = text("12ab", "pair 3", &BTreeMap::from([("device_w64", row)]), &row);
        assert!(text.contains("\ndevice_w64\t9\t8\t7\t6\t50\t43\t3\n"), "{text}");
        assert_eq!(sum(&text), Some(row));
        assert_eq!(
            row.floors(),
            Figures::from([("block".into(), 857), ("line".into(), 888), ("toggle".into(), 860)])
        );
        assert_eq!(sum("all\t1\n"), None);
    }

    #[test]
    fn the_committed_file_is_understood() {
        figures().unwrap();
    }
}
