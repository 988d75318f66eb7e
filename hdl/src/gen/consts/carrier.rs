// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants of the carrier.

/// Of every frame.
pub mod carrier_frame {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// EtherType for local experiments. IEEE 802 section 9.2.4.
    pub fn ether_type() -> Const<Bits<16>> {
        Const::of(0x88B5)
    }
    /// Version of the layout. Ferrowarp.
    pub fn version() -> Const<Bits<4>> {
        Const::of(1)
    }
}

/// What a frame of the carrier is.
pub mod carrier_kind {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Begins an epoch (host), or answers that the device is ready (device). Ferrowarp.
    pub fn hello() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Records. Ferrowarp.
    pub fn data() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// Acknowledges; nothing else. Ferrowarp.
    pub fn ack() -> Const<Bits<8>> {
        Const::of(3)
    }
}

/// What a record is.
pub mod carrier_record {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// A TLP. Ferrowarp.
    pub fn tlp() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Configuration of the function (host). Ferrowarp.
    pub fn config() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// Function Level Reset (host). Ferrowarp.
    pub fn reset() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// The Function Level Reset has ended (device). Ferrowarp.
    pub fn reset_done() -> Const<Bits<8>> {
        Const::of(4)
    }
}
