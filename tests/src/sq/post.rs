// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work requests in host memory, and doorbells.
use super::{queue, Done, Post, Rig, BLOCK, RAW, SQ_BASE, SQ_STEP};
use crate::record::Record;
use ferrowarp_hdl::gen::Doorbell;
use ferrowarp_hdl::record::ReadOut;
use ferrowarp_sim::Bench;

impl Rig {
    /// Writes a work request into its slot and notes what must come of it, behind [`Rig::ring`].
    pub fn post(&mut self, bench: &mut Bench, qp: usize, post: &Post) {
        self.write_slot(bench, qp, &post.octets());
        let q = &mut self.qps[qp];
        let opcode = post.message.opcode;
        let msn = &mut q.msn[queue(opcode) as usize];
        let ulpdus = post.ulpdus(q.mulpdu, *msn);
        *msn = msn.wrapping_add(u32::from(!matches!(opcode, 0 | RAW)));
        let before = q.posted.last().unwrap_or(&0) + ulpdus.len();
        q.posted.push(before);
        q.expected.extend(ulpdus);
        let mut byte_len = 0;
        if opcode == 1 {
            q.reads += 1;
            byte_len = post.length().into();
            let sink = post.sges[0];
            let offer = Record::<ReadOut>::new().with("qp", qp).with("stag", sink.key);
            q.stream.offers.push_back(offer.with("to", sink.addr).with("length", byte_len));
        }
        if post.signaled {
            let (cq, opcode) = (0x100 + qp as u64, opcode.into());
            let done = Done { qp, cq, wr_id: post.wr_id, opcode, byte_len };
            q.completions.push_back((before, q.reads, done));
        }
    }

    /// Writes octets into the next blocks of a queue pair; nothing is expected of them.
    pub fn write_slot(&mut self, bench: &mut Bench, qp: usize, octets: &[u8]) {
        let name = octets[8..16].iter().fold(0, |name, &octet| name << 8 | u64::from(octet));
        for block in octets.chunks(BLOCK as usize) {
            let q = &mut self.qps[qp];
            let slot = u64::from(q.producer & ((2 << q.log2) - 1));
            q.producer = q.producer.wrapping_add(1);
            q.names.push(name);
            self.rewrite(bench, qp, slot, block);
        }
    }

    /// Writes over blocks, from the one in place `slot` of the ring on.
    pub fn rewrite(&mut self, bench: &mut Bench, qp: usize, slot: u64, octets: &[u8]) {
        let written = bench.host(self.slots).write(SQ_BASE + qp as u64 * SQ_STEP + BLOCK * slot, octets);
        self.must(written.map_err(|e| e.to_string()));
    }

    /// Rings the doorbell for all that was posted.
    pub fn ring(&mut self, bench: &mut Bench, qp: usize) {
        let producer = self.qps[qp].producer;
        self.doorbell(bench, qp as u64, producer);
    }

    /// Rings a doorbell.
    pub fn doorbell(&mut self, bench: &mut Bench, number: u64, value: u32) {
        bench.put(self.db, Record::<Doorbell>::new().with("number", number).with("value", value).item());
    }

    /// Requests that can be posted: no block is overwritten before its message is acknowledged.
    pub fn room(&self, qp: usize) -> usize {
        let q = &self.qps[qp];
        let open = |n: &&usize| q.wqe_ends.get(**n - 1).is_none_or(|end| *end > q.acked);
        (1 << q.log2) - q.posted.iter().rev().take_while(open).count()
    }
}
