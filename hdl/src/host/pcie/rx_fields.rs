// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where address and payload of a request stand.
use crate::prelude::*;

/// Combinational: the low half of the address and the first two dwords of payload, behind a header
/// of three or four dwords.
#[block(comb)]
pub struct RxFields {
    /// The first dwords of the request, dword 0 in bits 31:0.
    pub words: Signal<In, Bits<256>>,
    /// Low half of its address.
    pub place: Signal<Out, Bits<32>>,
    /// Its first two dwords of payload.
    pub payload: Signal<Out, Bits<64>>,
}

#[kernel]
impl Logic for RxFields {
    fn update(&mut self) {
        self.place.next = self.words.val().get_bits::<32>(64);
        self.payload.next = self.words.val().get_bits::<64>(96);
        // Fmt, bit 0: four dwords
        if self.words.val().get_bit(29) {
            self.place.next = self.words.val().get_bits::<32>(96);
            self.payload.next = self.words.val().get_bits::<64>(128);
        }
    }
}
