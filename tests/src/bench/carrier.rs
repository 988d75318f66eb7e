// SPDX-License-Identifier: MIT OR Apache-2.0
//! The carrier of a board: payload of TLPs over a cable of 1 Gb/s, at 31.25 MHz, with payloads of
//! 256 octets and reads of 512 octets ([`crate::carrier`]). Five payloads in a frame are 0.884 of
//! the wire. `lossy`: one frame of the carrier in fifty is lost, each way.
//!
//! - `carrier.write_bw_ratio`, `carrier.read_bw_ratio`: writes of the device, and octets that the
//!   device reads, over what the wire carries in the time.
use super::key::{Bar, Bench, Key, Record};
use crate::carrier::{reads, writes};
use ferrowarp_sim::rnic::BoardCable;

/// Keys of writes and reads, what the cable does, the bar, octets.
const KEYS: [([&str; 2], &str, f64, usize); 2] = [
    (["carrier.write_bw_ratio", "carrier.read_bw_ratio"], "", 0.86, 1 << 20),
    (["carrier.lossy_write_bw_ratio", "carrier.lossy_read_bw_ratio"], "loss=0.02,seed=1", 0.5, 2 << 20),
];

/// Payload through the carrier.
pub fn bench() -> Bench {
    let key = |name: &str, bar| Key { name: name.into(), bar: Bar::AtLeast(bar) };
    let keys = KEYS.iter().flat_map(|(names, _, bar, _)| names.map(|name| key(name, *bar))).collect();
    Bench { name: "carrier", keys, run }
}

fn run(record: &mut Record) -> Result<(), String> {
    for ([write, read], cable, _, octets) in KEYS {
        let cable = BoardCable::long(cable.parse().map_err(|e| format!("{e}"))?);
        record.put(write, writes(&cable, octets)?.ratio);
        record.put(read, reads(&cable, octets)?.ratio);
    }
    Ok(())
}
