// SPDX-License-Identifier: MIT OR Apache-2.0
//! A reset of the hardware in the middle of a case.
use super::Rx;
use crate::ddp_model::Model;
use ferrowarp_sim::{Bench, Item};

impl Rx {
    /// Resets the hardware; regions, queue pairs, receives and all that came are forgotten. Returns
    /// in the first cycle in which rows are taken; the table of regions may be scrubbed later.
    pub fn reset(&mut self, bench: &mut Bench) -> Result<(), String> {
        bench.set("ddp_tok_valid", 0);
        bench.reset();
        self.model = Model::default();
        self.receives.iter_mut().for_each(|receives| receives.clear());
        self.addresses.clear();
        self.frames.clear();
        self.memory.clear();
        self.placed.clear();
        self.completions.clear();
        self.faults.clear();
        self.quotes.clear();
        self.unread.clear();
        self.cited.clear();
        self.requests.clear();
        self.done.clear();
        self.first.clear();
        self.events.clear();
        self.stuck = 0;
        self.seen_at = bench.cycle();
        self.sent = 0;
        bench.run_until(1_000, |b| b.get("ddp_scrubbed") == 1).map(drop)
    }

    /// Offers a queue pair's row and its stream in one cycle; true if the row is taken first.
    pub fn row_first(&mut self, bench: &mut Bench, qp: u8, pd: u16, cq: u16) -> Result<bool, String> {
        bench.put(self.ins, Item::new().with("qp", qp.into()));
        self.offer_row(bench, qp, 1, pd, cq);
        let either = |b: &mut Bench| b.put_all(self.qpw) || b.put_all(self.ins);
        bench.run_until(100, either)?;
        let is_row = bench.put_all(self.qpw) && !bench.put_all(self.ins);
        self.until_put(bench, self.qpw)?;
        self.until_put(bench, self.ins)?;
        Ok(is_row)
    }
}
