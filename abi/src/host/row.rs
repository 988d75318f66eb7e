// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of queue pair, completion queue and memory region, as the admin port writes and reads them.
use crate::table::{Field, Kind, Layout};

/// Queue pair row.
pub const QP: Layout = Layout::new(
    "QpRow",
    "Ferrowarp",
    "A queue pair. Writing it empties its queues: producer and consumer indices become 0. `read_row` gives state \
     error after a fault.",
    32,
    &[
        Field::new("state", 0, 8, "One of `qp_state`."),
        Field::new("use_srq", 8, 1, "Receives come from `srq`."),
        Field::reserved("flags", 9, 7),
        Field::new("pd", 16, 16, "Protection domain."),
        Field::new("send_cq", 32, 16, "Completion queue of sends, written before unless the state is *reset*."),
        Field::new("recv_cq", 48, 16, "Completion queue of receives, written before unless the state is *reset*."),
        Field::new("srq", 64, 16, "Shared receive queue, with `use_srq`."),
        Field::reserved("spare", 80, 16),
        Field::new("sq_base", 96, 64, "First octet of block 0 of the send queue, a multiple of 64."),
        Field::new("rq_base", 160, 64, "First octet of block 0 of the receive queue, a multiple of 32."),
        Field::new("sq_log2", 224, 8, "log2 of the send queue's blocks of 64 octets, 0 to 15."),
        Field::new("rq_log2", 232, 8, "log2 of the receive queue's blocks of 32 octets, 0 to 15."),
        Field::new("ird", 240, 8, "Read Requests of the peer under way at once."),
        Field::new("ord", 248, 8, "Our Read Requests under way at once."),
    ],
);

/// Completion queue row.
pub const CQ: Layout = Layout::new(
    "CqRow",
    "Ferrowarp",
    "A completion queue. Writing it empties it: both indices become 0, it is not armed. `read_row` gives it as not \
     valid after an overrun.",
    16,
    &[
        Field::new("base", 0, 64, "First octet of slot 0."),
        Field::new("log2", 64, 8, "log2 of its slots, 0 to 16."),
        Field::new("is_valid", 72, 1, "The queue exists."),
        Field::reserved("spare", 73, 55),
    ],
);

/// Memory region row.
pub const MR: Layout = Layout::new(
    "MrRow",
    "Ferrowarp, RFC 5040 section 2.1, design decision D5",
    "A memory region: one range of addresses. Its STag is `index << 8 | key`; index 0 is never valid.",
    32,
    &[
        Field::new("base", 0, 64, "IOVA of its first octet."),
        Field::new("length", 64, 64, "Octets, 0 or more."),
        Field::new("to_base", 128, 64, "Tagged offset of its first octet.").kind(Kind::TaggedOffset),
        Field::new("pd", 192, 16, "Protection domain."),
        Field::new("local_write", 208, 1, "Receives and Read Responses may write it."),
        Field::new("remote_read", 209, 1, "The peer may read it."),
        Field::new("remote_write", 210, 1, "The peer may write it."),
        Field::new(
            "bound_to_qp",
            211,
            1,
            "Only the stream of `qp` may name it, and only within the protection domain.",
        ),
        Field::new("is_valid", 212, 1, "The region exists."),
        Field::reserved("flags", 213, 3),
        Field::new("key", 216, 8, "Low 8 bits of its STag."),
        Field::new(
            "qp",
            224,
            16,
            "With `bound_to_qp`; with a number that no queue pair has, no queue pair may use the region.",
        ),
        Field::reserved("spare", 240, 16),
    ],
);
