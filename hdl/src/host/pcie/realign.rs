// SPDX-License-Identifier: MIT OR Apache-2.0
//! TLPs as the PCI Express block gives them at 128 bits, which may begin in the middle of a beat,
//! to TLPs that begin in lane 0.
use crate::prelude::*;
use crate::stream::{Beat, Slot, StreamSource};

/// Takes the receive side of the 7-series block (PG054, `m_axis_rx`, 128 bits) and gives each TLP
/// beats of its own.
///
/// **Contract.** `is_sof` and `is_eof` are bits 14:10 and 21:17 of `m_axis_rx_tuser`: bit 4 says
/// that a TLP begins or ends in this beat, bits 3:0 in which octet. One begins in octet 0, or in
/// octet 8 of a beat in which another ends before it; it ends with a dword. `bar_hit` is that of
/// the TLP that begins in this beat if one does, else of the one under way; `err` belongs to the
/// TLP that ends. Dwords that belong to no TLP are dropped; a beginning inside a TLP that has not
/// ended is not looked at. While `lost` is high, nothing is given, and a TLP that has begun is
/// forgotten: [`super::RxRoute`] ends what it was given of the TLP.
///
/// **Timing.** One cycle. A beat a cycle, but that a TLP which began in octet 8 and ends in a
/// beat's upper half takes one more: there is one beat more to give than came. Completions of whole
/// multiples of 64 octets are 3 dwords and multiples of 16, so between them none begins in octet 8.
#[block]
pub struct Realign {
    /// Four dwords, lane 0 in bits 31:0.
    pub rx_data: Signal<In, Bits<128>>,
    /// Where a TLP begins.
    pub rx_is_sof: Signal<In, Bits<5>>,
    /// Where a TLP ends.
    pub rx_is_eof: Signal<In, Bits<5>>,
    /// The BAR that the request hits.
    pub rx_bar_hit: Signal<In, Bits<3>>,
    /// The block gave the TLP up that ends.
    pub rx_err: Signal<In, Bit>,
    /// A beat is offered.
    pub rx_valid: Signal<In, Bit>,
    /// It is taken.
    pub rx_ready: Signal<Out, Bit>,
    /// The PCI Express link is down or is being reset.
    pub lost: Signal<In, Bit>,
    /// TLPs that begin in lane 0.
    pub tx: StreamSource<128, 5>,
    /// The BAR that the request hit, beside each beat.
    pub tx_bar_hit: Signal<Out, Bits<3>>,
    out: Slot<Beat<128, 5>>,
    out_bar: Slot<Bits<3>>,
    /// A TLP has begun and not ended.
    in_tlp: Reg<Bit>,
    /// It began in octet 8, so `held` comes before what comes.
    half: Reg<Bit>,
    /// It has ended, and `held` is left to give.
    tail: Reg<Bit>,
    /// Octets and verdict of that beat.
    tail_bytes: Flop<Bits<5>>,
    tail_err: Flop<Bit>,
    /// Lanes 2 and 3 of the beat before.
    held: Flop<Bits<64>>,
    /// The BAR of the TLP under way.
    bar: Flop<Bits<3>>,
    beat: Signal<Local, Beat<128, 5>>,
    whose: Signal<Local, Bits<3>>,
    to_high: Const<Bits<16>>,
    lane: Const<Bits<5>>,
    dword: Const<Bits<5>>,
    two: Const<Bits<5>>,
    all: Const<Bits<5>>,
}

impl Realign {
    /// Nothing under way.
    pub fn new() -> Self {
        Self {
            to_high: Const::of(64),
            lane: Const::of(0b01100),
            dword: Const::of(4),
            two: Const::of(8),
            all: Const::of(16),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Realign {
    fn update(&mut self) {
        flops!(in_tlp, half, tail, tail_bytes, tail_err, held, bar);
        clocked!(out, out_bar);
        let clears: Bit = self.reset.val() || self.lost.val();
        self.out.reset.next = clears;
        self.out_bar.reset.next = clears;
        self.in_tlp.reset.next = clears;
        self.half.reset.next = clears;
        self.tail.reset.next = clears;

        // what this beat has
        let begins: Bit = self.rx_is_sof.val().get_bit(4);
        let high: Bit = self.rx_is_sof.val().get_bit(3);
        let live: Bit = self.in_tlp.q.val() || (begins && !high);
        let ends: Bit = live && self.rx_is_eof.val().get_bit(4);
        let ends_high: Bit = self.rx_is_eof.val().get_bit(3);
        let count: Bits<5> = (self.rx_is_eof.val() & self.lane.val()) + self.dword.val();
        let spills: Bit = self.half.q.val() && ends && ends_high;
        let takes_high: Bit = begins && high && (!live || (ends && !ends_high));

        // what it becomes
        self.beat.next.data = self.rx_data.val();
        self.beat.next.bytes = self.all.val();
        self.beat.next.last = ends;
        self.beat.next.err = self.rx_err.val() && ends;
        if ends {
            self.beat.next.bytes = count;
        }
        if self.half.q.val() {
            self.beat.next.data =
                bit_cast::<128, 64>(self.held.q.val()) | (self.rx_data.val() << self.to_high.val());
            self.beat.next.last = ends && !ends_high;
            self.beat.next.err = self.rx_err.val() && ends && !ends_high;
            if spills {
                self.beat.next.bytes = self.all.val();
            } else if ends {
                self.beat.next.bytes = count + self.two.val();
            }
        }
        if self.tail.q.val() {
            self.beat.next.data = bit_cast::<128, 64>(self.held.q.val());
            self.beat.next.bytes = self.tail_bytes.q.val();
            self.beat.next.last = true;
            self.beat.next.err = self.tail_err.q.val();
        }
        self.whose.next = self.bar.q.val();
        if !self.in_tlp.q.val() && !self.tail.q.val() {
            self.whose.next = self.rx_bar_hit.val();
        }
        self.out.rx.item.next = self.beat.val();
        self.out.rx.valid.next = self.tail.q.val() || (self.rx_valid.val() && live);
        self.out_bar.rx.item.next = self.whose.val();
        self.out_bar.rx.valid.next = self.tail.q.val() || (self.rx_valid.val() && live);

        // what remains
        self.rx_ready.next = self.out.rx.ready.val() && !self.tail.q.val();
        let moves: Bit = self.rx_valid.val() && self.out.rx.ready.val() && !self.tail.q.val();
        if self.out.rx.ready.val() {
            self.tail.d.next = false;
        }
        if moves {
            self.held.d.next = bit_cast::<64, 128>(self.rx_data.val() >> self.to_high.val());
            self.in_tlp.d.next = takes_high || (live && !ends);
            self.half.d.next = takes_high || (self.half.q.val() && !ends);
            self.tail.d.next = spills;
            self.tail_bytes.d.next = count - self.two.val();
            self.tail_err.d.next = self.rx_err.val();
            if takes_high || !self.in_tlp.q.val() {
                self.bar.d.next = self.rx_bar_hit.val();
            }
        }

        self.tx.data.next = self.out.tx.item.val().data;
        self.tx.bytes.next = self.out.tx.item.val().bytes;
        self.tx.last.next = self.out.tx.item.val().last;
        self.tx.err.next = self.out.tx.item.val().err;
        self.tx.valid.next = self.out.tx.valid.val();
        self.tx_bar_hit.next = self.out_bar.tx.item.val();
        self.out.tx.ready.next = self.tx.ready.val();
        self.out_bar.tx.ready.next = self.tx.ready.val();
    }
}
