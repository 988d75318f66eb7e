// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants of the carrier.

/// Of every frame.
pub mod carrier_frame {
    /// EtherType for local experiments. IEEE 802 section 9.2.4.
    pub const ETHER_TYPE: u16 = 0x88B5;
    /// Version of the layout. Ferrowarp.
    pub const VERSION: u8 = 1;
}

/// What a frame of the carrier is.
pub mod carrier_kind {
    /// Begins an epoch (host), or answers that the device is ready (device). Ferrowarp.
    pub const HELLO: u8 = 1;
    /// Records. Ferrowarp.
    pub const DATA: u8 = 2;
    /// Acknowledges; nothing else. Ferrowarp.
    pub const ACK: u8 = 3;
}

/// What a record is.
pub mod carrier_record {
    /// A TLP. Ferrowarp.
    pub const TLP: u8 = 1;
    /// Configuration of the function (host). Ferrowarp.
    pub const CONFIG: u8 = 2;
    /// Function Level Reset (host). Ferrowarp.
    pub const RESET: u8 = 3;
    /// The Function Level Reset has ended (device). Ferrowarp.
    pub const RESET_DONE: u8 = 4;
}
