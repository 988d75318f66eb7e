// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of records until the verdict on their frame, and until they are read.
use crate::prelude::*;

/// Holds 511 rows of 64 bits: at least two frames.
///
/// **Contract.** `row` is stored with `row_valid`. At the end of a frame, `ended` keeps the rows of
/// the frame with `keep`, and drops these rows otherwise. `full` says that a row of the frame found
/// no place: the owner does not keep such a frame. Rows come out only behind `keep`.
///
/// **Timing.** Two cycles from `keep` to the first row; a row a cycle.
#[block]
pub struct Store {
    /// Row to store, with `row_valid`.
    pub row: Signal<In, Bits<64>>,
    /// A row comes.
    pub row_valid: Signal<In, Bit>,
    /// Pulse: the frame has ended. No row comes with `ended`.
    pub ended: Signal<In, Bit>,
    /// With `ended`: the rows of the frame stay.
    pub keep: Signal<In, Bit>,
    /// A row of the frame found no place.
    pub full: Signal<Out, Bit>,
    /// Oldest row that stays, with `tx_valid`.
    pub tx: Signal<Out, Bits<64>>,
    /// A row is offered.
    pub tx_valid: Signal<Out, Bit>,
    /// The row is taken.
    pub tx_ready: Signal<In, Bit>,
    /// No row waits to be read.
    pub empty: Signal<Out, Bit>,
    ram: Sdp<Bits<64>, 9>,
    write: Reg<Bits<9>>,
    /// Behind the last row that stays.
    kept: Reg<Bits<9>>,
    read: Reg<Bits<9>>,
    lacks: Reg<Bit>,
    out_valid: Reg<Bit>,
}

impl Store {
    /// Nothing inside.
    pub fn new() -> Self {
        Self { ram: Sdp::block(), ..Default::default() }
    }
}

#[kernel]
impl Logic for Store {
    fn update(&mut self) {
        regs!(write, kept, read, lacks, out_valid);
        clocked!(ram);
        let write_up: Bits<9> = self.write.q.val() + 1;
        let read_up: Bits<9> = self.read.q.val() + 1;
        let fits: Bit = write_up != self.read.q.val();
        let stores: Bit = self.row_valid.val() && fits && !self.lacks.q.val();
        self.ram.write_enable.next = stores;
        self.ram.write_address.next = self.write.q.val();
        self.ram.write_data.next = self.row.val();
        self.full.next = self.lacks.q.val();
        if stores {
            self.write.d.next = write_up;
        }
        if self.row_valid.val() && !fits {
            self.lacks.d.next = true;
        }
        if self.ended.val() {
            self.lacks.d.next = false;
            if self.keep.val() {
                self.kept.d.next = self.write.q.val();
            } else {
                self.write.d.next = self.kept.q.val();
            }
        }
        let some: Bit = self.read.q.val() != self.kept.q.val();
        let loads: Bit = some && (!self.out_valid.q.val() || self.tx_ready.val());
        self.ram.read_enable.next = loads;
        self.ram.read_address.next = self.read.q.val();
        self.tx.next = self.ram.read_data.val();
        self.tx_valid.next = self.out_valid.q.val();
        self.empty.next = !some && !self.out_valid.q.val();
        if self.tx_ready.val() {
            self.out_valid.d.next = false;
        }
        if loads {
            self.read.d.next = read_up;
            self.out_valid.d.next = true;
        }
    }
}
