// SPDX-License-Identifier: MIT OR Apache-2.0
//! A part of a read leaves under a tag of PCI Express.
use super::ports::{Issue, Part};
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource};

/// Code of the longest request: a slot of the store, 512 octets.
const SLOT: usize = 2;

/// Gives each part a free tag. Combinational.
#[block(comb)]
pub struct ReadIssue {
    /// Max_Read_Request_Size of Device Control.
    pub mrrs: Signal<In, Bits<3>>,
    /// Code of the size at which the cutter cuts: `mrrs`, at most a slot.
    pub size: Signal<Out, Bits<3>>,
    /// Parts under the device's tags.
    pub rx: ItemSink<Part>,
    /// A tag that is free.
    pub free: Signal<In, Bits<5>>,
    /// There is one.
    pub free_valid: Signal<In, Bit>,
    /// Parts under their tags of PCI Express.
    pub tx: ItemSource<Part>,
    /// What is kept of the part on `tx`.
    pub issue: Signal<Out, Issue>,
    /// Pulse: the part on `tx` is taken.
    pub issued: Signal<Out, Bit>,
    part: Signal<Local, Part>,
    kept: Signal<Local, Issue>,
}

#[kernel]
impl Logic for ReadIssue {
    fn update(&mut self) {
        self.size.next = self.mrrs.val();
        if self.mrrs.val() > lit::<3>(SLOT) {
            self.size.next = lit::<3>(SLOT);
        }
        self.rx.ready.next = self.free_valid.val() && self.tx.ready.val();
        let goes: Bit = self.rx.valid.val() && self.free_valid.val() && self.tx.ready.val();
        self.part.next = self.rx.item.val();
        self.part.next.tag = bit_cast::<8, 5>(self.free.val());
        self.tx.item.next = self.part.val();
        self.tx.valid.next = goes;
        self.kept.next.tag = self.free.val();
        self.kept.next.addr = bit_cast::<9, 64>(self.rx.item.val().addr);
        self.kept.next.length = bit_cast::<10, 13>(self.rx.item.val().length);
        self.kept.next.whose = bit_cast::<5, 8>(self.rx.item.val().tag);
        self.kept.next.first = self.rx.item.val().first;
        self.kept.next.last = self.rx.item.val().last;
        self.issue.next = self.kept.val();
        self.issued.next = goes;
    }
}
