// SPDX-License-Identifier: MIT OR Apache-2.0
//! IPv4 without options and IPv6 without extension headers.
use crate::table::{Field, Kind, Layout};

/// IPv4 header without options.
pub const IPV4: Layout = Layout::new(
    "Ipv4Hdr",
    "RFC 791 section 3.1, RFC 2474, RFC 3168",
    "The 20 octets that every IPv4 header has; options, if `ihl` > 5, follow.",
    20,
    &[
        Field::new("version", 0, 4, "4.").reset(4),
        Field::new("ihl", 4, 4, "Header length in units of 4 octets, at least 5.").reset(5),
        Field::new("dscp", 8, 6, "Differentiated services code point."),
        Field::new("ecn", 14, 2, "Explicit congestion notification."),
        Field::new("total_length", 16, 16, "Octets of header and payload."),
        Field::new("identification", 32, 16, "Groups the fragments of a datagram."),
        Field::reserved("reserved", 48, 1),
        Field::new("dont_fragment", 49, 1, "DF: routers drop rather than fragment."),
        Field::new("more_fragments", 50, 1, "MF: not the last fragment."),
        Field::new("fragment_offset", 51, 13, "Place of this fragment in units of 8 octets."),
        Field::new("ttl", 64, 8, "Hops left.").reset(64),
        Field::new("protocol", 72, 8, "What follows: a constant of `ip_protocol`."),
        Field::new("checksum", 80, 16, "Internet checksum of the header."),
        Field::new("source", 96, 32, "Sender.").kind(Kind::Ipv4),
        Field::new("destination", 128, 32, "Receiver.").kind(Kind::Ipv4),
    ],
);

/// IPv6 header.
pub const IPV6: Layout = Layout::new(
    "Ipv6Hdr",
    "RFC 8200 section 3",
    "The fixed header; extension headers, if `next_header` names one, follow.",
    40,
    &[
        Field::new("version", 0, 4, "6.").reset(6),
        Field::new("dscp", 4, 6, "Differentiated services code point."),
        Field::new("ecn", 10, 2, "Explicit congestion notification."),
        Field::new("flow_label", 12, 20, "Flow label."),
        Field::new("payload_length", 32, 16, "Octets after this header."),
        Field::new("next_header", 48, 8, "What follows: a constant of `ip_protocol`."),
        Field::new("hop_limit", 56, 8, "Hops left.").reset(64),
        Field::new("source", 64, 128, "Sender.").kind(Kind::Ipv6),
        Field::new("destination", 192, 128, "Receiver.").kind(Kind::Ipv6),
    ],
);
