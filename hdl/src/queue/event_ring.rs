// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event ring: writer of events, and what waits while the ring is full.
use crate::cell::{Const, Flop, Reg, Sdp};
use crate::gen::consts::{doorbell_kind, event_kind};
use crate::gen::{Doorbell, Event, PackEvent, Ring};
use crate::host::WriteSource;
use crate::stream::{ItemSink, Pick, StreamSource};
use rust_hdl::prelude::*;

/// Step of the one operation under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Chooses an operation.
    Idle,
    /// Places the ring.
    Setup,
    /// Judges a doorbell.
    Bell,
    /// Takes an event and decides whether it is written or waits.
    Judge,
    /// Fetches an event that waited.
    Again,
    /// Makes the entry.
    Write,
    /// Hands it over.
    Hand,
    /// Takes an event of the device's own.
    Own,
}

/// Writes the events of `N` sources into the ring in host memory. `A` = 1 + log2 of the larger of
/// queue pairs and completion queues, `NA` = `2^A`.
///
/// No source waits for software (D10): without room an event waits in its place of a RAM, one place
/// a queue pair and one a completion queue. While it waits, a newer one of the same queue takes its
/// place, but a `cq_notify` never takes that of a `cq_overrun`. What waits is written when there is
/// room again.
///
/// Events of the device's own name no queue and have no place: `own` is taken only while less than
/// half of the ring is in use. So the other half is for queues, whatever the device tells. After an
/// event of `own`, an event of a queue goes first.
#[derive(LogicBlock, Default)]
pub struct EventRing<const A: usize, const NA: usize, const N: usize> {
    /// Clock of all state.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: no ring, nothing waits.
    pub reset: Signal<In, Bit>,
    /// Where the ring lies; its indices begin anew. Low four bits of `base` count as zero.
    pub ring: ItemSink<Ring>,
    /// Doorbell of kind `event_consumer`.
    pub db: ItemSink<Doorbell>,
    /// Events.
    pub from: Vec<ItemSink<Event>>,
    /// Events of the device's own, which wait at their source while half of the ring is in use.
    pub own: ItemSink<Event>,
    /// Write of an entry, 16 octets.
    pub evt_cmd: WriteSource,
    /// Entries, a frame each, without pauses.
    pub evt: StreamSource<64, 4>,
    /// Between two operations: what was taken was handed over, or waits for room.
    pub rest: Signal<Out, Bit>,
    /// Pulse: an event was written.
    pub sent: Signal<Out, Bit>,
    /// Pulse: an event found no room and waits.
    pub held: Signal<Out, Bit>,
    /// Pulse: an event was merged with one that waits.
    pub merged: Signal<Out, Bit>,
    /// Pulse: a doorbell was refused and changed nothing.
    pub bad_db: Signal<Out, Bit>,

    pack: PackEvent,
    places: Sdp<Event, A>,
    st: Reg<St>,
    /// What waits goes before what is new.
    again_first: Reg<Bit>,
    /// An event of the device's own may be next.
    own_first: Reg<Bit>,
    pick: Pick<Event, N>,
    base: Flop<Bits<64>>,
    log2: Flop<Bits<5>>,
    is_valid: Reg<Bit>,
    producer: Flop<Bits<32>>,
    consumer: Flop<Bits<32>>,
    /// An event waits, by place.
    waits: Reg<Bits<NA>>,
    /// It is a `cq_overrun`.
    overs: Reg<Bits<NA>>,
    /// Place that is looked at next.
    scan: Reg<Bits<A>>,
    now: Flop<Event>,
    addr: Flop<Bits<64>>,
    line: Flop<Bits<128>>,
    beats: Reg<Bits<2>>,
    cmd: Reg<Bit>,
    pulse_sent: Reg<Bit>,
    pulse_held: Reg<Bit>,
    pulse_merged: Reg<Bit>,
    refused: Reg<Bit>,
    k_notify: Const<Bits<8>>,
    k_overrun: Const<Bits<8>>,
    k_consumer: Const<Bits<8>>,
    k_align: Const<Bits<64>>,
    k_length: Const<Bits<13>>,
    k_one: Const<Bits<32>>,
    k_first: Const<Bits<32>>,
    k_cq: Const<Bits<A>>,
    k_number: Const<Bits<A>>,
    rung: Signal<Local, Ring>,
    ring_base: Signal<Local, Bits<64>>,
    ring_log2: Signal<Local, Bits<8>>,
    bell: Signal<Local, Doorbell>,
    moved: Signal<Local, Bits<32>>,
    used: Signal<Local, Bits<32>>,
    slots: Signal<Local, Bits<32>>,
    mask: Signal<Local, Bits<32>>,
    slot: Signal<Local, Bits<32>>,
    round: Signal<Local, Bits<32>>,
    room: Signal<Local, Bit>,
    half: Signal<Local, Bits<32>>,
    own_room: Signal<Local, Bit>,
    again_may: Signal<Local, Bit>,
    is_over: Signal<Local, Bit>,
    place: Signal<Local, Bits<A>>,
    waiting: Signal<Local, Bit>,
    entry: Signal<Local, Event>,
    waits_now: Signal<Local, Bits<NA>>,
    overs_now: Signal<Local, Bits<NA>>,
    cmd_done: Signal<Local, Bit>,
    beats_done: Signal<Local, Bit>,
}

impl<const A: usize, const NA: usize, const N: usize> EventRing<A, NA, N> {
    /// No ring; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        Self::starting_at(0)
    }

    /// As [`EventRing::new`], but indices begin at `first` and not at 0: a test meets their wrap at
    /// 2^32.
    pub fn starting_at(first: usize) -> Self {
        assert!(NA == 1 << A && (2..=9).contains(&A), "EventRing<{A}, {NA}, {N}>");
        assert!((1..=15).contains(&N), "{N} sources of events: 1 to 15");
        Self {
            from: vec![ItemSink::default(); N],
            pick: Pick::new(),
            k_notify: event_kind::cq_notify(),
            k_overrun: event_kind::cq_overrun(),
            k_consumer: doorbell_kind::event_consumer(),
            k_align: Const::of(!0xF),
            k_length: Const::of(16),
            k_one: Const::of(1),
            k_first: Const::of(first),
            k_cq: Const::of(NA / 2),
            k_number: Const::of(NA / 2 - 1),
            ..Default::default()
        }
    }
}

impl<const A: usize, const NA: usize, const N: usize> Logic for EventRing<A, NA, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            st,
            again_first,
            own_first,
            base,
            log2,
            is_valid,
            producer,
            consumer,
            waits,
            overs
        );
        dff_setup!(self, clock, scan, now, addr, line, beats, cmd);
        dff_setup!(self, clock, pulse_sent, pulse_held, pulse_merged, refused);
        clock!(self, clock, pick, places);
        self.st.reset.next = self.reset.val();
        self.again_first.reset.next = self.reset.val();
        self.own_first.reset.next = self.reset.val();
        self.pick.reset.next = self.reset.val();
        self.is_valid.reset.next = self.reset.val();
        self.waits.reset.next = self.reset.val();
        self.overs.reset.next = self.reset.val();
        self.scan.reset.next = self.reset.val();
        self.beats.reset.next = self.reset.val();
        self.cmd.reset.next = self.reset.val();
        self.pulse_sent.reset.next = self.reset.val();
        self.pulse_held.reset.next = self.reset.val();
        self.pulse_merged.reset.next = self.reset.val();
        self.refused.reset.next = self.reset.val();

        // The source that is next.
        for i in 0..N {
            ItemSink::<Event>::link(&mut self.from[i], &mut self.pick.rx[i]);
        }
        self.pick.stays.next = self.st.q.val() == St::Judge;
        self.pick.tx.ready.next = self.st.q.val() == St::Judge;
        self.pick.serves.next = false;
        self.own.ready.next = self.st.q.val() == St::Own;

        // The ring.
        self.ring.ready.next = self.st.q.val() == St::Setup;
        self.rest.next = self.st.q.val() == St::Idle;
        self.db.ready.next = self.st.q.val() == St::Bell;
        self.rung.next = self.ring.item.val();
        self.ring_base.next = self.rung.val().base;
        self.ring_log2.next = self.rung.val().log2;
        self.bell.next = self.db.item.val();
        self.moved.next = self.bell.val().value - self.consumer.q.val();
        self.used.next = self.producer.q.val() - self.consumer.q.val();
        self.slots.next = self.k_one.val() << self.log2.q.val();
        self.mask.next = self.slots.val() - 1;
        self.slot.next = self.producer.q.val() & self.mask.val();
        self.round.next = self.producer.q.val() & self.slots.val();
        self.room.next = self.is_valid.q.val() && (self.used.val() != self.slots.val());
        self.half.next = self.slots.val() >> 1;
        self.own_room.next = self.is_valid.q.val() && (self.used.val() < self.half.val());
        self.again_may.next = self.room.val() && self.waits.q.val().any();

        // The place of the event that was taken.
        self.is_over.next = self.now.q.val().kind == self.k_overrun.val();
        self.place.next = bit_cast::<A, 16>(self.now.q.val().number) & self.k_number.val();
        if self.is_over.val() || (self.now.q.val().kind == self.k_notify.val()) {
            self.place.next =
                (bit_cast::<A, 16>(self.now.q.val().number) & self.k_number.val()) | self.k_cq.val();
        }
        self.waiting.next = self.waits.q.val().get_bit(self.place.val().index());
        self.places.write_enable.next = false;
        self.places.write_address.next = self.place.val();
        self.places.write_data.next = self.now.q.val();
        self.places.read_enable.next = self.st.q.val() == St::Idle;
        self.places.read_address.next = self.scan.q.val();
        self.entry.next = self.now.q.val();
        self.entry.next.phase = !self.round.val().any();
        self.pack.record.next = self.entry.val();

        self.evt_cmd.addr.next = self.addr.q.val();
        self.evt_cmd.length.next = self.k_length.val();
        self.evt_cmd.valid.next = self.cmd.q.val();
        self.evt.data.next = self.line.q.val().get_bits::<64>(0);
        self.evt.bytes.next = 8.into();
        self.evt.last.next = self.beats.q.val() == 1;
        self.evt.err.next = false;
        self.evt.valid.next = self.beats.q.val().any();
        self.sent.next = self.pulse_sent.q.val();
        self.held.next = self.pulse_held.q.val();
        self.merged.next = self.pulse_merged.q.val();
        self.bad_db.next = self.refused.q.val();
        self.pulse_sent.d.next = false;
        self.pulse_held.d.next = false;
        self.pulse_merged.d.next = false;
        self.refused.d.next = false;
        self.cmd_done.next = !self.cmd.q.val() || self.evt_cmd.ready.val();
        self.beats_done.next =
            !self.beats.q.val().any() || (self.evt.ready.val() && (self.beats.q.val() == 1));
        if self.evt_cmd.ready.val() {
            self.cmd.d.next = false;
        }
        if self.evt.ready.val() && self.beats.q.val().any() {
            self.beats.d.next = self.beats.q.val() - 1;
            self.line.d.next = self.line.q.val() >> 64;
        }
        if self.st.q.val() == St::Write {
            self.line.d.next = self.pack.octets.val();
        }

        self.waits_now.next = self.waits.q.val();
        self.overs_now.next = self.overs.q.val();
        match self.st.q.val() {
            St::Idle => {
                if !self.pick.tx.valid.val() && !self.again_may.val() {
                    self.own_first.d.next = true;
                }
                if self.ring.valid.val() {
                    self.st.d.next = St::Setup;
                } else if self.db.valid.val() {
                    self.st.d.next = St::Bell;
                } else if self.own.valid.val() && self.own_first.q.val() && self.own_room.val() {
                    self.st.d.next = St::Own;
                } else if self.pick.tx.valid.val() && !(self.again_first.q.val() && self.again_may.val()) {
                    self.pick.serves.next = true;
                    self.now.d.next = self.pick.tx.item.val();
                    self.st.d.next = St::Judge;
                } else if self.again_may.val() {
                    self.scan.d.next = self.scan.q.val() + 1;
                    if self.waits.q.val().get_bit(self.scan.q.val().index()) {
                        self.waits_now.next =
                            self.waits_now.val().replace_bit(self.scan.q.val().index(), false);
                        self.overs_now.next =
                            self.overs_now.val().replace_bit(self.scan.q.val().index(), false);
                        self.st.d.next = St::Again;
                    }
                }
            }
            St::Setup => {
                self.base.d.next = self.ring_base.val() & self.k_align.val();
                self.log2.d.next = self.ring_log2.val().get_bits::<5>(0);
                self.is_valid.d.next = self.rung.val().is_valid && (self.ring_log2.val() < 17);
                self.producer.d.next = self.k_first.val();
                self.consumer.d.next = self.k_first.val();
                self.st.d.next = St::Idle;
            }
            St::Bell => {
                self.st.d.next = St::Idle;
                if !self.is_valid.q.val()
                    || (self.moved.val() > self.used.val())
                    || (self.bell.val().kind != self.k_consumer.val())
                    || self.bell.val().number.any()
                {
                    self.refused.d.next = true;
                } else {
                    self.consumer.d.next = self.bell.val().value;
                }
            }
            St::Judge => {
                self.again_first.d.next = true;
                self.own_first.d.next = true;
                if self.room.val() && !self.waiting.val() {
                    self.st.d.next = St::Write;
                } else {
                    self.pulse_held.d.next = !self.waiting.val();
                    self.pulse_merged.d.next = self.waiting.val();
                    if self.is_over.val() || !self.overs.q.val().get_bit(self.place.val().index()) {
                        self.places.write_enable.next = true;
                        self.waits_now.next =
                            self.waits_now.val().replace_bit(self.place.val().index(), true);
                        self.overs_now.next =
                            self.overs_now.val().replace_bit(self.place.val().index(), self.is_over.val());
                    }
                    self.st.d.next = St::Idle;
                }
            }
            St::Again => {
                self.again_first.d.next = false;
                self.own_first.d.next = true;
                self.now.d.next = self.places.read_data.val();
                self.st.d.next = St::Write;
            }
            St::Write => {
                self.pulse_sent.d.next = true;
                self.addr.d.next = self.base.q.val() + (bit_cast::<64, 32>(self.slot.val()) << 4);
                self.producer.d.next = self.producer.q.val() + 1;
                self.cmd.d.next = true;
                self.beats.d.next = 2.into();
                self.st.d.next = St::Hand;
            }
            St::Hand => {
                if self.cmd_done.val() && self.beats_done.val() {
                    self.st.d.next = St::Idle;
                }
            }
            St::Own => {
                self.own_first.d.next = false;
                self.now.d.next = self.own.item.val();
                self.st.d.next = St::Write;
            }
            _ => {}
        }
        self.waits.d.next = self.waits_now.val();
        self.overs.d.next = self.overs_now.val();
    }
}
