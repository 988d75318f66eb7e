// SPDX-License-Identifier: MIT OR Apache-2.0
//! Raw rings: whole frames in and out, the slow path.
use crate::table::{Field, Layout};

/// Octets of a slot of the raw receive ring: head, then a frame.
pub const RAW_SLOT: usize = 2048;

/// Head of a raw frame received.
pub const RAW_HEAD: Layout = Layout::new(
    "RawHead",
    "Ferrowarp",
    "First 16 octets of a slot of the raw receive ring, written after the frame that follows it.",
    16,
    &[
        Field::new("length", 0, 16, "Octets of the frame, without FCS."),
        Field::new("reason", 16, 8, "Why it came here, one of `raw_reason`."),
        Field::reserved("spare", 24, 8),
        Field::new("index", 32, 32, "Absolute index of the slot."),
        Field::reserved("spare_1", 64, 63),
        Field::new("phase", 127, 1, "Changes each time the ring wraps; 1 the first time round."),
    ],
);

/// Descriptor of a raw frame to send.
pub const RAW_DESCRIPTOR: Layout = Layout::new(
    "RawDescriptor",
    "Ferrowarp",
    "A slot of the raw transmit ring: a frame in host memory, from destination address to the last octet before FCS. The ring begins at a multiple of 16.",
    16,
    &[
        Field::new("iova", 0, 64, "First octet of the frame; a multiple of 8."),
        Field::new("length", 64, 16, "Octets, 14 or more; the device pads to 60."),
        Field::reserved("spare", 80, 48),
    ],
);
