// SPDX-License-Identifier: MIT OR Apache-2.0
//! What TCP and MPA tell of a connection becomes an event.
use crate::cell::Const;
use crate::gen::consts::event_kind;
use crate::gen::Event;
use crate::record::{ctl_kind, RxCtl};
use crate::stream::{Hold, ItemSink, ItemSource, Queue};
use rust_hdl::prelude::*;

/// RST in order becomes `peer_reset`. When MPA is done with all of a stream, its end becomes
/// `peer_fin`, and octets behind it `octets_after_fin`. An item of another kind is dropped.
///
/// Both have a place for each connection. An item of TCP goes first; what was chosen is in the slot
/// at once, so that it stays the choice. `C` = log2 of the connections, `E` = `C` + 1.
#[derive(LogicBlock, Default)]
pub struct CtlEvent<const C: usize, const E: usize> {
    /// Clock of all state.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
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
    fin: Const<Bits<3>>,
    rst: Const<Bits<3>>,
    late: Const<Bits<3>>,
    peer_fin: Const<Bits<8>>,
    peer_reset: Const<Bits<8>>,
    octets_after_fin: Const<Bits<8>>,
    is_fin: Signal<Local, Bit>,
    is_rst: Signal<Local, Bit>,
    is_late: Signal<Local, Bit>,
    is_known: Signal<Local, Bit>,
    end_item: Signal<Local, Bits<E>>,
    end_qp: Signal<Local, Bits<E>>,
    next_item: Signal<Local, RxCtl>,
    told: Signal<Local, Event>,
}

impl<const C: usize, const E: usize> CtlEvent<C, E> {
    /// Nothing was told yet.
    pub fn new() -> Self {
        Self {
            fin: Const::of(ctl_kind::FIN),
            rst: Const::of(ctl_kind::RST),
            late: Const::of(ctl_kind::LATE),
            peer_fin: event_kind::peer_fin(),
            peer_reset: event_kind::peer_reset(),
            octets_after_fin: event_kind::octets_after_fin(),
            ..Default::default()
        }
    }
}

impl<const C: usize, const E: usize> Logic for CtlEvent<C, E> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ends, slot);
        self.ends.reset.next = self.reset.val();
        self.slot.reset.next = self.reset.val();
        self.ends.rx.item.next =
            (bit_cast::<E, C>(self.done_conn.val()) << 1) | bit_cast::<E, 1>(self.done_late.val().into());
        self.ends.rx.valid.next = self.done_valid.val() && (self.done_ends.val() || self.done_late.val());
        self.ends.tx.ready.next = self.slot.rx.ready.val() && !self.ctl.valid.val();
        self.end_item.next = self.ends.tx.item.val();
        self.end_qp.next = self.end_item.val() >> 1;
        self.next_item.next.qp = bit_cast::<8, E>(self.end_qp.val());
        self.next_item.next.kind = self.fin.val();
        if self.end_item.val().get_bit(0) {
            self.next_item.next.kind = self.late.val();
        }
        if self.ctl.valid.val() {
            self.next_item.next = self.ctl.item.val();
        }
        self.slot.rx.item.next = self.next_item.val();
        self.slot.rx.valid.next = self.ctl.valid.val() || self.ends.tx.valid.val();
        self.ctl.ready.next = self.slot.rx.ready.val();
        self.is_fin.next = self.slot.tx.item.val().kind == self.fin.val();
        self.is_rst.next = self.slot.tx.item.val().kind == self.rst.val();
        self.is_late.next = self.slot.tx.item.val().kind == self.late.val();
        self.is_known.next = self.is_fin.val() || self.is_rst.val() || self.is_late.val();
        self.told.next.kind = self.peer_fin.val();
        if self.is_rst.val() {
            self.told.next.kind = self.peer_reset.val();
        }
        if self.is_late.val() {
            self.told.next.kind = self.octets_after_fin.val();
        }
        self.told.next.number = bit_cast::<16, 8>(self.slot.tx.item.val().qp);
        self.told.next.error = 0.into();
        self.told.next.info = 0.into();
        self.told.next.phase = false;
        self.event.item.next = self.told.val();
        self.event.valid.next = self.slot.tx.valid.val() && self.is_known.val();
        self.slot.tx.ready.next = self.event.ready.val() || !self.is_known.val();
        self.waits.next = self.ends.tx.valid.val() || self.slot.tx.valid.val();
    }
}
