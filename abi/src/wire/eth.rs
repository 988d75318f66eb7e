// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ethernet and its VLAN tag. Frames are those of a MAC client: no preamble, no frame check
//! sequence.
use crate::table::{Field, Kind, Layout};

/// Ethernet header.
pub const ETHERNET: Layout = Layout::new(
    "EthernetHdr",
    "IEEE 802.3 section 3.1",
    "First 14 octets of every frame.",
    14,
    &[
        Field::new("destination", 0, 48, "Station the frame is for.").kind(Kind::Mac),
        Field::new("source", 48, 48, "Station that sent it.").kind(Kind::Mac),
        Field::new("ethertype", 96, 16, "What follows: a constant of `ether_type`."),
    ],
);

/// What stands after an Ethernet header whose EtherType is 0x8100.
pub const VLAN_TAG: Layout = Layout::new(
    "VlanTag",
    "IEEE 802.1Q section 9.6",
    "Tag control information and the EtherType of what follows; stands after an Ethernet header whose EtherType \
     is `ether_type::VLAN`.",
    4,
    &[
        Field::new("pcp", 0, 3, "Priority code point."),
        Field::new("dei", 3, 1, "Drop eligible indicator."),
        Field::new("vid", 4, 12, "VLAN identifier; 0 means a priority tag only."),
        Field::new("ethertype", 16, 16, "What follows: a constant of `ether_type`."),
    ],
);
