//! Answers of DMA reads, which come in any order, put in order.
use super::tx_job::{TxOctets, TxPiece};
use crate::cell::{Const, Flop, KeepOctets, LutRam, Reg, Sdp};
use crate::stream::StreamSink;
use rust_hdl::prelude::*;

/// A place of 64 rows for each of 16 tags. Answers are written to the place of their tag as they come, a beat a
/// row; when a piece is whole, its rows are read in the order of the pieces. Octets out of a WQE take their turn
/// in that order.
///
/// A read of up to 512 octets that crosses no address divisible by 512 and whose answer is cut only at addresses
/// divisible by 64 needs at most 64 rows. One that takes more is spoilt like one that failed.
///
/// A beat a cycle in, always; a beat a cycle out, also from piece to piece. Three cycles from an answer's last beat
/// to the piece's first.
#[derive(LogicBlock, Default)]
pub struct TxReorder {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Answers, always taken.
    pub ans: StreamSink<64, 4>,
    /// Tag of the frame.
    pub ans_tag: Signal<In, Bits<8>>,
    /// The frame is the last of its read.
    pub ans_final: Signal<In, Bit>,
    /// Next piece.
    pub piece: Signal<In, TxPiece>,
    /// There is one.
    pub piece_valid: Signal<In, Bit>,
    /// All of it was read.
    pub piece_take: Signal<Out, Bit>,
    /// Octets out of a WQE.
    pub slot: Signal<In, TxOctets>,
    /// There are some.
    pub slot_valid: Signal<In, Bit>,
    /// Taken.
    pub slot_take: Signal<Out, Bit>,
    /// Octets in order.
    pub beat: Signal<Out, TxOctets>,
    /// There are some.
    pub beat_valid: Signal<Out, Bit>,
    /// Taken.
    pub beat_take: Signal<In, Bit>,
    rows: Sdp<TxOctets, 10>,
    keep: KeepOctets<64, 4>,
    /// Rows written so far, where `begun` says that there are any.
    counts: LutRam<Bits<6>, 4>,
    /// Last row of a whole piece.
    tops: LutRam<Bits<6>, 4>,
    begun: Reg<Bits<16>>,
    whole: Reg<Bits<16>>,
    spoilt: Reg<Bits<16>>,
    row: Reg<Bits<6>>,
    fetched: Reg<Bit>,
    from_slot: Flop<Bit>,
    held: Flop<TxOctets>,
    ends: Flop<Bit>,
    err: Flop<Bit>,
    one: Const<Bits<16>>,
    top: Const<Bits<6>>,
    tag: Signal<Local, Bits<4>>,
    mark: Signal<Local, Bits<16>>,
    count: Signal<Local, Bits<6>>,
    count_up: Signal<Local, Bits<6>>,
    finish: Signal<Local, Bit>,
    came: Signal<Local, TxOctets>,
    next_piece: Signal<Local, TxPiece>,
    gone: Signal<Local, Bits<16>>,
    there: Signal<Local, Bit>,
    fire: Signal<Local, Bit>,
    completes: Signal<Local, Bit>,
    set_begun: Signal<Local, Bits<16>>,
    set_whole: Signal<Local, Bits<16>>,
    set_spoilt: Signal<Local, Bits<16>>,
    clear_begun: Signal<Local, Bits<16>>,
    clear_whole: Signal<Local, Bits<16>>,
    show: Signal<Local, TxOctets>,
}

impl TxReorder {
    /// Nothing has come.
    pub fn new() -> Self {
        Self { one: Const::of(1), top: Const::of(63), ..Default::default() }
    }
}

impl Logic for TxReorder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, begun, whole, spoilt, row, fetched, from_slot, held, ends, err);
        clock!(self, clock, rows, counts, tops);
        self.begun.reset.next = self.reset.val();
        self.whole.reset.next = self.reset.val();
        self.spoilt.reset.next = self.reset.val();
        self.row.reset.next = self.reset.val();
        self.fetched.reset.next = self.reset.val();

        // In: the next row of the tag's place.
        self.ans.ready.next = true;
        self.tag.next = bit_cast::<4, 8>(self.ans_tag.val());
        self.mark.next = self.one.val() << self.tag.val();
        self.counts.read_address.next = bit_cast::<4, 8>(self.ans_tag.val());
        self.count.next = 0.into();
        if self.begun.q.val().get_bit(self.tag.val().index()) {
            self.count.next = self.counts.read_data.val();
        }
        self.count_up.next = self.count.val() + 1;
        self.counts.write_enable.next = self.ans.valid.val();
        self.counts.write_address.next = self.tag.val();
        self.counts.write_data.next = self.count_up.val();
        self.keep.x.next = self.ans.data.val();
        self.keep.bytes.next = self.ans.bytes.val();
        self.came.next.data = self.keep.y.val();
        self.came.next.bytes = self.ans.bytes.val();
        self.came.next.ends = false;
        self.came.next.err = false;
        self.rows.write_enable.next = self.ans.valid.val();
        self.rows.write_address.next =
            (bit_cast::<10, 4>(self.tag.val()) << 6) | bit_cast::<10, 6>(self.count.val());
        self.rows.write_data.next = self.came.val();
        self.finish.next = self.ans.valid.val() && self.ans.last.val() && self.ans_final.val();
        self.tops.write_enable.next = self.finish.val();
        self.tops.write_address.next = self.tag.val();
        self.tops.write_data.next = self.count.val();
        self.set_begun.next = 0.into();
        self.set_whole.next = 0.into();
        self.set_spoilt.next = 0.into();
        self.clear_begun.next = 0.into();
        if self.ans.valid.val() {
            self.set_begun.next = self.mark.val();
            if (self.ans.last.val() && self.ans.err.val())
                || ((self.count.val() == self.top.val()) && !self.finish.val())
            {
                self.set_spoilt.next = self.mark.val();
            }
        }
        if self.finish.val() {
            self.clear_begun.next = self.mark.val();
            self.set_whole.next = self.mark.val();
        }

        // Out: the rows of the oldest piece, once it is whole.
        self.next_piece.next = self.piece.val();
        self.tops.read_address.next = self.piece.val().tag;
        self.gone.next = self.one.val() << self.next_piece.val().tag;
        self.there.next = self.whole.q.val().get_bit(self.next_piece.val().tag.index());
        self.completes.next = self.row.q.val() == self.tops.read_data.val();
        if self.next_piece.val().in_slot {
            self.there.next = self.slot_valid.val();
            self.completes.next = self.slot.val().ends;
        }
        self.fire.next =
            self.piece_valid.val() && self.there.val() && (self.beat_take.val() || !self.fetched.q.val());
        self.piece_take.next = self.fire.val() && self.completes.val();
        self.slot_take.next = self.fire.val() && self.next_piece.val().in_slot;
        self.rows.read_enable.next = self.fire.val();
        self.rows.read_address.next =
            (bit_cast::<10, 4>(self.next_piece.val().tag) << 6) | bit_cast::<10, 6>(self.row.q.val());
        self.clear_whole.next = 0.into();
        if self.beat_take.val() {
            self.fetched.d.next = false;
        }
        if self.fire.val() {
            self.fetched.d.next = true;
            self.from_slot.d.next = self.next_piece.val().in_slot;
            self.held.d.next = self.slot.val();
            self.ends.d.next = self.completes.val() && self.next_piece.val().ends;
            self.err.d.next = !self.next_piece.val().in_slot
                && self.spoilt.q.val().get_bit(self.next_piece.val().tag.index());
            if !self.next_piece.val().in_slot {
                self.row.d.next = self.row.q.val() + 1;
                if self.completes.val() {
                    self.row.d.next = 0.into();
                    self.clear_whole.next = self.gone.val();
                }
            }
        }
        self.begun.d.next = (self.begun.q.val() | self.set_begun.val()) & (!self.clear_begun.val());
        self.whole.d.next = (self.whole.q.val() | self.set_whole.val()) & (!self.clear_whole.val());
        self.spoilt.d.next = (self.spoilt.q.val() | self.set_spoilt.val()) & (!self.clear_whole.val());
        self.show.next = self.rows.read_data.val();
        if self.from_slot.q.val() {
            self.show.next = self.held.q.val();
        }
        self.beat.next.data = self.show.val().data;
        self.beat.next.bytes = self.show.val().bytes;
        self.beat.next.ends = self.ends.q.val();
        self.beat.next.err = self.err.q.val();
        self.beat_valid.next = self.fetched.q.val();
    }
}
