// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures of the board whose whole device was placed, from its record.
use super::record::Placed;
use ferrowarp_tests::bench::{Bar, Bench, Key, Record};

/// The bench's name.
pub const NAME: &str = "board";
/// The board.
const BOARD: &str = "ecpix5";
/// Key, clock or kind of cell, bar.
const KEYS: [(&str, &str, Bar); 4] = [
    ("fmax_core_mhz", "core_clock", Bar::AtLeast(31.25)),
    ("fmax_mac_mhz", "eth_rx_clock", Bar::AtLeast(125.0)),
    ("lut4", "TRELLIS_COMB", Bar::AtMost(72_000.0)),
    ("ebr", "DP16KD", Bar::AtMost(200.0)),
];

/// The bench.
pub fn bench() -> Bench {
    let key = |(name, _, bar)| Key { name: format!("{NAME}.{BOARD}.{name}"), bar };
    Bench { name: NAME, keys: KEYS.map(key).into(), run }
}

fn run(record: &mut Record) -> Result<(), String> {
    let placed = Placed::load(BOARD).map_err(|why| format!("{why:#}"))?;
    let placed = placed.ok_or_else(|| {
        format!(
            "board `{BOARD}` has no record: `cargo xtask board {BOARD} --bitstream` writes one in an hour"
        )
    })?;
    for (name, what, _) in KEYS {
        let value = placed.report.mhz.get(what).copied();
        let value = value.unwrap_or_else(|| placed.report.cells(what) as f64);
        record.put(format!("{NAME}.{BOARD}.{name}"), value);
    }
    Ok(())
}
