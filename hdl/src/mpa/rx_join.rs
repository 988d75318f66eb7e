// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets of a beat behind those that wait for their word: whole words and what is left.
use rust_hdl::prelude::*;

/// Combinational part of [`super::rx_frame::RxFrame`]: joins up to three octets and a beat.
///
/// `W`-bit beats; `K` bits hold `0..=W/8 + 3`, `LK` bits `0..=W/32`, `WC` = `W + 32`.
#[derive(LogicBlock, Default)]
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
    joined: Signal<Local, Bits<WC>>,
    shift8: Signal<Local, Bits<5>>,
    total: Signal<Local, Bits<K>>,
    in_words: Signal<Local, Bits<LK>>,
    in_left: Signal<Local, Bits<2>>,
    tail_shift: Signal<Local, Bits<10>>,
    tail: Signal<Local, Bits<WC>>,
}

impl<const W: usize, const K: usize, const LK: usize, const WC: usize> Logic for RxJoin<W, K, LK, WC> {
    #[hdl_gen]
    fn update(&mut self) {
        self.in_carry.next = self.carry.val();
        self.in_odd.next = self.odd.val();
        if !self.runs.val() {
            self.in_odd.next = self.next_odd.val();
        }
        if !self.runs.val() && !self.forward.val() {
            self.in_carry.next = self.next_carry.val();
        }
        self.shift8.next = bit_cast::<5, 2>(self.in_odd.val()) << 3;
        self.joined.next = (bit_cast::<WC, W>(self.data.val()) << self.shift8.val())
            | bit_cast::<WC, 24>(self.in_carry.val());
        self.total.next = self.bytes.val() + bit_cast::<K, 2>(self.in_odd.val());
        self.in_words.next = self.total.val().get_bits::<LK>(2);
        self.in_left.next = self.total.val().get_bits::<2>(0);
        self.tail_shift.next = bit_cast::<10, LK>(self.in_words.val()) << 5;
        self.tail.next = self.joined.val() >> self.tail_shift.val();
        self.carry_up.next = self.tail.val().get_bits::<24>(0);
        if self.in_left.val() == 0 {
            self.carry_up.next = 0.into();
        }
        if self.in_left.val() == 1 {
            self.carry_up.next = bit_cast::<24, 8>(self.tail.val().get_bits::<8>(0));
        }
        if self.in_left.val() == 2 {
            self.carry_up.next = bit_cast::<24, 16>(self.tail.val().get_bits::<16>(0));
        }
        self.win.next = self.joined.val().get_bits::<W>(0);
        self.words.next = self.in_words.val();
        self.odd_up.next = self.in_left.val();
        self.waited.next = self.in_carry.val();
    }
}
