// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the counters of a model stand for, as Verilator's C++ names them.
//!
//! A line of the list is a counter of a block (`B`) or the counters of a signal (`S`), in columns
//! between tabs: kind, index of the (first) counter, module, line of the Verilog from 1, and
//! - of a block its column, its kind (`block`, `if`, `else`, `elsif`, `case`) and its lines;
//! - of a signal its name and its lowest and highest bit. Each bit has two counters: of its changes
//!   from 1 to 0, and behind that of those from 0 to 1.
use regex::Regex;
use std::fmt::Write;

/// One entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// Index of the (first) counter.
    pub index: usize,
    /// Module that the entry stands in.
    pub module: String,
    /// Line of the Verilog, from 1.
    pub line: usize,
    /// What is counted.
    pub thing: Thing,
}

/// What is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thing {
    /// How often a block ran.
    Block {
        /// Column of the block's beginning.
        column: usize,
        /// `block`, `if`, `else`, `elsif` or `case`.
        kind: String,
        /// First and last line of each of its parts.
        lines: Vec<(usize, usize)>,
    },
    /// How often each bit changed.
    Signal {
        /// Its name in the module.
        name: String,
        /// Its lowest bit.
        low: usize,
        /// Its highest bit.
        high: usize,
    },
}

/// Calls in Verilator's C++ that name a counter of a block: index, line, column, module, kind,
/// lines.
const BLOCK: &str = r#"__vlCoverInsert\(&\(vlSymsp->__Vcoverage\[(\d+)\]\), first, "[^"]*", (\d+), (\d+), "[^"]*", "v_(?:line|branch)/([^"]+)", "([^"]+)", "([^"]*)""#;

/// Calls that name the counters of a signal: lowest bit, highest bit, index, line, module, name.
const SIGNAL: &str = r#"__vlCoverToggleInsert\((\d+), (\d+), \d, &\(vlSymsp->__Vcoverage\[(\d+)\]\), first, "[^"]*", (\d+), \d+, "[^"]*", "v_toggle/([^"]+)", "([^"]+)""#;

/// The lines of the list that the C++ `text` gives.
pub(crate) fn listed(text: &str) -> String {
    let mut list = String::new();
    // the patterns are above
    let (Ok(block), Ok(signal)) = (Regex::new(BLOCK), Regex::new(SIGNAL)) else { return list };
    // writing to a string does not fail
    for found in block.captures_iter(text) {
        let (_, [index, line, column, module, kind, lines]) = found.extract();
        let _ = writeln!(list, "B\t{index}\t{module}\t{line}\t{column}\t{kind}\t{lines}");
    }
    for found in signal.captures_iter(text) {
        let (_, [low, high, index, line, module, name]) = found.extract();
        let _ = writeln!(list, "S\t{index}\t{module}\t{line}\t{name}\t{low}\t{high}");
    }
    list
}

/// The C++ `text` without the calls that [`listed`] reads.
pub(crate) fn unnamed(text: &str) -> String {
    let names = |line: &str| line.trim_start().starts_with("vlSelf->__vlCover");
    text.lines().filter(|line| !names(line)).map(|line| format!("{line}\n")).collect()
}

/// Reads a list. The error is the number of the first line that is not understood, from 1.
///
/// # Errors
/// See above.
pub fn parsed(list: &str) -> Result<Vec<Point>, usize> {
    list.lines().enumerate().map(|(n, line)| point(line).ok_or(n + 1)).collect()
}

fn point(line: &str) -> Option<Point> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [what, index, module, line, a, b, c] = columns[..] else { return None };
    let thing = match what {
        "B" => Thing::Block { column: a.parse().ok()?, kind: b.into(), lines: ranges(c)? },
        "S" => Thing::Signal { name: a.into(), low: b.parse().ok()?, high: c.parse().ok()? },
        _ => return None,
    };
    Some(Point { index: index.parse().ok()?, module: module.into(), line: line.parse().ok()?, thing })
}

/// `3,5-7` as ranges.
fn ranges(text: &str) -> Option<Vec<(usize, usize)>> {
    let parts = text.split(',').filter(|part| !part.is_empty());
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some((first.parse().ok()?, last.parse().ok()?))
    };
    parts.map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPP: &str = r#"
    vlSelf->__vlCoverInsert(&(vlSymsp->__Vcoverage[7]), first, "/t/t.v", 22, 5, ".t.u", "v_line/t_u", "block", "22,30-31", "", "", "", "");
    vlSelf->__vlCoverInsert(&(vlSymsp->__Vcoverage[8]), first, "/t/t.v", 24, 9, ".t.u", "v_branch/t_u", "else", "", "", "", "", "");
    vlSelf->__vlCoverToggleInsert(0, 3, 1, &(vlSymsp->__Vcoverage[9]), first, "/t/t.v", 5, 22, ".t", "v_toggle/t", "rx_bytes");
"#;

    #[test]
    fn the_counters_are_read_from_the_cpp() {
        let list = listed(CPP);
        let points = parsed(&list).unwrap();
        let block =
            |kind: &str, column, lines: &[_]| Thing::Block { column, kind: kind.into(), lines: lines.into() };
        assert_eq!(unnamed(&format!("a\n{CPP}b\n")), "a\n\nb\n");
        assert_eq!(points.iter().map(|p| p.index).collect::<Vec<_>>(), [7, 8, 9]);
        assert_eq!((points[0].module.as_str(), points[0].line), ("t_u", 22));
        assert_eq!(points[0].thing, block("block", 5, &[(22, 22), (30, 31)]));
        assert_eq!(points[1].thing, block("else", 9, &[]));
        assert_eq!(points[2].thing, Thing::Signal { name: "rx_bytes".into(), low: 0, high: 3 });
    }

    #[test]
    fn a_line_that_is_not_understood_is_numbered() {
        assert_eq!(parsed("S\t1\tt\t2\tx\t0\t0\nS\t1\tt\t2\tx\t0\n"), Err(2));
        assert_eq!(parsed("B\t1\tt\t2\t3\tif\t4-x\n"), Err(1));
    }
}
