//! What TCP tells of a connection becomes an event.
use crate::cell::Const;
use crate::gen::consts::event_kind;
use crate::gen::Event;
use crate::stream::Slot;
use crate::tcp::{ctl_kind, RxCtl};
use rust_hdl::prelude::*;

/// FIN and RST in order become `peer_fin` and `peer_reset`, octets behind the FIN `octets_after_fin`. An item of another kind is
/// dropped.
#[derive(LogicBlock, Default)]
pub struct CtlEvent {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// From TCP.
    pub ctl_item: Signal<In, RxCtl>,
    /// Offered.
    pub ctl_valid: Signal<In, Bit>,
    /// Taken.
    pub ctl_ready: Signal<Out, Bit>,
    /// To the event ring.
    pub event_item: Signal<Out, Event>,
    /// Offered.
    pub event_valid: Signal<Out, Bit>,
    /// Taken.
    pub event_ready: Signal<In, Bit>,
    slot: Slot<RxCtl>,
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
    told: Signal<Local, Event>,
}

impl CtlEvent {
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

impl Logic for CtlEvent {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, slot);
        self.slot.reset.next = self.reset.val();
        self.slot.d.next = self.ctl_item.val();
        self.slot.d_valid.next = self.ctl_valid.val();
        self.ctl_ready.next = self.slot.d_ready.val();
        self.is_fin.next = self.slot.q.val().kind == self.fin.val();
        self.is_rst.next = self.slot.q.val().kind == self.rst.val();
        self.is_late.next = self.slot.q.val().kind == self.late.val();
        self.is_known.next = self.is_fin.val() || self.is_rst.val() || self.is_late.val();
        self.told.next.kind = self.peer_fin.val();
        if self.is_rst.val() {
            self.told.next.kind = self.peer_reset.val();
        }
        if self.is_late.val() {
            self.told.next.kind = self.octets_after_fin.val();
        }
        self.told.next.number = bit_cast::<16, 8>(self.slot.q.val().qp);
        self.told.next.error = 0.into();
        self.told.next.info = 0.into();
        self.told.next.phase = false;
        self.event_item.next = self.told.val();
        self.event_valid.next = self.slot.q_valid.val() && self.is_known.val();
        self.slot.q_ready.next = self.event_ready.val() || !self.is_known.val();
    }
}
