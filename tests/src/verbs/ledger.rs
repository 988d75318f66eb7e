// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a connection owes: completions in order, and faults.
use super::op::{Kind, Request};
use crate::device::{Done, RDMA_READ, RDMA_WRITE, SEND};
use ferrowarp_abi::codec::Cqe;
use ferrowarp_abi::types::STag;
use std::collections::VecDeque;

/// RDMAP opcode of a Send with Invalidate, and what Solicited Event adds to those of a Send.
const SEND_INVALIDATE: u8 = 4;
const SOLICITED: u8 = 2;

/// RDMAP opcode of a request.
pub fn opcode(request: &Request) -> u8 {
    let solicited = if request.is_solicited { SOLICITED } else { 0 };
    match request.kind {
        Kind::Send => SEND + solicited,
        Kind::SendInvalidate => SEND_INVALIDATE + solicited,
        Kind::Write => RDMA_WRITE,
        Kind::Read => RDMA_READ,
    }
}

/// A place of a region: host, slot of the region, number.
pub type At = (usize, usize, u64);

/// A completion without an error.
#[derive(Clone, Debug, Default)]
pub struct Owed {
    pub wr_id: u64,
    pub opcode: u8,
    pub byte_len: usize,
    pub is_solicited: bool,
    pub invalidates: Option<STag>,
    /// A request before it, or its own, cannot be done.
    pub never: bool,
    /// Places that are filled when it comes.
    pub fills: Vec<At>,
}

/// A receive that no Send has taken.
#[derive(Clone, Debug)]
pub struct Receive {
    pub wr_id: u64,
    pub octets: usize,
    /// Slot and id of its region, and where in it; none without a scatter.
    pub place: Option<(usize, u64, usize)>,
}

/// One direction of a connection.
#[derive(Debug, Default)]
pub struct Flow {
    /// Of the sender's send queue.
    pub sends: VecDeque<Owed>,
    /// Of the receiver's receive queue.
    pub receives: VecDeque<Owed>,
    /// Places of Writes that no Send came behind.
    pub writes: Vec<At>,
    /// Nothing more is completed at the sender.
    pub is_stuck: bool,
    /// Nothing more is taken by the receiver.
    pub is_refused: bool,
}

/// What must become of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// All is completed.
    Clean,
    /// One request cannot be done: an end tells a fault.
    Fails,
    /// What it needs was taken away amid its work, or an end is gone: a fault may be told.
    Open,
}

/// Who needs a region: host, id of the region; the host whose Write it is, if it is one.
pub type Use = (usize, u64, Option<usize>);

/// A connection.
#[derive(Debug)]
pub struct Connection {
    pub id: u64,
    pub fate: Fate,
    /// The queue pairs that are there.
    pub ends: [bool; 2],
    /// The ends that told a fault.
    pub faults: [bool; 2],
    /// By sender.
    pub flows: [Flow; 2],
    pub uses: Vec<Use>,
}

impl Connection {
    pub fn new(id: u64, fate: Fate) -> Self {
        Self { id, fate, ends: [true; 2], faults: [false; 2], flows: Default::default(), uses: vec![] }
    }

    /// Nothing is owed.
    pub fn is_settled(&self) -> bool {
        match self.fate {
            Fate::Clean => self.flows.iter().all(|f| f.sends.is_empty() && f.receives.is_empty()),
            Fate::Fails => self.faults.contains(&true),
            Fate::Open => true,
        }
    }

    /// What needs this region of host `at` loses it.
    pub fn loses(&mut self, at: usize, id: u64) {
        if self.uses.iter().any(|(host, region, _)| (*host, *region) == (at, id)) {
            self.fate = Fate::Open;
        }
    }

    /// Judges a completion at host `at`; what it completes, nothing if it tells a fault.
    pub fn judge(&mut self, at: usize, cqe: &Done) -> Result<Option<Owed>, String> {
        if cqe.status != 0 {
            if self.fate == Fate::Clean {
                return Err(format!("I2: a fault of a connection without one: {cqe:?}"));
            }
            return match std::mem::replace(&mut self.faults[at], true) {
                true => Err(format!("I2: a second fault of one queue pair: {cqe:?}")),
                false => Ok(None),
            };
        }
        let owed = match cqe.is_recv {
            true => self.flows[1 - at].receives.pop_front(),
            false => self.flows[at].sends.pop_front(),
        };
        let Done { wr_id, entry: Cqe { opcode, byte_len, is_solicited, .. } } = *cqe;
        let invalidates = cqe.has_invalidate.then_some(cqe.invalidated_stag);
        let got = (wr_id, opcode, byte_len.0 as usize, is_solicited, invalidates);
        match owed {
            Some(o) if !o.never && got == (o.wr_id, o.opcode, o.byte_len, o.is_solicited, o.invalidates) => {
                Ok(Some(o))
            }
            owed => Err(format!("I2: {cqe:?}, expected {owed:?}")),
        }
    }
}
