// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole stack: verbs, registers and doorbells, Verilog, wire, Verilog, the peer's memory. One
//! connection, IPv4, MTU 1,500, CRCs, no markers, Gen2 x4 with reads of 600 ns on both sides, a
//! tick of 10 us (ACKs are delayed for one, the least RTO is 200); 16 Writes of 64 KiB are posted
//! one by one, each with its doorbell.
//!
//! - `stack.write.64KiB.goodput_ratio`: both devices `sim:` on one clock, which is held while
//!   software works. Payload octets, over the time from the first octet of preamble to the last
//!   octet in the peer's memory, over the wire's limit, as for `first.*`.
//! - `stack.write.64KiB.cycles`: from the doorbells to that octet, the same in every run.
//! - `stack.write.64KiB.vfio_user_goodput_ratio`: two `ferrowarp-sim` devices behind sockets of
//!   vfio-user, by the first one's clock from before the doorbells to the last completion: software
//!   and sockets are in it.
use super::key::{Bar, Bench, Key, Record};
use crate::stack::{lock_step, vfio_user};

const RATIO: &str = "stack.write.64KiB.goodput_ratio";
const CYCLES: &str = "stack.write.64KiB.cycles";
const VFIO_USER: &str = "stack.write.64KiB.vfio_user_goodput_ratio";

/// Writes posted back to back.
const WRITES: usize = 16;

/// Goodput of Writes through the verbs.
pub fn bench() -> Bench {
    let keys = vec![
        Key { name: RATIO.into(), bar: Bar::AtLeast(0.90) },
        Key { name: CYCLES.into(), bar: Bar::Informative },
        Key { name: VFIO_USER.into(), bar: Bar::Informative },
    ];
    Bench { name: "stack", keys, run }
}

fn run(record: &mut Record) -> Result<(), String> {
    let figures = lock_step(WRITES)?;
    record.put(RATIO, figures.goodput_ratio);
    record.put(CYCLES, figures.cycles as f64);
    record.put(VFIO_USER, vfio_user(WRITES)?.goodput_ratio);
    Ok(())
}
