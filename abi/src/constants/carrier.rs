// SPDX-License-Identifier: MIT OR Apache-2.0
//! Constants of the carrier.
use super::{c, x, Group};

/// Its groups.
pub const GROUPS: &[Group] = &[CARRIER, CARRIER_KIND, CARRIER_RECORD];

const CARRIER: Group = Group {
    name: "carrier_frame",
    doc: "Of every frame.",
    constants: &[
        x("ether_type", 16, 0x88B5, "IEEE 802 section 9.2.4", "EtherType for local experiments."),
        c("version", 4, 1, "Ferrowarp", "Version of the layout."),
    ],
};

const CARRIER_KIND: Group = Group {
    name: "carrier_kind",
    doc: "What a frame of the carrier is.",
    constants: &[
        c(
            "hello",
            8,
            1,
            "Ferrowarp",
            "Begins an epoch (host), or answers that the device is ready (device).",
        ),
        c("data", 8, 2, "Ferrowarp", "Records."),
        c("ack", 8, 3, "Ferrowarp", "Acknowledges; nothing else."),
    ],
};

const CARRIER_RECORD: Group = Group {
    name: "carrier_record",
    doc: "What a record is.",
    constants: &[
        c("tlp", 8, 1, "Ferrowarp", "A TLP."),
        c("config", 8, 2, "Ferrowarp", "Configuration of the function (host)."),
        c("reset", 8, 3, "Ferrowarp", "Function Level Reset (host)."),
        c("reset_done", 8, 4, "Ferrowarp", "The Function Level Reset has ended (device)."),
    ],
};
