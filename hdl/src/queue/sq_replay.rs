//! Which message of a queue pair leaves again, and from where: a walk through its in-flight ring.
use super::sq_reach::SqReach;
use super::sq_rows::{Again, Cut, InFlight, TxRow};
use crate::cell::{Const, Flop, LutRam, Reg, Sdp};
use rust_hdl::prelude::*;

/// Steps of a look for what leaves again.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Replay {
    /// None was asked for so far.
    Idle,
    /// The entry is being read.
    Seek,
    /// It is there.
    Judge,
    /// It is the one.
    Found,
}

/// Keeps a second copy of the in-flight rings for reading, and for each queue pair the place in its ring that its replay has
/// come to. `RI` = `R + 1`, `RA` = `C + R`.
///
/// A look finds the message to go on with: the oldest one of the ring that is not acknowledged whole, or the one the walk
/// has come to if it is not before that. Messages that are acknowledged and wait behind others for their retirement
/// are passed at two cycles each: nobody keeps what they were made of; so are those that never left. A message that is still being sent is there as far as
/// it was sent.
#[derive(LogicBlock, Default)]
pub struct SqReplay<const C: usize, const R: usize, const RI: usize, const RA: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Entry of a ring that is written.
    pub put_at: Signal<In, Bits<RA>>,
    /// What it becomes.
    pub put: Signal<In, InFlight>,
    /// In this cycle; not while a look is under way.
    pub put_valid: Signal<In, Bit>,
    /// Queue pair whose index after the newest entry is written.
    pub head_qp: Signal<In, Bits<C>>,
    /// What it becomes.
    pub head: Signal<In, Bits<RI>>,
    /// In this cycle; not while a look is under way.
    pub head_valid: Signal<In, Bit>,
    /// Queue pair whose [`Cut`] is written.
    pub cut_qp: Signal<In, Bits<C>>,
    /// What it becomes.
    pub cut: Signal<In, Cut>,
    /// In this cycle; not while a look is under way.
    pub cut_valid: Signal<In, Bit>,
    /// Queue pair whose index of the oldest entry is written.
    pub tail_qp: Signal<In, Bits<C>>,
    /// What it becomes.
    pub tail: Signal<In, Bits<RI>>,
    /// In this cycle.
    pub tail_valid: Signal<In, Bit>,
    /// Queue pair whose acknowledged stream offset is written.
    pub una_qp: Signal<In, Bits<C>>,
    /// What it becomes.
    pub una: Signal<In, Bits<48>>,
    /// In this cycle.
    pub una_valid: Signal<In, Bit>,
    /// Queue pair that has the turn; stable from a look to the write after it.
    pub qp: Signal<In, Bits<C>>,
    /// Looks for the message to go on with.
    pub look: Signal<In, Bit>,
    /// With `look`: from the oldest one on.
    pub restart: Signal<In, Bit>,
    /// The last look has found what the next four say.
    pub ready: Signal<Out, Bit>,
    /// There is nothing more.
    pub over: Signal<Out, Bit>,
    /// The message is not that of the look before.
    pub moved: Signal<Out, Bit>,
    /// The message.
    pub entry: Signal<Out, InFlight>,
    /// The transmit state of its next FPDU.
    pub row: Signal<Out, TxRow>,
    /// The state after that FPDU.
    pub after: Signal<In, TxRow>,
    /// Go on from there.
    pub step: Signal<In, Bit>,
    /// The last step was behind the last FPDU of the message, as far as that was sent.
    pub ends: Signal<Out, Bit>,
    entries: Sdp<InFlight, RA>,
    heads: LutRam<Bits<RI>, C>,
    tails: LutRam<Bits<RI>, C>,
    unas: LutRam<Bits<48>, C>,
    cuts: LutRam<Cut, C>,
    reach: SqReach,
    places: LutRam<Bits<RI>, C>,
    rows: LutRam<Again, C>,
    state: Reg<Replay>,
    from_start: Reg<Bit>,
    fresh: Reg<Bit>,
    done: Reg<Bit>,
    ended: Flop<Bit>,
    /// `made`, a cycle later.
    row_q: Flop<TxRow>,
    shift: Const<Bits<8>>,
    blank: Const<Again>,
    oldest: Signal<Local, Bits<RI>>,
    at: Signal<Local, Bits<RI>>,
    at_up: Signal<Local, Bits<RI>>,
    held: Signal<Local, Bits<RI>>,
    passed: Signal<Local, Bits<RI>>,
    jumps: Signal<Local, Bit>,
    place: Signal<Local, Bits<RI>>,
    found: Signal<Local, InFlight>,
    beyond: Signal<Local, Bits<48>>,
    acked: Signal<Local, Bit>,
    kept: Signal<Local, Again>,
    made: Signal<Local, TxRow>,
    stepped: Signal<Local, TxRow>,
    next_row: Signal<Local, Again>,
    last: Signal<Local, Bit>,
    place_write: Signal<Local, Bit>,
    row_write: Signal<Local, Bit>,
}

impl<const C: usize, const R: usize, const RI: usize, const RA: usize> SqReplay<C, R, RI, RA> {
    /// No look under way.
    pub fn new() -> Self {
        Self { state: Reg::new(Replay::Idle), shift: Const::of(R), ..Default::default() }
    }
}

impl<const C: usize, const R: usize, const RI: usize, const RA: usize> Logic for SqReplay<C, R, RI, RA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, from_start, fresh, done, ended, row_q);
        clock!(self, clock, entries, heads, tails, unas, cuts, places, rows);
        self.state.reset.next = self.reset.val();
        self.from_start.reset.next = self.reset.val();
        self.fresh.reset.next = self.reset.val();
        self.done.reset.next = self.reset.val();

        // The copies.
        self.entries.write_enable.next = self.put_valid.val();
        self.entries.write_address.next = self.put_at.val();
        self.entries.write_data.next = self.put.val();
        self.heads.write_enable.next = self.head_valid.val();
        self.heads.write_address.next = self.head_qp.val();
        self.heads.write_data.next = self.head.val();
        self.tails.write_enable.next = self.tail_valid.val();
        self.tails.write_address.next = self.tail_qp.val();
        self.tails.write_data.next = self.tail.val();
        self.cuts.write_enable.next = self.cut_valid.val();
        self.cuts.write_address.next = self.cut_qp.val();
        self.cuts.write_data.next = self.cut.val();
        self.cuts.read_address.next = self.qp.val();
        self.unas.write_enable.next = self.una_valid.val();
        self.unas.write_address.next = self.una_qp.val();
        self.unas.write_data.next = self.una.val();
        self.heads.read_address.next = self.qp.val();
        self.tails.read_address.next = self.qp.val();
        self.unas.read_address.next = self.qp.val();
        self.places.read_address.next = self.qp.val();
        self.rows.read_address.next = self.qp.val();

        // Where to go on: entries that were retired lie before the oldest one.
        self.oldest.next = self.tails.read_data.val();
        self.at.next = self.places.read_data.val();
        self.at_up.next = self.at.val() + 1;
        self.held.next = self.heads.read_data.val() - self.oldest.val();
        self.passed.next = self.at.val() - self.oldest.val();
        self.jumps.next = self.from_start.q.val() || (self.passed.val() > self.held.val());
        self.place.next = self.at.val();
        if self.jumps.val() {
            self.place.next = self.oldest.val();
        }
        self.entries.read_enable.next = self.state.q.val() == Replay::Seek;
        self.entries.read_address.next = (bit_cast::<RA, C>(self.qp.val()) << self.shift.val())
            | bit_cast::<RA, R>(bit_cast::<R, RI>(self.place.val()));

        // The message, and its next FPDU.
        self.found.next = self.entries.read_data.val();
        self.reach.cut.next = self.cuts.read_data.val();
        self.reach.entry.next = self.entries.read_data.val();
        self.beyond.next = self.unas.read_data.val() - self.reach.upto.val();
        self.acked.next = !self.beyond.val().get_bit(47) || self.reach.none.val();
        self.kept.next = self.rows.read_data.val();
        self.made.next.msn = self.found.val().msn;
        self.made.next.msn_read = self.found.val().msn;
        self.made.next.from = self.found.val().from;
        self.made.next.mulpdu = self.found.val().mulpdu;
        self.made.next.offset = self.found.val().from;
        self.made.next.sent = 0.into();
        self.made.next.sge = 0.into();
        self.made.next.used = 0.into();
        if self.kept.val().begun {
            self.made.next.offset = self.kept.val().offset;
            self.made.next.sent = self.kept.val().sent;
            self.made.next.sge = self.kept.val().sge;
            self.made.next.used = self.kept.val().used;
        }
        self.entry.next = self.entries.read_data.val();
        self.row_q.d.next = self.made.val();
        self.row.next = self.row_q.q.val();
        self.ready.next = self.state.q.val() == Replay::Found;
        self.over.next = self.done.q.val();
        self.moved.next = self.fresh.q.val();
        self.stepped.next = self.after.val();
        self.last.next = self.stepped.val().offset == self.reach.upto.val();
        self.ends.next = self.ended.q.val();

        self.place_write.next = false;
        self.row_write.next = false;
        self.places.write_address.next = self.qp.val();
        self.places.write_data.next = self.place.val();
        self.rows.write_address.next = self.qp.val();
        self.next_row.next = self.blank.val();
        match self.state.q.val() {
            Replay::Seek => {
                self.place_write.next = true;
                self.row_write.next = self.jumps.val();
                self.from_start.d.next = false;
                self.fresh.d.next = self.fresh.q.val() || self.jumps.val();
                self.done.d.next = self.place.val() == self.heads.read_data.val();
                self.state.d.next = Replay::Judge;
            }
            Replay::Judge => {
                self.state.d.next = Replay::Found;
                if self.acked.val() && !self.done.q.val() {
                    self.place_write.next = true;
                    self.places.write_data.next = self.at_up.val();
                    self.row_write.next = true;
                    self.fresh.d.next = true;
                    self.state.d.next = Replay::Seek;
                }
            }
            _ => {}
        }
        if self.step.val() {
            self.ended.d.next = self.last.val();
            self.row_write.next = true;
            if self.last.val() {
                self.place_write.next = true;
                self.places.write_data.next = self.at_up.val();
            } else {
                self.next_row.next.begun = true;
                self.next_row.next.offset = self.stepped.val().offset;
                self.next_row.next.sent = self.stepped.val().sent;
                self.next_row.next.sge = self.stepped.val().sge;
                self.next_row.next.used = self.stepped.val().used;
            }
        }
        if self.look.val() {
            self.from_start.d.next = self.restart.val();
            self.fresh.d.next = false;
            self.state.d.next = Replay::Seek;
        }
        self.places.write_enable.next = self.place_write.val();
        self.rows.write_enable.next = self.row_write.val();
        self.rows.write_data.next = self.next_row.val();
    }
}
