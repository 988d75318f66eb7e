// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which places of BAR0 and BAR4 are registers, and what may be done to them.
use super::*;
use std::ops::Range;

/// Places that may be written, by docs/registers.md, of 16 queue pairs and 32 completion queues.
const WRITTEN: [(u64, Range<u64>); 11] = [
    (BAR0, 0x028..0x038),
    (BAR0, 0x03c..0x068),
    (BAR0, 0x06c..0x070),
    (BAR0, 0x080..0x084),
    (BAR0, 0x090..0x098),
    (BAR0, 0x0a0..0x0c0),
    (BAR0, 0x0c0..0x0c4),
    (BAR0, 0x100..0x180),
    (BAR0, 0x400..0x500),
    (BAR0, 0x600..0x640),
    (BAR4, 0x000..0x100),
];
/// Places that may only be read.
const SHOWN: [(u64, Range<u64>); 10] = [
    (BAR0, 0x000..0x028),
    (BAR0, 0x038..0x03c),
    (BAR0, 0x070..0x078),
    (BAR0, 0x084..0x090),
    (BAR0, 0x098..0x0a0),
    (BAR0, 0x0c4..0x0c8),
    (BAR0, 0x200..0x400),
    (BAR0, 0x500..0x600),
    (BAR0, 0x800..0xa00),
    (BAR4, 0x800..0x808),
];
/// A write of 0 is no length of a command.
const GO: u64 = 0x0c0;
/// Pulses.
const ADDRESS: usize = 5;
const REFUSED: usize = 6;
const ADMIN: usize = 8;

fn is_in(places: &[(u64, Range<u64>)], bar: u64, offset: u64) -> bool {
    places.iter().any(|(b, range)| *b == bar && range.contains(&offset))
}

/// How often each error is told: one of this, or none.
fn told(error: Option<usize>) -> [u64; 17] {
    let mut all = [0; 17];
    error.iter().for_each(|&error| all[error] = 1);
    all
}

/// The places of both BARs.
fn places() -> impl Iterator<Item = (u64, u64)> {
    [BAR0, BAR4].into_iter().flat_map(|bar| (0..4096).step_by(4).map(move |offset| (bar, offset)))
}

#[test]
fn every_place_is_written_refused_or_no_register() {
    run_widths("pcie-bar-decode-writes", 1, |bench| {
        let host = Host::new(bench, Pattern::None, Pattern::None);
        for (bar, offset) in places() {
            let error = match (is_in(&WRITTEN, bar, offset), is_in(&SHOWN, bar, offset)) {
                _ if (bar, offset) == (BAR0, GO) => Some(ADMIN),
                (true, _) => None,
                (_, true) => Some(REFUSED),
                _ => Some(ADDRESS),
            };
            let errors = host.send(bench, bar, &write(place(bar, offset), 0x0f, &[0; 4]))?;
            assert_eq!(errors, told(error), "a write at {offset:#x} of BAR {bar}");
        }
        Ok(())
    });
}

#[test]
fn every_place_is_read_or_no_register() {
    run_widths("pcie-bar-decode-reads", 1, |bench| {
        let host = Host::new(bench, Pattern::None, Pattern::None);
        for (bar, offset) in places() {
            let there = is_in(&WRITTEN, bar, offset) || is_in(&SHOWN, bar, offset);
            // bits 1:0 of an address are none of the place
            let mut tlp = header(false, place(bar, offset), 1, 0x0f, 0x33);
            tlp[2] |= bench.rng().random_range(0..4);
            let errors = host.send(bench, bar, &tlp)?;
            assert_eq!(host.completion(bench)?.len(), 4);
            assert_eq!(errors, told((!there).then_some(ADDRESS)), "a read at {offset:#x} of BAR {bar}");
        }
        Ok(())
    });
}

#[test]
fn the_ends_of_a_group_are_its_own() {
    run_widths("pcie-bar-decode-ends", 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        // the first and the last register of groups that read as written
        let ends = [0x0a0, 0x0ac, 0x0b0, 0x0bc, 0x100, 0x17c, 0x600, 0x63c];
        for round in 1..4_u32 {
            let value = |offset: u64| (offset as u32 / 4 + 5 * round) % 16;
            for (bar, offset) in places().filter(|&(bar, offset)| bar == BAR0 && ends.contains(&offset)) {
                host.put(bench, bar, offset, &value(offset).to_le_bytes())?;
                // the neighbours, of this group or of none
                for other in [offset - 4, offset + 4] {
                    if !ends.contains(&other) && !is_in(&SHOWN, bar, other) {
                        host.send(bench, bar, &write(place(bar, other), 0x0f, &[0xff; 4]))?;
                    }
                }
            }
            for offset in ends {
                assert_eq!(host.get(bench, offset)?, value(offset), "register {offset:#x}");
            }
        }
        Ok(())
    });
}
