// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a queue pair does next, and what a turn leaves of it. No state.
use super::rows::{turn_kind, SqConf, SqResult, SqRow};
use crate::cell::Const;
use rust_hdl::prelude::*;

/// Chooses what the turn of a queue pair is for. What has to leave again comes before all else, in
/// error too. Messages do not interleave: what was begun goes on. At a boundary, and at once if
/// nothing else may leave any more, comes a Terminate. Then come responses and WQEs, one of each in
/// turn if both wait. While a WQE waits for an RDMA Read to complete, responses go on. The end of
/// the stream comes at a boundary behind the last WQE that was rung, or behind a Terminate.
#[derive(LogicBlock, Default)]
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
    wqe: Const<Bits<2>>,
    response: Const<Bits<2>>,
    control: Const<Bits<2>>,
    fin: Const<Bits<2>>,
    r: Signal<Local, SqRow>,
    lives: Signal<Local, Bit>,
    pending: Signal<Local, Bit>,
    works: Signal<Local, Bit>,
    wants: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl SqChoose {
    /// The chooser.
    pub fn new() -> Self {
        Self {
            wqe: Const::of(turn_kind::WQE),
            response: Const::of(turn_kind::RESPONSE),
            control: Const::of(turn_kind::CONTROL),
            fin: Const::of(turn_kind::FIN),
            ..Default::default()
        }
    }
}

impl Logic for SqChoose {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = self.row.val();
        self.lives.next =
            self.conf.val().ready && !self.r.val().halted && !self.r.val().closing && !self.dead.val();
        self.pending.next = self.r.val().producer != self.r.val().consumer;
        self.wants.next =
            (self.r.val().has && !self.r.val().held) || (!self.r.val().has && self.pending.val());
        self.works.next = self.lives.val() && (self.r.val().has || self.pending.val());
        self.ends.next =
            (self.r.val().term || (self.r.val().fin && !self.works.val())) && !self.r.val().finished;
        self.turn.next = false;
        self.kind.next = self.wqe.val();
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
                self.kind.next = self.control.val();
            } else if self.r.val().responding {
                self.kind.next = self.response.val();
            }
        } else if self.ends.val() && (!self.lives.val() || !(self.r.val().started || self.r.val().responding))
        {
            self.turn.next = true;
            self.last.next = true;
            self.started.next = false;
            self.kind.next = self.fin.val();
            if self.r.val().term {
                self.kind.next = self.control.val();
            }
        } else if self.lives.val()
            && self.r.val().responses.any()
            && !self.r.val().started
            && (self.r.val().responding || !self.r.val().answered || !self.wants.val())
        {
            self.turn.next = true;
            self.started.next = self.r.val().responding;
            self.kind.next = self.response.val();
        } else if self.lives.val() && self.wants.val() {
            self.turn.next = self.r.val().has;
            self.fetch.next = !self.r.val().has;
        }
    }
}

/// Makes the row after a turn. A wake-up that came during the turn counts: who was refused tries
/// again.
#[derive(LogicBlock, Default)]
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
    wqe: Const<Bits<2>>,
    response: Const<Bits<2>>,
    control: Const<Bits<2>>,
    fin: Const<Bits<2>>,
    told: Signal<Local, SqResult>,
    r: Signal<Local, SqRow>,
    result_row: Signal<Local, SqRow>,
    drops: Signal<Local, Bit>,
}

impl SqOutcome {
    /// The maker.
    pub fn new() -> Self {
        Self {
            wqe: Const::of(turn_kind::WQE),
            response: Const::of(turn_kind::RESPONSE),
            control: Const::of(turn_kind::CONTROL),
            fin: Const::of(turn_kind::FIN),
            ..Default::default()
        }
    }
}

impl Logic for SqOutcome {
    #[hdl_gen]
    fn update(&mut self) {
        self.told.next = self.result.val();
        self.r.next = self.row.val();
        self.result_row.next = self.row.val();
        self.result_row.next.away = false;
        self.result_row.next.woken = false;
        // in error, the rest of an FPDU is refused once: then a Terminate stands in its place
        self.drops.next = self.told.val().half
            && self.told.val().parked
            && self.dead.val()
            && (self.told.val().kind != self.control.val());
        self.result_row.next.parked = self.told.val().parked && !self.r.val().woken && !self.drops.val();
        if !self.told.val().replay {
            self.result_row.next.half = self.told.val().half && !self.drops.val();
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
        } else if self.told.val().kind == self.wqe.val() {
            self.result_row.next.started = self.told.val().started && !self.told.val().done;
            self.result_row.next.has = !self.told.val().done;
            self.result_row.next.held = self.told.val().held && !self.r.val().woken;
            if self.told.val().done {
                self.result_row.next.answered = false;
            }
        }
        if !self.told.val().replay && (self.told.val().kind == self.response.val()) {
            self.result_row.next.responding = self.told.val().started && !self.told.val().done;
            if self.told.val().done {
                self.result_row.next.responses = self.r.val().responses - 1;
                self.result_row.next.response = self.r.val().response + 1;
                self.result_row.next.answered = true;
            }
        }
        if !self.told.val().replay && (self.told.val().kind == self.control.val()) && !self.told.val().parked
        {
            self.result_row.next.term = self.told.val().half;
            self.result_row.next.closing = true;
        }
        if !self.told.val().replay && (self.told.val().kind == self.fin.val()) && !self.told.val().parked {
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
