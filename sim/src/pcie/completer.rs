// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads of host memory: which completion comes next, and how much of the read it holds.
use super::tlp::{Completion, Request, Status};
use super::RcConfig;
use crate::bench::agent::NEVER;
use crate::memory::HostMemory;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

/// What a root complex does wrong, or a completer that is in trouble does right, to one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misdeed {
    /// Ends it with this status and no data.
    Status(Status),
    /// Poisons the first completion.
    Poison,
    /// Adds this to the byte count of the first completion, and sends no other.
    Count(i32),
    /// Turns bits of the lower address of the first completion, and sends no other.
    Lower(u8),
    /// Turns bits of the tag of the first completion, and sends no other.
    Tag(u8),
    /// Turns bits of the requester id of the first completion, and sends no other.
    Requester(u16),
    /// Successful, but without data.
    NoData,
    /// A first completion of one dword, which does not end at a boundary, and no other.
    Cut,
    /// The first completion has a dword less than its header says, and is the only one.
    Short,
    /// Never answers. For so many cycles the read is outstanding all the same: its tag may not be
    /// used again, and has its credit.
    Silent(u64),
    /// Answers so many cycles later than it would have.
    Late(u64),
    /// Sends the first completion twice.
    Twice,
}

/// One read request.
#[derive(Debug, Clone)]
struct Read {
    requester: u16,
    tag: u8,
    /// First octet not answered yet.
    next: u64,
    left: u64,
    /// First cycle of the answer.
    due: u64,
    /// Writes that came before it and must be visible to it (a read pushes writes, 2.4.1).
    after: u64,
    misdeed: Option<Misdeed>,
}

/// The reads that are outstanding, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Completer {
    waiting: Vec<Read>,
    /// Those that no answer comes for: tag, and the first cycle in which it may be used again.
    silent: Vec<(u8, u64)>,
}

impl Completer {
    /// Requests without their last completion.
    pub(crate) fn outstanding(&self) -> usize {
        self.waiting.len() + self.silent.len()
    }

    /// Whether a request with this tag is outstanding.
    pub(crate) fn uses(&self, tag: u8) -> bool {
        self.waiting.iter().any(|r| r.tag == tag) || self.silent.iter().any(|s| s.0 == tag)
    }

    /// First cycle in which an answer is due or a tag is free again; `visible` counts the writes
    /// that the host sees.
    pub(crate) fn wakes(&self, visible: u64) -> u64 {
        let answers = self.waiting.iter().filter(|r| r.after <= visible).map(|r| r.due);
        answers.chain(self.silent.iter().map(|s| s.1)).min().unwrap_or(NEVER)
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
        self.silent.clear();
    }

    /// Forgets the reads without an answer whose time is over. Once a cycle.
    pub(crate) fn settle(&mut self, cycle: u64) {
        self.silent.retain(|s| s.1 > cycle);
    }

    /// A request came in `cycle`, behind `after` writes.
    pub(crate) fn request(
        &mut self,
        request: &Request,
        misdeed: Option<Misdeed>,
        (cycle, after): (u64, u64),
        config: &RcConfig,
        rng: &mut ChaCha8Rng,
    ) {
        if let Some(Misdeed::Silent(cycles)) = misdeed {
            self.silent.push((request.tag, cycle + cycles));
            return;
        }
        let timing = &config.timing;
        let mut due = cycle + timing.cycles(timing.read_ns + rng.random_range(0..=timing.jitter_ns));
        if let Some(Misdeed::Late(cycles)) = misdeed {
            due += cycles;
        }
        let (next, left) = request.span();
        let (requester, tag) = (request.requester, request.tag);
        self.waiting.push(Read { requester, tag, next, left, due, after, misdeed });
    }

    /// The octets of the next completion's TLP, if one is due. `visible` counts the writes that the
    /// host sees.
    pub(crate) fn answer(
        &mut self,
        (cycle, visible): (u64, u64),
        host: &mut HostMemory,
        config: &RcConfig,
        rng: &mut ChaCha8Rng,
    ) -> Option<Vec<Vec<u8>>> {
        let ready = |r: &Read| r.due <= cycle && r.after <= visible;
        let late = |r: &Read| matches!(r.misdeed, Some(Misdeed::Late(_)));
        let chosen = if config.timing.shuffle {
            let due: Vec<_> = (0..self.waiting.len()).filter(|&i| ready(&self.waiting[i])).collect();
            *due.get(rng.random_range(0..due.len().max(1)))?
        } else {
            let first =
                (0..self.waiting.len()).find(|&i| !late(&self.waiting[i]) || ready(&self.waiting[i]))?;
            Some(first).filter(|&i| ready(&self.waiting[i]))?
        };
        let read = &mut self.waiting[chosen];
        let misdeed = read.misdeed.take();
        let length = piece(read, config, rng);
        let mut cpl = Completion {
            completer: config.root,
            status: Status::Successful,
            count: read.left as u32,
            requester: read.requester,
            tag: read.tag,
            lower: (read.next & 0x7F) as u8,
            poisoned: false,
            data: None,
        };
        let mut over = true;
        match misdeed {
            Some(Misdeed::Status(status)) => cpl.status = status,
            Some(Misdeed::NoData) => {}
            _ => match host.device_read(cycle, read.next, length) {
                Some(octets) => {
                    cpl.data = Some(padded(read.next, &octets, rng));
                    read.next = read.next.wrapping_add(length);
                    read.left -= length;
                    over = read.left == 0;
                }
                None => cpl.status = Status::Unsupported,
            },
        }
        let mut copies = 1;
        match misdeed {
            Some(Misdeed::Poison) => cpl.poisoned = true,
            Some(Misdeed::Count(more)) => (cpl.count, over) = (cpl.count.wrapping_add_signed(more), true),
            Some(Misdeed::Lower(bits)) => (cpl.lower, over) = (cpl.lower ^ bits, true),
            Some(Misdeed::Tag(bits)) => (cpl.tag, over) = (cpl.tag ^ bits, true),
            Some(Misdeed::Requester(bits)) => (cpl.requester, over) = (cpl.requester ^ bits, true),
            Some(Misdeed::Cut) => {
                cpl.data.iter_mut().for_each(|d| d.truncate(4));
                over = true;
            }
            Some(Misdeed::Twice) => copies = 2,
            _ => {}
        }
        let mut tlp = cpl.octets();
        if misdeed == Some(Misdeed::Short) {
            tlp.truncate(tlp.len() - 4);
            over = true;
        }
        if over {
            self.waiting.remove(chosen);
        }
        Some(vec![tlp; copies])
    }
}

/// Octets of the next completion: up to the read's end or a multiple of the boundary, and no more
/// than a payload (2.3.1.1).
fn piece(read: &Read, config: &RcConfig, rng: &mut ChaCha8Rng) -> u64 {
    let end = u128::from(read.next) + u128::from(read.left);
    let rcb = u128::from(config.rcb);
    let most = u128::from(read.next & !3) + u128::from(config.max_payload());
    let fits = end <= most;
    let first = (u128::from(read.next) / rcb + 1) * rcb;
    let last = if fits { (end - 1) / rcb * rcb } else { most / rcb * rcb };
    let whole = if fits { end } else { last };
    if config.shortest {
        return (first.min(end) - u128::from(read.next)) as u64;
    }
    let stop = if config.timing.shuffle && last >= first && rng.random() {
        first + rcb * rng.random_range(0..=(last - first) / rcb)
    } else {
        whole
    };
    (stop - u128::from(read.next)) as u64
}

/// Octets in whole dwords; those that the request did not ask for are arbitrary.
fn padded(addr: u64, octets: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let skipped = (addr % 4) as usize;
    let mut data = vec![0; (skipped + octets.len()).next_multiple_of(4)];
    rng.fill_bytes(&mut data);
    data[skipped..][..octets.len()].copy_from_slice(octets);
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn the_shortest_completions_end_at_each_boundary() {
        let config = RcConfig { shortest: true, rcb: 128, ..RcConfig::steady(6_400) };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut read = Read { requester: 0, tag: 0, next: 100, left: 300, due: 0, after: 0, misdeed: None };
        for wanted in [28, 128, 128, 16] {
            let length = piece(&read, &config, &mut rng);
            assert_eq!(length, wanted);
            read.next += length;
            read.left -= length;
        }
        assert_eq!(read.left, 0);
    }

    #[test]
    fn a_silent_read_keeps_its_tag_for_its_time() {
        let config = RcConfig::steady(6_400);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut reads = Completer::default();
        let request = Request::new(config.function, 7, 0x1000, 64, None);
        reads.request(&request, Some(Misdeed::Silent(100)), (50, 0), &config, &mut rng);
        reads.settle(149);
        assert!(reads.uses(7) && reads.outstanding() == 1);
        assert_eq!(reads.answer((149, 0), &mut HostMemory::new(), &config, &mut rng), None);
        reads.settle(150);
        assert!(!reads.uses(7) && reads.outstanding() == 0);
    }

    #[test]
    fn completions_end_at_boundaries_and_hold_a_payload_at_most() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for shuffle in [false, true] {
            let mut config = RcConfig::rough(6_400);
            config.timing.shuffle = shuffle;
            for n in 0..2_000_u64 {
                let (mut next, mut left) = (0x1000 + n % 200, 1 + n * 7 % 512);
                while left > 0 {
                    let read = Read { requester: 0, tag: 0, next, left, due: 0, after: 0, misdeed: None };
                    let length = piece(&read, &config, &mut rng);
                    let end = next + length;
                    assert!(length > 0 && length <= left, "{length} of {left} at {next:x}");
                    assert!(length == left || end.is_multiple_of(64), "cut at {end:x}");
                    assert!((next % 4 + length).next_multiple_of(4) <= 256);
                    (next, left) = (end, left - length);
                }
            }
        }
    }
}
