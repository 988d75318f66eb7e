// SPDX-License-Identifier: MIT OR Apache-2.0
//! Order of octets in a dword.
use crate::prelude::*;

const NEAR: usize = 8;
const FAR: usize = 24;

/// Combinational: `y` = `x` with the octets of each dword in the opposite order. A stream has octet
/// 0 of a dword in its low bits, a TLP in its high ones.
#[block(comb)]
pub struct DwSwap<const W: usize> {
    /// Dwords in.
    pub x: Signal<In, Bits<W>>,
    /// Dwords out.
    pub y: Signal<Out, Bits<W>>,
    mask: Vec<Const<Bits<W>>>,
}

impl<const W: usize> DwSwap<W> {
    /// Panics at elaboration if `W` is not a whole number of dwords.
    pub fn new() -> Self {
        assert!(W.is_multiple_of(32) && W > 0, "W = {W} bits is not a whole number of dwords");
        let octet = |i: usize| {
            let lanes = (0..W / 32).map(|lane| Bits::<W>::from(0xff_u64) << (32 * lane + 8 * i) as u64);
            Const::new(lanes.fold(Bits::default(), |all, lane| all | lane))
        };
        Self { mask: (0..4).map(octet).collect(), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize> Logic for DwSwap<W> {
    fn update(&mut self) {
        self.y.next = ((self.x.val() & self.mask[0].val()) << lit::<8>(FAR))
            | ((self.x.val() & self.mask[1].val()) << lit::<8>(NEAR))
            | ((self.x.val() & self.mask[2].val()) >> lit::<8>(NEAR))
            | ((self.x.val() & self.mask[3].val()) >> lit::<8>(FAR));
    }
}
