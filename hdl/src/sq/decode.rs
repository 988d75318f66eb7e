// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a slot's head and what was sent of it to the next segment. No state.
use super::rows::{turn_kind, Planned, SqTurn, TxRow};
use crate::ddp::TxHeader;
use crate::gen::consts::{ddp, work_opcode};
use crate::gen::{SendWqe, UnpackSendWqe};
use crate::prelude::*;
use crate::rdmap::TxCheck;
use crate::record::TxSegment;

const REQUEST_OCTETS: usize = 28;
const MOST_SGE: usize = 4;
const MOST_INLINE: usize = 96;

/// Unpacks the head of a slot, judges it, and cuts the next segment off its message. Raw octets are
/// one piece without a header; the end of the stream has no octets.
#[block(comb)]
pub struct SqPlan {
    /// Head of the slot, octet 0 in bits 7:0.
    pub octets: Signal<In, Bits<256>>,
    /// Who has the turn.
    pub turn: Signal<In, SqTurn>,
    /// What was sent of it.
    pub row: Signal<In, TxRow>,
    /// The MSN of its message is that of the next one less this, in a replay.
    pub behind: Signal<In, Bits<7>>,
    /// Largest segment of the connection.
    pub emss: Signal<In, Bits<16>>,
    /// The head's fields.
    pub wr: Signal<Out, SendWqe>,
    /// It is possible.
    pub ok: Signal<Out, Bit>,
    /// Its payload is where a slot can have it.
    pub sound: Signal<Out, Bit>,
    /// MPA cannot send its MULPDU: there is no connection.
    pub closed: Signal<Out, Bit>,
    /// If it is not possible: one of `wc_status`.
    pub status: Signal<Out, Bits<8>>,
    /// The next segment.
    pub cut: Signal<Out, Planned>,
    unpack: UnpackSendWqe,
    judge: TxCheck,
    cutter: TxHeader,
    blank: Const<SendWqe>,
    head: Signal<Local, SendWqe>,
    newest: Signal<Local, Bits<32>>,
    number: Signal<Local, Bits<32>>,
    wanted: Signal<Local, TxSegment>,
    made: Signal<Local, Planned>,
}

impl SqPlan {
    /// Octets of a ULPDU whose payload has at most 27 pieces: one for each 512 octets, and two more
    /// for each of four SGEs.
    pub const MULPDU_MAX: usize = 10_240;

    /// The planner.
    pub fn new() -> Self {
        Self { judge: TxCheck::new(), ..Default::default() }
    }
}

#[kernel]
impl Logic for SqPlan {
    fn update(&mut self) {
        self.unpack.octets.next = self.octets.val();
        self.head.next = self.unpack.record.val();
        // the slot is that of a Terminate, which may not be there
        if self.turn.val().kind == lit::<2>(turn_kind::FIN) {
            self.head.next = self.blank.val();
            self.head.next.opcode = work_opcode::fin().val();
        }
        self.wr.next = self.head.val();
        self.closed.next = (self.row.val().mulpdu < crate::gen::consts::mpa::mulpdu_min().val())
            || (self.row.val().mulpdu > lit::<16>(Self::MULPDU_MAX));
        self.sound.next = !(self.head.val().is_inline && (self.head.val().length > lit::<32>(MOST_INLINE)))
            && (self.head.val().num_sge <= lit::<8>(MOST_SGE))
            && (self.head.val().num_sge.any() || self.head.val().is_inline || !self.head.val().length.any());
        self.judge.head.next = self.unpack.record.val();
        self.judge.is_wqe.next = self.turn.val().kind == lit::<2>(turn_kind::WQE);
        self.judge.two.next = self.turn.val().two;
        self.judge.is_control.next = self.turn.val().kind == lit::<2>(turn_kind::CONTROL);
        self.judge.is_fin.next = self.turn.val().kind == lit::<2>(turn_kind::FIN);
        self.judge.ord.next = self.turn.val().ord;
        self.judge.emss.next = self.emss.val();
        self.ok.next = self.judge.ok.val();
        self.status.next = self.judge.status.val();
        self.made.next.is_tagged = self.judge.is_tagged.val();
        self.made.next.is_read = self.judge.is_read.val();
        self.made.next.is_raw = self.judge.is_raw.val();
        self.newest.next = self.row.val().msn;
        if self.judge.queue.val() == 1 {
            self.newest.next = self.row.val().msn_read;
        }
        self.number.next = self.newest.val() - bit_cast::<32, 7>(self.behind.val());
        if self.judge.queue.val() == 2 {
            self.number.next = ddp::msn_first().val();
        }
        self.made.next.msn = self.number.val();
        self.wanted.next.is_tagged = self.judge.is_tagged.val();
        self.wanted.next.queue = self.judge.queue.val();
        self.wanted.next.invalidate = 0.into();
        if self.judge.invalidates.val() {
            self.wanted.next.invalidate = self.unpack.record.val().remote_stag;
        }
        self.wanted.next.control = self.judge.control.val();
        self.wanted.next.stag = self.unpack.record.val().remote_stag;
        self.wanted.next.to = self.unpack.record.val().remote_to;
        self.wanted.next.msn = self.number.val();
        self.wanted.next.length = self.unpack.record.val().length;
        if self.judge.is_read.val() {
            self.wanted.next.length = lit::<32>(REQUEST_OCTETS);
        }
        self.wanted.next.sent = self.row.val().sent;
        self.wanted.next.mulpdu = self.row.val().mulpdu;
        self.cutter.segment.next = self.wanted.val();
        self.made.next.payload = self.cutter.payload.val();
        self.made.next.ulpdu = self.cutter.ulpdu.val();
        self.made.next.last = self.cutter.last.val();
        self.made.next.header = self.cutter.octets.val();
        self.made.next.rest = self.cutter.rest.val();
        if self.judge.is_raw.val() {
            self.made.next.payload = bit_cast::<16, 32>(self.unpack.record.val().length);
            self.made.next.ulpdu = bit_cast::<16, 32>(self.unpack.record.val().length);
            self.made.next.last = true;
        }
        if self.turn.val().kind == lit::<2>(turn_kind::FIN) {
            self.made.next.payload = 0.into();
            self.made.next.ulpdu = 0.into();
            self.made.next.last = true;
        }
        self.cut.next = self.made.val();
    }
}
