// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rules of RFC 9293 section 3.10.7.4 and RFC 5961 on one segment.
use super::rx_record::{RxDistance, RxRow, RxSegment, RxVerdict};
use crate::prelude::*;

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
#[block(comb)]
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
    over: Signal<Local, Bits<32>>,
    kept: Signal<Local, Bits<32>>,
    talks: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    fin: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
}

impl RxJudge {
    /// For a receive window of `window` octets.
    pub fn new(window: usize) -> Self {
        Self { window: Const::of(window), one: Const::of(1), ..Default::default() }
    }
}

#[kernel]
impl Logic for RxJudge {
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

        let ack_far: Bits<32> = self.d.val().ack;
        let wl1_far: Bits<32> = self.d.val().wl1;
        let wl2_far: Bits<32> = self.d.val().wl2;
        let seq_far: Bits<32> = self.d.val().seq;

        // The first or the last octet lies in the window; one of them is enough.
        let last: Bits<32> = (self.d.val().seq + self.d.val().length) - self.one.val();
        let acceptable: Bit = self.told.val()
            || (self.d.val().seq < self.window.val())
            || (self.d.val().length.any() && (last < self.window.val()));

        let is_old: Bit = ack_far.get_bit(31);
        let behind: Bits<32> = self.now.val().una - self.s.val().ack;
        let impossible: Bit = (is_old && (behind > self.now.val().most))
            || (!is_old && (self.d.val().ack > self.d.val().flight));
        let newer: Bit = !is_old
            && ((self.d.val().wl1.any() && !wl1_far.get_bit(31))
                || (!self.d.val().wl1.any() && !wl2_far.get_bit(31)));

        // Of an acceptable segment that begins left of RCV.NXT, `over` octets (at most SEG.LEN) are
        // old.
        let text: Bit = self.s.val().octets.any() || self.s.val().has_fin;
        let left: Bit = seq_far.get_bit(31);
        self.over.next = 0.into();
        if left {
            self.over.next = self.now.val().rcv_nxt - self.s.val().seq;
        }
        let fresh: Bits<32> = bit_cast::<32, 16>(self.s.val().octets) - self.over.val();
        let cut: Bit = (fresh > self.window.val()) && !self.undo.val();
        self.kept.next = fresh;
        if cut {
            self.kept.next = self.window.val();
        }
        self.fin.next = self.s.val().has_fin && !cut;

        self.talks.next = false;
        self.takes.next = false;
        self.asks.next = false;
        if self.undo.val() {
            self.v.next.ack_now = true;
            self.then.next.side = !self.now.val().side;
            self.then.next.is_closed = false;
            self.then.next.is_late = false;
        } else if !acceptable {
            self.v.next.outside = true;
            // one octet left of the window is where probes stand (RFC 9293 section 3.8.6.1): each
            // has its answer
            self.asks.next = text
                || (self.d.val().seq.all() && self.s.val().has_ack && !self.s.val().has_syn && !impossible);
            self.v.next.ack_now = !self.s.val().has_rst && self.asks.val();
            self.v.next.challenge = !self.s.val().has_rst && !self.asks.val();
        } else if self.s.val().has_rst {
            self.v.next.reset = !self.d.val().seq.any();
            self.v.next.challenge = self.d.val().seq.any();
        } else if self.s.val().has_syn {
            self.v.next.challenge = true;
        } else if !self.s.val().has_ack {
            self.v.next.bad_ack = true;
        } else if impossible {
            self.v.next.bad_ack = true;
            self.v.next.challenge = true;
        } else {
            self.talks.next = true;
        }

        if self.talks.val() {
            if self.d.val().ack.any() && !is_old {
                self.v.next.has_ack = true;
                self.then.next.una = self.s.val().ack;
            }
            if newer {
                // so is a pure ACK while nothing is unacknowledged: the answer of a peer that was
                // probed
                self.v.next.has_window = (self.d.val().window != self.now.val().window)
                    || (!self.d.val().flight.any() && !text && !self.told.val());
                self.then.next.window = self.d.val().window;
                self.then.next.wl1 = self.s.val().seq;
                self.then.next.wl2 = self.s.val().ack;
                if self.d.val().window > self.now.val().most {
                    self.then.next.most = self.d.val().window;
                }
            }
            self.v.next.is_dup = !self.d.val().ack.any()
                && self.d.val().flight.any()
                && !text
                && !self.told.val()
                && (self.d.val().window == self.now.val().window);
            if text {
                if self.d.val().seq.any() && !left {
                    self.v.next.gap = true;
                    self.v.next.ack_now = true;
                } else if self.now.val().is_closed {
                    self.v.next.outside = true;
                    self.v.next.late = fresh.any() && !self.now.val().is_late;
                    self.then.next.is_late = fresh.any() || self.now.val().is_late;
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
        let nxt33: Bits<33> = (bit_cast::<33, 32>(self.now.val().rcv_nxt) << 1) | 1;
        let more33: Bits<33> =
            (bit_cast::<33, 32>(self.kept.val()) << 1) | bit_cast::<33, 1>(self.fin.val().into());
        let sum33: Bits<33> = nxt33 + more33;
        if self.undo.val() || self.takes.val() {
            self.then.next.rcv_nxt = sum33.get_bits::<32>(1);
        }
        self.verdict.next = self.v.val();
        self.after.next = self.then.val();
    }
}
