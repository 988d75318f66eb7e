// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands of the admin port and their answers.
use crate::table::{Field, Kind, Layout};

/// Command.
pub const COMMAND: Layout = Layout::new(
    "AdminCommand",
    "Ferrowarp",
    "First 8 octets of a command; the row follows where the opcode writes one.",
    8,
    &[
        Field::new("opcode", 0, 8, "One of `admin_opcode`."),
        Field::new("row", 8, 8, "Of `read_row`: which, one of `admin_row`."),
        Field::new("index", 16, 16, "Queue pair, completion queue or memory region."),
        Field::reserved("spare", 32, 32),
    ],
);

/// What `conn_ack` tells.
pub const CONN_ACK: Layout = Layout::new(
    "ConnAck",
    "Ferrowarp, RFC 9293 section 3.10.7.4, design decision D4",
    "The newest acknowledgement that firmware saw before the connection was visible; it counts as if its segment came now: an \
     older one changes nothing.",
    16,
    &[
        Field::new("ack", 0, 32, "SEG.ACK: SND.UNA, and SND.WL2 with the window.").kind(Kind::SeqNum),
        Field::new("wnd", 32, 32, "Its window in octets, scale applied.").kind(Kind::ByteCount),
        Field::new("wl1", 64, 32, "SEG.SEQ: SND.WL1 with the window.").kind(Kind::SeqNum),
        Field::new("ack_now", 96, 1, "An ACK is due at once."),
        Field::reserved("spare", 97, 31),
    ],
);

/// Answer.
pub const ANSWER: Layout = Layout::new(
    "AdminAnswer",
    "Ferrowarp",
    "First 8 octets of an answer, one a command in their order; the row follows for `read_row`.",
    8,
    &[
        Field::new("status", 0, 8, "One of `admin_status`."),
        Field::new("opcode", 8, 8, "Of the command."),
        Field::new("index", 16, 16, "Of the command."),
        Field::new(
            "value",
            32,
            32,
            "Of `conn_insert`: producer index of the raw receive ring when the entry became visible. Of `read_row` of \
             `raw_tx`: consumer index of the raw transmit ring.",
        ),
    ],
);

/// Octets that follow a `CapturedError`: a Terminate with all that it can carry has 70.
pub const CAPTURED_OCTETS: usize = 72;

/// What `read_row` gives of a queue pair's captured error.
pub const CAPTURED: Layout = Layout::new(
    "CapturedError",
    "Ferrowarp, RFC 5040 section 7.1",
    "The first error of a queue pair. 72 octets follow. With `has_segment` they begin with octets of \
     the ULPDU that caused the error. A Read Request or Terminate is there as a whole, another ULPDU with its first \
     24 octets. Later octets are undefined.",
    24,
    &[
        Field::new("is_captured", 0, 1, "There was one."),
        Field::new("is_local", 1, 1, "One of our own work requests caused it."),
        Field::new("has_wr", 2, 1, "`index` counts."),
        Field::new("has_segment", 3, 1, "A DDP segment that came whole caused it; `length` counts."),
        Field::new("is_terminate", 4, 1, "That segment is the peer's Terminate."),
        Field::reserved("flags", 5, 3),
        Field::new("status", 8, 8, "One of `wc_status`."),
        Field::new("error", 16, 16, "Layer, type and code as in a Terminate."),
        Field::new("later", 32, 32, "Errors of the same queue pair that came after it."),
        Field::new("index", 64, 32, "The work request's, as in its CQE."),
        Field::reserved("spare", 96, 32),
        Field::new("length", 128, 16, "ULPDU_Length of the segment in octets."),
        Field::reserved("spare_1", 144, 48),
    ],
);

/// What transmit knows of a connection's path.
pub const PATH: Layout = Layout::new(
    "PathRow",
    "RFC 6298 section 2, RFC 5681 section 3",
    "Timer and congestion window of a connection as they are now; all zero if there is no connection.",
    16,
    &[
        Field::new("srtt", 0, 32, "SRTT in units of 10 us; 0: no round trip is known, or less than a unit."),
        Field::new("rto", 32, 32, "What the timer waits in units of 10 us, doubled by each expiry."),
        Field::new("cwnd", 64, 32, "Congestion window in octets.").kind(Kind::ByteCount),
        Field::reserved("spare", 96, 32),
    ],
);

/// Where a device-wide ring lies.
pub const RING: Layout = Layout::new(
    "Ring",
    "Ferrowarp",
    "Place and size of the event ring or of a raw ring.",
    16,
    &[
        Field::new("base", 0, 64, "First octet of slot 0."),
        Field::new("log2", 64, 8, "log2 of its slots, 0 to 16."),
        Field::new("is_valid", 72, 1, "The ring is used."),
        Field::reserved("spare", 73, 55),
    ],
);
