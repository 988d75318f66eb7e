// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames become octets of the wire.
use super::fcs::Fcs;
use super::rx::{PREAMBLE, SFD};
use crate::prelude::*;
use crate::stream::StreamSink;

/// Octets of the shortest frame without FCS; shorter frames are padded.
const SHORTEST: usize = 60;
/// Octets between frames.
const GAP: usize = 12;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum TxState {
    /// Ready for a frame.
    Idle,
    /// Seven octets and the delimiter.
    Preamble,
    /// Octets of the stream.
    Data,
    /// Zeros up to 60 octets.
    Pad,
    /// Four octets.
    Fcs,
    /// No octets.
    Gap,
}

/// MAC transmit: preamble, padding to 60 octets, FCS, a gap of 12 octets.
///
/// A frame begins with its first beat. Each further beat is there when the beat before has left,
/// eight cycles later. A frame of which one is late, or with `err`, leaves with an inverted FCS;
/// the rest of the frame is taken and dropped.
#[block]
pub struct MacTx {
    /// Frames without FCS.
    pub rx: StreamSink<64, 4>,
    /// Octet of the wire, with `carrier`.
    pub octet: Signal<Out, Bits<8>>,
    /// TX_EN: an octet is there.
    pub carrier: Signal<Out, Bit>,
    /// Pulse: a frame has left.
    pub sent: Signal<Out, Bit>,
    /// Pulse: a frame has left with an inverted FCS.
    pub spoilt: Signal<Out, Bit>,
    st: Reg<TxState>,
    count: Flop<Bits<4>>,
    data: Flop<Bits<64>>,
    bytes: Flop<Bits<4>>,
    is_last: Flop<Bit>,
    is_bad: Flop<Bit>,
    /// What is left of a frame whose end has left is dropped.
    drops: Reg<Bit>,
    /// Octets so far, up to 60.
    octets: Flop<Bits<6>>,
    fcs: Fcs,
    octet_out: Flop<Bits<8>>,
    carrier_out: Reg<Bit>,
    is_empty: Signal<Local, Bit>,
    is_short: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    at: Signal<Local, Bits<6>>,
    crc: Signal<Local, Bits<32>>,
    crc_octet: Signal<Local, Bits<32>>,
}

impl MacTx {
    /// The block with its FCS.
    pub fn new() -> Self {
        Self { fcs: Fcs::new(), ..Default::default() }
    }
}

#[kernel]
impl Logic for MacTx {
    fn update(&mut self) {
        regs!(st, drops, carrier_out);
        flops!(count, data, bytes, is_last, is_bad, octets, octet_out);
        clocked!(fcs);
        self.octet.next = self.octet_out.q.val();
        self.carrier.next = self.carrier_out.q.val();
        self.is_empty.next = self.bytes.q.val() == lit::<4>(1);
        self.is_short.next = self.octets.q.val() < lit::<6>(SHORTEST - 1);
        self.ready.next = self.st.q.val() == TxState::Idle;
        if (self.st.q.val() == TxState::Data) && self.is_empty.val() {
            self.ready.next = !self.is_last.q.val();
        }
        self.rx.ready.next = self.ready.val();
        self.takes.next = self.ready.val() && self.rx.valid.val();
        self.ends.next = self.is_empty.val() && (self.is_last.q.val() || !self.rx.valid.val());
        self.sent.next = false;
        self.spoilt.next = false;
        self.fcs.start.next = self.st.q.val() == TxState::Preamble;
        self.fcs.step.next = (self.st.q.val() == TxState::Data) || (self.st.q.val() == TxState::Pad);
        self.at.next = bit_cast::<6, 4>(self.count.q.val()) << 3;
        self.crc.next = !self.fcs.crc.val();
        if self.is_bad.q.val() {
            self.crc.next = self.fcs.crc.val();
        }
        self.crc_octet.next = self.crc.val() >> self.at.val();
        self.octet_out.d.next = lit::<8>(PREAMBLE);
        self.carrier_out.d.next = (self.st.q.val() != TxState::Idle) && (self.st.q.val() != TxState::Gap);
        self.count.d.next = self.count.q.val() + 1;
        if self.fcs.step.val() && self.is_short.val() {
            self.octets.d.next = self.octets.q.val() + 1;
        }
        match self.st.q.val() {
            TxState::Preamble => {
                self.octets.d.next = 0.into();
                if self.count.q.val() == lit::<4>(7) {
                    self.octet_out.d.next = lit::<8>(SFD);
                    self.st.d.next = TxState::Data;
                }
            }
            TxState::Data => {
                self.octet_out.d.next = self.data.q.val().get_bits::<8>(0);
                self.data.d.next = self.data.q.val() >> 8;
                self.bytes.d.next = self.bytes.q.val() - 1;
                self.count.d.next = 0.into();
                if self.ends.val() {
                    self.drops.d.next = !self.is_last.q.val();
                    self.is_bad.d.next = self.is_bad.q.val() || !self.is_last.q.val();
                    self.st.d.next = TxState::Fcs;
                    if self.is_short.val() {
                        self.st.d.next = TxState::Pad;
                    }
                }
            }
            TxState::Pad => {
                self.octet_out.d.next = 0.into();
                self.count.d.next = 0.into();
                if !self.is_short.val() {
                    self.st.d.next = TxState::Fcs;
                }
            }
            TxState::Fcs => {
                self.octet_out.d.next = bit_cast::<8, 32>(self.crc_octet.val());
                if self.count.q.val() == lit::<4>(3) {
                    self.count.d.next = 0.into();
                    self.sent.next = !self.is_bad.q.val();
                    self.spoilt.next = self.is_bad.q.val();
                    self.st.d.next = TxState::Gap;
                }
            }
            TxState::Gap => {
                // one more octet of the gap passes in `Idle`
                if self.count.q.val() == lit::<4>(GAP - 2) {
                    self.st.d.next = TxState::Idle;
                }
            }
            _ => {
                self.count.d.next = 0.into();
                self.is_bad.d.next = false;
                if self.rx.valid.val() && !self.drops.q.val() {
                    self.st.d.next = TxState::Preamble;
                }
                if self.rx.valid.val() && self.rx.last.val() {
                    self.drops.d.next = false;
                }
            }
        }
        if self.takes.val() {
            self.data.d.next = self.rx.data.val();
            self.bytes.d.next = self.rx.bytes.val();
            self.is_last.d.next = self.rx.last.val();
            if self.rx.last.val() && self.rx.err.val() {
                self.is_bad.d.next = true;
            }
        }
        self.fcs.octet.next = self.octet_out.d.val();
    }
}
