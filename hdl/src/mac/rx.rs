// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets of the wire become frames.
use super::fcs::{Fcs, RESIDUE};
use crate::prelude::*;
use crate::stream::{Beat, StreamSource};

/// Octet in front of a frame (IEEE 802.3 section 3.2.1).
pub(super) const PREAMBLE: usize = 0x55;
/// Start frame delimiter.
pub(super) const SFD: usize = 0xD5;
/// Octets of the shortest frame, FCS included.
const SHORTEST: usize = 64;
/// Octets of the FCS.
const FCS: usize = 4;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum RxState {
    /// Until the carrier ends.
    Skip,
    /// Between frames, and in a preamble.
    Idle,
    /// In a frame.
    Frame,
    /// The last beat waits for the beat before.
    Close,
}

/// MAC receive: takes the preamble and the FCS off and checks the frame.
///
/// A frame with a fault ends with `err`. Each frame gives one pulse on one of six outputs, in the
/// cycle after the carrier ends. The wire does not wait: if a beat finds the place at `tx` taken,
/// the frame ends there with `err`.
#[block]
pub struct MacRx {
    /// Octet of the wire, with `carrier`.
    pub octet: Signal<In, Bits<8>>,
    /// RX_DV: an octet is there.
    pub carrier: Signal<In, Bit>,
    /// RX_ER, with `carrier`: the octet is spoilt.
    pub fault: Signal<In, Bit>,
    /// Frames without FCS.
    pub tx: StreamSource<64, 4>,
    /// Pulse: a good frame.
    pub good: Signal<Out, Bit>,
    /// Pulse: a frame with a wrong FCS.
    pub bad_fcs: Signal<Out, Bit>,
    /// Pulse: a frame of fewer than 64 octets.
    pub runt: Signal<Out, Bit>,
    /// Pulse: a frame with more octets than the limit.
    pub long: Signal<Out, Bit>,
    /// Pulse: a frame with `fault`, or with another octet in the preamble.
    pub error: Signal<Out, Bit>,
    /// Pulse: a good frame of which a beat found no room, or a frame behind such a one.
    pub lost: Signal<Out, Bit>,
    carrier_in: Flop<Bit>,
    fault_in: Flop<Bit>,
    octet_in: Flop<Bits<8>>,
    st: Reg<RxState>,
    fcs: Fcs,
    /// The four octets that may be the FCS.
    late: Flop<Bits<32>>,
    /// Octets so far, FCS included.
    octets: Flop<Bits<14>>,
    data: Flop<Bits<64>>,
    bytes: Flop<Bits<4>>,
    is_long: Flop<Bit>,
    is_fault: Flop<Bit>,
    is_lost: Flop<Bit>,
    out: Flop<Beat<64, 4>>,
    out_valid: Reg<Bit>,
    longest: Const<Bits<14>>,
    is_free: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    is_bad: Signal<Local, Bit>,
    at: Signal<Local, Bits<64>>,
    up: Signal<Local, Bits<7>>,
    leaves: Signal<Local, Bits<64>>,
}

impl MacRx {
    /// Frames of at most `longest` octets, FCS included.
    pub fn new(longest: usize) -> Self {
        Self { fcs: Fcs::new(), longest: Const::of(longest), ..Default::default() }
    }
}

#[kernel]
impl Logic for MacRx {
    fn update(&mut self) {
        regs!(st, out_valid);
        flops!(carrier_in, fault_in, octet_in, late, octets, data, bytes, is_long, is_fault, is_lost, out);
        clocked!(fcs);
        self.carrier_in.d.next = self.carrier.val();
        self.fault_in.d.next = self.fault.val();
        self.octet_in.d.next = self.octet.val();
        self.tx.data.next = self.out.q.val().data;
        self.tx.bytes.next = self.out.q.val().bytes;
        self.tx.last.next = self.out.q.val().last;
        self.tx.err.next = self.out.q.val().err;
        self.tx.valid.next = self.out_valid.q.val();
        self.is_free.next = self.tx.ready.val() || !self.out_valid.q.val();
        self.is_full.next = self.bytes.q.val() == lit::<4>(8);
        self.keeps.next = false;
        self.offers.next = false;
        self.ends.next = false;
        self.good.next = false;
        self.bad_fcs.next = false;
        self.runt.next = false;
        self.long.next = false;
        self.error.next = false;
        self.lost.next = false;
        self.fcs.octet.next = self.octet_in.q.val();
        self.fcs.start.next = self.st.q.val() == RxState::Idle;
        self.fcs.step.next = self.st.q.val() == RxState::Frame;
        self.leaves.next = bit_cast::<64, 32>(self.late.q.val()) & lit::<64>(0xFF);
        self.up.next = bit_cast::<7, 4>(self.bytes.q.val()) << 3;
        self.at.next = self.leaves.val() << self.up.val();
        self.is_bad.next = true;
        match self.st.q.val() {
            RxState::Idle => {
                self.octets.d.next = 0.into();
                self.bytes.d.next = 0.into();
                self.is_long.d.next = false;
                self.is_fault.d.next = false;
                self.is_lost.d.next = false;
                if self.carrier_in.q.val() {
                    if self.fault_in.q.val() {
                        self.error.next = true;
                        self.st.d.next = RxState::Skip;
                    } else if self.octet_in.q.val() == lit::<8>(SFD) {
                        self.st.d.next = RxState::Frame;
                    } else if self.octet_in.q.val() != lit::<8>(PREAMBLE) {
                        self.error.next = true;
                        self.st.d.next = RxState::Skip;
                    }
                }
            }
            RxState::Frame => {
                self.late.d.next =
                    (self.late.q.val() >> 8) | (bit_cast::<32, 8>(self.octet_in.q.val()) << 24);
                if self.carrier_in.q.val() {
                    self.is_fault.d.next = self.is_fault.q.val() || self.fault_in.q.val();
                    if self.octets.q.val() == self.longest.val() {
                        self.is_long.d.next = true;
                    } else {
                        self.octets.d.next = self.octets.q.val() + 1;
                    }
                    self.keeps.next = !self.is_long.q.val() && !self.is_lost.q.val();
                    if (self.octets.q.val() >= lit::<14>(FCS)) && self.keeps.val() {
                        if !self.is_full.val() {
                            self.bytes.d.next = self.bytes.q.val() + 1;
                            self.data.d.next = self.at.val();
                            if self.bytes.q.val().any() {
                                self.data.d.next = self.data.q.val() | self.at.val();
                            }
                        } else if self.is_free.val() {
                            self.offers.next = true;
                            self.bytes.d.next = lit::<4>(1);
                            self.data.d.next = self.leaves.val();
                        } else {
                            self.is_lost.d.next = true;
                        }
                    }
                } else {
                    self.st.d.next = RxState::Idle;
                    if self.is_fault.q.val() {
                        self.error.next = true;
                    } else if self.is_long.q.val() {
                        self.long.next = true;
                    } else if self.octets.q.val() < lit::<14>(SHORTEST) {
                        self.runt.next = true;
                    } else if self.fcs.crc.val() != lit::<32>(RESIDUE) {
                        self.bad_fcs.next = true;
                    } else if self.is_lost.q.val() {
                        self.lost.next = true;
                    } else {
                        self.good.next = true;
                        self.is_bad.next = false;
                    }
                    if self.bytes.q.val().any() {
                        self.ends.next = self.is_free.val();
                        if !self.is_free.val() {
                            self.st.d.next = RxState::Close;
                            // from here on the verdict, and whether another frame has begun
                            self.is_lost.d.next = self.is_bad.val();
                            self.is_long.d.next = false;
                        }
                    }
                }
            }
            RxState::Close => {
                self.is_bad.next = self.is_lost.q.val();
                self.ends.next = self.is_free.val();
                self.is_long.d.next = self.carrier_in.q.val();
                if self.carrier_in.q.val() {
                    self.lost.next = self.is_free.val();
                } else {
                    self.lost.next = self.is_long.q.val();
                }
                if self.is_free.val() {
                    self.st.d.next = RxState::Skip;
                }
            }
            _ => {
                if !self.carrier_in.q.val() {
                    self.st.d.next = RxState::Idle;
                }
            }
        }
        if self.is_free.val() {
            self.out_valid.d.next = self.offers.val() || self.ends.val();
            self.out.d.next.data = self.data.q.val();
            self.out.d.next.bytes = self.bytes.q.val();
            self.out.d.next.last = self.ends.val();
            self.out.d.next.err = self.ends.val() && self.is_bad.val();
        }
    }
}
