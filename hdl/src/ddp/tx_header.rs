// SPDX-License-Identifier: MIT OR Apache-2.0
//! The DDP header of a segment, and how much of the message it carries. No state.
use crate::gen::consts::ddp;
use crate::gen::{DdpTaggedHdr, DdpUntaggedHdr, PackDdpTaggedHdr, PackDdpUntaggedHdr};
use crate::prelude::*;
use crate::record::TxSegment;

const TAGGED_LEN: usize = 14;
const UNTAGGED_LEN: usize = 18;

/// Cuts the next segment off a message (RFC 5041 section 5.2) and makes its header: all segments
/// but the last have MULPDU octets, TO and MO advance by the payload before, L is set on the last.
#[block(comb)]
pub struct TxHeader {
    /// What to send.
    pub segment: Signal<In, TxSegment>,
    /// Octets of payload.
    pub payload: Signal<Out, Bits<16>>,
    /// Octets of header and payload.
    pub ulpdu: Signal<Out, Bits<16>>,
    /// It is the message's last.
    pub last: Signal<Out, Bit>,
    /// Header: octet 0 in bits 7:0, 14 octets if tagged, else 18.
    pub octets: Signal<Out, Bits<144>>,
    /// Octets of the message from this segment on.
    pub rest: Signal<Out, Bits<32>>,
    tagged_pack: PackDdpTaggedHdr,
    untagged_pack: PackDdpUntaggedHdr,
    seg: Signal<Local, TxSegment>,
    tagged_hdr: Signal<Local, DdpTaggedHdr>,
    untagged_hdr: Signal<Local, DdpUntaggedHdr>,
    header_len: Signal<Local, Bits<16>>,
    carried: Signal<Local, Bits<16>>,
}

#[kernel]
impl Logic for TxHeader {
    fn update(&mut self) {
        self.seg.next = self.segment.val();
        self.header_len.next = lit::<16>(UNTAGGED_LEN);
        if self.seg.val().is_tagged {
            self.header_len.next = lit::<16>(TAGGED_LEN);
        }
        let room: Bits<16> = self.seg.val().mulpdu - self.header_len.val();
        let left: Bits<32> = self.seg.val().length - self.seg.val().sent;
        let is_last: Bit = left <= bit_cast::<32, 16>(room);
        self.carried.next = room;
        if is_last {
            self.carried.next = bit_cast::<16, 32>(left);
        }
        self.rest.next = left;
        self.last.next = is_last;
        self.payload.next = self.carried.val();
        self.ulpdu.next = self.carried.val() + self.header_len.val();

        self.tagged_hdr.next.is_tagged = true;
        self.tagged_hdr.next.is_last = is_last;
        self.tagged_hdr.next.reserved = 0.into();
        self.tagged_hdr.next.ddp_version = ddp::version().val();
        self.tagged_hdr.next.rsvd_ulp = self.seg.val().control;
        self.tagged_hdr.next.stag = self.seg.val().stag;
        self.tagged_hdr.next.tagged_offset = self.seg.val().to + bit_cast::<64, 32>(self.seg.val().sent);
        self.tagged_pack.record.next = self.tagged_hdr.val();
        self.untagged_hdr.next.is_tagged = false;
        self.untagged_hdr.next.is_last = is_last;
        self.untagged_hdr.next.reserved = 0.into();
        self.untagged_hdr.next.ddp_version = ddp::version().val();
        self.untagged_hdr.next.rsvd_ulp = self.seg.val().control;
        self.untagged_hdr.next.invalidate_stag = self.seg.val().invalidate;
        self.untagged_hdr.next.queue_number = bit_cast::<32, 2>(self.seg.val().queue);
        self.untagged_hdr.next.msn = self.seg.val().msn;
        self.untagged_hdr.next.message_offset = self.seg.val().sent;
        self.untagged_pack.record.next = self.untagged_hdr.val();
        self.octets.next = self.untagged_pack.octets.val();
        if self.segment.val().is_tagged {
            self.octets.next = bit_cast::<144, 112>(self.tagged_pack.octets.val());
        }
    }
}
