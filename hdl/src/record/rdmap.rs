// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records that the receive side and the send queue exchange about RDMA Reads.
use rust_hdl::prelude::*;

/// A Read Request of the peer (RFC 5040 section 4.4), delivered in order and ready to be answered:
/// `ddp` has checked its headers and its place among the inbound Reads, nobody yet the source
/// buffer.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct ReadRequest {
    /// Queue pair.
    pub qp: Bits<8>,
    /// The peer's STag and tagged offset: echoed in the response, never looked up.
    pub sink_stag: Bits<32>,
    /// See `sink_stag`.
    pub sink_to: Bits<64>,
    /// Octets to be read; with 0 the source is not looked at.
    pub length: Bits<32>,
    /// Our region, as the peer names it.
    pub src_stag: Bits<32>,
    /// Tagged offset of its first octet.
    pub src_to: Bits<64>,
}

/// A Read Request of ours that is about to leave: what its Read Response must be.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct ReadOut {
    /// Queue pair.
    pub qp: Bits<8>,
    /// Our region: STag of the response.
    pub stag: Bits<32>,
    /// IOVA of the sink, which the Request named as its tagged offset: that of the response's first
    /// octet.
    pub to: Bits<64>,
    /// Octets of the response.
    pub length: Bits<32>,
}
