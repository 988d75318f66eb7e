//! The retransmission timer of each connection.
use crate::cell::{Const, Flop, LutRam, Reg};
use crate::gen::consts::wc_status;
use crate::queue::Fault;
use crate::tcp::tx_dups::TxDups;
use crate::tcp::tx_row::{RtoRow, RttNews, TxSetup};
use crate::tcp::tx_rtt::{rtt_news, TxRtt, FIRST_WAIT};
use crate::tcp::tx_told::{timer_kind, TxTold};
use crate::tcp::tx_walk::TxWalk;
use rust_hdl::prelude::*;

/// What happens to a row.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Event {
    /// Nothing.
    None,
    /// Set-up.
    Set,
    /// SND.NXT moves.
    Next,
    /// Octets leave again.
    Again,
    /// SND.UNA moves.
    Una,
    /// A duplicate ACK has come.
    Dup,
    /// Octets wait for the peer's window.
    Stall,
    /// The walker looks at the deadline.
    Walk,
    /// The estimator has a new wait.
    Wait,
}

/// One timer a connection (RFC 6298 section 5): it runs while octets are unacknowledged, begins anew when SND.UNA moves,
/// and waits twice as long after each expiry, up to a minute. A fresh measurement of the round trip alone makes the wait short again
/// ([`TxRtt`]). Expiry number `retry_limit` in a row, nothing acknowledged between, is the connection's last: it is reported once, and its
/// timer stays silent until it is set up again.
///
/// A round trip is measured from a segment that leaves for the first time, one at a time. Whatever makes octets leave again ends the
/// measurement, and none begins before these octets leave.
///
/// The third duplicate ACK is as good as an expiry ([`TxDups`]), but for the wait and the expiries in a row, which stay. The
/// deadline moves on by the wait, and once more when the first octet leaves again.
///
/// **Probe of a lost tail** (RFC 8985 section 7). A peer tells of no loss if nothing arrives behind what was lost. If SND.UNA moves and
/// more octets stay in flight than a segment has, the deadline is that of a probe ([`TxRtt`]). The same holds behind three
/// duplicates, since what leaves again may be lost, too. Behind a probe all octets from SND.UNA on leave again, and the timer waits
/// its whole wait. The next probe needs a measurement, so that probes of a path that has become longer do not prevent each one. A
/// single segment has no probe, since a peer may delay its ACK.
///
/// **Persist** (RFC 9293 section 3.8.6.1). If nothing is unacknowledged and octets wait for the peer's window, the timer runs, too. Its
/// expiry asks for a probe. The answer, whatever it says of the window, makes the octets try again. A refusal then tells that the
/// peer lives: probes go on for as long as it answers, each wait twice as long as the one before. When octets leave at last, the
/// estimator tells the wait again.
///
/// Owner of the timer column. One event a cycle is chosen and changes its row in the next: set-up, SND.NXT, then SND.UNA or a
/// duplicate, which waits a cycle for it, then a refusal, then the estimator, then the walker. That visits all connections after each
/// unit, each in two cycles, so an expiry is at most `2^C` times two free cycles late; a wait has up to one unit more than it says,
/// since it begins between two. While a report or a probe waits, the walker does.
#[derive(LogicBlock, Default)]
pub struct TxRto<const C: usize, const NC: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset; the column is then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Connection that is set up.
    pub set_qp: Signal<In, Bits<C>>,
    /// With this SND.UNA and SND.NXT.
    pub set: Signal<In, TxSetup>,
    /// In this cycle; not while the column is scrubbed.
    pub set_valid: Signal<In, Bit>,
    /// Connection whose SND.NXT moves.
    pub nxt_qp: Signal<In, Bits<C>>,
    /// To this value.
    pub nxt: Signal<In, Bits<32>>,
    /// Pulse; not together with a set-up.
    pub nxt_valid: Signal<In, Bit>,
    /// Pulse: octets of `nxt_qp` leave again instead; not together with a set-up.
    pub again_valid: Signal<In, Bit>,
    /// Connection whose SND.UNA moves.
    pub una_qp: Signal<In, Bits<C>>,
    /// To this value.
    pub una: Signal<In, Bits<32>>,
    /// Pulse, at most one in two cycles, `dup_valid` counted.
    pub una_valid: Signal<In, Bit>,
    /// Pulse: `una_qp` has a duplicate ACK instead.
    pub dup_valid: Signal<In, Bit>,
    /// Connection whose octets wait for the peer's window.
    pub stall_qp: Signal<In, Bits<C>>,
    /// Pulse; the next one comes when this one was taken.
    pub stall_valid: Signal<In, Bit>,
    /// Pulse: time moves on.
    pub tick: Signal<In, Bit>,
    /// Units of 10 us so far, modulo 2^24.
    pub now: Signal<In, Bits<24>>,
    /// Units that a timer waits beyond SRTT, at least; 0: nothing expires.
    pub rto_min: Signal<In, Bits<16>>,
    /// Expiries in a row, of which the last one gives up.
    pub retry_limit: Signal<In, Bits<8>>,
    /// Three duplicate ACKs make octets leave again.
    pub fast: Signal<In, Bit>,
    /// A probe does.
    pub tail: Signal<In, Bit>,
    /// Connections that send nothing any more: their timers are of no use.
    pub silent: Signal<In, Bits<NC>>,
    /// Connection whose unacknowledged octets have to leave again.
    pub rto_qp: Signal<Out, Bits<C>>,
    /// The timer has expired; otherwise there are three duplicate ACKs, or a probe's time is over.
    pub rto_timed: Signal<Out, Bit>,
    /// Pulse.
    pub rto_valid: Signal<Out, Bit>,
    /// Pulse, together with `rto_valid`: the congestion window shrinks. It does so once until SND.UNA comes to `recover`, or by the timer.
    pub loss_valid: Signal<Out, Bit>,
    /// Connection whose peer is to be asked for its window.
    pub probe_qp: Signal<Out, Bits<C>>,
    /// Offered.
    pub probe_valid: Signal<Out, Bit>,
    /// Taken.
    pub probe_take: Signal<In, Bit>,
    /// Pulse: a probe of `probe_qp` begins to be offered.
    pub probe_begins: Signal<Out, Bit>,
    /// Connection that is looked at.
    pub look_qp: Signal<In, Bits<C>>,
    /// Its SRTT in units of 10 us.
    pub srtt: Signal<Out, Bits<18>>,
    /// It has one.
    pub is_known: Signal<Out, Bit>,
    /// What its timer waits, in these units.
    pub waits_for: Signal<Out, Bits<23>>,
    /// Connection of which `timer_kind` tells.
    pub timer_qp: Signal<Out, Bits<C>>,
    /// One of [`timer_kind`].
    pub timer_kind: Signal<Out, Bits<2>>,
    /// Pulse.
    pub timer_valid: Signal<Out, Bit>,
    /// A connection is lost.
    pub lost_item: Signal<Out, Fault>,
    /// Offered.
    pub lost_valid: Signal<Out, Bit>,
    /// Taken.
    pub lost_ready: Signal<In, Bit>,

    rows: LutRam<RtoRow, C>,
    event_now: Reg<Event>,
    qp: Flop<Bits<C>>,
    number: Flop<Bits<32>>,
    /// With `Set`: SND.UNA.
    from: Flop<Bits<32>>,
    /// With `Set`: the round trip of the handshake.
    rtt_of: Flop<Bits<16>>,
    /// An acknowledgment that waits.
    held: Reg<Bit>,
    /// It is a duplicate.
    held_dup: Flop<Bit>,
    held_qp: Flop<Bits<C>>,
    held_una: Flop<Bits<32>>,
    /// A refusal that waits.
    stalled: Reg<Bit>,
    stalled_qp: Flop<Bits<C>>,
    walk: TxWalk<C>,
    dups: TxDups<C>,
    rtt: TxRtt<C>,
    told: TxTold<C>,
    kind: Flop<Bits<2>>,
    fires: Reg<Bit>,
    probes: Reg<Bit>,
    probes_new: Reg<Bit>,
    probes_qp: Flop<Bits<C>>,
    fires_qp: Flop<Bits<C>>,
    fires_timed: Flop<Bit>,
    fires_first: Flop<Bit>,
    gone: Reg<Bit>,
    gone_qp: Flop<Bits<C>>,
    first_wait: Const<Bits<23>>,
    news_set: Const<Bits<2>>,
    news_start: Const<Bits<2>>,
    news_check: Const<Bits<2>>,
    news_renew: Const<Bits<2>>,
    on_expiry: Const<Bits<2>>,
    on_duplicates: Const<Bits<2>>,
    on_probe: Const<Bits<2>>,
    retry_exc: Const<Bits<8>>,
    row: Signal<Local, RtoRow>,
    back: Signal<Local, RtoRow>,
    shorter: Signal<Local, Bits<23>>,
    interval: Signal<Local, Bits<23>>,
    ends_at: Signal<Local, Bits<24>>,
    /// The deadline becomes that of a probe.
    early: Signal<Local, Bit>,
    /// The kind of the deadline stays.
    rests: Signal<Local, Bit>,
    /// What a probe waits from now on.
    soon: Signal<Local, Bits<21>>,
    /// How long until the deadline.
    span: Signal<Local, Bits<23>>,
    flight: Signal<Local, Bits<24>>,
    /// SND.UNA moves.
    heeds: Signal<Local, Bit>,
    /// With it: octets stay in flight.
    remains: Signal<Local, Bit>,
    /// With it: more stays in flight than a segment has.
    several: Signal<Local, Bit>,
    /// The timer's own time is looked at, not a probe's.
    backs_off: Signal<Local, Bit>,
    /// Bits of a number of octets that no segment has but one.
    beyond: Const<Bits<24>>,
    past: Signal<Local, Bits<24>>,
    news: Signal<Local, RttNews>,
    waited: Signal<Local, Bit>,
    tries_up: Signal<Local, Bits<8>>,
    expires: Signal<Local, Bit>,
    is_silent: Signal<Local, Bit>,
    nxt_now: Signal<Local, Bits<32>>,
    may_walk: Signal<Local, Bit>,
    walked: Signal<Local, Bit>,
    fault: Signal<Local, Fault>,
}

impl<const C: usize, const NC: usize> TxRto<C, NC> {
    /// No timer runs. A segment has at most `2^segment_log2` octets.
    pub fn new(segment_log2: usize) -> Self {
        Self {
            beyond: Const::of(0x100_0000 - (1 << segment_log2)),
            dups: TxDups::new(),
            rtt: TxRtt::new(),
            first_wait: Const::of(FIRST_WAIT),
            news_set: Const::of(rtt_news::SET),
            news_start: Const::of(rtt_news::START),
            news_check: Const::of(rtt_news::CHECK),
            news_renew: Const::of(rtt_news::RENEW),
            on_expiry: Const::of(timer_kind::EXPIRY),
            on_duplicates: Const::of(timer_kind::DUPLICATES),
            on_probe: Const::of(timer_kind::PROBE),
            retry_exc: wc_status::retry_exc_err(),
            ..Default::default()
        }
    }
}

impl<const C: usize, const NC: usize> Logic for TxRto<C, NC> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rows, walk, dups, rtt, told);
        dff_setup!(self, clock, event_now, qp, number, from, rtt_of, held, held_qp, held_dup);
        dff_setup!(self, clock, held_una, fires, fires_qp, fires_timed, fires_first, gone, gone_qp);
        dff_setup!(self, clock, probes, probes_new, probes_qp, stalled, stalled_qp, kind);
        self.event_now.reset.next = self.reset.val();
        self.held.reset.next = self.reset.val();
        self.walk.reset.next = self.reset.val();
        self.rtt.reset.next = self.reset.val();
        self.fires.reset.next = self.reset.val();
        self.probes.reset.next = self.reset.val();
        self.probes_new.reset.next = self.reset.val();
        self.stalled.reset.next = self.reset.val();
        self.gone.reset.next = self.reset.val();
        self.rto_qp.next = self.fires_qp.q.val();
        self.rto_timed.next = self.fires_timed.q.val();
        self.loss_valid.next = self.fires.q.val() && (self.fires_timed.q.val() || self.fires_first.q.val());
        self.rto_valid.next = self.fires.q.val();
        self.probe_qp.next = self.probes_qp.q.val();
        self.probe_valid.next = self.probes.q.val();
        self.probe_begins.next = self.probes_new.q.val();
        self.probes_new.d.next = false;
        if self.probe_take.val() {
            self.probes.d.next = false;
        }
        self.fault.next.qp = bit_cast::<8, C>(self.gone_qp.q.val());
        self.fault.next.error = 0.into();
        self.fault.next.status = self.retry_exc.val();
        self.fault.next.is_local = true;
        self.fault.next.index = 0.into();
        self.fault.next.has_wr = false;
        self.lost_item.next = self.fault.val();
        self.lost_valid.next = self.gone.q.val();
        if self.lost_ready.val() {
            self.gone.d.next = false;
        }

        // Step 1: which event.
        self.may_walk.next =
            self.walk.on.val() && self.walk.scrubbed.val() && !self.gone.q.val() && !self.probes.q.val();
        self.walked.next = false;
        self.waited.next = false;
        self.event_now.d.next = Event::None;
        self.qp.d.next = self.walk.row.val();
        self.number.d.next = self.nxt.val();
        self.from.d.next = self.set.val().una;
        self.rtt_of.d.next = self.set.val().rtt;
        if self.una_valid.val() || self.dup_valid.val() {
            self.held.d.next = true;
            self.held_dup.d.next = self.dup_valid.val();
            self.held_qp.d.next = self.una_qp.val();
            self.held_una.d.next = self.una.val();
        }
        if self.stall_valid.val() {
            self.stalled.d.next = true;
            self.stalled_qp.d.next = self.stall_qp.val();
        }
        if self.set_valid.val() && (self.probes_qp.q.val() == self.set_qp.val()) {
            self.probes.d.next = false;
        }
        if self.set_valid.val() {
            self.event_now.d.next = Event::Set;
            self.qp.d.next = self.set_qp.val();
            self.number.d.next = self.set.val().nxt;
        } else if self.nxt_valid.val() {
            self.event_now.d.next = Event::Next;
            self.qp.d.next = self.nxt_qp.val();
        } else if self.again_valid.val() {
            self.event_now.d.next = Event::Again;
            self.qp.d.next = self.nxt_qp.val();
        } else if self.held.q.val() {
            self.event_now.d.next = Event::Una;
            if self.held_dup.q.val() {
                self.event_now.d.next = Event::Dup;
            }
            self.qp.d.next = self.held_qp.q.val();
            self.number.d.next = self.held_una.q.val();
            self.held.d.next = self.una_valid.val() || self.dup_valid.val();
        } else if self.stalled.q.val() {
            self.event_now.d.next = Event::Stall;
            self.qp.d.next = self.stalled_qp.q.val();
            self.stalled.d.next = self.stall_valid.val();
        } else if self.rtt.wait_valid.val() && self.walk.scrubbed.val() {
            self.event_now.d.next = Event::Wait;
            self.qp.d.next = self.rtt.wait_qp.val();
            self.waited.next = true;
        } else if self.may_walk.val() && (self.event_now.q.val() != Event::Walk) {
            // the step of the walk before may report a loss, and there is room for one
            self.event_now.d.next = Event::Walk;
            self.walked.next = true;
        }

        // Step 2: what it does to the row.
        self.rows.read_address.next = self.qp.q.val();
        self.row.next = self.rows.read_data.val();
        self.back.next = self.row.val();
        self.nxt_now.next = self.row.val().nxt;
        if (self.event_now.q.val() == Event::Next) || (self.event_now.q.val() == Event::Set) {
            self.nxt_now.next = self.number.q.val();
        }
        self.back.next.nxt = self.nxt_now.val();
        self.shorter.next = self.row.val().wait;
        self.interval.next = self.shorter.val();
        self.backs_off.next = (self.event_now.q.val() == Event::Walk) && !self.row.val().early;
        if self.backs_off.val() && !self.shorter.val().get_bit(22) {
            self.interval.next = self.shorter.val() << 1;
        }
        if self.event_now.q.val() == Event::Set {
            self.interval.next = self.first_wait.val();
        }
        if self.event_now.q.val() == Event::Wait {
            // which stays for two more cycles
            self.interval.next = self.rtt.interval.val();
        }
        // a single segment may wait for a delayed ACK
        self.remains.next = self.number.q.val() != self.row.val().nxt;
        // one octet less, since a segment may have as many: a + !b is a - b - 1
        self.flight.next = bit_cast::<24, 32>(self.row.val().nxt) + !bit_cast::<24, 32>(self.number.q.val());
        self.several.next = self.remains.val() && (self.flight.val() & self.beyond.val()).any();
        self.heeds.next = self.event_now.q.val() == Event::Una;
        self.early.next = self.tail.val()
            && !self.row.val().probed
            && ((self.heeds.val() && self.several.val()) || (self.event_now.q.val() == Event::Dup));
        self.soon.next = self.row.val().soon;
        if self.event_now.q.val() == Event::Set {
            self.soon.next = bit_cast::<21, 23>(self.first_wait.val());
        }
        if self.event_now.q.val() == Event::Wait {
            self.soon.next = self.rtt.soon.val();
        }
        self.back.next.soon = self.soon.val();
        self.span.next = self.interval.val();
        self.rests.next = (self.event_now.q.val() == Event::Wait) || (self.event_now.q.val() == Event::Again);
        if self.early.val() || (self.rests.val() && self.row.val().early) {
            self.span.next = bit_cast::<23, 21>(self.soon.val());
        }
        // one unit more, since the present one is under way: a - !b is a + b + 1
        self.ends_at.next = self.now.val() - !bit_cast::<24, 23>(self.span.val());
        self.past.next = self.now.val() - self.row.val().deadline;
        self.tries_up.next = self.row.val().tries + 1;
        self.is_silent.next = self.silent.val().get_bit(self.qp.q.val().index());
        self.expires.next = (self.event_now.q.val() == Event::Walk)
            && self.row.val().armed
            && !self.past.val().get_bit(23)
            && self.rto_min.val().any()
            && !self.is_silent.val();
        self.news.next.kind = self.news_start.val();
        self.news.next.qp = bit_cast::<8, C>(self.qp.q.val());
        self.news.next.number = self.number.q.val();
        self.rtt.told_valid.next = false;
        self.rtt.must_valid.next = false;
        self.fires.d.next = false;
        self.fires_qp.d.next = self.qp.q.val();
        self.fires_timed.d.next = self.backs_off.val();
        self.fires_first.d.next = !self.row.val().repairs;
        match self.event_now.q.val() {
            Event::Next => {
                self.back.next.armed = !self.row.val().lost;
                self.back.next.persist = false;
                if !self.row.val().armed || self.row.val().persist {
                    self.back.next.early = false;
                    self.back.next.deadline = self.ends_at.val();
                    self.back.next.tries = 0.into();
                }
                if self.row.val().persist {
                    self.news.next.kind = self.news_renew.val();
                    self.rtt.told_valid.next = self.rtt.ready.val();
                } else if !self.row.val().times && !self.row.val().fired && self.rtt.ready.val() {
                    self.rtt.told_valid.next = true;
                    self.back.next.times = true;
                }
            }
            Event::Set => {
                self.back.next.armed = self.number.q.val() != self.from.q.val();
                self.back.next.deadline = self.ends_at.val();
                self.back.next.wait = self.interval.val();
                self.back.next.early = false;
                self.back.next.times = false;
                self.news.next.kind = self.news_set.val();
                self.news.next.number = bit_cast::<32, 16>(self.rtt_of.q.val());
                self.rtt.must_valid.next = true;
                self.back.next.tries = 0.into();
                self.back.next.lost = false;
                self.back.next.persist = false;
                self.back.next.fired = false;
                self.back.next.repairs = false;
                self.back.next.probed = false;
            }
            Event::Again => {
                if self.row.val().fired {
                    self.back.next.deadline = self.ends_at.val();
                }
                self.back.next.times = false;
                self.back.next.fired = false;
            }
            Event::Stall => {
                if !self.row.val().armed && !self.row.val().lost {
                    self.back.next.armed = true;
                    self.back.next.early = false;
                    self.back.next.persist = true;
                    self.back.next.deadline = self.ends_at.val();
                }
                if self.row.val().persist {
                    self.back.next.tries = 0.into();
                }
            }
            Event::Una => {
                self.back.next.persist = false;
                self.back.next.early = self.early.val();
                self.back.next.armed = self.remains.val() && !self.row.val().lost;
                self.back.next.fired = self.row.val().fired && self.remains.val();
                self.back.next.repairs = self.row.val().repairs && !self.dups.over.val();
                self.back.next.deadline = self.ends_at.val();
                self.back.next.tries = 0.into();
                self.news.next.kind = self.news_check.val();
                self.rtt.told_valid.next = self.row.val().times && self.rtt.ready.val();
                // who cannot be told measures the next segment
                self.back.next.times = self.row.val().times && self.rtt.ready.val();
            }
            Event::Dup => {
                self.fires.d.next = self.dups.fires.val();
                if self.dups.fires.val() {
                    self.back.next.fired = true;
                    self.back.next.early = self.early.val();
                    self.back.next.repairs = true;
                    self.back.next.times = false;
                    self.back.next.deadline = self.ends_at.val();
                }
            }
            Event::Walk => {
                if self.expires.val() {
                    self.back.next.deadline = self.ends_at.val();
                    self.back.next.wait = self.interval.val();
                    self.back.next.early = false;
                    self.back.next.times = false;
                    if self.row.val().early {
                        self.back.next.probed = true;
                    } else {
                        self.back.next.tries = self.tries_up.val();
                    }
                    self.fires.d.next = !self.row.val().persist;
                    self.back.next.fired = !self.row.val().persist;
                    self.back.next.repairs = self.row.val().repairs || !self.row.val().persist;
                    if self.row.val().persist {
                        self.probes.d.next = true;
                        self.probes_new.d.next = true;
                        self.probes_qp.d.next = self.qp.q.val();
                    }
                    if (self.tries_up.val() >= self.retry_limit.val()) && !self.row.val().early {
                        self.back.next.armed = false;
                        self.back.next.lost = true;
                        self.fires.d.next = false;
                        self.probes.d.next = false;
                        self.probes_new.d.next = false;
                        self.gone.d.next = true;
                        self.gone_qp.d.next = self.qp.q.val();
                    }
                }
            }
            Event::Wait => {
                self.back.next.deadline = self.ends_at.val();
                self.back.next.wait = self.interval.val();
                self.back.next.times = false;
                self.back.next.probed = false;
            }
            _ => {}
        }
        self.told.qp.next = self.qp.q.val();
        self.told.srtt_now.next = self.rtt.smoothed.val();
        self.told.known_now.next = self.event_now.q.val() == Event::Wait;
        self.told.srtt_valid.next = (self.event_now.q.val() == Event::Set)
            || ((self.event_now.q.val() == Event::Wait) && self.rtt.is_known.val());
        self.told.wait_now.next = self.interval.val();
        self.told.wait_valid.next = self.expires.val()
            || (self.event_now.q.val() == Event::Wait)
            || (self.event_now.q.val() == Event::Set);
        self.kind.d.next = self.on_probe.val();
        if self.event_now.q.val() == Event::Dup {
            self.kind.d.next = self.on_duplicates.val();
        } else if !self.row.val().persist && !self.row.val().early {
            self.kind.d.next = self.on_expiry.val();
        }
        self.told.look_qp.next = self.look_qp.val();
        self.srtt.next = self.told.srtt.val();
        self.is_known.next = self.told.is_known.val();
        self.waits_for.next = self.told.waits_for.val();
        self.timer_qp.next = self.fires_qp.q.val();
        self.timer_kind.next = self.kind.q.val();
        self.timer_valid.next = self.fires.q.val() || self.probes_new.q.val();
        self.rtt.told.next = self.news.val();
        self.rtt.wait_take.next = self.waited.val();
        self.rtt.now.next = self.now.val();
        self.rtt.floor.next = self.rto_min.val();
        self.back.next.dups = self.dups.count_after.val();
        self.dups.set.next = self.event_now.q.val() == Event::Set;
        self.dups.moves.next = self.event_now.q.val() == Event::Una;
        self.dups.una.next = self.number.q.val();
        self.dups.dup.next = self.event_now.q.val() == Event::Dup;
        self.dups.may.next = self.row.val().armed && !self.is_silent.val() && self.fast.val();
        self.dups.expires.next = self.expires.val() && !self.row.val().early;
        self.dups.probes.next = self.expires.val() && self.row.val().early;
        self.dups.ahead.next = (self.event_now.q.val() == Event::Next) && self.row.val().fired;
        self.dups.nxt.next = self.nxt_now.val();
        self.dups.count.next = self.row.val().dups;
        self.dups.qp.next = self.qp.q.val();
        self.rows.write_enable.next = self.event_now.q.val() != Event::None;
        self.rows.write_address.next = self.qp.q.val();
        // a timer that does not run is blank enough: the set-up of its connection writes the rest
        if !self.walk.scrubbed.val() {
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.walk.blank.val();
            self.back.next.armed = false;
        }
        self.rows.write_data.next = self.back.val();
        self.walk.tick.next = self.tick.val();
        self.walk.take.next = self.walked.val();
    }
}
