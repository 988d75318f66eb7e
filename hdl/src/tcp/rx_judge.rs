// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rules of RFC 9293 section 3.10.7.4 and RFC 5961 on one segment.
use super::rx_record::{RxDistance, RxRow, RxSegment, RxVerdict};
use crate::cell::Const;
use rust_hdl::prelude::*;

/// Combinational: what a segment of an open connection is worth, by its distances from the row.
///
/// In this order: not acceptable (dropped, ACK at once unless RST); RST (event if exact, else
/// challenge ACK); SYN (challenge ACK); no ACK bit (dropped); ACK beyond SND.NXT or older than
/// MAX.SND.WND (dropped, challenge ACK). A segment without text that is not acceptable costs no
/// more than a challenge ACK: two ends that answer each other's ACKs would never come to rest (RFC
/// 5961 section 7). Then ACK and window are taken, and octets if they are in order: those left of
/// RCV.NXT and right of the window are trimmed. Octets beyond a gap are dropped and answered by an
/// ACK at once, each time. Octets behind the FIN are dropped without an answer, and the first of
/// them told (RFC 5041 section 6.2.1).
///
/// A cut of MPA's is judged as a segment without octets at the sequence number that is due again:
/// RCV.NXT goes back there, the FIN was not taken, and an ACK is owed.
#[derive(LogicBlock, Default)]
pub struct RxJudge {
    /// The segment.
    pub segment: Signal<In, RxSegment>,
    /// Row of its connection.
    pub row: Signal<In, RxRow>,
    /// Distances between the two.
    pub distance: Signal<In, RxDistance>,
    /// It came before its connection was known: wherever it lies, its ACK and window count, and it
    /// is no duplicate.
    pub told: Signal<In, Bit>,
    /// MPA has cut the stream at SEG.SEQ.
    pub undo: Signal<In, Bit>,
    /// What to do.
    pub verdict: Signal<Out, RxVerdict>,
    /// The row after it.
    pub after: Signal<Out, RxRow>,
    /// Octets of the receive window.
    window: Const<Bits<32>>,
    one: Const<Bits<32>>,
    s: Signal<Local, RxSegment>,
    d: Signal<Local, RxDistance>,
    now: Signal<Local, RxRow>,
    v: Signal<Local, RxVerdict>,
    then: Signal<Local, RxRow>,
    ack_far: Signal<Local, Bits<32>>,
    wl1_far: Signal<Local, Bits<32>>,
    wl2_far: Signal<Local, Bits<32>>,
    seq_far: Signal<Local, Bits<32>>,
    last: Signal<Local, Bits<32>>,
    acceptable: Signal<Local, Bit>,
    is_old: Signal<Local, Bit>,
    behind: Signal<Local, Bits<32>>,
    impossible: Signal<Local, Bit>,
    newer: Signal<Local, Bit>,
    text: Signal<Local, Bit>,
    left: Signal<Local, Bit>,
    over: Signal<Local, Bits<32>>,
    fresh: Signal<Local, Bits<32>>,
    kept: Signal<Local, Bits<32>>,
    cut: Signal<Local, Bit>,
    talks: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    fin: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    nxt33: Signal<Local, Bits<33>>,
    more33: Signal<Local, Bits<33>>,
    sum33: Signal<Local, Bits<33>>,
}

impl RxJudge {
    /// For a receive window of `window` octets.
    pub fn new(window: usize) -> Self {
        Self { window: Const::of(window), one: Const::of(1), ..Default::default() }
    }
}

impl Logic for RxJudge {
    #[hdl_gen]
    fn update(&mut self) {
        self.s.next = self.segment.val();
        self.d.next = self.distance.val();
        self.now.next = self.row.val();
        self.then.next = self.row.val();
        self.v.next.trim = 0.into();
        self.v.next.octets = 0.into();
        self.v.next.in_order = false;
        self.v.next.fin = false;
        self.v.next.reset = false;
        self.v.next.challenge = false;
        self.v.next.ack_now = false;
        self.v.next.has_ack = false;
        self.v.next.has_window = false;
        self.v.next.is_dup = false;
        self.v.next.outside = false;
        self.v.next.bad_ack = false;
        self.v.next.gap = false;
        self.v.next.late = false;

        self.ack_far.next = self.d.val().ack;
        self.wl1_far.next = self.d.val().wl1;
        self.wl2_far.next = self.d.val().wl2;
        self.seq_far.next = self.d.val().seq;

        // The first or the last octet lies in the window; one of them is enough.
        self.last.next = (self.d.val().seq + self.d.val().length) - self.one.val();
        self.acceptable.next = self.told.val()
            || (self.d.val().seq < self.window.val())
            || (self.d.val().length.any() && (self.last.val() < self.window.val()));

        self.is_old.next = self.ack_far.val().get_bit(31);
        self.behind.next = self.now.val().una - self.s.val().ack;
        self.impossible.next = (self.is_old.val() && (self.behind.val() > self.now.val().most))
            || (!self.is_old.val() && (self.d.val().ack > self.d.val().flight));
        self.newer.next = !self.is_old.val()
            && ((self.d.val().wl1.any() && !self.wl1_far.val().get_bit(31))
                || (!self.d.val().wl1.any() && !self.wl2_far.val().get_bit(31)));

        // Of an acceptable segment that begins left of RCV.NXT, `over` octets (at most SEG.LEN) are
        // old.
        self.text.next = self.s.val().octets.any() || self.s.val().has_fin;
        self.left.next = self.seq_far.val().get_bit(31);
        self.over.next = 0.into();
        if self.left.val() {
            self.over.next = self.now.val().rcv_nxt - self.s.val().seq;
        }
        self.fresh.next = bit_cast::<32, 16>(self.s.val().octets) - self.over.val();
        self.cut.next = (self.fresh.val() > self.window.val()) && !self.undo.val();
        self.kept.next = self.fresh.val();
        if self.cut.val() {
            self.kept.next = self.window.val();
        }
        self.fin.next = self.s.val().has_fin && !self.cut.val();

        self.talks.next = false;
        self.takes.next = false;
        self.asks.next = false;
        if self.undo.val() {
            self.v.next.ack_now = true;
            self.then.next.side = !self.now.val().side;
            self.then.next.is_closed = false;
            self.then.next.is_late = false;
        } else if !self.acceptable.val() {
            self.v.next.outside = true;
            // one octet left of the window is where probes stand (RFC 9293 section 3.8.6.1): each
            // has its answer
            self.asks.next = self.text.val()
                || (self.d.val().seq.all()
                    && self.s.val().has_ack
                    && !self.s.val().has_syn
                    && !self.impossible.val());
            self.v.next.ack_now = !self.s.val().has_rst && self.asks.val();
            self.v.next.challenge = !self.s.val().has_rst && !self.asks.val();
        } else if self.s.val().has_rst {
            self.v.next.reset = !self.d.val().seq.any();
            self.v.next.challenge = self.d.val().seq.any();
        } else if self.s.val().has_syn {
            self.v.next.challenge = true;
        } else if !self.s.val().has_ack {
            self.v.next.bad_ack = true;
        } else if self.impossible.val() {
            self.v.next.bad_ack = true;
            self.v.next.challenge = true;
        } else {
            self.talks.next = true;
        }

        if self.talks.val() {
            if self.d.val().ack.any() && !self.is_old.val() {
                self.v.next.has_ack = true;
                self.then.next.una = self.s.val().ack;
            }
            if self.newer.val() {
                // so is a pure ACK while nothing is unacknowledged: the answer of a peer that was
                // probed
                self.v.next.has_window = (self.d.val().window != self.now.val().window)
                    || (!self.d.val().flight.any() && !self.text.val() && !self.told.val());
                self.then.next.window = self.d.val().window;
                self.then.next.wl1 = self.s.val().seq;
                self.then.next.wl2 = self.s.val().ack;
                if self.d.val().window > self.now.val().most {
                    self.then.next.most = self.d.val().window;
                }
            }
            self.v.next.is_dup = !self.d.val().ack.any()
                && self.d.val().flight.any()
                && !self.text.val()
                && !self.told.val()
                && (self.d.val().window == self.now.val().window);
            if self.text.val() {
                if self.d.val().seq.any() && !self.left.val() {
                    self.v.next.gap = true;
                    self.v.next.ack_now = true;
                } else if self.now.val().is_closed {
                    self.v.next.outside = true;
                    self.v.next.late = self.fresh.val().any() && !self.now.val().is_late;
                    self.then.next.is_late = self.fresh.val().any() || self.now.val().is_late;
                } else {
                    self.takes.next = true;
                    self.v.next.in_order = true;
                    self.v.next.trim = self.over.val().get_bits::<16>(0);
                    self.v.next.octets = self.kept.val().get_bits::<16>(0);
                    self.v.next.fin = self.fin.val();
                    self.then.next.is_closed = self.fin.val();
                }
            }
        }
        // One adder: the FIN is its carry.
        self.nxt33.next = (bit_cast::<33, 32>(self.now.val().rcv_nxt) << 1) | 1;
        self.more33.next =
            (bit_cast::<33, 32>(self.kept.val()) << 1) | bit_cast::<33, 1>(self.fin.val().into());
        self.sum33.next = self.nxt33.val() + self.more33.val();
        if self.undo.val() || self.takes.val() {
            self.then.next.rcv_nxt = self.sum33.val().get_bits::<32>(1);
        }
        self.verdict.next = self.v.val();
        self.after.next = self.then.val();
    }
}
