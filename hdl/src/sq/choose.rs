// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a queue pair does next, and what a turn leaves of it. No state.
use super::rows::{turn_kind, SqConf, SqResult, SqRow};
use crate::prelude::*;

/// Chooses what the turn of a queue pair is for. What has to leave again comes before all else, in
/// error too. Messages do not interleave: what was begun goes on. At a boundary, and at once if
/// nothing else may leave any more, comes a Terminate. Then come responses and WQEs, one of each in
/// turn if both wait. While a WQE waits for an RDMA Read to complete, responses go on. The end of
/// the stream comes at a boundary behind the last WQE that was rung, or behind a Terminate.
#[block(comb)]
pub struct SqChoose {
    /// As set up.
    pub conf: Signal<In, SqConf>,
    /// Where it stands.
    pub row: Signal<In, SqRow>,
    /// It is in error.
    pub dead: Signal<In, Bit>,
    /// It is in reset: nothing of it leaves again.
    pub mute: Signal<In, Bit>,
    /// It gets a turn.
    pub turn: Signal<Out, Bit>,
    /// For one of [`turn_kind`].
    pub kind: Signal<Out, Bits<2>>,
    /// The message was judged in an earlier turn.
    pub started: Signal<Out, Bit>,
    /// A WQE is to be fetched: its next one, or with `again` that of a replay.
    pub fetch: Signal<Out, Bit>,
    /// The turn, or the fetch, is a replay's.
    pub again: Signal<Out, Bit>,
    /// The turn is for a Terminate or the end of the stream, which has to wait for what is under
    /// way.
    pub last: Signal<Out, Bit>,
    r: Signal<Local, SqRow>,
}

#[kernel]
impl Logic for SqChoose {
    fn update(&mut self) {
        self.r.next = self.row.val();
        let lives: Bit =
            self.conf.val().ready && !self.r.val().halted && !self.r.val().closing && !self.dead.val();
        let pending: Bit = self.r.val().producer != self.r.val().consumer;
        let wants: Bit = (self.r.val().has && !self.r.val().held) || (!self.r.val().has && pending);
        let works: Bit = lives && (self.r.val().has || pending);
        let ends: Bit = (self.r.val().term || (self.r.val().fin && !works)) && !self.r.val().finished;
        self.turn.next = false;
        self.kind.next = lit::<2>(turn_kind::WQE);
        self.started.next = self.r.val().started;
        self.fetch.next = false;
        self.again.next = self.r.val().replay && !self.mute.val();
        self.last.next = false;
        if self.r.val().replay && !self.mute.val() {
            self.turn.next = !self.r.val().lacks;
            self.fetch.next = self.r.val().lacks;
        } else if self.r.val().half && !self.mute.val() {
            // nothing else may stand within an FPDU, in error too
            self.turn.next = true;
            self.started.next = true;
            if self.r.val().closing {
                self.kind.next = lit::<2>(turn_kind::CONTROL);
            } else if self.r.val().responding {
                self.kind.next = lit::<2>(turn_kind::RESPONSE);
            }
        } else if ends && (!lives || !(self.r.val().started || self.r.val().responding)) {
            self.turn.next = true;
            self.last.next = true;
            self.started.next = false;
            self.kind.next = lit::<2>(turn_kind::FIN);
            if self.r.val().term {
                self.kind.next = lit::<2>(turn_kind::CONTROL);
            }
        } else if lives
            && self.r.val().responses.any()
            && !self.r.val().started
            && (self.r.val().responding || !self.r.val().answered || !wants)
        {
            self.turn.next = true;
            self.started.next = self.r.val().responding;
            self.kind.next = lit::<2>(turn_kind::RESPONSE);
        } else if lives && wants {
            self.turn.next = self.r.val().has;
            self.fetch.next = !self.r.val().has;
        }
    }
}

/// Makes the row after a turn. A wake-up that came during the turn counts: who was refused tries
/// again.
#[block(comb)]
pub struct SqOutcome {
    /// What became of the turn.
    pub result: Signal<In, SqResult>,
    /// The row before.
    pub row: Signal<In, SqRow>,
    /// The queue pair is in error.
    pub dead: Signal<In, Bit>,
    /// The row after.
    pub after: Signal<Out, SqRow>,
    /// It has something to do.
    pub more: Signal<Out, Bit>,
    told: Signal<Local, SqResult>,
    r: Signal<Local, SqRow>,
    result_row: Signal<Local, SqRow>,
}

#[kernel]
impl Logic for SqOutcome {
    fn update(&mut self) {
        self.told.next = self.result.val();
        self.r.next = self.row.val();
        self.result_row.next = self.row.val();
        self.result_row.next.away = false;
        self.result_row.next.woken = false;
        // in error, the rest of an FPDU is refused once: then a Terminate stands in its place
        let drops: Bit = self.told.val().half
            && self.told.val().parked
            && self.dead.val()
            && (self.told.val().kind != lit::<2>(turn_kind::CONTROL));
        self.result_row.next.parked = self.told.val().parked && !self.r.val().woken && !drops;
        if !self.told.val().replay {
            self.result_row.next.half = self.told.val().half && !drops;
        }
        self.result_row.next.halted = self.told.val().halted || self.r.val().halted;
        if self.told.val().replay {
            self.result_row.next.replay =
                self.r.val().restart || (!self.told.val().over && !self.told.val().halted);
            self.result_row.next.lacks = self.told.val().lacks;
            self.result_row.next.again = self.told.val().index;
            self.result_row.next.image = self.r.val().image
                && !self.told.val().done
                && !self.told.val().over
                && !self.told.val().lacks;
        } else if self.told.val().kind == lit::<2>(turn_kind::WQE) {
            self.result_row.next.started = self.told.val().started && !self.told.val().done;
            self.result_row.next.has = !self.told.val().done;
            self.result_row.next.held = self.told.val().held && !self.r.val().woken;
            if self.told.val().done {
                self.result_row.next.answered = false;
            }
        }
        if !self.told.val().replay && (self.told.val().kind == lit::<2>(turn_kind::RESPONSE)) {
            self.result_row.next.responding = self.told.val().started && !self.told.val().done;
            if self.told.val().done {
                self.result_row.next.responses = self.r.val().responses - 1;
                self.result_row.next.response = self.r.val().response + 1;
                self.result_row.next.answered = true;
            }
        }
        if !self.told.val().replay
            && (self.told.val().kind == lit::<2>(turn_kind::CONTROL))
            && !self.told.val().parked
        {
            self.result_row.next.term = self.told.val().half;
            self.result_row.next.closing = true;
        }
        if !self.told.val().replay
            && (self.told.val().kind == lit::<2>(turn_kind::FIN))
            && !self.told.val().parked
        {
            self.result_row.next.fin = false;
            self.result_row.next.closing = true;
            self.result_row.next.finished = true;
        }
        self.after.next = self.result_row.val();
        self.more.next = !self.result_row.val().parked
            && ((self.result_row.val().has && !self.result_row.val().held)
                || self.result_row.val().replay
                || self.result_row.val().responses.any()
                || self.result_row.val().term
                || self.result_row.val().fin
                || (self.result_row.val().producer != self.result_row.val().consumer));
    }
}
