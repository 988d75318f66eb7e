// SPDX-License-Identifier: MIT OR Apache-2.0
//! What IP says of a packet.
use rust_hdl::prelude::*;

/// One item a packet.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxPacket {
    /// Version of the header.
    pub version: Bits<4>,
    /// The peer's address; IPv4 in the low 32 bits.
    pub remote: Bits<128>,
    /// Ours, in the same form.
    pub local: Bits<128>,
    /// Octets of the IP header.
    pub header: Bits<16>,
    /// Octets after it, padding not counted.
    pub octets: Bits<16>,
    /// Protocol or next header.
    pub protocol: Bits<8>,
    /// IPv4: MF, or a fragment offset.
    pub is_fragment: Bit,
    /// No IP header, or fewer octets than it says.
    pub malformed: Bit,
    /// The checksum of the IPv4 header is right; always for IPv6.
    pub header_good: Bit,
    /// The checksum of a TCP segment here is right.
    pub tcp_good: Bit,
    /// The first 20 octets after the IP header, as they came; those beyond the end are undefined.
    pub tcp: Bits<160>,
}
