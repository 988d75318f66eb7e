// SPDX-License-Identifier: MIT OR Apache-2.0
//! Congestion control of each connection: NewReno.
use crate::prelude::*;

/// What has happened to a connection; 0: nothing that counts here.
pub mod cc_news {
    /// Set-up.
    pub const SET: usize = 1;
    /// Octets were acknowledged.
    pub const ACK: usize = 2;
    /// Duplicate ACKs, or their absence, say that octets are lost.
    pub const LOSS: usize = 3;
    /// The retransmission timer says so.
    pub const EXPIRY: usize = 4;
    /// The connection was idle for as long as its timer waits.
    pub const REST: usize = 5;
}

/// What bounds a sender beside the peer's window.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Congestion {
    /// Nothing: for a network that loses nothing, or is shared with nobody.
    None,
    /// `TxCc`.
    NewReno,
}

impl Congestion {
    /// By its number in a configuration.
    pub fn of(number: u64) -> Option<Self> {
        [Self::None, Self::NewReno].into_iter().find(|kind| *kind as u64 == number)
    }
}

/// Largest segment of which the initial window has ten; of larger ones it has two (RFC 6928 section
/// 2 allows more of some).
const MODEST: usize = 1_460;

/// Column of congestion control, owned by [`TxCc`].
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct CcRow {
    /// Congestion window in octets.
    pub cwnd: Bits<23>,
    /// Slow start threshold in octets.
    pub ssthresh: Bits<23>,
    /// Octets acknowledged since `cwnd` has grown, behind slow start.
    pub count: Bits<24>,
    /// In slow start because of the timer.
    pub timed: Bit,
    /// Nothing was acknowledged since the timer expired.
    pub stands: Bit,
}

/// A loss that the row does not know yet.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct LossRow {
    /// Changes with a loss.
    pub turn: Bit,
    /// The timer has found it, not duplicate ACKs.
    pub timed: Bit,
    /// No octets were lost: the connection was idle.
    pub rested: Bit,
}

/// NewReno (RFC 5681, RFC 6582) with byte counting (RFC 3465), for a sender that sends all from the
/// lost octet on again.
///
/// **Contract.** Facts in: octets acknowledged, duplicate ACKs, expiries, whether the window was
/// what bounded the sender. The congestion window out: a segment whose end lies at most so far
/// beyond SND.UNA may leave, for the first time or again. Another algorithm has the same ports.
/// Facts of ECN and SACK are further kinds of [`cc_news`]. With [`Congestion::None`] the window is
/// always the largest one, 8 MiB.
///
/// - Slow start, below ssthresh: cwnd grows by the octets acknowledged, by two segments at most,
///   and by one behind an expiry.
/// - Congestion avoidance: by a segment behind each window of octets acknowledged. What was
///   acknowledged beyond counts for the next one, if that is less than a window.
/// - It grows only while it is what bounds the sender (RFC 7661).
/// - A loss: ssthresh is half of cwnd (not of what is in flight), two segments at least, and cwnd
///   is ssthresh. The octets beyond the lost one leave again, so that duplicates bring no
///   inflation.
/// - An expiry: the same, but cwnd is one segment. If nothing was acknowledged since the last one
///   ssthresh stays (RFC 5681 section 3.1).
/// - A restart behind idle time: cwnd is the initial window at most (RFC 5681 section 4.1).
/// - The recovery point is `recover` of [`super::tx_dups::TxDups`].
///
/// **Timing.** The row is read with `read`. `emss` counts in both cycles behind that. In the second
/// one, which `step` names, `window` may be looked at, and `news` says what becomes of the row. A
/// loss may be told at any time. The next step of its connection that is no set-up sets `cuts`: in
/// that step the loss counts in place of `news`, and `window` does not yet.
#[block(clock)]
pub struct TxCc<const C: usize> {
    /// Connection whose row is read.
    pub qp: Signal<In, Bits<C>>,
    /// It is.
    pub read: Signal<In, Bit>,
    /// Largest segment in octets.
    pub emss: Signal<In, Bits<16>>,
    /// Connection of the step.
    pub at: Signal<In, Bits<C>>,
    /// The second cycle behind `read`.
    pub step: Signal<In, Bit>,
    /// It is that of a set-up.
    pub sets: Signal<In, Bit>,
    /// With `sets`: of an update of a connection that lives. Any other set-up forgets what was lost
    /// before.
    pub updates: Signal<In, Bit>,
    /// Connection of which octets are lost.
    pub loss_qp: Signal<In, Bits<C>>,
    /// The retransmission timer says so, not duplicate ACKs or a probe's time.
    pub loss_timed: Signal<In, Bit>,
    /// No octets are lost: it was idle for as long as its timer waits.
    pub loss_rested: Signal<In, Bit>,
    /// Pulse: the three above are there.
    pub loss_valid: Signal<In, Bit>,
    /// The window shrinks in this step.
    pub cuts: Signal<Out, Bit>,
    /// With `step`: [`cc_news::SET`], [`cc_news::ACK`] or 0.
    pub news: Signal<In, Bits<3>>,
    /// With an acknowledgment: its octets.
    pub acked: Signal<In, Bits<24>>,
    /// With an acknowledgment: what was asked for last did not fit into the window.
    pub bounds: Signal<In, Bit>,
    /// Octets that may be in flight.
    pub window: Signal<Out, Bits<23>>,
    // never read in the cycle of a write, nor before the set-up of the connection has written it
    rows: Sdp<CcRow, C>,
    // a loss is new if the two sides differ; a set-up makes them alike
    told: LutRam<LossRow, C>,
    heard: LutRam<Bit, C>,
    heard_seen: LutRam<Bit, C>,
    /// cwnd is below ssthresh.
    slow: Flop<Bit>,
    /// A window of octets was acknowledged.
    full: Flop<Bit>,
    /// Octets of `count` that have not made the window grow.
    rest: Flop<Bits<24>>,
    /// ssthresh behind a loss.
    half: Flop<Bits<23>>,
    /// The initial window.
    initial_window: Flop<Bits<23>>,
    /// cwnd is not more than that.
    low: Flop<Bit>,
    loss: Signal<Local, LossRow>,
    lost: Signal<Local, LossRow>,
    what: Signal<Local, Bits<3>>,
    controls: Const<Bits<1>>,
    most: Const<Bits<23>>,
    row: Signal<Local, CcRow>,
    back: Signal<Local, CcRow>,
    most_gain: Signal<Local, Bits<17>>,
    base: Signal<Local, Bits<23>>,
    gain: Signal<Local, Bits<17>>,
    first: Signal<Local, Bits<23>>,
}

impl<const C: usize> TxCc<C> {
    /// Nothing is known.
    pub fn new(kind: Congestion) -> Self {
        Self {
            rows: Sdp::block(),
            controls: Const::of(usize::from(kind == Congestion::NewReno)),
            most: Const::of(0x7F_FFFF),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const C: usize> Logic for TxCc<C> {
    fn update(&mut self) {
        flops!(slow, full, half, initial_window, low, rest);
        clocked!(rows, told, heard, heard_seen);
        self.rows.read_enable.next = self.read.val();
        self.rows.read_address.next = self.qp.val();
        self.row.next = self.rows.read_data.val();
        let cwnd: Bits<23> = self.row.val().cwnd;
        self.window.next = cwnd;
        if !self.controls.val().any() {
            self.window.next = self.most.val();
        }
        let one: Bits<23> = bit_cast::<23, 16>(self.emss.val());
        let two: Bits<23> = bit_cast::<23, 16>(self.emss.val()) << 1;

        // Step 1: comparisons.
        self.slow.d.next = cwnd < self.row.val().ssthresh;
        let over: Bits<25> = bit_cast::<25, 24>(self.row.val().count) - bit_cast::<25, 23>(cwnd);
        self.full.d.next = !over.get_bit(24);
        self.rest.d.next = self.row.val().count;
        let twice: Bits<25> = over - bit_cast::<25, 23>(cwnd);
        if !over.get_bit(24) {
            // two segments do not follow one ACK
            self.rest.d.next = 0.into();
            if twice.get_bit(24) {
                self.rest.d.next = over.get_bits::<24>(0);
            }
        }
        self.half.d.next = cwnd >> 1;
        if (cwnd >> 1) < two {
            self.half.d.next = two;
        }

        self.first.next = two;
        if self.emss.val() <= lit::<16>(MODEST) {
            self.first.next = (one << 3) + two;
        }
        self.initial_window.d.next = self.first.val();
        self.low.d.next = cwnd <= self.first.val();

        // Losses: told, and heard in a step.
        self.heard_seen.read_address.next = self.loss_qp.val();
        self.told.read_address.next = self.at.val();
        self.heard.read_address.next = self.at.val();
        self.lost.next = self.told.read_data.val();
        let shrinks: Bit = self.step.val()
            && (self.lost.val().turn != self.heard.read_data.val())
            && !self.sets.val()
            && self.controls.val().any();
        self.cuts.next = shrinks;
        let hears: Bit = shrinks || (self.step.val() && self.sets.val() && !self.updates.val());
        self.loss.next.turn = !self.heard_seen.read_data.val();
        if hears && (self.at.val() == self.loss_qp.val()) {
            self.loss.next.turn = !self.lost.val().turn;
        }
        self.loss.next.timed = self.loss_timed.val();
        self.loss.next.rested = self.loss_rested.val();
        self.told.write_enable.next = self.loss_valid.val();
        self.told.write_address.next = self.loss_qp.val();
        self.told.write_data.next = self.loss.val();
        self.heard.write_enable.next = hears;
        self.heard.write_address.next = self.at.val();
        self.heard.write_data.next = self.lost.val().turn;
        self.heard_seen.write_enable.next = hears;
        self.heard_seen.write_address.next = self.at.val();
        self.heard_seen.write_data.next = self.lost.val().turn;
        self.what.next = self.news.val();
        if shrinks {
            self.what.next = lit::<3>(cc_news::LOSS);
            if self.lost.val().timed {
                self.what.next = lit::<3>(cc_news::EXPIRY);
            }
            if self.lost.val().rested {
                self.what.next = lit::<3>(cc_news::REST);
            }
        }

        // Step 2: what becomes of the row; cwnd is a sum.
        let begins: Bit = self.what.val() == lit::<3>(cc_news::SET);
        let acks: Bit = self.what.val() == lit::<3>(cc_news::ACK);
        let expires: Bit = self.what.val() == lit::<3>(cc_news::EXPIRY);
        let restarts: Bit = self.what.val() == lit::<3>(cc_news::REST);
        let anew: Bit = begins || restarts;
        self.most_gain.next = bit_cast::<17, 23>(one);
        let grows: Bit = acks && self.bounds.val();
        if acks && self.slow.q.val() && !self.row.val().timed {
            self.most_gain.next = bit_cast::<17, 23>(two);
        }
        let part: Bit =
            grows && self.slow.q.val() && (self.acked.val() < bit_cast::<24, 17>(self.most_gain.val()));
        self.gain.next = 0.into();
        if expires || (grows && (self.slow.q.val() || self.full.q.val())) {
            self.gain.next = self.most_gain.val();
        }
        if part {
            self.gain.next = bit_cast::<17, 24>(self.acked.val());
        }
        // no sum is longer than its 23 bits
        if cwnd.get_bits::<3>(20).all() && acks {
            self.gain.next = 0.into();
        }
        self.base.next = self.half.q.val();
        if acks {
            self.base.next = cwnd;
        }
        if expires {
            self.base.next = 0.into();
        }
        let total: Bits<23> = self.base.val() + bit_cast::<23, 17>(self.gain.val());
        self.back.next.cwnd = total;
        if anew {
            self.back.next.cwnd = self.initial_window.q.val();
        }
        self.back.next.ssthresh = self.row.val().ssthresh;
        self.back.next.timed = expires;
        self.back.next.count = 0.into();
        if acks {
            self.back.next.timed = self.row.val().timed && self.slow.q.val();
            self.back.next.count = self.row.val().count;
            if !self.slow.q.val() && grows {
                self.back.next.count = self.rest.q.val() + self.acked.val();
            }
        } else if !(restarts || (expires && self.row.val().stands)) {
            self.back.next.ssthresh = self.half.q.val();
        }
        self.back.next.stands = expires;
        if begins {
            self.back.next.ssthresh = self.most.val();
        }
        self.rows.write_enable.next =
            self.what.val().any() && self.controls.val().any() && !(restarts && self.low.q.val());
        self.rows.write_address.next = self.at.val();
        self.rows.write_data.next = self.back.val();
    }
}
