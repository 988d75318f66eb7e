// SPDX-License-Identifier: MIT OR Apache-2.0
//! A region of a host and what its octets may be.
use crate::device::{Nic, TO_BASE};
use ferrowarp_abi::codec::{MrRow, Sge};
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use ferrowarp_sim::Bench;

/// Octets of a region.
const OCTETS: usize = 60_000;
/// Index of the region in slot 0.
const FIRST: usize = 9;

/// Whether a region serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Valid,
    /// A Send with Invalidate is on its way to it.
    Dying,
    /// A Send with Invalidate made it invalid.
    Gone,
}

/// Where octets of a peer go.
#[derive(Debug)]
struct Place {
    number: u64,
    /// Of the connection that brings them.
    connection: u64,
    at: usize,
    payload: Vec<u8>,
    /// All of them are there.
    is_done: bool,
}

/// A region.
#[derive(Debug)]
pub struct Region {
    /// No other region of the walk has it.
    pub id: u64,
    pub pd: u16,
    /// Slot of the queue pair that it serves alone.
    pub bound: Option<usize>,
    pub state: State,
    index: u16,
    key: u8,
    base: u64,
    used: usize,
    /// What the octets are without the places.
    old: Vec<u8>,
    places: Vec<Place>,
}

impl Region {
    /// Index of the region in a slot.
    pub fn index(slot: usize) -> u16 {
        (FIRST + slot) as u16
    }

    /// A region in fresh memory. Its command is not answered yet.
    pub fn new(
        nic: &mut Nic,
        bench: &mut Bench,
        slot: usize,
        (id, pd, bound): (u64, u16, Option<(usize, u16)>),
    ) -> Self {
        let base = nic.map(bench, OCTETS as u64, 8 * (id % 64), true);
        let old: Vec<u8> = (0..OCTETS).map(|i| (i * 37 + i / 251) as u8 ^ id as u8).collect();
        bench.host(nic.memory).write(base, &old).expect("the region is mapped");
        let (index, key) = (Self::index(slot), (id * 41 + 3) as u8);
        let bound_slot = bound.map(|(slot, _)| slot);
        let region = Self {
            id,
            pd,
            bound: bound_slot,
            state: State::Valid,
            index,
            key,
            base,
            used: 0,
            old,
            places: vec![],
        };
        let row = MrRow {
            base,
            length: OCTETS as u64,
            to_base: region.to(0),
            pd,
            local_write: true,
            remote_read: true,
            remote_write: true,
            bound_to_qp: bound.is_some(),
            is_valid: true,
            key,
            qp: bound.map_or(0, |(_, number)| number),
        };
        nic.command(bench, admin_opcode::MR_WRITE, index, &row.octets().expect("fields fit"));
        region
    }

    /// Gives the command that makes it invalid.
    pub fn revoke(&self, nic: &mut Nic, bench: &mut Bench) {
        nic.command(bench, admin_opcode::MR_REVOKE, self.index, &[]);
    }

    pub fn stag(&self) -> STag {
        STag(u32::from(self.index) << 8 | u32::from(self.key))
    }

    /// Tagged offset of the octet at `at`.
    pub fn to(&self, at: usize) -> TaggedOffset {
        TaggedOffset(TO_BASE + (self.id << 20) + at as u64)
    }

    pub fn sge(&self, at: usize, octets: usize) -> Sge {
        Sge { to: self.to(at), length: ByteCount(octets as u32), key: self.stag() }
    }

    /// So many octets that nobody had before, with a gap before them; none if the region has no
    /// more.
    pub fn give(&mut self, octets: usize) -> Option<usize> {
        let at = self.used + (self.used * 7 + octets) % 9;
        let fits = at + octets <= OCTETS;
        fits.then(|| {
            self.used = at + octets;
            at
        })
    }

    /// The host writes octets of its own.
    pub fn fill(&mut self, nic: &Nic, bench: &mut Bench, at: usize, octets: &[u8]) {
        self.old[at..at + octets.len()].copy_from_slice(octets);
        bench.host(nic.memory).write(self.base + at as u64, octets).expect("the region is mapped");
    }

    /// A peer may write `payload` at `at`, by this connection.
    pub fn promise(&mut self, number: u64, connection: u64, at: usize, payload: Vec<u8>) {
        self.places.push(Place { number, connection, at, payload, is_done: false });
    }

    /// The octets of this number are there.
    pub fn done(&mut self, number: u64) {
        self.places.iter_mut().filter(|p| p.number == number).for_each(|p| p.is_done = true);
    }

    /// The octets are what they may be: those of a place are the new ones if it is done, the old or
    /// the new ones if not. The error names the first that differs.
    pub fn check(&self, nic: &Nic, bench: &mut Bench, whose: &str) -> Result<(), String> {
        let got = bench.host(nic.memory).read(self.base, self.old.len() as u64).map_err(|e| e.to_string())?;
        let (mut want, mut other) = (self.old.clone(), self.old.clone());
        for Place { at, payload, is_done, .. } in &self.places {
            let range = *at..at + payload.len();
            want[range.clone()].copy_from_slice(payload);
            if *is_done {
                other[range].copy_from_slice(payload);
            }
        }
        match (0..got.len()).find(|&i| got[i] != want[i] && got[i] != other[i]) {
            None => Ok(()),
            Some(i) => Err(format!(
                "I1, I3: octet {i} of region {:?} of {whose} is {:#04x}, expected {:#04x} or {:#04x}",
                self.stag(),
                got[i],
                other[i],
                want[i]
            )),
        }
    }

    /// What came to places of these connections is all that comes: from now on their octets stay as
    /// they are.
    pub fn freeze(&mut self, nic: &Nic, bench: &mut Bench, of: impl Fn(u64) -> bool) -> Result<(), String> {
        let got = bench.host(nic.memory).read(self.base, self.old.len() as u64).map_err(|e| e.to_string())?;
        for place in self.places.extract_if(.., |p| !p.is_done && of(p.connection)) {
            let range = place.at..place.at + place.payload.len();
            self.old[range.clone()].copy_from_slice(&got[range]);
        }
        Ok(())
    }

    /// Takes its memory away from the device.
    pub fn unmap(&self, nic: &Nic, bench: &mut Bench) {
        bench.host(nic.memory).unmap(self.base).expect("the region is mapped");
    }
}
