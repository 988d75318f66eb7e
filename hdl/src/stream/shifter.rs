// SPDX-License-Identifier: MIT OR Apache-2.0
//! Byte shifter: drops the first octets of a frame and realigns the rest.
use super::rotate::Rotate;
use super::{Beat, OffsetSink, PartsSource, Skid, Slot, StreamSink, StreamSource};
use crate::prelude::*;

/// Drops the octets of each frame before an offset that comes with the frame; the rest leaves from
/// octet 0 of a beat.
///
/// **Contract.** Each frame on `rx` takes one item of `skip` and gives one item on `parts`.
/// `parts.second` says that octets remain: they are the next frame on `tx`, which brings `err` on
/// its last beat. Without it the frame was not longer than the offset, nothing leaves on `tx`, and
/// `parts.err` is the frame's `err`. `parts.first` says that the offset was not 0, that is, that
/// octets were dropped.
///
/// **Order.** A frame waits for its offset; two offsets are taken ahead. `parts` is offered before
/// the first beat of its frame on `tx` and may be taken before, during or after the frame: a
/// waiting item stops only the next item. That one in turn needs the beats of the frame before to
/// be taken.
///
/// **Timing.** Four cycles from a beat on `rx` to the beat on `tx` that it completes, five for
/// octets that a frame's last beat leaves over; two to `parts`. One beat a cycle on `rx` whatever
/// the lengths and offsets (no bubble even for frames of one octet).
#[block]
pub struct Realign<const W: usize, const K: usize> {
    /// Frames in.
    pub rx: StreamSink<W, K>,
    /// Octets to drop, one item a frame.
    pub skip: OffsetSink,
    /// What became of the frame, one item a frame.
    pub parts: PartsSource,
    /// What is left of the frames, realigned.
    pub tx: StreamSource<W, K>,
    front: Skid<W, K>,
    slot: Slot<Bits<16>>,
    path: Rotate<W, K>,
    /// Beats of this frame dropped whole so far.
    gone: Reg<Bits<16>>,
    /// The beat before holds octets of this frame that have not left.
    busy: Reg<Bit>,
    /// The frame has ended and the beat before is its last.
    flush: Reg<Bit>,
    flush_bytes: Flop<Bits<K>>,
    flush_err: Flop<Bit>,
    p_valid: Reg<Bit>,
    p_first: Flop<Bit>,
    p_second: Flop<Bit>,
    p_err: Flop<Bit>,
    order: Signal<Local, Beat<W, K>>,
}

impl<const W: usize, const K: usize> Realign<W, K> {
    /// Panics at elaboration when the parameters do not belong together.
    pub fn new() -> Self {
        Self { path: Rotate::new(), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for Realign<W, K> {
    fn update(&mut self) {
        regs!(gone, busy, flush, p_valid);
        flops!(flush_bytes, flush_err, p_first, p_second, p_err);
        parts!(front, slot, path);
        StreamSink::<W, K>::link(&mut self.rx, &mut self.front.rx);
        StreamSource::<W, K>::link(&mut self.tx, &mut self.path.tx);
        self.slot.rx.item.next = self.skip.octets.val();
        self.slot.rx.valid.next = self.skip.valid.val();
        self.skip.ready.next = self.slot.rx.ready.val();
        self.parts.first.next = self.p_first.q.val();
        self.parts.second.next = self.p_second.q.val();
        self.parts.err.next = self.p_err.q.val();
        self.parts.valid.next = self.p_valid.q.val();

        let offset: Bits<16> = self.slot.tx.item.val();
        let offset_beats: Bits<16> = offset >> lit::<16>(K - 1);
        let shift: Bits<K> = bit_cast::<K, 16>(offset & lit::<16>(W / 8 - 1));
        let left: Bits<K> = self.front.tx.bytes.val() - shift;
        let room: Bits<K> = lit::<K>(W / 8) - shift;
        let over: Bit = self.front.tx.bytes.val() > shift;
        let drops: Bit = !self.busy.q.val() && (self.gone.q.val() != offset_beats);
        // the beat that tells whether octets remain needs the register of `parts`
        let tells: Bit = !self.busy.q.val() && (!drops || self.front.tx.last.val());
        let may: Bit = self.path.step.val()
            && self.slot.tx.valid.val()
            && (!tells || self.parts.ready.val() || !self.p_valid.q.val());
        self.front.tx.ready.next = may;
        let fire: Bit = may && self.front.tx.valid.val();
        self.slot.tx.ready.next = fire && self.front.tx.last.val();

        // an order without a beat, or with the first beat of a frame, sends what the frame before
        // left over
        self.order.next.data = self.front.tx.data.val();
        self.order.next.bytes = self.flush_bytes.q.val();
        self.order.next.last = true;
        self.order.next.err = self.flush_err.q.val();
        self.path.shift.next = shift;
        self.path.load.next = fire;
        self.path.send.next = self.flush.q.val();
        self.path.whole.next = self.flush.q.val();
        self.path.plain.next = false;
        if self.path.step.val() {
            self.flush.d.next = false;
        }
        if self.parts.ready.val() {
            self.p_valid.d.next = false;
        }
        if fire {
            if drops {
                self.gone.d.next = self.gone.q.val() + 1;
            } else {
                self.busy.d.next = true;
            }
            if self.busy.q.val() {
                self.path.send.next = true;
                self.order.next.bytes = lit::<K>(W / 8);
                self.order.next.last = false;
                self.order.next.err = false;
                if self.front.tx.last.val() && !over {
                    self.order.next.bytes = self.front.tx.bytes.val() + room;
                    self.order.next.last = true;
                    self.order.next.err = self.front.tx.err.val();
                }
            }
            if self.front.tx.last.val() {
                self.gone.d.next = 0.into();
                self.busy.d.next = false;
                self.flush.d.next = over && !drops;
            }
            self.flush_bytes.d.next = left;
            self.flush_err.d.next = self.front.tx.err.val();
            if tells {
                self.p_valid.d.next = true;
                self.p_first.d.next = offset.any();
                self.p_second.d.next = over && !drops;
                self.p_err.d.next = self.front.tx.last.val() && self.front.tx.err.val() && (drops || !over);
            }
        }
        self.path.beat.next = self.order.val();
    }
}
