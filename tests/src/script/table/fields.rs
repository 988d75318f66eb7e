// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fields of statements: names, and how their values are read.
use super::reads::Reads::{self, Number, Octets as Bytes, Text, Time};

/// Fields of a startup frame (RFC 5044 section 7.1.1, RFC 6581 section 6).
pub(super) const STARTUP: &[(&str, Reads)] = &[
    ("key", Bytes),
    ("m", Number),
    ("c", Number),
    ("r", Number),
    ("s", Number),
    ("res", Number),
    ("rev", Number),
    ("length", Number),
    ("a", Number),
    ("ird", Number),
    ("b", Number),
    ("cw", Number),
    ("dr", Number),
    ("ord", Number),
    ("data", Bytes),
];
/// Fields of a segment (RFC 9293 section 3.1). `seq` and `ack` count from the number of the SYN.
pub(super) const SEGMENT: &[(&str, Reads)] =
    &[("seq", Number), ("ack", Number), ("win", Number), ("mss", Number), ("scale", Number), ("data", Bytes)];
/// How many octets a segment of the device has.
pub(super) const COUNTED: &[(&str, Reads)] = &[("octets", Number)];
/// The same, and how long the step waits for the segment.
pub(super) const AWAITED: &[(&str, Reads)] = &[("octets", Number), ("within", Time)];
/// What a well-behaved header has not.
pub(super) const ODD: &[(&str, Reads)] = &[("opt", Bytes), ("urg", Number), ("rsvd", Number)];
/// How long a step waits.
pub(super) const WAITS: &[(&str, Reads)] = &[("within", Time)];
/// What an application asks of a connection.
pub(super) const OPTIONS: &[(&str, Reads)] = &[("ird", Text), ("ord", Text), ("data", Bytes), ("rtr", Text)];
/// What carries octets: how the segments are cut and kept.
pub(super) const CARRIED: &[(&str, Reads)] = &[("pieces", Text), ("times", Number), ("hold", Text)];
/// What of an FPDU is other than its ULPDU makes it.
pub(super) const FPDU: &[(&str, Reads)] =
    &[("length", Number), ("crc", Bytes), ("marker", Bytes), ("flip", Number)];
