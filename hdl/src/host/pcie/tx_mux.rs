// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one stream of TLPs that leaves, and its order.
use super::ports::PcieConfig;
use crate::prelude::*;
use crate::stream::{Beat, Slot, StreamSink, StreamSource};

const COMPLETION: usize = 2;

/// Posted writes, reads and completions become one stream, a whole TLP at a time.
///
/// **Order** (base specification 2.4.1, table 2-39). Writes keep theirs. A read waits until every
/// write is out that was `taken` when the read was offered; a completion until every write is out
/// that had `begun` then. Writes wait for nobody. Of those that may go each gets every third TLP.
///
/// **Credits.** Stalls of `tx` hold everything; a read is begun only while `np_room` says that the
/// block in front takes a non-posted request, so that it never stands in front of a write. `gone`
/// says of each read that it has left, or was dropped: until then no completion of it can come.
///
/// **Bus Master Enable.** While it is off, writes and reads are taken and dropped, each TLP told by
/// a pulse on `dropped`; completions leave. It counts at a TLP's first beat. What is dropped needs
/// no credit.
///
/// **Timing.** Two cycles for a write, three for a read or a completion; a beat a cycle, none lost
/// between TLPs.
#[block]
pub struct TxMux<const W: usize, const K: usize> {
    /// Bus Master Enable.
    pub cfg: Signal<In, PcieConfig>,
    /// Memory writes.
    pub post: StreamSink<W, K>,
    /// The TLP is the last one of its write.
    pub post_ends: Signal<In, Bit>,
    /// Memory reads.
    pub read: StreamSink<W, K>,
    /// Completions.
    pub cpl: StreamSink<W, K>,
    /// Writes that the device has begun, modulo 2^16.
    pub begun: Signal<In, Bits<16>>,
    /// Writes that [`super::tx_write`] has taken, modulo 2^16.
    pub taken: Signal<In, Bits<16>>,
    /// The block in front takes a non-posted request.
    pub np_room: Signal<In, Bit>,
    /// All TLPs.
    pub tx: StreamSource<W, K>,
    /// A request was dropped.
    pub dropped: Signal<Out, Bit>,
    /// Tag of a read of which the last beat was taken from `tx`, or that was dropped.
    pub gone: Signal<Out, Bits<5>>,
    /// Pulse of `gone`.
    pub gone_valid: Signal<Out, Bit>,
    /// With `gone`: it was dropped.
    pub gone_lost: Signal<Out, Bit>,
    /// In a slot of `front` the place of `err`, which a TLP does not have, says `post_ends`.
    front: [Slot<Beat<W, K>>; 3],
    /// Writes whose order on `tx` is decided.
    sent: Reg<Bits<16>>,
    /// The read and the completion in front know what they wait for.
    marked: [Reg<Bit>; 2],
    mark: [Flop<Bits<16>>; 2],
    busy: Reg<Bit>,
    /// The TLP under way is dropped.
    drops: Reg<Bit>,
    turn: Reg<Bits<2>>,
    dropped_now: Reg<Bit>,
    o: Flop<Beat<W, K>>,
    o_valid: Reg<Bit>,
    /// With `o`, sent or dropped: it is the last beat of a read; tag of its TLP.
    o_ends_read: Reg<Bit>,
    o_tag: Flop<Bits<5>>,
    lost_now: Flop<Bit>,
    gone_tag: Flop<Bits<5>>,
    gone_now: Reg<Bit>,
    index: Vec<Const<Bits<2>>>,
    may: [Signal<Local, Bit>; 3],
    behind: Signal<Local, Bits<16>>,
    pick: Signal<Local, Bits<2>>,
    found: Signal<Local, Bit>,
    passed: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    dropping: Signal<Local, Bit>,
    beat: Signal<Local, Beat<W, K>>,
    fed: Signal<Local, Beat<W, K>>,
}

impl<const W: usize, const K: usize> TxMux<W, K> {
    /// Nothing under way.
    pub fn new() -> Self {
        Self { index: (0..3).map(Const::of).collect(), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for TxMux<W, K> {
    fn update(&mut self) {
        regs!(sent, busy, drops, turn, dropped_now, o_valid, o_ends_read, gone_now);
        flops!(o, o_tag, lost_now, gone_tag);
        for i in 0..3 {
            self.front[i].clock.next = self.clock.val();
            self.front[i].reset.next = self.reset.val();
        }
        for i in 0..2 {
            self.marked[i].clock.next = self.clock.val();
            self.marked[i].reset.next = self.reset.val();
            self.marked[i].d.next = self.marked[i].q.val();
            self.mark[i].clock.next = self.clock.val();
            self.mark[i].d.next = self.mark[i].q.val();
        }
        self.fed.next.data = self.post.data.val();
        self.fed.next.bytes = self.post.bytes.val();
        self.fed.next.last = self.post.last.val();
        self.fed.next.err = self.post_ends.val();
        self.front[0].rx.item.next = self.fed.val();
        self.front[0].rx.valid.next = self.post.valid.val();
        self.post.ready.next = self.front[0].rx.ready.val();
        self.fed.next.data = self.read.data.val();
        self.fed.next.bytes = self.read.bytes.val();
        self.fed.next.last = self.read.last.val();
        self.fed.next.err = false;
        self.front[1].rx.item.next = self.fed.val();
        self.front[1].rx.valid.next = self.read.valid.val();
        self.read.ready.next = self.front[1].rx.ready.val();
        self.fed.next.data = self.cpl.data.val();
        self.fed.next.bytes = self.cpl.bytes.val();
        self.fed.next.last = self.cpl.last.val();
        self.front[2].rx.item.next = self.fed.val();
        self.front[2].rx.valid.next = self.cpl.valid.val();
        self.cpl.ready.next = self.front[2].rx.ready.val();

        // Who may go: the two others note how many writes are before them, and wait for those.
        self.may[0].next = self.front[0].tx.valid.val();
        for i in 0..2 {
            self.behind.next = self.sent.q.val() - self.mark[i].q.val();
            self.may[i + 1].next =
                self.front[i + 1].tx.valid.val() && self.marked[i].q.val() && !self.behind.val().get_bit(15);
            if !self.marked[i].q.val() {
                self.marked[i].d.next = self.front[i + 1].tx.valid.val();
            }
        }
        self.may[1].next = self.may[1].val() && (self.np_room.val() || !self.cfg.val().master);
        if !self.marked[0].q.val() {
            self.mark[0].d.next = self.taken.val();
        }
        if !self.marked[1].q.val() {
            self.mark[1].d.next = self.begun.val();
        }

        // Whose TLP: first those after `turn`, then those up to it; inside a TLP only `turn`.
        self.pick.next = self.turn.q.val();
        self.found.next = self.busy.q.val();
        self.passed.next = false;
        for i in 0..3 {
            if self.passed.val() && self.may[i].val() && !self.found.val() {
                self.pick.next = self.index[i].val();
                self.found.next = true;
            }
            if self.index[i].val() == self.turn.q.val() {
                self.passed.next = true;
            }
        }
        for i in 0..3 {
            if self.may[i].val() && !self.found.val() {
                self.pick.next = self.index[i].val();
                self.found.next = true;
            }
        }
        self.dropping.next = self.drops.q.val();
        if !self.busy.q.val() {
            self.dropping.next = !self.cfg.val().master && (self.pick.val() != lit::<2>(COMPLETION));
        }
        let advance: Bit = self.tx.ready.val() || !self.o_valid.q.val();
        self.beat.next = self.front[0].tx.item.val();
        self.offered.next = false;
        for i in 0..3 {
            self.front[i].tx.ready.next = false;
            if self.found.val() && (self.pick.val() == self.index[i].val()) {
                self.front[i].tx.ready.next = advance;
                self.beat.next = self.front[i].tx.item.val();
                self.offered.next = self.front[i].tx.valid.val();
            }
        }
        let sent_up: Bits<16> = self.sent.q.val() + 1;
        self.dropped_now.d.next = false;
        let head: Bits<W> = self.beat.val().data;
        self.gone_tag.d.next = self.o_tag.q.val();
        self.lost_now.d.next = !self.o_valid.q.val();
        self.gone_now.d.next = advance && self.o_ends_read.q.val();
        if advance {
            self.o_ends_read.d.next =
                self.offered.val() && self.beat.val().last && (self.pick.val() == self.index[1].val());
            self.o_valid.d.next = self.offered.val() && !self.dropping.val();
            self.o.d.next = self.beat.val();
            self.o.d.next.err = false;
            if self.offered.val() {
                // bits 12:8 of dword 1, which comes in the first beat (2.2.7)
                if !self.busy.q.val() {
                    self.o_tag.d.next = head.get_bits::<5>(40);
                }
                self.turn.d.next = self.pick.val();
                self.busy.d.next = !self.beat.val().last;
                self.drops.d.next = self.dropping.val();
                self.dropped_now.d.next = self.dropping.val() && self.beat.val().last;
                if self.beat.val().last {
                    if !self.pick.val().any() && self.beat.val().err {
                        self.sent.d.next = sent_up;
                    }
                    for i in 0..2 {
                        if self.pick.val() == self.index[i + 1].val() {
                            self.marked[i].d.next = false;
                        }
                    }
                }
            }
        }
        self.dropped.next = self.dropped_now.q.val();
        self.gone.next = self.gone_tag.q.val();
        self.gone_valid.next = self.gone_now.q.val();
        self.gone_lost.next = self.lost_now.q.val();
        self.tx.data.next = self.o.q.val().data;
        self.tx.bytes.next = self.o.q.val().bytes;
        self.tx.last.next = self.o.q.val().last;
        self.tx.err.next = self.o.q.val().err;
        self.tx.valid.next = self.o_valid.q.val();
    }
}
