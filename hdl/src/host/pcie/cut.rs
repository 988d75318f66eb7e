// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests of the DMA ports become pieces of which each can be one TLP.
use super::super::ports::Read;
use super::ports::Part;
use crate::cell::{Const, Flop, Reg};
use crate::stream::{ItemSink, ItemSource, Slot};
use rust_hdl::prelude::*;

/// Largest code of Max_Payload_Size and Max_Read_Request_Size: 128 << 5 = 4096 octets.
const LARGEST: usize = 5;

/// Cuts requests at the multiples of a size of address, so that no piece is longer than it and none
/// crosses 4 KiB.
///
/// **Contract.** `size` is a code: 128 octets shifted left by it; 6 and 7 (reserved) count as 0.
/// Pieces come in the order of their octets. A request has 1 to 4096 octets.
///
/// **Timing.** Two cycles from a request to its first piece; a piece a cycle, one cycle lost
/// between requests.
#[derive(LogicBlock, Default)]
pub struct TlpCut {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Where pieces end, as a code.
    pub size: Signal<In, Bits<3>>,
    /// Request.
    pub rx: ItemSink<Read>,
    /// Piece.
    pub tx: ItemSource<Part>,
    out: Slot<Part>,
    /// What is left of the request.
    now: Flop<Read>,
    busy: Reg<Bit>,
    begun: Reg<Bit>,
    masks: Vec<Const<Bits<13>>>,
    one: Const<Bits<64>>,
    mask: Signal<Local, Bits<13>>,
    low: Signal<Local, Bits<13>>,
    below: Signal<Local, Bits<13>>,
    room: Signal<Local, Bits<13>>,
    over: Signal<Local, Bits<13>>,
    last_octet: Signal<Local, Bits<64>>,
    beyond: Signal<Local, Bits<64>>,
    ends: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    part: Signal<Local, Part>,
    rest: Signal<Local, Read>,
}

impl TlpCut {
    /// No request yet.
    pub fn new() -> Self {
        Self {
            masks: (0..=LARGEST).map(|code| Const::of((128 << code) - 1)).collect(),
            one: Const::of(1),
            ..Default::default()
        }
    }
}

impl Logic for TlpCut {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, out);
        dff_setup!(self, clock, now, busy, begun);
        self.out.reset.next = self.reset.val();
        self.busy.reset.next = self.reset.val();
        self.begun.reset.next = self.reset.val();

        self.mask.next = self.masks[0].val();
        for i in 1..6 {
            if self.size.val() == i.to_bits() {
                self.mask.next = self.masks[i].val();
            }
        }
        // octets from the first one to the next multiple of the size
        self.low.next = bit_cast::<13, 64>(self.now.q.val().addr) & self.mask.val();
        self.below.next = self.mask.val() - self.low.val();
        self.room.next = self.below.val() + 1;
        self.ends.next = self.now.q.val().length <= self.room.val();
        self.over.next = self.now.q.val().length - self.room.val();
        self.last_octet.next = self.now.q.val().addr | bit_cast::<64, 13>(self.mask.val());
        self.beyond.next = self.last_octet.val() + self.one.val();

        self.part.next.addr = self.now.q.val().addr;
        self.part.next.length = self.room.val();
        if self.ends.val() {
            self.part.next.length = self.now.q.val().length;
        }
        self.part.next.tag = self.now.q.val().tag;
        self.part.next.first = !self.begun.q.val();
        self.part.next.last = self.ends.val();
        self.rest.next = self.now.q.val();
        self.rest.next.addr = self.beyond.val();
        self.rest.next.length = self.over.val();

        self.out.rx.item.next = self.part.val();
        self.out.rx.valid.next = self.busy.q.val();
        self.moves.next = self.busy.q.val() && self.out.rx.ready.val();
        self.rx.ready.next = !self.busy.q.val();
        if self.moves.val() {
            self.begun.d.next = !self.ends.val();
            self.busy.d.next = !self.ends.val();
            self.now.d.next = self.rest.val();
        }
        if !self.busy.q.val() {
            self.busy.d.next = self.rx.valid.val();
            self.now.d.next = self.rx.item.val();
        }
        ItemSource::<Part>::link(&mut self.tx, &mut self.out.tx);
    }
}
