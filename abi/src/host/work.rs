// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work requests: blocks of send and receive queues in host memory.
use crate::table::{Field, Kind, Layout};

/// Octets of a block of a send queue.
pub const SEND_BLOCK: usize = 64;
/// Most blocks that a send work request takes: head, then four SGEs or 96 octets inline.
pub const SEND_BLOCKS: usize = 2;
/// Octets of a block of a receive queue.
pub const RECV_BLOCK: usize = 32;
/// Most blocks that a receive work request takes: head, then three SGEs.
pub const RECV_BLOCKS: usize = 2;

/// Head of a send work request.
pub const SEND_WQE: Layout = Layout::new(
    "SendWqe",
    "Ferrowarp",
    "First 32 octets of a request of the send queue; up to four `Sge` or 96 octets of inline data follow. The request \
     takes one block of 64 octets, or two that follow one another in the ring. Flags and opcodes that are not \
     built are refused. Places: immediate data, a key of ours that a request invalidates or binds, a completion queue \
     apart from the queue pair's. For atomics (RFC 7306 section 5), the sink is the first SGE. \
     The operands stand in octets 48 to 64, their masks in the second block.",
    32,
    &[
        Field::new("opcode", 0, 8, "RDMAP opcode of the message (0, 1, 3, 4, 5 or 6), or one of `work_opcode`."),
        Field::new("is_signaled", 8, 1, "A CQE is written when it completes without error."),
        Field::new("is_inline", 9, 1, "The payload stands in the request; there are no SGEs."),
        Field::new("is_fenced", 10, 1, "It begins when all RDMA Reads posted before have completed."),
        Field::new("flags", 11, 5, "Refused unless 0: places of flags for `immediate` and `cq`, which are not built."),
        Field::new("num_sge", 16, 8, "SGEs that follow, 0 to 4."),
        Field::new(
            "blocks",
            24,
            8,
            "Blocks that it takes: 1 or 2. Two SGEs, or 32 octets inline, fit into one.",
        ),
        Field::new("length", 32, 32, "Octets of payload: the sum of the SGEs, or of inline data, 0 to 96.")
            .kind(Kind::ByteCount),
        Field::reserved("immediate", 64, 32),
        Field::reserved("local_stag", 96, 32),
        Field::new("remote_stag", 128, 32, "Buffer of the peer (RDMA Write), or what a Send invalidates.")
            .kind(Kind::STag),
        Field::reserved("cq", 160, 16),
        Field::reserved("spare", 176, 16),
        Field::new("remote_to", 192, 64, "Where in the peer's buffer.").kind(Kind::TaggedOffset),
    ],
);

/// Head of a receive work request.
pub const RECV_WQE: Layout = Layout::new(
    "RecvWqe",
    "Ferrowarp",
    "First 16 octets of a request of the receive queue; up to three `Sge` follow. The request takes one block of 32 \
     octets, or two that follow one another in the ring.",
    16,
    &[
        Field::new("num_sge", 0, 8, "SGEs that count, 0 to 3."),
        Field::new("blocks", 8, 8, "Blocks that it takes: 1 or 2. One SGE fits into one."),
        Field::new("flags", 16, 16, "Refused unless 0: place of a flag for `cq`, which is not built."),
        Field::reserved("cq", 32, 16),
        Field::reserved("spare", 48, 80),
    ],
);

/// Scatter or gather element.
pub const SGE: Layout = Layout::new(
    "Sge",
    "Ferrowarp",
    "A piece of local memory; follows a `SendWqe` or `RecvWqe`.",
    16,
    &[
        Field::new("to", 0, 64, "Tagged offset of the first octet in the region.").kind(Kind::TaggedOffset),
        Field::new("length", 64, 32, "Octets, 0 or more.").kind(Kind::ByteCount),
        Field::new("key", 96, 32, "STag of the memory region it lies in.").kind(Kind::STag),
    ],
);
