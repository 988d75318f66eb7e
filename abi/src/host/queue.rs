//! What the queues in host memory hold.
use crate::table::{Field, Kind, Layout};

/// Octets of a slot of a send queue: head, then four SGEs or 96 octets inline.
pub const SEND_SLOT: usize = 128;
/// Octets of a slot of a receive queue: head, then three SGEs.
pub const RECV_SLOT: usize = 64;
/// Octets of a slot of the raw receive ring: head, then a frame.
pub const RAW_SLOT: usize = 2048;

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
        Field::new("wr_id", 64, 64, "Comes back in the CQE."),
        Field::new("remote_stag", 128, 32, "Buffer of the peer (RDMA Write), or what a Send invalidates.")
            .kind(Kind::STag),
        Field::reserved("spare_1", 160, 32),
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
        Field::new("wr_id", 0, 64, "Comes back in the CQE."),
        Field::new("num_sge", 64, 8, "SGEs that count, 0 to 3."),
        Field::reserved("spare", 72, 56),
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

/// Completion.
pub const CQE: Layout = Layout::new(
    "Cqe",
    "Ferrowarp",
    "A slot of a completion queue. The device writes it in one write; its phase bit becomes visible last.",
    32,
    &[
        Field::new("wr_id", 0, 64, "Of the work request; 0 if there is none."),
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
        Field::new("has_wr", 179, 1, "`wr_id` counts."),
        Field::reserved("flags", 180, 12),
        Field::reserved("spare", 192, 63),
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
