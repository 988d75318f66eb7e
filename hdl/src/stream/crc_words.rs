// SPDX-License-Identifier: MIT OR Apache-2.0
//! CRC32c over a beat of whole 32-bit words, from a state that is given: the step of an FPDU's
//! running CRC.
use super::crc32c::beat_column;
use crate::cell::Parity32;
use crate::prelude::*;

/// Combinational: `out` = CRC register after the first `words` words of `data`, from register
/// `state`.
///
/// `words` 0 gives `state` back. The register is the value before the final complement; octet 0 of
/// the beat is bits 7:0. One matrix serves every count: the state is folded into the first word,
/// the words are pushed to the top of the beat, and the zeros that come in below leave a zero
/// register alone. Tie `state` or `data` to zero to split the sum over two pipeline steps (the CRC
/// is linear).
#[block(comb)]
pub struct CrcWords<const W: usize, const LK: usize> {
    /// Register before the beat.
    pub state: Signal<In, Bits<32>>,
    /// Words, the first in bits 31:0.
    pub data: Signal<In, Bits<W>>,
    /// How many of them, `0..=W/32`.
    pub words: Signal<In, Bits<LK>>,
    /// Register after the beat.
    pub out: Signal<Out, Bits<32>>,
    matrix: Parity32<W>,
}

impl<const W: usize, const LK: usize> CrcWords<W, LK> {
    /// The step for beats of `W/32` words.
    pub fn new() -> Self {
        assert!(W.is_multiple_of(32) && W <= 512 && LK > (W / 32).ilog2() as usize);
        Self { matrix: Parity32::new(|bit| beat_column(W / 8, bit)), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const LK: usize> Logic for CrcWords<W, LK> {
    fn update(&mut self) {
        let absent: Bits<LK> = lit::<LK>(W / 32) - self.words.val();
        let up: Bits<10> = bit_cast::<10, LK>(absent) << 5;
        let folded: Bits<W> = self.data.val() ^ bit_cast::<W, 32>(self.state.val());
        self.matrix.x.next = folded << up;
        self.out.next = self.matrix.y.val();
        if self.words.val() == 0 {
            self.out.next = self.state.val();
        }
    }
}
