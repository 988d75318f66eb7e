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
/// A startup frame of the peer, and how it is carried.
pub(super) const SAID: &[(&str, Reads)] = &[
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
    ("pieces", Text),
    ("times", Number),
    ("hold", Text),
];
/// Fields of a segment (RFC 9293 section 3.1). `seq` and `ack` count from the number of the SYN.
pub(super) const SEGMENT: &[(&str, Reads)] = &[
    ("seq", Number),
    ("ack", Number),
    ("win", Number),
    ("mss", Number),
    ("scale", Number),
    ("data", Bytes),
    ("octets", Number),
];
/// The same, and how long the step waits.
pub(super) const SEEN: &[(&str, Reads)] = &[
    ("seq", Number),
    ("ack", Number),
    ("win", Number),
    ("mss", Number),
    ("scale", Number),
    ("data", Bytes),
    ("octets", Number),
    ("within", Time),
];
/// The same of the peer's, with what is odd.
pub(super) const SENT: &[(&str, Reads)] = &[
    ("seq", Number),
    ("ack", Number),
    ("win", Number),
    ("mss", Number),
    ("scale", Number),
    ("data", Bytes),
    ("opt", Bytes),
    ("urg", Number),
    ("rsvd", Number),
];
/// What an application asks of a connection.
pub(super) const OPTIONS: &[(&str, Reads)] = &[("ird", Text), ("ord", Text), ("data", Bytes), ("rtr", Text)];
/// What carries octets: how the segments are cut and kept.
pub(super) const CARRIED: &[(&str, Reads)] = &[("pieces", Text), ("times", Number), ("hold", Text)];
/// The same of an FPDU, whose ULPDU_Length may be another than the ULPDU's.
pub(super) const FPDU: &[(&str, Reads)] = &[
    ("pieces", Text),
    ("times", Number),
    ("hold", Text),
    ("length", Number),
    ("crc", Bytes),
    ("marker", Bytes),
    ("flip", Number),
];
