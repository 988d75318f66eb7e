// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames of no connection into the raw receive ring.
use super::ports::{Write, WriteSource};
use super::raw_event::RawEvent;
use super::ring_place::RingPlace;
use crate::gen::{Doorbell, Event, PackRawHead, Ring};
use crate::prelude::*;
use crate::record::RawNote;
use crate::stream::{Beat, Hold, ItemSink, ItemSource, Skid, StreamSink, StreamSource};

/// log2 of the octets of a slot, and the octets of its head.
const SLOT: usize = 11;
const HEAD: usize = 16;

/// What is being done.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Nothing.
    Idle,
    /// The frame leaves, behind the place of the head.
    Frame,
    /// The head's two beats leave.
    Low,
    High,
    /// The frame goes nowhere.
    Drain,
}

const WHOLE: usize = 8;

/// Writes each frame into a slot of the ring, then the head in front of it, so that the head's
/// phase bit tells that the frame is there. A full ring drops frames and never waits (D10), and so
/// does a ring that is not placed. A frame that `is_low` is dropped when half of the slots are
/// full: the others are left to ARP, ICMP and TCP. A frame beyond 2,032 octets, or one that ends
/// with `err`, gets no head: the next takes its slot.
///
/// `note` comes before its frame, which must not pause once begun. A frame takes its beats and
/// eight cycles. While an event is due, no frame begins.
#[block(clock)]
pub struct RawRx {
    /// Synchronous reset: there is no ring.
    pub reset: Signal<In, Bit>,
    /// Frames without FCS.
    pub rx: StreamSink<64, 4>,
    /// Length and reason of the next one.
    pub note: ItemSink<RawNote>,
    /// Place of the ring; both indices begin at 0.
    pub ring: ItemSink<Ring>,
    /// Doorbells of the host: a consumer index, or the arming of `event`.
    pub db: ItemSink<Doorbell>,
    /// To the event ring: a frame stands in the ring, which was armed.
    pub event: ItemSource<Event>,
    /// Commands of the writes.
    pub raw_cmd: WriteSource,
    /// Their frames.
    pub raw: StreamSource<64, 4>,
    /// Producer index: heads written.
    pub producer: Signal<Out, Bits<32>>,
    /// A frame is under way, from the taking of its note until its head is handed over or it is
    /// dropped.
    pub busy: Signal<Out, Bit>,
    /// Pulse: a frame found no slot.
    pub full: Signal<Out, Bit>,
    /// Pulse: a frame that `is_low` was dropped, so that others find a slot.
    pub spared: Signal<Out, Bit>,
    /// Pulse: a frame was too long or ended with `err`.
    pub bad: Signal<Out, Bit>,
    /// Pulse: an impossible consumer index was dropped.
    pub bad_db: Signal<Out, Bit>,
    place: RingPlace<SLOT>,
    tells: RawEvent,
    commands: Hold<Write>,
    out: Skid<64, 4>,
    pack: PackRawHead,
    st: Reg<St>,
    noted: Flop<RawNote>,
    full_now: Reg<Bit>,
    spared_now: Reg<Bit>,
    bad_now: Reg<Bit>,
    starts: Signal<Local, Bit>,
    beat: Signal<Local, Beat<64, 4>>,
    offers: Signal<Local, Bit>,
}

impl RawRx {
    /// Without a ring.
    pub fn new() -> Self {
        Self { place: RingPlace::new(false), tells: RawEvent::new(), ..Default::default() }
    }
}

#[kernel]
impl Logic for RawRx {
    fn update(&mut self) {
        regs!(st, full_now, spared_now, bad_now);
        flops!(noted);
        parts!(place, tells, commands, out);

        // The ring moves between frames only, when the last one was handed over.
        let still: Bit =
            (self.st.q.val() == St::Idle) && !self.commands.tx.valid.val() && !self.raw.valid.val();
        ItemSink::<Ring>::link(&mut self.ring, &mut self.place.ring);
        self.place.may.next = still;
        self.place.db.item.next = self.db.item.val();
        self.place.db.valid.next = self.db.valid.val() && !self.tells.is_arm.val();
        self.db.ready.next = self.place.db.ready.val();
        ItemSource::<Event>::link(&mut self.event, &mut self.tells.event);
        self.tells.bell.next = self.db.item.val();
        self.tells.rung.next = self.db.valid.val();
        self.tells.producer.next = self.place.mine.val();
        self.tells.placed.next = self.ring.valid.val() && still;
        self.tells.still.next = still;
        self.place.step.next = false;
        self.producer.next = self.place.mine.val();
        self.busy.next = self.st.q.val() != St::Idle;
        self.bad_db.next = self.place.bad.val();

        let fits: Bit = (self.note.item.val().length <= lit::<16>((1 << SLOT) - HEAD))
            && self.note.item.val().length.any();
        let behind: Bits<64> = self.place.addr.val() + lit::<64>(HEAD);
        self.starts.next = false;
        let may: Bit = (self.st.q.val() == St::Idle)
            && self.commands.rx.ready.val()
            && self.place.settled.val()
            && !self.ring.valid.val()
            && !self.tells.due.val();
        self.note.ready.next = may;
        self.commands.rx.item.next.addr = behind;
        self.commands.rx.item.next.length = bit_cast::<13, 16>(self.note.item.val().length);
        self.commands.rx.valid.next = false;
        self.full_now.d.next = false;
        self.spared_now.d.next = false;
        let spares: Bit = self.note.item.val().is_low && !self.place.roomy.val();
        self.bad_now.d.next = false;
        self.rx.ready.next = false;
        self.beat.next.data = self.rx.data.val();
        self.beat.next.bytes = self.rx.bytes.val();
        self.beat.next.last = self.rx.last.val();
        self.beat.next.err = false;
        self.offers.next = false;
        let taken: Bit = self.out.rx.ready.val();
        let ended: Bit = self.rx.valid.val() && self.rx.last.val();
        self.pack.record.next.length = self.noted.q.val().length;
        self.pack.record.next.reason = self.noted.q.val().reason;
        self.pack.record.next.index = self.place.mine.val();
        self.pack.record.next.phase = self.place.phase.val();
        match self.st.q.val() {
            St::Idle => {
                if self.note.valid.val() && may {
                    self.starts.next = self.place.some.val() && fits && !spares;
                    self.noted.d.next = self.note.item.val();
                    self.commands.rx.valid.next = self.starts.val();
                    self.st.d.next = St::Drain;
                    self.bad_now.d.next = !fits;
                    self.full_now.d.next = fits && !self.place.some.val();
                    self.spared_now.d.next = fits && self.place.some.val() && spares;
                    if self.starts.val() {
                        self.st.d.next = St::Frame;
                    }
                }
            }
            St::Frame => {
                self.rx.ready.next = taken;
                self.offers.next = self.rx.valid.val();
                if ended && taken {
                    self.st.d.next = St::Low;
                    if self.rx.err.val() {
                        self.bad_now.d.next = true;
                        self.st.d.next = St::Idle;
                    }
                }
            }
            St::Low => {
                self.commands.rx.item.next.addr = self.place.addr.val();
                self.commands.rx.item.next.length = lit::<13>(HEAD);
                self.beat.next.data = self.pack.octets.val().get_bits::<64>(0);
                self.beat.next.bytes = lit::<4>(WHOLE);
                self.beat.next.last = false;
                if self.commands.rx.ready.val() && taken {
                    self.commands.rx.valid.next = true;
                    self.offers.next = true;
                    self.st.d.next = St::High;
                }
            }
            St::High => {
                self.beat.next.data = self.pack.octets.val().get_bits::<64>(64);
                self.beat.next.bytes = lit::<4>(WHOLE);
                self.beat.next.last = true;
                self.offers.next = true;
                if taken {
                    self.place.step.next = true;
                    self.st.d.next = St::Idle;
                }
            }
            St::Drain => {
                self.rx.ready.next = true;
                if ended {
                    self.st.d.next = St::Idle;
                }
            }
            _ => {}
        }
        self.out.rx.data.next = self.beat.val().data;
        self.out.rx.bytes.next = self.beat.val().bytes;
        self.out.rx.last.next = self.beat.val().last;
        self.out.rx.err.next = self.beat.val().err;
        self.out.rx.valid.next = self.offers.val();
        StreamSource::<64, 4>::link(&mut self.raw, &mut self.out.tx);
        self.raw_cmd.addr.next = self.commands.tx.item.val().addr;
        self.raw_cmd.length.next = self.commands.tx.item.val().length;
        self.raw_cmd.valid.next = self.commands.tx.valid.val();
        self.commands.tx.ready.next = self.raw_cmd.ready.val();
        self.full.next = self.full_now.q.val();
        self.spared.next = self.spared_now.q.val();
        self.bad.next = self.bad_now.q.val();
    }
}
