// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short frames to the least length of Ethernet.
use crate::cell::{Const, KeepOctets, Reg};
use crate::stream::{Skid, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// Least octets of a frame without its FCS (IEEE 802.3 section 3.2.8).
const LEAST: usize = 60;

/// Appends zeros to frames of fewer than 60 octets. One beat a cycle on `tx`, one cycle of latency;
/// `rx` waits while beats of zeros leave. `err` stays on the last beat.
#[derive(LogicBlock, Default)]
pub struct TxPad<const W: usize, const K: usize> {
    /// Clock, rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Frames of any length.
    pub rx: StreamSink<W, K>,
    /// Frames of at least 60 octets.
    pub tx: StreamSource<W, K>,
    back: Skid<W, K>,
    keep: KeepOctets<W, K>,
    /// Beats of the frame that have left; no more is counted beyond the one in which a least frame
    /// ends.
    gone: Reg<Bits<4>>,
    /// The frame has ended, zeros follow.
    fills: Reg<Bit>,
    bad: Reg<Bit>,
    ahead: Const<Bits<4>>,
    rest: Const<Bits<K>>,
    full: Const<Bits<K>>,
    fire: Signal<Local, Bit>,
    there: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    short: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize> TxPad<W, K> {
    /// Between frames.
    pub fn new() -> Self {
        Self {
            ahead: Const::of(LEAST / (W / 8)),
            rest: Const::of(LEAST % (W / 8)),
            full: Const::of(W / 8),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize> Logic for TxPad<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, back);
        dff_setup!(self, clock, gone, fills, bad);
        self.back.reset.next = self.reset.val();
        self.gone.reset.next = self.reset.val();
        self.fills.reset.next = self.reset.val();
        self.bad.reset.next = self.reset.val();
        StreamSource::<W, K>::link(&mut self.tx, &mut self.back.tx);
        self.keep.x.next = self.rx.data.val();
        self.keep.bytes.next = self.rx.bytes.val();
        if self.fills.q.val() {
            self.keep.bytes.next = 0.into();
        }
        self.rx.ready.next = self.back.rx.ready.val() && !self.fills.q.val();
        self.fire.next = self.back.rx.ready.val() && (self.rx.valid.val() || self.fills.q.val());
        // the beat in which a least frame ends, and those behind it
        self.there.next = self.gone.q.val() >= self.ahead.val();
        self.beyond.next = self.gone.q.val() > self.ahead.val();
        self.short.next =
            !self.beyond.val() && (self.fills.q.val() || (self.rx.bytes.val() < self.rest.val()));
        self.ends.next = self.fills.q.val() || self.rx.last.val();
        self.back.rx.data.next = self.keep.y.val();
        self.back.rx.bytes.next = self.rx.bytes.val();
        self.back.rx.last.next = self.ends.val() && self.there.val();
        self.back.rx.err.next = self.ends.val()
            && self.there.val()
            && (self.bad.q.val() || (!self.fills.q.val() && self.rx.err.val()));
        self.back.rx.valid.next = self.rx.valid.val() || self.fills.q.val();
        if self.ends.val() && !self.there.val() {
            self.back.rx.bytes.next = self.full.val();
        }
        if self.ends.val() && self.there.val() && self.short.val() {
            self.back.rx.bytes.next = self.rest.val();
        }
        if self.fire.val() {
            self.fills.d.next = self.ends.val() && !self.there.val();
            self.bad.d.next = self.ends.val()
                && !self.there.val()
                && (self.bad.q.val() || (!self.fills.q.val() && self.rx.err.val()));
            if !self.beyond.val() {
                self.gone.d.next = self.gone.q.val() + 1;
            }
            if self.ends.val() && self.there.val() {
                self.gone.d.next = 0.into();
            }
        }
    }
}
