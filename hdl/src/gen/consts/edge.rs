// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants of the bus edge.

/// What the identification registers say. The vendor is QEMU's, which experiments use: Ferrowarp
/// has no vendor number.
pub mod csr_identity {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// `FwRp`, the first letter in the highest octet. Ferrowarp.
    pub fn magic() -> Const<Bits<32>> {
        Const::of(0x46775270)
    }
    /// Vendor. Ferrowarp.
    pub fn vendor() -> Const<Bits<16>> {
        Const::of(0x1234)
    }
    /// Device. Ferrowarp.
    pub fn device() -> Const<Bits<16>> {
        Const::of(0xFE77)
    }
    /// What a driver may not do without. Ferrowarp.
    pub fn major() -> Const<Bits<16>> {
        Const::of(4)
    }
    /// What it may do without. Ferrowarp.
    pub fn minor() -> Const<Bits<16>> {
        Const::of(3)
    }
}

/// What went wrong at the bus edge, for `error_what`.
pub mod edge_error {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Nothing. Ferrowarp.
    pub fn none() -> Const<Bits<8>> {
        Const::of(0)
    }
    /// A TLP whose header contradicts itself or its length. Ferrowarp.
    pub fn malformed() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// A request of a kind or for a place that the device does not have. Ferrowarp.
    pub fn unsupported() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// A poisoned write. Ferrowarp.
    pub fn poisoned() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// A request of a length that the place does not have. Ferrowarp.
    pub fn length() -> Const<Bits<8>> {
        Const::of(4)
    }
    /// A write of a register that is not a whole dword. Ferrowarp.
    pub fn partial() -> Const<Bits<8>> {
        Const::of(5)
    }
    /// No such register. Ferrowarp.
    pub fn address() -> Const<Bits<8>> {
        Const::of(6)
    }
    /// The register may only be read. Ferrowarp.
    pub fn refused() -> Const<Bits<8>> {
        Const::of(7)
    }
    /// A doorbell was rung on another page than its own. Ferrowarp.
    pub fn page() -> Const<Bits<8>> {
        Const::of(8)
    }
    /// The admin window was used in a way that is not possible. Ferrowarp.
    pub fn admin() -> Const<Bits<8>> {
        Const::of(9)
    }
    /// A completion answers no read. Ferrowarp.
    pub fn cpl_unexpected() -> Const<Bits<8>> {
        Const::of(16)
    }
    /// A completion of a read that was given up before. Ferrowarp.
    pub fn cpl_late() -> Const<Bits<8>> {
        Const::of(17)
    }
    /// A read was answered with Unsupported Request. Ferrowarp.
    pub fn cpl_unsupported() -> Const<Bits<8>> {
        Const::of(18)
    }
    /// A read was answered with Completer Abort. Ferrowarp.
    pub fn cpl_aborted() -> Const<Bits<8>> {
        Const::of(19)
    }
    /// A read was answered with poisoned data. Ferrowarp.
    pub fn cpl_poisoned() -> Const<Bits<8>> {
        Const::of(20)
    }
    /// A completion does not fit its read. Ferrowarp.
    pub fn cpl_malformed() -> Const<Bits<8>> {
        Const::of(21)
    }
    /// A read had no whole answer in time. Ferrowarp.
    pub fn read_expired() -> Const<Bits<8>> {
        Const::of(22)
    }
    /// A request was dropped because the device is no bus master. Ferrowarp.
    pub fn no_master() -> Const<Bits<8>> {
        Const::of(23)
    }
}

/// Sizes and places of the BARs.
pub mod bar {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// BAR0: registers. Ferrowarp.
    pub fn registers_octets() -> Const<Bits<32>> {
        Const::of(4096)
    }
    /// BAR2: octets of a doorbell page; a doorbell is at its beginning. Ferrowarp.
    pub fn page_octets() -> Const<Bits<32>> {
        Const::of(4096)
    }
    /// BAR4: table and pending bits of MSI-X. Ferrowarp.
    pub fn msix_octets() -> Const<Bits<32>> {
        Const::of(4096)
    }
    /// Table in BAR4. Ferrowarp.
    pub fn msix_table() -> Const<Bits<32>> {
        Const::of(0x00000000)
    }
    /// Pending bits in BAR4. Ferrowarp.
    pub fn msix_pending() -> Const<Bits<32>> {
        Const::of(0x00000800)
    }
    /// Vectors of MSI-X; 0 tells of what is no completion queue's. Ferrowarp.
    pub fn vectors() -> Const<Bits<16>> {
        Const::of(16)
    }
}
