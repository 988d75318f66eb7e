// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests of the DMA ports become pieces of which each can be one TLP.
use super::super::ports::Read;
use super::ports::Part;
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource, Slot};

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
#[block]
pub struct TlpCut {
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
    mask: Signal<Local, Bits<13>>,
    part: Signal<Local, Part>,
    rest: Signal<Local, Read>,
}

impl TlpCut {
    /// No request yet.
    pub fn new() -> Self {
        Self { masks: (0..=LARGEST).map(|code| Const::of((128 << code) - 1)).collect(), ..Default::default() }
    }
}

#[kernel]
impl Logic for TlpCut {
    fn update(&mut self) {
        regs!(busy, begun);
        flops!(now);
        parts!(out);

        self.mask.next = self.masks[0].val();
        for i in 1..6 {
            if self.size.val() == i.to_bits() {
                self.mask.next = self.masks[i].val();
            }
        }
        // octets from the first one to the next multiple of the size
        let low: Bits<13> = bit_cast::<13, 64>(self.now.q.val().addr) & self.mask.val();
        let below: Bits<13> = self.mask.val() - low;
        let room: Bits<13> = below + 1;
        let ends: Bit = self.now.q.val().length <= room;
        let over: Bits<13> = self.now.q.val().length - room;
        let last_octet: Bits<64> = self.now.q.val().addr | bit_cast::<64, 13>(self.mask.val());
        let beyond: Bits<64> = last_octet + lit::<64>(1);

        self.part.next.addr = self.now.q.val().addr;
        self.part.next.length = room;
        if ends {
            self.part.next.length = self.now.q.val().length;
        }
        self.part.next.tag = self.now.q.val().tag;
        self.part.next.first = !self.begun.q.val();
        self.part.next.last = ends;
        self.rest.next = self.now.q.val();
        self.rest.next.addr = beyond;
        self.rest.next.length = over;

        self.out.rx.item.next = self.part.val();
        self.out.rx.valid.next = self.busy.q.val();
        let moves: Bit = self.busy.q.val() && self.out.rx.ready.val();
        self.rx.ready.next = !self.busy.q.val();
        if moves {
            self.begun.d.next = !ends;
            self.busy.d.next = !ends;
            self.now.d.next = self.rest.val();
        }
        if !self.busy.q.val() {
            self.busy.d.next = self.rx.valid.val();
            self.now.d.next = self.rx.item.val();
        }
        ItemSource::<Part>::link(&mut self.tx, &mut self.out.tx);
    }
}
