// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places of pieces of payload: which are free, and which belong together in which order.
use crate::prelude::*;
use crate::record::TxTaken;
use crate::stream::{ItemSource, Queue};

const ALL: usize = 28;

/// 28 places. The pieces of a ULPDU are a list: the first place stands under its slot, each other
/// one under the place before.
///
/// A read has its place's number as tag. With 28 of them the other clients of the bus always find
/// four of its 32 tags.
#[block(clock)]
pub struct TxPlaces {
    /// Synchronous reset: all places are free, 28 cycles later.
    pub reset: Signal<In, Bit>,
    /// Free places.
    pub place: ItemSource<Bits<5>>,
    /// Whose piece a place is taken for; with `place.ready`.
    pub taken: Signal<In, TxTaken>,
    /// The piece is the first of its ULPDU.
    pub begins: Signal<In, Bit>,
    /// A place of which octets come.
    pub came: Signal<In, Bits<5>>,
    /// Whose it is.
    pub came_of: Signal<Out, TxTaken>,
    /// A slot.
    pub slot: Signal<In, Bits<3>>,
    /// Its first place.
    pub first: Signal<Out, Bits<5>>,
    /// A place that is read.
    pub at: Signal<In, Bits<5>>,
    /// The place behind it.
    pub next_at: Signal<Out, Bits<5>>,
    /// It is free from now on.
    pub give: Signal<In, Bit>,
    /// After reset: `fill` becomes free.
    pub filling: Signal<Out, Bit>,
    /// See `filling`.
    pub fill: Signal<Out, Bits<5>>,
    free: Queue<Bits<5>, 5>,
    owners: LutRam<TxTaken, 5>,
    firsts: LutRam<Bits<5>, 3>,
    behind: LutRam<Bits<5>, 5>,
    prior: Flop<Bits<5>>,
    filled: Reg<Bits<5>>,
    who: Signal<Local, TxTaken>,
}

#[kernel]
impl Logic for TxPlaces {
    fn update(&mut self) {
        regs!(filled);
        flops!(prior);
        parts!(free);
        clocked!(owners, firsts, behind);
        let fills: Bit = self.filled.q.val() != lit::<5>(ALL);
        self.filling.next = fills;
        self.fill.next = self.filled.q.val();
        self.free.rx.item.next = self.at.val();
        self.free.rx.valid.next = self.give.val() || fills;
        if fills {
            self.filled.d.next = self.filled.q.val() + 1;
            self.free.rx.item.next = self.filled.q.val();
        }

        self.who.next = self.taken.val();
        self.place.item.next = self.free.tx.item.val();
        self.place.valid.next = self.free.tx.valid.val() && !fills;
        let gets: Bit = self.place.ready.val() && self.free.tx.valid.val() && !fills;
        self.free.tx.ready.next = gets;
        if gets {
            self.prior.d.next = self.free.tx.item.val();
        }
        self.owners.write_enable.next = gets;
        self.owners.write_address.next = self.free.tx.item.val();
        self.owners.write_data.next = self.who.val();
        self.firsts.write_enable.next = gets && self.begins.val();
        self.firsts.write_address.next = self.who.val().slot;
        self.firsts.write_data.next = self.free.tx.item.val();
        self.behind.write_enable.next = gets && !self.begins.val();
        self.behind.write_address.next = self.prior.q.val();
        self.behind.write_data.next = self.free.tx.item.val();

        self.owners.read_address.next = self.came.val();
        self.came_of.next = self.owners.read_data.val();
        self.firsts.read_address.next = self.slot.val();
        self.first.next = self.firsts.read_data.val();
        self.behind.read_address.next = self.at.val();
        self.next_at.next = self.behind.read_data.val();
    }
}
