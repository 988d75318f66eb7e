// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets that a stage sends, and what the peer says of them.
use super::{Fact, Row, Stage};
use ferrowarp_sim::Bench;

impl Stage {
    /// Sends `octets` octets of a connection at `at` of its stream, in one frame.
    pub fn send(
        &mut self,
        bench: &mut Bench,
        (qp, row): (usize, &Row),
        at: u32,
        octets: usize,
    ) -> Result<(), String> {
        self.segment(bench, qp, row.nxt.wrapping_add(at), vec![1; octets], false);
        self.frames(bench, 1).map(drop)
    }

    /// Tells a fact and waits until it has had its effect.
    pub fn tell(&mut self, bench: &mut Bench, qp: usize, fact: Fact) -> Result<(), String> {
        self.fact(bench, qp, fact);
        self.until(bench, 500, |s, b| s.told(b))?;
        self.steps(bench, 10);
        Ok(())
    }

    /// The peer acknowledges everything up to `at` of a connection's stream.
    pub fn acknowledge(
        &mut self,
        bench: &mut Bench,
        (qp, row): (usize, &Row),
        at: u32,
    ) -> Result<(), String> {
        self.tell(bench, qp, Fact { ack: Some(row.una.wrapping_add(at)), ..Fact::default() })
    }

    /// The frames that leave in 200 cycles.
    pub fn left(&mut self, bench: &mut Bench) -> Result<Vec<Vec<u8>>, String> {
        self.steps(bench, 200);
        let n = bench.waiting(self.frames);
        self.frames(bench, n)
    }
}
