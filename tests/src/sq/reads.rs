// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a connection carries besides work requests: responses to the peer's Reads, Terminate and
//! end; and the Reads of its own that are under way.
use super::model::{Message, Request};
use super::{Access, Rig, IRD};
use crate::record::Record;
use ferrowarp_hdl::record::ReadOut;
use ferrowarp_sim::{Bench, Item};
use rand::Rng;

impl Rig {
    /// What a region allows.
    pub fn set_access(&mut self, key: u32, access: Access) {
        self.regions.iter_mut().filter(|r| r.key == key).for_each(|r| r.access = access);
    }

    /// Where an octet of a region lies in host memory.
    pub fn iova(&self, key: u32, to: u64) -> u64 {
        let region = self.regions.iter().find(|r| r.key == key);
        region.map_or(0, |r| r.base.wrapping_add(to - r.to_base))
    }

    /// A Read Request of the peer for octets that are put into memory.
    pub fn ask_for(&mut self, bench: &mut Bench, qp: usize, payload: Vec<u8>) -> Request {
        let skew = bench.rng().random_range(0..4_096);
        let at = self.place(bench, qp, skew, &payload);
        let source = (at.key, at.addr);
        let request = Request {
            sink: (bench.rng().random(), bench.rng().random()),
            length: payload.len() as u32,
            source,
        };
        self.expect_response(qp, &request, payload);
        self.request(bench, qp, &request);
        request
    }

    /// A response must come.
    pub fn expect_response(&mut self, qp: usize, request: &Request, payload: Vec<u8>) {
        let (stag, to) = request.sink;
        let message = Message { opcode: 2, stag, to, payload };
        let q = &mut self.qps[qp];
        q.stream.responses.extend(message.ulpdus(q.mulpdu, 0));
    }

    /// A Read Request of the peer arrives.
    pub fn request(&mut self, bench: &mut Bench, qp: usize, request: &Request) {
        let credit = &mut self.qps[qp].stream.credit;
        *credit = credit.checked_sub(1).unwrap_or_else(|| panic!("the test is wrong: no IRD is left"));
        bench.put(self.rr, request.record(qp).item());
    }

    /// A command of the control plane: a slot.
    pub fn command(&mut self, bench: &mut Bench, qp: usize, slot: &[u8]) {
        self.ctl_slots.push_back(slot.to_vec());
        bench.put(self.ctl, Item::new().with("qp", qp as u64).with("fin", u64::from(slot[0] == 17)));
    }

    /// A Terminate with `octets` is to leave.
    pub fn terminate(&mut self, bench: &mut Bench, qp: usize, octets: &[u8]) {
        let message = Message { opcode: 7, payload: octets.to_vec(), ..Message::default() };
        let q = &mut self.qps[qp];
        q.stream.terminates.extend(message.ulpdus(q.mulpdu, 1));
        let mut slot = vec![7, 0x40, 0, 0];
        slot.extend((octets.len() as u32).to_be_bytes());
        slot.resize(32, 0);
        slot.extend(octets);
        slot.resize(128, 0x5A);
        self.command(bench, qp, &slot);
    }

    /// The stream is to end.
    pub fn end(&mut self, bench: &mut Bench, qp: usize) {
        self.qps[qp].stream.fin = true;
        let mut slot = vec![17];
        slot.resize(128, 0);
        self.command(bench, qp, &slot);
    }

    /// Somebody else stops a queue pair.
    pub fn kill(&mut self, bench: &mut Bench, qp: usize) {
        self.dead |= 1 << qp;
        bench.set("sq_dead", self.dead);
    }

    /// The oldest Read of a queue pair has its response.
    pub fn finish_read(&mut self, bench: &mut Bench, qp: usize) -> Result<(), String> {
        self.end_read(bench, qp)?;
        self.quiet(bench)
    }

    /// As [`Rig::finish_read`], whatever is under way.
    pub fn end_read(&mut self, bench: &mut Bench, qp: usize) -> Result<(), String> {
        self.pulse_done(bench, qp);
        self.neighbours(bench)?;
        bench.step();
        bench.set("sq_rdone_valid", 0);
        Ok(())
    }

    fn pulse_done(&mut self, bench: &mut Bench, qp: usize) {
        self.qps[qp].stream.done += 1;
        bench.set("sq_rdone_qp", qp as u64);
        bench.set("sq_rdone_valid", 1);
    }

    /// What the receive side sees of Reads, once a cycle.
    pub(super) fn reads(&mut self, bench: &mut Bench) -> Result<(), String> {
        if bench.get("sq_rr_free_valid") == 1 {
            let qp = bench.get("sq_rr_free_qp") as usize;
            let credit = &mut self.qps[qp].stream.credit;
            *credit += 1;
            if *credit > IRD {
                return Err(format!("queue pair {qp}: more Requests given back than were taken"));
            }
        }
        for item in bench.taken(self.ro) {
            let told = Record::<ReadOut>::of_item(&item);
            let q = &mut self.qps[told.get("qp") as usize];
            let due = q.stream.offers.pop_front();
            if due.as_ref() != Some(&told) {
                return Err(format!("a Read {told:?}, {due:?} was due"));
            }
            q.stream.offered += 1;
            q.stream.most = q.stream.most.max(q.stream.offered - q.stream.done);
            if q.stream.most as u64 > q.ord {
                return Err(format!("{} Reads are outstanding, ORD is {}", q.stream.most, q.ord));
            }
        }
        bench.set("sq_rdone_valid", 0);
        if self.manners.acks && bench.rng().random_range(0..16) == 0 {
            let qp = bench.rng().random_range(0..self.qps.len());
            if self.qps[qp].stream.done < self.qps[qp].stream.requested {
                self.pulse_done(bench, qp);
            }
        }
        Ok(())
    }
}
