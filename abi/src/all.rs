// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every layout of the wire and of the host interface.
use crate::protocol::Protocol;
use crate::table::Layout;

/// Every group: those of the wire, then those of the host interface.
pub fn protocols() -> impl Iterator<Item = &'static Protocol> {
    crate::wire::PROTOCOLS.iter().chain(crate::host::PROTOCOLS)
}

/// Every layout, in the order of [`protocols`].
pub fn layouts() -> impl Iterator<Item = &'static Layout> {
    protocols().flat_map(|p| p.layouts.iter().map(|(_, layout)| layout))
}
