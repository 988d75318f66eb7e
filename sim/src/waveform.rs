// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waveforms as text: a row a signal, and as many characters a clock cycle as asked for.
use std::ops::Range;

/// What a row shows in one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A signal of one bit.
    Bit(bool),
    /// A value that begins here. What is too long loses its beginning.
    Value(String),
    /// The value of the cycle before, still there.
    Held,
    /// Nothing that counts.
    Nothing,
}

/// A signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What stands in front of the cycles.
    pub name: String,
    /// A cell a cycle; a cycle beyond the last cell shows nothing.
    pub cells: Vec<Cell>,
}

/// What is drawn, and how wide.
#[derive(Clone, Debug)]
pub struct Page {
    /// Characters of the names.
    pub names: usize,
    /// Characters of a cycle, at least 4.
    pub wide: usize,
    /// The cycles. A gap is between two parts.
    pub parts: Vec<Range<usize>>,
    /// The cycle with the number 0.
    pub zero: usize,
}

/// What stands for the cycles between two parts.
const GAP: &str = " ~ ";
/// Marks what a value has lost.
const CUT: &str = "..";

/// Draws a ruler, the clock and the rows. The values of a cycle stand before the edge at its end.
pub fn draw(page: &Page, rows: &[Row]) -> String {
    let Page { names, wide, zero, .. } = *page;
    let line = |name: &str, cell: &dyn Fn(usize) -> String| {
        let parts = page.parts.iter().map(|part| part.clone().map(cell).collect::<String>());
        let cells = parts.collect::<Vec<_>>().join(GAP);
        format!("{name:<names$}{cells}").trim_end().to_string()
    };
    let low = wide / 2 - 1;
    let clock = format!("\\{}/{}", "_".repeat(low), "‾".repeat(wide - low - 2));
    let number = |cycle: usize| format!("{:<wide$}", cycle as i64 - zero as i64);
    let head = [line("cycle", &number), line("clock", &|_| clock.clone())];
    let drawn = rows.iter().map(|row| line(&row.name, &|cycle| cell(&row.cells, cycle, wide)));
    head.into_iter().chain(drawn).collect::<Vec<_>>().join("\n")
}

fn cell(cells: &[Cell], cycle: usize, wide: usize) -> String {
    let before = cycle.checked_sub(1).and_then(|before| cells.get(before));
    match cells.get(cycle) {
        Some(&Cell::Bit(now)) => {
            let edge = match (before == Some(&Cell::Bit(true)), now) {
                (false, true) => "/",
                (true, false) => "\\",
                (_, true) => "‾",
                (_, false) => "_",
            };
            edge.to_string() + &if now { "‾" } else { "_" }.repeat(wide - 1)
        }
        Some(Cell::Value(value)) => format!("|{:<1$}", cut(value, wide - 1), wide - 1),
        Some(Cell::Held) => " ".repeat(wide),
        Some(Cell::Nothing) | None => {
            let ends = matches!(before, Some(Cell::Value(_) | Cell::Held));
            format!("{:<wide$}", if ends { "|" } else { "" })
        }
    }
}

/// The end of a value that is longer than `most` characters.
fn cut(value: &str, most: usize) -> String {
    let count = value.chars().count();
    if count <= most {
        return value.into();
    }
    CUT.chars().chain(value.chars().skip(count + CUT.len() - most)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_stands_for_the_cycles_between_two_parts() {
        let value = |text: &str| Cell::Value(text.into());
        let rows = [
            Row { name: "valid".into(), cells: [0, 1, 1, 1, 0, 0].map(|bit| Cell::Bit(bit == 1)).into() },
            Row {
                name: "data".into(),
                cells: vec![Cell::Nothing, value("abc"), Cell::Held, value("1234567"), Cell::Nothing],
            },
        ];
        let page = Page { names: 6, wide: 5, parts: vec![0..2, 3..6], zero: 1 };
        let text = draw(&page, &rows);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "cycle -1   0     ~ 2    3    4");
        assert_eq!(lines[1], r"clock \_/‾‾\_/‾‾ ~ \_/‾‾\_/‾‾\_/‾‾");
        assert_eq!(lines[2], r"valid _____/‾‾‾‾ ~ ‾‾‾‾‾\_________");
        assert_eq!(lines[3], "data       |abc  ~ |..67|");
    }
}
