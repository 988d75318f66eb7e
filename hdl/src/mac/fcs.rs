// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frame check sequence, an octet a cycle.
use crate::cell::Parity32;
use crate::prelude::*;

/// Polynomial of IEEE 802.3 section 3.2.9, lowest power in the highest bit.
const POLYNOMIAL: u32 = 0xEDB8_8320;

/// Register of a frame that ends with its own FCS.
pub(super) const RESIDUE: usize = 0xDEBB_20E3;

/// Running CRC of a frame: the register before the complement, which is sent low octet first.
#[block(clock)]
pub(super) struct Fcs {
    /// The register begins a frame at the next edge; wins over `step`.
    pub start: Signal<In, Bit>,
    /// The register takes `octet` in at the next edge.
    pub step: Signal<In, Bit>,
    /// Octet of the frame, with `step`.
    pub octet: Signal<In, Bits<8>>,
    /// Register behind the octets so far.
    pub crc: Signal<Out, Bits<32>>,
    register: Flop<Bits<32>>,
    matrix: Parity32<32>,
}

impl Fcs {
    pub(super) fn new() -> Self {
        Self { matrix: Parity32::new(|bit| octet_step(1 << bit)), ..Default::default() }
    }
}

/// The register eight bits on.
fn octet_step(register: u32) -> u32 {
    (0..8).fold(register, |r, _| if r & 1 == 1 { r >> 1 ^ POLYNOMIAL } else { r >> 1 })
}

#[kernel]
impl Logic for Fcs {
    fn update(&mut self) {
        flops!(register);
        self.crc.next = self.register.q.val();
        self.matrix.x.next = self.register.q.val() ^ bit_cast::<32, 8>(self.octet.val());
        if self.step.val() {
            self.register.d.next = self.matrix.y.val();
        }
        if self.start.val() {
            self.register.d.next = lit::<32>(0xFFFF_FFFF);
        }
    }
}
