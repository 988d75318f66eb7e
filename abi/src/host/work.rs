//! Work requests: slots of send and receive queues in host memory.
use crate::table::{Field, Kind, Layout};

/// Octets of a slot of a send queue: head, then four SGEs or 96 octets inline.
pub const SEND_SLOT: usize = 128;
/// Octets of a slot of a receive queue: head, then three SGEs.
pub const RECV_SLOT: usize = 64;

/// Head of a send work request.
pub const SEND_WQE: Layout = Layout::new(
    "SendWqe",
    "Ferrowarp",
    "First 32 octets of a slot of the send queue; up to four `Sge` or 96 octets of inline data follow.",
    32,
    &[
        Field::new("opcode", 0, 8, "RDMAP opcode of the message: 0, 1, 3, 4, 5 or 6."),
        Field::new("is_signaled", 8, 1, "A CQE is written when it completes without error."),
        Field::new("is_inline", 9, 1, "The payload stands in the slot; there are no SGEs."),
        Field::reserved("flags", 10, 6),
        Field::new("num_sge", 16, 8, "SGEs that follow, 0 to 4."),
        Field::reserved("spare", 24, 8),
        Field::new("length", 32, 32, "Octets of payload: the sum of the SGEs, or of inline data, 0 to 96.")
            .kind(Kind::ByteCount),
        Field::reserved("spare_1", 64, 64),
        Field::new("remote_stag", 128, 32, "Buffer of the peer (RDMA Write), or what a Send invalidates.")
            .kind(Kind::STag),
        Field::reserved("spare_2", 160, 32),
        Field::new("remote_to", 192, 64, "Where in the peer's buffer.").kind(Kind::TaggedOffset),
    ],
);

/// Head of a receive work request.
pub const RECV_WQE: Layout = Layout::new(
    "RecvWqe",
    "Ferrowarp",
    "First 16 octets of a slot of the receive queue; three places for an `Sge` follow.",
    16,
    &[
        Field::reserved("spare", 0, 64),
        Field::new("num_sge", 64, 8, "SGEs that count, 0 to 3."),
        Field::reserved("spare_1", 72, 56),
    ],
);

/// Scatter or gather element.
pub const SGE: Layout = Layout::new(
    "Sge",
    "Ferrowarp",
    "A piece of local memory; follows a `SendWqe` or `RecvWqe`.",
    16,
    &[
        Field::new("iova", 0, 64, "First octet, as the device addresses it."),
        Field::new("length", 64, 32, "Octets, 0 or more.").kind(Kind::ByteCount),
        Field::new("key", 96, 32, "STag of the memory region it lies in.").kind(Kind::STag),
    ],
);
