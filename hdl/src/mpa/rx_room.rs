// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the open FPDU stands in its connection's ring of rows, and whether there is room for more
//! of it.
use crate::cell::Const;
use rust_hdl::prelude::*;

/// Combinational part of [`super::rx_frame::RxFrame`]. Rows of `2^S` words, `2^A` rows a
/// connection.
///
/// Two rows stay free, so that no row is written while it is read.
#[derive(LogicBlock, Default)]
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
    k_rows: Const<Bits<A>>,
    k_up: Const<Bits<16>>,
    k_s: Const<Bits<3>>,
    low_a: Const<Bits<12>>,
    row_now: Signal<Local, Bits<12>>,
    held: Signal<Local, Bits<12>>,
    held_a: Signal<Local, Bits<A>>,
    fill_s: Signal<Local, Bits<16>>,
    fill_rows: Signal<Local, Bits<12>>,
    sum: Signal<Local, Bits<16>>,
    rows_up: Signal<Local, Bits<16>>,
    rows_s: Signal<Local, Bits<16>>,
    rows12: Signal<Local, Bits<12>>,
    after: Signal<Local, Bits<12>>,
}

impl<const S: usize, const A: usize> RxRoom<S, A> {
    /// An empty ring has all but two rows.
    pub fn new() -> Self {
        Self {
            k_rows: Const::of((1 << A) - 2),
            k_up: Const::of((1 << S) - 1),
            k_s: Const::of(S),
            low_a: Const::of((1 << A) - 1),
            ..Default::default()
        }
    }
}

impl<const S: usize, const A: usize> Logic for RxRoom<S, A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.fill_s.next = self.fill.val() >> self.k_s.val();
        self.fill_rows.next = self.fill_s.val().get_bits::<12>(0);
        self.row_now.next = self.start.val() + self.fill_rows.val();
        self.held.next = self.row_now.val() - self.unread.val();
        self.held_a.next = self.held.val().get_bits::<A>(0);
        self.room.next = self.held_a.val() < self.k_rows.val();
        self.sum.next = self.fill.val() + self.net.val();
        self.rows_up.next = self.sum.val() + self.k_up.val();
        self.rows_s.next = self.rows_up.val() >> self.k_s.val();
        self.rows12.next = self.rows_s.val().get_bits::<12>(0);
        self.after.next = self.start.val() + self.rows12.val();
        self.fill_up.next = self.sum.val();
        self.start_up.next = self.after.val() & self.low_a.val();
    }
}
