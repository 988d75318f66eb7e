// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reassembly buffers: a ring of rows a connection, in one RAM of word-wide banks.
use super::rx_row::RxPiece;
use crate::prelude::*;

/// Takes pieces, squeezes the marker out, turns the words to their banks and writes them; reads
/// whole rows.
///
/// A bank a word of the beat, so that a piece may begin in any word: no row is read to be written.
/// A piece is in the RAM two cycles after it was offered. `CA` = `C + A` is the address width.
#[block]
pub struct RxStore<
    const W: usize,
    const LN: usize,
    const LK: usize,
    const S: usize,
    const C: usize,
    const CA: usize,
> {
    /// Pulse: a piece.
    pub p_valid: Signal<In, Bit>,
    /// Words of the piece.
    pub p_data: Signal<In, Bits<W>>,
    /// What the piece is.
    pub p_item: Signal<In, RxPiece>,
    /// Reads a row.
    pub read_enable: Signal<In, Bit>,
    /// Connection and row.
    pub read_address: Signal<In, Bits<CA>>,
    /// The row, from the cycle after on.
    pub read_data: Signal<Out, Bits<W>>,

    banks: Vec<Sdp<Bits<32>, CA>>,
    write: Vec<Reg<Bit>>,
    address: Vec<Flop<Bits<CA>>>,
    data: Flop<Bits<W>>,
    lanes: Vec<Const<Bits<4>>>,
    word: Vec<Const<Bits<W>>>,
    step: Vec<Const<Bits<10>>>,
    back: Vec<Const<Bits<10>>>,
    low_a: Const<Bits<CA>>,
    net: Signal<Local, Bits<5>>,
    keep: Signal<Local, Bits<W>>,
    turned: Signal<Local, Bits<W>>,
    nth5: Signal<Local, Bits<5>>,
    nth: Signal<Local, Bits<4>>,
    read: Signal<Local, Bits<W>>,
    one: Signal<Local, Bits<32>>,
    place: Vec<Const<Bits<10>>>,
}

impl<const W: usize, const LN: usize, const LK: usize, const S: usize, const C: usize, const CA: usize>
    RxStore<W, LN, LK, S, C, CA>
{
    /// Buffers of `2^(CA - C)` rows a connection.
    pub fn new() -> Self {
        assert!(LN == W / 32 && LN == 1 << S && LK == S + 1 && CA > C);
        Self {
            banks: (0..LN).map(|_| Sdp::default()).collect(),
            write: (0..LN).map(|_| Reg::default()).collect(),
            address: (0..LN).map(|_| Flop::default()).collect(),
            word: (0..LN).map(|i| Const::new(Bits::<W>::from(0xFFFF_FFFF_u64) << (32 * i) as u64)).collect(),
            place: (0..LN).map(|i| Const::of(32 * i)).collect(),
            lanes: (0..LN).map(Const::of).collect(),
            step: (0..S).map(|i| Const::of(32 << i)).collect(),
            back: (0..S).map(|i| Const::of(W - (32 << i))).collect(),
            low_a: Const::of((1 << (CA - C)) - 1),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const LN: usize, const LK: usize, const S: usize, const C: usize, const CA: usize> Logic
    for RxStore<W, LN, LK, S, C, CA>
{
    fn update(&mut self) {
        flops!(data);
        // The marker is squeezed out: words above it move down by one.
        self.keep.next = 0.into();
        for i in 0..LN {
            if !self.p_item.val().has_marker || (self.p_item.val().marker > self.lanes[i].val()) {
                self.keep.next = self.keep.val() | self.word[i].val();
            }
        }
        let dense: Bits<W> =
            (self.p_data.val() & self.keep.val()) | ((self.p_data.val() >> 32) & (!self.keep.val()));
        self.net.next = self.p_item.val().words;
        if self.p_item.val().has_marker && self.p_item.val().words.any() {
            self.net.next = self.p_item.val().words - 1;
        }

        // Word `nth` of the piece goes to bank `i`; the first one to bank `lane`.
        let fill: Bits<16> = self.p_item.val().fill;
        let lane: Bits<4> = fill.get_bits::<4>(0) & lit::<4>(LN - 1);
        self.turned.next = dense;
        for i in 0..S {
            if lane.get_bit(i) {
                self.turned.next =
                    (self.turned.val() << self.step[i].val()) | (self.turned.val() >> self.back[i].val());
            }
        }
        self.data.d.next = self.turned.val();
        let fill_s: Bits<16> = fill >> lit::<3>(S);
        let row: Bits<12> = self.p_item.val().start + fill_s.get_bits::<12>(0);
        let row_up: Bits<12> = row + 1;
        let base: Bits<CA> = bit_cast::<CA, 8>(self.p_item.val().conn) << lit::<5>(CA - C);
        let here: Bits<CA> = base | (bit_cast::<CA, 12>(row) & self.low_a.val());
        let above: Bits<CA> = base | (bit_cast::<CA, 12>(row_up) & self.low_a.val());
        let wide: Bits<W> = self.data.q.val();
        for i in 0..LN {
            self.nth.next = (self.lanes[i].val() - lane) & lit::<4>(LN - 1);
            self.nth5.next = bit_cast::<5, 4>(self.nth.val());
            self.write[i].clock.next = self.clock.val();
            self.write[i].reset.next = self.reset.val();
            self.write[i].d.next = self.p_valid.val() && (self.nth5.val() < self.net.val());
            self.address[i].clock.next = self.clock.val();
            self.address[i].d.next = here;
            if self.lanes[i].val() < lane {
                self.address[i].d.next = above;
            }
            self.banks[i].clock.next = self.clock.val();
            self.banks[i].write_enable.next = self.write[i].q.val();
            self.banks[i].write_address.next = self.address[i].q.val();
            self.banks[i].write_data.next = wide.get_bits::<32>(32 * i);
            self.banks[i].read_enable.next = self.read_enable.val();
            self.banks[i].read_address.next = self.read_address.val();
        }
        self.read.next = 0.into();
        for i in 0..LN {
            self.one.next = self.banks[i].read_data.val();
            self.read.next = self.read.val() | (bit_cast::<W, 32>(self.one.val()) << self.place[i].val());
        }
        self.read_data.next = self.read.val();
    }
}
