// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames by their destination.
use crate::prelude::*;
use crate::stream::{Beat, StreamSink, StreamSource};

/// Addresses that are received, at most.
pub const MACS: usize = 4;

/// Destinations that are received.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxAccept {
    /// All frames.
    pub promiscuous: Bit,
    /// Those to all stations.
    pub broadcast: Bit,
    /// Those to any group but all stations.
    pub multicast: Bit,
}

/// An address that is received; octet 0 is bits 7:0.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxMac {
    /// There is one.
    pub is_valid: Bit,
    /// Its octets.
    pub mac: Bits<48>,
}

const WHOLE: usize = 6;

/// Drops frames whose destination is none of [`MACS`] addresses and of no kind that is received
/// (IEEE 802.3, 3.2.3).
///
/// A frame is judged by its first beat, which holds the whole address (`W` is 64 at least), and by
/// what `accept` and `macs` say in that cycle. One of fewer than six octets is no frame of
/// Ethernet: it passes, so that the stage behind counts it as malformed.
///
/// **Contract.** `rx` is ready when `tx` is: while it waits nothing moves.
///
/// **Timing.** Two cycles; a beat a cycle.
#[block]
pub struct RxFilter<const W: usize, const K: usize> {
    /// Kinds of frames that are received.
    pub accept: Signal<In, RxAccept>,
    /// Addresses that are received.
    pub macs: [Signal<In, RxMac>; MACS],
    /// Frames.
    pub rx: StreamSink<W, K>,
    /// Those that are received.
    pub tx: StreamSource<W, K>,
    /// Pulse: a frame came.
    pub came: Signal<Out, Bit>,
    /// Pulse: it was dropped.
    pub filtered: Signal<Out, Bit>,
    /// The beat before, what its frame's destination matches, if it is a first one, and whether
    /// there is one.
    beat: Flop<Beat<W, K>>,
    ours: Flop<Bits<MACS>>,
    kind: Flop<Bit>,
    valid: Reg<Bit>,
    first: Reg<Bit>,
    /// The next beat is a frame's first.
    next_first: Reg<Bit>,
    /// What was decided of the present frame.
    passes: Reg<Bit>,
    out: Flop<Beat<W, K>>,
    out_valid: Reg<Bit>,
    begun: Reg<Bit>,
    dropped: Reg<Bit>,
    now: Signal<Local, Beat<W, K>>,
    entry: Signal<Local, RxMac>,
    hits: Signal<Local, Bits<MACS>>,
    pass: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize> RxFilter<W, K> {
    /// Between frames; panics at elaboration if an address does not fit a beat.
    pub fn new() -> Self {
        assert!(W >= 64, "a destination has 48 bits, a beat {W}");
        Self { next_first: Reg::new(true), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const K: usize> Logic for RxFilter<W, K> {
    fn update(&mut self) {
        regs!(valid, first, next_first, passes, out_valid, begun, dropped);
        flops!(beat, ours, kind, out);

        // First step: what the destination matches.
        let go: Bit = self.tx.ready.val();
        self.rx.ready.next = self.tx.ready.val();
        self.now.next.data = self.rx.data.val();
        self.now.next.bytes = self.rx.bytes.val();
        self.now.next.last = self.rx.last.val();
        self.now.next.err = self.rx.err.val();
        let mac: Bits<48> = self.rx.data.val().get_bits::<48>(0);
        self.hits.next = 0.into();
        for i in 0..MACS {
            self.entry.next = self.macs[i].val();
            if self.entry.val().is_valid && (self.entry.val().mac == mac) {
                self.hits.next = self.hits.val().replace_bit(i, true);
            }
        }
        let everyone: Bit = mac.all();
        let short: Bit = self.rx.bytes.val() < lit::<K>(WHOLE);
        if go {
            self.beat.d.next = self.now.val();
            self.valid.d.next = self.rx.valid.val();
            self.first.d.next = self.next_first.q.val();
            if self.rx.valid.val() {
                self.next_first.d.next = self.rx.last.val();
            }
            self.ours.d.next = self.hits.val();
            self.kind.d.next = self.accept.val().promiscuous
                || short
                || (self.accept.val().broadcast && everyone)
                || (self.accept.val().multicast && mac.get_bit(0) && !everyone);
        }

        // Second step: the frame passes, or none of it does.
        self.pass.next = self.passes.q.val();
        if self.first.q.val() {
            self.pass.next = self.kind.q.val() || self.ours.q.val().any();
        }
        self.begun.d.next = go && self.valid.q.val() && self.first.q.val();
        self.dropped.d.next = go && self.valid.q.val() && self.first.q.val() && !self.pass.val();
        if go {
            if self.valid.q.val() {
                self.passes.d.next = self.pass.val();
            }
            self.out.d.next = self.beat.q.val();
            self.out_valid.d.next = self.valid.q.val() && self.pass.val();
        }
        self.tx.data.next = self.out.q.val().data;
        self.tx.bytes.next = self.out.q.val().bytes;
        self.tx.last.next = self.out.q.val().last;
        self.tx.err.next = self.out.q.val().err;
        self.tx.valid.next = self.out_valid.q.val();
        self.came.next = self.begun.q.val();
        self.filtered.next = self.dropped.q.val();
    }
}
