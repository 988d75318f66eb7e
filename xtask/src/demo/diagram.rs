// SPDX-License-Identifier: MIT OR Apache-2.0
//! A waveform as text: the ports of the Ethernet transmitter while a frame leaves.
use super::wave::{Frame, Wave};

/// Characters of a cycle.
const WIDE: usize = 10;
/// Characters of the names.
const NAMES: usize = 12;
/// Cycles before the frame, at its beginning, and at its end.
const BEFORE: usize = 1;
const BEGIN: usize = 6;
const END: usize = 2;
/// What stands for the cycles in between.
const GAP: &str = " ~ ";

/// Draws the first and last beats of a frame. Octets of data stand in the order of the wire.
pub fn draw(wave: &Wave, frame: &Frame) -> String {
    let left = frame.first.saturating_sub(BEFORE)..frame.first + BEGIN;
    let right = (frame.last + 1 - END).max(left.end)..frame.last + 2;
    let parts = [left, right];
    let row = |name: &str, cell: &dyn Fn(usize) -> String| {
        let cells = parts.clone().map(|part| part.map(cell).collect::<String>());
        format!("{name:<NAMES$}{}", cells.join(GAP)).trim_end().to_string()
    };
    let bit = |port: &'static str| {
        move |cycle: usize| {
            let (now, before) = (wave.at(port, cycle), cycle.checked_sub(1).map_or(0, |c| wave.at(port, c)));
            level(now == 1, before == 1)
        }
    };
    let valid = |cycle| wave.at("tx_valid", cycle) == 1;
    let octets = |from: usize| {
        move |cycle: usize| {
            let count = usize::try_from(wave.at("tx_bytes", cycle)).unwrap_or(0);
            let data = wave.at("tx_data", cycle).to_le_bytes();
            let shown = |n: usize| if n < count { format!("{:02x}", data[n]) } else { "--".into() };
            if valid(cycle) {
                format!("|{:<1$}", (from..from + 4).map(shown).collect::<String>(), WIDE - 1)
            } else {
                " ".repeat(WIDE)
            }
        }
    };
    let count = |cycle| {
        let value = if valid(cycle) { format!("|{}", wave.at("tx_bytes", cycle)) } else { String::new() };
        format!("{value:<WIDE$}")
    };
    let number = |cycle: usize| format!("{:<WIDE$}", cycle as i64 - frame.first as i64);
    let half = WIDE / 2 - 1;
    let clock = format!("\\{}/{}", "_".repeat(half), "‾".repeat(half));
    [
        row("cycle", &number),
        row("clock", &|_| clock.clone()),
        row("tx_valid", &bit("tx_valid")),
        row("tx_ready", &bit("tx_ready")),
        row("tx_last", &bit("tx_last")),
        row("tx_bytes", &count),
        row("tx_data 0-3", &octets(0)),
        row("tx_data 4-7", &octets(4)),
    ]
    .join("\n")
}

/// A cycle of a port of one bit.
fn level(now: bool, before: bool) -> String {
    let edge = match (before, now) {
        (false, true) => "/",
        (true, false) => "\\",
        (_, true) => "‾",
        (_, false) => "_",
    };
    edge.to_string() + &if now { "‾" } else { "_" }.repeat(WIDE - 1)
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
        assert!(rows[6].contains("|11223344") && rows[6].ends_with("|1122----"), "{text}");
        assert!(rows[7].contains("|55667788") && rows[7].ends_with("|--------"), "{text}");
    }
}
