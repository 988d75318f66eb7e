// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a message may do before any of its FPDUs, and whom to blame if it may not. No state.
use super::rows::{turn_kind, SqTurn};
use crate::gen::consts::{term_error, wc_status};
use crate::gen::SendWqe;
use crate::prelude::*;
use crate::record::{mr_error, Fault};

const MOST_READS: usize = 16;

/// Judges a message when its head is there. The first of these that holds, in this order; none: it
/// goes on.
#[block(comb)]
pub struct SqVerdict {
    /// Who has the turn.
    pub turn: Signal<In, SqTurn>,
    /// Head of its slot.
    pub wr: Signal<In, SendWqe>,
    /// The head is possible.
    pub ok: Signal<In, Bit>,
    /// Its payload is where a slot can have it.
    pub sound: Signal<In, Bit>,
    /// It is a Read Request.
    pub is_read: Signal<In, Bit>,
    /// There is no connection.
    pub closed: Signal<In, Bit>,
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
}

impl SqVerdict {
    /// The judge.
    pub fn new() -> Self {
        Self { ..Default::default() }
    }
}

#[kernel]
impl Logic for SqVerdict {
    fn update(&mut self) {
        let begins: Bit = !self.turn.val().started;
        let is_wqe: Bit = self.turn.val().kind == lit::<2>(turn_kind::WQE);
        let lost: Bit = is_wqe && self.turn.val().broken;
        // in each turn, since the slot's owner may have changed it meanwhile
        let bad: Bit = !self.sound.val() || (begins && !self.ok.val());
        let waits: Bit = begins && self.ring_full.val() && is_wqe;
        let fenced: Bit = is_wqe && self.wr.val().is_fenced && self.outstanding.val().any();
        let many: Bit = begins
            && (fenced
                || (self.is_read.val()
                    && ((self.outstanding.val() >= self.turn.val().ord)
                        || (self.outstanding.val() >= lit::<8>(MOST_READS)))));
        self.broken.next = lost;
        self.unusable.next = self.closed.val();
        self.wrong.next = bad || self.differs.val();
        self.holds.next = waits || many;
        // a Read's sink is looked at in every turn, since its Request has no ranges
        self.judges.next = (begins || self.is_read.val())
            && !lost
            && !self.closed.val()
            && !bad
            && !self.differs.val()
            && !waits
            && !many
            && self.wr.val().num_sge.any();
    }
}

/// Makes the fault of a turn: one of our own with the status that was found, or the peer's whose
/// Read Request cannot be answered. A message that left once and cannot be made again is our own
/// fault, whatever it is, and the end of the stream: the error is one that is answered by a reset,
/// not by a Terminate (D2).
#[block(comb)]
pub struct SqBlame {
    /// Whose turn it was.
    pub turn: Signal<In, SqTurn>,
    /// One of `wc_status`.
    pub status: Signal<In, Bits<8>>,
    /// One of `mr_error`, if a check failed.
    pub error: Signal<In, Bits<3>>,
    /// The fault.
    pub fault: Signal<Out, Fault>,
    /// Checks that failed, and what the peer is told of each.
    checks: [Const<Bits<3>>; 4],
    terms: [Const<Bits<16>>; 4],
    code: Signal<Local, Bits<16>>,
    made: Signal<Local, Fault>,
}

impl SqBlame {
    /// The maker.
    pub fn new() -> Self {
        Self {
            checks: [mr_error::STAG, mr_error::STREAM, mr_error::ACCESS, mr_error::WRAP].map(Const::of),
            terms: [
                term_error::rdmap_invalid_stag(),
                term_error::rdmap_stag_not_on_stream(),
                term_error::rdmap_access_rights(),
                term_error::rdmap_to_wrap(),
            ],
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for SqBlame {
    fn update(&mut self) {
        // what the peer is told of its Read Request (RFC 5040 figure 9)
        self.code.next = term_error::rdmap_base_bounds().val();
        for i in 0..4 {
            if self.error.val() == self.checks[i].val() {
                self.code.next = self.terms[i].val();
            }
        }
        self.made.next.qp = self.turn.val().qp;
        self.made.next.error = 0.into();
        if self.turn.val().replay {
            self.made.next.error = term_error::mpa_connection_lost().val();
        }
        self.made.next.status = self.status.val();
        self.made.next.is_local = true;
        self.made.next.index = self.turn.val().index;
        self.made.next.has_wr = (self.turn.val().kind == lit::<2>(turn_kind::WQE))
            && (!self.turn.val().broken || self.turn.val().replay);
        if (self.turn.val().kind == lit::<2>(turn_kind::RESPONSE)) && !self.turn.val().replay {
            self.made.next.error = self.code.val();
            self.made.next.status = wc_status::loc_access_err().val();
            self.made.next.is_local = false;
        }
        self.fault.next = self.made.val();
    }
}
