// SPDX-License-Identifier: MIT OR Apache-2.0
//! CRC32c (Castagnoli) of every frame of a stream.
use super::{MetaSource, StreamSink};
use crate::cell::{KeepOctets, Parity32};
use crate::prelude::*;

/// Reflected polynomial of CRC32c (mpa-rfc5044-notes.md section 4).
const POLY: u32 = 0x82F6_3B78;
/// Register after a frame and its own CRC.
const RESIDUE: u32 = 0xB798_B438;
/// Width of an item of [`Crc32c::tx`].
pub const CRC_ITEM: usize = 34;

/// Register after one more octet.
fn octet(register: u32, octet: u8) -> u32 {
    (0..8).fold(register ^ u32::from(octet), |c, _| (c >> 1) ^ if c & 1 == 1 { POLY } else { 0 })
}

/// Register before `count` octets of zero.
fn undo_zeros(register: u32, count: usize) -> u32 {
    (0..8 * count).fold(register, |c, _| if c >> 31 == 1 { (c ^ POLY) << 1 | 1 } else { c << 1 })
}

/// What bit `bit` of a beat of `octets` octets adds to the register at the end of the beat.
pub(super) fn beat_column(octets: usize, bit: usize) -> u32 {
    (0..octets).fold(0, |c, i| octet(c, if i == bit / 8 { 1 << (bit % 8) } else { 0 }))
}

/// One factor of the way back: with `on` the register loses the octets of zero its matrix stands
/// for.
///
/// A block of its own so that two in a row are no loop through the one `always` of the module
/// around them.
#[block(comb)]
struct Undo {
    pub x: Signal<In, Bits<32>>,
    pub on: Signal<In, Bit>,
    pub y: Signal<Out, Bits<32>>,
    inverse: Parity32<32>,
}

#[kernel]
impl Logic for Undo {
    fn update(&mut self) {
        self.inverse.x.next = self.x.val();
        self.y.next = self.x.val();
        if self.on.val() {
            self.y.next = self.inverse.y.val();
        }
    }
}

/// CRC32c of each frame on `rx`, one beat a cycle whatever the lengths: a frame may begin in every
/// cycle.
///
/// `tx` has one item a frame, in frame order: bits 31:0 the CRC as a number (after the complement;
/// sent least significant octet first), bit 32 *good*: the frame ended with its own CRC (register
/// B798B438), bit 33 the frame's `err`. `tx.empty` is 0.
///
/// An item is offered [`Crc32c::LATENCY`] cycles after the transfer of the frame's last beat. While
/// an offer is not taken the whole pipeline holds: `rx.ready` follows `tx.ready` combinationally,
/// nothing else does.
///
/// A beat that is not full is taken as full, with zeros after its octets, so that one matrix serves
/// all lengths and the feedback loop has no choice in it; the register is then multiplied by the
/// inverse of what those zeros did, a factor for each bit of their number, two factors a stage.
#[block]
pub struct Crc32c<const W: usize, const K: usize> {
    /// Frames.
    pub rx: StreamSink<W, K>,
    /// An item for each.
    pub tx: MetaSource<CRC_ITEM>,
    full: Const<Bits<K>>,
    start: Const<Bits<W>>,
    fresh: Reg<Bit>,
    keep: KeepOctets<W, K>,
    beat: Flop<Bits<W>>,
    beat_valid: Reg<Bit>,
    beat_first: Flop<Bit>,
    beat_last: Flop<Bit>,
    beat_err: Flop<Bit>,
    beat_pad: Flop<Bits<6>>,
    /// A quarter of the beat each, so that no parity tree is deeper than four LUT6.
    quarter: [Parity32<W>; 4],
    part: [Flop<Bits<32>>; 4],
    part_valid: Reg<Bit>,
    part_first: Flop<Bit>,
    part_last: Flop<Bit>,
    part_err: Flop<Bit>,
    part_pad: Flop<Bits<6>>,
    /// The running register through a full beat of zeros.
    step: Parity32<32>,
    /// 0: the running register; then with ever fewer zeros in it.
    word: [Flop<Bits<32>>; 4],
    word_valid: [Reg<Bit>; 4],
    word_err: [Flop<Bit>; 4],
    word_pad: [Flop<Bits<6>>; 4],
    undo: [Undo; 6],
    residue: Const<Bits<32>>,
    good: Signal<Local, Bit>,
    item: Flop<Bits<CRC_ITEM>>,
    item_valid: Reg<Bit>,
}

impl<const W: usize, const K: usize> Crc32c<W, K> {
    /// Cycles from the transfer of a frame's last beat to the offer of its item.
    pub const LATENCY: u64 = 7;

    /// An idle cell.
    pub fn new() -> Self {
        assert!(W >= 64 && W <= 512 && W.is_power_of_two() && K == super::bytes_width(W));
        let octets = W / 8;
        let quarter = |q: usize| {
            Parity32::new(move |bit| if bit / (W / 4) == q { beat_column(octets, bit) } else { 0 })
        };
        let undo = |i: usize| Undo {
            inverse: Parity32::new(move |bit| undo_zeros(1 << bit, 1 << i)),
            ..Default::default()
        };
        Self {
            full: Const::of(octets),
            start: Const::new(0xFFFF_FFFF_u64.into()),
            fresh: Reg::new(true),
            quarter: std::array::from_fn(quarter),
            step: Parity32::new(|bit| (0..octets).fold(1 << bit, |c, _| octet(c, 0))),
            undo: std::array::from_fn(undo),
            residue: Const::new(u64::from(RESIDUE).into()),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for Crc32c<W, K> {
    fn update(&mut self) {
        regs!(fresh, beat_valid, part_valid, item_valid);
        flops!(beat, beat_first, beat_last, beat_err, beat_pad, part_first, part_last, part_err, part_pad);
        flops!(item);
        for i in 0..4 {
            self.part[i].clock.next = self.clock.val();
            self.part[i].d.next = self.part[i].q.val();
            self.word[i].clock.next = self.clock.val();
            self.word[i].d.next = self.word[i].q.val();
            self.word_valid[i].clock.next = self.clock.val();
            self.word_valid[i].reset.next = self.reset.val();
            self.word_valid[i].d.next = self.word_valid[i].q.val();
            self.word_err[i].clock.next = self.clock.val();
            self.word_err[i].d.next = self.word_err[i].q.val();
            self.word_pad[i].clock.next = self.clock.val();
            self.word_pad[i].d.next = self.word_pad[i].q.val();
        }
        self.tx.item.next = self.item.q.val();
        self.tx.empty.next = false;
        self.tx.valid.next = self.item_valid.q.val();
        let advance: Bit = self.tx.ready.val() || !self.item_valid.q.val();
        self.rx.ready.next = advance;

        self.keep.x.next = self.rx.data.val();
        self.keep.bytes.next = self.rx.bytes.val();
        let left: Bits<K> = self.full.val() - self.rx.bytes.val();
        if advance {
            self.beat.d.next = self.keep.y.val();
            if self.fresh.q.val() {
                self.beat.d.next = self.keep.y.val() ^ self.start.val();
            }
            self.beat_valid.d.next = self.rx.valid.val();
            self.beat_first.d.next = self.fresh.q.val();
            self.beat_last.d.next = self.rx.last.val();
            self.beat_err.d.next = self.rx.err.val();
            self.beat_pad.d.next = bit_cast::<6, K>(left);
            if self.rx.valid.val() {
                self.fresh.d.next = self.rx.last.val();
            }
        }

        for i in 0..4 {
            self.quarter[i].x.next = self.beat.q.val();
            if advance {
                self.part[i].d.next = self.quarter[i].y.val();
            }
        }
        if advance {
            self.part_valid.d.next = self.beat_valid.q.val();
            self.part_first.d.next = self.beat_first.q.val();
            self.part_last.d.next = self.beat_last.q.val();
            self.part_err.d.next = self.beat_err.q.val();
            self.part_pad.d.next = self.beat_pad.q.val();
        }

        let parts: Bits<32> =
            ((self.part[0].q.val() ^ self.part[1].q.val()) ^ self.part[2].q.val()) ^ self.part[3].q.val();
        self.step.x.next = self.word[0].q.val();
        if advance {
            if self.part_valid.q.val() {
                self.word[0].d.next = parts;
                if !self.part_first.q.val() {
                    self.word[0].d.next = parts ^ self.step.y.val();
                }
            }
            self.word_valid[0].d.next = self.part_valid.q.val() && self.part_last.q.val();
            self.word_err[0].d.next = self.part_err.q.val();
            self.word_pad[0].d.next = self.part_pad.q.val();
        }

        for i in 0..3 {
            self.undo[2 * i].x.next = self.word[i].q.val();
            self.undo[2 * i].on.next = self.word_pad[i].q.val().get_bit(2 * i);
            self.undo[2 * i + 1].x.next = self.undo[2 * i].y.val();
            self.undo[2 * i + 1].on.next = self.word_pad[i].q.val().get_bit(2 * i + 1);
            if advance {
                self.word[i + 1].d.next = self.undo[2 * i + 1].y.val();
                self.word_valid[i + 1].d.next = self.word_valid[i].q.val();
                self.word_err[i + 1].d.next = self.word_err[i].q.val();
                self.word_pad[i + 1].d.next = self.word_pad[i].q.val();
            }
        }

        let crc: Bits<32> = !self.word[3].q.val();
        self.good.next = self.word[3].q.val() == self.residue.val();
        if advance {
            self.item_valid.d.next = self.word_valid[3].q.val();
            self.item.d.next = bit_cast::<34, 32>(crc)
                | (bit_cast::<34, 1>(self.good.val().into()) << 32)
                | (bit_cast::<34, 1>(self.word_err[3].q.val().into()) << 33);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_undone() {
        for count in 1..64 {
            let forward = (0..count).fold(0x1234_5678, |c, _| octet(c, 0));
            assert_eq!(undo_zeros(forward, count), 0x1234_5678);
        }
    }

    #[test]
    fn a_beat_is_the_sum_of_its_columns() {
        let beat = *b"\x80\x01\x00\xFE\xA5\x5A\x10\x7F";
        let bits = (0..64).filter(|i| beat[i / 8] >> (i % 8) & 1 == 1);
        let sum = bits.fold(0, |c, i| c ^ beat_column(8, i));
        assert_eq!(sum, beat.iter().fold(0, |c, o| octet(c, *o)));
    }
}
