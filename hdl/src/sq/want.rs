// SPDX-License-Identifier: MIT OR Apache-2.0
//! The room that a segment wants in its stream. No state.
use super::rows::{turn_kind, Planned, SqTurn, TxRow};
use crate::prelude::*;
use crate::record::{seg_kind, Reserve};

/// Makes the reservation of a segment. A replay gets no more than has left before.
#[block(comb)]
pub struct SqWant {
    /// Who has the turn.
    pub turn: Signal<In, SqTurn>,
    /// What was sent of the message.
    pub row: Signal<In, TxRow>,
    /// The segment.
    pub cut: Signal<In, Planned>,
    /// Of a replay: stream offset after the last octet of the message that has left.
    pub reach: Signal<In, Bits<40>>,
    /// Octets that were granted.
    pub octets: Signal<In, Bits<16>>,
    /// The reservation.
    pub want: Signal<Out, Reserve>,
    /// With `octets` nothing of the message that has left follows.
    pub last: Signal<Out, Bit>,
    made: Signal<Local, Reserve>,
}

#[kernel]
impl Logic for SqWant {
    fn update(&mut self) {
        let kind: Bits<2> = self.turn.val().kind;
        self.made.next.qp = self.turn.val().qp;
        self.made.next.length = self.cut.val().ulpdu;
        self.made.next.kind = lit::<2>(seg_kind::FPDU);
        if self.cut.val().is_raw {
            self.made.next.kind = lit::<2>(seg_kind::RAW);
        }
        if kind == lit::<2>(turn_kind::FIN) {
            self.made.next.kind = lit::<2>(seg_kind::FIN);
        }
        self.made.next.replay = self.turn.val().replay;
        self.made.next.control = kind.get_bit(1);
        self.made.next.offset = self.row.val().offset;
        self.made.next.from = self.row.val().into;
        let left: Bits<40> = self.reach.val() - self.row.val().offset;
        let few: Bit = self.turn.val().replay && !left.get_bits::<24>(16).any();
        self.made.next.most = bit_cast::<16, 40>(left);
        self.made.next.bounded = few;
        self.last.next = few && (bit_cast::<16, 40>(left) == self.octets.val());
        self.want.next = self.made.val();
    }
}
