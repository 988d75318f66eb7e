// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets beyond the end of a frame become zero.
use ferrowarp_kernel::block;
use rust_hdl::prelude::*;

/// Combinational: `y` = the first `bytes` octets of `x`, zero above.
#[block(comb)]
pub struct KeepOctets<const W: usize, const K: usize> {
    /// Octet 0 is bits 7:0.
    pub x: Signal<In, Bits<W>>,
    /// How many octets count, `0..=W/8`.
    pub bytes: Signal<In, Bits<K>>,
    /// Those octets.
    pub y: Signal<Out, Bits<W>>,
}

impl<const W: usize, const K: usize> Logic for KeepOctets<W, K> {
    fn update(&mut self) {
        let gone = (W as u64).saturating_sub(8 * self.bytes.val().to_u64());
        self.y.next = (self.x.val() << gone) >> gone;
    }
    fn connect(&mut self) {
        self.y.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "integer i;\n\
             always @(*) for (i = 0; i < {}; i = i + 1) y[8*i +: 8] = (i < bytes) ? x[8*i +: 8] : 8'd0;\n",
            W / 8
        ))
    }
}
