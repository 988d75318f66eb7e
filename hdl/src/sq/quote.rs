// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Read Request whose response cannot go on, as the Terminate quotes it. No state.
use super::rows::{turn_kind, Planned, SqTurn};
use crate::cell::Const;
use crate::gen::consts::{ddp, opcode, rdmap};
use crate::gen::{
    DdpUntaggedHdr, PackDdpUntaggedHdr, PackRdmapControl, PackReadRequestHdr, RdmapControl, ReadRequestHdr,
    UnpackDdpTaggedHdr, UnpackSge,
};
use crate::record::Quoted;
use rust_hdl::prelude::*;

/// Makes the first 46 octets of the peer's Read Request anew from the slot of its response. What
/// was sent of the response is taken off: the header asks for the rest (RFC 5040 section 4.8). Bits
/// that a Request has no use for come back as zero. STag and TO of its sink are those of the
/// segment that could not be made.
#[derive(LogicBlock, Default)]
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
    response: Const<Bits<2>>,
    asks: Const<Bits<4>>,
    queue: Const<Bits<32>>,
    ddp_version: Const<Bits<2>>,
    rdmap_version: Const<Bits<2>>,
    /// DDP header and Read Request.
    octets: Const<Bits<16>>,
    control: Signal<Local, RdmapControl>,
    ddp: Signal<Local, DdpUntaggedHdr>,
    read: Signal<Local, ReadRequestHdr>,
    header: Signal<Local, Bits<144>>,
    beyond: Signal<Local, Bits<64>>,
    source_to: Signal<Local, Bits<64>>,
    made: Signal<Local, Quoted>,
}

impl SqQuote {
    /// The maker.
    pub fn new() -> Self {
        Self {
            response: Const::of(turn_kind::RESPONSE),
            asks: opcode::read_request(),
            queue: rdmap::queue_read_request(),
            ddp_version: ddp::version(),
            rdmap_version: rdmap::version(),
            octets: Const::of(46),
            ..Default::default()
        }
    }
}

impl Logic for SqQuote {
    #[hdl_gen]
    fn update(&mut self) {
        self.control.next.rdmap_version = self.rdmap_version.val();
        self.control.next.opcode = self.asks.val();
        self.pack_control.record.next = self.control.val();
        self.ddp.next.is_tagged = false;
        self.ddp.next.is_last = true;
        self.ddp.next.reserved = 0.into();
        self.ddp.next.ddp_version = self.ddp_version.val();
        self.ddp.next.rsvd_ulp = self.pack_control.octets.val();
        self.ddp.next.invalidate_stag = 0.into();
        self.ddp.next.queue_number = self.queue.val();
        self.ddp.next.msn = self.msn.val();
        self.ddp.next.message_offset = 0.into();
        self.pack_ddp.record.next = self.ddp.val();
        self.unpack.octets.next = self.sge.val();
        self.beyond.next = bit_cast::<64, 32>(self.sent.val());
        self.header.next = self.cut.val().header;
        self.unpack_header.octets.next = self.header.val().get_bits::<112>(0);
        self.source_to.next = self.unpack.record.val().to + self.beyond.val();
        self.read.next.sink_stag = self.unpack_header.record.val().stag;
        self.read.next.sink_offset = self.unpack_header.record.val().tagged_offset;
        self.read.next.size = self.cut.val().rest;
        self.read.next.source_stag = self.unpack.record.val().key;
        self.read.next.source_offset = self.source_to.val();
        self.pack_read.record.next = self.read.val();
        self.made.next.is_there = (self.turn.val().kind == self.response.val()) && !self.turn.val().replay;
        self.made.next.is_terminate = false;
        self.made.next.length = self.octets.val();
        self.request.next = bit_cast::<384, 144>(self.pack_ddp.octets.val())
            | (bit_cast::<384, 224>(self.pack_read.octets.val()) << 144);
        self.quote.next = self.made.val();
    }
}
