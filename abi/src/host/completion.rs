// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the device tells: completions and events in host memory.
use crate::table::{Field, Kind, Layout};

/// Completion.
pub const CQE: Layout = Layout::new(
    "Cqe",
    "Ferrowarp",
    "A slot of a completion queue. The device writes it in one write; its phase bit becomes visible last.",
    32,
    &[
        Field::new(
            "index",
            0,
            32,
            "Of the work request: how many were posted to its queue before, modulo 2^32; 0 if there is none.",
        ),
        Field::reserved("spare", 32, 32),
        Field::new("byte_len", 64, 32, "Octets received; 0 for a send queue's entry.").kind(Kind::ByteCount),
        Field::new("qp", 96, 16, "Queue pair."),
        Field::new("status", 112, 8, "One of `wc_status`."),
        Field::new("opcode", 120, 8, "RDMAP opcode of the message."),
        Field::new("invalidated_stag", 128, 32, "STag that the message invalidated, with `has_invalidate`.")
            .kind(Kind::STag),
        Field::new("error", 160, 16, "Layer, type and code as in a Terminate; with a bad `status` only."),
        Field::new("is_recv", 176, 1, "Of a receive queue."),
        Field::new("is_solicited", 177, 1, "The sender asked that the receiver be woken."),
        Field::new("has_invalidate", 178, 1, "`invalidated_stag` counts."),
        Field::new("has_wr", 179, 1, "`index` counts."),
        Field::reserved("flags", 180, 12),
        Field::reserved("spare_1", 192, 63),
        Field::new("phase", 255, 1, "Changes each time the ring wraps; 1 the first time round."),
    ],
);

/// Event.
pub const EVENT: Layout = Layout::new(
    "Event",
    "Ferrowarp",
    "A slot of the event ring; its phase bit becomes visible last.",
    16,
    &[
        Field::new("kind", 0, 8, "One of `event_kind`."),
        Field::reserved("spare", 8, 8),
        Field::new("number", 16, 16, "Queue pair or completion queue, by `kind`."),
        Field::new("error", 32, 16, "Layer, type and code as in a Terminate; 0 if there is none."),
        Field::reserved("spare_1", 48, 16),
        Field::new("info", 64, 32, "By `kind`: the producer index of a completion queue."),
        Field::reserved("spare_2", 96, 31),
        Field::new("phase", 127, 1, "Changes each time the ring wraps; 1 the first time round."),
    ],
);
