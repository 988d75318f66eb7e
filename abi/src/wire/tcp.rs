// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP and the options that appear here. The options end-of-list and no-operation are one octet,
//! their kind.
use crate::table::{Field, Kind, Layout};

/// TCP header without options.
pub const TCP: Layout = Layout::new(
    "TcpHdr",
    "RFC 9293 section 3.1",
    "The 20 octets that every TCP header has; options, if `data_offset` > 5, follow.",
    20,
    &[
        Field::new("source_port", 0, 16, "Sender's port."),
        Field::new("destination_port", 16, 16, "Receiver's port."),
        Field::new("sequence_number", 32, 32, "Of the first octet of data, or of SYN.").kind(Kind::SeqNum),
        Field::new("acknowledgment_number", 64, 32, "Next octet expected, if `ack`.").kind(Kind::SeqNum),
        Field::new("data_offset", 96, 4, "Header length in units of 4 octets, at least 5.").reset(5),
        Field::reserved("reserved", 100, 4),
        Field::new("cwr", 104, 1, "Congestion window reduced."),
        Field::new("ece", 105, 1, "ECN echo."),
        Field::new("urg", 106, 1, "`urgent_pointer` counts."),
        Field::new("ack", 107, 1, "`acknowledgment_number` counts."),
        Field::new("psh", 108, 1, "Push."),
        Field::new("rst", 109, 1, "Reset the connection."),
        Field::new("syn", 110, 1, "Synchronise sequence numbers."),
        Field::new("fin", 111, 1, "No more data from the sender."),
        Field::new("window", 112, 16, "Octets that may follow the acknowledged ones, before scaling."),
        Field::new("checksum", 128, 16, "Internet checksum of pseudo header, header and data."),
        Field::new("urgent_pointer", 144, 16, "End of urgent data, if `urg`."),
    ],
);

/// Kind and length of any option that has a length.
pub const OPTION_HEAD: Layout = Layout::new(
    "TcpOptHead",
    "RFC 9293 section 3.1",
    "First two octets of every option but end-of-list and no-operation; SACK blocks follow it.",
    2,
    &[
        Field::new("kind", 0, 8, "A constant of `tcp_option`."),
        Field::new("length", 8, 8, "Octets of the whole option, these two included.").reset(2),
    ],
);

/// Maximum segment size option.
pub const OPTION_MSS: Layout = Layout::new(
    "TcpOptMss",
    "RFC 9293 section 3.2",
    "Maximum segment size; only in a SYN.",
    4,
    &[
        Field::new("kind", 0, 8, "2.").reset(2),
        Field::new("length", 8, 8, "4.").reset(4),
        Field::new("mss", 16, 16, "Largest segment data, in octets, that the sender takes."),
    ],
)
.begins_with(&OPTION_HEAD);

/// Window scale option.
pub const OPTION_WINDOW_SCALE: Layout = Layout::new(
    "TcpOptWindowScale",
    "RFC 7323 section 2.2",
    "Window scale; only in a SYN.",
    3,
    &[
        Field::new("kind", 0, 8, "3.").reset(3),
        Field::new("length", 8, 8, "3.").reset(3),
        Field::new("shift", 16, 8, "Left shift of the sender's later windows; above 14 counts as 14."),
    ],
)
.begins_with(&OPTION_HEAD);

/// SACK permitted option.
pub const OPTION_SACK_PERMITTED: Layout = Layout::new(
    "TcpOptSackPermitted",
    "RFC 2018 section 2",
    "The sender takes SACK options; only in a SYN.",
    2,
    &[Field::new("kind", 0, 8, "4.").reset(4), Field::new("length", 8, 8, "2.").reset(2)],
)
.begins_with(&OPTION_HEAD);

/// One block of a SACK option.
pub const SACK_BLOCK: Layout = Layout::new(
    "TcpSackBlock",
    "RFC 2018 section 3",
    "One block of received octets; up to four follow the head of a SACK option.",
    8,
    &[
        Field::new("left_edge", 0, 32, "First octet of the block.").kind(Kind::SeqNum),
        Field::new("right_edge", 32, 32, "First octet after the block.").kind(Kind::SeqNum),
    ],
);

/// Timestamps option.
pub const OPTION_TIMESTAMPS: Layout = Layout::new(
    "TcpOptTimestamps",
    "RFC 7323 section 3.2",
    "Timestamps.",
    10,
    &[
        Field::new("kind", 0, 8, "8.").reset(8),
        Field::new("length", 8, 8, "10.").reset(10),
        Field::new("ts_value", 16, 32, "TSval: the sender's clock."),
        Field::new("ts_echo", 48, 32, "TSecr: the receiver's clock as last seen, if ACK is set."),
    ],
)
.begins_with(&OPTION_HEAD);
