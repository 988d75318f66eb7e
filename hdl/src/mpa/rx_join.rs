// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets of a beat behind those that wait for their word: whole words and what is left.
use crate::prelude::*;

/// Combinational part of [`super::rx_frame::RxFrame`]: joins up to three octets and a beat.
///
/// `W`-bit beats; `K` bits hold `0..=W/8 + 3`, `LK` bits `0..=W/32`, `WC` = `W + 32`.
#[block(comb)]
pub struct RxJoin<const W: usize, const K: usize, const LK: usize, const WC: usize> {
    /// A segment is under way; else the next one begins with the beat.
    pub runs: Signal<In, Bit>,
    /// The next segment is of the same connection.
    pub forward: Signal<In, Bit>,
    /// Octets of the connection that wait, the first in bits 7:0; the others are zero.
    pub carry: Signal<In, Bits<24>>,
    /// How many, 0 to 3.
    pub odd: Signal<In, Bits<2>>,
    /// Octets that wait in the next segment's row.
    pub next_carry: Signal<In, Bits<24>>,
    /// How many wait before the next segment.
    pub next_odd: Signal<In, Bits<2>>,
    /// The beat.
    pub data: Signal<In, Bits<W>>,
    /// Its octets.
    pub bytes: Signal<In, Bits<K>>,
    /// Whole words, the first in bits 31:0.
    pub win: Signal<Out, Bits<W>>,
    /// How many.
    pub words: Signal<Out, Bits<LK>>,
    /// Octets behind them, as `carry`.
    pub carry_up: Signal<Out, Bits<24>>,
    /// How many.
    pub odd_up: Signal<Out, Bits<2>>,
    /// Octets before the beat.
    pub waited: Signal<Out, Bits<24>>,
    in_carry: Signal<Local, Bits<24>>,
    in_odd: Signal<Local, Bits<2>>,
}

#[kernel]
impl<const W: usize, const K: usize, const LK: usize, const WC: usize> Logic for RxJoin<W, K, LK, WC> {
    fn update(&mut self) {
        self.in_carry.next = self.carry.val();
        self.in_odd.next = self.odd.val();
        if !self.runs.val() {
            self.in_odd.next = self.next_odd.val();
        }
        if !self.runs.val() && !self.forward.val() {
            self.in_carry.next = self.next_carry.val();
        }
        let shift8: Bits<5> = bit_cast::<5, 2>(self.in_odd.val()) << 3;
        let joined: Bits<WC> =
            (bit_cast::<WC, W>(self.data.val()) << shift8) | bit_cast::<WC, 24>(self.in_carry.val());
        let total: Bits<K> = self.bytes.val() + bit_cast::<K, 2>(self.in_odd.val());
        let in_words: Bits<LK> = total.get_bits::<LK>(2);
        let in_left: Bits<2> = total.get_bits::<2>(0);
        let tail_shift: Bits<10> = bit_cast::<10, LK>(in_words) << 5;
        let tail: Bits<WC> = joined >> tail_shift;
        self.carry_up.next = tail.get_bits::<24>(0);
        if in_left == 0 {
            self.carry_up.next = 0.into();
        }
        if in_left == 1 {
            self.carry_up.next = bit_cast::<24, 8>(tail.get_bits::<8>(0));
        }
        if in_left == 2 {
            self.carry_up.next = bit_cast::<24, 16>(tail.get_bits::<16>(0));
        }
        self.win.next = joined.get_bits::<W>(0);
        self.words.next = in_words;
        self.odd_up.next = in_left;
        self.waited.next = self.in_carry.val();
    }
}
