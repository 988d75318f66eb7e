// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables of the wire, a file a protocol, from the Ethernet frame inwards.

pub mod ddp;
pub mod eth;
pub mod ip;
pub mod mpa;
pub mod rdmap;
pub mod tcp;

use crate::protocol::{protocol, Protocol};

/// Every layout of the wire.
pub const PROTOCOLS: &[Protocol] = &[
    protocol!(wire::eth, "Ethernet", [ETHERNET, VLAN_TAG]),
    protocol!(wire::ip, "IP", [IPV4, IPV6]),
    protocol!(
        wire::tcp,
        "TCP",
        [
            TCP,
            OPTION_HEAD,
            OPTION_MSS,
            OPTION_WINDOW_SCALE,
            OPTION_SACK_PERMITTED,
            SACK_BLOCK,
            OPTION_TIMESTAMPS
        ]
    ),
    protocol!(wire::mpa, "MPA", [STARTUP, DEPTHS, FPDU, MARKER]),
    protocol!(wire::ddp, "DDP", [CONTROL, TAGGED, UNTAGGED]),
    protocol!(wire::rdmap, "RDMAP", [CONTROL, READ_REQUEST, TERMINATE_CONTROL, TERMINATE_LENGTH]),
];
