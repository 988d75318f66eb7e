// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an FPDU leaves behind when its room is granted. No state.
use super::rows::{turn_kind, InFlight, Planned, SqTurn, TxRow};
use super::walk::SqPlace;
use crate::gen::SendWqe;
use crate::prelude::*;
use crate::record::{Grant, Reserve, TxFpdu, TxHead};

/// Makes the records that go out with an FPDU, and the row as it stands after it.
#[block(comb)]
pub struct SqHand {
    /// Who has the turn.
    pub turn: Signal<In, SqTurn>,
    /// Head of its WQE.
    pub wr: Signal<In, SendWqe>,
    /// Its row before the FPDU.
    pub row: Signal<In, TxRow>,
    /// The room.
    pub grant: Signal<In, Grant>,
    /// The segment.
    pub cut: Signal<In, Planned>,
    /// The room that was asked for.
    pub want: Signal<In, Reserve>,
    /// Place of the octet after the FPDU, or of its first one if more of it follows.
    pub place: Signal<In, SqPlace>,
    /// The place is not known: octets are counted from the first SGE on.
    pub counts: Signal<In, Bit>,
    /// For the maker of the ULPDU.
    pub head: Signal<Out, TxHead>,
    /// For MPA and TCP.
    pub fpdu: Signal<Out, TxFpdu>,
    /// For the in-flight ring.
    pub entry: Signal<Out, InFlight>,
    /// The segment is the first of its message.
    pub first: Signal<Out, Bit>,
    /// It is the last.
    pub ends: Signal<Out, Bit>,
    /// The row after the FPDU.
    pub after: Signal<Out, TxRow>,
    made: Signal<Local, Bits<16>>,
    heading: Signal<Local, TxHead>,
    announced: Signal<Local, TxFpdu>,
    message: Signal<Local, InFlight>,
    sent: Signal<Local, TxRow>,
}

#[kernel]
impl Logic for SqHand {
    fn update(&mut self) {
        let kind: Bits<2> = self.turn.val().kind;
        self.heading.next.qp = self.turn.val().qp;
        self.heading.next.index = self.turn.val().index;
        self.heading.next.has_wr = self.turn.val().kind == lit::<2>(turn_kind::WQE);
        self.heading.next.replay = self.want.val().replay;
        self.heading.next.sure = self.grant.val().sure;
        self.heading.next.bare = self.cut.val().is_raw;
        self.heading.next.is_tagged = self.cut.val().is_tagged;
        self.heading.next.empty = !self.cut.val().payload.any();
        self.heading.next.octets = self.cut.val().header;
        self.head.next = self.heading.val();
        self.announced.next.qp = self.turn.val().qp;
        self.announced.next.length = self.want.val().length;
        self.announced.next.kind = self.want.val().kind;
        self.announced.next.replay = self.want.val().replay;
        self.announced.next.seq = self.grant.val().seq;
        self.announced.next.phase = self.grant.val().phase;
        self.announced.next.octets = self.grant.val().octets;
        self.announced.next.from = self.row.val().into;
        self.announced.next.markers = self.grant.val().markers;
        self.announced.next.crc = self.grant.val().crc;
        self.fpdu.next = self.announced.val();
        // all FPDUs but the last carry octets
        let begins: Bit = !self.row.val().sent.any() && !self.row.val().into.any();
        let over: Bit = self.cut.val().last && self.grant.val().ends;
        self.ends.next = over;
        self.first.next = begins;
        self.sent.next = self.row.val();
        self.sent.next.offset = self.row.val().offset + bit_cast::<40, 16>(self.grant.val().octets);
        self.sent.next.into = self.row.val().into + self.grant.val().octets;
        self.made.next = 0.into();
        if self.grant.val().ends {
            self.sent.next.into = 0.into();
            self.made.next = self.cut.val().payload;
        }
        let made_up: Bits<32> = self.row.val().sent + bit_cast::<32, 16>(self.made.val());
        self.sent.next.sent = made_up;
        self.sent.next.sge = self.place.val().sge;
        self.sent.next.used = self.place.val().used;
        if self.counts.val() {
            self.sent.next.sge = self.row.val().sge;
            self.sent.next.used = made_up;
        }
        // an MSN moves on only behind the segment with L set; queue 2 has one message
        if over && self.cut.val().is_read {
            self.sent.next.msn_read = self.row.val().msn_read + 1;
        } else if over && (kind == lit::<2>(turn_kind::WQE)) && !self.cut.val().is_tagged {
            self.sent.next.msn = self.row.val().msn + 1;
        }
        self.after.next = self.sent.val();
        self.message.next.kind = kind;
        self.message.next.opcode = self.wr.val().opcode;
        self.message.next.signaled = self.wr.val().is_signaled && (kind == lit::<2>(turn_kind::WQE));
        self.message.next.is_read = self.cut.val().is_read;
        self.message.next.closed = over;
        self.message.next.even =
            !kind.get_bit(1) && !self.wr.val().is_inline && !self.cut.val().is_read && !self.cut.val().is_raw;
        self.message.next.index = self.turn.val().index;
        self.message.next.upto = self.sent.val().offset;
        self.message.next.length = self.wr.val().length;
        self.message.next.mulpdu = self.row.val().mulpdu;
        let msn: Bits<32> = self.cut.val().msn;
        self.message.next.msn = msn.get_bits::<7>(0);
        self.entry.next = self.message.val();
    }
}
