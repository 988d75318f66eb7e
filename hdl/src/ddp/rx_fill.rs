// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a message fills the scatters of its receive.
use super::rx_row::RxMessage;
use crate::gen::consts::{term_error, wc_status};
use crate::gen::Sge;
use crate::prelude::*;
use crate::record::{MrAsk, Rqe};

/// Sums and choices between registers of the owner: what a step of it makes of the message.
///
/// A stream is in order, so the octets of a message come in order too: a segment fills on where the
/// one before ended, and behind a scatter that is full the next one follows.
#[block(comb)]
pub struct RxFill {
    /// The message as it is.
    pub message: Signal<In, RxMessage>,
    /// A receive that was found.
    pub rqe: Signal<In, Rqe>,
    /// MO of the segment.
    pub mo: Signal<In, Bits<32>>,
    /// Octets of its payload.
    pub payload: Signal<In, Bits<16>>,
    /// Octets of it for which there is no piece yet.
    pub left: Signal<In, Bits<16>>,
    /// Scatter that comes after the one that the message has.
    pub after: Signal<In, Sge>,
    /// Queue pair.
    pub qp: Signal<In, Bits<8>>,
    /// Its protection domain.
    pub pd: Signal<In, Bits<16>>,
    /// The message that begins in `rqe`.
    pub taken: Signal<Out, RxMessage>,
    /// The message with the octets that `rqe` takes.
    pub summed: Signal<Out, RxMessage>,
    /// The segment has no place: `error` and `status` say why.
    pub unfit: Signal<Out, Bit>,
    /// As in a Terminate.
    pub error: Signal<Out, Bits<16>>,
    /// One of `wc_status`.
    pub status: Signal<Out, Bits<8>>,
    /// The scatter has no room left.
    pub full: Signal<Out, Bit>,
    /// The message with the one after it.
    pub shifted: Signal<Out, RxMessage>,
    /// Octets of the next piece, if the scatter has room.
    pub octets: Signal<Out, Bits<16>>,
    /// They are all that is left.
    pub is_all: Signal<Out, Bit>,
    /// The check that it needs.
    pub ask: Signal<Out, MrAsk>,
    /// The message with that piece.
    pub filled: Signal<Out, RxMessage>,

    none: Const<Bits<32>>,
    rqe0: Signal<Local, Sge>,
    rqe1: Signal<Local, Sge>,
    rqe2: Signal<Local, Sge>,
    now: Signal<Local, Sge>,
    take: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for RxFill {
    fn update(&mut self) {
        // A scatter that does not count has no octets.
        self.rqe0.next = self.rqe.val().sge0;
        self.rqe1.next = self.rqe.val().sge1;
        self.rqe2.next = self.rqe.val().sge2;
        if self.rqe.val().num_sge == 0 {
            self.rqe0.next.length = self.none.val();
        }
        if (self.rqe.val().num_sge == 0) || (self.rqe.val().num_sge == 1) {
            self.rqe1.next.length = self.none.val();
        }
        if self.rqe.val().num_sge != 3 {
            self.rqe2.next.length = self.none.val();
        }
        self.taken.next = self.message.val();
        self.taken.next.open = true;
        self.taken.next.got = self.none.val();
        self.taken.next.used = self.none.val();
        self.taken.next.is_third = false;
        self.taken.next.sge = self.rqe0.val();
        let total: Bits<34> = (bit_cast::<34, 32>(self.rqe0.val().length)
            + bit_cast::<34, 32>(self.rqe1.val().length))
            + bit_cast::<34, 32>(self.rqe2.val().length);
        self.summed.next = self.message.val();
        self.summed.next.total = total;

        // MO inside the receive, all octets inside it, MO where the segment before ended; of no
        // octets only the last is unknown and none is asked.
        let mo_wide: Bits<34> = bit_cast::<34, 32>(self.mo.val());
        let beyond: Bits<34> = mo_wide + bit_cast::<34, 16>(self.payload.val());
        self.unfit.next = false;
        self.error.next = term_error::ddp_invalid_mo().val();
        self.status.next = wc_status::fatal_err().val();
        if self.payload.val().any() {
            if mo_wide >= self.message.val().total {
                self.unfit.next = true;
            } else if beyond > self.message.val().total {
                self.unfit.next = true;
                self.error.next = term_error::ddp_too_long().val();
                self.status.next = wc_status::loc_len_err().val();
            } else if self.mo.val() != self.message.val().got {
                self.unfit.next = true;
            }
        }

        // The next piece: as much as the scatter takes. One that does not count is never reached:
        // no octets are left.
        self.now.next = self.message.val().sge;
        let room: Bits<32> = self.now.val().length - self.message.val().used;
        self.full.next = self.now.val().length == self.message.val().used;
        self.shifted.next = self.message.val();
        self.shifted.next.used = self.none.val();
        self.shifted.next.is_third = true;
        self.shifted.next.sge = self.after.val();
        let left_wide: Bits<32> = bit_cast::<32, 16>(self.left.val());
        self.take.next = left_wide;
        self.is_all.next = true;
        if room < left_wide {
            self.take.next = room;
            self.is_all.next = false;
        }
        self.octets.next = self.take.val().get_bits::<16>(0);
        self.ask.next.stag = self.now.val().key;
        self.ask.next.addr = self.now.val().to + bit_cast::<64, 32>(self.message.val().used);
        self.ask.next.length = self.take.val();
        self.ask.next.qp = self.qp.val();
        self.ask.next.pd = self.pd.val();
        self.ask.next.remote_write = false;
        self.ask.next.remote_read = false;
        self.ask.next.local_write = true;
        self.filled.next = self.message.val();
        self.filled.next.used = self.message.val().used + self.take.val();
        self.filled.next.got = self.message.val().got + self.take.val();
    }
}
