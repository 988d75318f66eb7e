// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records that the receive side and the send queue exchange about RDMA Reads.
use rust_hdl::prelude::*;

/// A Read Request of the peer (RFC 5040 section 4.4), delivered in order and ready to be answered.
/// `ddp` has checked headers and place among the inbound Reads. The source buffer is not checked
/// yet.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct ReadRequest {
    /// Queue pair.
    pub qp: Bits<8>,
    /// The peer's STag, echoed in the response and never looked up.
    pub sink_stag: Bits<32>,
    /// The peer's tagged offset, echoed in the response and never looked up.
    pub sink_to: Bits<64>,
    /// Octets to read. With 0 the source is not checked.
    pub length: Bits<32>,
    /// STag of this device's region, as the peer names the region.
    pub src_stag: Bits<32>,
    /// Tagged offset of the source's first octet.
    pub src_to: Bits<64>,
}

/// A Read Request of this device that is about to leave: the fields that its Read Response must
/// have.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct ReadOut {
    /// Queue pair.
    pub qp: Bits<8>,
    /// STag of this device's region, and of the response.
    pub stag: Bits<32>,
    /// Tagged offset of the sink in the Request: that of the response's first octet.
    pub to: Bits<64>,
    /// Octets of the response.
    pub length: Bits<32>,
}
