// SPDX-License-Identifier: MIT OR Apache-2.0
//! A piece of a request becomes the header of a memory request.
use super::ports::{Head, Part};
use crate::cell::Const;
use crate::stream::{ItemSink, ItemSource, Slot};
use rust_hdl::prelude::*;

/// Fmt and Type of MRd and MWr with three dwords (base specification 2.2.1, table 2-3); the fourth
/// one is bit 5.
const MRD: usize = 0x00;
const MWR: usize = 0x40;
const FOUR: usize = 0x20;

/// Makes headers: three dwords if the address lies below 4 GiB, else four (2.2.4.1); dwords that
/// the piece touches; first and last byte enables (2.2.5). Traffic class, attributes, address type
/// and digest bit are 0. A write has tag 0.
///
/// **Timing.** One cycle, a header a cycle.
#[derive(LogicBlock, Default)]
pub struct TlpHead {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Requester ID.
    pub id: Signal<In, Bits<16>>,
    /// Piece; its tag is that of PCI Express.
    pub rx: ItemSink<Part>,
    /// Header.
    pub tx: ItemSource<Head>,
    out: Slot<Head>,
    writes: Const<Bit>,
    kind: Const<Bits<32>>,
    four: Const<Bits<32>>,
    to_kind: Const<Bits<8>>,
    to_id: Const<Bits<8>>,
    to_tag: Const<Bits<8>>,
    to_last: Const<Bits<8>>,
    word: Const<Bits<8>>,
    words: Const<Bits<8>>,
    dwords: Const<Bits<64>>,
    from: Vec<Const<Bits<4>>>,
    upto: Vec<Const<Bits<4>>>,
    none: Const<Bits<4>>,
    offset: Signal<Local, Bits<2>>,
    stop: Signal<Local, Bits<14>>,
    stop_up: Signal<Local, Bits<14>>,
    count: Signal<Local, Bits<14>>,
    left: Signal<Local, Bits<2>>,
    alone: Signal<Local, Bit>,
    long: Signal<Local, Bit>,
    first_be: Signal<Local, Bits<4>>,
    last_be: Signal<Local, Bits<4>>,
    w0: Signal<Local, Bits<32>>,
    w1: Signal<Local, Bits<32>>,
    low: Signal<Local, Bits<64>>,
    high: Signal<Local, Bits<64>>,
    address: Signal<Local, Bits<64>>,
    head: Signal<Local, Head>,
}

impl TlpHead {
    /// Headers of memory writes or of memory reads.
    pub fn new(writes: bool) -> Self {
        Self {
            writes: Const::new(writes),
            kind: Const::of(if writes { MWR } else { MRD }),
            four: Const::of(FOUR),
            to_kind: Const::of(24),
            to_id: Const::of(16),
            to_tag: Const::of(8),
            to_last: Const::of(4),
            word: Const::of(32),
            words: Const::of(64),
            dwords: Const::new((!3_u64).into()),
            // octets from an offset on; octets before one, 0 being the dword's end
            from: [0xF, 0xE, 0xC, 0x8].map(Const::of).into(),
            upto: [0xF, 0x1, 0x3, 0x7].map(Const::of).into(),
            none: Const::of(0),
            ..Default::default()
        }
    }
}

impl Logic for TlpHead {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, out);
        self.out.reset.next = self.reset.val();
        self.offset.next = bit_cast::<2, 64>(self.rx.item.val().addr);
        self.stop.next = bit_cast::<14, 13>(self.rx.item.val().length) + bit_cast::<14, 2>(self.offset.val());
        self.stop_up.next = self.stop.val() + 3;
        self.count.next = self.stop_up.val() >> 2;
        self.left.next = bit_cast::<2, 14>(self.stop.val());
        self.alone.next = self.count.val() == 1;
        self.high.next = self.rx.item.val().addr >> self.word.val();
        self.long.next = self.high.val().any();

        self.first_be.next = self.from[0].val();
        self.last_be.next = self.upto[0].val();
        for i in 1..4 {
            if self.offset.val() == i.to_bits() {
                self.first_be.next = self.from[i].val();
            }
            if self.left.val() == i.to_bits() {
                self.last_be.next = self.upto[i].val();
            }
        }
        if self.alone.val() {
            self.first_be.next = self.first_be.val() & self.last_be.val();
            self.last_be.next = self.none.val();
        }

        // the length of 1024 dwords is said as 0: its low ten bits
        self.w0.next = (self.kind.val() << self.to_kind.val())
            | bit_cast::<32, 10>(bit_cast::<10, 14>(self.count.val()));
        if self.long.val() {
            self.w0.next = ((self.kind.val() | self.four.val()) << self.to_kind.val())
                | bit_cast::<32, 10>(bit_cast::<10, 14>(self.count.val()));
        }
        self.w1.next = (bit_cast::<32, 16>(self.id.val()) << self.to_id.val())
            | (bit_cast::<32, 8>(self.rx.item.val().tag) << self.to_tag.val())
            | (bit_cast::<32, 4>(self.last_be.val()) << self.to_last.val())
            | bit_cast::<32, 4>(self.first_be.val());
        self.low.next =
            bit_cast::<64, 32>(self.w0.val()) | (bit_cast::<64, 32>(self.w1.val()) << self.word.val());
        // dwords 2 and 3: the address, its upper half first if it has one
        self.address.next = self.rx.item.val().addr & self.dwords.val();
        if self.long.val() {
            self.address.next =
                ((self.rx.item.val().addr & self.dwords.val()) << self.word.val()) | self.high.val();
        }
        self.head.next.words = bit_cast::<128, 64>(self.low.val())
            | (bit_cast::<128, 64>(self.address.val()) << self.words.val());
        self.head.next.four = self.long.val();
        self.head.next.payload = 0.into();
        if self.writes.val() {
            self.head.next.payload = bit_cast::<11, 14>(self.count.val());
        }
        self.head.next.ends = self.rx.item.val().last;
        self.out.rx.item.next = self.head.val();
        self.out.rx.valid.next = self.rx.valid.val();
        self.rx.ready.next = self.out.rx.ready.val();
        ItemSource::<Head>::link(&mut self.tx, &mut self.out.tx);
    }
}
