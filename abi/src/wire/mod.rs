//! Tables of the wire, a file a protocol, from the Ethernet frame inwards.

pub mod ddp;
pub mod eth;
pub mod ip;
pub mod mpa;
pub mod rdmap;
pub mod tcp;

use crate::table::Layout;

/// The layouts of one protocol.
#[derive(Copy, Clone, Debug)]
pub struct Protocol {
    /// Name of its file here and in the generated folders.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Its layouts, each with the path of its table inside [`crate::wire`].
    pub layouts: &'static [(&'static str, Layout)],
}

/// Makes a [`Protocol`] of the named tables of module `$module`.
macro_rules! protocol {
    ($module:ident, $title:literal, [$($table:ident),* $(,)?]) => {
        Protocol {
            name: stringify!($module),
            title: $title,
            layouts: &[$((concat!(stringify!($module), "::", stringify!($table)), $module::$table)),*],
        }
    };
}

/// Every layout of the wire.
pub const PROTOCOLS: &[Protocol] = &[
    protocol!(eth, "Ethernet", [ETHERNET, VLAN_TAG]),
    protocol!(ip, "IP", [IPV4, IPV6]),
    protocol!(
        tcp,
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
    protocol!(mpa, "MPA", [STARTUP, DEPTHS, FPDU, MARKER]),
    protocol!(ddp, "DDP", [CONTROL, TAGGED, UNTAGGED]),
    protocol!(rdmap, "RDMAP", [CONTROL, READ_REQUEST, TERMINATE_CONTROL, TERMINATE_LENGTH]),
];

/// Every layout, in the order of [`PROTOCOLS`].
pub fn layouts() -> impl Iterator<Item = &'static Layout> {
    PROTOCOLS.iter().flat_map(|p| p.layouts.iter().map(|(_, layout)| layout))
}
