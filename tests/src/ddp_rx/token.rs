// SPDX-License-Identifier: MIT OR Apache-2.0
//! The token of a region that is revoked, or of a queue pair that ends.
use super::Rx;
use ferrowarp_sim::{Bench, ChanSinkId};

impl Rx {
    /// Runs until the stage has all FPDUs that were sent, then offers the token.
    pub fn offer_token(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.until_put(bench, self.fpdu)?;
        bench.set("ddp_tok_valid", 1);
        Ok(())
    }

    /// Runs for so many cycles at most; true if the token was answered.
    pub fn token_within(&mut self, bench: &mut Bench, cycles: u64) -> Result<bool, String> {
        for _ in 0..cycles {
            self.pump(bench)?;
            let is_out = bench.get("ddp_tok_ready") == 1;
            if is_out {
                bench.step();
                bench.set("ddp_tok_valid", 0);
                return Ok(true);
            }
            bench.step();
        }
        Ok(false)
    }

    /// Frames that were handed over, with those whose command was not taken yet.
    pub fn handed_over(&self) -> usize {
        self.placed.len() + self.frames.len()
    }

    /// Sinks behind which the token stays: completions, faults, events, takes of receives, Read
    /// Requests.
    pub fn told(&self) -> [ChanSinkId; 5] {
        [self.deliver, self.fault, self.event, self.take, self.rr]
    }
}
