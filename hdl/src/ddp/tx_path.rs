// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the ranges of a ULPDU's payload to its frame.
use super::tx_gather::TxGather;
use super::tx_inline::TxInline;
use super::tx_reorder::TxReorder;
use super::tx_slots::TxSlots;
use super::tx_weld::TxWeld;
use crate::cell::Flop;
use crate::record::{Fault, TxBack, TxFpdu, TxHead, TxOwned, TxRange};
use crate::stream::{ItemSink, ItemSource, Queue, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// The transmit blocks put together. `CW` = address of a word of a slot of the send queue.
///
/// **Contract.** A ULPDU is claimed with head and item; then come its ranges, the last of which
/// `ends`, or inline octets are copied. Ranges of two ULPDUs do not mix, and one of them has at
/// most 27 pieces. Items on `fpdu` and frames on `tx` have one order, which is that of the claims
/// for each queue pair. A ULPDU that never leaves has an item on `back` instead, in its place of
/// that order.
#[derive(LogicBlock, Default)]
pub struct TxPath<const C: usize, const NC: usize, const CW: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// There is room for one more.
    pub room: Signal<Out, Bit>,
    /// One begins.
    pub claim: Signal<In, Bit>,
    /// Its head.
    pub head: Signal<In, TxHead>,
    /// What MPA and TCP need of it.
    pub fpdu: Signal<In, TxFpdu>,
    /// A turn is under way: its claim, or ranges of it, may be still to come.
    pub under: Signal<In, Bit>,
    /// Queue pair that wants to begin one.
    pub ask_qp: Signal<In, Bits<C>>,
    /// It may.
    pub share: Signal<Out, Bit>,
    /// Payload of its oldest ULPDU has not come.
    pub late: Signal<Out, Bit>,
    /// It has none under way that may be given back.
    pub none: Signal<Out, Bit>,
    /// Range of the one that was claimed last.
    pub range: ItemSink<TxRange>,
    /// Its range stands in a slot of the send queue: begins to copy.
    pub copy: Signal<In, Bit>,
    /// First word.
    pub copy_first: Signal<In, Bits<CW>>,
    /// Octets.
    pub copy_octets: Signal<In, Bits<8>>,
    /// Octets are still to be copied.
    pub copies: Signal<Out, Bit>,
    /// Read port of the slots.
    pub word_enable: Signal<Out, Bit>,
    /// Word asked for.
    pub word_address: Signal<Out, Bits<CW>>,
    /// It comes one cycle later and stays.
    pub word: Signal<In, Bits<64>>,
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
    /// Answers.
    pub ans: StreamSink<64, 4>,
    /// Tag of the frame.
    pub ans_tag: Signal<In, Bits<8>>,
    /// The frame is the last of its read.
    pub ans_final: Signal<In, Bit>,
    /// Connection that is inserted.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub fresh: Signal<In, Bit>,
    /// Item of the next ULPDU.
    pub fpdu_item: Signal<Out, TxFpdu>,
    /// Offered.
    pub fpdu_valid: Signal<Out, Bit>,
    /// Taken.
    pub fpdu_ready: Signal<In, Bit>,
    /// Room of a ULPDU that never leaves.
    pub back: ItemSource<TxBack>,
    /// ULPDUs.
    pub tx: StreamSource<64, 4>,
    /// A read failed.
    pub fault: Signal<Out, Fault>,
    /// Offered.
    pub fault_valid: Signal<Out, Bit>,
    /// Taken.
    pub fault_take: Signal<In, Bit>,
    /// Queue pair of a ULPDU under way; while no ULPDU can leave, of one that waits.
    pub owed_qp: Signal<Out, Bits<C>>,
    /// ULPDUs under way, a bit for each slot.
    pub used: Signal<Out, Bits<8>>,
    /// Those of them that end in this cycle.
    pub over: Signal<Out, Bits<8>>,
    slots: TxSlots<C, NC>,
    ranges: Queue<TxOwned, 3>,
    gather: TxGather,
    inlines: TxInline<CW>,
    reorder: TxReorder,
    weld: TxWeld,
    latest: Flop<Bits<3>>,
    given: Signal<Local, TxRange>,
    owned: Signal<Local, TxOwned>,
}

impl<const C: usize, const NC: usize, const CW: usize> TxPath<C, NC, CW> {
    /// Nothing under way.
    pub fn new() -> Self {
        Self {
            slots: TxSlots::new(),
            gather: TxGather::new(),
            inlines: TxInline::new(),
            reorder: TxReorder::new(),
            weld: TxWeld::new(),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize, const CW: usize> Logic for TxPath<C, NC, CW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, latest);
        clock!(self, clock, slots, ranges, gather, inlines, reorder, weld);
        self.slots.reset.next = self.reset.val();
        self.ranges.reset.next = self.reset.val();
        self.gather.reset.next = self.reset.val();
        self.inlines.reset.next = self.reset.val();
        self.reorder.reset.next = self.reset.val();
        self.weld.reset.next = self.reset.val();

        // Who begins.
        self.room.next = self.slots.room.val();
        self.slots.claim.next = self.claim.val();
        self.slots.head.next = self.head.val();
        self.slots.fpdu.next = self.fpdu.val();
        self.slots.ask_qp.next = self.ask_qp.val();
        self.slots.under.next = self.under.val();
        self.slots.latest.next = self.latest.q.val();
        self.slots.range.next = self.range.item.val();
        self.slots.enters.next = self.range.valid.val() && self.ranges.rx.ready.val();
        self.share.next = self.slots.share.val();
        self.late.next = self.slots.late.val();
        self.none.next = self.slots.none.val();
        self.owed_qp.next = self.slots.owed_qp.val();
        self.used.next = self.slots.used.val();
        self.over.next = self.slots.over.val();
        if self.claim.val() {
            self.latest.d.next = self.slots.slot.val();
        }

        // Its ranges to pieces, and those to places.
        self.given.next = self.range.item.val();
        self.owned.next.addr = self.given.val().addr;
        self.owned.next.octets = self.given.val().octets;
        self.owned.next.in_slot = self.given.val().in_slot;
        self.owned.next.ends = self.given.val().ends;
        self.owned.next.slot = self.latest.q.val();
        self.ranges.rx.item.next = self.owned.val();
        self.ranges.rx.valid.next = self.range.valid.val();
        self.range.ready.next = self.ranges.rx.ready.val();
        self.gather.range.next = self.ranges.tx.item.val();
        self.gather.range_valid.next = self.ranges.tx.valid.val();
        self.ranges.tx.ready.next = self.gather.range_take.val();
        self.req_addr.next = self.gather.req_addr.val();
        self.req_length.next = self.gather.req_length.val();
        self.req_tag.next = self.gather.req_tag.val();
        self.req_valid.next = self.gather.req_valid.val();
        self.gather.req_ready.next = self.req_ready.val();
        self.gather.place.next = self.reorder.place.val();
        self.gather.place_valid.next = self.reorder.place_valid.val();
        self.reorder.take.next = self.gather.take.val();
        self.reorder.taken.next = self.gather.taken.val();
        self.reorder.begins.next = self.gather.begins.val();
        self.slots.take.next = self.gather.take.val();
        self.slots.taken.next = self.gather.taken.val();

        // Octets out of a slot, and answers.
        self.inlines.start.next = self.copy.val();
        self.inlines.first.next = self.copy_first.val();
        self.inlines.octets.next = self.copy_octets.val();
        self.inlines.place.next = self.reorder.place.val();
        self.inlines.given.next = self.gather.copies.val();
        self.copies.next = self.inlines.busy.val();
        self.word_enable.next = self.inlines.word_enable.val();
        self.word_address.next = self.inlines.word_address.val();
        self.inlines.word.next = self.word.val();
        self.reorder.copy.next = self.inlines.beat.val();
        self.reorder.copy_tag.next = self.inlines.tag.val();
        self.reorder.copy_valid.next = self.inlines.beat_valid.val();
        self.inlines.beat_take.next = self.reorder.copy_take.val();
        StreamSink::<64, 4>::link(&mut self.ans, &mut self.reorder.ans);
        self.reorder.ans_tag.next = self.ans_tag.val();
        self.reorder.ans_final.next = self.ans_final.val();
        self.slots.came_slot.next = self.reorder.came_slot.val();
        self.slots.came.next = self.reorder.came.val();
        self.slots.failed.next = self.reorder.failed.val();

        // Who leaves.
        self.fpdu_item.next = self.slots.fpdu_item.val();
        self.fpdu_valid.next = self.slots.fpdu_valid.val();
        self.slots.fpdu_ready.next = self.fpdu_ready.val();
        self.back.item.next = self.slots.back.item.val();
        self.back.valid.next = self.slots.back.valid.val();
        self.slots.back.ready.next = self.back.ready.val();
        self.slots.fresh_qp.next = self.fresh_qp.val();
        self.slots.fresh.next = self.fresh.val();
        self.reorder.slot.next = self.slots.read_slot.val();
        self.reorder.slot_valid.next = self.slots.read_valid.val();
        self.slots.read_take.next = self.reorder.slot_take.val();
        self.weld.beat.next = self.reorder.beat.val();
        self.weld.beat_valid.next = self.reorder.beat_valid.val();
        self.reorder.beat_take.next = self.weld.beat_take.val();
        self.weld.head.next = self.slots.weld_head.val();
        self.weld.head_valid.next = self.slots.weld_valid.val();
        self.slots.weld_take.next = self.weld.head_take.val();
        self.weld.drops.next = self.slots.weld_drops.val();
        self.weld.blames.next = self.slots.weld_blames.val();
        StreamSource::<64, 4>::link(&mut self.tx, &mut self.weld.tx);
        self.fault.next = self.weld.fault.val();
        self.fault_valid.next = self.weld.fault_valid.val();
        self.weld.fault_take.next = self.fault_take.val();
    }
}
