// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPA: startup frames, FPDU and marker. The CRC32c that ends an FPDU is the one value here that is
//! sent least significant octet first; it is no field of a layout (`crc32c` in
//! [`crate::constants`]).
use crate::table::{Field, Layout};

/// Request and Reply frame without private data.
pub const STARTUP: Layout = Layout::new(
    "MpaStartupHdr",
    "RFC 5044 section 7.1.1, RFC 6581 section 6",
    "Request or Reply frame, told apart by `key`; `private_data_length` octets of private data follow. No pad, \
     no CRC, no markers.",
    20,
    &[
        Field::new("key", 0, 128, "`mpa::KEY_REQUEST` or `mpa::KEY_REPLY`, as a number."),
        Field::new("markers", 128, 1, "M: the sender wants markers in what it receives."),
        Field::new("crc", 129, 1, "C: the sender wants CRCs, both ways."),
        Field::new("reject", 130, 1, "R: the Reply refuses the connection; nothing in a Request."),
        Field::new("enhanced", 131, 1, "S: private data begins with the RFC 6581 words (`MpaDepths`)."),
        Field::reserved("reserved", 132, 4),
        Field::new("revision", 136, 8, "1, or 2 and above for the enhanced setup.").reset(1),
        Field::new("private_data_length", 144, 16, "Octets of private data, 0 to 512."),
    ],
);

/// First four octets of private data in an enhanced startup frame.
pub const DEPTHS: Layout = Layout::new(
    "MpaDepths",
    "RFC 6581 section 9",
    "Read depths and ready-to-receive options: the first four octets of private data if `enhanced`.",
    4,
    &[
        Field::new("peer_to_peer", 0, 1, "A: the initiator sends a ready-to-receive indication first."),
        Field::new("rtr_send", 1, 1, "B: that may be a zero-length Send."),
        Field::new("ird", 2, 14, "Inbound Read depth; `mpa::DEPTH_NOT_NEGOTIATED` leaves it alone."),
        Field::new("rtr_write", 16, 1, "C: that may be a zero-length RDMA Write."),
        Field::new("rtr_read", 17, 1, "D: that may be a zero-length RDMA Read."),
        Field::new("ord", 18, 14, "Outbound Read depth; `mpa::DEPTH_NOT_NEGOTIATED` leaves it alone."),
    ],
);

/// Head of an FPDU.
pub const FPDU: Layout = Layout::new(
    "FpduHdr",
    "RFC 5044 section 4.1",
    "Head of an FPDU; ULPDU, pad to a multiple of 4 and CRC32c follow.",
    2,
    &[Field::new("ulpdu_length", 0, 16, "Octets of the ULPDU: no marker, pad or CRC in it.")],
);

/// Marker.
pub const MARKER: Layout = Layout::new(
    "Marker",
    "RFC 5044 section 4.2",
    "Stands at every stream offset that is a multiple of `mpa::MARKER_INTERVAL`; covered by the CRC.",
    4,
    &[
        Field::new("reserved", 0, 16, "Sent as zero, not examined, kept for the CRC.").kept(),
        Field::new(
            "fpdu_pointer",
            16,
            16,
            "Octets back from the marker to the FPDU's `ulpdu_length`, 0 if it follows; mask with \
             `mpa::FPDU_POINTER_MASK` before arithmetic, keep whole for the CRC.",
        ),
    ],
);
