//! Sequence state: reservations, acknowledged octets, the window.
use super::tx_cc::{cc_news, TxCc};
use super::tx_row::{SeqRow, TxSetup};
use super::tx_wake::TxWake;
use super::{seg_kind, Grant, Reserve, TxFact, TxSeen};
use crate::cell::{BlankRam, Const, Flop, Reg};
use crate::mpa::TxCheck;
use crate::queue::SqPulses;
use rust_hdl::prelude::*;

/// Step of an event at the row.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Chooses the next event and reads its row.
    Pick,
    /// The row is there: differences.
    Work,
    /// Decision and write.
    Write,
}

/// What the event is, apart from the state machine: set-up, fact, start and end of a reservation, a look, the gate opens,
/// a segment before an end was stored.
const SETUP: usize = 0;
const FACT: usize = 1;
const SIZE: usize = 2;
const COMMIT: usize = 3;
const LOOK: usize = 4;
const OPEN: usize = 5;
const STORED: usize = 6;

/// Owner of the sequence column. One event at a time, three cycles each, so that a reservation and the fact
/// that opens the window never pass each other unseen.
///
/// **Reservation.** The size of an FPDU comes from the sizing block of MPA transmit, with its place in the
/// stream; then the row is read again. Octets are granted if they end within SND.WND and the congestion window ([`TxCc`]), the gate is
/// open and the queue pair is not in error. Raw octets and FIN have their size with them; the gate does not count for them. Neither
/// gate nor error counts for FIN and what is `control`: only firmware writes those.
///
/// **Replay.** Its place is that of the first time. Neither gate nor error count. If all of it is acknowledged the answer is `skip`.
///
/// **Hole.** A segment whose gather failed is dropped with all that was granted behind it, see [`super::tx_sum::TxSum`].
/// From then on only Terminate and FIN are granted, the first of them in its place: `back` says how many reserved octets return. While no
/// hole is known these two are refused until all segments granted before them have been stored. A replay of what never left is `skip`.
///
/// **Wake-up.** A refusal sets `refused` in the row. The next fact, set-up, opening or stored segment of that connection clears it and
/// wakes ([`TxWake`]).
///
/// **Update.** A set-up of a connection that lives opens the gate or raises EMSS, and wakes. A lower EMSS does not count here.
///
/// **Impossible** (`bad_res`) is an FPDU that MPA refuses, a segment without octets, or one longer than EMSS: never granted nor woken.
#[derive(LogicBlock, Default)]
pub struct TxSeq<const C: usize, const NC: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset; the column is then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Connection that is set up.
    pub set_qp: Signal<In, Bits<C>>,
    /// Its state.
    pub set: Signal<In, TxSetup>,
    /// A set-up is offered.
    pub set_valid: Signal<In, Bit>,
    /// It is taken.
    pub set_take: Signal<Out, Bit>,
    /// Connection whose gate opens.
    pub open_qp: Signal<In, Bits<C>>,
    /// Pulse.
    pub open_valid: Signal<In, Bit>,
    /// Connection whose row is asked for.
    pub look_qp: Signal<In, Bits<C>>,
    /// Asked for; not together with a set-up.
    pub look_valid: Signal<In, Bit>,
    /// Answered.
    pub look_take: Signal<Out, Bit>,
    /// The answer.
    pub seen: Signal<Out, TxSeen>,
    /// Acknowledgment or window.
    pub fact: Signal<In, TxFact>,
    /// A fact is offered.
    pub fact_valid: Signal<In, Bit>,
    /// It is taken.
    pub fact_take: Signal<Out, Bit>,
    /// Octets of the stream that a segment wants.
    pub res_item: Signal<In, Reserve>,
    /// A reservation is offered.
    pub res_valid: Signal<In, Bit>,
    /// It is taken; the answer of the one before was taken.
    pub res_ready: Signal<Out, Bit>,
    /// Answer, one a reservation.
    pub grant_item: Signal<Out, Grant>,
    /// An answer is offered.
    pub grant_valid: Signal<Out, Bit>,
    /// It is taken.
    pub grant_ready: Signal<In, Bit>,
    /// Connection whose refused reservation may be tried again.
    pub wake_qp: Signal<Out, Bits<C>>,
    /// Pulse.
    pub wake_valid: Signal<Out, Bit>,
    /// Connection of which a reservation was refused for nothing but the peer's window; not a replay.
    pub stall_qp: Signal<Out, Bits<C>>,
    /// Pulse.
    pub stall_valid: Signal<Out, Bit>,
    /// Connection whose SND.UNA advanced, or that has a duplicate ACK.
    pub una_qp: Signal<Out, Bits<C>>,
    /// Octets acknowledged since the insert's SND.UNA.
    pub una_offset: Signal<Out, Bits<40>>,
    /// Its SND.UNA.
    pub una: Signal<Out, Bits<32>>,
    /// Pulse.
    pub una_valid: Signal<Out, Bit>,
    /// Pulse: `una_qp` has a duplicate ACK, at the SND.UNA that was told last.
    pub dup_valid: Signal<Out, Bit>,
    /// Pulse: an impossible reservation.
    pub bad_res: Signal<Out, Bit>,
    /// Connections in error: nothing new but Terminate and FIN is granted.
    pub dead: Signal<In, Bits<NC>>,

    /// Congestion control bounds what is granted.
    pub congestion: Signal<In, Bit>,
    /// Connection of which octets are lost.
    pub loss_qp: Signal<In, Bits<C>>,
    /// The retransmission timer says so, not duplicate ACKs.
    pub loss_timed: Signal<In, Bit>,
    /// Pulse.
    pub loss_valid: Signal<In, Bit>,

    /// Connection of the reservation at work; the next two are one cycle later.
    pub past_qp: Signal<Out, Bits<C>>,
    /// Sequence number after the last of its segments that was stored; that of its hole if it has one.
    pub past: Signal<In, Bits<32>>,
    /// It has a hole.
    pub broken: Signal<In, Bit>,
    /// Connection of which a segment was stored, or dropped.
    pub given_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub given_valid: Signal<In, Bit>,

    // never read in the cycle of a write: those are steps of their own
    rows: BlankRam<SeqRow, C>,
    check: TxCheck,
    opens: SqPulses<C, NC>,
    stores: SqPulses<C, NC>,
    cc: TxCc<C>,
    /// Connections whose Terminate or FIN was refused for a segment that was not stored.
    parked: Reg<Bits<NC>>,
    /// A segment of the reservation's connection was stored since its row was chosen.
    moved: Reg<Bit>,
    st: Reg<St>,
    kind: Flop<Bits<3>>,
    qp: Flop<Bits<C>>,
    /// From the taking of a reservation to that of its answer.
    busy: Reg<Bit>,
    asked: Reg<Bit>,
    ask: Flop<Reserve>,
    acked: Flop<Bits<32>>,
    need: Flop<Bits<32>>,
    place: Flop<Bits<32>>,
    /// Segments before Terminate or FIN are still under way.
    waits: Flop<Bit>,
    /// There was a hole when `place` was chosen.
    is_broken: Flop<Bit>,
    /// `past`, a cycle later.
    past_q: Flop<Bits<32>>,
    grant: Flop<Grant>,
    granted: Reg<Bit>,
    waker: TxWake<C>,
    advance: Reg<Bit>,
    doubled: Reg<Bit>,
    una_at: Flop<Bits<C>>,
    una_by: Flop<Bits<40>>,
    una_to: Flop<Bits<32>>,
    bad: Reg<Bit>,
    stall: Reg<Bit>,
    stall_of: Flop<Bits<C>>,
    is_setup: Const<Bits<3>>,
    is_fact: Const<Bits<3>>,
    is_size: Const<Bits<3>>,
    is_commit: Const<Bits<3>>,
    is_open: Const<Bits<3>>,
    is_stored: Const<Bits<3>>,
    one: Const<Bits<NC>>,
    k_fpdu: Const<Bits<2>>,
    k_fin: Const<Bits<2>>,
    is_look: Const<Bits<3>>,
    whole: Const<Bits<17>>,
    row: Signal<Local, SeqRow>,
    back: Signal<Local, SeqRow>,
    asks: Signal<Local, Reserve>,
    ask_qp: Signal<Local, Bits<C>>,
    is_fpdu: Signal<Local, Bit>,
    is_fin: Signal<Local, Bit>,
    total: Signal<Local, Bits<17>>,
    go: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    /// Octets between SND.UNA and the segment's first one, less than 0 if that is acknowledged.
    ahead: Signal<Local, Bits<32>>,
    phase: Signal<Local, Bits<9>>,
    acked_whole: Signal<Local, Bit>,
    /// Terminate or FIN.
    ends: Signal<Local, Bit>,
    /// What the event does of a reservation: asks for its size, answers it, refuses it because it waits.
    sizes: Signal<Local, Bit>,
    commits: Signal<Local, Bit>,
    refuses: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    given: Signal<Local, Bits<NC>>,
    asking: Signal<Local, Bits<NC>>,
    parked_up: Signal<Local, Bits<NC>>,
    behind: Signal<Local, Bits<32>>,
    /// A replay of what never left.
    never_left: Signal<Local, Bit>,
    skips: Signal<Local, Bit>,
    may: Signal<Local, Bit>,
    possible: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    /// The peer's window alone is in the way, of octets that never left.
    short: Signal<Local, Bit>,
    wakes: Signal<Local, Bit>,
    answer: Signal<Local, Grant>,
    said: Signal<Local, TxSeen>,
    offset_up: Signal<Local, Bits<40>>,
    crowded: Signal<Local, Bit>,
    decides: Signal<Local, Bit>,
    cc_set: Const<Bits<3>>,
    cc_ack: Const<Bits<3>>,
}

impl<const C: usize, const NC: usize> TxSeq<C, NC> {
    /// An idle block.
    pub fn new() -> Self {
        Self {
            rows: BlankRam::block(),
            check: TxCheck::new(),
            is_setup: Const::of(SETUP),
            is_fact: Const::of(FACT),
            is_size: Const::of(SIZE),
            is_commit: Const::of(COMMIT),
            is_open: Const::of(OPEN),
            is_stored: Const::of(STORED),
            one: Const::of(1),
            k_fpdu: Const::of(seg_kind::FPDU),
            k_fin: Const::of(seg_kind::FIN),
            opens: SqPulses::new(),
            stores: SqPulses::new(),
            cc: TxCc::new(),
            cc_set: Const::of(cc_news::SET),
            cc_ack: Const::of(cc_news::ACK),
            is_look: Const::of(LOOK),
            whole: Const::of(0x1_FFFF),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize> Logic for TxSeq<C, NC> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows, check, opens, stores, cc, waker);
        dff_setup!(self, clock, st, kind, qp, busy, asked, ask, acked, need, place, grant, granted);
        dff_setup!(self, clock, waits, is_broken, past_q, parked, moved);
        dff_setup!(self, clock, advance, doubled, una_at, una_by, una_to);
        dff_setup!(self, clock, bad, stall, stall_of);
        self.rows.reset.next = self.reset.val();
        self.check.reset.next = self.reset.val();
        self.opens.reset.next = self.reset.val();
        self.stores.reset.next = self.reset.val();
        self.parked.reset.next = self.reset.val();
        self.moved.reset.next = self.reset.val();
        self.st.reset.next = self.reset.val();
        self.busy.reset.next = self.reset.val();
        self.asked.reset.next = self.reset.val();
        self.granted.reset.next = self.reset.val();
        self.waker.reset.next = self.reset.val();
        self.advance.reset.next = self.reset.val();
        self.doubled.reset.next = self.reset.val();
        self.bad.reset.next = self.reset.val();
        self.stall.reset.next = self.reset.val();
        self.res_ready.next = !self.busy.q.val();
        self.grant_item.next = self.grant.q.val();
        self.grant_valid.next = self.granted.q.val();
        self.una_qp.next = self.una_at.q.val();
        self.una_offset.next = self.una_by.q.val();
        self.una.next = self.una_to.q.val();
        self.una_valid.next = self.advance.q.val();
        self.dup_valid.next = self.doubled.q.val();
        self.bad_res.next = self.bad.q.val();
        self.advance.d.next = false;
        self.doubled.d.next = false;
        self.bad.d.next = false;
        self.stall_qp.next = self.stall_of.q.val();
        self.stall_valid.next = self.stall.q.val();
        self.stall.d.next = false;
        self.stall_of.d.next = self.qp.q.val();

        // A reservation comes in, its answer goes out.
        if self.res_valid.val() && !self.busy.q.val() {
            self.busy.d.next = true;
            self.asked.d.next = true;
            self.ask.d.next = self.res_item.val();
        }
        self.asks.next = self.ask.q.val();
        self.ask_qp.next = bit_cast::<C, 8>(self.asks.val().qp);
        self.is_fpdu.next = self.asks.val().kind == self.k_fpdu.val();
        self.is_fin.next = self.asks.val().kind == self.k_fin.val();
        self.opens.pulse_qp.next = self.open_qp.val();
        self.opens.pulse_valid.next = self.open_valid.val();
        self.opens.take.next = false;

        // Segments that were stored: news for a connection that is parked.
        self.given.next = self.one.val() << self.given_qp.val();
        self.asking.next = self.one.val() << self.ask_qp.val();
        self.stores.pulse_qp.next = self.given_qp.val();
        self.stores.pulse_valid.next =
            self.given_valid.val() && (self.parked.q.val() & self.given.val()).any();
        self.stores.take.next = false;

        // Losses: the next event of the connection makes them count, before anything is granted.
        self.cc.loss_qp.next = self.loss_qp.val();
        self.cc.loss_timed.next = self.loss_timed.val();
        self.cc.loss_valid.next = self.loss_valid.val();
        self.cc.step.next = self.st.q.val() == St::Write;
        self.cc.sets.next = self.kind.q.val() == self.is_setup.val();
        self.cc.updates.next = self.set.val().update;
        self.parked_up.next = self.parked.q.val();
        if self.given_valid.val() {
            self.parked_up.next = self.parked.q.val() & (!self.given.val());
        }
        self.moves.next =
            self.moved.q.val() || (self.given_valid.val() && (self.given_qp.val() == self.ask_qp.val()));
        self.moved.d.next = self.moves.val() && (self.st.q.val() != St::Write);
        if self.granted.q.val() && self.grant_ready.val() {
            self.granted.d.next = false;
            self.busy.d.next = false;
        }

        // Step 1: which event.
        self.go.next = false;
        self.rows.read_enable.next = false;
        self.rows.read_address.next = self.ask_qp.val();
        if self.st.q.val() == St::Pick {
            self.kind.d.next = self.is_commit.val();
            if self.is_fpdu.val() {
                self.kind.d.next = self.is_size.val();
            }
            self.qp.d.next = self.ask_qp.val();
            self.go.next = self.asked.q.val();
            if self.check.valid.val() {
                self.kind.d.next = self.is_commit.val();
                self.go.next = true;
            }
            if self.fact_valid.val() {
                self.kind.d.next = self.is_fact.val();
                self.qp.d.next = bit_cast::<C, 8>(self.fact.val().qp);
                self.rows.read_address.next = bit_cast::<C, 8>(self.fact.val().qp);
                self.go.next = true;
            }
            if self.stores.valid.val() {
                self.kind.d.next = self.is_stored.val();
                self.qp.d.next = self.stores.qp.val();
                self.rows.read_address.next = self.stores.qp.val();
                self.go.next = true;
            }
            if self.opens.valid.val() {
                self.kind.d.next = self.is_open.val();
                self.qp.d.next = self.opens.qp.val();
                self.rows.read_address.next = self.opens.qp.val();
                self.go.next = true;
            }
            if self.look_valid.val() {
                self.kind.d.next = self.is_look.val();
                self.qp.d.next = self.look_qp.val();
                self.rows.read_address.next = self.look_qp.val();
                self.go.next = true;
            }
            if self.set_valid.val() {
                self.kind.d.next = self.is_setup.val();
                self.qp.d.next = self.set_qp.val();
                self.rows.read_address.next = self.set_qp.val();
                self.go.next = true;
            }
            if self.go.val() && self.rows.ready.val() {
                self.rows.read_enable.next = true;
                self.st.d.next = St::Work;
            }
        }

        // Step 2: differences.
        self.row.next = self.rows.read_data.val();
        self.total.next = self.check.answer.val().total;
        if !self.is_fpdu.val() {
            self.total.next = bit_cast::<17, 16>(self.asks.val().length);
        }
        if self.is_fin.val() {
            self.total.next = 1.into();
        }
        self.past_qp.next = self.ask_qp.val();
        self.ends.next = (self.asks.val().control || self.is_fin.val()) && !self.asks.val().replay;
        self.ahead.next = self.row.val().reserved - self.row.val().una;
        if self.broken.val() {
            self.ahead.next = self.past.val() - self.row.val().una;
        }
        if self.asks.val().replay {
            self.ahead.next =
                bit_cast::<32, 40>(self.asks.val().offset) - bit_cast::<32, 40>(self.row.val().offset);
        }
        if self.st.q.val() == St::Work {
            self.acked.d.next = self.fact.val().ack - self.row.val().una;
            self.need.d.next = self.ahead.val() + bit_cast::<32, 17>(self.total.val());
            self.place.d.next = self.row.val().una + self.ahead.val();
            // a connection that was never inserted has no segments
            self.waits.d.next = self.ends.val()
                && self.row.val().emss.any()
                && (self.row.val().mended || !self.broken.val())
                && (self.past.val() != self.row.val().reserved);
            self.is_broken.d.next = self.broken.val();
            self.st.d.next = St::Write;
        }

        // Step 3: decision.
        self.back.next = self.row.val();
        self.writes.next = false;
        self.wakes.next = false;
        self.set_take.next = false;
        self.look_take.next = false;
        self.said.next.una = self.row.val().una;
        self.said.next.wnd = self.row.val().wnd;
        self.said.next.gate = self.row.val().gate;
        self.seen.next = self.said.val();
        self.cc.qp.next = self.rows.read_address.val();
        self.cc.read.next = self.rows.read_enable.val();
        self.cc.acked.next = bit_cast::<24, 32>(self.acked.q.val());
        self.cc.at.next = self.qp.q.val();
        self.cc.emss.next = self.row.val().emss;
        self.cc.bounds.next = self.row.val().bounded;
        self.cc.news.next = 0.into();
        self.crowded.next = self.need.q.val() > bit_cast::<32, 23>(self.cc.window.val());
        self.fact_take.next = false;
        self.check.take.next = false;
        self.check.cmd.valid.next = false;
        self.phase.next = bit_cast::<9, 32>(self.place.q.val()) - self.row.val().start;
        self.check.cmd.length.next = self.asks.val().length;
        self.check.cmd.phase.next = self.phase.val();
        self.check.cmd.markers.next = self.row.val().markers;
        self.check.cmd.crc.next = self.row.val().crc;
        self.check.cmd.from.next = 0.into();
        self.check.cmd.to.next = self.whole.val();
        self.offset_up.next = self.row.val().offset + bit_cast::<40, 32>(self.acked.q.val());
        self.possible.next = self.is_fin.val()
            || (self.total.val().any()
                && (self.total.val() <= bit_cast::<17, 16>(self.row.val().emss))
                && !(self.is_fpdu.val() && self.check.answer.val().refused));
        self.acked_whole.next =
            self.asks.val().replay && (self.need.q.val().get_bit(31) || !self.need.q.val().any());
        self.may.next = self.ends.val()
            || ((self.row.val().gate || !self.is_fpdu.val())
                && !self.is_broken.q.val()
                && !self.dead.val().get_bit(self.qp.q.val().index()));
        self.past_q.d.next = self.past.val();
        self.behind.next = self.place.q.val() - self.past_q.q.val();
        self.never_left.next =
            self.asks.val().replay && self.is_broken.q.val() && !self.behind.val().get_bit(31);
        self.skips.next = self.acked_whole.val() || self.never_left.val();
        self.short.next = (self.need.q.val() > self.row.val().wnd)
            && self.row.val().emss.any()
            && self.possible.val()
            && self.may.val()
            && !self.asks.val().replay;
        self.fits.next = (self.need.q.val() <= self.row.val().wnd)
            && (self.may.val() || self.asks.val().replay)
            && self.possible.val()
            && !self.waits.q.val()
            && !(self.crowded.val() && self.congestion.val())
            && !self.skips.val();
        self.answer.next.ok = self.fits.val();
        self.answer.next.skip = self.skips.val() && self.possible.val();
        self.answer.next.seq = self.place.q.val();
        self.answer.next.phase = self.phase.val();
        self.answer.next.total = bit_cast::<16, 17>(self.total.val());
        self.answer.next.markers = self.row.val().markers;
        self.answer.next.crc = self.row.val().crc;
        self.answer.next.back = 0.into();
        if self.ends.val() {
            self.answer.next.back = self.row.val().reserved - self.place.q.val();
        }
        // An end that waits is refused, or read again if a segment was stored meanwhile.
        self.sizes.next = (self.kind.q.val() == self.is_size.val()) && !self.cc.cuts.val();
        self.decides.next = (self.kind.q.val() == self.is_commit.val()) && !self.cc.cuts.val();
        self.commits.next = self.decides.val() && !self.waits.q.val();
        self.refuses.next =
            (self.sizes.val() || self.decides.val()) && self.waits.q.val() && !self.moves.val();
        if self.st.q.val() == St::Write {
            self.st.d.next = St::Pick;
            if self.kind.q.val() == self.is_setup.val() {
                self.set_take.next = true;
                self.writes.next = true;
                self.back.next.una = self.set.val().una;
                self.back.next.reserved = self.set.val().nxt;
                self.back.next.wnd = self.set.val().wnd;
                self.back.next.offset = 0.into();
                self.back.next.mended = false;
                self.back.next.bounded = false;
                self.back.next.start = self.set.val().start;
                self.back.next.emss = self.set.val().emss;
                self.back.next.markers = self.set.val().markers;
                self.back.next.crc = self.set.val().crc;
                self.back.next.gate = self.set.val().gate;
                self.cc.emss.next = self.set.val().emss;
                if !self.set.val().update {
                    self.cc.news.next = self.cc_set.val();
                }
                if self.set.val().update {
                    self.back.next = self.row.val();
                    self.back.next.gate = self.row.val().gate || self.set.val().gate;
                    if self.set.val().emss > self.row.val().emss {
                        self.back.next.emss = self.set.val().emss;
                        // of larger segments the window may hold none
                        self.cc.news.next = self.cc_set.val();
                    }
                }
                self.wakes.next = self.row.val().refused;
            }
            if self.kind.q.val() == self.is_look.val() {
                self.look_take.next = true;
            }
            if self.kind.q.val() == self.is_fact.val() {
                self.fact_take.next = true;
                self.writes.next = true;
                // a duplicate brings no room
                self.wakes.next = self.row.val().refused && !self.fact.val().is_dup;
                self.doubled.d.next = self.fact.val().is_dup;
                self.una_at.d.next = self.qp.q.val();
                if self.fact.val().has_ack {
                    self.back.next.una = self.fact.val().ack;
                    self.back.next.offset = self.offset_up.val();
                    self.advance.d.next = true;
                    self.cc.news.next = self.cc_ack.val();
                    self.una_to.d.next = self.fact.val().ack;
                    self.una_by.d.next = self.offset_up.val();
                }
                if self.fact.val().has_window {
                    self.back.next.wnd = self.fact.val().window;
                }
            }
            if self.kind.q.val() == self.is_open.val() {
                self.opens.take.next = true;
                self.writes.next = true;
                self.wakes.next = self.row.val().refused;
                self.back.next.gate = true;
            }
            if self.kind.q.val() == self.is_stored.val() {
                self.stores.take.next = true;
                self.writes.next = true;
                self.wakes.next = self.row.val().refused;
            }
            if self.sizes.val() && !self.waits.q.val() {
                self.check.cmd.valid.next = true;
                self.asked.d.next = false;
            }
            if self.commits.val() || self.refuses.val() {
                self.check.take.next = !self.sizes.val() && self.is_fpdu.val();
                self.asked.d.next = false;
                self.writes.next = true;
                self.back.next.bounded = self.crowded.val() && !self.skips.val();
                self.grant.d.next = self.answer.val();
                self.granted.d.next = true;
                self.bad.d.next = self.commits.val() && !self.possible.val();
                if self.refuses.val() {
                    self.back.next.refused = true;
                    self.parked_up.next = self.parked_up.val() | self.asking.val();
                } else if !self.fits.val() {
                    self.back.next.refused = self.possible.val() && !self.skips.val();
                    self.stall.d.next = self.short.val();
                } else if !self.asks.val().replay {
                    self.back.next.reserved = self.place.q.val() + bit_cast::<32, 17>(self.total.val());
                    // nothing but an end is granted while there is a hole
                    self.back.next.mended = self.row.val().mended || self.is_broken.q.val();
                }
            }
            if self.wakes.val() {
                self.back.next.refused = false;
            }
        }
        self.parked.d.next = self.parked_up.val();
        self.rows.write_enable.next = self.writes.val();
        self.rows.write_address.next = self.qp.q.val();
        self.rows.write_data.next = self.back.val();

        // Wake-ups.
        self.waker.held.next = self.granted.q.val()
            && !self.grant_ready.val()
            && !self.grant.q.val().ok
            && (self.qp.q.val() == self.ask_qp.val());
        self.waker.free.next = !self.granted.q.val() || self.grant_ready.val();
        self.waker.qp.next = self.qp.q.val();
        self.waker.wakes.next = self.wakes.val();
        self.wake_qp.next = self.waker.wake_qp.val();
        self.wake_valid.next = self.waker.wake_valid.val();
    }
}
