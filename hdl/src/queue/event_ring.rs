// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event ring: writer of events, and what waits while the ring is full.
use crate::gen::consts::{doorbell_kind, event_kind};
use crate::gen::{Doorbell, Event, PackEvent, Ring};
use crate::host::WriteSource;
use crate::prelude::*;
use crate::stream::{ItemSink, Pick, StreamSource};

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

const LENGTH: usize = 16;
const ONE: usize = 1;

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
#[block(clock)]
pub struct EventRing<const A: usize, const NA: usize, const N: usize> {
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
    k_align: Const<Bits<64>>,
    k_first: Const<Bits<32>>,
    rung: Signal<Local, Ring>,
    bell: Signal<Local, Doorbell>,
    place: Signal<Local, Bits<A>>,
    entry: Signal<Local, Event>,
    waits_now: Signal<Local, Bits<NA>>,
    overs_now: Signal<Local, Bits<NA>>,
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
            k_align: Const::of(!0xF),
            k_first: Const::of(first),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const A: usize, const NA: usize, const N: usize> Logic for EventRing<A, NA, N> {
    fn update(&mut self) {
        regs!(st, again_first, own_first, is_valid, waits, overs, scan, beats, cmd, pulse_sent, pulse_held);
        regs!(pulse_merged, refused);
        flops!(base, log2, producer, consumer, now, addr, line);
        parts!(pick);
        clocked!(places);

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
        let ring_base: Bits<64> = self.rung.val().base;
        let ring_log2: Bits<8> = self.rung.val().log2;
        self.bell.next = self.db.item.val();
        let moved: Bits<32> = self.bell.val().value - self.consumer.q.val();
        let used: Bits<32> = self.producer.q.val() - self.consumer.q.val();
        let slots: Bits<32> = lit::<32>(ONE) << self.log2.q.val();
        let mask: Bits<32> = slots - 1;
        let slot: Bits<32> = self.producer.q.val() & mask;
        let round: Bits<32> = self.producer.q.val() & slots;
        let room: Bit = self.is_valid.q.val() && (used != slots);
        let half: Bits<32> = slots >> 1;
        let own_room: Bit = self.is_valid.q.val() && (used < half);
        let again_may: Bit = room && self.waits.q.val().any();

        // The place of the event that was taken.
        let is_over: Bit = self.now.q.val().kind == event_kind::cq_overrun().val();
        self.place.next = bit_cast::<A, 16>(self.now.q.val().number) & lit::<A>(NA / 2 - 1);
        if is_over || (self.now.q.val().kind == event_kind::cq_notify().val()) {
            self.place.next =
                (bit_cast::<A, 16>(self.now.q.val().number) & lit::<A>(NA / 2 - 1)) | lit::<A>(NA / 2);
        }
        let waiting: Bit = self.waits.q.val().get_bit(self.place.val().index());
        self.places.write_enable.next = false;
        self.places.write_address.next = self.place.val();
        self.places.write_data.next = self.now.q.val();
        self.places.read_enable.next = self.st.q.val() == St::Idle;
        self.places.read_address.next = self.scan.q.val();
        self.entry.next = self.now.q.val();
        self.entry.next.phase = !round.any();
        self.pack.record.next = self.entry.val();

        self.evt_cmd.addr.next = self.addr.q.val();
        self.evt_cmd.length.next = lit::<13>(LENGTH);
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
        let cmd_done: Bit = !self.cmd.q.val() || self.evt_cmd.ready.val();
        let beats_done: Bit =
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
                if !self.pick.tx.valid.val() && !again_may {
                    self.own_first.d.next = true;
                }
                if self.ring.valid.val() {
                    self.st.d.next = St::Setup;
                } else if self.db.valid.val() {
                    self.st.d.next = St::Bell;
                } else if self.own.valid.val() && self.own_first.q.val() && own_room {
                    self.st.d.next = St::Own;
                } else if self.pick.tx.valid.val() && !(self.again_first.q.val() && again_may) {
                    self.pick.serves.next = true;
                    self.now.d.next = self.pick.tx.item.val();
                    self.st.d.next = St::Judge;
                } else if again_may {
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
                self.base.d.next = ring_base & self.k_align.val();
                self.log2.d.next = ring_log2.get_bits::<5>(0);
                self.is_valid.d.next = self.rung.val().is_valid && (ring_log2 < 17);
                self.producer.d.next = self.k_first.val();
                self.consumer.d.next = self.k_first.val();
                self.st.d.next = St::Idle;
            }
            St::Bell => {
                self.st.d.next = St::Idle;
                if !self.is_valid.q.val()
                    || (moved > used)
                    || (self.bell.val().kind != doorbell_kind::event_consumer().val())
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
                if room && !waiting {
                    self.st.d.next = St::Write;
                } else {
                    self.pulse_held.d.next = !waiting;
                    self.pulse_merged.d.next = waiting;
                    if is_over || !self.overs.q.val().get_bit(self.place.val().index()) {
                        self.places.write_enable.next = true;
                        self.waits_now.next =
                            self.waits_now.val().replace_bit(self.place.val().index(), true);
                        self.overs_now.next =
                            self.overs_now.val().replace_bit(self.place.val().index(), is_over);
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
                self.addr.d.next = self.base.q.val() + (bit_cast::<64, 32>(slot) << 4);
                self.producer.d.next = self.producer.q.val() + 1;
                self.cmd.d.next = true;
                self.beats.d.next = 2.into();
                self.st.d.next = St::Hand;
            }
            St::Hand => {
                if cmd_done && beats_done {
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
