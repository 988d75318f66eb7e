// SPDX-License-Identifier: MIT OR Apache-2.0
//! Posted writes: commands and frames become stores, one after the other, the last four octets of
//! each last.
use super::host::HostMemory;
use super::timing::MemoryTiming;
use super::{Misuse, MAX_LENGTH};
use crate::bench::agent::NEVER;
use crate::bench::Frame;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// The octets that become visible after the rest: they hold the phase bit of a CQE or event.
const TAIL: usize = 4;
/// Octets of the longest write by which a device may tell software something: an entry of a queue,
/// an index, a flag.
const WORD: usize = 64;
/// Most cycles between the rest of a write and its tail; one if the memory is steady, so that short
/// writes do not queue.
const TAIL_CYCLES: u64 = 4;

/// A write whose octets the host does not see yet, or not all.
#[derive(Debug, Clone)]
struct Store {
    addr: u64,
    data: Vec<u8>,
    /// Cycle in which all but the tail become visible.
    due: u64,
    /// Cycle in which the tail does.
    tail_due: u64,
    /// The rest is visible.
    begun: bool,
}

/// The write port's queue.
#[derive(Debug, Clone)]
pub(crate) struct Writes {
    timing: MemoryTiming,
    commands: VecDeque<(u64, u64)>,
    frames: VecDeque<Frame>,
    stores: VecDeque<Store>,
    accepted: u64,
    visible: u64,
    /// Where the last write ended, if it was part of a run of octets that is longer than a word.
    run: Option<u64>,
    /// A word became visible since this was last asked for.
    told: bool,
}

impl Writes {
    pub(crate) fn new(timing: MemoryTiming) -> Self {
        let (commands, frames, stores) = Default::default();
        Self { timing, commands, frames, stores, accepted: 0, visible: 0, run: None, told: false }
    }

    /// No credit for a command.
    pub(crate) fn commands_full(&self) -> bool {
        self.commands.len() + self.stores.len() >= self.timing.write_credits.max(1)
    }

    /// No credit for a frame.
    pub(crate) fn frames_full(&self) -> bool {
        self.frames.len() + self.stores.len() >= self.timing.write_credits.max(1)
    }

    /// Writes that came whole, since the start.
    pub(crate) fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Writes of which the host sees all, or that were refused.
    pub(crate) fn visible(&self) -> u64 {
        self.visible
    }

    /// Whether a short write that continues no longer one became visible since this was last asked.
    pub(crate) fn has_told(&mut self) -> bool {
        std::mem::take(&mut self.told)
    }

    /// Something is on its way.
    pub(crate) fn pending(&self) -> bool {
        !(self.commands.is_empty() && self.frames.is_empty() && self.stores.is_empty())
    }

    /// First cycle in which octets become visible by themselves.
    pub(crate) fn wakes(&self) -> u64 {
        self.stores.front().map_or(NEVER, |s| if s.begun { s.tail_due } else { s.due })
    }

    /// A command came.
    pub(crate) fn command(&mut self, addr: u64, length: u64) -> Result<(), Misuse> {
        if length == 0 || length > MAX_LENGTH {
            return Err(Misuse::Length { what: "write", addr, length });
        }
        self.commands.push_back((addr, length));
        Ok(())
    }

    /// A frame came: it belongs to the oldest command without one, which may still be under way.
    pub(crate) fn frame(&mut self, frame: Frame) {
        self.frames.push_back(frame);
    }

    /// Joins commands and frames, and makes visible what is due. Writes keep their order.
    pub(crate) fn settle(
        &mut self,
        cycle: u64,
        host: &mut HostMemory,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), Misuse> {
        while let (Some(&(addr, length)), Some(_)) = (self.commands.front(), self.frames.front()) {
            self.commands.pop_front();
            let Some(frame) = self.frames.pop_front() else { break };
            let octets = frame.data.len() as u64;
            if octets != length {
                return Err(Misuse::FrameLength { addr, length, octets });
            }
            if frame.err {
                return Err(Misuse::FrameErr { addr });
            }
            let earlier = self.stores.back().map_or(0, |s| s.tail_due);
            let due = (cycle + self.timing.cycles(self.timing.write_ns)).max(earlier);
            let tail_due = due + if self.timing.shuffle { rng.random_range(1..=TAIL_CYCLES) } else { 1 };
            self.stores.push_back(Store { addr, data: frame.data, due, tail_due, begun: false });
            self.accepted += 1;
        }
        while let Some(store) = self.stores.front_mut().filter(|s| s.due <= cycle) {
            let rest = store.data.len().saturating_sub(TAIL);
            if !store.begun {
                let may = host.device_may_write(cycle, store.addr, store.data.len() as u64);
                // who is not reached now is not told the tail either
                if !may || !host.device_store(cycle, store.addr, &store.data[..rest]) {
                    self.stores.pop_front();
                    self.visible += 1;
                    continue;
                }
                store.begun = true;
            }
            if store.tail_due > cycle {
                break;
            }
            host.device_store(cycle, store.addr.wrapping_add(rest as u64), &store.data[rest..]);
            let (start, octets) = (store.addr, store.data.len());
            let is_run = octets > WORD || self.run == Some(start);
            self.run = is_run.then_some(start.wrapping_add(octets as u64));
            self.told |= !is_run;
            self.stores.pop_front();
            self.visible += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn setup() -> (Writes, HostMemory, ChaCha8Rng) {
        let mut host = HostMemory::new();
        host.map(0x1000, 0x1000, true).unwrap();
        host.map(0x2000, 0x1000, false).unwrap();
        (Writes::new(MemoryTiming::rough(6_400)), host, ChaCha8Rng::seed_from_u64(3))
    }

    #[test]
    fn the_last_four_octets_come_last_and_writes_keep_their_order() {
        let (mut writes, mut host, mut rng) = setup();
        for n in 0..6_u64 {
            writes.command(0x1000 + 32 * n, 32).unwrap();
            writes.frame(Frame::good(vec![n as u8 + 1; 32]));
        }
        let mut halves = 0;
        for cycle in 0..200 {
            writes.settle(cycle, &mut host, &mut rng).unwrap();
            let shown: Vec<_> = (0..6).map(|n| host.read(0x1000 + 32 * n, 32).unwrap()).collect();
            for pair in shown.windows(2) {
                assert!(pair[0][31] != 0 || pair[1].iter().all(|&b| b == 0), "a later write was first");
            }
            for write in &shown {
                assert!(write[31] == 0 || write[0] != 0, "the tail was first");
                assert_eq!((write[27], write[31]), (write[0], write[28]));
                halves += u32::from(write[27] != 0 && write[28] == 0);
            }
            assert!(cycle >= 16 || writes.visible() == 0, "visible before 100 ns");
        }
        assert!(halves >= 6, "no cycle showed a write without its tail");
        assert_eq!((writes.accepted(), writes.visible(), writes.pending()), (6, 6, false));
    }

    #[test]
    fn a_refused_write_stores_nothing_and_the_next_one_goes_on() {
        let (mut writes, mut host, mut rng) = setup();
        for addr in [0x1ffc, 0x0ffc, 0x1800] {
            writes.command(addr, 8).unwrap();
            writes.frame(Frame::good(vec![0xff; 8]));
        }
        (0..100).for_each(|cycle| writes.settle(cycle, &mut host, &mut rng).unwrap());
        assert_eq!(host.read(0x1ffc, 8).unwrap(), [0; 8]);
        assert_eq!(host.read(0x1000, 4).unwrap(), [0; 4]);
        assert_eq!(host.read(0x1800, 8).unwrap(), [0xff; 8]);
        let refused = host.take_refused();
        assert_eq!(refused.len(), 2);
        assert!(refused[0].to_string().ends_with("write of 8 octets at 0x1ffc: 0x2000 may only be read"));
        assert!(refused[1].to_string().ends_with("0xffc was never mapped"));
    }

    #[test]
    fn credits_bound_what_waits() {
        let (mut writes, mut host, mut rng) = setup();
        let credits = MemoryTiming::rough(6_400).write_credits as u64;
        for n in 0..credits {
            assert!(!writes.commands_full() && !writes.frames_full());
            writes.command(0x1000 + n, 1).unwrap();
            writes.frame(Frame::good(vec![1]));
        }
        assert!(writes.commands_full() && writes.frames_full());
        (0..200).for_each(|cycle| writes.settle(cycle, &mut host, &mut rng).unwrap());
        assert!(!writes.commands_full() && !writes.frames_full());
        assert_eq!(host.read(0x1000, 9).unwrap(), [1, 1, 1, 1, 1, 1, 1, 1, 0]);
    }

    #[test]
    fn misuse_is_named() {
        let (mut writes, mut host, mut rng) = setup();
        assert!(matches!(writes.command(1, 0), Err(Misuse::Length { what: "write", .. })));
        writes.command(0x1000, 8).unwrap();
        writes.frame(Frame::good(vec![0; 7]));
        let short = writes.settle(0, &mut host, &mut rng);
        assert_eq!(short, Err(Misuse::FrameLength { addr: 0x1000, length: 8, octets: 7 }));
        writes.command(0x1000, 8).unwrap();
        writes.frame(Frame { data: vec![0; 8], err: true });
        assert_eq!(writes.settle(0, &mut host, &mut rng), Err(Misuse::FrameErr { addr: 0x1000 }));
    }

    #[test]
    fn short_writes_that_continue_no_long_one_tell_software_something() {
        let (mut writes, mut host, mut rng) = setup();
        let mut told = |addr: u64, octets: usize| {
            writes.command(addr, octets as u64).unwrap();
            writes.frame(Frame::good(vec![1; octets]));
            (0..1_000).for_each(|cycle| writes.settle(cycle, &mut host, &mut rng).unwrap());
            writes.has_told()
        };
        // a payload that two of the cuts are no multiple of, then its completion
        assert!(!told(0x1000, 256) && !told(0x1100, 40) && !told(0x1128, 216));
        assert!(told(0x1800, 32) && told(0x1820, 32) && !told(0x1840, 65));
        // nobody sees what is refused
        assert!(!told(0x2000, 32));
    }
}
