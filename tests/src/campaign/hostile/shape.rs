// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run of F3-grammar is made of.

/// Streams of a run, each on a connection of its own.
pub const STREAMS: usize = 6;
/// FPDUs of a stream at most.
pub const UNITS: usize = 24;

/// A cell: cycles between two frames of the peer at most, frames of junk for each segment, one of
/// so many fields overridden.
pub const CELLS: [(u64, u32, u32); 6] =
    [(400, 1, 12), (60, 4, 12), (24, 8, 12), (400, 1, 60), (60, 4, 60), (24, 8, 60)];

/// The stream that the FPDU of a place belongs to.
pub fn stream_of(place: usize) -> usize {
    place / UNITS % STREAMS
}
