// SPDX-License-Identifier: MIT OR Apache-2.0
//! RDMAP's part in the judgement of a segment: version, and opcode against T and QN.
use crate::gen::consts::{opcode_set, rdmap};
use crate::gen::UnpackRdmapControl;
use crate::prelude::*;

/// Checks 2 and 3 of RFC 5040 section 7.2, wiring and gates only.
///
/// The two Rsv bits are not looked at.
#[block(comb)]
pub struct RxCheck {
    /// RDMAP's control octet.
    pub control: Signal<In, Bits<8>>,
    /// T of the segment.
    pub is_tagged: Signal<In, Bit>,
    /// QN of an untagged segment.
    pub queue: Signal<In, Bits<32>>,
    /// RDMAP opcode of the segment.
    pub opcode: Signal<Out, Bits<4>>,
    /// RV is not that of the stream.
    pub bad_version: Signal<Out, Bit>,
    /// The opcode is reserved or does not go with T and QN; on a queue that is not there any opcode
    /// is.
    pub unexpected: Signal<Out, Bit>,
    /// The segment is of a Terminate.
    pub is_terminate: Signal<Out, Bit>,
    /// The opcode names an STag to invalidate.
    pub invalidates: Signal<Out, Bit>,

    unpack: UnpackRdmapControl,
    version: Const<Bits<2>>,
    queue_send: Const<Bits<32>>,
    queue_read: Const<Bits<32>>,
    queue_terminate: Const<Bits<32>>,
    on_tagged: Const<Bits<16>>,
    on_send: Const<Bits<16>>,
    on_read: Const<Bits<16>>,
    on_terminate: Const<Bits<16>>,
    on_none: Const<Bits<16>>,
    names_stag: Const<Bits<16>>,
    expected: Signal<Local, Bits<16>>,
}

impl RxCheck {
    /// For streams of RFC 5040 peers (RV 1).
    pub fn new() -> Self {
        Self {
            version: rdmap::version(),
            queue_send: rdmap::queue_send(),
            queue_read: rdmap::queue_read_request(),
            queue_terminate: rdmap::queue_terminate(),
            on_tagged: opcode_set::tagged(),
            on_send: opcode_set::on_queue_send(),
            on_read: opcode_set::on_queue_read_request(),
            on_terminate: opcode_set::on_queue_terminate(),
            names_stag: opcode_set::invalidates(),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RxCheck {
    fn update(&mut self) {
        self.unpack.octets.next = self.control.val();
        let op: Bits<4> = self.unpack.record.val().opcode;
        self.opcode.next = op;
        self.bad_version.next = self.unpack.record.val().rdmap_version != self.version.val();
        let stags: Bits<16> = self.names_stag.val();
        self.expected.next = self.on_none.val();
        if self.is_tagged.val() {
            self.expected.next = self.on_tagged.val();
        } else if self.queue.val() == self.queue_send.val() {
            self.expected.next = self.on_send.val();
        } else if self.queue.val() == self.queue_read.val() {
            self.expected.next = self.on_read.val();
        } else if self.queue.val() == self.queue_terminate.val() {
            self.expected.next = self.on_terminate.val();
        }
        let fits: Bit = self.expected.val().get_bit(op.index());
        self.unexpected.next = !fits;
        self.is_terminate.next =
            !self.is_tagged.val() && (self.queue.val() == self.queue_terminate.val()) && fits;
        self.invalidates.next = !self.is_tagged.val() && stags.get_bit(op.index());
    }
}
