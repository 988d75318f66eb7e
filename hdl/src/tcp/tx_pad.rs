// SPDX-License-Identifier: MIT OR Apache-2.0
//! Short frames to the least length of Ethernet.
use crate::cell::KeepOctets;
use crate::prelude::*;
use crate::stream::{Skid, StreamSink, StreamSource};

/// Least octets of a frame without its FCS (IEEE 802.3 section 3.2.8).
const LEAST: usize = 60;

/// Appends zeros to frames of fewer than 60 octets. One beat a cycle on `tx`, one cycle of latency;
/// `rx` waits while beats of zeros leave. `err` stays on the last beat.
#[block]
pub struct TxPad<const W: usize, const K: usize> {
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
}

#[kernel]
impl<const W: usize, const K: usize> Logic for TxPad<W, K> {
    fn update(&mut self) {
        regs!(gone, fills, bad);
        parts!(back);
        StreamSource::<W, K>::link(&mut self.tx, &mut self.back.tx);
        self.keep.x.next = self.rx.data.val();
        self.keep.bytes.next = self.rx.bytes.val();
        if self.fills.q.val() {
            self.keep.bytes.next = 0.into();
        }
        self.rx.ready.next = self.back.rx.ready.val() && !self.fills.q.val();
        let fire: Bit = self.back.rx.ready.val() && (self.rx.valid.val() || self.fills.q.val());
        // the beat in which a least frame ends, and those behind it
        let there: Bit = self.gone.q.val() >= lit::<4>(LEAST / (W / 8));
        let beyond: Bit = self.gone.q.val() > lit::<4>(LEAST / (W / 8));
        let short: Bit = !beyond && (self.fills.q.val() || (self.rx.bytes.val() < lit::<K>(LEAST % (W / 8))));
        let ends: Bit = self.fills.q.val() || self.rx.last.val();
        self.back.rx.data.next = self.keep.y.val();
        self.back.rx.bytes.next = self.rx.bytes.val();
        self.back.rx.last.next = ends && there;
        self.back.rx.err.next =
            ends && there && (self.bad.q.val() || (!self.fills.q.val() && self.rx.err.val()));
        self.back.rx.valid.next = self.rx.valid.val() || self.fills.q.val();
        if ends && !there {
            self.back.rx.bytes.next = lit::<K>(W / 8);
        }
        if ends && there && short {
            self.back.rx.bytes.next = lit::<K>(LEAST % (W / 8));
        }
        if fire {
            self.fills.d.next = ends && !there;
            self.bad.d.next =
                ends && !there && (self.bad.q.val() || (!self.fills.q.val() && self.rx.err.val()));
            if !beyond {
                self.gone.d.next = self.gone.q.val() + 1;
            }
            if ends && there {
                self.gone.d.next = 0.into();
            }
        }
    }
}
