// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packet FIFO: holds a frame until its verdict is known.
use super::{Beat, Skid, StreamSink, StreamSource};
use crate::prelude::*;

/// What the writer of a [`PacketFifo`] meets when frames not yet read leave no room for a frame
/// that could fit later.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum OnFull {
    /// `ready` goes low until the reader has made room.
    Wait,
    /// The frame is dropped and counted: for an Ethernet port, which cannot wait.
    Drop,
}

/// FIFO of `2^A` beats with commit and drop: the reader sees a frame only when its last beat is in
/// and good.
///
/// A frame is kept or dropped whole, and exactly one of the four pulses tells which, in the order
/// of the frames: high for one cycle, two cycles after the deciding beat was offered to an empty
/// input register. The first reason met counts; in one beat no room comes before `err`. A frame of
/// up to `2^A` beats fits.
///
/// One beat a cycle in and out for frames of up to `2^A - 1` beats; back to back frames of `2^A`
/// beats cost one bubble each. The first beat of a frame is offered four cycles after the transfer
/// of its last one, and from then on the reader never waits inside a frame nor between frames that
/// are already in.
///
/// A frame cut short arrives as `last` with `err` (the stream contract has no other way), or its
/// writer raises `discard` and ends it in any way.
#[block(clock)]
pub struct PacketFifo<const W: usize, const K: usize, const A: usize> {
    /// Synchronous reset; forgets every frame.
    pub reset: Signal<In, Bit>,
    /// Frames in, good and bad.
    pub rx: StreamSink<W, K>,
    /// Verdict from beside the stream: drops the frame being written. Counts in any cycle from the
    /// first offer of the frame's first beat to the transfer of its last one, and is ignored
    /// between frames.
    pub discard: Signal<In, Bit>,
    /// Good frames out; `err` is never set.
    pub tx: StreamSource<W, K>,
    /// Pulse: a frame was committed.
    pub kept: Signal<Out, Bit>,
    /// Pulse: a frame was dropped for `err` or `discard`.
    pub dropped_err: Signal<Out, Bit>,
    /// Pulse: a frame was dropped because it is longer than the FIFO.
    pub dropped_long: Signal<Out, Bit>,
    /// Pulse: a frame was dropped because other frames left no room; only with [`OnFull::Drop`].
    pub dropped_full: Signal<Out, Bit>,
    /// Half of the beats or more are taken, as of the cycle before.
    pub crowded: Signal<Out, Bit>,
    /// Beats taken, modulo `2^A`.
    pub beats: Signal<Out, Bits<A>>,
    /// All beats are taken.
    pub is_full: Signal<Out, Bit>,
    lossy: Const<Bit>,
    // Input register. Its `err` means "drop": on the last beat it is err or discard, on others
    // discard.
    front: Skid<W, K>,
    midway: Reg<Bit>,
    doomed: Reg<Bit>,
    // Write side: beats of the frame being written lie in [start, put), committed ones in [get,
    // start).
    ram: Sdp<Beat<W, K>, A>,
    put: Reg<Bits<A>>,
    start: Reg<Bits<A>>,
    get: Reg<Bits<A>>,
    full: Reg<Bit>,
    filled: Reg<Bit>,
    dropping: Reg<Bit>,
    // Read side: `fetched` says that the RAM's output register holds a beat.
    fetched: Reg<Bit>,
    back: Skid<W, K>,
    kept_now: Reg<Bit>,
    err_now: Reg<Bit>,
    long_now: Reg<Bit>,
    full_now: Reg<Bit>,
    crowded_now: Reg<Bit>,
    beat: Signal<Local, Beat<W, K>>,
}

impl<const W: usize, const K: usize, const A: usize> PacketFifo<W, K, A> {
    /// An empty FIFO; panics at elaboration if `K` does not belong to `W` or `A` is not 1 to 20.
    pub fn new(on_full: OnFull) -> Self {
        assert!(K == super::bytes_width(W), "K = {K} does not belong to W = {W}");
        assert!((1..=20).contains(&A), "a FIFO of 2^{A} beats: A must be 1 to 20");
        Self { lossy: Const::new(on_full == OnFull::Drop), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const K: usize, const A: usize> Logic for PacketFifo<W, K, A> {
    fn update(&mut self) {
        regs!(midway, doomed, put, start, get, full, filled, dropping, fetched, kept_now, err_now);
        regs!(long_now, full_now, crowded_now);
        parts!(front, back);
        clocked!(ram);

        // Into the input register; a discard that meets no transfer waits for the frame's next one.
        let marked: Bit = self.discard.val() || self.doomed.q.val();
        self.front.rx.data.next = self.rx.data.val();
        self.front.rx.bytes.next = self.rx.bytes.val();
        self.front.rx.last.next = self.rx.last.val();
        self.front.rx.err.next = marked || (self.rx.last.val() && self.rx.err.val());
        self.front.rx.valid.next = self.rx.valid.val();
        self.rx.ready.next = self.front.rx.ready.val();
        let enter: Bit = self.rx.valid.val() && self.front.rx.ready.val();
        if enter {
            self.midway.d.next = !self.rx.last.val();
            self.doomed.d.next = false;
        } else if self.rx.valid.val() || self.midway.q.val() {
            self.doomed.d.next = marked;
        }

        // Read side: a committed beat moves to the RAM's output register, from there to the output
        // skid.
        self.back.rx.data.next = self.ram.read_data.val().data;
        self.back.rx.bytes.next = self.ram.read_data.val().bytes;
        self.back.rx.last.next = self.ram.read_data.val().last;
        self.back.rx.err.next = self.ram.read_data.val().err;
        self.back.rx.valid.next = self.fetched.q.val();
        StreamSource::<W, K>::link(&mut self.tx, &mut self.back.tx);
        let fetch: Bit = self.filled.q.val() && (self.back.rx.ready.val() || !self.fetched.q.val());
        let get_inc: Bits<A> = self.get.q.val() + 1;
        self.ram.read_enable.next = fetch;
        self.ram.read_address.next = self.get.q.val();
        if self.back.rx.ready.val() {
            self.fetched.d.next = false;
        }
        if fetch {
            self.fetched.d.next = true;
            self.get.d.next = get_inc;
            self.full.d.next = false;
            if get_inc == self.start.q.val() {
                self.filled.d.next = false;
            }
        }

        // Write side. A full RAM without a committed beat holds one frame alone, which is too long.
        // The word written is never the word read: a write needs `full` low, that is put != get
        // while `filled`, and a read needs `filled` and takes the word at get.
        self.beat.next.data = self.front.tx.data.val();
        self.beat.next.bytes = self.front.tx.bytes.val();
        self.beat.next.last = self.front.tx.last.val();
        self.beat.next.err = false;
        let put_inc: Bits<A> = self.put.q.val() + 1;
        self.ram.write_address.next = self.put.q.val();
        self.ram.write_data.next = self.beat.val();
        self.ram.write_enable.next = false;
        self.kept_now.d.next = false;
        self.err_now.d.next = false;
        self.long_now.d.next = false;
        self.full_now.d.next = false;
        let room: Bit =
            !self.full.q.val() || self.dropping.q.val() || !self.filled.q.val() || self.lossy.val();
        self.front.tx.ready.next = room;
        let take: Bit = self.front.tx.valid.val() && room;
        if take {
            self.dropping.d.next = false;
            if self.dropping.q.val() || self.full.q.val() || self.front.tx.err.val() {
                // Back to where the frame began; its beats, if any, leave their room.
                self.dropping.d.next = !self.front.tx.last.val();
                self.put.d.next = self.start.q.val();
                if (self.put.q.val() != self.start.q.val()) || !self.filled.q.val() {
                    self.full.d.next = false;
                }
                if !self.dropping.q.val() {
                    self.err_now.d.next = !self.full.q.val();
                    self.long_now.d.next = self.full.q.val() && !self.filled.q.val();
                    self.full_now.d.next = self.full.q.val() && self.filled.q.val();
                }
            } else {
                self.ram.write_enable.next = true;
                self.put.d.next = put_inc;
                if !fetch && (put_inc == self.get.q.val()) {
                    self.full.d.next = true;
                }
                if self.front.tx.last.val() {
                    self.start.d.next = put_inc;
                    self.filled.d.next = true;
                    self.kept_now.d.next = true;
                }
            }
        }
        let level: Bits<A> = self.put.q.val() - self.get.q.val();
        self.beats.next = level;
        self.is_full.next = self.full.q.val();
        self.crowded_now.d.next = self.full.q.val() || level.get_bit(lit::<5>(A - 1).index());
        self.crowded.next = self.crowded_now.q.val();
        self.kept.next = self.kept_now.q.val();
        self.dropped_err.next = self.err_now.q.val();
        self.dropped_long.next = self.long_now.q.val();
        self.dropped_full.next = self.full_now.q.val();
    }
}
