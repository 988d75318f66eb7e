// SPDX-License-Identifier: MIT OR Apache-2.0
//! The port that never says no.
use crate::prelude::*;
use crate::stream::{Beat, Queue, StreamSink, StreamSource};

/// One less than the room, for the beat that closes a cut frame.
const ROOM: usize = 31;

/// Takes every beat of the MAC, which cannot wait, and hands frames on to readers that may.
///
/// 32 beats of room bridge what the readers wait between short frames. If it is full, or if a frame
/// is longer than `most` beats, the frame is cut: its last beat leaves with `err`, or nothing of it
/// at all, and what follows of it is dropped. So everything behind sees bounded frames and drops
/// the cut ones as it drops those with a wrong FCS. A frame is not stored here: its first beat
/// leaves two cycles after it came.
#[block]
pub struct RxGuard<const W: usize, const K: usize> {
    /// Frames of the MAC; `ready` is always high.
    pub rx: StreamSink<W, K>,
    /// The same frames, or the beginning of them with `err`.
    pub tx: StreamSource<W, K>,
    /// Pulse: a frame came with `err`.
    pub fcs: Signal<Out, Bit>,
    /// Pulse: a frame was cut because it is too long.
    pub long: Signal<Out, Bit>,
    /// Pulse: a frame was cut because there was no room.
    pub full: Signal<Out, Bit>,
    queue: Queue<Beat<W, K>, 5>,
    /// Beats in the queue.
    level: Reg<Bits<6>>,
    /// Beats of the present frame that are in the queue or have left.
    beats: Reg<Bits<16>>,
    dropping: Reg<Bit>,
    fcs_now: Reg<Bit>,
    long_now: Reg<Bit>,
    full_now: Reg<Bit>,
    most: Const<Bits<16>>,
    beat: Signal<Local, Beat<W, K>>,
    push: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize> RxGuard<W, K> {
    /// A port for frames of up to `most` beats.
    pub fn new(most: usize) -> Self {
        Self { most: Const::of(most - 1), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for RxGuard<W, K> {
    fn update(&mut self) {
        regs!(level, beats, dropping, fcs_now, long_now, full_now);
        parts!(queue);
        self.fcs.next = self.fcs_now.q.val();
        self.long.next = self.long_now.q.val();
        self.full.next = self.full_now.q.val();
        self.fcs_now.d.next = false;
        self.long_now.d.next = false;
        self.full_now.d.next = false;
        self.rx.ready.next = true;

        let midway: Bit = self.beats.q.val().any();
        let has_room: Bit = self.level.q.val() < lit::<6>(ROOM);
        // the beat before the last possible one must end the frame
        let fits: Bit = (self.beats.q.val() < self.most.val()) || self.rx.last.val();
        self.beat.next.data = self.rx.data.val();
        self.beat.next.bytes = self.rx.bytes.val();
        self.beat.next.last = self.rx.last.val();
        self.beat.next.err = self.rx.err.val();
        self.push.next = false;
        if self.rx.valid.val() {
            if self.dropping.q.val() {
                self.dropping.d.next = !self.rx.last.val();
            } else if has_room && fits {
                self.push.next = true;
                self.beats.d.next = self.beats.q.val() + 1;
                self.fcs_now.d.next = self.rx.last.val() && self.rx.err.val();
            } else {
                self.push.next = midway;
                self.beat.next.last = true;
                self.beat.next.err = true;
                self.dropping.d.next = !self.rx.last.val();
                self.full_now.d.next = !has_room;
                self.long_now.d.next = has_room;
            }
            if self.rx.last.val() || self.beat.val().last {
                self.beats.d.next = 0.into();
            }
        }
        self.queue.rx.item.next = self.beat.val();
        self.queue.rx.valid.next = self.push.val();

        self.tx.data.next = self.queue.tx.item.val().data;
        self.tx.bytes.next = self.queue.tx.item.val().bytes;
        self.tx.last.next = self.queue.tx.item.val().last;
        self.tx.err.next = self.queue.tx.item.val().err;
        self.tx.valid.next = self.queue.tx.valid.val();
        self.queue.tx.ready.next = self.tx.ready.val();
        let pop: Bit = self.queue.tx.valid.val() && self.tx.ready.val();
        if self.push.val() && !pop {
            self.level.d.next = self.level.q.val() + 1;
        } else if pop && !self.push.val() {
            self.level.d.next = self.level.q.val() - 1;
        }
    }
}
