// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames of the carrier leave.
use super::ring::Place;
use crate::gen::consts::{carrier_frame, carrier_kind};
use crate::gen::PackCarrierHdr;
use crate::prelude::*;
use crate::stream::StreamSource;

/// Beat that holds the last four octets of the shortest frame.
const SHORTEST: usize = 7;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum SenderState {
    /// Between two frames.
    Idle,
    /// Beats of the header.
    Head,
    /// Rows of records.
    Rows,
    /// Zeros up to 60 octets.
    Pad,
}

/// Sends the answer of a hello, data frames, and acks, in this order of urgency.
///
/// **Contract.** The header tells what holds when the frame begins: a data frame that leaves again
/// has the newest acknowledgment. A frame that has begun leaves whole, whatever becomes of the
/// epoch.
///
/// **Timing.** A beat a cycle without a pause; a cycle between two frames.
#[block]
pub struct Sender {
    /// The epoch runs.
    pub open: Signal<In, Bit>,
    /// MAC address of the device.
    pub address: Signal<In, Bits<48>>,
    /// MAC address of the host.
    pub station: Signal<In, Bits<48>>,
    /// Epoch of the bound station, while `open`.
    pub epoch: Signal<In, Bits<16>>,
    /// A hello wants its answer.
    pub owes_hello: Signal<In, Bit>,
    /// Pulse: the answer begins to leave.
    pub hello_sent: Signal<Out, Bit>,
    /// An ack is to leave.
    pub urgent: Signal<In, Bit>,
    /// Number of the next data frame that the device expects.
    pub expected: Signal<In, Bits<16>>,
    /// A nak is to leave.
    pub nak: Signal<In, Bit>,
    /// Pulse: a header with the two begins to leave.
    pub told: Signal<Out, Bit>,
    /// The device takes non-posted requests.
    pub np_ok: Signal<In, Bit>,
    /// A data frame is to be sent.
    pub offer: Signal<In, Bit>,
    /// Its number.
    pub number: Signal<In, Bits<16>>,
    /// Its place in the ring.
    pub place: Signal<In, Place>,
    /// Pulse: the data frame begins to leave.
    pub begun: Signal<Out, Bit>,
    /// Pulse: the last beat of a frame leaves.
    pub ended: Signal<Out, Bit>,
    /// Loads `read_data`.
    pub read_enable: Signal<Out, Bit>,
    /// Row to read.
    pub read_address: Signal<Out, Bits<11>>,
    /// The row.
    pub read_data: Signal<In, Bits<64>>,
    /// Frames for the wire.
    pub tx: StreamSource<64, 4>,
    st: Reg<SenderState>,
    head: Flop<Bits<192>>,
    at: Flop<Bits<4>>,
    row: Flop<Bits<11>>,
    left: Flop<Bits<8>>,
    pack: PackCarrierHdr,
}

#[kernel]
impl Logic for Sender {
    fn update(&mut self) {
        regs!(st);
        flops!(head, at, row, left);
        let idle: Bit = self.st.q.val() == SenderState::Idle;
        let in_rows: Bit = self.st.q.val() == SenderState::Rows;
        let hello: Bit = self.owes_hello.val();
        let data: Bit = !hello && self.offer.val();
        let starts: Bit = idle && self.open.val() && (hello || data || self.urgent.val());
        self.pack.record.next.destination = self.station.val();
        self.pack.record.next.source = self.address.val();
        self.pack.record.next.ether_type = carrier_frame::ether_type().val();
        self.pack.record.next.version = carrier_frame::version().val();
        self.pack.record.next.ask = false;
        self.pack.record.next.ready = true;
        self.pack.record.next.np_ok = self.np_ok.val();
        self.pack.record.next.nak = self.nak.val() && !hello;
        self.pack.record.next.kind = carrier_kind::ack().val();
        self.pack.record.next.epoch = self.epoch.val();
        self.pack.record.next.sequence_number = 0.into();
        self.pack.record.next.acknowledged = self.expected.val();
        self.pack.record.next.records = 0.into();
        if hello {
            self.pack.record.next.kind = carrier_kind::hello().val();
            self.pack.record.next.acknowledged = 0.into();
        }
        if data {
            self.pack.record.next.kind = carrier_kind::data().val();
            self.pack.record.next.sequence_number = self.number.val();
            self.pack.record.next.records = bit_cast::<16, 8>(self.place.val().records);
        }
        self.hello_sent.next = starts && hello;
        self.told.next = starts && !hello;
        self.begun.next = starts && data;

        let is_end: Bit = self.at.q.val() == lit::<4>(SHORTEST);
        let is_behind: Bit = self.at.q.val() >= lit::<4>(SHORTEST);
        let is_last_row: Bit = self.left.q.val() == lit::<8>(1);
        let in_pad: Bit = self.st.q.val() == SenderState::Pad;
        let is_last: Bit = (in_rows && is_last_row && is_behind) || (in_pad && is_end);
        let goes: Bit = !idle && self.tx.ready.val();
        self.tx.valid.next = !idle;
        self.tx.last.next = is_last;
        self.tx.err.next = false;
        self.tx.bytes.next = lit::<4>(8);
        if in_pad && is_end {
            self.tx.bytes.next = lit::<4>(4);
        }
        self.tx.data.next = 0.into();
        self.ended.next = goes && is_last;
        self.read_enable.next = goes;
        self.read_address.next = self.row.q.val();
        if goes && !self.at.q.val().all() {
            self.at.d.next = self.at.q.val() + 1;
        }
        match self.st.q.val() {
            SenderState::Idle => {
                self.head.d.next = self.pack.octets.val();
                self.at.d.next = 0.into();
                self.row.d.next = self.place.val().start;
                self.left.d.next = 0.into();
                if data {
                    self.left.d.next = self.place.val().rows;
                }
                if starts {
                    self.st.d.next = SenderState::Head;
                }
            }
            SenderState::Head => {
                self.tx.data.next = self.head.q.val().get_bits::<64>(0);
                if goes {
                    self.head.d.next = self.head.q.val() >> 64;
                    if self.at.q.val() == lit::<4>(2) {
                        // the first row was asked for in this cycle
                        self.row.d.next = self.row.q.val() + 1;
                        self.st.d.next = SenderState::Pad;
                        if self.left.q.val().any() {
                            self.st.d.next = SenderState::Rows;
                        }
                    }
                }
            }
            SenderState::Rows => {
                self.tx.data.next = self.read_data.val();
                if goes {
                    self.row.d.next = self.row.q.val() + 1;
                    self.left.d.next = self.left.q.val() - 1;
                    if is_last_row {
                        self.st.d.next = SenderState::Pad;
                        if is_behind {
                            self.st.d.next = SenderState::Idle;
                        }
                    }
                }
            }
            _ => {
                if goes && is_end {
                    self.st.d.next = SenderState::Idle;
                }
            }
        }
    }
}
