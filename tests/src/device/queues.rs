// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queues in host memory: what a driver's posting and polling does.
use super::nic::Nic;
use ferrowarp_abi::codec::{CqRow, Cqe, Doorbell, QpRow, RecvWqe, SendWqe, Sge};
use ferrowarp_abi::consts::{admin_opcode, doorbell_kind, qp_state};
use ferrowarp_abi::host::work::{RECV_BLOCK, RECV_BLOCKS, SEND_BLOCK, SEND_BLOCKS};
use ferrowarp_sim::Bench;
use std::ops::Deref;

/// Reads that a queue pair has under way at once, and answers at once.
const READS: u8 = 8;

/// A completion, and the name that the test gave to its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The name; 0 of a completion that names no request.
    pub wr_id: u64,
    /// The entry.
    pub entry: Cqe,
}

impl Deref for Done {
    type Target = Cqe;

    fn deref(&self) -> &Cqe {
        &self.entry
    }
}

/// A completion queue.
pub struct Cq {
    /// Its number.
    pub number: u16,
    base: u64,
    log2: u8,
    consumer: u32,
}

impl Cq {
    /// A queue of `2^log2` slots in fresh memory.
    pub fn new(nic: &mut Nic, bench: &mut Bench, number: u16, log2: u8) -> Self {
        let base = nic.map(bench, (Cqe::LEN as u64) << log2, 0, true);
        let row = CqRow { base, log2, is_valid: true };
        nic.command(bench, admin_opcode::CQ_WRITE, number, &row.octets().expect("fields fit"));
        Self { number, base, log2, consumer: 0 }
    }

    /// Takes the next completion if its phase bit is there, and tells the device.
    pub fn poll(&mut self, nic: &Nic, bench: &mut Bench) -> Option<Done> {
        let slot = u64::from(self.consumer) & ((1 << self.log2) - 1);
        let at = self.base + slot * Cqe::LEN as u64;
        let octets = bench.host(nic.memory).read(at, Cqe::LEN as u64).expect("the ring is mapped");
        let cqe = Cqe::parse(&octets).expect("a slot holds an entry");
        let turn = self.consumer >> self.log2;
        if cqe.phase != turn.is_multiple_of(2) {
            return None;
        }
        self.consumer = self.consumer.wrapping_add(1);
        let kind = doorbell_kind::CQ_CONSUMER;
        nic.ring(bench, Doorbell { kind, number: self.number, value: self.consumer, ..Default::default() });
        let Cqe { qp, is_recv, index, .. } = cqe;
        let wr_id = if cqe.has_wr { nic.named(qp, is_recv, index) } else { index.into() };
        Some(Done { wr_id, entry: cqe })
    }

    /// Tells the device that the queue is no more.
    pub fn withdraw(&self, nic: &mut Nic, bench: &mut Bench) {
        let row = CqRow { base: self.base, log2: self.log2, is_valid: false };
        nic.command(bench, admin_opcode::CQ_WRITE, self.number, &row.octets().expect("fields fit"));
    }

    /// Takes the queue's memory away from the device.
    pub fn unmap(&self, nic: &Nic, bench: &mut Bench) {
        bench.host(nic.memory).unmap(self.base).expect("the ring is mapped");
    }

    /// Asks for an event at the next completion.
    pub fn arm(&self, nic: &Nic, bench: &mut Bench, solicited_only: bool) {
        let kind = doorbell_kind::CQ_ARM;
        nic.ring(bench, Doorbell { kind, solicited_only, number: self.number, value: self.consumer });
    }
}

/// A send work request: head and gathers, or octets inline.
#[derive(Clone, Debug, Default)]
pub struct SendWork {
    /// Its name, which the test alone knows.
    pub wr_id: u64,
    /// Head; `num_sge`, `is_inline` and `length` are filled in by [`SendWork::slot`].
    pub head: SendWqe,
    /// Gathers, at most four.
    pub gathers: Vec<Sge>,
    /// In their place: payload in the slot, at most 96 octets.
    pub inline: Option<Vec<u8>>,
}

impl SendWork {
    /// The octets of its blocks.
    pub fn slot(&self) -> Vec<u8> {
        let mut head = self.head;
        let tail = self.inline.as_ref().map_or(self.gathers.len() * Sge::LEN, Vec::len);
        head.blocks = (SendWqe::LEN + tail).div_ceil(SEND_BLOCK) as u8;
        head.is_inline = self.inline.is_some();
        head.num_sge = self.gathers.len() as u8;
        // a hostile request may say more than 32 bits can
        let gathered = self.gathers.iter().fold(0, |sum: u32, s| sum.wrapping_add(s.length.0));
        head.length.0 = self.inline.as_ref().map_or(gathered, |octets| octets.len() as u32);
        let mut slot = head.octets().expect("fields fit").to_vec();
        slot.extend(self.inline.iter().flatten());
        slot.extend(self.gathers.iter().flat_map(|s| s.octets().expect("fields fit")));
        slot.resize(slot.len().next_multiple_of(SEND_BLOCK), 0);
        slot
    }

    /// The same as the slot of a command, which has two blocks.
    pub fn control(&self) -> Vec<u8> {
        let mut slot = self.slot();
        slot.resize(SEND_BLOCKS * SEND_BLOCK, 0);
        slot
    }
}

/// A receive work request.
#[derive(Clone, Debug, Default)]
pub struct RecvWork {
    /// Its name, which the test alone knows.
    pub wr_id: u64,
    /// Scatters, at most three.
    pub scatters: Vec<Sge>,
}

impl RecvWork {
    /// The octets of its blocks.
    pub fn slot(&self) -> Vec<u8> {
        let num_sge = self.scatters.len() as u8;
        let blocks = (RecvWqe::LEN + self.scatters.len() * Sge::LEN).div_ceil(RECV_BLOCK).max(1) as u8;
        let head = RecvWqe { num_sge, blocks, ..Default::default() };
        let mut slot = head.octets().expect("fields fit").to_vec();
        slot.extend(self.scatters.iter().flat_map(|s| s.octets().expect("fields fit")));
        slot.resize(RECV_BLOCK * usize::from(blocks), 0);
        slot
    }
}

/// A queue pair.
pub struct Qp {
    /// Its number.
    pub number: u16,
    /// Its row as written.
    pub row: QpRow,
    sends: u32,
    receives: u32,
}

impl Qp {
    /// A queue pair in state ready with queues of `2^log2` requests of two blocks in fresh memory.
    pub fn new(nic: &mut Nic, bench: &mut Bench, number: u16, pd: u16, cqs: [&Cq; 2], log2: u8) -> Self {
        let row = QpRow {
            state: qp_state::READY,
            pd,
            send_cq: cqs[0].number,
            recv_cq: cqs[1].number,
            sq_base: nic.map(bench, ((SEND_BLOCKS * SEND_BLOCK) as u64) << log2, 0, false),
            rq_base: nic.map(bench, ((RECV_BLOCKS * RECV_BLOCK) as u64) << log2, 0, false),
            sq_log2: log2 + 1,
            rq_log2: log2 + 1,
            ird: READS,
            ord: READS,
            ..Default::default()
        };
        nic.command(bench, admin_opcode::QP_WRITE, number, &row.octets().expect("fields fit"));
        nic.forget(number);
        Self { number, row, sends: 0, receives: 0 }
    }

    /// Writes a send request into the next blocks; [`Qp::ring`] tells the device.
    pub fn post_send(&mut self, nic: &Nic, bench: &mut Bench, work: &SendWork) {
        self.post_octets(nic, bench, work.wr_id, &work.slot());
    }

    /// Writes octets, whatever they say, into the next blocks of the send queue, under a name.
    pub fn post_octets(&mut self, nic: &Nic, bench: &mut Bench, wr_id: u64, octets: &[u8]) {
        for block in octets.chunks(SEND_BLOCK) {
            let slot = u64::from(self.sends) & ((1 << self.row.sq_log2) - 1);
            let at = self.row.sq_base + slot * SEND_BLOCK as u64;
            bench.host(nic.memory).write(at, block).expect("the ring is mapped");
            self.sends = self.sends.wrapping_add(1);
            nic.name(self.number, false, wr_id);
        }
    }

    /// Writes a receive into the next blocks; [`Qp::ring`] tells the device.
    pub fn post_recv(&mut self, nic: &Nic, bench: &mut Bench, work: &RecvWork) {
        for block in work.slot().chunks(RECV_BLOCK) {
            let slot = u64::from(self.receives) & ((1 << self.row.rq_log2) - 1);
            let at = self.row.rq_base + slot * RECV_BLOCK as u64;
            bench.host(nic.memory).write(at, block).expect("the ring is mapped");
            self.receives = self.receives.wrapping_add(1);
            nic.name(self.number, true, work.wr_id);
        }
    }

    /// Takes the memory of both queues away from the device.
    pub fn unmap(&self, nic: &Nic, bench: &mut Bench) {
        for base in [self.row.sq_base, self.row.rq_base] {
            bench.host(nic.memory).unmap(base).expect("the ring is mapped");
        }
    }

    /// Rings for what was posted to the send queue (`sq`) and to the receive queue (`rq`).
    pub fn ring(&self, nic: &Nic, bench: &mut Bench, sq: bool, rq: bool) {
        let number = self.number;
        if rq {
            let kind = doorbell_kind::RQ;
            nic.ring(bench, Doorbell { kind, number, value: self.receives, ..Default::default() });
        }
        if sq {
            let kind = doorbell_kind::SQ;
            nic.ring(bench, Doorbell { kind, number, value: self.sends, ..Default::default() });
        }
    }
}
