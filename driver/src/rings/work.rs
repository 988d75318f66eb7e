// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rings that the driver fills: send and receive work requests. Nothing here allocates. A request
//! takes one block of its ring, or two, of which the second one may be block 0. The words of a
//! block become visible in any order; the doorbell behind them says that they are there.
#[cfg(test)]
mod tests;

use super::{BadEntry, Slots};
use crate::backend::Backend;
use crate::dma::{put, RingWords};
use crate::error::Error;
use ferrowarp_abi::codec::{RecvWqe, SendWqe, Sge};
use ferrowarp_abi::consts::doorbell_kind;
use ferrowarp_abi::host::work::{RECV_BLOCK, RECV_BLOCKS, SEND_BLOCK, SEND_BLOCKS};
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use std::borrow::Borrow;
use std::sync::atomic::AtomicU64;
use std::sync::Arc;
use std::time::Instant;

/// Octets of a send request of two blocks.
const SEND_MOST: usize = SEND_BLOCK * SEND_BLOCKS;
const SEND_WORDS: usize = SEND_BLOCK / 8;
const RECV_WORDS: usize = RECV_BLOCK / 8;
/// Most gathers of a send request.
pub const SEND_SEGMENTS: usize = 4;
/// Most scatters of a receive.
pub const RECEIVE_SEGMENTS: usize = (RECV_BLOCK * RECV_BLOCKS - RecvWqe::LEN) / Sge::LEN;
/// Most octets in a send request itself.
pub const INLINE_MOST: usize = SEND_MOST - SendWqe::LEN;
/// Most gathers of a send request of one block.
const ONE_SEND_SEGMENTS: usize = (SEND_BLOCK - SendWqe::LEN) / Sge::LEN;
/// Most scatters of a receive of one block.
const ONE_RECEIVE_SEGMENTS: usize = (RECV_BLOCK - RecvWqe::LEN) / Sge::LEN;
/// Most octets in a send request of one block.
const ONE_INLINE: usize = SEND_BLOCK - SendWqe::LEN;

/// What a message is made of; `S` has a gather in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payload<'a, S = Sge> {
    /// Gathers, or the sink of a Read.
    Segments(&'a [S]),
    /// The octets themselves, which go into the request.
    Inline(&'a [u8]),
}

/// What a request of the send queue says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendRequest<'a, S = Sge> {
    /// RDMAP opcode or one of `work_opcode`.
    pub opcode: u8,
    /// A completion is wanted.
    pub is_signaled: bool,
    /// It begins behind all Reads that were posted before.
    pub is_fenced: bool,
    /// The peer's buffer, or what a Send invalidates.
    pub remote_stag: STag,
    /// Where in it.
    pub remote_to: TaggedOffset,
    /// What goes.
    pub payload: Payload<'a, S>,
}

impl<S> Default for SendRequest<'_, S> {
    /// A Write of nothing, without a completion.
    fn default() -> Self {
        let payload = Payload::Segments(&[]);
        let (remote_stag, remote_to) = Default::default();
        Self { opcode: 0, is_signaled: false, is_fenced: false, remote_stag, remote_to, payload }
    }
}

impl<S: Borrow<Sge>> SendRequest<'_, S> {
    /// The octets of two blocks, whether the request takes both or not.
    pub fn octets(&self) -> Result<[u8; SEND_MOST], Error> {
        let mut octets = [0; SEND_MOST];
        self.encode(SEND_BLOCKS as u8, |at, word| {
            if let Some(place) = octets.as_chunks_mut().0.get_mut(at) {
                *place = word.to_ne_bytes();
            }
        })?;
        Ok(octets)
    }

    /// Whether one block has it whole.
    #[inline(always)]
    fn takes_one(&self) -> bool {
        match self.payload {
            Payload::Segments(segments) => segments.len() <= ONE_SEND_SEGMENTS,
            Payload::Inline(octets) => octets.len() <= ONE_INLINE,
        }
    }

    /// Gives the words that count to `put`, each with its place from the first block on, the head's
    /// last. With an error not all were given, and the head not at all.
    #[inline(always)]
    fn encode(&self, blocks: u8, mut put: impl FnMut(usize, u64)) -> Result<(), Error> {
        let (total, num_sge) = match self.payload {
            Payload::Segments(segments) => {
                let given = segments.len();
                if given > SEND_SEGMENTS {
                    return Err(Error::Segments { queue: "send", given, most: SEND_SEGMENTS });
                }
                (put_segments(SendWqe::LEN / 8, segments, &mut put)?, given as u8)
            }
            Payload::Inline(octets) => {
                if octets.len() > INLINE_MOST {
                    return Err(Error::Inline { octets: octets.len(), most: INLINE_MOST });
                }
                for (nth, octets) in octets.chunks(8).enumerate() {
                    let mut word = [0; 8];
                    word[..octets.len()].copy_from_slice(octets);
                    put(SendWqe::LEN / 8 + nth, u64::from_ne_bytes(word));
                }
                (octets.len() as u64, 0)
            }
        };
        let head = SendWqe {
            opcode: self.opcode,
            is_signaled: self.is_signaled,
            is_inline: matches!(self.payload, Payload::Inline(_)),
            is_fenced: self.is_fenced,
            num_sge,
            blocks,
            length: ByteCount(u32::try_from(total).map_err(|_| Error::Long(total))?),
            remote_stag: self.remote_stag,
            remote_to: self.remote_to,
            ..Default::default()
        };
        put_words(0, &head.octets().map_err(|e| unfit("send", e))?, &mut put);
        Ok(())
    }
}

#[inline(always)]
fn put_words(at: usize, octets: &[u8], put: &mut impl FnMut(usize, u64)) {
    for (nth, word) in octets.as_chunks().0.iter().enumerate() {
        put(at + nth, u64::from_ne_bytes(*word));
    }
}

/// Gives the words of gathers or scatters to `put`, from place `at` on: the sum of their octets.
#[inline(always)]
fn put_segments<S: Borrow<Sge>>(
    mut at: usize,
    segments: &[S],
    put: &mut impl FnMut(usize, u64),
) -> Result<u64, Error> {
    let mut total = 0;
    for segment in segments {
        let segment = segment.borrow();
        put_words(at, &segment.octets().map_err(|e| unfit("segment", e))?, put);
        at += Sge::LEN / 8;
        total += u64::from(segment.length.0);
    }
    Ok(total)
}

/// Gives the words of a receive to `put`, the head's last.
#[inline(always)]
fn put_receive<S: Borrow<Sge>>(
    blocks: u8,
    segments: &[S],
    mut put: impl FnMut(usize, u64),
) -> Result<(), Error> {
    let head = RecvWqe { num_sge: segments.len() as u8, blocks, ..Default::default() };
    put_segments(RecvWqe::LEN / 8, segments, &mut put)?;
    put_words(0, &head.octets().map_err(|e| unfit("receive", e))?, &mut put);
    Ok(())
}

#[cold]
fn unfit(ring: &'static str, why: impl ToString) -> Error {
    Error::Entry(BadEntry { ring, index: 0, why: why.to_string() })
}

/// Stores a word of a request of two blocks.
#[inline(always)]
fn put_either<const N: usize>([first, second]: [&[AtomicU64; N]; 2], at: usize, word: u64) {
    match at.checked_sub(N) {
        None => put(first, at, word),
        Some(at) => put(second, at, word),
    }
}

/// The blocks of a send queue. Who uses it counts how many are free.
#[derive(Debug)]
pub struct SendRing(Slots, RingWords<SEND_WORDS>);

impl SendRing {
    /// `2^log2` blocks of queue pair `qp`.
    pub fn new(backend: &Arc<dyn Backend>, qp: u16, log2: u8) -> Result<Self, Error> {
        let slots = Slots::new(backend, (log2, SEND_BLOCK), false, (doorbell_kind::SQ, qp))?;
        let words = slots.words()?;
        Ok(Self(slots, words))
    }

    /// The device did not say that it is through with the ring: its memory stays until the device
    /// is closed.
    pub(crate) fn keep(&mut self) {
        self.0.keep();
    }

    /// The queue of the ring ends, and waits until then for all that is to be done.
    pub(crate) fn ends_by(&mut self, until: Instant) {
        self.0.ends_by(until);
    }

    /// First octet of block 0, and log2 of the blocks.
    pub fn place(&self) -> (u64, u8) {
        (self.0.base(), self.0.log2())
    }

    /// Index of the next request's first block, by which its completion names it.
    #[inline(always)]
    pub fn index(&self) -> u32 {
        self.0.index()
    }

    /// Writes a request into the next blocks; [`SendRing::ring`] tells of it. Octets of the blocks
    /// that do not count keep what they were.
    #[inline(always)]
    pub fn put<S: Borrow<Sge>>(&mut self, request: &SendRequest<'_, S>) -> Result<(), Error> {
        if !request.takes_one() {
            return self.put_two(request);
        }
        let block = self.1.slot(self.0.index());
        request.encode(1, |at, word| put(block, at, word))?;
        self.0.step();
        Ok(())
    }

    /// The same for a request of two blocks, or one that is too long for them.
    #[cold]
    #[inline(never)]
    fn put_two<S: Borrow<Sge>>(&mut self, request: &SendRequest<'_, S>) -> Result<(), Error> {
        let blocks = self.1.two(self.0.index());
        request.encode(2, |at, word| put_either(blocks, at, word))?;
        self.0.step_by(2);
        Ok(())
    }

    /// Tells the device of all requests so far.
    #[inline(always)]
    pub fn ring(&self) -> Result<(), Error> {
        self.0.ring()
    }
}

/// The blocks of a receive queue.
#[derive(Debug)]
pub struct ReceiveRing(Slots, RingWords<RECV_WORDS>);

impl ReceiveRing {
    /// `2^log2` blocks of queue pair `qp`.
    pub fn new(backend: &Arc<dyn Backend>, qp: u16, log2: u8) -> Result<Self, Error> {
        let slots = Slots::new(backend, (log2, RECV_BLOCK), false, (doorbell_kind::RQ, qp))?;
        let words = slots.words()?;
        Ok(Self(slots, words))
    }

    /// The device did not say that it is through with the ring: its memory stays until the device
    /// is closed.
    pub(crate) fn keep(&mut self) {
        self.0.keep();
    }

    /// The queue of the ring ends, and waits until then for all that is to be done.
    pub(crate) fn ends_by(&mut self, until: Instant) {
        self.0.ends_by(until);
    }

    /// First octet of block 0, and log2 of the blocks.
    pub fn place(&self) -> (u64, u8) {
        (self.0.base(), self.0.log2())
    }

    /// Index of the next request's first block, by which its completion names it.
    #[inline(always)]
    pub fn index(&self) -> u32 {
        self.0.index()
    }

    /// Writes a receive into the next blocks; [`ReceiveRing::ring`] tells of it.
    #[inline(always)]
    pub fn put<S: Borrow<Sge>>(&mut self, segments: &[S]) -> Result<(), Error> {
        if segments.len() > ONE_RECEIVE_SEGMENTS {
            return self.put_two(segments);
        }
        let block = self.1.slot(self.0.index());
        put_receive(1, segments, |at, word| put(block, at, word))?;
        self.0.step();
        Ok(())
    }

    /// The same for a receive of two blocks, or one that is too long for them.
    #[cold]
    #[inline(never)]
    fn put_two<S: Borrow<Sge>>(&mut self, segments: &[S]) -> Result<(), Error> {
        let given = segments.len();
        if given > RECEIVE_SEGMENTS {
            return Err(Error::Segments { queue: "receive", given, most: RECEIVE_SEGMENTS });
        }
        let blocks = self.1.two(self.0.index());
        put_receive(2, segments, |at, word| put_either(blocks, at, word))?;
        self.0.step_by(2);
        Ok(())
    }

    /// Tells the device of all receives so far; again, if it forgot the index as the row was
    /// written anew.
    #[inline(always)]
    pub fn ring(&self) -> Result<(), Error> {
        self.0.ring()
    }
}
