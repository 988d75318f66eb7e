// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants of the wire.

/// EtherTypes.
pub mod ether_type {
    /// IPv4. RFC 894.
    pub const IPV4: u16 = 0x0800;
    /// ARP. RFC 826.
    pub const ARP: u16 = 0x0806;
    /// A VLAN tag follows. IEEE 802.1Q section 9.5.
    pub const VLAN: u16 = 0x8100;
    /// IPv6. RFC 2464 section 3.
    pub const IPV6: u16 = 0x86DD;
}

/// Protocol numbers of IP.
pub mod ip_protocol {
    /// ICMP. RFC 792.
    pub const ICMP: u8 = 1;
    /// TCP. RFC 9293 section 3.1.
    pub const TCP: u8 = 6;
    /// ICMPv6. RFC 4443 section 1.
    pub const ICMPV6: u8 = 58;
}

/// TCP's flags as masks of octet 13 of its header.
pub mod tcp_flag {
    /// No more data from the sender. RFC 9293 section 3.1.
    pub const FIN: u8 = 0x01;
    /// Synchronise sequence numbers. RFC 9293 section 3.1.
    pub const SYN: u8 = 0x02;
    /// Reset the connection. RFC 9293 section 3.1.
    pub const RST: u8 = 0x04;
    /// Push. RFC 9293 section 3.1.
    pub const PSH: u8 = 0x08;
    /// The acknowledgment number counts. RFC 9293 section 3.1.
    pub const ACK: u8 = 0x10;
    /// The urgent pointer counts. RFC 9293 section 3.1.
    pub const URG: u8 = 0x20;
    /// ECN echo. RFC 3168 section 6.1.
    pub const ECE: u8 = 0x40;
    /// Congestion window reduced. RFC 3168 section 6.1.
    pub const CWR: u8 = 0x80;
}

/// Kinds of TCP options.
pub mod tcp_option {
    /// One octet; nothing follows. RFC 9293 section 3.2.
    pub const END_OF_LIST: u8 = 0;
    /// One octet of filling. RFC 9293 section 3.2.
    pub const NO_OPERATION: u8 = 1;
    /// Maximum segment size. RFC 9293 section 3.2.
    pub const MSS: u8 = 2;
    /// Window scale. RFC 7323 section 2.2.
    pub const WINDOW_SCALE: u8 = 3;
    /// The sender takes SACK options. RFC 2018 section 2.
    pub const SACK_PERMITTED: u8 = 4;
    /// Blocks received beyond a gap. RFC 2018 section 3.
    pub const SACK: u8 = 5;
    /// Timestamps. RFC 7323 section 3.2.
    pub const TIMESTAMPS: u8 = 8;
}

/// Numbers that TCP fixes.
pub mod tcp_limit {
    /// Largest window scale that counts. RFC 7323 section 2.3.
    pub const WINDOW_SHIFT_MAX: u8 = 14;
    /// MSS over IPv4 without the option. RFC 9293 section 3.7.1.
    pub const MSS_DEFAULT_IPV4: u16 = 536;
    /// MSS over IPv6 without the option. RFC 9293 section 3.7.1.
    pub const MSS_DEFAULT_IPV6: u16 = 1220;
}

/// MPA.
pub mod mpa {
    /// Key of a Request frame: the octets `MPA ID Req Frame`. RFC 5044 section 7.1.1.
    pub const KEY_REQUEST: u128 = 0x4D504120494420526571204672616D65;
    /// Key of a Reply frame: the octets `MPA ID Rep Frame`. RFC 5044 section 7.1.1.
    pub const KEY_REPLY: u128 = 0x4D504120494420526570204672616D65;
    /// Revision of a plain startup frame. RFC 5044 section 7.1.1.
    pub const REVISION: u8 = 1;
    /// Lowest revision of the enhanced setup. RFC 6581 section 6.
    pub const REVISION_ENHANCED: u8 = 2;
    /// Most octets of private data. RFC 5044 section 7.1.1.
    pub const PRIVATE_DATA_MAX: u16 = 512;
    /// Most octets of private data after the enhanced words. RFC 6581 section 9.
    pub const PRIVATE_DATA_MAX_ENHANCED: u16 = 508;
    /// Largest Read depth that can be negotiated. RFC 6581 section 9.1.
    pub const DEPTH_MAX: u16 = 0x3FFE;
    /// In place of a Read depth: leave yours as it is. RFC 6581 section 9.1.
    pub const DEPTH_NOT_NEGOTIATED: u16 = 0x3FFF;
    /// Octets from marker to marker, one included. RFC 5044 section 4.3.
    pub const MARKER_INTERVAL: u16 = 512;
    /// Bits of a marker's pointer that count. RFC 5044 section 4.2.
    pub const FPDU_POINTER_MASK: u16 = 0xFFFC;
    /// Octets of the CRC at the end of every FPDU. RFC 5044 section 4.1.
    pub const CRC_OCTETS: u16 = 4;
    /// Least MULPDU, whatever the EMSS. RFC 5044 section 4.5.
    pub const MULPDU_MIN: u16 = 128;
    /// Greatest MULPDU, whatever the EMSS. RFC 5044 section 4.5.
    pub const MULPDU_MAX: u16 = 64768;
}

/// CRC32c as MPA uses it: octets enter least significant bit first; the value is sent least
/// significant octet first.
pub mod crc32c {
    /// Most significant bit first. RFC 3385, RFC 5044 section 4.4.
    pub const POLYNOMIAL: u32 = 0x1EDC6F41;
    /// Least significant bit first. RFC 5044 section 4.4.
    pub const POLYNOMIAL_REFLECTED: u32 = 0x82F63B78;
    /// Register before the first octet. RFC 5044 section 4.4.
    pub const INIT: u32 = 0xFFFFFFFF;
    /// The value is the register xor this. RFC 5044 section 4.4.
    pub const XOR_OUT: u32 = 0xFFFFFFFF;
    /// Register, before `xor_out`, after data and their right CRC. RFC 5044 section 4.4.
    pub const RESIDUE: u32 = 0xB798B438;
}

/// DDP.
pub mod ddp {
    /// DV of every segment. RFC 5041 section 4.1.
    pub const VERSION: u8 = 1;
    /// MSN of the first message of a queue. RFC 5041 section 4.3.
    pub const MSN_FIRST: u32 = 1;
}

/// RDMAP.
pub mod rdmap {
    /// RV of every message of this RFC. RFC 5040 section 4.1.
    pub const VERSION: u8 = 1;
    /// RV of a peer of the RDMA Consortium. RFC 5040 section 4.1.
    pub const VERSION_RDMAC: u8 = 0;
    /// Untagged queue of the four Sends. RFC 5040 section 4.1.
    pub const QUEUE_SEND: u32 = 0;
    /// Untagged queue of Read Requests. RFC 5040 section 4.1.
    pub const QUEUE_READ_REQUEST: u32 = 1;
    /// Untagged queue of the Terminate. RFC 5040 section 4.1.
    pub const QUEUE_TERMINATE: u32 = 2;
}
