// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constants of the wire.
use super::{c, x, Group};

/// Its groups.
pub const GROUPS: &[Group] =
    &[ETHER_TYPE, IP_PROTOCOL, TCP_FLAG, TCP_OPTION, TCP_LIMIT, MPA, CRC32C, DDP, RDMAP];

const ETHER_TYPE: Group = Group {
    name: "ether_type",
    doc: "EtherTypes.",
    constants: &[
        x("ipv4", 16, 0x0800, "RFC 894", "IPv4."),
        x("arp", 16, 0x0806, "RFC 826", "ARP."),
        x("vlan", 16, 0x8100, "IEEE 802.1Q section 9.5", "A VLAN tag follows."),
        x("ipv6", 16, 0x86DD, "RFC 2464 section 3", "IPv6."),
    ],
};

const IP_PROTOCOL: Group = Group {
    name: "ip_protocol",
    doc: "Protocol numbers of IP.",
    constants: &[
        c("icmp", 8, 1, "RFC 792", "ICMP."),
        c("tcp", 8, 6, "RFC 9293 section 3.1", "TCP."),
        c("icmpv6", 8, 58, "RFC 4443 section 1", "ICMPv6."),
    ],
};

const TCP_FLAG: Group = Group {
    name: "tcp_flag",
    doc: "TCP's flags as masks of octet 13 of its header.",
    constants: &[
        x("fin", 8, 0x01, "RFC 9293 section 3.1", "No more data from the sender."),
        x("syn", 8, 0x02, "RFC 9293 section 3.1", "Synchronise sequence numbers."),
        x("rst", 8, 0x04, "RFC 9293 section 3.1", "Reset the connection."),
        x("psh", 8, 0x08, "RFC 9293 section 3.1", "Push."),
        x("ack", 8, 0x10, "RFC 9293 section 3.1", "The acknowledgment number counts."),
        x("urg", 8, 0x20, "RFC 9293 section 3.1", "The urgent pointer counts."),
        x("ece", 8, 0x40, "RFC 3168 section 6.1", "ECN echo."),
        x("cwr", 8, 0x80, "RFC 3168 section 6.1", "Congestion window reduced."),
    ],
};

const TCP_OPTION: Group = Group {
    name: "tcp_option",
    doc: "Kinds of TCP options.",
    constants: &[
        c("end_of_list", 8, 0, "RFC 9293 section 3.2", "One octet; nothing follows."),
        c("no_operation", 8, 1, "RFC 9293 section 3.2", "One octet of filling."),
        c("mss", 8, 2, "RFC 9293 section 3.2", "Maximum segment size."),
        c("window_scale", 8, 3, "RFC 7323 section 2.2", "Window scale."),
        c("sack_permitted", 8, 4, "RFC 2018 section 2", "The sender takes SACK options."),
        c("sack", 8, 5, "RFC 2018 section 3", "Blocks received beyond a gap."),
        c("timestamps", 8, 8, "RFC 7323 section 3.2", "Timestamps."),
    ],
};

const TCP_LIMIT: Group = Group {
    name: "tcp_limit",
    doc: "Numbers that TCP fixes.",
    constants: &[
        c("window_shift_max", 8, 14, "RFC 7323 section 2.3", "Largest window scale that counts."),
        c("mss_default_ipv4", 16, 536, "RFC 9293 section 3.7.1", "MSS over IPv4 without the option."),
        c("mss_default_ipv6", 16, 1220, "RFC 9293 section 3.7.1", "MSS over IPv6 without the option."),
    ],
};

const MPA: Group = Group {
    name: "mpa",
    doc: "MPA.",
    constants: &[
        x(
            "key_request",
            128,
            u128::from_be_bytes(*b"MPA ID Req Frame"),
            "RFC 5044 section 7.1.1",
            "Key of a Request frame: the octets `MPA ID Req Frame`.",
        ),
        x(
            "key_reply",
            128,
            u128::from_be_bytes(*b"MPA ID Rep Frame"),
            "RFC 5044 section 7.1.1",
            "Key of a Reply frame: the octets `MPA ID Rep Frame`.",
        ),
        c("revision", 8, 1, "RFC 5044 section 7.1.1", "Revision of a plain startup frame."),
        c("revision_enhanced", 8, 2, "RFC 6581 section 6", "Lowest revision of the enhanced setup."),
        c("private_data_max", 16, 512, "RFC 5044 section 7.1.1", "Most octets of private data."),
        c(
            "private_data_max_enhanced",
            16,
            508,
            "RFC 6581 section 9",
            "Most octets of private data after the enhanced words.",
        ),
        x("depth_max", 14, 0x3FFE, "RFC 6581 section 9.1", "Largest Read depth that can be negotiated."),
        x(
            "depth_not_negotiated",
            14,
            0x3FFF,
            "RFC 6581 section 9.1",
            "In place of a Read depth: leave yours as it is.",
        ),
        c("marker_interval", 16, 512, "RFC 5044 section 4.3", "Octets from marker to marker, one included."),
        x("fpdu_pointer_mask", 16, 0xFFFC, "RFC 5044 section 4.2", "Bits of a marker's pointer that count."),
        c("crc_octets", 16, 4, "RFC 5044 section 4.1", "Octets of the CRC at the end of every FPDU."),
        c("mulpdu_min", 16, 128, "RFC 5044 section 4.5", "Least MULPDU, whatever the EMSS."),
        c("mulpdu_max", 16, 64768, "RFC 5044 section 4.5", "Greatest MULPDU, whatever the EMSS."),
    ],
};

const CRC32C: Group = Group {
    name: "crc32c",
    doc: "CRC32c as MPA uses it: octets enter least significant bit first; the value is sent least significant \
          octet first.",
    constants: &[
        x("polynomial", 32, 0x1EDC_6F41, "RFC 3385, RFC 5044 section 4.4", "Most significant bit first."),
        x("polynomial_reflected", 32, 0x82F6_3B78, "RFC 5044 section 4.4", "Least significant bit first."),
        x("init", 32, 0xFFFF_FFFF, "RFC 5044 section 4.4", "Register before the first octet."),
        x("xor_out", 32, 0xFFFF_FFFF, "RFC 5044 section 4.4", "The value is the register xor this."),
        x(
            "residue",
            32,
            0xB798_B438,
            "RFC 5044 section 4.4",
            "Register, before `xor_out`, after data and their right CRC.",
        ),
    ],
};

const DDP: Group = Group {
    name: "ddp",
    doc: "DDP.",
    constants: &[
        c("version", 2, 1, "RFC 5041 section 4.1", "DV of every segment."),
        c("msn_first", 32, 1, "RFC 5041 section 4.3", "MSN of the first message of a queue."),
    ],
};

const RDMAP: Group = Group {
    name: "rdmap",
    doc: "RDMAP.",
    constants: &[
        c("version", 2, 1, "RFC 5040 section 4.1", "RV of every message of this RFC."),
        c("version_rdmac", 2, 0, "RFC 5040 section 4.1", "RV of a peer of the RDMA Consortium."),
        c("queue_send", 32, 0, "RFC 5040 section 4.1", "Untagged queue of the four Sends."),
        c("queue_read_request", 32, 1, "RFC 5040 section 4.1", "Untagged queue of Read Requests."),
        c("queue_terminate", 32, 2, "RFC 5040 section 4.1", "Untagged queue of the Terminate."),
    ],
};
