// SPDX-License-Identifier: MIT OR Apache-2.0
//! DDP segments of the peer, from plain octets.

/// First octets: the last segment of a tagged and of an untagged message, version 1.
pub const TAGGED: u8 = 0xC1;
/// See [`TAGGED`].
pub const UNTAGGED: u8 = 0x41;

/// A segment with the 14 octets of a tagged header; `control` is RDMAP's octet.
pub fn tagged(first: u8, control: u8, stag: u32, to: u64, payload: &[u8]) -> Vec<u8> {
    [&[first, control][..], &stag.to_be_bytes(), &to.to_be_bytes(), payload].concat()
}

/// A last segment with the 18 octets of an untagged header, message offset 0; `names` is the STag
/// that it invalidates.
pub fn untagged(control: u8, names: u32, queue: u32, msn: u32, payload: &[u8]) -> Vec<u8> {
    let words = [names, queue, msn, 0].map(u32::to_be_bytes).concat();
    [&[UNTAGGED, control][..], &words, payload].concat()
}

/// A Read Request: sink, octets, source.
pub fn read_request(msn: u32, sink: (u32, u64), octets: u32, source: (u32, u64)) -> Vec<u8> {
    let (sink_stag, sink_to) = (sink.0.to_be_bytes(), sink.1.to_be_bytes());
    let (source_stag, source_to) = (source.0.to_be_bytes(), source.1.to_be_bytes());
    let body = [&sink_stag[..], &sink_to, &octets.to_be_bytes(), &source_stag, &source_to].concat();
    untagged(0x41, 0, 1, msn, &body)
}

/// Puts a word of 32 bits at `at`.
pub fn with_word(mut segment: Vec<u8>, at: usize, word: u32) -> Vec<u8> {
    segment[at..at + 4].copy_from_slice(&word.to_be_bytes());
    segment
}

/// Puts an octet at `at`.
pub fn with_octet(mut segment: Vec<u8>, at: usize, octet: u8) -> Vec<u8> {
    segment[at] = octet;
    segment
}
