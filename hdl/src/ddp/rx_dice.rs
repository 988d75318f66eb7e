// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cuts the octets of ULPDUs into what is dropped and what is placed.
use super::rx_row::RxPart;
use crate::prelude::*;
use crate::stream::{Beat, ItemSink, StreamSource};

const FULL: usize = 8;
const HALF: usize = 8;

/// Octets in one row, whatever frames they came in; parts say what becomes of them. A kept part
/// leaves as a frame from octet 0 of a beat, its command with or before its first beat.
///
/// A window of 16 octets: each cycle up to 8 leave and a beat enters. Dropped octets leave as fast
/// as others, so that a part takes a cycle for each 8 octets begun. Three cycles from a beat to
/// that on `tx`.
#[block]
pub struct RxDice {
    /// Octets.
    pub beat: ItemSink<Beat<64, 4>>,
    /// What becomes of the next ones.
    pub part: ItemSink<RxPart>,
    /// Where a kept part goes.
    pub cmd_addr: Signal<Out, Bits<64>>,
    /// Its octets, 1 to 4096.
    pub cmd_length: Signal<Out, Bits<13>>,
    /// Address and length are offered.
    pub cmd_valid: Signal<Out, Bit>,
    /// Address and length are taken.
    pub cmd_ready: Signal<In, Bit>,
    /// Kept parts.
    pub tx: StreamSource<64, 4>,
    /// All octets up to the end of an FPDU that delivers were handed over.
    pub delivered: Signal<Out, Bit>,
    /// The last beat of a kept part is taken in this cycle.
    pub placed: Signal<Out, Bit>,

    /// Zero behind its last octet.
    window: Reg<Bits<128>>,
    count: Reg<Bits<5>>,
    /// The part under way: octets left, those that leave next, and whether they are its last.
    p_valid: Reg<Bit>,
    p: Flop<RxPart>,
    p_left: Flop<Bits<16>>,
    p_step: Flop<Bits<4>>,
    p_ends: Flop<Bit>,
    p_first: Flop<Bit>,
    o: Flop<Beat<64, 4>>,
    o_valid: Reg<Bit>,
    o_delivers: Reg<Bit>,
    c_addr: Flop<Bits<64>>,
    c_length: Flop<Bits<13>>,
    c_valid: Reg<Bit>,
    handed: Reg<Bit>,

    octets: Vec<Const<Bits<4>>>,
    lane: Vec<Const<Bits<64>>>,
    step: Signal<Local, Bits<5>>,
    came: Signal<Local, Bits<64>>,
    left: Signal<Local, Bits<16>>,
    ob: Signal<Local, Beat<64, 4>>,
}

impl RxDice {
    /// The cutter.
    pub fn new() -> Self {
        Self {
            octets: (0..8).map(Const::of).collect(),
            lane: (0..8).map(|i| Const::new((0xFF_u64 << (8 * i)).into())).collect(),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RxDice {
    fn update(&mut self) {
        regs!(window, count, p_valid, o_valid, o_delivers, c_valid, handed);
        flops!(p, p_left, p_step, p_ends, p_first, o, c_addr, c_length);
        self.tx.data.next = self.o.q.val().data;
        self.tx.bytes.next = self.o.q.val().bytes;
        self.tx.last.next = self.o.q.val().last;
        self.tx.err.next = self.o.q.val().err;
        self.tx.valid.next = self.o_valid.q.val();
        self.cmd_addr.next = self.c_addr.q.val();
        self.cmd_length.next = self.c_length.q.val();
        self.cmd_valid.next = self.c_valid.q.val();
        self.delivered.next = self.handed.q.val();
        self.placed.next = self.o_valid.q.val() && self.o.q.val().last && self.tx.ready.val();

        // What leaves: the step of the part, if its octets are there and have a place.
        let free: Bit = self.tx.ready.val() || !self.o_valid.q.val();
        let there: Bit =
            self.p_valid.q.val() && (self.count.q.val() >= bit_cast::<5, 4>(self.p_step.q.val()));
        let go: Bit = there
            && free
            && (self.p.q.val().drop
                || !self.p_first.q.val()
                || self.cmd_ready.val()
                || !self.c_valid.q.val());
        self.step.next = 0.into();
        if go {
            self.step.next = bit_cast::<5, 4>(self.p_step.q.val());
        }
        let after: Bits<5> = self.count.q.val() - self.step.val();
        let bits_out: Bits<8> = bit_cast::<8, 5>(self.step.val()) << 3;
        let rest: Bits<128> = self.window.q.val() >> bits_out;

        // What enters: a beat, as soon as half of the window is free; octets beyond its end are not
        // looked at.
        let takes: Bit = self.beat.valid.val() && (after <= lit::<5>(HALF));
        self.beat.ready.next = after <= lit::<5>(HALF);
        self.came.next = 0.into();
        for i in 0..8 {
            if self.beat.item.val().bytes > self.octets[i].val() {
                self.came.next = self.came.val() | (self.beat.item.val().data & self.lane[i].val());
            }
        }
        let bits_in: Bits<8> = bit_cast::<8, 5>(after) << 3;
        let added: Bits<128> = bit_cast::<128, 64>(self.came.val()) << bits_in;
        self.window.d.next = rest;
        self.count.d.next = after;
        if takes {
            self.window.d.next = rest | added;
            self.count.d.next = after + bit_cast::<5, 4>(self.beat.item.val().bytes);
        }

        // The part: on with the same, or the next one.
        let loads: Bit = !self.p_valid.q.val() || (go && self.p_ends.q.val());
        self.part.ready.next = loads;
        self.left.next = self.p_left.q.val();
        if go {
            self.left.next = self.p_left.q.val() - lit::<16>(FULL);
            self.p_first.d.next = false;
        }
        if loads {
            self.left.next = self.part.item.val().length;
            self.p.d.next = self.part.item.val();
            self.p_valid.d.next = self.part.valid.val();
            self.p_first.d.next = true;
        }
        self.p_left.d.next = self.left.val();
        self.p_ends.d.next = self.left.val() <= lit::<16>(FULL);
        self.p_step.d.next = lit::<4>(8);
        if self.left.val() <= lit::<16>(FULL) {
            self.p_step.d.next = self.left.val().get_bits::<4>(0);
        }

        // The beat and its command.
        self.ob.next.data = self.window.q.val().get_bits::<64>(0);
        self.ob.next.bytes = self.p_step.q.val();
        self.ob.next.last = self.p_ends.q.val();
        self.ob.next.err = false;
        self.handed.d.next = false;
        if free {
            self.handed.d.next = self.o_delivers.q.val();
            self.o.d.next = self.ob.val();
            self.o_valid.d.next = go && !self.p.q.val().drop;
            self.o_delivers.d.next = go && self.p_ends.q.val() && self.p.q.val().delivers;
        }
        if self.cmd_ready.val() {
            self.c_valid.d.next = false;
        }
        if go && self.p_first.q.val() && !self.p.q.val().drop {
            self.c_valid.d.next = true;
            self.c_addr.d.next = self.p.q.val().addr;
            self.c_length.d.next = bit_cast::<13, 16>(self.p.q.val().length);
        }
    }
}
