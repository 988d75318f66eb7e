// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a peer says: its octets, and what MPA makes of them.

/// An FPDU, as MPA gives it on.
#[derive(Clone, Debug)]
pub struct Unit {
    /// MPA's verdict.
    pub verdict: u64,
    /// Its ULPDU.
    pub ulpdu: Vec<u8>,
}

/// All that a peer says.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// On the wire.
    pub octets: Vec<u8>,
    /// As MPA gives it on.
    pub units: Vec<Unit>,
    /// A FIN ends it.
    pub has_fin: bool,
}
