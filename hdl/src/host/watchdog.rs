// SPDX-License-Identifier: MIT OR Apache-2.0
//! The watchdog: which channels have waited for too long.
use crate::cell::{Const, Flop, LutRam, Reg};
use crate::gen::consts::event_kind;
use crate::gen::Event;
use crate::stream::ItemSource;
use rust_hdl::prelude::*;

/// Bits of the limit in ticks.
pub const LIMIT: usize = 12;
/// Handshakes of receive that are watched: heads and octets into `ddp`; commands, octets and
/// completions out of it, and Sends that wait for a receive.
const RECEIVES: usize = 6;
/// Those of transmit: items and octets out of the send queue.
const TRANSMITS: usize = 2;
/// Both.
const WATCHED: usize = RECEIVES + TRANSMITS;

/// Tells by an event `stalled` of each channel that has waited for `limit` ticks without a
/// transfer. Channels, by their bit: commands of the admin port, receive, transmit, frames for the
/// wire.
///
/// **Contract.** A stall is told between `limit` and `limit` + 1 ticks after its begin, and once. A
/// channel is told again when it has moved since. A stall whose event waits for room is not
/// forgotten when the channel moves; further ones of the channel meanwhile are told by the same
/// event.
///
/// **Timing.** Each tick starts a walk of four cycles, a channel a cycle. The count of a channel
/// that moves is 0, so that an idle device has the registers of before behind a walk.
#[derive(LogicBlock, Default)]
pub struct Watchdog<const C: usize> {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: nothing waits, and nothing is told.
    pub reset: Signal<In, Bit>,
    /// A tick.
    pub tick: Signal<In, Bit>,
    /// Ticks that a channel may wait; 0: for ever.
    pub limit: Signal<In, Bits<LIMIT>>,
    /// A command of the admin port has no answer.
    pub asked: Signal<In, Bit>,
    /// Offered, in the order of these constants.
    pub valid: Signal<In, Bits<WATCHED>>,
    /// Taken if it is offered.
    pub ready: Signal<In, Bits<WATCHED>>,
    /// A beat of a frame is offered to the wire.
    pub frame_valid: Signal<In, Bit>,
    /// The wire takes it.
    pub frame_ready: Signal<In, Bit>,
    /// The way to the wire owes octets or the head of a segment.
    pub owes: Signal<In, Bit>,
    /// So does the send queue.
    pub sq_owes: Signal<In, Bit>,
    /// Queue pair of the FPDU that is offered to `ddp`.
    pub rx_qp: Signal<In, Bits<C>>,
    /// Queue pair whose Send waits for a receive.
    pub take_qp: Signal<In, Bits<C>>,
    /// Queue pair of what the way to the wire owes.
    pub tx_qp: Signal<In, Bits<8>>,
    /// Queue pair of what the send queue owes.
    pub sq_qp: Signal<In, Bits<C>>,
    /// Channels that have waited for the limit.
    pub stalled: Signal<Out, Bits<4>>,
    /// To the event ring.
    pub event: ItemSource<Event>,
    /// A channel waits in this cycle.
    waits: Reg<Bits<4>>,
    /// A channel moved or had nothing to do since its last turn.
    rested: Reg<Bits<4>>,
    /// Ticks that each has waited.
    counts: LutRam<Bits<LIMIT>, 2>,
    walks: Reg<Bit>,
    turn: Reg<Bits<2>>,
    over: Reg<Bits<4>>,
    /// Stalls whose events were not taken.
    untold: Reg<Bits<4>>,
    offers: Reg<Bit>,
    says: Reg<Bits<2>>,
    /// Queue pair whose Send waits for a receive, else that of the last FPDU on its way to `ddp`;
    /// and those of the stalls that are told.
    came: Flop<Bits<C>>,
    rx_told: Flop<Bits<C>>,
    tx_told: Flop<Bits<8>>,
    free: Signal<Local, Bits<WATCHED>>,
    stuck: Signal<Local, Bits<WATCHED>>,
    went: Signal<Local, Bits<WATCHED>>,
    rx_waits: Signal<Local, Bit>,
    tx_waits: Signal<Local, Bit>,
    frame_waits: Signal<Local, Bit>,
    idle: Signal<Local, Bits<4>>,
    kept: Signal<Local, Bits<4>>,
    off: Signal<Local, Bit>,
    rests: Signal<Local, Bit>,
    is_over: Signal<Local, Bit>,
    is_untold: Signal<Local, Bit>,
    old: Signal<Local, Bits<LIMIT>>,
    more: Signal<Local, Bits<LIMIT>>,
    count: Signal<Local, Bits<LIMIT>>,
    reaches: Signal<Local, Bit>,
    over_now: Signal<Local, Bits<4>>,
    untold_now: Signal<Local, Bits<4>>,
    said: Signal<Local, Event>,
    index: Vec<Const<Bits<2>>>,
    stalled_event: Const<Event>,
}

impl<const C: usize> Watchdog<C> {
    /// Nothing waits.
    pub fn new() -> Self {
        Self {
            rested: Reg::new(0xF_u64.into()),
            index: (0..4).map(Const::of).collect(),
            stalled_event: Const::new(Event { kind: event_kind::stalled().val(), ..Default::default() }),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for Watchdog<C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits, rested, walks, turn, over, untold, offers, says);
        dff_setup!(self, clock, came, rx_told, tx_told);
        clock!(self, clock, counts);
        self.waits.reset.next = self.reset.val();
        self.rested.reset.next = self.reset.val();
        self.walks.reset.next = self.reset.val();
        self.turn.reset.next = self.reset.val();
        self.over.reset.next = self.reset.val();
        self.untold.reset.next = self.reset.val();
        self.offers.reset.next = self.reset.val();
        self.says.reset.next = self.reset.val();

        // Who waits.
        self.free.next = !self.ready.val();
        self.stuck.next = self.valid.val() & self.free.val();
        self.went.next = self.valid.val() & self.ready.val();
        self.rx_waits.next =
            self.stuck.val().get_bits::<RECEIVES>(0).any() && !self.went.val().get_bits::<RECEIVES>(0).any();
        self.tx_waits.next =
            (self.owes.val() || self.sq_owes.val() || self.stuck.val().get_bits::<TRANSMITS>(6).any())
                && !self.went.val().get_bits::<TRANSMITS>(6).any();
        self.frame_waits.next = self.frame_valid.val() && !self.frame_ready.val();
        self.waits.d.next = bit_cast::<4, 1>(self.asked.val().into())
            | (bit_cast::<4, 1>(self.rx_waits.val().into()) << 1)
            | (bit_cast::<4, 1>(self.tx_waits.val().into()) << 2)
            | (bit_cast::<4, 1>(self.frame_waits.val().into()) << 3);
        if self.valid.val().get_bit(0) {
            self.came.d.next = self.rx_qp.val();
        }
        if self.valid.val().get_bit(5) {
            self.came.d.next = self.take_qp.val();
        }

        // The walk behind a tick.
        if self.walks.q.val() {
            self.turn.d.next = self.turn.q.val() + 1;
            self.walks.d.next = !self.turn.q.val().all();
        }
        if self.tick.val() {
            self.walks.d.next = true;
        }
        self.off.next = !self.limit.val().any();
        self.rests.next = self.off.val() || self.rested.q.val().get_bit(self.turn.q.val().index());
        self.is_over.next = self.over.q.val().get_bit(self.turn.q.val().index());
        self.is_untold.next = self.untold.q.val().get_bit(self.turn.q.val().index())
            && !(self.offers.q.val() && self.event.ready.val());
        self.counts.read_address.next = self.turn.q.val();
        self.old.next = self.counts.read_data.val();
        self.more.next = self.old.val() + 1;
        self.count.next = self.more.val();
        if self.is_over.val() {
            self.count.next = self.old.val();
        }
        if self.rests.val() {
            self.count.next = 0.into();
        }
        self.counts.write_enable.next = self.walks.q.val();
        self.counts.write_address.next = self.turn.q.val();
        self.counts.write_data.next = self.count.val();
        self.reaches.next = self.walks.q.val()
            && !self.rests.val()
            && !self.is_over.val()
            && (self.more.val() >= self.limit.val());
        self.idle.next = !self.waits.q.val();
        self.kept.next = self.rested.q.val();
        self.over_now.next = self.over.q.val();
        if self.walks.q.val() {
            self.kept.next = self.rested.q.val().replace_bit(self.turn.q.val().index(), false);
            self.over_now.next = self.over.q.val().replace_bit(
                self.turn.q.val().index(),
                self.reaches.val() || (self.is_over.val() && !self.rests.val()),
            );
        }
        self.rested.d.next = self.kept.val() | self.idle.val();
        self.over.d.next = self.over_now.val();
        self.stalled.next = self.over.q.val();

        // Events.
        self.untold_now.next = self.untold.q.val();
        if self.offers.q.val() {
            if self.event.ready.val() {
                self.offers.d.next = false;
                self.untold_now.next = self.untold.q.val().replace_bit(self.says.q.val().index(), false);
            }
        } else {
            self.offers.d.next = self.untold.q.val().any();
            for i in 0..4 {
                if self.untold.q.val().get_bit(i) {
                    self.says.d.next = self.index[i].val();
                }
            }
        }
        if self.reaches.val() {
            self.untold_now.next = self.untold_now.val().replace_bit(self.turn.q.val().index(), true);
            if !self.is_untold.val() && (self.turn.q.val() == 1) {
                self.rx_told.d.next = self.came.q.val();
            }
            if !self.is_untold.val() && (self.turn.q.val() == 2) {
                self.tx_told.d.next = bit_cast::<8, C>(self.sq_qp.val());
                if self.owes.val() {
                    self.tx_told.d.next = self.tx_qp.val();
                }
            }
        }
        self.untold.d.next = self.untold_now.val();
        self.said.next = self.stalled_event.val();
        if self.says.q.val() == 1 {
            self.said.next.number = bit_cast::<16, C>(self.rx_told.q.val());
        }
        if self.says.q.val() == 2 {
            self.said.next.number = bit_cast::<16, 8>(self.tx_told.q.val());
        }
        self.said.next.info = bit_cast::<32, 2>(self.says.q.val()) + 1;
        self.event.item.next = self.said.val();
        self.event.valid.next = self.offers.q.val();
    }
}
