// SPDX-License-Identifier: MIT OR Apache-2.0
//! The watchdog: which channels have waited for too long.
use crate::gen::consts::event_kind;
use crate::gen::Event;
use crate::prelude::*;
use crate::stream::ItemSource;

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
#[block(clock)]
pub struct Watchdog<const C: usize> {
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
    rx_waits: Signal<Local, Bit>,
    tx_waits: Signal<Local, Bit>,
    frame_waits: Signal<Local, Bit>,
    kept: Signal<Local, Bits<4>>,
    count: Signal<Local, Bits<LIMIT>>,
    over_now: Signal<Local, Bits<4>>,
    untold_now: Signal<Local, Bits<4>>,
    said: Signal<Local, Event>,
    stalled_event: Const<Event>,
}

impl<const C: usize> Watchdog<C> {
    /// Nothing waits.
    pub fn new() -> Self {
        Self {
            rested: Reg::new(0xF_u64.into()),
            stalled_event: Const::new(Event { kind: event_kind::stalled().val(), ..Default::default() }),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const C: usize> Logic for Watchdog<C> {
    fn update(&mut self) {
        regs!(waits, rested, walks, turn, over, untold, offers, says);
        flops!(came, rx_told, tx_told);
        clocked!(counts);

        // Who waits.
        let free: Bits<WATCHED> = !self.ready.val();
        let stuck: Bits<WATCHED> = self.valid.val() & free;
        let went: Bits<WATCHED> = self.valid.val() & self.ready.val();
        self.rx_waits.next = stuck.get_bits::<RECEIVES>(0).any() && !went.get_bits::<RECEIVES>(0).any();
        self.tx_waits.next = (self.owes.val() || self.sq_owes.val() || stuck.get_bits::<TRANSMITS>(6).any())
            && !went.get_bits::<TRANSMITS>(6).any();
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
        let off: Bit = !self.limit.val().any();
        let rests: Bit = off || self.rested.q.val().get_bit(self.turn.q.val().index());
        let is_over: Bit = self.over.q.val().get_bit(self.turn.q.val().index());
        let is_untold: Bit = self.untold.q.val().get_bit(self.turn.q.val().index())
            && !(self.offers.q.val() && self.event.ready.val());
        self.counts.read_address.next = self.turn.q.val();
        let old: Bits<LIMIT> = self.counts.read_data.val();
        let more: Bits<LIMIT> = old + 1;
        self.count.next = more;
        if is_over {
            self.count.next = old;
        }
        if rests {
            self.count.next = 0.into();
        }
        self.counts.write_enable.next = self.walks.q.val();
        self.counts.write_address.next = self.turn.q.val();
        self.counts.write_data.next = self.count.val();
        let reaches: Bit = self.walks.q.val() && !rests && !is_over && (more >= self.limit.val());
        let idle: Bits<4> = !self.waits.q.val();
        self.kept.next = self.rested.q.val();
        self.over_now.next = self.over.q.val();
        if self.walks.q.val() {
            self.kept.next = self.rested.q.val().replace_bit(self.turn.q.val().index(), false);
            self.over_now.next =
                self.over.q.val().replace_bit(self.turn.q.val().index(), reaches || (is_over && !rests));
        }
        self.rested.d.next = self.kept.val() | idle;
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
                    self.says.d.next = i.to_bits();
                }
            }
        }
        if reaches {
            self.untold_now.next = self.untold_now.val().replace_bit(self.turn.q.val().index(), true);
            if !is_untold && (self.turn.q.val() == 1) {
                self.rx_told.d.next = self.came.q.val();
            }
            if !is_untold && (self.turn.q.val() == 2) {
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
