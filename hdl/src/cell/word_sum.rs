// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sum of 16-bit words.
use ferrowarp_kernel::block;
use rust_hdl::prelude::*;

/// Combinational: `y` = the sum of quarter `part` of the 16-bit words of `x`, at most 16 of them,
/// no carry lost.
#[block(comb)]
pub struct WordSum<const W: usize> {
    /// The words, the first in bits 15:0.
    pub x: Signal<In, Bits<W>>,
    /// Their sum.
    pub y: Signal<Out, Bits<20>>,
    _part: usize,
}

impl<const W: usize> WordSum<W> {
    /// Sums quarter `part` (0 to 3) of the words.
    pub fn new(part: usize) -> Self {
        assert!(part < 4 && W.is_multiple_of(64) && W <= 1024);
        Self { _part: part, ..Default::default() }
    }

    /// Lowest bits of its words.
    fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let words = W / 64;
        (self._part * words..(self._part + 1) * words).map(|i| 16 * i)
    }
}

impl<const W: usize> Logic for WordSum<W> {
    fn update(&mut self) {
        let x = self.x.val();
        self.y.next = self.places().map(|low| x.get_bits::<16>(low).to_u64()).sum::<u64>().into();
    }
    fn connect(&mut self) {
        self.y.connect();
    }
    fn hdl(&self) -> Verilog {
        // the 20 bits of y are the width of every addition
        let words: Vec<_> = self.places().map(|low| format!("x[{}:{low}]", low + 15)).collect();
        Verilog::Custom(format!("always @(*) y = {};\n", words.join(" + ")))
    }
}
