// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ranges of local memory to DMA reads.
use crate::prelude::*;
use crate::record::{TxOwned, TxTaken};
use crate::stream::ItemSink;

const MOST: usize = 512;

/// Cuts each range at addresses divisible by 512, takes a place for each piece and reads it, while
/// the pieces before are still under way. Its place is its tag. Octets that stand in the WQE need a
/// place and no read. One piece a cycle.
#[block]
pub struct TxGather {
    /// Ranges.
    pub range: ItemSink<TxOwned>,
    /// IOVA of a read.
    pub req_addr: Signal<Out, Bits<64>>,
    /// Its octets, 1 to 512.
    pub req_length: Signal<Out, Bits<13>>,
    /// Its tag.
    pub req_tag: Signal<Out, Bits<8>>,
    /// The read is offered.
    pub req_valid: Signal<Out, Bit>,
    /// The bus takes the read.
    pub req_ready: Signal<In, Bit>,
    /// Free places; one is taken for each piece.
    pub place: ItemSink<Bits<5>>,
    /// Whose piece the place is taken for; with `place.ready`.
    pub taken: Signal<Out, TxTaken>,
    /// The piece is the first of its ULPDU.
    pub begins: Signal<Out, Bit>,
    /// With `place.ready`: the piece stands in the WQE.
    pub copies: Signal<Out, Bit>,
    busy: Reg<Bit>,
    addr: Flop<Bits<64>>,
    left: Flop<Bits<16>>,
    ends: Flop<Bit>,
    in_slot: Flop<Bit>,
    owner: Flop<Bits<3>>,
    /// A piece of the ULPDU was cut.
    begun: Reg<Bit>,
    out_addr: Flop<Bits<64>>,
    out_length: Flop<Bits<13>>,
    out_tag: Flop<Bits<8>>,
    out_valid: Reg<Bit>,
    item: Signal<Local, TxOwned>,
    piece: Signal<Local, TxTaken>,
    octets: Signal<Local, Bits<16>>,
}

#[kernel]
impl Logic for TxGather {
    fn update(&mut self) {
        regs!(busy, begun, out_valid);
        flops!(addr, left, ends, in_slot, owner, out_addr, out_length, out_tag);
        self.req_addr.next = self.out_addr.q.val();
        self.req_length.next = self.out_length.q.val();
        self.req_tag.next = self.out_tag.q.val();
        self.req_valid.next = self.out_valid.q.val();
        if self.req_ready.val() {
            self.out_valid.d.next = false;
        }

        // Octets up to the next cut; those that stand in the WQE are one piece.
        let whole: Bits<16> = lit::<16>(MOST) - bit_cast::<16, 9>(self.addr.q.val().get_bits::<9>(0));
        self.octets.next = self.left.q.val();
        if !self.in_slot.q.val() && (self.left.q.val() > whole) {
            self.octets.next = whole;
        }
        let finishes: Bit = self.octets.val() == self.left.q.val();
        let closes: Bit = self.ends.q.val() && finishes;
        let fire: Bit = self.busy.q.val()
            && self.place.valid.val()
            && (self.in_slot.q.val() || !self.out_valid.q.val() || self.req_ready.val());
        self.piece.next.slot = self.owner.q.val();
        self.begins.next = !self.begun.q.val();
        self.piece.next.ends = closes;
        self.taken.next = self.piece.val();
        self.place.ready.next = fire;
        self.copies.next = fire && self.in_slot.q.val();
        if fire {
            self.left.d.next = self.left.q.val() - self.octets.val();
            self.addr.d.next = self.addr.q.val() + bit_cast::<64, 16>(self.octets.val());
            self.busy.d.next = !finishes;
            self.begun.d.next = !closes;
            if !self.in_slot.q.val() {
                self.out_addr.d.next = self.addr.q.val();
                self.out_length.d.next = bit_cast::<13, 16>(self.octets.val());
                self.out_tag.d.next = bit_cast::<8, 5>(self.place.item.val());
                self.out_valid.d.next = true;
            }
        }

        self.item.next = self.range.item.val();
        self.range.ready.next = !self.busy.q.val() || (fire && finishes);
        if self.range.valid.val() && (!self.busy.q.val() || (fire && finishes)) {
            self.busy.d.next = true;
            self.addr.d.next = self.item.val().addr;
            self.left.d.next = self.item.val().octets;
            self.ends.d.next = self.item.val().ends;
            self.in_slot.d.next = self.item.val().in_slot;
            self.owner.d.next = self.item.val().slot;
        }
    }
}
