// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants of the bus edge.

/// What the identification registers say. The vendor is QEMU's, which experiments use: Ferrowarp
/// has no vendor number.
pub mod csr_identity {
    /// `FwRp`, the first letter in the highest octet. Ferrowarp.
    pub const MAGIC: u32 = 0x46775270;
    /// Vendor. Ferrowarp.
    pub const VENDOR: u16 = 0x1234;
    /// Device. Ferrowarp.
    pub const DEVICE: u16 = 0xFE77;
    /// What a driver may not do without. Ferrowarp.
    pub const MAJOR: u16 = 4;
    /// What it may do without. Ferrowarp.
    pub const MINOR: u16 = 3;
}

/// What went wrong at the bus edge, for `error_what`.
pub mod edge_error {
    /// Nothing. Ferrowarp.
    pub const NONE: u8 = 0;
    /// A TLP whose header contradicts itself or its length. Ferrowarp.
    pub const MALFORMED: u8 = 1;
    /// A request of a kind or for a place that the device does not have. Ferrowarp.
    pub const UNSUPPORTED: u8 = 2;
    /// A poisoned write. Ferrowarp.
    pub const POISONED: u8 = 3;
    /// A request of a length that the place does not have. Ferrowarp.
    pub const LENGTH: u8 = 4;
    /// A write of a register that is not a whole dword. Ferrowarp.
    pub const PARTIAL: u8 = 5;
    /// No such register. Ferrowarp.
    pub const ADDRESS: u8 = 6;
    /// The register may only be read. Ferrowarp.
    pub const REFUSED: u8 = 7;
    /// A doorbell was rung on another page than its own. Ferrowarp.
    pub const PAGE: u8 = 8;
    /// The admin window was used in a way that is not possible. Ferrowarp.
    pub const ADMIN: u8 = 9;
    /// A completion answers no read. Ferrowarp.
    pub const CPL_UNEXPECTED: u8 = 16;
    /// A completion of a read that was given up before. Ferrowarp.
    pub const CPL_LATE: u8 = 17;
    /// A read was answered with Unsupported Request. Ferrowarp.
    pub const CPL_UNSUPPORTED: u8 = 18;
    /// A read was answered with Completer Abort. Ferrowarp.
    pub const CPL_ABORTED: u8 = 19;
    /// A read was answered with poisoned data. Ferrowarp.
    pub const CPL_POISONED: u8 = 20;
    /// A completion does not fit its read. Ferrowarp.
    pub const CPL_MALFORMED: u8 = 21;
    /// A read had no whole answer in time. Ferrowarp.
    pub const READ_EXPIRED: u8 = 22;
    /// A request was dropped because the device is no bus master. Ferrowarp.
    pub const NO_MASTER: u8 = 23;
}

/// Sizes and places of the BARs.
pub mod bar {
    /// BAR0: registers. Ferrowarp.
    pub const REGISTERS_OCTETS: u32 = 4096;
    /// BAR2: octets of a doorbell page; a doorbell is at its beginning. Ferrowarp.
    pub const PAGE_OCTETS: u32 = 4096;
    /// BAR4: table and pending bits of MSI-X. Ferrowarp.
    pub const MSIX_OCTETS: u32 = 4096;
    /// Table in BAR4. Ferrowarp.
    pub const MSIX_TABLE: u32 = 0x00000000;
    /// Pending bits in BAR4. Ferrowarp.
    pub const MSIX_PENDING: u32 = 0x00000800;
    /// Vectors of MSI-X; 0 tells of what is no completion queue's. Ferrowarp.
    pub const VECTORS: u16 = 16;
}
