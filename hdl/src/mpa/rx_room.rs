// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the open FPDU stands in its connection's ring of rows, and whether there is room for more
//! of it.
use crate::prelude::*;

/// Combinational part of [`super::rx_frame::RxFrame`]. Rows of `2^S` words, `2^A` rows a
/// connection.
///
/// Two rows stay free, so that no row is written while it is read.
#[block(comb)]
pub struct RxRoom<const S: usize, const A: usize> {
    /// First row of the FPDU.
    pub start: Signal<In, Bits<12>>,
    /// First row that is not read.
    pub unread: Signal<In, Bits<12>>,
    /// Words of the FPDU in the ring.
    pub fill: Signal<In, Bits<16>>,
    /// Words to come.
    pub net: Signal<In, Bits<16>>,
    /// There is room for them.
    pub room: Signal<Out, Bit>,
    /// Words with them.
    pub fill_up: Signal<Out, Bits<16>>,
    /// Row after those.
    pub start_up: Signal<Out, Bits<12>>,
}

#[kernel]
impl<const S: usize, const A: usize> Logic for RxRoom<S, A> {
    fn update(&mut self) {
        let fill_s: Bits<16> = self.fill.val() >> lit::<3>(S);
        let fill_rows: Bits<12> = fill_s.get_bits::<12>(0);
        let row_now: Bits<12> = self.start.val() + fill_rows;
        let held: Bits<12> = row_now - self.unread.val();
        let held_a: Bits<A> = held.get_bits::<A>(0);
        self.room.next = held_a < lit::<A>((1 << A) - 2);
        let sum: Bits<16> = self.fill.val() + self.net.val();
        let rows_up: Bits<16> = sum + lit::<16>((1 << S) - 1);
        let rows_s: Bits<16> = rows_up >> lit::<3>(S);
        let rows12: Bits<12> = rows_s.get_bits::<12>(0);
        let after: Bits<12> = self.start.val() + rows12;
        self.fill_up.next = sum;
        self.start_up.next = after & lit::<12>((1 << A) - 1);
    }
}
