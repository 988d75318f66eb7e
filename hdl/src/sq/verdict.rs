// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a message may do before any of its FPDUs, and whom to blame if it may not. No state.
use super::rows::{turn_kind, SqTurn};
use crate::cell::Const;
use crate::gen::consts::{term_error, wc_status};
use crate::gen::SendWqe;
use crate::record::{mr_error, Fault};
use rust_hdl::prelude::*;

/// Judges a message when its head is there. The first of these that holds, in this order; none: it
/// goes on.
#[derive(LogicBlock, Default)]
pub struct SqVerdict {
    /// Who has the turn.
    pub turn: Signal<In, SqTurn>,
    /// Head of its slot.
    pub wr: Signal<In, SendWqe>,
    /// The head is possible.
    pub ok: Signal<In, Bit>,
    /// It is a Read Request.
    pub is_read: Signal<In, Bit>,
    /// MULPDU of its message.
    pub mulpdu: Signal<In, Bits<16>>,
    /// It is not what left before.
    pub differs: Signal<In, Bit>,
    /// Its in-flight ring has no room for a work request.
    pub ring_full: Signal<In, Bit>,
    /// RDMA Reads of its queue pair that are outstanding.
    pub outstanding: Signal<In, Bits<8>>,
    /// It could not be read.
    pub broken: Signal<Out, Bit>,
    /// There is no connection.
    pub unusable: Signal<Out, Bit>,
    /// It is not possible.
    pub wrong: Signal<Out, Bit>,
    /// It waits for room in the ring, or for RDMA Reads to complete.
    pub holds: Signal<Out, Bit>,
    /// It goes on, and its SGEs are to be judged.
    pub judges: Signal<Out, Bit>,
    wqe: Const<Bits<2>>,
    mulpdu_min: Const<Bits<16>>,
    mulpdu_max: Const<Bits<16>>,
    most_reads: Const<Bits<8>>,
    most_sge: Const<Bits<8>>,
    most_inline: Const<Bits<32>>,
    begins: Signal<Local, Bit>,
    is_wqe: Signal<Local, Bit>,
    lost: Signal<Local, Bit>,
    closed: Signal<Local, Bit>,
    /// Its payload is where a slot can have it.
    sound: Signal<Local, Bit>,
    bad: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    many: Signal<Local, Bit>,
    fenced: Signal<Local, Bit>,
}

impl SqVerdict {
    /// Octets of a ULPDU whose payload has at most 27 pieces: one for each 512 octets, and two more
    /// for each of four SGEs.
    pub const MULPDU_MAX: usize = 10_240;

    /// The judge.
    pub fn new() -> Self {
        Self {
            wqe: Const::of(turn_kind::WQE),
            mulpdu_min: crate::gen::consts::mpa::mulpdu_min(),
            mulpdu_max: Const::of(Self::MULPDU_MAX),
            most_reads: Const::of(16),
            most_sge: Const::of(4),
            most_inline: Const::of(96),
            ..Default::default()
        }
    }
}

impl Logic for SqVerdict {
    #[hdl_gen]
    fn update(&mut self) {
        self.begins.next = !self.turn.val().started;
        self.is_wqe.next = self.turn.val().kind == self.wqe.val();
        self.lost.next = self.is_wqe.val() && self.turn.val().broken;
        self.closed.next =
            (self.mulpdu.val() < self.mulpdu_min.val()) || (self.mulpdu.val() > self.mulpdu_max.val());
        // in each turn, since the slot's owner may have changed it meanwhile
        self.sound.next = !(self.wr.val().is_inline && (self.wr.val().length > self.most_inline.val()))
            && (self.wr.val().num_sge <= self.most_sge.val())
            && (self.wr.val().num_sge.any() || self.wr.val().is_inline || !self.wr.val().length.any());
        self.bad.next = !self.sound.val() || (self.begins.val() && !self.ok.val());
        self.waits.next = self.begins.val() && self.ring_full.val() && self.is_wqe.val();
        self.fenced.next = self.is_wqe.val() && self.wr.val().is_fenced && self.outstanding.val().any();
        self.many.next = self.begins.val()
            && (self.fenced.val()
                || (self.is_read.val()
                    && ((self.outstanding.val() >= self.turn.val().ord)
                        || (self.outstanding.val() >= self.most_reads.val()))));
        self.broken.next = self.lost.val();
        self.unusable.next = self.closed.val();
        self.wrong.next = self.bad.val() || self.differs.val();
        self.holds.next = self.waits.val() || self.many.val();
        // a Read's sink is looked at in every turn, since its Request has no ranges
        self.judges.next = (self.begins.val() || self.is_read.val())
            && !self.lost.val()
            && !self.closed.val()
            && !self.bad.val()
            && !self.differs.val()
            && !self.waits.val()
            && !self.many.val()
            && self.wr.val().num_sge.any();
    }
}

/// Makes the fault of a turn: one of our own with the status that was found, or the peer's whose
/// Read Request cannot be answered. A message that left once and cannot be made again is our own
/// fault, whatever it is, and the end of the stream: the error is one that is answered by a reset,
/// not by a Terminate (D2).
#[derive(LogicBlock, Default)]
pub struct SqBlame {
    /// Whose turn it was.
    pub turn: Signal<In, SqTurn>,
    /// One of `wc_status`.
    pub status: Signal<In, Bits<8>>,
    /// One of `mr_error`, if a check failed.
    pub error: Signal<In, Bits<3>>,
    /// The fault.
    pub fault: Signal<Out, Fault>,
    wqe: Const<Bits<2>>,
    response: Const<Bits<2>>,
    access_err: Const<Bits<8>>,
    stream_lost: Const<Bits<16>>,
    /// Checks that failed, and what the peer is told of each.
    checks: [Const<Bits<3>>; 4],
    terms: [Const<Bits<16>>; 4],
    term_bounds: Const<Bits<16>>,
    code: Signal<Local, Bits<16>>,
    made: Signal<Local, Fault>,
}

impl SqBlame {
    /// The maker.
    pub fn new() -> Self {
        Self {
            wqe: Const::of(turn_kind::WQE),
            response: Const::of(turn_kind::RESPONSE),
            access_err: wc_status::loc_access_err(),
            stream_lost: term_error::mpa_connection_lost(),
            checks: [mr_error::STAG, mr_error::STREAM, mr_error::ACCESS, mr_error::WRAP].map(Const::of),
            terms: [
                term_error::rdmap_invalid_stag(),
                term_error::rdmap_stag_not_on_stream(),
                term_error::rdmap_access_rights(),
                term_error::rdmap_to_wrap(),
            ],
            term_bounds: term_error::rdmap_base_bounds(),
            ..Default::default()
        }
    }
}

impl Logic for SqBlame {
    #[hdl_gen]
    fn update(&mut self) {
        // what the peer is told of its Read Request (RFC 5040 figure 9)
        self.code.next = self.term_bounds.val();
        for i in 0..4 {
            if self.error.val() == self.checks[i].val() {
                self.code.next = self.terms[i].val();
            }
        }
        self.made.next.qp = self.turn.val().qp;
        self.made.next.error = 0.into();
        if self.turn.val().replay {
            self.made.next.error = self.stream_lost.val();
        }
        self.made.next.status = self.status.val();
        self.made.next.is_local = true;
        self.made.next.index = self.turn.val().index;
        self.made.next.has_wr =
            (self.turn.val().kind == self.wqe.val()) && (!self.turn.val().broken || self.turn.val().replay);
        if (self.turn.val().kind == self.response.val()) && !self.turn.val().replay {
            self.made.next.error = self.code.val();
            self.made.next.status = self.access_err.val();
            self.made.next.is_local = false;
        }
        self.fault.next = self.made.val();
    }
}
