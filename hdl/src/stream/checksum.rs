// SPDX-License-Identifier: MIT OR Apache-2.0
//! Internet checksum (RFC 1071) of every frame of a stream.
use super::{MetaSource, StreamSink};
use crate::cell::{KeepOctets, WordSum};
use crate::prelude::*;

/// Width of an item of [`Checksum::tx`].
pub const CHECKSUM_ITEM: usize = 18;

/// Ones' complement sum of the big-endian 16-bit words of each frame on `rx`, one beat a cycle
/// whatever the lengths: a frame may begin in every cycle. A last octet without a partner counts as
/// the high one of a word.
///
/// `start_sum` is the sum (not complemented) of words outside the frame, such as a pseudo-header;
/// it is taken with the frame's last beat.
///
/// `tx` has one item a frame, in frame order: bits 15:0 the checksum as a number (after the
/// complement: what the field must hold if it was zero), bit 16 *good*: the sum was FFFF, so the
/// field within was right, bit 17 the frame's `err`. `tx.empty` is 0.
///
/// An item is offered [`Checksum::LATENCY`] cycles after the transfer of the frame's last beat.
/// While an offer is not taken the whole pipeline holds: `rx.ready` follows `tx.ready`
/// combinationally, nothing else does.
///
/// Words are summed as they lie, octets swapped, which a ones' complement sum does not mind; the
/// result is swapped back. The running sum is one of 32 bits with its carry added a beat later, so
/// frames have no greatest length.
#[block]
pub struct Checksum<const W: usize, const K: usize> {
    /// Frames.
    pub rx: StreamSink<W, K>,
    /// Sum of words that are not in the frame, taken with its last beat.
    pub start_sum: Signal<In, Bits<16>>,
    /// An item for each frame.
    pub tx: MetaSource<CHECKSUM_ITEM>,
    fresh: Reg<Bit>,
    keep: KeepOctets<W, K>,
    beat: Flop<Bits<W>>,
    beat_start: Flop<Bits<16>>,
    quarter: [WordSum<W>; 4],
    part: [Flop<Bits<20>>; 4],
    part_start: Flop<Bits<16>>,
    total: Flop<Bits<32>>,
    /// Of the beat, its parts, their total.
    valid: [Reg<Bit>; 3],
    first: [Flop<Bit>; 3],
    last: [Flop<Bit>; 3],
    bad: [Flop<Bit>; 3],
    run: Flop<Bits<32>>,
    run_carry: Flop<Bit>,
    run_valid: Reg<Bit>,
    run_bad: Flop<Bit>,
    base: Signal<Local, Bits<33>>,
    fold: Flop<Bits<17>>,
    fold_valid: Reg<Bit>,
    fold_bad: Flop<Bit>,
    good: Signal<Local, Bit>,
    all_ones: Const<Bits<16>>,
    item: Flop<Bits<CHECKSUM_ITEM>>,
    item_valid: Reg<Bit>,
}

impl<const W: usize, const K: usize> Checksum<W, K> {
    /// Cycles from the transfer of a frame's last beat to the offer of its item.
    pub const LATENCY: u64 = 6;

    /// An idle cell.
    pub fn new() -> Self {
        assert!(W >= 64 && W <= 512 && W.is_power_of_two() && K == super::bytes_width(W));
        Self {
            fresh: Reg::new(true),
            quarter: std::array::from_fn(WordSum::new),
            all_ones: Const::of(0xFFFF),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for Checksum<W, K> {
    fn update(&mut self) {
        regs!(fresh, run_valid, fold_valid, item_valid);
        flops!(beat, beat_start, part_start, total, run, run_carry, run_bad, fold, fold_bad, item);
        for i in 0..4 {
            self.part[i].clock.next = self.clock.val();
            self.part[i].d.next = self.part[i].q.val();
        }
        for i in 0..3 {
            self.valid[i].clock.next = self.clock.val();
            self.valid[i].reset.next = self.reset.val();
            self.valid[i].d.next = self.valid[i].q.val();
            self.first[i].clock.next = self.clock.val();
            self.first[i].d.next = self.first[i].q.val();
            self.last[i].clock.next = self.clock.val();
            self.last[i].d.next = self.last[i].q.val();
            self.bad[i].clock.next = self.clock.val();
            self.bad[i].d.next = self.bad[i].q.val();
        }
        self.tx.item.next = self.item.q.val();
        self.tx.empty.next = false;
        self.tx.valid.next = self.item_valid.q.val();
        let advance: Bit = self.tx.ready.val() || !self.item_valid.q.val();
        self.rx.ready.next = advance;

        self.keep.x.next = self.rx.data.val();
        self.keep.bytes.next = self.rx.bytes.val();
        if advance {
            self.beat.d.next = self.keep.y.val();
            self.beat_start.d.next = 0.into();
            if self.rx.last.val() {
                self.beat_start.d.next = (self.start_sum.val() << 8) | (self.start_sum.val() >> 8);
            }
            self.valid[0].d.next = self.rx.valid.val();
            self.first[0].d.next = self.fresh.q.val();
            self.last[0].d.next = self.rx.last.val();
            self.bad[0].d.next = self.rx.err.val();
            if self.rx.valid.val() {
                self.fresh.d.next = self.rx.last.val();
            }
            for i in 1..3 {
                self.valid[i].d.next = self.valid[i - 1].q.val();
                self.first[i].d.next = self.first[i - 1].q.val();
                self.last[i].d.next = self.last[i - 1].q.val();
                self.bad[i].d.next = self.bad[i - 1].q.val();
            }
        }

        for i in 0..4 {
            self.quarter[i].x.next = self.beat.q.val();
            if advance {
                self.part[i].d.next = self.quarter[i].y.val();
            }
        }
        if advance {
            self.part_start.d.next = self.beat_start.q.val();
            self.total.d.next = ((bit_cast::<32, 20>(self.part[0].q.val())
                + bit_cast::<32, 20>(self.part[1].q.val()))
                + (bit_cast::<32, 20>(self.part[2].q.val()) + bit_cast::<32, 20>(self.part[3].q.val())))
                + bit_cast::<32, 16>(self.part_start.q.val());
        }

        self.base.next = 0.into();
        if !self.first[2].q.val() {
            self.base.next =
                bit_cast::<33, 32>(self.run.q.val()) + bit_cast::<33, 1>(self.run_carry.q.val().into());
        }
        let sum: Bits<33> = self.base.val() + bit_cast::<33, 32>(self.total.q.val());
        if advance {
            if self.valid[2].q.val() {
                self.run.d.next = sum.get_bits::<32>(0);
                self.run_carry.d.next = sum.get_bit(32);
            }
            self.run_valid.d.next = self.valid[2].q.val() && self.last[2].q.val();
            self.run_bad.d.next = self.bad[2].q.val();
        }

        // with the carry set the low 32 bits are small, so neither sum below can overflow
        if advance {
            self.fold.d.next = (bit_cast::<17, 16>(self.run.q.val().get_bits::<16>(0))
                + bit_cast::<17, 16>(self.run.q.val().get_bits::<16>(16)))
                + bit_cast::<17, 1>(self.run_carry.q.val().into());
            self.fold_valid.d.next = self.run_valid.q.val();
            self.fold_bad.d.next = self.run_bad.q.val();
        }
        let whole: Bits<16> =
            self.fold.q.val().get_bits::<16>(0) + bit_cast::<16, 1>(self.fold.q.val().get_bit(16).into());
        self.good.next = whole == self.all_ones.val();
        let crossed: Bits<16> = (whole << 8) | (whole >> 8);
        let field: Bits<16> = !crossed;
        if advance {
            self.item_valid.d.next = self.fold_valid.q.val();
            self.item.d.next = bit_cast::<18, 16>(field)
                | (bit_cast::<18, 1>(self.good.val().into()) << 16)
                | (bit_cast::<18, 1>(self.fold_bad.q.val().into()) << 17);
        }
    }
}
