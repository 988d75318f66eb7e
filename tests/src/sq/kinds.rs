// SPDX-License-Identifier: MIT OR Apache-2.0
//! One message of every kind, and what leaves of it.
use super::model::{Message, Post, Request, Sge};
use super::random::{message, octets};
use super::Rig;
use ferrowarp_sim::Bench;

/// Number in network order.
pub fn number(octets: &[u8]) -> u64 {
    octets.iter().fold(0, |n, &b| n << 8 | u64::from(b))
}

/// Opcode of a ULPDU.
pub fn opcode(ulpdu: &[u8]) -> u8 {
    ulpdu[1] & 0x0F
}

impl Rig {
    /// A Read of `length` octets at the start of a region of a queue pair, whose key and IOVA the
    /// test chooses; its source is STag 0x31323334, TO 0x4142434445464748.
    pub fn read_into(&mut self, qp: usize, key: u32, addr: u64, length: u32) -> Post {
        self.claim_as(qp, key, addr, 1 << 32);
        let message = Message { opcode: 1, stag: 0x3132_3334, to: 0x4142_4344_4546_4748, payload: vec![] };
        let sges = vec![Sge { addr, length, key }];
        Post { message, sges, inline: false, signaled: true, fenced: false, wr_id: length.into() }
    }

    /// Posts work requests and gives the ULPDUs that leave until all is done.
    pub fn leave(&mut self, bench: &mut Bench, qp: usize, posts: &[Post]) -> Result<Vec<Vec<u8>>, String> {
        for post in posts {
            self.post(bench, qp, post);
        }
        self.ring(bench, qp);
        self.sent.clear();
        self.finish(bench)?;
        Ok(std::mem::take(&mut self.sent))
    }

    /// Has the peer read `payload` and gives the ULPDUs of the response.
    pub fn respond(
        &mut self,
        bench: &mut Bench,
        qp: usize,
        sink: (u32, u64),
        payload: Vec<u8>,
    ) -> Result<Vec<Vec<u8>>, String> {
        let local = self.place(bench, qp, 9, &payload);
        let source = (local.key, local.addr);
        let request = Request { sink, length: payload.len() as u32, source };
        self.sent.clear();
        self.expect_response(qp, &request, payload);
        self.request(bench, qp, &request);
        self.finish(bench)?;
        Ok(std::mem::take(&mut self.sent))
    }

    /// ULPDUs of one message of each of the eight kinds out of a new connection of MULPDU 300: 700
    /// octets of payload where there is payload, sink STag 5 and TO 6 of the response, a Terminate
    /// of 4 octets.
    pub fn all_kinds(&mut self, bench: &mut Bench, qp: usize) -> Result<Vec<Vec<u8>>, String> {
        self.set_up(bench, qp, 4, 300)?;
        let mut posts = vec![self.read_into(qp, 0x0102_0304, 0x1112_1314_1516_1718, 50)];
        for opcode in [0, 3, 4, 5, 6] {
            let message = message(bench, opcode, 700);
            posts.push(self.gathered(bench, qp, message, 2));
        }
        let mut sent = self.leave(bench, qp, &posts)?;
        let payload = octets(bench, 700);
        sent.extend(self.respond(bench, qp, (5, 6), payload)?);
        self.terminate(bench, qp, &[0x10, 0, 0, 0]);
        self.finish(bench)?;
        sent.append(&mut self.sent);
        Ok(sent)
    }
}
