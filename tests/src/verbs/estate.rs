// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a host has of its device: completion queues, regions, queue pairs.
use super::ledger::Receive;
use super::op::{CQS, QPS, REGIONS};
use super::region::{Region, State};
use crate::device::{clock_ps, units, Cq, Done, Nic, Qp};
use ferrowarp_abi::codec::{AdminAnswer, ConnRow, CqRow, MrRow, QpRow};
use ferrowarp_abi::consts::{admin_row, qp_state};
use ferrowarp_sim::{Bench, MemoryTiming};
use std::collections::VecDeque;

/// log2 of the slots of a completion queue and of a work queue.
const CQ_LOG2: u8 = 10;
const WORK_LOG2: u8 = 8;
/// Work requests of either kind that a queue pair is given in its life.
const REQUESTS: u32 = 240;
/// Octets of the secret for the table of connections.
const SECRET: usize = 40;
/// Congestion control as after a reset; ticks of the shortest timeout, and expiries in a row until
/// a connection is lost.
const PINS: [(&str, u64); 3] = [("recovery", 15), ("rto_min", units(8)), ("retry_limit", 12)];

/// A queue pair.
pub struct End {
    pub qp: Qp,
    pub pd: u16,
    /// Slots of its completion queues: of sends, of receives.
    pub cqs: [usize; 2],
    pub receives: VecDeque<Receive>,
    /// It has, or had, its connection.
    pub is_connected: bool,
    /// A region of a receive was taken away.
    pub is_open: bool,
    /// Work requests so far.
    posted: u32,
}

impl End {
    /// It takes one more work request.
    pub fn claim(&mut self) -> bool {
        self.posted += 1;
        self.posted <= REQUESTS
    }
}

/// A host.
pub struct Estate {
    pub nic: Nic,
    pub cqs: [Option<Cq>; CQS],
    pub regions: [Option<Region>; REGIONS],
    pub ends: [Option<End>; QPS.len()],
}

impl Estate {
    /// A device without anything.
    pub fn new(bench: &mut Bench) -> Self {
        let secret: Vec<u8> = (0..SECRET).map(|i| (i * 151 + 7) as u8).collect();
        bench.set_bytes("secret", &secret);
        bench.set("ack_delay", 1);
        bench.set("tick_use_pin", 1);
        PINS.iter().for_each(|(pin, value)| bench.set(pin, *value));
        // a write is in memory as soon as the bus has it, so that one that is late is seen
        let timing = MemoryTiming { write_ns: 0, shuffle: false, ..MemoryTiming::rough(clock_ps()) };
        let nic = Nic::new(bench, timing);
        Self { nic, cqs: Default::default(), regions: Default::default(), ends: Default::default() }
    }

    /// Number of the completion queue in a slot.
    fn cq_number(slot: usize) -> u16 {
        slot as u16 + 1
    }

    pub fn create_cq(&mut self, bench: &mut Bench, slot: usize) {
        let made = Cq::new(&mut self.nic, bench, Self::cq_number(slot), CQ_LOG2);
        self.cqs[slot] = Some(made);
    }

    /// No queue pair has it.
    pub fn is_free(&self, cq: usize) -> bool {
        self.ends.iter().flatten().all(|end| !end.cqs.contains(&cq))
    }

    /// Whether both completion queues were there.
    pub fn create_qp(&mut self, bench: &mut Bench, slot: usize, pd: u16, cqs: [usize; 2]) -> bool {
        let [Some(sends), Some(receives)] = cqs.map(|cq| self.cqs[cq].as_ref()) else { return false };
        let qp = Qp::new(&mut self.nic, bench, QPS[slot], pd, [sends, receives], WORK_LOG2);
        let receives = VecDeque::new();
        self.ends[slot] = Some(End { qp, pd, cqs, receives, is_connected: false, is_open: false, posted: 0 });
        true
    }

    /// Slots of the regions that serve the queue pair in a slot, or of those that are there and do
    /// not.
    pub fn serving(&self, slot: usize, serve: bool) -> Vec<usize> {
        let Some(pd) = self.ends[slot].as_ref().map(|end| end.pd) else { return vec![] };
        let serves = |r: &Region| r.pd == pd && r.bound.is_none_or(|b| b == slot) && r.state == State::Valid;
        // a region that is about to be made invalid is neither
        let counts = |r: &&Region| serves(r) == serve && r.state != State::Dying;
        let is_it = |n: &usize| self.regions[*n].as_ref().filter(counts).is_some();
        (0..REGIONS).filter(is_it).collect()
    }

    /// Slots of the regions that the peer of a queue pair may invalidate, or of those that it may
    /// not.
    pub fn invalidable(&self, slot: usize, may: bool) -> Vec<usize> {
        let bound = |n: &usize| self.regions[*n].as_ref().is_some_and(|r| (r.bound == Some(slot)) == may);
        self.serving(slot, true).into_iter().filter(bound).collect()
    }

    /// Completions that are there, with the slot of their queue.
    pub fn poll(&mut self, bench: &mut Bench) -> Vec<(usize, Done)> {
        let nic = &self.nic;
        let all = self.cqs.iter_mut().enumerate();
        all.filter_map(|(slot, cq)| Some((slot, cq.as_mut()?)))
            .flat_map(|(slot, cq)| {
                std::iter::from_fn(|| Some((slot, cq.poll(nic, bench)?))).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Asks for all rows that a walk writes.
    pub fn ask(&mut self, bench: &mut Bench) {
        for qp in QPS {
            self.nic.ask(bench, admin_row::QP, qp);
            self.nic.ask(bench, admin_row::CONN, qp);
        }
        (0..CQS).for_each(|slot| self.nic.ask(bench, admin_row::CQ, Self::cq_number(slot)));
        (0..REGIONS).for_each(|slot| self.nic.ask(bench, admin_row::MR, Region::index(slot)));
    }

    /// The answers in the order of [`Estate::ask`] tell of nothing.
    pub fn audit(answers: &[(AdminAnswer, Vec<u8>)]) -> Result<(), String> {
        let mut rows = answers.iter().map(|(_, row)| &row[..]);
        let mut row = || rows.next().ok_or("I6: a row was not read");
        let told = |e: ferrowarp_abi::codec::Truncated| e.to_string();
        for qp in QPS {
            let state = QpRow::parse(row()?).map_err(told)?.state;
            let ConnRow { rcv_nxt, snd_una, snd_nxt, snd_wnd, gate_open, .. } =
                ConnRow::parse(row()?).map_err(told)?;
            let lives = (rcv_nxt.0, snd_una.0, snd_nxt.0, snd_wnd.0, gate_open);
            if (state, lives) != (qp_state::RESET, (0, 0, 0, 0, false)) {
                return Err(format!("I6: queue pair {qp} has state {state}, its connection {lives:?}"));
            }
        }
        for slot in 0..CQS {
            if CqRow::parse(row()?).map_err(told)?.is_valid {
                return Err(format!("I6: completion queue {} is there", Self::cq_number(slot)));
            }
        }
        for slot in 0..REGIONS {
            if MrRow::parse(row()?).map_err(told)?.is_valid {
                return Err(format!("I6: region {} is there", Region::index(slot)));
            }
        }
        Ok(())
    }
}
