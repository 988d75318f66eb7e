// SPDX-License-Identifier: MIT OR Apache-2.0
//! RDMAP: the control octet inside the DDP header, and the headers of Read Request and Terminate.
use crate::table::{Field, Kind, Layout};

/// Control octet, second octet of every DDP header.
pub const CONTROL: Layout = Layout::new(
    "RdmapControl",
    "RFC 5040 section 4.1",
    "RDMAP's octet in the DDP header: its field `rsvd_ulp`.",
    1,
    &[
        Field::new("rdmap_version", 0, 2, "RV: `rdmap::VERSION`.").reset(1),
        Field::reserved("reserved", 2, 2),
        Field::new("opcode", 4, 4, "A number of `crate::opcode::Opcode`; 8 to 15 are reserved."),
    ],
);

/// Read Request header.
pub const READ_REQUEST: Layout = Layout::new(
    "ReadRequestHdr",
    "RFC 5040 section 4.4",
    "Stands after the untagged header of a Read Request; nothing follows.",
    28,
    &[
        Field::new("sink_stag", 0, 32, "Requester's buffer, echoed in the response.").kind(Kind::STag),
        Field::new("sink_offset", 32, 64, "TO in it, echoed.").kind(Kind::TaggedOffset),
        Field::new("size", 96, 32, "Octets to read; 0 asks for an empty response.").kind(Kind::ByteCount),
        Field::new("source_stag", 128, 32, "Responder's buffer.").kind(Kind::STag),
        Field::new("source_offset", 160, 64, "TO in it.").kind(Kind::TaggedOffset),
    ],
);

/// First word of the Terminate header.
pub const TERMINATE_CONTROL: Layout = Layout::new(
    "TerminateControl",
    "RFC 5040 section 4.8",
    "First word of the Terminate header, after the untagged header; what its flags announce follows.",
    4,
    &[
        Field::new("layer", 0, 4, "Layer that found the error: 0 RDMAP, 1 DDP, 2 MPA."),
        Field::new("etype", 4, 4, "Error type of that layer."),
        Field::new("code", 8, 8, "Error code of that type."),
        Field::new("has_length", 16, 1, "M: `TerminateLength` is valid."),
        Field::new("has_ddp", 17, 1, "D: the offending segment's DDP header is quoted."),
        Field::new("has_rdmap", 18, 1, "R: the offending Read Request's RDMAP header is quoted."),
        Field::reserved("reserved", 19, 13),
    ],
);

/// Second part of the Terminate header, if M or D.
pub const TERMINATE_LENGTH: Layout = Layout::new(
    "TerminateLength",
    "RFC 5040 section 4.8",
    "Second part of the Terminate header, if M or D. The quoted DDP header follows (14 or 18 octets by its own T), then \
     the quoted Read Request header.",
    2,
    &[Field::new("segment_length", 0, 16, "Octets of the offending DDP segment.")],
);
