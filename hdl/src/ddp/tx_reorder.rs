// SPDX-License-Identifier: MIT OR Apache-2.0
//! Answers of DMA reads, which come in any order, put in order.
use super::tx_arrival::TxArrival;
use super::tx_places::TxPlaces;
use crate::cell::KeepOctets;
use crate::prelude::*;
use crate::record::{TxOctets, TxTaken, TxTop};
use crate::stream::{ItemSink, ItemSource, StreamSink};

const TOP: usize = 63;

/// A place of 64 rows for each tag. Answers are written to the place of their tag as they come, a
/// beat a row; octets out of a WQE in cycles without an answer. The pieces of one ULPDU after the
/// other are read in order.
///
/// A read of up to 512 octets that crosses no address divisible by 512 and whose answer is cut only
/// at addresses divisible by 64 needs at most 64 rows. One that takes more is spoilt like one that
/// failed.
///
/// A beat a cycle in, always; a beat a cycle out, also from piece to piece, and a cycle without
/// between two ULPDUs.
#[block(clock)]
pub struct TxReorder {
    /// Synchronous reset; then 28 cycles without a free place.
    pub reset: Signal<In, Bit>,
    /// Answers, always taken.
    pub ans: StreamSink<64, 4>,
    /// Tag of the frame.
    pub ans_tag: Signal<In, Bits<8>>,
    /// The frame is the last of its read.
    pub ans_final: Signal<In, Bit>,
    /// Octets out of a WQE.
    pub copy: ItemSink<TxOctets>,
    /// Their place.
    pub copy_tag: Signal<In, Bits<5>>,
    /// Free places.
    pub place: ItemSource<Bits<5>>,
    /// Whose piece a place is taken for; with `place.ready`.
    pub taken: Signal<In, TxTaken>,
    /// The piece is the first of its ULPDU.
    pub begins: Signal<In, Bit>,
    /// Slot of a piece.
    pub came_slot: Signal<Out, Bits<3>>,
    /// Pulse: all of it has come.
    pub came: Signal<Out, Bit>,
    /// Pulse: its read failed.
    pub failed: Signal<Out, Bit>,
    /// Slots of the ULPDUs to read, all of whose payload has come; taken when all of it was read.
    pub slot: ItemSink<Bits<3>>,
    /// Octets in order.
    pub beat: ItemSource<TxOctets>,
    arrival: TxArrival,
    places: TxPlaces,
    rows: Sdp<TxOctets, 11>,
    keep: KeepOctets<64, 4>,
    /// Rows written so far; 0 of a place without any.
    counts: LutRam<Bits<6>, 5>,
    /// Last row of a whole piece.
    tops: LutRam<TxTop, 5>,
    row: Reg<Bits<6>>,
    at: Flop<Bits<5>>,
    begun: Reg<Bit>,
    fetched: Reg<Bit>,
    ends: Flop<Bit>,
    written: Signal<Local, TxOctets>,
    owner: Signal<Local, TxTaken>,
    written_top: Signal<Local, TxTop>,
    last: Signal<Local, TxTop>,
    show: Signal<Local, TxOctets>,
}

#[kernel]
impl Logic for TxReorder {
    fn update(&mut self) {
        regs!(row, begun, fetched);
        flops!(at, ends);
        parts!(places);
        clocked!(rows, counts, tops);
        ItemSource::<Bits<5>>::link(&mut self.place, &mut self.places.place);
        self.places.taken.next = self.taken.val();
        self.places.begins.next = self.begins.val();

        // In: the next row of the tag's place.
        StreamSink::<64, 4>::link(&mut self.ans, &mut self.arrival.ans);
        self.arrival.ans_tag.next = self.ans_tag.val();
        self.arrival.ans_final.next = self.ans_final.val();
        ItemSink::<TxOctets>::link(&mut self.copy, &mut self.arrival.copy);
        self.arrival.copy_tag.next = self.copy_tag.val();
        self.counts.read_address.next = self.arrival.tag.val();
        let count: Bits<6> = self.counts.read_data.val();
        let count_up: Bits<6> = count + 1;
        self.counts.write_enable.next = self.arrival.valid.val() || self.places.filling.val();
        self.counts.write_address.next = self.arrival.tag.val();
        self.counts.write_data.next = count_up;
        if self.arrival.finish.val() {
            self.counts.write_data.next = 0.into();
        }
        if self.places.filling.val() {
            self.counts.write_address.next = self.places.fill.val();
            self.counts.write_data.next = 0.into();
        }
        self.keep.x.next = self.arrival.data.val();
        self.keep.bytes.next = self.arrival.bytes.val();
        self.written.next.data = self.keep.y.val();
        self.written.next.bytes = self.arrival.bytes.val();
        self.written.next.ends = false;
        self.rows.write_enable.next = self.arrival.valid.val();
        self.rows.write_address.next =
            (bit_cast::<11, 5>(self.arrival.tag.val()) << 6) | bit_cast::<11, 6>(count);
        self.rows.write_data.next = self.written.val();
        self.tops.write_enable.next = self.arrival.finish.val();
        self.tops.write_address.next = self.arrival.tag.val();
        self.places.came.next = self.arrival.tag.val();
        self.owner.next = self.places.came_of.val();
        self.came_slot.next = self.owner.val().slot;
        self.written_top.next.row = count;
        self.written_top.next.ends = self.owner.val().ends;
        self.tops.write_data.next = self.written_top.val();
        self.came.next = self.arrival.finish.val();
        self.failed.next = self.arrival.wrong.val()
            || (self.arrival.valid.val() && (count == lit::<6>(TOP)) && !self.arrival.finish.val());

        // Out: the pieces of the slot, one after the other.
        self.places.slot.next = self.slot.item.val();
        self.places.at.next = self.at.q.val();
        self.tops.read_address.next = self.at.q.val();
        self.last.next = self.tops.read_data.val();
        let completes: Bit = self.row.q.val() == self.last.val().row;
        let fire: Bit = self.begun.q.val() && (self.beat.ready.val() || !self.fetched.q.val());
        self.places.give.next = fire && completes;
        self.slot.ready.next = fire && completes && self.last.val().ends;
        self.rows.read_enable.next = fire;
        self.rows.read_address.next =
            (bit_cast::<11, 5>(self.at.q.val()) << 6) | bit_cast::<11, 6>(self.row.q.val());
        if self.beat.ready.val() {
            self.fetched.d.next = false;
        }
        if !self.begun.q.val() && self.slot.valid.val() {
            self.begun.d.next = true;
            self.at.d.next = self.places.first.val();
        }
        if fire {
            self.fetched.d.next = true;
            self.ends.d.next = completes && self.last.val().ends;
            self.row.d.next = self.row.q.val() + 1;
            if completes {
                self.row.d.next = 0.into();
                self.at.d.next = self.places.next_at.val();
                self.begun.d.next = !self.last.val().ends;
            }
        }
        self.show.next = self.rows.read_data.val();
        self.beat.item.next.data = self.show.val().data;
        self.beat.item.next.bytes = self.show.val().bytes;
        self.beat.item.next.ends = self.ends.q.val();
        self.beat.valid.next = self.fetched.q.val();
    }
}
