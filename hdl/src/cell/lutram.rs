// SPDX-License-Identifier: MIT OR Apache-2.0
//! Small RAM with an asynchronous read port, for FIFOs of a few records.
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// RAM of `2^A` words: written at the edge, read in the same cycle. Maps to LUT RAM; keep `A` at 6
/// or less.
///
/// A word written at an edge is seen by the read port from that edge on. Contents are undefined
/// until written.
#[derive(LogicBlock, Default)]
pub struct LutRam<T: Synth, const A: usize> {
    /// Clock of the write port, rising edge.
    pub clock: Signal<In, Clock>,
    /// Writes `write_data` at the next edge.
    pub write_enable: Signal<In, Bit>,
    /// Word to write.
    pub write_address: Signal<In, Bits<A>>,
    /// Its new value.
    pub write_data: Signal<In, T>,
    /// Word to read.
    pub read_address: Signal<In, Bits<A>>,
    /// Its value now.
    pub read_data: Signal<Out, T>,
    _words: BTreeMap<u64, T>,
}

impl<T: Synth, const A: usize> Logic for LutRam<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.write_enable.val() {
            self._words.insert(self.write_address.val().to_u64(), self.write_data.val());
        }
        let word = self._words.get(&self.read_address.val().to_u64());
        self.read_data.next = word.copied().unwrap_or_default();
    }
    fn connect(&mut self) {
        self.read_data.connect();
    }
    fn hdl(&self) -> Verilog {
        let (msb, top) = (T::BITS - 1, (1_u64 << A) - 1);
        Verilog::Custom(format!(
            "reg [{msb}:0] words[{top}:0];\n\
             always @(posedge clock) if (write_enable) words[write_address] <= write_data;\n\
             always @(*) read_data = words[read_address];\n"
        ))
    }
}
