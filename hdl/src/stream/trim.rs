// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cuts a frame after a given number of octets, its verdict kept.
use super::{Beat, ItemSink, Skid, StreamSink, StreamSource};
use crate::prelude::*;

/// Lets the first octets of each frame pass, as many as its item says: 1 to the frame's own length.
///
/// An item of another number still belongs to its frame alone: 0 leaves one beat without octets,
/// too many end with the frame's last beat.
///
/// The last beat of a shortened frame waits for the frame's real last one, since only that tells
/// whether the frame is bad. One beat a cycle, one cycle of latency.
#[block]
pub struct Trim<const W: usize, const K: usize> {
    /// Octets of the next frame that pass; taken with the frame's last beat.
    pub octets: ItemSink<Bits<17>>,
    /// Frames in.
    pub rx: StreamSink<W, K>,
    /// Their first octets.
    pub tx: StreamSource<W, K>,
    back: Skid<W, K>,
    /// The frame has begun; `left` octets of it have yet to pass.
    busy: Reg<Bit>,
    left: Flop<Bits<17>>,
    /// `kept` is the frame's last beat and waits for the verdict.
    waits: Reg<Bit>,
    kept: Flop<Beat<W, K>>,
    now: Signal<Local, Bits<17>>,
    beat: Signal<Local, Beat<W, K>>,
}

#[kernel]
impl<const W: usize, const K: usize> Logic for Trim<W, K> {
    fn update(&mut self) {
        regs!(busy, waits);
        flops!(left, kept);
        parts!(back);
        StreamSource::<W, K>::link(&mut self.tx, &mut self.back.tx);
        self.rx.ready.next = self.back.rx.ready.val() && self.octets.valid.val();
        let fire: Bit = self.rx.valid.val() && self.back.rx.ready.val() && self.octets.valid.val();
        self.octets.ready.next = fire && self.rx.last.val();
        self.now.next = self.octets.item.val();
        if self.busy.q.val() {
            self.now.next = self.left.q.val();
        }
        let ends: Bit = self.now.val() <= lit::<17>(W / 8);
        self.beat.next.data = self.rx.data.val();
        self.beat.next.bytes = self.rx.bytes.val();
        self.beat.next.last = ends || self.rx.last.val();
        self.beat.next.err = self.rx.err.val();
        if ends {
            self.beat.next.bytes = bit_cast::<K, 17>(self.now.val());
        }
        self.back.rx.data.next = self.beat.val().data;
        self.back.rx.bytes.next = self.beat.val().bytes;
        self.back.rx.last.next = self.beat.val().last;
        self.back.rx.err.next = self.beat.val().err;
        self.back.rx.valid.next = fire && (!ends || self.rx.last.val());
        if self.waits.q.val() {
            self.back.rx.data.next = self.kept.q.val().data;
            self.back.rx.bytes.next = self.kept.q.val().bytes;
            self.back.rx.last.next = true;
            self.back.rx.err.next = self.rx.err.val();
            self.back.rx.valid.next = fire && self.rx.last.val();
        }
        if fire {
            self.busy.d.next = !self.rx.last.val();
            if !ends {
                self.left.d.next = self.now.val() - lit::<17>(W / 8);
            }
            if !self.waits.q.val() {
                self.kept.d.next = self.beat.val();
            }
            self.waits.d.next = (self.waits.q.val() || ends) && !self.rx.last.val();
        }
    }
}
