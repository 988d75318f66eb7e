// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be judged of an FPDU by its headers alone.
use super::rx_row::{RxFpdu, RxLooked};
use crate::gen::consts::{ddp, term_error};
use crate::gen::{UnpackDdpTaggedHdr, UnpackDdpUntaggedHdr};
use crate::mpa::verdict;
use crate::prelude::*;
use crate::rdmap::RxCheck;

/// Wiring and gates only. In this order: MPA's verdict, length, DV, QN, RV, opcode. DDP's reserved
/// bits are not looked at.
#[block(comb)]
pub struct RxLook {
    /// The FPDU.
    pub fpdu: Signal<In, RxFpdu>,
    /// Its first octets, if it has a frame.
    pub head: Signal<In, Bits<144>>,
    /// What they say.
    pub looked: Signal<Out, RxLooked>,

    with_stag: UnpackDdpTaggedHdr,
    with_queue: UnpackDdpUntaggedHdr,
    rdmap: RxCheck,
    v_good: Const<Bits<3>>,
    v_crc: Const<Bits<3>>,
    v_marker: Const<Bits<3>>,
    v_buffer: Const<Bits<3>>,
    v_ended: Const<Bits<3>>,
    e_crc: Const<Bits<16>>,
    e_marker: Const<Bits<16>>,
    e_buffer: Const<Bits<16>>,
    e_ended: Const<Bits<16>>,
    e_length: Const<Bits<16>>,
    e_tagged_version: Const<Bits<16>>,
    e_untagged_version: Const<Bits<16>>,
    e_queue: Const<Bits<16>>,
    e_rdmap_version: Const<Bits<16>>,
    e_opcode: Const<Bits<16>>,
    version: Const<Bits<2>>,
    queues: Const<Bits<32>>,
    short_header: Const<Bits<16>>,
    long_header: Const<Bits<16>>,
    header: Signal<Local, Bits<16>>,
    found: Signal<Local, Bit>,
    error: Signal<Local, Bits<16>>,
}

impl RxLook {
    /// The judgement.
    pub fn new() -> Self {
        Self {
            rdmap: RxCheck::new(),
            v_good: Const::of(verdict::GOOD),
            v_crc: Const::of(verdict::CRC),
            v_marker: Const::of(verdict::MARKER),
            v_buffer: Const::of(verdict::BUFFER),
            v_ended: Const::of(verdict::ENDED),
            e_crc: term_error::mpa_crc(),
            e_marker: term_error::mpa_marker(),
            e_buffer: term_error::mpa_local_catastrophic(),
            e_ended: term_error::mpa_connection_lost(),
            e_length: term_error::rdmap_operation_unspecified(),
            e_tagged_version: term_error::ddp_tagged_version(),
            e_untagged_version: term_error::ddp_untagged_version(),
            e_queue: term_error::ddp_invalid_qn(),
            e_rdmap_version: term_error::rdmap_invalid_version(),
            e_opcode: term_error::rdmap_unexpected_opcode(),
            version: ddp::version(),
            queues: Const::of(3),
            short_header: Const::of(14),
            long_header: Const::of(18),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RxLook {
    fn update(&mut self) {
        self.with_stag.octets.next = self.head.val().get_bits::<112>(0);
        self.with_queue.octets.next = self.head.val();
        let is_tagged: Bit = self.with_stag.record.val().is_tagged;
        self.rdmap.control.next = self.with_stag.record.val().rsvd_ulp;
        self.rdmap.is_tagged.next = self.with_stag.record.val().is_tagged;
        self.rdmap.queue.next = self.with_queue.record.val().queue_number;
        let queue: Bits<32> = self.with_queue.record.val().queue_number;
        self.header.next = self.long_header.val();
        if is_tagged {
            self.header.next = self.short_header.val();
        }

        // The last assignment that holds wins: the first check stands last.
        self.found.next = false;
        self.error.next = 0.into();
        if self.rdmap.unexpected.val() {
            self.found.next = true;
            self.error.next = self.e_opcode.val();
        }
        if self.rdmap.bad_version.val() {
            self.found.next = true;
            self.error.next = self.e_rdmap_version.val();
        }
        if !is_tagged && (self.with_queue.record.val().queue_number >= self.queues.val()) {
            self.found.next = true;
            self.error.next = self.e_queue.val();
        }
        if self.with_stag.record.val().ddp_version != self.version.val() {
            self.found.next = true;
            self.error.next = self.e_untagged_version.val();
            if is_tagged {
                self.error.next = self.e_tagged_version.val();
            }
        }
        if self.fpdu.val().length < self.header.val() {
            self.found.next = true;
            self.error.next = self.e_length.val();
        }
        if self.fpdu.val().verdict != self.v_good.val() {
            self.found.next = true;
            self.error.next = self.e_length.val();
            if self.fpdu.val().verdict == self.v_crc.val() {
                self.error.next = self.e_crc.val();
            }
            if self.fpdu.val().verdict == self.v_marker.val() {
                self.error.next = self.e_marker.val();
            }
            if self.fpdu.val().verdict == self.v_buffer.val() {
                self.error.next = self.e_buffer.val();
            }
            if self.fpdu.val().verdict == self.v_ended.val() {
                self.error.next = self.e_ended.val();
            }
        }
        self.looked.next.has_error = self.found.val();
        self.looked.next.error = self.error.val();
        self.looked.next.is_tagged = is_tagged;
        self.looked.next.is_last = self.with_stag.record.val().is_last;
        self.looked.next.opcode = self.rdmap.opcode.val();
        self.looked.next.queue = queue.get_bits::<2>(0);
        self.looked.next.is_terminate =
            self.rdmap.is_terminate.val() && (self.fpdu.val().verdict == self.v_good.val());
        self.looked.next.invalidates = self.rdmap.invalidates.val();
        self.looked.next.stag = self.with_stag.record.val().stag;
        self.looked.next.to = self.with_stag.record.val().tagged_offset;
        self.looked.next.msn = self.with_queue.record.val().msn;
        self.looked.next.mo = self.with_queue.record.val().message_offset;
        self.looked.next.payload = self.fpdu.val().length - self.header.val();
    }
}
