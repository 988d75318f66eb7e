// SPDX-License-Identifier: MIT OR Apache-2.0
//! DDP: the control octet and the two headers that begin with it.
use crate::table::{Field, Kind, Layout};

/// Control octet.
pub const CONTROL: Layout = Layout::new(
    "DdpControl",
    "RFC 5041 section 4.1",
    "First octet of every segment; its `is_tagged` says which header it begins.",
    1,
    &[
        Field::new("is_tagged", 0, 1, "T: tagged (14 octets) or untagged (18 octets) header."),
        Field::new("is_last", 1, 1, "L: last segment of its message."),
        Field::new("reserved", 2, 4, "Sent as zero, not examined, kept for quoting in a Terminate.").kept(),
        Field::new("ddp_version", 6, 2, "DV: 1.").reset(1),
    ],
);

/// Tagged header.
pub const TAGGED: Layout = Layout::new(
    "DdpTaggedHdr",
    "RFC 5041 section 4.2",
    "Header of a tagged segment (RDMA Write, RDMA Read Response); payload follows.",
    14,
    &[
        Field::new("is_tagged", 0, 1, "T: 1.").reset(1),
        Field::new("is_last", 1, 1, "L: last segment of its message."),
        Field::new("reserved", 2, 4, "Sent as zero, not examined, kept for quoting in a Terminate.").kept(),
        Field::new("ddp_version", 6, 2, "DV: 1.").reset(1),
        Field::new("rsvd_ulp", 8, 8, "RsvdULP: RDMAP's control octet (`RdmapControl`)."),
        Field::new("stag", 16, 32, "Buffer of the receiver of this segment.").kind(Kind::STag),
        Field::new("tagged_offset", 48, 64, "TO: where the payload goes.").kind(Kind::TaggedOffset),
    ],
)
.begins_with(&CONTROL);

/// Untagged header.
pub const UNTAGGED: Layout = Layout::new(
    "DdpUntaggedHdr",
    "RFC 5041 section 4.3, RFC 5040 section 4.1",
    "Header of an untagged segment (Send, RDMA Read Request, Terminate); payload follows.",
    18,
    &[
        Field::new("is_tagged", 0, 1, "T: 0."),
        Field::new("is_last", 1, 1, "L: last segment of its message."),
        Field::new("reserved", 2, 4, "Sent as zero, not examined, kept for quoting in a Terminate.").kept(),
        Field::new("ddp_version", 6, 2, "DV: 1.").reset(1),
        Field::new("rsvd_ulp", 8, 8, "RsvdULP, first octet: RDMAP's control octet (`RdmapControl`)."),
        Field::new("invalidate_stag", 16, 32, "RsvdULP, the rest: RDMAP's Invalidate STag.").kind(Kind::STag),
        Field::new("queue_number", 48, 32, "QN: queue of the receiver.").kind(Kind::QueueNumber),
        Field::new("msn", 80, 32, "MSN: number of the message in its queue.").kind(Kind::Msn),
        Field::new("message_offset", 112, 32, "MO: where in the message.").kind(Kind::MessageOffset),
    ],
)
.begins_with(&CONTROL);
