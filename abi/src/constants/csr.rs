// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constants of the register map that are not places.
use super::{c, x, Group};

/// Its groups.
pub const GROUPS: &[Group] = &[IDENTITY, EDGE_ERROR, BAR];

const IDENTITY: Group = Group {
    name: "csr_identity",
    doc: "What the identification registers say. The vendor is QEMU's, which experiments \
          use: Ferrowarp has no vendor number.",
    constants: &[
        x("magic", 32, 0x4677_5270, "Ferrowarp", "`FwRp`, the first letter in the highest octet."),
        x("vendor", 16, 0x1234, "Ferrowarp", "Vendor."),
        x("device", 16, 0xFE77, "Ferrowarp", "Device."),
        c("major", 16, 4, "Ferrowarp", "What a driver may not do without."),
        c("minor", 16, 3, "Ferrowarp", "What it may do without."),
    ],
};

const EDGE_ERROR: Group = Group {
    name: "edge_error",
    doc: "What went wrong at the bus edge, for `error_what`.",
    constants: &[
        c("none", 8, 0, "Ferrowarp", "Nothing."),
        c("malformed", 8, 1, "Ferrowarp", "A TLP whose header contradicts itself or its length."),
        c(
            "unsupported",
            8,
            2,
            "Ferrowarp",
            "A request of a kind or for a place that the device does not have.",
        ),
        c("poisoned", 8, 3, "Ferrowarp", "A poisoned write."),
        c("length", 8, 4, "Ferrowarp", "A request of a length that the place does not have."),
        c("partial", 8, 5, "Ferrowarp", "A write of a register that is not a whole dword."),
        c("address", 8, 6, "Ferrowarp", "No such register."),
        c("refused", 8, 7, "Ferrowarp", "The register may only be read."),
        c("page", 8, 8, "Ferrowarp", "A doorbell was rung on another page than its own."),
        c("admin", 8, 9, "Ferrowarp", "The admin window was used in a way that is not possible."),
        c("cpl_unexpected", 8, 16, "Ferrowarp", "A completion answers no read."),
        c("cpl_late", 8, 17, "Ferrowarp", "A completion of a read that was given up before."),
        c("cpl_unsupported", 8, 18, "Ferrowarp", "A read was answered with Unsupported Request."),
        c("cpl_aborted", 8, 19, "Ferrowarp", "A read was answered with Completer Abort."),
        c("cpl_poisoned", 8, 20, "Ferrowarp", "A read was answered with poisoned data."),
        c("cpl_malformed", 8, 21, "Ferrowarp", "A completion does not fit its read."),
        c("read_expired", 8, 22, "Ferrowarp", "A read had no whole answer in time."),
        c("no_master", 8, 23, "Ferrowarp", "A request was dropped because the device is no bus master."),
    ],
};

const BAR: Group = Group {
    name: "bar",
    doc: "Sizes and places of the BARs.",
    constants: &[
        c("registers_octets", 32, 4096, "Ferrowarp", "BAR0: registers."),
        c(
            "page_octets",
            32,
            4096,
            "Ferrowarp",
            "BAR2: octets of a doorbell page; a doorbell is at its beginning.",
        ),
        c("msix_octets", 32, 4096, "Ferrowarp", "BAR4: table and pending bits of MSI-X."),
        x("msix_table", 32, 0, "Ferrowarp", "Table in BAR4."),
        x("msix_pending", 32, 0x800, "Ferrowarp", "Pending bits in BAR4."),
        c("vectors", 16, 16, "Ferrowarp", "Vectors of MSI-X; 0 tells of what is no completion queue's."),
    ],
};
