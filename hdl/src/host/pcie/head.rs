// SPDX-License-Identifier: MIT OR Apache-2.0
//! A piece of a request becomes the header of a memory request.
use super::ports::{Head, Part};
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource, Slot};

/// Fmt and Type of MRd and MWr with three dwords (base specification 2.2.1, table 2-3); the fourth
/// one is bit 5.
const MRD: usize = 0x00;
const MWR: usize = 0x40;
const FOUR: usize = 0x20;
const TO_KIND: usize = 24;
const TO_ID: usize = 16;
const TO_TAG: usize = 8;
const TO_LAST: usize = 4;
const WORD: usize = 32;
const WORDS: usize = 64;
const NONE: usize = 0;

/// Makes headers: three dwords if the address lies below 4 GiB, else four (2.2.4.1); dwords that
/// the piece touches; first and last byte enables (2.2.5). Traffic class, attributes, address type
/// and digest bit are 0. A write has tag 0.
///
/// **Timing.** One cycle, a header a cycle.
#[block]
pub struct TlpHead {
    /// Requester ID.
    pub id: Signal<In, Bits<16>>,
    /// Piece; its tag is that of PCI Express.
    pub rx: ItemSink<Part>,
    /// Header.
    pub tx: ItemSource<Head>,
    out: Slot<Head>,
    writes: Const<Bit>,
    kind: Const<Bits<32>>,
    dwords: Const<Bits<64>>,
    from: Vec<Const<Bits<4>>>,
    upto: Vec<Const<Bits<4>>>,
    first_be: Signal<Local, Bits<4>>,
    last_be: Signal<Local, Bits<4>>,
    w0: Signal<Local, Bits<32>>,
    address: Signal<Local, Bits<64>>,
    head: Signal<Local, Head>,
}

impl TlpHead {
    /// Headers of memory writes or of memory reads.
    pub fn new(writes: bool) -> Self {
        Self {
            writes: Const::new(writes),
            kind: Const::of(if writes { MWR } else { MRD }),
            dwords: Const::new((!3_u64).into()),
            // octets from an offset on; octets before one, 0 being the dword's end
            from: [0xF, 0xE, 0xC, 0x8].map(Const::of).into(),
            upto: [0xF, 0x1, 0x3, 0x7].map(Const::of).into(),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for TlpHead {
    fn update(&mut self) {
        parts!(out);
        let offset: Bits<2> = bit_cast::<2, 64>(self.rx.item.val().addr);
        let stop: Bits<14> = bit_cast::<14, 13>(self.rx.item.val().length) + bit_cast::<14, 2>(offset);
        let stop_up: Bits<14> = stop + 3;
        let count: Bits<14> = stop_up >> 2;
        let left: Bits<2> = bit_cast::<2, 14>(stop);
        let alone: Bit = count == 1;
        let high: Bits<64> = self.rx.item.val().addr >> lit::<8>(WORD);
        let long: Bit = high.any();

        self.first_be.next = self.from[0].val();
        self.last_be.next = self.upto[0].val();
        for i in 1..4 {
            if offset == i.to_bits() {
                self.first_be.next = self.from[i].val();
            }
            if left == i.to_bits() {
                self.last_be.next = self.upto[i].val();
            }
        }
        if alone {
            self.first_be.next = self.first_be.val() & self.last_be.val();
            self.last_be.next = lit::<4>(NONE);
        }

        // the length of 1024 dwords is said as 0: its low ten bits
        self.w0.next = (self.kind.val() << lit::<8>(TO_KIND)) | bit_cast::<32, 10>(bit_cast::<10, 14>(count));
        if long {
            self.w0.next = ((self.kind.val() | lit::<32>(FOUR)) << lit::<8>(TO_KIND))
                | bit_cast::<32, 10>(bit_cast::<10, 14>(count));
        }
        let w1: Bits<32> = (bit_cast::<32, 16>(self.id.val()) << lit::<8>(TO_ID))
            | (bit_cast::<32, 8>(self.rx.item.val().tag) << lit::<8>(TO_TAG))
            | (bit_cast::<32, 4>(self.last_be.val()) << lit::<8>(TO_LAST))
            | bit_cast::<32, 4>(self.first_be.val());
        let low: Bits<64> = bit_cast::<64, 32>(self.w0.val()) | (bit_cast::<64, 32>(w1) << lit::<8>(WORD));
        // dwords 2 and 3: the address, its upper half first if it has one
        self.address.next = self.rx.item.val().addr & self.dwords.val();
        if long {
            self.address.next = ((self.rx.item.val().addr & self.dwords.val()) << lit::<8>(WORD)) | high;
        }
        self.head.next.words =
            bit_cast::<128, 64>(low) | (bit_cast::<128, 64>(self.address.val()) << lit::<8>(WORDS));
        self.head.next.four = long;
        self.head.next.payload = 0.into();
        if self.writes.val() {
            self.head.next.payload = bit_cast::<11, 14>(count);
        }
        self.head.next.ends = self.rx.item.val().last;
        self.out.rx.item.next = self.head.val();
        self.out.rx.valid.next = self.rx.valid.val();
        self.rx.ready.next = self.out.rx.ready.val();
        ItemSource::<Head>::link(&mut self.tx, &mut self.out.tx);
    }
}
