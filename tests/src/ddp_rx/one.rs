// SPDX-License-Identifier: MIT OR Apache-2.0
//! One queue pair with two regions, for tests of one behaviour.
use super::{quiet, Rx};
use crate::ddp_model::{Fault, Receive, Scatter};
use crate::mr::Region;
use ferrowarp_sim::Bench;

/// Queue pair, protection domain and STags of [`one`].
pub const QP: u8 = 1;
/// As above.
pub const PD: u16 = 7;
/// Octets `BASE..BASE + 4096`, which the peer may write from tagged offset `TO` on.
pub const STAG: u32 = 5 << 8 | 0x2A;
/// As above.
pub const BASE: u64 = 0x10_0003;
/// As above.
pub const TO: u64 = 0x7F00_0000_1001;
/// Octets `BUFFERS..BUFFERS + 2^20` for receives and Reads of ours, from tagged offset `OURS_TO`
/// on.
pub const OURS: u32 = 6 << 8 | 0x2B;
/// As above.
pub const BUFFERS: u64 = 0x2000_0000;
/// As above; no sum of it and a small offset is one of `BUFFERS`, and low halves carry.
pub const OURS_TO: u64 = 0x3B_FFFF_F123;

/// Runs a body with one queue pair and its two regions.
pub fn one(name: &str, body: impl Fn(&mut Bench, &mut Rx) -> Result<(), String>) {
    quiet(name, |bench, rx| {
        rx.set_up_one(bench)?;
        body(bench, rx)
    });
}

impl Rx {
    /// The queue pair and the regions of [`one`].
    pub fn set_up_one(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.set_up(bench, QP, PD, 9)?;
        let theirs = Region { to_base: TO, ..Region::writable(BASE, 4_096, PD, STAG as u8) };
        self.region(bench, STAG >> 8, theirs)?;
        let ours = Region {
            remote_write: false,
            local_write: true,
            to_base: OURS_TO,
            ..Region::writable(BUFFERS, 1 << 20, PD, OURS as u8)
        };
        self.region(bench, OURS >> 8, ours)
    }

    /// Posts a receive of one scatter whose octets begin at `BUFFERS + at`.
    pub fn post_at(&mut self, index: u32, at: u64, length: u32) {
        let scatters = vec![Scatter { to: OURS_TO + at, length, key: OURS }];
        self.post(QP, Receive { index, scatters });
    }

    /// Sends ULPDUs of the one queue pair and compares with the model.
    pub fn good(&mut self, bench: &mut Bench, ulpdus: &[Vec<u8>]) -> Result<(), String> {
        let faults = self.faults.len();
        ulpdus.iter().for_each(|ulpdu| self.send(bench, QP, 0, ulpdu));
        self.check(bench)?;
        assert_eq!(self.faults.len(), faults, "good segments gave faults");
        Ok(())
    }

    /// Begins the stream anew with receives of these lengths, sends the ULPDUs of which the last
    /// must fail, and returns its fault; nothing of that one may be placed or delivered.
    pub fn bad(&mut self, bench: &mut Bench, receives: &[u32], ulpdus: &[Vec<u8>]) -> Result<Fault, String> {
        let pair = self.model.pairs[&QP].clone();
        self.set_up(bench, QP, pair.pd, pair.cq)?;
        receives
            .iter()
            .enumerate()
            .for_each(|(i, length)| self.post_at(i as u32, 0x1_0000 * i as u64, *length));
        let (last, before) = ulpdus.split_last().ok_or("no ULPDU")?;
        self.good(bench, before)?;
        let (placed, completions, faults) = (self.placed.len(), self.completions.len(), self.faults.len());
        self.send(bench, QP, 0, last);
        self.check(bench)?;
        assert_eq!(
            (self.placed.len(), self.completions.len()),
            (placed, completions),
            "a bad segment had effect"
        );
        assert_eq!(self.faults.len(), faults + 1, "one fault");
        Ok(self.faults[faults])
    }

    /// As [`Rx::bad`], the error alone.
    pub fn error(&mut self, bench: &mut Bench, receives: &[u32], ulpdus: &[Vec<u8>]) -> Result<u16, String> {
        Ok(self.bad(bench, receives, ulpdus)?.error)
    }

    /// Octets placed from `addr` on.
    pub fn octets(&self, addr: u64, length: u64) -> Vec<u8> {
        self.memory.range(addr..addr + length).map(|(_, o)| *o).collect()
    }
}
