// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looks at the first octets of each ULPDU while its beats go by into a FIFO.
use super::rx_row::RxFirst;
use crate::prelude::*;
use crate::stream::{Beat, Hold, ItemSource, Queue, StreamSink};

/// Keeps the first 24 octets of each ULPDU, of a segment on queue 1 or 2 the first 72 (beyond its
/// end they mean nothing): all of a Read Request and of a Terminate. With or before the beat that
/// holds the last of them the head is given: as many of them as somebody judges, and the slot of
/// the store that has them all.
///
/// 16 slots go round. Of ULPDUs whose slot still counts there are seven: that which comes in or
/// waits here, one in `resolve`, three behind it, one in `judge` and the one that a fault quotes,
/// for which `judge` waits.
///
/// The FIFO holds 64 beats: the headers of what follows are judged while a payload is placed.
#[block]
pub struct RxHead {
    /// ULPDUs.
    pub rx: StreamSink<64, 4>,
    /// First octets of the oldest ULPDU whose head was not taken.
    pub head: ItemSource<RxFirst>,
    /// Oldest beat.
    pub beat: ItemSource<Beat<64, 4>>,
    /// Loads `word` at the next edge.
    pub word_enable: Signal<In, Bit>,
    /// Slot, then word.
    pub word_address: Signal<In, Bits<8>>,
    /// The word last read, octet 0 in bits 7:0.
    pub word: Signal<Out, Bits<64>>,

    beats: Queue<Beat<64, 4>, 6>,
    heads: Hold<RxFirst>,
    store: Sdp<Bits<64>, 8>,
    /// Of this ULPDU.
    slot: Reg<Bits<4>>,
    /// Beats of this ULPDU so far, 15 or more of them count as 15.
    seen: Reg<Bits<4>>,
    /// Its head was handed on.
    said: Reg<Bit>,
    /// The first of those beats, the oldest in the low bits.
    first: Flop<Bits<368>>,
    shifts: Vec<Const<Bits<10>>>,
    untagged: Const<Bits<64>>,
    queue_mask: Const<Bits<64>>,
    on_requests: Const<Bits<16>>,
    on_terminates: Const<Bits<16>>,
    came: Signal<Local, Beat<64, 4>>,
    now: Signal<Local, Bits<368>>,
    made: Signal<Local, RxFirst>,
}

impl RxHead {
    /// Nothing came yet.
    pub fn new() -> Self {
        // T is bit 7 of octet 0; QN is octets 6 to 9, of which 6 and 7 are in the first beat
        Self {
            shifts: (0..6).map(|i| Const::of(64 * i)).collect(),
            untagged: Const::new(0x80_u64.into()),
            queue_mask: Const::new((0xFFFF_u64 << 48).into()),
            on_requests: Const::of(0x0100),
            on_terminates: Const::of(0x0200),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RxHead {
    fn update(&mut self) {
        regs!(seen, said, slot);
        flops!(first);
        parts!(beats, heads);
        clocked!(store);
        // the next ULPDU waits until the head of the one before is taken
        let may: Bit = self.beats.rx.ready.val() && (self.heads.rx.ready.val() || self.said.q.val());
        self.rx.ready.next = may;
        let fire: Bit = may && self.rx.valid.val();
        self.came.next.data = self.rx.data.val();
        self.came.next.bytes = self.rx.bytes.val();
        self.came.next.last = self.rx.last.val();
        self.came.next.err = self.rx.err.val();
        self.beats.rx.item.next = self.came.val();
        self.beats.rx.valid.next = fire;
        self.beat.item.next = self.beats.tx.item.val();
        self.beat.valid.next = self.beats.tx.valid.val();
        self.beats.tx.ready.next = self.beat.ready.val();

        // The beats so far and this one.
        self.now.next = self.first.q.val();
        for i in 0..6 {
            if self.seen.q.val() == i.to_bits() {
                self.now.next =
                    self.first.q.val() | (bit_cast::<368, 64>(self.rx.data.val()) << self.shifts[i].val());
            }
        }
        if self.seen.q.val() == 0 {
            self.now.next = bit_cast::<368, 64>(self.rx.data.val());
        }
        // A segment on queue 1 or 2 shows itself in its second beat.
        let low: Bits<64> = self.now.val().get_bits::<64>(0);
        let high: Bits<16> = self.now.val().get_bits::<16>(64);
        let is_long: Bit = !(low & self.untagged.val()).any()
            && !(low & self.queue_mask.val()).any()
            && ((high == self.on_requests.val()) || (high == self.on_terminates.val()));
        let whole: Bit =
            self.rx.last.val() || ((self.seen.q.val() == 2) && !is_long) || (self.seen.q.val() == 8);
        let seen_up: Bits<4> = self.seen.q.val() + 1;
        self.store.write_enable.next = fire && !self.said.q.val();
        self.store.write_address.next =
            (bit_cast::<8, 4>(self.slot.q.val()) << 4) | bit_cast::<8, 4>(self.seen.q.val());
        self.store.write_data.next = self.rx.data.val();
        self.store.read_enable.next = self.word_enable.val();
        self.store.read_address.next = self.word_address.val();
        self.word.next = self.store.read_data.val();
        self.made.next.octets = self.now.val();
        self.made.next.slot = self.slot.q.val();
        self.made.next.kept = seen_up;
        self.heads.rx.item.next = self.made.val();
        self.heads.rx.valid.next = fire && whole && !self.said.q.val();
        self.head.item.next = self.heads.tx.item.val();
        self.head.valid.next = self.heads.tx.valid.val();
        self.heads.tx.ready.next = self.head.ready.val();
        if fire {
            self.first.d.next = self.now.val();
            if whole {
                self.said.d.next = true;
                if !self.said.q.val() {
                    self.slot.d.next = self.slot.q.val() + 1;
                }
            }
            if !self.seen.q.val().all() {
                self.seen.d.next = seen_up;
            }
            if self.rx.last.val() {
                self.seen.d.next = 0.into();
                self.said.d.next = false;
            }
        }
    }
}
