// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants of the wire.

/// EtherTypes.
pub mod ether_type {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// IPv4. RFC 894.
    pub fn ipv4() -> Const<Bits<16>> {
        Const::of(0x0800)
    }
    /// ARP. RFC 826.
    pub fn arp() -> Const<Bits<16>> {
        Const::of(0x0806)
    }
    /// A VLAN tag follows. IEEE 802.1Q section 9.5.
    pub fn vlan() -> Const<Bits<16>> {
        Const::of(0x8100)
    }
    /// IPv6. RFC 2464 section 3.
    pub fn ipv6() -> Const<Bits<16>> {
        Const::of(0x86DD)
    }
}

/// Protocol numbers of IP.
pub mod ip_protocol {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// ICMP. RFC 792.
    pub fn icmp() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// TCP. RFC 9293 section 3.1.
    pub fn tcp() -> Const<Bits<8>> {
        Const::of(6)
    }
    /// ICMPv6. RFC 4443 section 1.
    pub fn icmpv6() -> Const<Bits<8>> {
        Const::of(58)
    }
}

/// TCP's flags as masks of octet 13 of its header.
pub mod tcp_flag {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// No more data from the sender. RFC 9293 section 3.1.
    pub fn fin() -> Const<Bits<8>> {
        Const::of(0x01)
    }
    /// Synchronise sequence numbers. RFC 9293 section 3.1.
    pub fn syn() -> Const<Bits<8>> {
        Const::of(0x02)
    }
    /// Reset the connection. RFC 9293 section 3.1.
    pub fn rst() -> Const<Bits<8>> {
        Const::of(0x04)
    }
    /// Push. RFC 9293 section 3.1.
    pub fn psh() -> Const<Bits<8>> {
        Const::of(0x08)
    }
    /// The acknowledgment number counts. RFC 9293 section 3.1.
    pub fn ack() -> Const<Bits<8>> {
        Const::of(0x10)
    }
    /// The urgent pointer counts. RFC 9293 section 3.1.
    pub fn urg() -> Const<Bits<8>> {
        Const::of(0x20)
    }
    /// ECN echo. RFC 3168 section 6.1.
    pub fn ece() -> Const<Bits<8>> {
        Const::of(0x40)
    }
    /// Congestion window reduced. RFC 3168 section 6.1.
    pub fn cwr() -> Const<Bits<8>> {
        Const::of(0x80)
    }
}

/// Kinds of TCP options.
pub mod tcp_option {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// One octet; nothing follows. RFC 9293 section 3.2.
    pub fn end_of_list() -> Const<Bits<8>> {
        Const::of(0)
    }
    /// One octet of filling. RFC 9293 section 3.2.
    pub fn no_operation() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Maximum segment size. RFC 9293 section 3.2.
    pub fn mss() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// Window scale. RFC 7323 section 2.2.
    pub fn window_scale() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// The sender takes SACK options. RFC 2018 section 2.
    pub fn sack_permitted() -> Const<Bits<8>> {
        Const::of(4)
    }
    /// Blocks received beyond a gap. RFC 2018 section 3.
    pub fn sack() -> Const<Bits<8>> {
        Const::of(5)
    }
    /// Timestamps. RFC 7323 section 3.2.
    pub fn timestamps() -> Const<Bits<8>> {
        Const::of(8)
    }
}

/// Numbers that TCP fixes.
pub mod tcp_limit {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Largest window scale that counts. RFC 7323 section 2.3.
    pub fn window_shift_max() -> Const<Bits<8>> {
        Const::of(14)
    }
    /// MSS over IPv4 without the option. RFC 9293 section 3.7.1.
    pub fn mss_default_ipv4() -> Const<Bits<16>> {
        Const::of(536)
    }
    /// MSS over IPv6 without the option. RFC 9293 section 3.7.1.
    pub fn mss_default_ipv6() -> Const<Bits<16>> {
        Const::of(1220)
    }
}

/// MPA.
pub mod mpa {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;
    use rust_hdl::prelude::ToBits;

    /// Key of a Request frame: the octets `MPA ID Req Frame`. RFC 5044 section 7.1.1.
    pub fn key_request() -> Const<Bits<128>> {
        Const::new(0x4D504120494420526571204672616D65_u128.to_bits())
    }
    /// Key of a Reply frame: the octets `MPA ID Rep Frame`. RFC 5044 section 7.1.1.
    pub fn key_reply() -> Const<Bits<128>> {
        Const::new(0x4D504120494420526570204672616D65_u128.to_bits())
    }
    /// Revision of a plain startup frame. RFC 5044 section 7.1.1.
    pub fn revision() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Lowest revision of the enhanced setup. RFC 6581 section 6.
    pub fn revision_enhanced() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// Most octets of private data. RFC 5044 section 7.1.1.
    pub fn private_data_max() -> Const<Bits<16>> {
        Const::of(512)
    }
    /// Most octets of private data after the enhanced words. RFC 6581 section 9.
    pub fn private_data_max_enhanced() -> Const<Bits<16>> {
        Const::of(508)
    }
    /// Largest Read depth that can be negotiated. RFC 6581 section 9.1.
    pub fn depth_max() -> Const<Bits<14>> {
        Const::of(0x3FFE)
    }
    /// In place of a Read depth: leave yours as it is. RFC 6581 section 9.1.
    pub fn depth_not_negotiated() -> Const<Bits<14>> {
        Const::of(0x3FFF)
    }
    /// Octets from marker to marker, one included. RFC 5044 section 4.3.
    pub fn marker_interval() -> Const<Bits<16>> {
        Const::of(512)
    }
    /// Bits of a marker's pointer that count. RFC 5044 section 4.2.
    pub fn fpdu_pointer_mask() -> Const<Bits<16>> {
        Const::of(0xFFFC)
    }
    /// Octets of the CRC at the end of every FPDU. RFC 5044 section 4.1.
    pub fn crc_octets() -> Const<Bits<16>> {
        Const::of(4)
    }
    /// Least MULPDU, whatever the EMSS. RFC 5044 section 4.5.
    pub fn mulpdu_min() -> Const<Bits<16>> {
        Const::of(128)
    }
    /// Greatest MULPDU, whatever the EMSS. RFC 5044 section 4.5.
    pub fn mulpdu_max() -> Const<Bits<16>> {
        Const::of(64768)
    }
}

/// CRC32c as MPA uses it: octets enter least significant bit first; the value is sent least
/// significant octet first.
pub mod crc32c {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Most significant bit first. RFC 3385, RFC 5044 section 4.4.
    pub fn polynomial() -> Const<Bits<32>> {
        Const::of(0x1EDC6F41)
    }
    /// Least significant bit first. RFC 5044 section 4.4.
    pub fn polynomial_reflected() -> Const<Bits<32>> {
        Const::of(0x82F63B78)
    }
    /// Register before the first octet. RFC 5044 section 4.4.
    pub fn init() -> Const<Bits<32>> {
        Const::of(0xFFFFFFFF)
    }
    /// The value is the register xor this. RFC 5044 section 4.4.
    pub fn xor_out() -> Const<Bits<32>> {
        Const::of(0xFFFFFFFF)
    }
    /// Register, before `xor_out`, after data and their right CRC. RFC 5044 section 4.4.
    pub fn residue() -> Const<Bits<32>> {
        Const::of(0xB798B438)
    }
}

/// DDP.
pub mod ddp {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// DV of every segment. RFC 5041 section 4.1.
    pub fn version() -> Const<Bits<2>> {
        Const::of(1)
    }
    /// MSN of the first message of a queue. RFC 5041 section 4.3.
    pub fn msn_first() -> Const<Bits<32>> {
        Const::of(1)
    }
}

/// RDMAP.
pub mod rdmap {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// RV of every message of this RFC. RFC 5040 section 4.1.
    pub fn version() -> Const<Bits<2>> {
        Const::of(1)
    }
    /// RV of a peer of the RDMA Consortium. RFC 5040 section 4.1.
    pub fn version_rdmac() -> Const<Bits<2>> {
        Const::of(0)
    }
    /// Untagged queue of the four Sends. RFC 5040 section 4.1.
    pub fn queue_send() -> Const<Bits<32>> {
        Const::of(0)
    }
    /// Untagged queue of Read Requests. RFC 5040 section 4.1.
    pub fn queue_read_request() -> Const<Bits<32>> {
        Const::of(1)
    }
    /// Untagged queue of the Terminate. RFC 5040 section 4.1.
    pub fn queue_terminate() -> Const<Bits<32>> {
        Const::of(2)
    }
}
