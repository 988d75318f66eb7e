// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one place that knows which queue pairs are in error.
use super::fault_row::{FaultTell, QpCqs};
use super::fault_words::FaultWords;
use crate::cell::{BlankRam, Const, Flop, Reg, Sdp};
use crate::gen::consts::{qp_state, wc_status};
use crate::gen::{CapturedError, Event, QpRow};
use crate::record::{CiteSink, CiteSource, CqeItem, Fault, Quoted};
use crate::stream::{ItemSink, ItemSource, Pick};
use rust_hdl::prelude::*;

/// Step of the one operation under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Chooses an operation and asks the columns for its row.
    Idle,
    /// Writes a row.
    Setup,
    /// Answers a fault.
    Note,
    /// Answers the read port.
    Show,
    /// Looks at the next queue pair of a completion queue without room.
    Walk,
    /// Judges it.
    Walked,
    /// Offers the completion of a queue pair that stopped.
    Cqe,
    /// Offers its event.
    Tell,
}

/// Collects faults from `N` sources: the first one of a queue pair puts it in error, is kept, and
/// makes one completion and one event; later ones are counted. `NC` = `2^C` queue pairs, `NQ` =
/// `2^Q` completion queues, `A` = `C` + 4.
///
/// A completion queue that had no room puts all its queue pairs in error, found by a walk over the
/// rows.
#[derive(LogicBlock, Default)]
pub struct FaultUnit<
    const C: usize,
    const NC: usize,
    const Q: usize,
    const NQ: usize,
    const N: usize,
    const A: usize,
> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset; columns are then scrubbed, `2^C` cycles, in which nothing is taken.
    pub reset: Signal<In, Bit>,
    /// Bit per queue pair: in error. It rises before the fault is answered and falls with the next
    /// row.
    pub dead: Signal<Out, Bits<NC>>,
    /// Queue pair whose row is written.
    pub qpw_qp: Signal<In, Bits<C>>,
    /// The row: forgets what was kept; state error puts the queue pair in error without a fault.
    pub qpw_row: Signal<In, QpRow>,
    /// A row is offered.
    pub qpw_valid: Signal<In, Bit>,
    /// It is written.
    pub qpw_ready: Signal<Out, Bit>,
    /// Faults.
    pub from: Vec<ItemSink<Fault>>,
    /// Segment that the fault of source 0 quotes, beside its item; sources 2 and beyond have none.
    pub from_0_quote: Signal<In, Quoted>,
    /// Its octets: if there is one they follow the item, and no other fault is taken before they
    /// have come.
    pub from_0_words: CiteSink,
    /// That of source 1.
    pub from_1_quote: Signal<In, Quoted>,
    /// Its octets.
    pub from_1_words: CiteSink,
    /// With `over_valid`: a completion queue that had no room.
    pub over_cq: Signal<In, Bits<Q>>,
    /// Pulse; never waits.
    pub over_valid: Signal<In, Bit>,
    /// Completion of a queue pair that stopped.
    pub cqe: ItemSource<CqeItem>,
    /// `qp_fatal`, `qp_request_error`, `qp_access_error` or `connection_lost`.
    pub event: ItemSource<Event>,
    /// Queue pair to show.
    pub cap_qp: Signal<In, Bits<C>>,
    /// It is asked for.
    pub cap_valid: Signal<In, Bit>,
    /// The question is taken.
    pub cap_ready: Signal<Out, Bit>,
    /// What is kept of it.
    pub capd: ItemSource<CapturedError>,
    /// First octets of the segment, nine words; zero if there is none. Until the last is taken no
    /// row of this queue pair is written.
    pub capd_words: CiteSource,
    /// Pulse: a queue pair stopped.
    pub stopped: Signal<Out, Bit>,
    /// Pulse: a fault of a queue pair that had stopped.
    pub late: Signal<Out, Bit>,
    /// Pulse: a fault of a queue pair that is not set up; it is dropped.
    pub stray: Signal<Out, Bit>,

    /// Count only of a queue pair in `works`.
    cqs: Sdp<QpCqs, C>,
    /// Count only of a queue pair in `kept`.
    faults: Sdp<Fault, C>,
    quotes: Sdp<Quoted, C>,
    laters: BlankRam<Bits<32>, C>,
    cites: FaultWords<C, A>,
    tell: FaultTell,
    st: Reg<St>,
    /// State ready.
    works: Reg<Bits<NC>>,
    /// In error.
    halted: Reg<Bits<NC>>,
    /// A fault is kept.
    kept: Reg<Bits<NC>>,
    /// Completion queues that had no room and are still to be walked for.
    over: Reg<Bits<NQ>>,
    pick: Pick<Fault, N>,
    qp: Flop<Bits<C>>,
    fault: Flop<Fault>,
    /// The fault's queue pair worked until now; it had stopped before.
    is_first: Flop<Bit>,
    is_late: Flop<Bit>,
    walks: Reg<Bit>,
    walk_cq: Flop<Bits<Q>>,
    flushed: Flop<CqeItem>,
    told: Flop<Event>,
    shown: Flop<CapturedError>,
    show: Reg<Bit>,
    pulse_stopped: Reg<Bit>,
    pulse_late: Reg<Bit>,
    pulse_stray: Reg<Bit>,
    second: Const<Bits<4>>,
    cq_index: Vec<Const<Bits<Q>>>,
    k_ready: Const<Bits<8>>,
    k_error: Const<Bits<8>>,
    k_general: Const<Bits<8>>,
    no_quote: Const<Quoted>,
    up: Signal<Local, Bit>,
    over_pick: Signal<Local, Bits<Q>>,
    over_now: Signal<Local, Bits<NQ>>,
    asks: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<C>>,
    chosen_works: Signal<Local, Bit>,
    chosen_halted: Signal<Local, Bit>,
    qp_up: Signal<Local, Bits<C>>,
    row: Signal<Local, QpRow>,
    row_cqs: Signal<Local, QpCqs>,
    pair: Signal<Local, QpCqs>,
    over_wide: Signal<Local, Bits<16>>,
    swept: Signal<Local, Fault>,
    keeps: Signal<Local, Fault>,
    last_kept: Signal<Local, Fault>,
    last_quote: Signal<Local, Quoted>,
    quotes_it: Signal<Local, Bit>,
    segment: Signal<Local, Quoted>,
    later_up: Signal<Local, Bits<32>>,
    hit: Signal<Local, Bit>,
    works_now: Signal<Local, Bits<NC>>,
    halted_now: Signal<Local, Bits<NC>>,
    kept_now: Signal<Local, Bits<NC>>,
    capture: Signal<Local, CapturedError>,
}

impl<const C: usize, const NC: usize, const Q: usize, const NQ: usize, const N: usize, const A: usize>
    FaultUnit<C, NC, Q, NQ, N, A>
{
    /// All queue pairs without a row; panics at elaboration if the parameters do not belong
    /// together.
    pub fn new() -> Self {
        assert!(NC == 1 << C && C <= 8 && NQ == 1 << Q && Q <= 16, "FaultUnit<{C}, {NC}, {Q}, {NQ}, {N}>");
        assert!((2..=15).contains(&N), "{N} sources of faults: 2 to 15");
        Self {
            cites: FaultWords::new(),
            cqs: Sdp::block(),
            faults: Sdp::block(),
            laters: BlankRam::block(),
            tell: FaultTell::new(),
            from: vec![ItemSink::default(); N],
            pick: Pick::new(),
            second: Const::of(1),
            cq_index: (0..NQ).map(Const::of).collect(),
            k_ready: qp_state::ready(),
            k_error: qp_state::error(),
            k_general: wc_status::general_err(),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize, const Q: usize, const NQ: usize, const N: usize, const A: usize> Logic
    for FaultUnit<C, NC, Q, NQ, N, A>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, st, works, halted, kept, over, qp, fault, is_first, is_late, walks);
        dff_setup!(self, clock, walk_cq, flushed, told, shown, show, pulse_stopped, pulse_late, pulse_stray);
        clock!(self, clock, pick, cqs, faults, laters, quotes, cites);
        self.st.reset.next = self.reset.val();
        self.works.reset.next = self.reset.val();
        self.halted.reset.next = self.reset.val();
        self.kept.reset.next = self.reset.val();
        self.over.reset.next = self.reset.val();
        self.pick.reset.next = self.reset.val();
        self.walks.reset.next = self.reset.val();
        self.show.reset.next = self.reset.val();
        self.pulse_stopped.reset.next = self.reset.val();
        self.pulse_late.reset.next = self.reset.val();
        self.pulse_stray.reset.next = self.reset.val();
        self.laters.reset.next = self.reset.val();
        self.cites.reset.next = self.reset.val();
        self.up.next = self.laters.ready.val();
        self.dead.next = self.halted.q.val();
        self.cqe.item.next = self.flushed.q.val();
        self.cqe.valid.next = self.st.q.val() == St::Cqe;
        self.event.item.next = self.told.q.val();
        self.event.valid.next = self.st.q.val() == St::Tell;
        self.qpw_ready.next = self.st.q.val() == St::Setup;
        self.cap_ready.next = self.st.q.val() == St::Show;
        self.capd.item.next = self.shown.q.val();
        self.capd.valid.next = self.show.q.val();
        CiteSink::link(&mut self.from_0_words, &mut self.cites.a);
        CiteSink::link(&mut self.from_1_words, &mut self.cites.b);
        CiteSource::link(&mut self.capd_words, &mut self.cites.shown);
        self.stopped.next = self.pulse_stopped.q.val();
        self.late.next = self.pulse_late.q.val();
        self.stray.next = self.pulse_stray.q.val();
        self.pulse_stopped.d.next = false;
        self.pulse_late.d.next = false;
        self.pulse_stray.d.next = false;
        if self.capd.ready.val() {
            self.show.d.next = false;
        }

        // The source that is next.
        for i in 0..N {
            ItemSink::<Fault>::link(&mut self.from[i], &mut self.pick.rx[i]);
        }
        self.pick.stays.next = self.st.q.val() == St::Note;
        self.pick.tx.ready.next = self.st.q.val() == St::Note;
        self.pick.serves.next = false;

        // Completion queues without room; the highest number is walked for first.
        self.over_now.next = self.over.q.val();
        if self.over_valid.val() {
            self.over_now.next = self.over_now.val().replace_bit(self.over_cq.val().index(), true);
        }
        self.over_pick.next = 0.into();
        for i in 0..NQ {
            if self.over.q.val().get_bit(i) {
                self.over_pick.next = self.cq_index[i].val();
            }
        }

        // The columns. A question waits until the answer before it is taken. `chosen` is the queue
        // pair of the operation that `Idle` begins, or the walk's.
        self.asks.next = self.cap_valid.val() && !self.show.q.val() && !self.cites.shows.val();
        self.chosen.next = bit_cast::<C, 8>(self.pick.tx.item.val().qp);
        if self.asks.val() {
            self.chosen.next = self.cap_qp.val();
        }
        if self.over.q.val().any() {
            self.chosen.next = 0.into();
        }
        if self.qpw_valid.val() {
            self.chosen.next = self.qpw_qp.val();
        }
        if self.st.q.val() == St::Walk {
            self.chosen.next = self.qp.q.val();
        }
        self.chosen_works.next = self.works.q.val().get_bit(self.chosen.val().index());
        self.chosen_halted.next = self.halted.q.val().get_bit(self.chosen.val().index());
        self.cqs.read_enable.next = (self.st.q.val() == St::Idle) || (self.st.q.val() == St::Walk);
        self.cqs.read_address.next = self.chosen.val();
        self.faults.read_enable.next = self.st.q.val() == St::Idle;
        self.faults.read_address.next = self.chosen.val();
        self.laters.read_enable.next = self.st.q.val() == St::Idle;
        self.laters.read_address.next = self.chosen.val();
        self.row.next = self.qpw_row.val();
        self.row_cqs.next.send = self.row.val().send_cq;
        self.row_cqs.next.recv = self.row.val().recv_cq;
        self.cqs.write_enable.next = self.st.q.val() == St::Setup;
        self.cqs.write_address.next = self.qp.q.val();
        self.cqs.write_data.next = self.row_cqs.val();
        self.faults.write_enable.next = false;
        self.faults.write_address.next = self.qp.q.val();
        self.laters.write_enable.next = self.st.q.val() == St::Setup;
        self.laters.write_address.next = self.qp.q.val();
        self.laters.write_data.next = 0.into();
        self.later_up.next = self.laters.read_data.val() + 1;
        self.pair.next = self.cqs.read_data.val();
        self.over_wide.next = bit_cast::<16, Q>(self.walk_cq.q.val());
        self.hit.next = self.works.q.val().get_bit(self.qp.q.val().index())
            && !self.halted.q.val().get_bit(self.qp.q.val().index())
            && ((self.pair.val().send == self.over_wide.val())
                || (self.pair.val().recv == self.over_wide.val()));
        self.qp_up.next = self.qp.q.val() + 1;
        self.swept.next.qp = bit_cast::<8, C>(self.qp.q.val());
        self.swept.next.error = 0.into();
        self.swept.next.status = self.k_general.val();
        self.swept.next.is_local = false;
        self.swept.next.index = 0.into();
        self.swept.next.has_wr = false;
        self.keeps.next = self.fault.q.val();
        if self.walks.q.val() {
            self.keeps.next = self.swept.val();
        }
        self.faults.write_data.next = self.keeps.val();
        self.quotes.read_enable.next = self.st.q.val() == St::Idle;
        self.quotes.read_address.next = self.chosen.val();
        self.quotes.write_enable.next = false;
        self.quotes.write_address.next = self.qp.q.val();
        self.segment.next = self.no_quote.val();
        if !self.pick.last.val().any() && !self.walks.q.val() {
            self.segment.next = self.from_0_quote.val();
        }
        if (self.pick.last.val() == self.second.val()) && !self.walks.q.val() {
            self.segment.next = self.from_1_quote.val();
        }
        self.quotes.write_data.next = self.segment.val();
        // while its completion is told
        self.cites.qp.next = self.qp.q.val();
        self.cites.pull.next = (self.st.q.val() == St::Note) && self.segment.val().is_there;
        self.cites.second.next = self.pick.last.val().any();
        self.cites.keep.next = self.is_first.q.val();
        self.tell.fault.next = self.keeps.val();
        self.tell.cqs.next = self.cqs.read_data.val();
        self.tell.is_over.next = self.walks.q.val();
        self.tell.over_cq.next = bit_cast::<16, Q>(self.walk_cq.q.val());
        if (self.st.q.val() == St::Note) || (self.st.q.val() == St::Walked) {
            self.flushed.d.next = self.tell.cqe.val();
            self.told.d.next = self.tell.told.val();
        }
        self.last_kept.next = self.faults.read_data.val();
        self.last_quote.next = self.quotes.read_data.val();
        self.quotes_it.next =
            self.kept.q.val().get_bit(self.qp.q.val().index()) && self.last_quote.val().is_there;
        self.cites.show.next = self.st.q.val() == St::Show;
        self.cites.there.next = self.quotes_it.val();
        self.capture.next.has_segment = self.quotes_it.val();
        self.capture.next.is_terminate = false;
        self.capture.next.length = 0.into();
        if self.quotes_it.val() {
            self.capture.next.is_terminate = self.last_quote.val().is_terminate;
            self.capture.next.length = self.last_quote.val().length;
        }
        self.capture.next.is_captured = self.kept.q.val().get_bit(self.qp.q.val().index());
        self.capture.next.is_local = false;
        self.capture.next.has_wr = false;
        self.capture.next.status = 0.into();
        self.capture.next.error = 0.into();
        self.capture.next.later = self.laters.read_data.val();
        self.capture.next.index = 0.into();
        if self.kept.q.val().get_bit(self.qp.q.val().index()) {
            self.capture.next.is_local = self.last_kept.val().is_local;
            self.capture.next.has_wr = self.last_kept.val().has_wr;
            self.capture.next.status = self.last_kept.val().status;
            self.capture.next.error = self.last_kept.val().error;
            self.capture.next.index = self.last_kept.val().index;
        }

        self.works_now.next = self.works.q.val();
        self.halted_now.next = self.halted.q.val();
        self.kept_now.next = self.kept.q.val();
        match self.st.q.val() {
            St::Idle => {
                self.qp.d.next = self.chosen.val();
                self.fault.d.next = self.pick.tx.item.val();
                if !self.pick.tx.item.val().has_wr {
                    self.fault.d.next.index = 0.into();
                }
                self.is_first.d.next = self.chosen_works.val() && !self.chosen_halted.val();
                self.is_late.d.next = self.chosen_halted.val();
                // who still gives words to quote is waited for: he waits for nobody
                if self.up.val() && !self.cites.pulls.val() {
                    if self.qpw_valid.val() {
                        self.st.d.next = St::Setup;
                    } else if self.over.q.val().any() {
                        self.walk_cq.d.next = self.over_pick.val();
                        self.over_now.next =
                            self.over_now.val().replace_bit(self.over_pick.val().index(), false);
                        self.walks.d.next = true;
                        self.st.d.next = St::Walked;
                    } else if self.asks.val() {
                        self.st.d.next = St::Show;
                    } else if self.pick.tx.valid.val() {
                        self.pick.serves.next = true;
                        // before the fault is answered, so that nothing more of this queue pair is
                        // begun
                        if self.chosen_works.val() {
                            self.halted_now.next =
                                self.halted_now.val().replace_bit(self.chosen.val().index(), true);
                        }
                        self.st.d.next = St::Note;
                    }
                }
            }
            St::Setup => {
                self.works_now.next = self
                    .works_now
                    .val()
                    .replace_bit(self.qp.q.val().index(), self.row.val().state == self.k_ready.val());
                self.halted_now.next = self
                    .halted_now
                    .val()
                    .replace_bit(self.qp.q.val().index(), self.row.val().state == self.k_error.val());
                self.kept_now.next = self.kept_now.val().replace_bit(self.qp.q.val().index(), false);
                self.st.d.next = St::Idle;
            }
            St::Note => {
                self.st.d.next = St::Idle;
                if self.is_first.q.val() {
                    self.pulse_stopped.d.next = true;
                    self.faults.write_enable.next = true;
                    self.quotes.write_enable.next = true;
                    self.kept_now.next = self.kept_now.val().replace_bit(self.qp.q.val().index(), true);
                    self.st.d.next = St::Cqe;
                } else if self.is_late.q.val() {
                    self.pulse_late.d.next = true;
                    self.laters.write_enable.next = !self.laters.read_data.val().all();
                    self.laters.write_data.next = self.later_up.val();
                } else {
                    self.pulse_stray.d.next = true;
                }
            }
            St::Show => {
                self.shown.d.next = self.capture.val();
                self.show.d.next = true;
                self.st.d.next = St::Idle;
            }
            St::Walk => {
                self.st.d.next = St::Walked;
            }
            St::Walked => {
                if self.hit.val() {
                    self.pulse_stopped.d.next = true;
                    self.faults.write_enable.next = true;
                    self.quotes.write_enable.next = true;
                    self.halted_now.next = self.halted_now.val().replace_bit(self.qp.q.val().index(), true);
                    self.kept_now.next = self.kept_now.val().replace_bit(self.qp.q.val().index(), true);
                    self.st.d.next = St::Cqe;
                } else {
                    self.qp.d.next = self.qp_up.val();
                    self.st.d.next = St::Walk;
                    if self.qp.q.val().all() {
                        self.walks.d.next = false;
                        self.st.d.next = St::Idle;
                    }
                }
            }
            St::Cqe => {
                if self.cqe.ready.val() {
                    self.st.d.next = St::Tell;
                }
            }
            St::Tell => {
                if self.event.ready.val() {
                    self.st.d.next = St::Idle;
                    if self.walks.q.val() {
                        self.qp.d.next = self.qp_up.val();
                        self.st.d.next = St::Walk;
                        if self.qp.q.val().all() {
                            self.walks.d.next = false;
                            self.st.d.next = St::Idle;
                        }
                    }
                }
            }
            _ => {}
        }
        self.over.d.next = self.over_now.val();
        self.works.d.next = self.works_now.val();
        self.halted.d.next = self.halted_now.val();
        self.kept.d.next = self.kept_now.val();
    }
}
