// SPDX-License-Identifier: MIT OR Apache-2.0
//! What TCP and MPA tell of a connection becomes an event.
use crate::gen::consts::event_kind;
use crate::gen::Event;
use crate::prelude::*;
use crate::record::{ctl_kind, RxCtl};
use crate::stream::{Hold, ItemSink, ItemSource, Queue};

/// RST in order becomes `peer_reset`. When MPA is done with all of a stream, its end becomes
/// `peer_fin`, and octets behind it `octets_after_fin`. An item of another kind is dropped.
///
/// Both have a place for each connection. An item of TCP goes first; what was chosen is in the slot
/// at once, so that it stays the choice. `C` = log2 of the connections, `E` = `C` + 1.
#[block]
pub struct CtlEvent<const C: usize, const E: usize> {
    /// From TCP.
    pub ctl: ItemSink<RxCtl>,
    /// From MPA: connection of an ack point.
    pub done_conn: Signal<In, Bits<C>>,
    /// Its stream ends there.
    pub done_ends: Signal<In, Bit>,
    /// Octets came behind the end.
    pub done_late: Signal<In, Bit>,
    /// In this cycle.
    pub done_valid: Signal<In, Bit>,
    /// To the event ring.
    pub event: ItemSource<Event>,
    /// Something was told here that was not taken as an event.
    pub waits: Signal<Out, Bit>,
    ends: Queue<Bits<E>, E>,
    slot: Hold<RxCtl>,
    next_item: Signal<Local, RxCtl>,
    told: Signal<Local, Event>,
}

impl<const C: usize, const E: usize> CtlEvent<C, E> {
    /// Nothing was told yet.
    pub fn new() -> Self {
        Self { ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const E: usize> Logic for CtlEvent<C, E> {
    fn update(&mut self) {
        parts!(ends, slot);
        self.ends.rx.item.next =
            (bit_cast::<E, C>(self.done_conn.val()) << 1) | bit_cast::<E, 1>(self.done_late.val().into());
        self.ends.rx.valid.next = self.done_valid.val() && (self.done_ends.val() || self.done_late.val());
        self.ends.tx.ready.next = self.slot.rx.ready.val() && !self.ctl.valid.val();
        let end_item: Bits<E> = self.ends.tx.item.val();
        let end_qp: Bits<E> = end_item >> 1;
        self.next_item.next.qp = bit_cast::<8, E>(end_qp);
        self.next_item.next.kind = lit::<3>(ctl_kind::FIN);
        if end_item.get_bit(0) {
            self.next_item.next.kind = lit::<3>(ctl_kind::LATE);
        }
        if self.ctl.valid.val() {
            self.next_item.next = self.ctl.item.val();
        }
        self.slot.rx.item.next = self.next_item.val();
        self.slot.rx.valid.next = self.ctl.valid.val() || self.ends.tx.valid.val();
        self.ctl.ready.next = self.slot.rx.ready.val();
        let is_fin: Bit = self.slot.tx.item.val().kind == lit::<3>(ctl_kind::FIN);
        let is_rst: Bit = self.slot.tx.item.val().kind == lit::<3>(ctl_kind::RST);
        let is_late: Bit = self.slot.tx.item.val().kind == lit::<3>(ctl_kind::LATE);
        let is_known: Bit = is_fin || is_rst || is_late;
        self.told.next.kind = event_kind::peer_fin().val();
        if is_rst {
            self.told.next.kind = event_kind::peer_reset().val();
        }
        if is_late {
            self.told.next.kind = event_kind::octets_after_fin().val();
        }
        self.told.next.number = bit_cast::<16, 8>(self.slot.tx.item.val().qp);
        self.told.next.error = 0.into();
        self.told.next.info = 0.into();
        self.told.next.phase = false;
        self.event.item.next = self.told.val();
        self.event.valid.next = self.slot.tx.valid.val() && is_known;
        self.slot.tx.ready.next = self.event.ready.val() || !is_known;
        self.waits.next = self.ends.tx.valid.val() || self.slot.tx.valid.val();
    }
}
