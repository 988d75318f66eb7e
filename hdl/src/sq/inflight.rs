// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages that are not acknowledged yet, and their retirement.
use super::reach::SqReach;
use super::replay::SqReplay;
use super::responder::RESPONSES;
use super::retire::SqRetire;
use super::rows::{turn_kind, Again, Cut, InFlight, TxRow};
use crate::gen::Event;
use crate::prelude::*;
use crate::record::{CqeItem, TxStart};
use crate::stream::ItemSource;

/// In-flight ring of `2^R` messages for each of `NC = 2^C` queue pairs. `RI` = `R + 1`, `RA` =
/// `C + R`.
///
/// An entry goes in with the first FPDU of its message and is written again with each further one;
/// it comes out when all octets of the whole message are acknowledged and, if it is an RDMA Read,
/// its response has come: in the order of the messages, exactly once. It gives a completion if its
/// work request asked for one and the queue pair is not in error. Two entries are kept for
/// Terminate and the end of the stream, and one for each slot that the responder has, so that these
/// always find room: an RDMA Read of this queue pair leaves its ring only when the peer has
/// answered, and the peer may have to be answered first. One more is never used: the entry before
/// the oldest one says where that one begins.
///
/// There is one read port. A replay has it from its look until its FPDU is planned, while ranges
/// are checked, and while its fault is reported: some dozens of cycles, and two for each message
/// that waits acknowledged in the ring. Nothing retires then: a request completes once, well or
/// badly.
#[block]
pub struct SqRing<const C: usize, const NC: usize, const R: usize, const RI: usize, const RA: usize> {
    /// Queue pairs in error.
    pub dead: Signal<In, Bits<NC>>,
    /// Queue pair that is set up.
    pub set_qp: Signal<In, Bits<C>>,
    /// Its completion queue.
    pub set_cq: Signal<In, Bits<16>>,
    /// In this cycle.
    pub set_valid: Signal<In, Bit>,
    /// Queue pair that has the turn.
    pub turn_qp: Signal<In, Bits<C>>,
    /// Its ring has no room but that for responses, Terminate and end.
    pub full: Signal<Out, Bit>,
    /// It will wait for room.
    pub starve: Signal<In, Bit>,
    /// Its message as it is after an FPDU.
    pub entry: Signal<In, InFlight>,
    /// Put in now.
    pub push: Signal<In, Bit>,
    /// The FPDU was the message's first: a new entry; else the newest one is written again.
    pub first: Signal<In, Bit>,
    /// It has the place of one that could not be read, see [`Cut`].
    pub cut: Signal<In, Bit>,
    /// With that: stream offset of its first octet.
    pub start: Signal<In, Bits<40>>,
    /// A replay looks for its message and judges it, or reports its fault: nothing retires.
    pub replays: Signal<In, Bit>,
    /// Looks for the message of `turn_qp` that leaves again, see [`SqReplay`].
    pub look: Signal<In, Bit>,
    /// From the oldest one on.
    pub restart: Signal<In, Bit>,
    /// It was found.
    pub ready: Signal<Out, Bit>,
    /// There is none.
    pub over: Signal<Out, Bit>,
    /// Stream offset after the last octet of that message that has left.
    pub again_reach: Signal<Out, Bits<40>>,
    /// It is not that of the look before.
    pub moved: Signal<Out, Bit>,
    /// The message.
    pub again: Signal<Out, InFlight>,
    /// How far it is, see [`SqReplay`].
    pub row: Signal<Out, Again>,
    /// The state after that.
    pub after: Signal<In, TxRow>,
    /// Go on from there.
    pub step: Signal<In, Bit>,
    /// With that: nothing of the message that has left follows.
    pub last: Signal<In, Bit>,
    /// The last step was behind its last FPDU, as far as it was sent.
    pub ends: Signal<Out, Bit>,
    /// Connection that is inserted: its ring is emptied and who waits for it is woken.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// Its markers.
    pub fresh_start: Signal<In, TxStart>,
    /// In this cycle, which `fresh_ready` allows.
    pub fresh: Signal<In, Bit>,
    /// Nothing is being retired.
    pub fresh_ready: Signal<Out, Bit>,
    /// Queue pair of which octets were acknowledged.
    pub una_qp: Signal<In, Bits<C>>,
    /// Stream offset up to which they are.
    pub una_offset: Signal<In, Bits<40>>,
    /// They are.
    pub una_valid: Signal<In, Bit>,
    /// Queue pair whose oldest outstanding RDMA Read has its response.
    pub rdone_qp: Signal<In, Bits<C>>,
    /// Pulse: it has.
    pub rdone: Signal<In, Bit>,
    /// The oldest RDMA Read of `retire_qp` that is in its ring has its response.
    pub finished: Signal<In, Bit>,
    /// Queue pair whose messages are being retired.
    pub retire_qp: Signal<Out, Bits<C>>,
    /// Pulse: an RDMA Read of it retires.
    pub read_retires: Signal<Out, Bit>,
    /// Pulse: a response of it retires.
    pub response_retires: Signal<Out, Bit>,
    /// Completion.
    pub done: ItemSource<CqeItem>,
    /// `fin_acked`: the end of our side of the stream is acknowledged.
    pub event: ItemSource<Event>,
    /// Queue pair whose ring has room again, or whose connection is there.
    pub freed: ItemSource<Bits<C>>,
    entries: Sdp<InFlight, RA>,
    replay: SqReplay<C, RI>,
    // what is acknowledged; never read before an insert has written it
    unas: LutRam<Bits<40>, C>,
    retirer: SqRetire<C, NC>,
    // Index after the newest entry and of the oldest, each read by both sides.
    heads: LutRam<Bits<RI>, C>,
    heads_seen: LutRam<Bits<RI>, C>,
    cuts: LutRam<Cut, C>,
    starts: LutRam<TxStart, C>,
    read_qp: Signal<Local, Bits<C>>,
    reach_qp: Signal<Local, Bits<C>>,
    reach: SqReach,
    tails: LutRam<Bits<RI>, C>,
    tails_seen: LutRam<Bits<RI>, C>,
    zero_ring: Const<Bits<RI>>,
    zero_offset: Const<Bits<40>>,
    zero_kind: Const<Bits<2>>,
    put: Signal<Local, InFlight>,
    put_qp: Signal<Local, Bits<C>>,
    newest: Signal<Local, Bits<RI>>,
    cut_new: Signal<Local, Cut>,
    una_at: Signal<Local, Bits<C>>,
    una_now: Signal<Local, Bits<40>>,
    head_qp: Signal<Local, Bits<C>>,
    head_new: Signal<Local, Bits<RI>>,
    tail_qp: Signal<Local, Bits<C>>,
    tail_new: Signal<Local, Bits<RI>>,
    looked: Signal<Local, Bits<RI>>,
}

impl<const C: usize, const NC: usize, const R: usize, const RI: usize, const RA: usize>
    SqRing<C, NC, R, RI, RA>
{
    /// Rings whose contents the insert of each connection makes known; panics at elaboration if the
    /// parameters do not belong together.
    pub fn new() -> Self {
        assert!(NC == 1 << C && RI == R + 1 && RA == C + R, "rings of 2^{R} entries for 2^{C} queue pairs");
        assert!(
            1 << R > RESPONSES + 3,
            "2^{R} entries have no place for work requests beside {RESPONSES} responses"
        );
        Self { retirer: SqRetire::new(), replay: SqReplay::new(), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const NC: usize, const R: usize, const RI: usize, const RA: usize> Logic
    for SqRing<C, NC, R, RI, RA>
{
    fn update(&mut self) {
        parts!(replay, retirer);
        clocked!(entries, unas, heads, heads_seen, tails, tails_seen, cuts, starts);

        self.retirer.dead.next = self.dead.val();
        self.retirer.set_qp.next = self.set_qp.val();
        self.retirer.set_cq.next = self.set_cq.val();
        self.retirer.set_valid.next = self.set_valid.val();
        self.retirer.turn_qp.next = self.turn_qp.val();
        self.retirer.starve.next = self.starve.val();
        self.retirer.finishes.next = self.push.val() && (self.entry.val().kind == lit::<2>(turn_kind::FIN));
        self.retirer.fresh_qp.next = self.fresh_qp.val();
        self.retirer.fresh.next = self.fresh.val();
        self.fresh_ready.next = self.retirer.rests.val();
        self.retirer.una_qp.next = self.una_qp.val();
        self.retirer.una_valid.next = self.una_valid.val();
        self.retirer.rdone_qp.next = self.rdone_qp.val();
        self.retirer.rdone.next = self.rdone.val();
        self.retirer.finished.next = self.finished.val();
        self.retire_qp.next = self.retirer.qp.val();
        self.read_retires.next = self.retirer.read_retires.val();
        self.response_retires.next = self.retirer.response_retires.val();
        ItemSource::<CqeItem>::link(&mut self.done, &mut self.retirer.done);
        ItemSource::<Event>::link(&mut self.event, &mut self.retirer.event);
        ItemSource::<Bits<C>>::link(&mut self.freed, &mut self.retirer.freed);

        // Putting in: the queue pair that has the turn.
        self.heads.read_address.next = self.turn_qp.val();
        self.tails.read_address.next = self.turn_qp.val();
        let head: Bits<RI> = self.heads.read_data.val();
        let head_up: Bits<RI> = head + 1;
        let held: Bits<RI> = head - self.tails.read_data.val();
        self.full.next = held >= lit::<RI>((1 << R) - RESPONSES - 3);
        self.newest.next = head - 1;
        if self.first.val() {
            self.newest.next = head;
        }
        self.put.next = self.entry.val();
        self.put_qp.next = self.turn_qp.val();
        if self.fresh.val() {
            // before the first message: an entry that ends at 0, and of which nothing else counts
            self.newest.next = !self.zero_ring.val();
            self.put.next.kind = self.zero_kind.val();
            self.put.next.upto = self.zero_offset.val();
            self.put_qp.next = self.fresh_qp.val();
        }
        let puts: Bit = self.push.val() || self.fresh.val();
        self.entries.write_enable.next = puts;
        let put_at: Bits<RA> = (bit_cast::<RA, C>(self.put_qp.val()) << lit::<8>(R))
            | bit_cast::<RA, R>(bit_cast::<R, RI>(self.newest.val()));
        self.entries.write_address.next = put_at;
        self.entries.write_data.next = self.put.val();
        self.head_qp.next = self.turn_qp.val();
        self.head_new.next = head_up;
        if self.fresh.val() {
            self.head_qp.next = self.fresh_qp.val();
            self.head_new.next = self.zero_ring.val();
        }
        let takes: Bit = (self.push.val() && self.first.val()) || self.fresh.val();
        self.heads.write_enable.next = takes;
        self.heads.write_address.next = self.head_qp.val();
        self.heads.write_data.next = self.head_new.val();
        self.heads_seen.write_enable.next = takes;
        self.heads_seen.write_address.next = self.head_qp.val();
        self.heads_seen.write_data.next = self.head_new.val();
        self.cut_new.next.on = !self.fresh.val();
        self.cut_new.next.offset = self.start.val();
        self.cuts.write_enable.next = (self.push.val() && self.cut.val()) || self.fresh.val();
        self.cuts.write_address.next = self.head_qp.val();
        self.cuts.write_data.next = self.cut_new.val();

        self.starts.write_enable.next = self.fresh.val();
        self.starts.write_address.next = self.fresh_qp.val();
        self.starts.write_data.next = self.fresh_start.val();
        self.starts.read_address.next = self.turn_qp.val();
        self.replay.start.next = self.starts.read_data.val();

        // What is acknowledged; the newest word counts.
        self.una_at.next = self.una_qp.val();
        self.una_now.next = self.una_offset.val();
        if self.fresh.val() {
            self.una_at.next = self.fresh_qp.val();
            self.una_now.next = self.zero_offset.val();
        }
        self.unas.write_enable.next = self.una_valid.val() || self.fresh.val();
        self.unas.write_address.next = self.una_at.val();
        self.unas.write_data.next = self.una_now.val();

        // Reading an entry, for its retirement or for its replay, and not while one is written.
        self.heads_seen.read_address.next = self.retirer.qp.val();
        self.tails_seen.read_address.next = self.retirer.qp.val();
        let tail: Bits<RI> = self.tails_seen.read_data.val();
        let tail_up: Bits<RI> = tail + 1;
        self.retirer.may_read.next = !puts && !self.replays.val();
        self.retirer.empty.next = self.heads_seen.read_data.val() == tail;
        self.entries.read_enable.next = (self.replay.reads.val() && !puts) || self.retirer.reads.val();
        self.looked.next = tail;
        if self.retirer.newest.val() {
            self.looked.next = self.heads_seen.read_data.val() - 1;
        }
        self.read_qp.next = self.retirer.qp.val();
        if self.replay.reads.val() {
            self.looked.next = self.replay.place.val();
            self.read_qp.next = self.turn_qp.val();
        }
        self.entries.read_address.next = (bit_cast::<RA, C>(self.read_qp.val()) << lit::<8>(R))
            | bit_cast::<RA, R>(bit_cast::<R, RI>(self.looked.val()));
        let is_replay: Bit = self.replay.sees.val();
        self.reach_qp.next = self.retirer.qp.val();
        if is_replay {
            self.reach_qp.next = self.turn_qp.val();
        }
        self.cuts.read_address.next = self.reach_qp.val();
        self.unas.read_address.next = self.reach_qp.val();
        self.reach.cut.next = self.cuts.read_data.val();
        self.reach.entry.next = self.entries.read_data.val();
        self.reach.from.next = self.replay.from.val();
        self.replay.cut.next = self.cuts.read_data.val();
        let beyond: Bits<40> = self.unas.read_data.val() - self.reach.upto.val();

        // Taking out.
        self.retirer.oldest.next = self.entries.read_data.val();
        self.retirer.acked.next = !beyond.get_bit(39);
        self.retirer.is_cut.next = self.reach.is_cut.val();
        self.tail_qp.next = self.retirer.qp.val();
        self.tail_new.next = tail_up;
        if self.fresh.val() {
            self.tail_qp.next = self.fresh_qp.val();
            self.tail_new.next = self.zero_ring.val();
        }
        self.replay.qp.next = self.turn_qp.val();
        self.replay.look.next = self.look.val();
        self.replay.restart.next = self.restart.val();
        self.replay.oldest.next = self.tails.read_data.val();
        self.replay.head.next = self.heads.read_data.val();
        self.replay.may_read.next = !puts;
        self.replay.entry.next = self.entries.read_data.val();
        self.replay.una.next = self.unas.read_data.val();
        self.replay.upto.next = self.reach.upto.val();
        self.replay.acked.next = !beyond.get_bit(39) || self.reach.none.val();
        self.ready.next = self.replay.ready.val();
        self.over.next = self.replay.over.val();
        self.again_reach.next = self.replay.reach.val();
        self.moved.next = self.replay.moved.val();
        self.again.next = self.entries.read_data.val();
        self.row.next = self.replay.row.val();
        self.replay.after.next = self.after.val();
        self.replay.step.next = self.step.val();
        self.replay.last.next = self.last.val();
        self.ends.next = self.replay.ends.val();
        self.tails.write_enable.next = self.retirer.retires.val() || self.fresh.val();
        self.tails.write_address.next = self.tail_qp.val();
        self.tails.write_data.next = self.tail_new.val();
        self.tails_seen.write_enable.next = self.retirer.retires.val() || self.fresh.val();
        self.tails_seen.write_address.next = self.tail_qp.val();
        self.tails_seen.write_data.next = self.tail_new.val();
    }
}
