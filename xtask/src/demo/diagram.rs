// SPDX-License-Identifier: MIT OR Apache-2.0
//! A waveform as text: the ports of the Ethernet transmitter while a frame leaves.
use super::wave::{Frame, Wave};
use ferrowarp_sim::waveform::{self, Cell, Page, Row};

/// Characters of a cycle.
const WIDE: usize = 10;
/// Characters of the names.
const NAMES: usize = 12;
/// Cycles before the frame, at its beginning, and at its end.
const BEFORE: usize = 1;
const BEGIN: usize = 6;
const END: usize = 2;

/// Draws the first and last beats of a frame. Octets of data stand in the order of the wire.
pub fn draw(wave: &Wave, frame: &Frame) -> String {
    let left = frame.first.saturating_sub(BEFORE)..frame.first + BEGIN;
    let right = (frame.last + 1 - END).max(left.end)..frame.last + 2;
    let row = |name: &str, cell: &dyn Fn(usize) -> Cell| Row {
        name: name.into(),
        cells: (0..right.end).map(cell).collect(),
    };
    let bit = |port: &str| row(port, &|cycle| Cell::Bit(wave.at(port, cycle) == 1));
    let value = |name: &str, text: &dyn Fn(usize) -> String| {
        row(name, &|cycle| match wave.at("tx_valid", cycle) {
            1 => Cell::Value(text(cycle)),
            _ => Cell::Nothing,
        })
    };
    let octets = |name: &str, from: usize| {
        value(name, &|cycle| {
            let count = usize::try_from(wave.at("tx_bytes", cycle)).unwrap_or(0);
            let data = wave.at("tx_data", cycle).to_le_bytes();
            let shown = |n: usize| if n < count { format!("{:02x}", data[n]) } else { "--".into() };
            (from..from + 4).map(shown).collect()
        })
    };
    let rows = [
        bit("tx_valid"),
        bit("tx_ready"),
        bit("tx_last"),
        value("tx_bytes", &|cycle| wave.at("tx_bytes", cycle).to_string()),
        octets("tx_data 0-3", 0),
        octets("tx_data 4-7", 4),
    ];
    let page = Page { names: NAMES, wide: WIDE, parts: vec![left, right.clone()], zero: frame.first };
    waveform::draw(&page, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_and_last_beats_of_a_frame_are_drawn() {
        let beats = 20;
        let level = |from: usize, to: usize| (0..24).map(|c| u128::from((from..=to).contains(&c))).collect();
        let wave = Wave::of(&[
            ("tx_valid", level(2, 1 + beats)),
            ("tx_ready", level(0, 23)),
            ("tx_last", level(1 + beats, 1 + beats)),
            ("tx_bytes", (0..24).map(|c| if c == 1 + beats as u128 { 2 } else { 8 }).collect()),
            ("tx_data", vec![0x8877_6655_4433_2211; 24]),
        ]);
        let frame = Frame { first: 2, last: 1 + beats, octets: vec![] };
        let text = draw(&wave, &frame);
        let rows: Vec<_> = text.lines().collect();
        assert_eq!(rows.len(), 8);
        assert!(rows[0].starts_with("cycle       -1        0         1"), "{text}");
        assert!(rows[2].starts_with("tx_valid    __________/‾‾‾‾‾‾‾‾‾‾"), "{text}");
        assert!(rows[2].ends_with("\\_________"), "{text}");
        assert!(rows[6].contains("|11223344") && rows[6].ends_with("|1122---- |"), "{text}");
        assert!(rows[7].contains("|55667788") && rows[7].ends_with("|-------- |"), "{text}");
    }
}
