// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of FPDUs, cut into segments, interleaved over connections, with strays among them.
use crate::mpa_model::fpdu;
use rand::Rng;
use std::collections::VecDeque;

/// Octets of one direction of a connection, and what must come out of them.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Connection.
    pub conn: u64,
    /// SeqStart.
    pub seq_start: u32,
    /// Markers are in the stream.
    pub markers: bool,
    /// The CRC is generated and checked.
    pub crc: bool,
    /// The octets.
    pub octets: Vec<u8>,
    /// ULPDUs in order, each with the sequence number after its FPDU.
    pub expected: Vec<(Vec<u8>, u32)>,
    /// The verdict that ends the connection's receive side, if one must.
    pub fault: Option<u64>,
}

impl Stream {
    /// An empty stream.
    pub fn new(conn: u64, seq_start: u32, markers: bool, crc: bool) -> Self {
        Self { conn, seq_start, markers, crc, octets: vec![], expected: vec![], fault: None }
    }

    /// Appends the FPDU of `ulpdu`, which must come out.
    pub fn push(&mut self, ulpdu: &[u8]) {
        let wire = fpdu(ulpdu, self.octets.len() as u64, self.markers, self.crc);
        self.octets.extend(wire);
        self.expected.push((ulpdu.to_vec(), self.end_seq()));
    }

    /// Appends octets that are the FPDU of `ulpdu` as somebody else wrote it; it must come out.
    pub fn push_raw(&mut self, wire: &[u8], ulpdu: &[u8]) {
        self.octets.extend_from_slice(wire);
        self.expected.push((ulpdu.to_vec(), self.end_seq()));
    }

    /// Appends one FPDU of zeros so that the next one begins at stream offset `to`, below 512.
    pub fn fill_to(&mut self, to: usize) {
        let marker = if self.markers && self.octets.is_empty() { 4 } else { 0 };
        let ulpdu = to - self.octets.len() - marker - 6;
        self.push(&vec![0; ulpdu]);
        assert_eq!(self.octets.len(), to, "no FPDU ends at {to}");
    }

    /// Appends octets that must give `verdict` and nothing else, whatever follows them: an FPDU
    /// whose CRC or marker is wrong, all that ever comes of one, or the beginning of one whose
    /// length is.
    pub fn push_fault(&mut self, octets: &[u8], verdict: u64) {
        self.octets.extend_from_slice(octets);
        self.fault = Some(verdict);
    }

    /// Sequence number of the octet after the last one.
    pub fn end_seq(&self) -> u32 {
        self.seq_start.wrapping_add(self.octets.len() as u32)
    }
}

/// A piece of a stream, or a stray.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Index of its stream.
    pub stream: usize,
    /// Offset of its first octet in the stream; a stray's may be anything, modulo 2^32.
    pub offset: usize,
    /// Its octets.
    pub octets: Vec<u8>,
    /// The stream ends with it.
    pub end: bool,
    /// Its frame ends with `err`.
    pub err: bool,
    /// It does not begin with the octet that is due.
    pub stray: bool,
}

impl Segment {
    /// The octets of a stream from `offset` on.
    pub fn new(stream: usize, offset: usize, octets: &[u8]) -> Self {
        Self { stream, offset, octets: octets.to_vec(), end: false, err: false, stray: false }
    }
}

/// Cuts each stream by `cut` (given what is left, how many octets the next segment takes) and
/// interleaves the segments of all streams at random.
pub fn segments<R: Rng>(
    streams: &[Stream],
    rng: &mut R,
    mut cut: impl FnMut(&mut R, &Stream, usize) -> usize,
) -> Vec<Segment> {
    let mut queues: Vec<VecDeque<Segment>> = vec![];
    for (stream, s) in streams.iter().enumerate() {
        let mut queue = VecDeque::new();
        let mut offset = 0;
        while offset < s.octets.len() {
            let n = cut(rng, s, offset).clamp(1, s.octets.len() - offset);
            queue.push_back(Segment::new(stream, offset, &s.octets[offset..offset + n]));
            offset += n;
        }
        queues.push(queue);
    }
    let mut out = vec![];
    while queues.iter().any(|q| !q.is_empty()) {
        let i = rng.random_range(0..queues.len());
        out.extend(queues[i].pop_front());
    }
    out
}

/// Whole segments of at most `most` octets each, stream after stream.
pub fn cut_every(streams: &[Stream], most: usize) -> Vec<Segment> {
    let mut out = vec![];
    for (stream, s) in streams.iter().enumerate() {
        for (i, octets) in s.octets.chunks(most).enumerate() {
            out.push(Segment::new(stream, i * most, octets));
        }
    }
    out
}

/// Segments that follow the FPDUs of one stream: `group` whole FPDUs each.
pub fn cut_at_fpdus(stream: &Stream, group: usize) -> Vec<Segment> {
    let mut offset = 0;
    let mut out = vec![];
    for last in stream.expected.chunks(group).filter_map(|g| g.last()) {
        let end = last.1.wrapping_sub(stream.seq_start) as usize;
        out.push(Segment::new(0, offset, &stream.octets[offset..end]));
        offset = end;
    }
    out
}

/// Marks the last segment of each stream as the stream's end.
pub fn end_streams(segments: &mut [Segment], streams: usize) {
    for stream in 0..streams {
        if let Some(last) = segments.iter_mut().rev().find(|s| s.stream == stream) {
            last.end = true;
        }
    }
}

/// Puts some segments among the others that change nothing: empty ones that are due, and strays
/// with octets of the past, of the future, that never were, or none.
pub fn add_idle<R: Rng>(segments: &mut Vec<Segment>, streams: &[Stream], rng: &mut R, count: usize) {
    for _ in 0..count {
        let at = rng.random_range(0..=segments.len());
        let stream = rng.random_range(0..streams.len());
        let octets = &streams[stream].octets;
        let before = segments[..at].iter().rev().find(|s| s.stream == stream && !s.stray);
        let due = before.map_or(0, |s| s.offset + s.octets.len());
        let offset = match rng.random_range(0..5) {
            0 => due,
            1 => due + (1 << rng.random_range(0..32)),
            2 => due.wrapping_sub(rng.random_range(1..9)),
            3 => due + rng.random_range(1..9),
            _ => rng.random_range(0..=octets.len()),
        };
        let length = rng.random_range(0..=200);
        let sent: Vec<u8> = match octets.get(offset..) {
            Some(rest) => rest[..length.min(rest.len())].to_vec(),
            None => (0..length).map(|_| rng.random()).collect(),
        };
        let idle = if offset == due {
            Segment::new(stream, due, &[])
        } else {
            let (end, err) = (rng.random_range(0..4) == 0, rng.random_range(0..4) == 0);
            Segment { end, err, stray: true, ..Segment::new(stream, offset, &sent) }
        };
        segments.insert(at, idle);
    }
}
