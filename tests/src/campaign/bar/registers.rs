// SPDX-License-Identifier: MIT OR Apache-2.0
//! What registers hold, in plain code by docs/registers.md.
use crate::rnic::Rnic;
use ferrowarp_sim::Bench;
use std::collections::BTreeMap;

/// Octets of a dword.
const DWORD: u64 = 4;
/// Registers that keep what is written: BAR (0, 1, 2: BAR0, BAR2, BAR4), offset of the first, how
/// many, bits.
const KEPT: [(u8, u64, u64, u32); 10] = [
    (0, 0x028, 1, 0xffff),
    (0, 0x02c, 1, 0xffff),
    (0, 0x030, 1, 0xff),
    (0, 0x06c, 1, 0xf),
    (0, 0x090, 1, 0x7),
    (0, 0x094, 1, 0xfff),
    (0, 0x0a0, 4, u32::MAX),
    (0, 0x0b0, 4, 0x1_ffff),
    (0, 0x100, 32, 0xf),
    (0, 0x600, 16, 0xff),
];
/// The timeout of reads: another number than these is not taken.
pub const READ_TIMEOUT: u64 = 0x034;
const TIMEOUTS: std::ops::RangeInclusive<u32> = 1..=100;
/// Places that read 0, of 16 queue pairs and 32 completion queues: what is written alone, and what
/// is not there.
const ZERO: [std::ops::Range<u64>; 9] = [
    0x03c..0x06c,
    0x078..0x080,
    0x0c0..0x0c4,
    0x0c8..0x100,
    0x180..0x200,
    0x344..0x400,
    0x400..0x500,
    0x640..0x800,
    0xa00..0x1000,
];
/// Entries of MSI-X, 16 octets each, and the bits of its dwords.
const VECTORS: u64 = 16;
const ENTRY: [u32; 4] = [!3, u32::MAX, u32::MAX, 1];
/// Pending bits, which MSI-X alone changes.
const PENDING: u64 = 0x800;
/// Counters of requests that were refused for their form: malformed, unsupported, poisoned, of a
/// bad length, partial.
const REFUSED: [u16; 5] = [0x2b0, 0x2b4, 0x2b8, 0x2bc, 0x2c0];

/// What registers hold.
pub struct Registers {
    kept: BTreeMap<(u8, u64), u32>,
}

/// Bits that a place keeps; none if the place keeps nothing.
fn bits(bar: u8, offset: u64) -> u32 {
    if bar == 2 && offset < 16 * VECTORS {
        return ENTRY[(offset / DWORD % 4) as usize];
    }
    let of = |&&(b, first, count, _): &&(u8, u64, u64, u32)| {
        b == bar && (first..first + DWORD * count).contains(&offset)
    };
    KEPT.iter().find(of).map_or(0, |kept| kept.3)
}

impl Registers {
    /// As the device has them.
    pub fn new(bench: &mut Bench, nic: &Rnic) -> Result<Self, String> {
        let mut kept = BTreeMap::new();
        for (bar, end) in [(0, 0x1000), (2, 16 * VECTORS)] {
            for offset in (0..end).step_by(DWORD as usize) {
                if bits(bar, offset) != 0 || (bar, offset) == (0, READ_TIMEOUT) {
                    kept.insert((bar, offset), read(bench, nic, bar, offset)?);
                }
            }
        }
        Ok(Self { kept })
    }

    /// Software writes a dword.
    pub fn write(&mut self, bar: u8, offset: u64, value: u32) {
        let Some(kept) = self.kept.get_mut(&(bar, offset)) else { return };
        if (bar, offset) != (0, READ_TIMEOUT) {
            *kept = value & bits(bar, offset);
        } else if TIMEOUTS.contains(&value) {
            *kept = value;
        }
    }

    /// What a read gives; nothing if the device itself changes the place.
    pub fn value(&self, bar: u8, offset: u64) -> Option<u32> {
        let is_zero = match bar {
            0 => ZERO.iter().any(|range| range.contains(&offset)),
            1 => true,
            _ => (16 * VECTORS..PENDING).contains(&offset),
        };
        self.kept.get(&(bar, offset)).copied().or(is_zero.then_some(0))
    }

    /// Reads all that keep what was written.
    pub fn compare(&self, bench: &mut Bench, nic: &Rnic) -> Result<(), String> {
        for (&(bar, offset), &must) in &self.kept {
            let is = read(bench, nic, bar, offset)?;
            if is != must {
                return Err(format!("I1: register {offset:#x} of BAR {bar} is {is:#x}, must be {must:#x}"));
            }
        }
        Ok(())
    }
}

fn read(bench: &mut Bench, nic: &Rnic, bar: u8, offset: u64) -> Result<u32, String> {
    let octets = nic.read(bench, bar, offset, DWORD)?;
    Ok(octets.iter().rev().fold(0, |value, &octet| value << 8 | u32::from(octet)))
}

/// Requests that the device has refused for their form, so far.
pub fn refused(bench: &mut Bench, nic: &Rnic) -> Result<u64, String> {
    REFUSED.iter().map(|&counter| nic.get(bench, counter).map(u64::from)).sum()
}
