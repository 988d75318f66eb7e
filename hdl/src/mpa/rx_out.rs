// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader: whole FPDUs from the buffers to the output, verdicts in the same order.
use super::rx_row::{verdict, RxDone};
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource, StreamSource};

/// Reads the rows of a good FPDU (ULPDU_Length and ULPDU, without pad and CRC) as a frame; says
/// each verdict.
///
/// The metadata item is offered with or before the frame's first beat; an item whose verdict is not
/// good has no frame. Rows are freed as they are read. At most one cycle between two FPDUs.
#[block]
pub struct RxOut<const W: usize, const K: usize, const S: usize, const C: usize, const CA: usize> {
    /// What became of an FPDU.
    /// It is taken over.
    pub done: ItemSink<RxDone>,
    /// Reads a row of the store.
    pub read_enable: Signal<Out, Bit>,
    /// Connection and row.
    pub read_address: Signal<Out, Bits<CA>>,
    /// The row, one cycle later.
    pub read_data: Signal<In, Bits<W>>,
    /// Rows before this one are free.
    pub free_row: Signal<Out, Bits<12>>,
    /// Of this connection.
    pub free_conn: Signal<Out, Bits<C>>,
    /// In this cycle.
    pub free_valid: Signal<Out, Bit>,
    /// FPDU or verdict.
    pub meta: ItemSource<RxDone>,
    /// ULPDU_Length and ULPDU.
    pub tx: StreamSource<W, K>,

    busy: Reg<Bit>,
    freeing: Reg<Bit>,
    item: Flop<RxDone>,
    row: Flop<Bits<12>>,
    left: Flop<Bits<17>>,
    m_valid: Reg<Bit>,
    m_item: Flop<RxDone>,
    r_valid: Reg<Bit>,
    r_last: Flop<Bit>,
    r_bytes: Flop<Bits<K>>,

    low_a: Const<Bits<12>>,
    now_free: Signal<Local, Bits<12>>,
}

impl<const W: usize, const K: usize, const S: usize, const C: usize, const CA: usize> RxOut<W, K, S, C, CA> {
    /// A reader for buffers of `2^(CA - C)` rows.
    pub fn new() -> Self {
        Self { low_a: Const::of((1 << (CA - C)) - 1), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const K: usize, const S: usize, const C: usize, const CA: usize> Logic
    for RxOut<W, K, S, C, CA>
{
    fn update(&mut self) {
        regs!(busy, freeing, m_valid, r_valid);
        flops!(item, row, left, m_item, r_last, r_bytes);

        // A row is asked for while the one before it leaves.
        let advance: Bit = self.tx.ready.val() || !self.r_valid.q.val();
        let issue: Bit = self.busy.q.val() && advance;
        let last: Bit = self.left.q.val() <= lit::<17>(W / 8);
        let row_up: Bits<12> = (self.row.q.val() + 1) & self.low_a.val();
        self.now_free.next = row_up;
        if last {
            self.now_free.next = self.item.q.val().after;
        }
        self.read_enable.next = issue;
        self.read_address.next = (bit_cast::<CA, 8>(self.item.q.val().conn) << lit::<5>(CA - C))
            | bit_cast::<CA, 12>(self.row.q.val());
        if advance {
            self.r_valid.d.next = self.busy.q.val();
            self.r_last.d.next = last;
            self.r_bytes.d.next = lit::<K>(W / 8);
            if last {
                self.r_bytes.d.next = self.left.q.val().get_bits::<K>(0);
            }
        }
        if issue {
            self.row.d.next = row_up;
            self.left.d.next = self.left.q.val() - lit::<17>(W / 8);
            if last {
                self.busy.d.next = false;
            }
        }

        // The next item is taken over with the last row of the one before, when the metadata
        // register is free.
        let m_free: Bit = self.meta.ready.val() || !self.m_valid.q.val();
        let load: Bit = self.done.valid.val()
            && (m_free || self.done.item.val().silent)
            && (!self.busy.q.val() || (issue && last));
        let reads: Bit =
            !self.done.item.val().silent && (self.done.item.val().verdict == lit::<3>(verdict::GOOD));
        self.done.ready.next = load;
        if self.meta.ready.val() {
            self.m_valid.d.next = false;
        }
        self.free_valid.next = issue;
        self.free_row.next = self.now_free.val();
        self.free_conn.next = bit_cast::<C, 8>(self.item.q.val().conn);
        if load {
            self.item.d.next = self.done.item.val();
            self.row.d.next = self.done.item.val().start;
            self.left.d.next = bit_cast::<17, 16>(self.done.item.val().length) + 2;
            if reads {
                self.busy.d.next = true;
            }
            if !self.done.item.val().silent {
                self.m_valid.d.next = true;
                self.m_item.d.next = self.done.item.val();
            }
        }
        // Rows of an FPDU that is not read are freed in one go, while nothing else is freed.
        self.freeing.d.next = load && !reads;
        if self.freeing.q.val() {
            self.free_valid.next = true;
            self.free_row.next = self.item.q.val().after;
        }

        self.meta.item.next = self.m_item.q.val();
        self.meta.valid.next = self.m_valid.q.val();
        self.tx.data.next = self.read_data.val();
        self.tx.bytes.next = self.r_bytes.q.val();
        self.tx.last.next = self.r_last.q.val();
        self.tx.err.next = false;
        self.tx.valid.next = self.r_valid.q.val();
    }
}
