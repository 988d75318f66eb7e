// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which message of a queue pair leaves again, and from where: a walk through its in-flight ring.
use super::leap::SqLeap;
use super::rows::{Again, Cut, InFlight, TxRow};
use crate::prelude::*;
use crate::record::TxStart;

/// Steps of a look for what leaves again.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Replay {
    /// None was asked for so far.
    Idle,
    /// The entry is being read, or the one before it.
    Seek,
    /// The one before it is there.
    Before,
    /// It is there.
    Judge,
    /// Its first FPDU that is not acknowledged is being looked for.
    Leap,
    /// It is the one.
    Found,
}

/// Keeps for each queue pair the place in its in-flight ring that its replay has come to. `RI` =
/// `R + 1`. The ring's memory belongs to [`super::inflight::SqRing`], which reads nothing else
/// while the message is looked for and judged.
///
/// A look finds the message to go on with: the oldest one of the ring that is not acknowledged
/// whole, or the one the walk has come to if it is not before that. Messages that are acknowledged
/// and wait behind others for their retirement are passed at two cycles each: nobody keeps what
/// they were made of; so are those that never left. A message that is still being sent is there as
/// far as it was sent. Of the first one that is not acknowledged whole the FPDUs that are
/// acknowledged are not looked at ([`SqLeap`]), if it has ULPDUs of one size.
///
/// A message begins where the one before it ends. So the walk that begins at the oldest entry reads
/// the entry before that one: it has retired, and its place is not used again.
#[block]
pub struct SqReplay<const C: usize, const RI: usize> {
    /// Queue pair that has the turn; stable from a look to the write after it.
    pub qp: Signal<In, Bits<C>>,
    /// Looks for the message to go on with.
    pub look: Signal<In, Bit>,
    /// With `look`: from the oldest one on.
    pub restart: Signal<In, Bit>,
    /// Index of the oldest entry in the ring of `qp`.
    pub oldest: Signal<In, Bits<RI>>,
    /// Index after the newest one.
    pub head: Signal<In, Bits<RI>>,
    /// An entry is to be read.
    pub reads: Signal<Out, Bit>,
    /// It is read in this cycle, and is there in the next.
    pub may_read: Signal<In, Bit>,
    /// Its index.
    pub place: Signal<Out, Bits<RI>>,
    /// The entry that was read last is judged, or its first FPDU that is not acknowledged is looked
    /// for.
    pub sees: Signal<Out, Bit>,
    /// The entry that was read last.
    pub entry: Signal<In, InFlight>,
    /// Of the queue pair.
    pub cut: Signal<In, Cut>,
    /// Markers of the connection.
    pub start: Signal<In, TxStart>,
    /// With `sees`: stream offset of the message's first octet, or of its next FPDU.
    pub from: Signal<Out, Bits<40>>,
    /// Stream offset after its last octet that has left.
    pub upto: Signal<In, Bits<40>>,
    /// All that has left of it is acknowledged.
    pub acked: Signal<In, Bit>,
    /// With `sees`: stream offset up to which octets of the queue pair are acknowledged.
    pub una: Signal<In, Bits<40>>,
    /// The last look has found what the next four say.
    pub ready: Signal<Out, Bit>,
    /// There is nothing more.
    pub over: Signal<Out, Bit>,
    /// Stream offset after the last octet of the message that has left.
    pub reach: Signal<Out, Bits<40>>,
    /// The message is not that of the look before.
    pub moved: Signal<Out, Bit>,
    /// How far it is, while the entry stands.
    pub row: Signal<Out, Again>,
    /// The state after that FPDU.
    pub after: Signal<In, TxRow>,
    /// Go on from there.
    pub step: Signal<In, Bit>,
    /// With that: nothing of the message that has left follows.
    pub last: Signal<In, Bit>,
    /// The last step was behind the last FPDU of the message, as far as that was sent.
    pub ends: Signal<Out, Bit>,
    places: LutRam<Bits<RI>, C>,
    rows: Sdp<Again, C>,
    state: Reg<Replay>,
    from_start: Reg<Bit>,
    fresh: Reg<Bit>,
    /// The message's replay begins, whatever its row says.
    begins: Reg<Bit>,
    done: Reg<Bit>,
    ended: Flop<Bit>,
    /// `upto` of the message that was found.
    upto_q: Flop<Bits<40>>,
    leap: SqLeap,
    /// `upto` of the entry before; without meaning unless `begins`.
    prior: Flop<Bits<40>>,
    /// That entry is a Terminate or the end of the stream.
    ended_prior: Flop<Bit>,
    blank: Const<Again>,
    goes: Signal<Local, Bits<RI>>,
    kept: Signal<Local, Again>,
    origin: Signal<Local, Bits<40>>,
    made: Signal<Local, Again>,
    stepped: Signal<Local, TxRow>,
    next_row: Signal<Local, Again>,
    place_write: Signal<Local, Bit>,
    row_write: Signal<Local, Bit>,
}

impl<const C: usize, const RI: usize> SqReplay<C, RI> {
    /// No look under way.
    pub fn new() -> Self {
        Self { rows: Sdp::block(), leap: SqLeap::new(), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const RI: usize> Logic for SqReplay<C, RI> {
    fn update(&mut self) {
        regs!(state, from_start, fresh, begins, done);
        flops!(ended, upto_q, prior, ended_prior);
        parts!(leap);
        clocked!(places, rows);

        self.places.read_address.next = self.qp.val();
        self.rows.read_address.next = self.qp.val();
        self.rows.read_enable.next = self.state.q.val() == Replay::Seek;

        // Where to go on: entries that were retired lie before the oldest one.
        let at: Bits<RI> = self.places.read_data.val();
        let at_up: Bits<RI> = at + 1;
        let held: Bits<RI> = self.head.val() - self.oldest.val();
        let passed: Bits<RI> = at - self.oldest.val();
        let jumps: Bit = !self.begins.q.val() && (self.from_start.q.val() || (passed > held));
        self.goes.next = at;
        if jumps {
            self.goes.next = self.oldest.val();
        }
        self.place.next = self.goes.val();
        if jumps {
            self.place.next = self.goes.val() - 1;
        }
        self.reads.next = self.state.q.val() == Replay::Seek;
        self.sees.next = (self.state.q.val() == Replay::Judge) || (self.state.q.val() == Replay::Leap);

        // Where it begins: behind the one before, but the first of Terminate and end where the
        // stream was cut.
        self.kept.next = self.rows.read_data.val();
        let kind: Bits<2> = self.entry.val().kind;
        self.origin.next = self.kept.val().offset;
        if self.begins.q.val() {
            self.origin.next = self.prior.q.val();
            if self.cut.val().on && kind.get_bit(1) && !self.ended_prior.q.val() {
                self.origin.next = self.cut.val().offset;
            }
        }
        self.from.next = self.origin.val();
        self.made.next = self.blank.val();
        self.made.next.sent = self.leap.sent.val();
        self.made.next.used = self.leap.sent.val();
        if self.kept.val().begun && !self.begins.q.val() {
            self.made.next = self.kept.val();
        }
        self.made.next.offset = self.leap.offset.val();
        self.row.next = self.made.val();

        // Some FPDUs of the first message that is not acknowledged whole may be acknowledged.
        self.leap.load.next = self.state.q.val() == Replay::Judge;
        self.leap.go.next =
            self.begins.q.val() && self.entry.val().even && !self.acked.val() && !self.done.q.val();
        self.leap.from.next = self.origin.val();
        self.leap.start.next = self.start.val();
        self.leap.mulpdu.next = self.entry.val().mulpdu;
        // an even message is an RDMA Write or a Read Response, opcodes 0 and 2, or a Send, opcodes
        // 3 to 6
        let opcode: Bits<8> = self.entry.val().opcode;
        self.leap.is_tagged.next = !opcode.get_bit(0) && !opcode.get_bit(2);
        self.leap.una.next = self.una.val();
        self.ready.next = self.state.q.val() == Replay::Found;
        self.over.next = self.done.q.val();
        self.reach.next = self.upto_q.q.val();
        self.moved.next = self.fresh.q.val();
        self.stepped.next = self.after.val();
        self.ends.next = self.ended.q.val();

        self.place_write.next = false;
        self.row_write.next = false;
        self.places.write_address.next = self.qp.val();
        self.places.write_data.next = self.goes.val();
        self.rows.write_address.next = self.qp.val();
        self.next_row.next = self.blank.val();
        self.next_row.next.offset = self.origin.val();
        match self.state.q.val() {
            Replay::Seek => {
                if self.may_read.val() {
                    self.place_write.next = true;
                    self.begins.d.next = self.begins.q.val() || jumps;
                    self.from_start.d.next = false;
                    self.fresh.d.next = self.fresh.q.val() || jumps;
                    self.done.d.next = self.goes.val() == self.head.val();
                    self.state.d.next = Replay::Judge;
                    if jumps {
                        self.state.d.next = Replay::Before;
                    }
                }
            }
            Replay::Before => {
                self.prior.d.next = self.entry.val().upto;
                self.ended_prior.d.next = kind.get_bit(1);
                self.state.d.next = Replay::Seek;
            }
            Replay::Judge => {
                self.upto_q.d.next = self.upto.val();
                self.state.d.next = Replay::Found;
                if self.leap.go.val() {
                    self.state.d.next = Replay::Leap;
                }
                // behind the read, since a word is not read while it is written
                self.row_write.next = self.begins.q.val();
            }
            Replay::Leap => {
                if !self.leap.busy.val() {
                    self.row_write.next = true;
                    self.next_row.next = self.made.val();
                    self.next_row.next.begun = true;
                    self.state.d.next = Replay::Found;
                }
            }
            _ => {}
        }
        // The rest of the message may be acknowledged while its FPDUs are counted.
        let is_judged: Bit = ((self.state.q.val() == Replay::Judge) && !self.done.q.val())
            || ((self.state.q.val() == Replay::Leap) && !self.leap.busy.val());
        if is_judged && self.acked.val() {
            self.prior.d.next = self.entry.val().upto;
            self.ended_prior.d.next = kind.get_bit(1);
            self.place_write.next = true;
            self.places.write_data.next = at_up;
            self.begins.d.next = true;
            self.fresh.d.next = true;
            self.state.d.next = Replay::Seek;
        }
        if self.step.val() {
            self.ended.d.next = self.last.val();
            self.row_write.next = true;
            self.next_row.next.offset = self.stepped.val().offset;
            if self.last.val() {
                self.place_write.next = true;
                self.places.write_data.next = at_up;
            } else {
                self.next_row.next.begun = true;
                self.next_row.next.sent = self.stepped.val().sent;
                self.next_row.next.sge = self.stepped.val().sge;
                self.next_row.next.used = self.stepped.val().used;
                self.next_row.next.into = self.stepped.val().into;
            }
        }
        if self.look.val() {
            self.from_start.d.next = self.restart.val();
            self.fresh.d.next = false;
            self.begins.d.next = false;
            self.state.d.next = Replay::Seek;
        }
        self.places.write_enable.next = self.place_write.val();
        self.rows.write_enable.next = self.row_write.val();
        self.rows.write_data.next = self.next_row.val();
    }
}
