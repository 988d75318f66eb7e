// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames into and out of a block in Rust-HDL's own simulator, for the unit tests of this folder.
use super::{Beat, StreamSink, StreamSource};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// A frame and its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub data: Vec<u8>,
    pub err: bool,
}

/// A frame of `octets` random octets.
pub(super) fn random_frame(rng: &mut ChaCha8Rng, octets: usize, err: bool) -> Frame {
    Frame { data: (0..octets).map(|_| rng.random()).collect(), err }
}

/// Puts both clock edges through `block`, whose inputs are set and settled.
pub(super) fn tick<B: Block>(block: &mut B, clock: impl Fn(&mut B, Clock)) {
    for level in [true, false] {
        clock(block, level.into());
        assert!(simulate(block, 50), "the block does not settle");
    }
}

/// Offers frames to a sink port; `idle` of 100 cycles without an offer.
pub(super) struct Feed<const W: usize, const K: usize> {
    beats: VecDeque<Beat<W, K>>,
    idle: u32,
    offering: bool,
}

impl<const W: usize, const K: usize> Feed<W, K> {
    pub fn new(frames: &[Frame], idle: u32) -> Self {
        let beats = frames.iter().flat_map(|f| {
            let count = f.data.len().div_ceil(W / 8);
            f.data.chunks(W / 8).enumerate().map(move |(i, octets)| {
                let place =
                    |d: Bits<W>, (j, o): (usize, &u8)| d | (Bits::<W>::from(u64::from(*o)) << (8 * j as u64));
                let last = i + 1 == count;
                Beat {
                    data: octets.iter().enumerate().fold(Bits::default(), place),
                    bytes: (octets.len() as u64).into(),
                    last,
                    err: last && f.err,
                }
            })
        });
        Self { beats: beats.collect(), idle, offering: false }
    }

    pub fn done(&self) -> bool {
        self.beats.is_empty()
    }

    /// Sets the inputs of a cycle. An offer stays until it is taken.
    pub fn drive(&mut self, port: &mut StreamSink<W, K>, rng: &mut ChaCha8Rng) {
        self.offering |= !self.beats.is_empty() && rng.random_range(0..100) >= self.idle;
        port.valid.next = self.offering;
        if let (true, Some(beat)) = (self.offering, self.beats.front()) {
            port.data.next = beat.data;
            port.bytes.next = beat.bytes;
            port.last.next = beat.last;
            port.err.next = beat.err;
        }
    }

    /// Sees before the clock edge whether the offer was taken.
    pub fn note(&mut self, port: &StreamSink<W, K>) {
        if self.offering && port.ready.val() {
            self.beats.pop_front();
            self.offering = false;
        }
    }
}

/// Takes frames from a source port; `stall` of 100 cycles not ready.
#[derive(Default)]
pub(super) struct Drain {
    pub frames: Vec<Frame>,
    /// Beats taken.
    pub beats: usize,
    stall: u32,
    part: Vec<u8>,
}

impl Drain {
    pub fn new(stall: u32) -> Self {
        Self { stall, ..Default::default() }
    }

    pub fn drive<const W: usize, const K: usize>(&self, port: &mut StreamSource<W, K>, rng: &mut ChaCha8Rng) {
        port.ready.next = rng.random_range(0..100) >= self.stall;
    }

    /// Takes what is transferred in this cycle.
    pub fn note<const W: usize, const K: usize>(&mut self, port: &StreamSource<W, K>) {
        if !(port.valid.val() && port.ready.val()) {
            return;
        }
        self.beats += 1;
        let bytes = port.bytes.val().to_u64() as usize;
        assert!(bytes == W / 8 || (port.last.val() && bytes > 0), "{bytes} octets in a beat");
        assert!(port.last.val() || !port.err.val(), "err without last");
        let octet = |i: usize| port.data.val().get_bits::<8>(8 * i).to_u64() as u8;
        self.part.extend((0..bytes).map(octet));
        if port.last.val() {
            self.frames.push(Frame { data: std::mem::take(&mut self.part), err: port.err.val() });
        }
    }
}
