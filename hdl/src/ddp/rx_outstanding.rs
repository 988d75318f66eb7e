// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads of ours whose response is not whole yet, and the segments that answer them.
use super::rx_row::{RxLooked, RxRead, RxReads};
use crate::gen::consts::term_error;
use crate::prelude::*;
use crate::record::{MrAsk, ReadOut};

const SLOT: usize = 16;

/// A ring of 16 Reads for each of `2^C` queue pairs, `R` = `C` + 4; its pointers are in the owner's
/// row.
///
/// The peer answers in the order of the Requests, so that a segment belongs to the oldest Read and
/// goes on where the segment before ended (RFC 5040 section 5.2.2). One that does not has the codes
/// of DDP's tagged buffers: another STag is not valid, another offset or length is outside the
/// buffer.
#[block(clock)]
pub struct RxOutstanding<const R: usize> {
    /// Queue pair.
    pub qp: Signal<In, Bits<8>>,
    /// Its row.
    pub reads: Signal<In, RxReads>,
    /// A Read to keep.
    pub item: Signal<In, ReadOut>,
    /// It is stored at the next edge, if there is a slot.
    pub put: Signal<In, Bit>,
    /// The row with it. The seventeenth Read is forgotten; its response will find none.
    pub put_row: Signal<Out, RxReads>,
    /// The oldest Read is read at the next edge; two edges later what follows is there.
    pub get: Signal<In, Bit>,
    /// Headers of a response's segment.
    pub looked: Signal<In, RxLooked>,
    /// Its protection domain.
    pub pd: Signal<In, Bits<16>>,
    /// No Read waits for a response.
    pub none: Signal<Out, Bit>,
    /// The segment is not the one that must come: `error` says why.
    pub unfit: Signal<Out, Bit>,
    /// As in a Terminate.
    pub error: Signal<Out, Bits<16>>,
    /// Check of the region, as for a write of our own: the tagged offset is an IOVA.
    pub ask: Signal<Out, MrAsk>,
    /// The row behind the segment.
    pub got_row: Signal<Out, RxReads>,

    ring: Sdp<RxRead, R>,
    same_stag: Flop<Bit>,
    want: Flop<Bits<64>>,
    room: Flop<Bits<32>>,
    kept: Signal<Local, RxRead>,
    none_got: Const<Bits<32>>,
}

#[kernel]
impl<const R: usize> Logic for RxOutstanding<R> {
    fn update(&mut self) {
        flops!(same_stag, want, room);
        clocked!(ring);

        // The ring.
        let used: Bits<5> = self.reads.val().put - self.reads.val().first;
        let full: Bit = used == lit::<5>(SLOT);
        self.none.next = !used.any();
        let base: Bits<R> = bit_cast::<R, 8>(self.qp.val()) << 4;
        let put_slot: Bits<4> = bit_cast::<4, 5>(self.reads.val().put);
        let get_slot: Bits<4> = bit_cast::<4, 5>(self.reads.val().first);
        self.ring.write_enable.next = self.put.val() && !full;
        self.ring.write_address.next = base | bit_cast::<R, 4>(put_slot);
        self.ring.write_data.next.stag = self.item.val().stag;
        self.ring.write_data.next.to = self.item.val().to;
        self.ring.write_data.next.length = self.item.val().length;
        self.ring.read_enable.next = self.get.val();
        self.ring.read_address.next = base | bit_cast::<R, 4>(get_slot);
        let put_up: Bits<5> = self.reads.val().put + 1;
        self.put_row.next = self.reads.val();
        if !full {
            self.put_row.next.put = put_up;
        }

        // What the oldest Read still takes, then whether the segment is that.
        self.kept.next = self.ring.read_data.val();
        self.same_stag.d.next = self.kept.val().stag == self.looked.val().stag;
        self.want.d.next = self.kept.val().to + bit_cast::<64, 32>(self.reads.val().got);
        self.room.d.next = self.kept.val().length - self.reads.val().got;
        let octets: Bits<32> = bit_cast::<32, 16>(self.looked.val().payload);
        let beyond: Bit = octets > self.room.q.val();
        let short: Bit = self.looked.val().is_last && (octets != self.room.q.val());
        self.unfit.next = beyond || short;
        self.error.next = term_error::ddp_base_bounds().val();
        if octets.any() {
            // of no octets neither STag nor TO is looked at
            if self.want.q.val() != self.looked.val().to {
                self.unfit.next = true;
            }
            if !self.same_stag.q.val() {
                self.unfit.next = true;
                self.error.next = term_error::ddp_invalid_stag().val();
            }
        }
        self.ask.next.stag = self.looked.val().stag;
        self.ask.next.addr = self.looked.val().to;
        self.ask.next.length = octets;
        self.ask.next.qp = self.qp.val();
        self.ask.next.pd = self.pd.val();
        self.ask.next.remote_write = false;
        self.ask.next.remote_read = false;
        self.ask.next.local_write = true;
        let first_up: Bits<5> = self.reads.val().first + 1;
        let got_up: Bits<32> = self.reads.val().got + octets;
        self.got_row.next = self.reads.val();
        self.got_row.next.got = got_up;
        if self.looked.val().is_last {
            self.got_row.next.first = first_up;
            self.got_row.next.got = self.none_got.val();
        }
    }
}
