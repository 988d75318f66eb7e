// SPDX-License-Identifier: MIT OR Apache-2.0
//! A request from its TLP.
use super::bar_ports::Request;
use crate::prelude::*;
use crate::stream::StreamSink;

/// Bits of a request that are kept: eight dwords, more than any request has that is served.
const KEPT: usize = 256;

/// Collects each TLP and shows it for one cycle, the one after its last beat. `NB` = beats that are
/// kept.
///
/// **Contract.** At 64 bits `ready` is always high: a beat is taken in the cycle in which it is
/// offered (D6). Above, it is low for the one cycle behind a TLP, whatever happens in the device:
/// requests follow each other no closer than at 64 bits, where the shortest has two beats, and two
/// registers or a doorbell three.
#[block]
pub struct RxTake<const W: usize, const K: usize, const NB: usize> {
    /// TLPs.
    pub rx: StreamSink<W, K>,
    /// The BAR that the request hit, beside each beat.
    pub bar_hit: Signal<In, Bits<3>>,
    /// The request.
    pub q: Signal<Out, Request>,
    /// It is there.
    pub q_valid: Signal<Out, Bit>,
    words: Flop<Bits<256>>,
    bar: Flop<Bits<3>>,
    dwords: Reg<Bits<11>>,
    beat: Reg<Bits<4>>,
    whole: Reg<Bit>,
    /// A TLP ended in the cycle before.
    pause: Reg<Bit>,
    pauses: Const<Bit>,
    offset: Vec<Const<Bits<16>>>,
    most: Const<Bits<11>>,
    base: Signal<Local, Bits<256>>,
    now: Signal<Local, Bits<256>>,
    past: Signal<Local, Bits<11>>,
    total: Signal<Local, Bits<11>>,
}

impl<const W: usize, const K: usize, const NB: usize> RxTake<W, K, NB> {
    /// Panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(W >= 64 && NB * W == KEPT, "W = {W}, NB = {NB}: NB beats of W bits are {KEPT} bits");
        assert!(K == crate::stream::bytes_width(W), "K = {K} does not fit W = {W}");
        Self {
            pauses: Const::new(W > 64),
            offset: (0..NB).map(|i| Const::of(i * W)).collect(),
            most: Const::of(2_047),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const W: usize, const K: usize, const NB: usize> Logic for RxTake<W, K, NB> {
    fn update(&mut self) {
        regs!(dwords, beat, whole, pause);
        flops!(words, bar);
        self.rx.ready.next = !self.pause.q.val();
        let fire: Bit = self.rx.valid.val() && !self.pause.q.val();

        // A beat beyond what is kept is only counted.
        self.base.next = self.words.q.val();
        self.past.next = self.dwords.q.val();
        if !self.beat.q.val().any() {
            self.base.next = 0.into();
            self.past.next = 0.into();
        }
        self.now.next = self.base.val();
        for i in 0..NB {
            if self.beat.q.val() == i.to_bits() {
                self.now.next =
                    self.base.val() | (bit_cast::<256, W>(self.rx.data.val()) << self.offset[i].val());
            }
        }
        let more: Bits<11> = bit_cast::<11, K>(self.rx.bytes.val()) >> 2;
        self.total.next = self.past.val() + more;
        // so many are no request's: neither one that does not end nor one that the block gave up is
        // judged by its header
        if self.past.val().get_bits::<7>(4).all() || (self.rx.last.val() && self.rx.err.val()) {
            self.total.next = self.most.val();
        }
        self.whole.d.next = fire && self.rx.last.val();
        self.pause.d.next = fire && self.rx.last.val() && self.pauses.val();
        if fire {
            self.words.d.next = self.now.val();
            self.bar.d.next = self.bar_hit.val();
            self.dwords.d.next = self.total.val();
            if !self.beat.q.val().all() {
                self.beat.d.next = self.beat.q.val() + 1;
            }
            if self.rx.last.val() {
                self.beat.d.next = 0.into();
            }
        }
        self.q.next.words = self.words.q.val();
        self.q.next.dwords = self.dwords.q.val();
        self.q.next.bar = self.bar.q.val();
        self.q_valid.next = self.whole.q.val();
    }
}
