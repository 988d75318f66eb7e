//! Ranges of local memory to DMA reads.
use super::tx_job::{TxPiece, TxRange};
use crate::cell::{Const, Flop, Reg};
use crate::stream::Queue;
use rust_hdl::prelude::*;

/// Cuts each range at addresses divisible by 512 and reads the pieces, tags 0 to 15 in turn, while the pieces
/// before are still under way: up to 16 of them, 8 KiB. A read is asked for only when the place for its answer is
/// free. One piece a cycle.
#[derive(LogicBlock, Default)]
pub struct TxGather {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Next range.
    pub range: Signal<In, TxRange>,
    /// Offered.
    pub range_valid: Signal<In, Bit>,
    /// Taken.
    pub range_take: Signal<Out, Bit>,
    /// IOVA of a read.
    pub req_addr: Signal<Out, Bits<64>>,
    /// Its octets, 1 to 512.
    pub req_length: Signal<Out, Bits<13>>,
    /// Its tag.
    pub req_tag: Signal<Out, Bits<8>>,
    /// Offered.
    pub req_valid: Signal<Out, Bit>,
    /// Taken.
    pub req_ready: Signal<In, Bit>,
    /// Next piece of payload, in order.
    pub piece: Signal<Out, TxPiece>,
    /// There is one.
    pub piece_valid: Signal<Out, Bit>,
    /// All its octets have left: its place is free.
    pub piece_take: Signal<In, Bit>,
    pieces: Queue<TxPiece, 4>,
    busy: Reg<Bit>,
    addr: Flop<Bits<64>>,
    left: Flop<Bits<16>>,
    ends: Flop<Bit>,
    in_slot: Flop<Bit>,
    tag: Reg<Bits<4>>,
    out_addr: Flop<Bits<64>>,
    out_length: Flop<Bits<13>>,
    out_tag: Flop<Bits<8>>,
    out_valid: Reg<Bit>,
    most: Const<Bits<16>>,
    item: Signal<Local, TxRange>,
    cut: Signal<Local, TxPiece>,
    whole: Signal<Local, Bits<16>>,
    octets: Signal<Local, Bits<16>>,
    finishes: Signal<Local, Bit>,
    fire: Signal<Local, Bit>,
}

impl TxGather {
    /// Nothing under way.
    pub fn new() -> Self {
        Self { most: Const::of(512), ..Default::default() }
    }
}

impl Logic for TxGather {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, busy, addr, left, ends, in_slot, tag, out_addr, out_length, out_tag, out_valid
        );
        clock!(self, clock, pieces);
        self.busy.reset.next = self.reset.val();
        self.tag.reset.next = self.reset.val();
        self.out_valid.reset.next = self.reset.val();
        self.pieces.reset.next = self.reset.val();
        self.req_addr.next = self.out_addr.q.val();
        self.req_length.next = self.out_length.q.val();
        self.req_tag.next = self.out_tag.q.val();
        self.req_valid.next = self.out_valid.q.val();
        self.piece.next = self.pieces.q.val();
        self.piece_valid.next = self.pieces.q_valid.val();
        self.pieces.q_ready.next = self.piece_take.val();
        if self.req_ready.val() {
            self.out_valid.d.next = false;
        }

        // Octets up to the next cut; a piece that stands in the WQE has a place of its own and needs no read.
        self.whole.next = self.most.val() - bit_cast::<16, 9>(self.addr.q.val().get_bits::<9>(0));
        self.octets.next = self.left.q.val();
        if !self.in_slot.q.val() && (self.left.q.val() > self.whole.val()) {
            self.octets.next = self.whole.val();
        }
        self.finishes.next = self.octets.val() == self.left.q.val();
        self.fire.next = self.busy.q.val()
            && self.pieces.d_ready.val()
            && (self.in_slot.q.val() || !self.out_valid.q.val() || self.req_ready.val());
        self.cut.next.in_slot = self.in_slot.q.val();
        self.cut.next.ends = self.ends.q.val() && self.finishes.val();
        self.cut.next.tag = self.tag.q.val();
        self.pieces.d.next = self.cut.val();
        self.pieces.d_valid.next = self.fire.val();
        if self.fire.val() {
            self.left.d.next = self.left.q.val() - self.octets.val();
            self.addr.d.next = self.addr.q.val() + bit_cast::<64, 16>(self.octets.val());
            self.busy.d.next = !self.finishes.val();
            if !self.in_slot.q.val() {
                self.tag.d.next = self.tag.q.val() + 1;
                self.out_addr.d.next = self.addr.q.val();
                self.out_length.d.next = bit_cast::<13, 16>(self.octets.val());
                self.out_tag.d.next = bit_cast::<8, 4>(self.tag.q.val());
                self.out_valid.d.next = true;
            }
        }

        self.item.next = self.range.val();
        self.range_take.next = !self.busy.q.val() || (self.fire.val() && self.finishes.val());
        if self.range_valid.val() && (!self.busy.q.val() || (self.fire.val() && self.finishes.val())) {
            self.busy.d.next = true;
            self.addr.d.next = self.item.val().addr;
            self.left.d.next = self.item.val().octets;
            self.ends.d.next = self.item.val().ends;
            self.in_slot.d.next = self.item.val().in_slot;
        }
    }
}
