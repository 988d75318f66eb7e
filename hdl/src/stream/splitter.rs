// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frame splitter: one frame in, up to two out, both from octet 0 of a beat.
use super::rotate::Rotate;
use super::{Beat, OffsetSink, PartsSource, Skid, Slot, StreamSink, StreamSource};
use crate::prelude::*;

/// Cuts each frame at an offset that comes with the frame; the parts leave as two frames, one after
/// the other.
///
/// **Contract.** Each frame on `rx` takes one item of `cut` and gives one item on `parts`.
/// `parts.first`: the octets before the cut are a frame on `tx`; `parts.second`: the octets from
/// the cut on are the next one. A cut at 0 gives the second part only, a cut at or behind the
/// frame's end the first only; a frame has at least one octet, so one of the bits is always set.
/// `err` of the frame stays with its last octet, that is, with the last part sent; a first part
/// that a second one follows always says `err = 0`, and whoever acts on it irreversibly must wait
/// for the second. `parts.err` is always 0.
///
/// **Order.** A frame waits for its cut; two cuts are taken ahead. `parts` is offered before the
/// last beat of the first part, or the first beat of the second part if that is the only one, is
/// offered on `tx`. It may be taken before, during or after the parts: a waiting item stops only
/// the next item. That one in turn needs the beats of the frame before to be taken.
///
/// **Timing.** Four cycles from a beat on `rx` to the beat on `tx` that it completes, five for
/// octets left over at the frame's end; two to `parts`. One beat a cycle on `tx` whatever the
/// lengths and cuts: no bubble at the cut, none between frames. `rx` waits for one cycle where the
/// two parts need one beat more than the frame.
#[block]
pub struct FrameSplitter<const W: usize, const K: usize> {
    /// Frames in.
    pub rx: StreamSink<W, K>,
    /// Octets of the first part, one item a frame.
    pub cut: OffsetSink,
    /// Which parts there are, one item a frame.
    pub parts: PartsSource,
    /// The parts.
    pub tx: StreamSource<W, K>,
    front: Skid<W, K>,
    slot: Slot<Bits<16>>,
    path: Rotate<W, K>,
    /// Beats of the first part so far, and one more: two registers spare an adder in front of a
    /// comparison.
    beats: Reg<Bits<16>>,
    beats_after: Reg<Bits<16>>,
    /// The cut lies behind us.
    behind: Reg<Bit>,
    /// The frame has ended and the beat before is its last.
    flush: Reg<Bit>,
    flush_bytes: Flop<Bits<K>>,
    flush_err: Flop<Bit>,
    p_valid: Reg<Bit>,
    p_first: Flop<Bit>,
    p_second: Flop<Bit>,
    limit: Signal<Local, Bits<K>>,
    order: Signal<Local, Beat<W, K>>,
}

impl<const W: usize, const K: usize> FrameSplitter<W, K> {
    /// Panics at elaboration when the parameters do not belong together.
    pub fn new() -> Self {
        Self { path: Rotate::new(), beats_after: Reg::new(1_u16.to_bits()), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for FrameSplitter<W, K> {
    fn update(&mut self) {
        regs!(beats, beats_after, behind, flush, p_valid);
        flops!(flush_bytes, flush_err, p_first, p_second);
        parts!(front, slot, path);
        StreamSink::<W, K>::link(&mut self.rx, &mut self.front.rx);
        StreamSource::<W, K>::link(&mut self.tx, &mut self.path.tx);
        self.slot.rx.item.next = self.cut.octets.val();
        self.slot.rx.valid.next = self.cut.valid.val();
        self.cut.ready.next = self.slot.rx.ready.val();
        self.parts.first.next = self.p_first.q.val();
        self.parts.second.next = self.p_second.q.val();
        self.parts.err.next = false;
        self.parts.valid.next = self.p_valid.q.val();

        let offset: Bits<16> = self.slot.tx.item.val();
        let offset_beats: Bits<16> = offset >> lit::<16>(K - 1);
        let shift: Bits<K> = bit_cast::<K, 16>(offset & lit::<16>(W / 8 - 1));
        let mid_beat: Bit = shift.any();
        let second: Bit = self.behind.q.val() || !offset.any();
        // the first part's last octet is in this beat: inside it, or at its end
        let cuts: Bit = !second
            && ((mid_beat && (self.beats.q.val() == offset_beats))
                || (!mid_beat && (self.beats_after.q.val() == offset_beats)));
        self.limit.next = lit::<K>(W / 8);
        if mid_beat {
            self.limit.next = shift;
        }
        let room: Bits<K> = lit::<K>(W / 8) - shift;
        let over: Bit = self.front.tx.bytes.val() > self.limit.val();
        // the beat that tells which parts there are needs the register of `parts`
        let tells: Bit = !self.behind.q.val() && (second || cuts || self.front.tx.last.val());
        let may: Bit = self.path.step.val()
            && !self.flush.q.val()
            && self.slot.tx.valid.val()
            && (!tells || self.parts.ready.val() || !self.p_valid.q.val());
        self.front.tx.ready.next = may;
        let fire: Bit = may && self.front.tx.valid.val();
        self.slot.tx.ready.next = fire && self.front.tx.last.val();

        self.order.next.data = self.front.tx.data.val();
        self.order.next.bytes = self.front.tx.bytes.val();
        self.order.next.last = self.front.tx.last.val();
        self.order.next.err = self.front.tx.last.val() && self.front.tx.err.val();
        self.path.shift.next = shift;
        self.path.load.next = fire;
        self.path.send.next = fire || self.flush.q.val();
        self.path.whole.next = self.flush.q.val();
        self.path.plain.next = !self.flush.q.val() && (!second || !mid_beat);
        if self.flush.q.val() {
            self.order.next.bytes = self.flush_bytes.q.val();
            self.order.next.last = true;
            self.order.next.err = self.flush_err.q.val();
        } else if cuts {
            self.order.next.last = true;
            if over {
                self.order.next.bytes = self.limit.val();
                self.order.next.err = false;
            }
        } else if second && mid_beat {
            self.order.next.bytes = lit::<K>(W / 8);
            self.order.next.last = false;
            self.order.next.err = false;
            if self.front.tx.last.val() && !over {
                self.order.next.bytes = self.front.tx.bytes.val() + room;
                self.order.next.last = true;
                self.order.next.err = self.front.tx.err.val();
            }
        }
        if self.path.step.val() {
            self.flush.d.next = false;
        }
        if self.parts.ready.val() {
            self.p_valid.d.next = false;
        }
        if fire {
            self.beats.d.next = self.beats_after.q.val();
            self.beats_after.d.next = self.beats_after.q.val() + 1;
            self.behind.d.next = second || cuts;
            if self.front.tx.last.val() {
                self.beats.d.next = 0.into();
                self.beats_after.d.next = lit::<16>(1);
                self.behind.d.next = false;
                self.flush.d.next = mid_beat && over && (second || cuts);
            }
            self.flush_bytes.d.next = self.front.tx.bytes.val() - shift;
            self.flush_err.d.next = self.front.tx.err.val();
            if tells {
                self.p_valid.d.next = true;
                self.p_first.d.next = !second;
                self.p_second.d.next = second || (cuts && (over || !self.front.tx.last.val()));
            }
        }
        self.path.beat.next = self.order.val();
    }
}
