// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Read Request whose response cannot go on, as the Terminate quotes it. No state.
use super::rows::{turn_kind, Planned, SqTurn};
use crate::gen::consts::{ddp, opcode, rdmap};
use crate::gen::{
    DdpUntaggedHdr, PackDdpUntaggedHdr, PackRdmapControl, PackReadRequestHdr, RdmapControl, ReadRequestHdr,
    UnpackDdpTaggedHdr, UnpackSge,
};
use crate::prelude::*;
use crate::record::Quoted;

/// DDP header and Read Request.
const OCTETS: usize = 46;

/// Makes the first 46 octets of the peer's Read Request anew from the slot of its response. What
/// was sent of the response is taken off: the header asks for the rest (RFC 5040 section 4.8). Bits
/// that a Request has no use for come back as zero. STag and TO of its sink are those of the
/// segment that could not be made.
#[block(comb)]
pub struct SqQuote {
    /// Whose turn it is. What is no response quotes nothing, nor does a replay, which ends without
    /// a Terminate.
    pub turn: Signal<In, SqTurn>,
    /// MSN of the Request that a response answers.
    pub msn: Signal<In, Bits<32>>,
    /// The slot's SGE, octet 0 in bits 7:0: the source.
    pub sge: Signal<In, Bits<128>>,
    /// Octets of the response that were sent.
    pub sent: Signal<In, Bits<32>>,
    /// Its next segment, with a tagged header.
    pub cut: Signal<In, Planned>,
    /// The Request.
    pub quote: Signal<Out, Quoted>,
    /// Its octets and two of zero, octet 0 in bits 7:0.
    pub request: Signal<Out, Bits<384>>,
    unpack: UnpackSge,
    unpack_header: UnpackDdpTaggedHdr,
    pack_control: PackRdmapControl,
    pack_ddp: PackDdpUntaggedHdr,
    pack_read: PackReadRequestHdr,
    control: Signal<Local, RdmapControl>,
    ddp: Signal<Local, DdpUntaggedHdr>,
    read: Signal<Local, ReadRequestHdr>,
    made: Signal<Local, Quoted>,
}

#[kernel]
impl Logic for SqQuote {
    fn update(&mut self) {
        self.control.next.rdmap_version = rdmap::version().val();
        self.control.next.opcode = opcode::read_request().val();
        self.pack_control.record.next = self.control.val();
        self.ddp.next.is_tagged = false;
        self.ddp.next.is_last = true;
        self.ddp.next.reserved = 0.into();
        self.ddp.next.ddp_version = ddp::version().val();
        self.ddp.next.rsvd_ulp = self.pack_control.octets.val();
        self.ddp.next.invalidate_stag = 0.into();
        self.ddp.next.queue_number = rdmap::queue_read_request().val();
        self.ddp.next.msn = self.msn.val();
        self.ddp.next.message_offset = 0.into();
        self.pack_ddp.record.next = self.ddp.val();
        self.unpack.octets.next = self.sge.val();
        let beyond: Bits<64> = bit_cast::<64, 32>(self.sent.val());
        let header: Bits<144> = self.cut.val().header;
        self.unpack_header.octets.next = header.get_bits::<112>(0);
        let source_to: Bits<64> = self.unpack.record.val().to + beyond;
        self.read.next.sink_stag = self.unpack_header.record.val().stag;
        self.read.next.sink_offset = self.unpack_header.record.val().tagged_offset;
        self.read.next.size = self.cut.val().rest;
        self.read.next.source_stag = self.unpack.record.val().key;
        self.read.next.source_offset = source_to;
        self.pack_read.record.next = self.read.val();
        self.made.next.is_there =
            (self.turn.val().kind == lit::<2>(turn_kind::RESPONSE)) && !self.turn.val().replay;
        self.made.next.is_terminate = false;
        self.made.next.length = lit::<16>(OCTETS);
        self.request.next = bit_cast::<384, 144>(self.pack_ddp.octets.val())
            | (bit_cast::<384, 224>(self.pack_read.octets.val()) << 144);
        self.quote.next = self.made.val();
    }
}
