// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outstanding reads: which answer comes next, and how much of it in one frame.
use super::host::HostMemory;
use super::timing::MemoryTiming;
use super::{Misuse, MAX_LENGTH};
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

/// Answers are cut at multiples of this many octets of address: the read completion boundary of a
/// root complex.
const BOUNDARY: u64 = 64;
/// Most octets of the frame that says that a read failed.
const ERR_OCTETS: usize = 16;

/// One read request.
#[derive(Debug, Clone)]
struct Read {
    tag: u64,
    /// First octet not answered yet.
    next: u64,
    left: u64,
    /// First cycle of the answer.
    due: u64,
    /// Writes that came before it and must be visible to it.
    after: u64,
    /// It waits longer than others, which it does not hold up.
    is_late: bool,
}

/// One frame of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The request's tag.
    pub(crate) tag: u64,
    /// Octets in address order; arbitrary ones if `err`.
    pub(crate) data: Vec<u8>,
    /// The read failed. Only in its final frame.
    pub(crate) err: bool,
    /// The last frame of this request: its tag is free.
    pub(crate) last: bool,
}

/// The reads that are outstanding, oldest first.
#[derive(Debug, Clone)]
pub(crate) struct Reads {
    timing: MemoryTiming,
    waiting: Vec<Read>,
}

impl Reads {
    pub(crate) fn new(timing: MemoryTiming) -> Self {
        Self { timing, waiting: vec![] }
    }

    /// No credit left: nothing may be requested.
    pub(crate) fn full(&self) -> bool {
        self.waiting.len() >= self.timing.read_credits.max(1)
    }

    /// Requests without their final frame.
    pub(crate) fn outstanding(&self) -> usize {
        self.waiting.len()
    }

    /// A request came. `after` counts the writes before it, as [`super::writes::Writes::accepted`]
    /// does; `late` are nanoseconds that it waits longer than others.
    pub(crate) fn request(
        &mut self,
        cycle: u64,
        (addr, length, tag): (u64, u64, u64),
        (after, late): (u64, Option<u64>),
        rng: &mut ChaCha8Rng,
    ) -> Result<(), Misuse> {
        if length == 0 || length > MAX_LENGTH {
            return Err(Misuse::Length { what: "read", addr, length });
        }
        if self.waiting.iter().any(|r| r.tag == tag) {
            return Err(Misuse::TagInUse { tag, addr, length });
        }
        let wait = self.timing.cycles(self.timing.read_ns + rng.random_range(0..=self.timing.jitter_ns));
        let due = (cycle + wait).saturating_add(self.timing.cycles(late.unwrap_or(0)));
        self.waiting.push(Read { tag, next: addr, left: length, due, after, is_late: late.is_some() });
        Ok(())
    }

    /// The next frame, if one is due. `visible` counts the writes that the host sees.
    pub(crate) fn answer(
        &mut self,
        cycle: u64,
        visible: u64,
        host: &mut HostMemory,
        rng: &mut ChaCha8Rng,
    ) -> Option<Answer> {
        let ready = |r: &Read| r.due <= cycle && r.after <= visible;
        let chosen = if self.timing.shuffle {
            let due: Vec<_> = (0..self.waiting.len()).filter(|&i| ready(&self.waiting[i])).collect();
            *due.get(rng.random_range(0..due.len().max(1)))?
        } else {
            // in the order of the requests, whichever was due first; late ones as they are due
            let late = self.waiting.iter().position(|r| r.is_late && ready(r));
            let first = self.waiting.iter().position(|r| !r.is_late);
            late.or(first.filter(|&i| ready(&self.waiting[i])))?
        };
        let read = &mut self.waiting[chosen];
        let length = if self.timing.shuffle { cut(read, rng) } else { read.left };
        let (tag, addr) = (read.tag, read.next);
        let Some(data) = host.device_read(cycle, addr, length) else {
            self.waiting.remove(chosen);
            let mut data = vec![0; rng.random_range(1..=ERR_OCTETS)];
            rng.fill_bytes(&mut data);
            return Some(Answer { tag, data, err: true, last: true });
        };
        read.next = addr.wrapping_add(length);
        read.left -= length;
        let last = read.left == 0;
        if last {
            self.waiting.remove(chosen);
        }
        Some(Answer { tag, data, err: false, last })
    }
}

/// Octets of the next frame: in one case of two up to a boundary before the end.
fn cut(read: &Read, rng: &mut ChaCha8Rng) -> u64 {
    let first = BOUNDARY - read.next % BOUNDARY;
    if first >= read.left || rng.random() {
        return read.left;
    }
    let boundaries = (read.left - first).div_ceil(BOUNDARY);
    first + BOUNDARY * rng.random_range(0..boundaries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use std::collections::BTreeMap;

    fn setup(timing: MemoryTiming) -> (Reads, HostMemory, ChaCha8Rng) {
        let mut host = HostMemory::new();
        host.map(0x1_0000, 0x4000, false).unwrap();
        let octets: Vec<u8> = (0..0x4000).map(|i| (i % 251) as u8).collect();
        host.write(0x1_0000, &octets).unwrap();
        (Reads::new(timing), host, ChaCha8Rng::seed_from_u64(3))
    }

    /// All frames with their cycles, at most one a cycle.
    fn drain(
        reads: &mut Reads,
        host: &mut HostMemory,
        rng: &mut ChaCha8Rng,
        visible: u64,
    ) -> Vec<(u64, Answer)> {
        let frames = (0..2_000).filter_map(|c| reads.answer(c, visible, host, rng).map(|a| (c, a)));
        frames.collect()
    }

    #[test]
    fn steady_answers_come_whole_in_order_after_the_latency() {
        let (mut reads, mut host, mut rng) = setup(MemoryTiming::steady(6_400));
        for tag in 0..4 {
            reads.request(tag, (0x1_0000 + 100 * tag, 4096, tag), (0, None), &mut rng).unwrap();
        }
        let frames = drain(&mut reads, &mut host, &mut rng, 0);
        let seen: Vec<_> = frames.iter().map(|(c, a)| (*c, a.tag, a.data.len(), a.last)).collect();
        assert_eq!(seen, (0..4).map(|t| (94 + t, t, 4096, true)).collect::<Vec<_>>());
    }

    #[test]
    fn rough_answers_are_whole_per_tag_cut_at_boundaries_and_out_of_order() {
        let (mut reads, mut host, mut rng) = setup(MemoryTiming::rough(6_400));
        let want: Vec<_> = (0..8).map(|t| (0x1_0000 + 700 * t + t, 1 + 511 * t, t)).collect();
        want.iter().for_each(|&r| reads.request(0, r, (0, None), &mut rng).unwrap());
        assert!(reads.full());
        let frames = drain(&mut reads, &mut host, &mut rng, 0);
        assert!(!reads.full() && reads.outstanding() == 0);
        let mut got = BTreeMap::<u64, Vec<u8>>::new();
        let mut finals = vec![];
        for (cycle, frame) in &frames {
            assert!(*cycle >= 94 && !frame.err);
            let so_far = got.entry(frame.tag).or_default();
            so_far.extend(&frame.data);
            let end = want[frame.tag as usize].0 + so_far.len() as u64;
            assert!(frame.last || end.is_multiple_of(64), "cut at {end:x}");
            if frame.last {
                finals.push(frame.tag);
            }
        }
        for (addr, length, tag) in want {
            assert_eq!(got[&tag], host.read(addr, length).unwrap(), "tag {tag}");
        }
        assert!(frames.len() > 8, "no answer was cut");
        assert_eq!(finals.len(), 8);
        assert!(finals.windows(2).any(|w| w[0] > w[1]), "all in order: {finals:?}");
    }

    #[test]
    fn a_read_waits_for_the_writes_before_it() {
        let (mut reads, mut host, mut rng) = setup(MemoryTiming::steady(6_400));
        reads.request(0, (0x1_0000, 8, 1), (3, None), &mut rng).unwrap();
        assert_eq!(reads.answer(5_000, 2, &mut host, &mut rng), None);
        assert!(reads.answer(5_000, 3, &mut host, &mut rng).is_some());
    }

    #[test]
    fn a_read_that_is_not_mapped_fails_in_its_final_frame() {
        for timing in [MemoryTiming::steady(6_400), MemoryTiming::rough(6_400)] {
            let (mut reads, mut host, mut rng) = setup(timing);
            reads.request(0, (0x1_3fc0, 4096, 5), (0, None), &mut rng).unwrap();
            let frames = drain(&mut reads, &mut host, &mut rng, 0);
            let (_, end) = frames.last().unwrap();
            assert!(end.err && end.last && !end.data.is_empty() && reads.outstanding() == 0);
            assert!(frames.iter().rev().skip(1).all(|(_, a)| !a.err && !a.last));
            let refused = host.take_refused();
            assert_eq!((refused.len(), refused[0].write), (1, false));
        }
    }

    #[test]
    fn misuse_is_named() {
        let (mut reads, _, mut rng) = setup(MemoryTiming::steady(6_400));
        reads.request(0, (0, 1, 1), (0, None), &mut rng).unwrap();
        let text = |e: Result<(), Misuse>| e.unwrap_err().to_string();
        assert!(text(reads.request(1, (64, 8, 1), (0, None), &mut rng)).contains("tag 1, which is in use"));
        assert!(
            text(reads.request(1, (64, 0, 2), (0, None), &mut rng)).contains("a read of 0 octets at 0x40")
        );
        assert!(text(reads.request(1, (64, 4097, 2), (0, None), &mut rng)).contains("4097 octets"));
    }
}
