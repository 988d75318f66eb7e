// SPDX-License-Identifier: MIT OR Apache-2.0
//! Received TLPs to those whom they are for.
use crate::prelude::*;
use crate::stream::{Beat, Slot, StreamSink, StreamSource};

const TO_TYPE: usize = 25;
const DWORD: usize = 4;

/// Completions to `cpl`, all other TLPs to `req`.
///
/// **Contract.** `bar_hit` stands beside each beat of a memory request and says which BAR it hit:
/// bit 0 BAR0, bit 1 BAR2, bit 2 BAR4. Both readers take at once whatever the device does (D6): one
/// that pauses holds the other.
///
/// **Link.** While `lost` is high, beats are dropped. A TLP that has begun and not ended is ended
/// by a beat with `err`: the first TLP behind the loss has its own header.
///
/// **Timing.** Two cycles; a beat a cycle.
#[block]
pub struct RxRoute<const W: usize, const K: usize> {
    /// TLPs as they come.
    pub rx: StreamSink<W, K>,
    /// The BAR that the request hit.
    pub rx_bar_hit: Signal<In, Bits<3>>,
    /// The PCI Express link is down or is being reset.
    pub lost: Signal<In, Bit>,
    /// Completions.
    pub cpl: StreamSource<W, K>,
    /// Requests and messages.
    pub req: StreamSource<W, K>,
    /// The BAR that the request hit.
    pub req_bar_hit: Signal<Out, Bits<3>>,
    front: Slot<Beat<W, K>>,
    front_bar: Slot<Bits<3>>,
    to_cpl: Slot<Beat<W, K>>,
    to_req: Slot<Beat<W, K>>,
    to_req_bar: Slot<Bits<3>>,
    /// Inside a TLP.
    in_tlp: Reg<Bit>,
    /// It is a completion.
    kept: Reg<Bit>,
    completion: Const<Bits<4>>,
    given: Signal<Local, Beat<W, K>>,
    answers: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    beat: Signal<Local, Beat<W, K>>,
}

impl<const W: usize, const K: usize> RxRoute<W, K> {
    /// Nothing under way.
    pub fn new() -> Self {
        // Type 0101x of dword 0, bits 28:24: Cpl, CplD, CplLk and CplDLk (base specification table
        // 2-3)
        Self { completion: Const::of(0b0101), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for RxRoute<W, K> {
    fn update(&mut self) {
        regs!(in_tlp, kept);
        parts!(front, front_bar, to_cpl, to_req, to_req_bar);
        self.beat.next.data = self.rx.data.val();
        self.beat.next.bytes = self.rx.bytes.val();
        self.beat.next.last = self.rx.last.val();
        self.beat.next.err = self.rx.err.val();
        self.front.rx.item.next = self.beat.val();
        self.front.rx.valid.next = self.rx.valid.val() && !self.lost.val();
        self.front_bar.rx.item.next = self.rx_bar_hit.val();
        self.front_bar.rx.valid.next = self.rx.valid.val() && !self.lost.val();
        self.rx.ready.next = self.front.rx.ready.val();

        let kind: Bits<4> = bit_cast::<4, W>(self.front.tx.item.val().data >> lit::<8>(TO_TYPE));
        self.answers.next = kind == self.completion.val();
        if self.in_tlp.q.val() {
            self.answers.next = self.kept.q.val();
        }
        self.moves.next = self.to_req.rx.ready.val();
        if self.answers.val() {
            self.moves.next = self.to_cpl.rx.ready.val();
        }
        self.front.tx.ready.next = self.moves.val();
        self.front_bar.tx.ready.next = self.moves.val();
        // The link is lost inside a TLP.
        let cuts: Bit = self.lost.val() && self.in_tlp.q.val() && !self.front.tx.valid.val();
        self.given.next = self.front.tx.item.val();
        if cuts {
            self.given.next.bytes = lit::<K>(DWORD);
            self.given.next.last = true;
            self.given.next.err = true;
        }
        let offered: Bit = self.front.tx.valid.val() || cuts;
        self.to_cpl.rx.item.next = self.given.val();
        self.to_cpl.rx.valid.next = offered && self.answers.val();
        self.to_req.rx.item.next = self.given.val();
        self.to_req.rx.valid.next = offered && !self.answers.val();
        self.to_req_bar.rx.item.next = self.front_bar.tx.item.val();
        self.to_req_bar.rx.valid.next = offered && !self.answers.val();
        if offered && self.moves.val() {
            self.in_tlp.d.next = !self.given.val().last;
            self.kept.d.next = self.answers.val();
        }

        self.cpl.data.next = self.to_cpl.tx.item.val().data;
        self.cpl.bytes.next = self.to_cpl.tx.item.val().bytes;
        self.cpl.last.next = self.to_cpl.tx.item.val().last;
        self.cpl.err.next = self.to_cpl.tx.item.val().err;
        self.cpl.valid.next = self.to_cpl.tx.valid.val();
        self.to_cpl.tx.ready.next = self.cpl.ready.val();
        self.req.data.next = self.to_req.tx.item.val().data;
        self.req.bytes.next = self.to_req.tx.item.val().bytes;
        self.req.last.next = self.to_req.tx.item.val().last;
        self.req.err.next = self.to_req.tx.item.val().err;
        self.req.valid.next = self.to_req.tx.valid.val();
        self.req_bar_hit.next = self.to_req_bar.tx.item.val();
        self.to_req.tx.ready.next = self.req.ready.val();
        self.to_req_bar.tx.ready.next = self.req.ready.val();
    }
}
