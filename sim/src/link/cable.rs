// SPDX-License-Identifier: MIT OR Apache-2.0
//! One direction of a link: frames in flight, and the receiving MAC that gives their beats to the
//! device.
mod lost;

use super::carrier::Carrier;
use super::mac::on_wire;
use super::{Fate, LinkConfig, LinkFault, LinkStats, Side, FCS, GAP, PREAMBLE};
use crate::check::Beat;
use smallvec::smallvec;
use std::collections::VecDeque;

/// A frame in flight.
#[derive(Debug, Clone)]
struct Flight {
    index: u64,
    data: Vec<u8>,
    /// When its preamble began to leave.
    start: u64,
    /// Whole, and whether its FCS is bad.
    end: Option<bool>,
    /// When its preamble begins to arrive; none until a hook has judged the frame.
    base: Option<u64>,
    /// The link went down before the first beat had arrived.
    is_lost: bool,
}

/// The frame that is being received.
#[derive(Debug, Clone)]
struct Arriving {
    flight: Flight,
    /// Octets given to the device.
    given: usize,
    state: State,
}

/// How the reception of a frame goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Every beat was taken in time.
    Going,
    /// It was overrun, or the link went down: one more beat with `err` ends it.
    Cut,
    /// The device has seen its end; the sender has not finished it.
    Lost,
}

/// One direction.
#[derive(Debug, Clone)]
pub(super) struct Cable {
    config: LinkConfig,
    to: Side,
    /// The frame that is being sent, until it is whole; the next ones in order of sending.
    flights: VecDeque<Flight>,
    arriving: Option<Arriving>,
    /// When the next preamble may arrive.
    free: u64,
    /// The receiver may be a delay ahead of the sender.
    in_blocks: bool,
    /// Nobody receives any more.
    is_unplugged: bool,
    pub(super) stats: LinkStats,
}

impl Cable {
    pub(super) fn new(config: LinkConfig, to: Side, in_blocks: bool) -> Self {
        let (flights, is_unplugged, stats) = Default::default();
        Self { config, to, flights, arriving: None, free: 0, in_blocks, is_unplugged, stats }
    }

    fn delay_ps(&self) -> u64 {
        self.config.delay_ns * 1000
    }

    /// A frame begins. `judged`: a hook looks at it when it is whole.
    pub(super) fn open(&mut self, start: u64, judged: bool) {
        let base = (!judged).then(|| start + self.delay_ps());
        let index = self.stats.frames;
        self.flights.push_back(Flight { index, data: vec![], start, end: None, base, is_lost: false });
        self.stats.newest_ps = start;
        if self.stats.frames == 0 {
            self.stats.first_ps = start;
        }
    }

    /// The frame under way: it may be arriving already.
    fn sending(&mut self) -> Option<&mut Flight> {
        let here = self.arriving.as_mut().map(|a| &mut a.flight).filter(|f| f.end.is_none());
        here.or_else(|| self.flights.back_mut().filter(|f| f.end.is_none()))
    }

    /// A whole frame of a third station comes to the receiver at `at`, before the frame under way
    /// if there is one.
    pub(super) fn inject(&mut self, at: u64, data: Vec<u8>) {
        let ends = self.flights.back().is_none_or(|f| f.end.is_some());
        let place = self.flights.len() - usize::from(!ends);
        let (index, end, base) = (self.stats.frames, Some(false), Some(at));
        let flight = Flight { index, data, start: at, end, base, is_lost: false };
        self.flights.insert(place, flight);
    }

    /// Octets of the frame under way.
    pub(super) fn push(&mut self, octets: &[u8]) {
        if let Some(flight) = self.sending() {
            flight.data.extend_from_slice(octets);
        }
    }

    /// A hook looks at the frame under way.
    pub(super) fn judged(&mut self) -> bool {
        self.sending().is_some_and(|f| f.base.is_none())
    }

    /// Number and octets of the frame under way.
    pub(super) fn whole(&mut self) -> (u64, &[u8]) {
        let index = self.stats.frames;
        self.sending().map_or((index, &[]), |f| (f.index, &f.data))
    }

    /// The frame under way is whole, at `now`; its preamble began at `start`. `err`: its FCS is
    /// bad.
    pub(super) fn close(&mut self, start: u64, now: u64, err: bool, fate: Fate) {
        let config = self.config;
        let (delay, in_blocks) = (self.delay_ps(), self.in_blocks);
        let Some(flight) = self.sending() else { return };
        flight.end = Some(err);
        let octets = flight.data.len() as u64;
        // a frame that a hook judged was held back until now, and no receiver has passed this time
        let least = if in_blocks { now + delay } else { now };
        let base = *flight.base.get_or_insert((start + delay).max(least));
        let wire = config.wire_ps(on_wire(octets));
        self.stats.frames += 1;
        self.stats.octets += octets;
        self.stats.busy_ps += wire;
        self.stats.end_ps = start + wire;
        self.stats.sent_bad += u64::from(err);
        if self.is_unplugged {
            self.stats.unplugged += 1;
            self.flights.clear();
            return;
        }
        // only a judged frame has another fate than to arrive, and that one is still the last of
        // the queue
        let Some(flight) = self.flights.back_mut() else { return };
        match fate {
            Fate::Deliver => {}
            Fate::Drop => {
                self.flights.pop_back();
                self.stats.dropped += 1;
            }
            Fate::Corrupt(bit) => {
                let bit = bit % (octets * 8);
                flight.data[(bit / 8) as usize] ^= 1 << (bit % 8);
                flight.end = Some(true);
                self.stats.damaged += 1;
            }
            Fate::Replace(data) => {
                flight.data = data;
                self.stats.damaged += 1;
            }
            Fate::Duplicate => {
                let again = flight.clone();
                self.flights.push_back(again);
                self.stats.duplicated += 1;
            }
            Fate::Delay(ns) => {
                flight.base = Some(base + ns * 1000);
                self.stats.delayed += 1;
            }
        }
    }

    /// Index of the flight that arrives next, if its first beat (of `width` octets) is there at
    /// `now`.
    fn next_due(&self, now: u64, width: usize) -> Option<usize> {
        let comes = self.flights.iter().enumerate().filter(|(_, f)| !f.is_lost);
        let bases = comes.filter_map(|(i, f)| f.base.map(|b| (b.max(self.free), i)));
        // of two that could begin together the one that was sent first
        let (base, i) = bases.min()?;
        beat_due(&self.config, &self.flights[i], base, 0, width).filter(|&t| t <= now).map(|_| i)
    }

    /// When the receiver has something to do next, as far as the sender has come; none if there is
    /// nothing under way.
    pub(super) fn wakes(&self, width: usize) -> Option<u64> {
        if self.arriving.is_some() {
            return Some(0);
        }
        let due = |f: &Flight| beat_due(&self.config, f, f.base?.max(self.free), 0, width);
        self.flights.iter().filter(|f| !f.is_lost).filter_map(due).min()
    }

    /// The beat of `width` octets that has arrived by `now`, if one has.
    pub(super) fn receive(&mut self, now: u64, width: usize) -> Option<Beat> {
        if self.arriving.is_none() {
            let i = self.next_due(now, width)?;
            let mut flight = self.flights.remove(i)?;
            flight.base = flight.base.map(|b| b.max(self.free));
            self.arriving = Some(Arriving { flight, given: 0, state: State::Going });
        }
        let arriving = self.arriving.as_mut()?;
        let (flight, given) = (&arriving.flight, arriving.given);
        let base = flight.base?;
        let (whole, cut) = (flight.end.is_some(), arriving.state == State::Cut);
        let free = base + self.config.wire_ps(PREAMBLE + flight.data.len() as u64 + FCS + GAP);
        match arriving.state {
            State::Going if beat_due(&self.config, flight, base, given, width)? > now => return None,
            State::Lost if !whole => return None,
            State::Lost => {
                (self.free, self.arriving) = (free, None);
                return None;
            }
            State::Going | State::Cut => {}
        }
        let mut data = smallvec![0; width];
        // how much of a frame that is cut has come may depend on the order of threads
        let most = if cut { 1 } else { width };
        let octets = most.min(flight.data.len() - given);
        data[..octets].copy_from_slice(&flight.data[given..given + octets]);
        let last = cut || (whole && given + octets == flight.data.len());
        let err = last && (cut || flight.end == Some(true));
        arriving.given += octets;
        if last && whole {
            (self.free, self.arriving) = (free, None);
        } else if last {
            arriving.state = State::Lost;
        }
        // a beat has an octet, even that of a frame whose sender was reset
        Some(Beat { data, bytes: octets.max(1) as u64, last, err })
    }

    /// The next frame that has arrived whole by `now` where no device stands: when its FCS had, its
    /// octets, and whether the FCS is bad. What the link lost by being down is left out.
    pub(super) fn arrived(&mut self, now: u64, carrier: &mut Carrier) -> Option<(u64, Vec<u8>, bool)> {
        loop {
            let i = self.next_due(now, usize::MAX)?;
            let flight = self.flights.remove(i)?;
            let base = flight.base?.max(self.free);
            let octets = PREAMBLE + flight.data.len() as u64 + FCS;
            self.free = base + self.config.wire_ps(octets + GAP);
            let at = base + self.config.wire_ps(octets);
            if carrier.holds(flight.start, at) {
                return Some((at, flight.data, flight.end == Some(true)));
            }
            self.stats.down += 1;
        }
    }

    /// The device has not taken the beat that it was offered: what arrives meanwhile is lost.
    pub(super) fn overrun(&mut self, now: u64, width: usize) -> Option<LinkFault> {
        let to = self.to;
        let (index, octets) = match &mut self.arriving {
            Some(a) if a.state != State::Going => return None,
            Some(a) => {
                let base = a.flight.base?;
                beat_due(&self.config, &a.flight, base, a.given, width).filter(|&t| t <= now)?;
                a.state = State::Cut;
                (a.flight.index, a.given as u64)
            }
            None => {
                let flight = self.next_due(now, width).and_then(|i| self.flights.remove(i))?;
                (flight.index, 0)
            }
        };
        self.stats.overruns += 1;
        Some(LinkFault::Overrun { index, to, octets })
    }

    /// Frames under way in this direction.
    pub(super) fn under_way(&self) -> usize {
        self.flights.len() + usize::from(self.arriving.is_some())
    }

    /// There are some.
    pub(super) fn pending(&self) -> bool {
        self.under_way() > 0
    }
}

/// When the beat that begins at octet `given` has arrived; none if the sender has not sent all of
/// it.
fn beat_due(config: &LinkConfig, flight: &Flight, base: u64, given: usize, width: usize) -> Option<u64> {
    let next = given.saturating_add(width);
    let end = next.min(flight.data.len());
    let last = flight.end.is_some() && end == flight.data.len();
    if flight.end.is_none() && flight.data.len() <= next {
        return None;
    }
    // the verdict comes with the last beat, so that one waits for the FCS
    let octets = PREAMBLE + end as u64 + if last { FCS } else { 0 };
    Some(base + config.wire_ps(octets))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 Gbit/s on a 64-bit stream: a beat a cycle.
    pub(super) const CONFIG: LinkConfig =
        LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 64 };

    pub(super) fn octets(n: usize) -> Vec<u8> {
        (0..n).map(|i| i as u8).collect()
    }

    /// A cable with whole frames, sent one after the other from time 0.
    pub(super) fn sent(frames: &[(usize, Fate)]) -> Cable {
        let mut cable = Cable::new(CONFIG, Side::B, false);
        let mut start = 0;
        for (n, fate) in frames {
            cable.open(start, true);
            cable.push(&octets(*n));
            let end = start + CONFIG.wire_ps(PREAMBLE + *n as u64);
            cable.close(start, end, false, fate.clone());
            start += CONFIG.wire_ps(on_wire(*n as u64));
        }
        cable
    }

    /// Whole frames that a device takes that is always ready, with the cycle of their last beats.
    pub(super) fn taken(cable: &mut Cable) -> Vec<(u64, Vec<u8>, bool)> {
        let (mut frames, mut data) = (vec![], vec![]);
        for cycle in 0..3_000 {
            let Some(beat) = cable.receive(cycle * CONFIG.clock_ps, 8) else { continue };
            data.extend(&beat.data[..beat.bytes as usize]);
            if beat.last {
                frames.push((cycle, std::mem::take(&mut data), beat.err));
            }
        }
        frames
    }

    #[test]
    fn a_frame_arrives_after_the_delay_with_its_last_octet_and_fcs() {
        let mut cable = Cable::new(CONFIG, Side::B, false);
        cable.open(6_400, false);
        let (mut beats, all) = (vec![], octets(60));
        for cycle in 1..=40_u64 {
            // the device hands a beat over in each of cycles 1 to 8
            if let Some(part) = all.chunks(8).nth(cycle as usize - 1) {
                cable.push(part);
                if cycle == 8 {
                    cable.close(6_400, cycle * 6_400, false, Fate::Deliver);
                }
            }
            beats.extend(cable.receive(cycle * 6_400, 8).map(|b| (cycle, b)));
        }
        // preamble from cycle 1, delay 10 cycles, preamble 1, then a beat a cycle; the last with
        // the FCS
        let cycles: Vec<_> = beats.iter().map(|(c, _)| *c).collect();
        assert_eq!(cycles, (13..=20).collect::<Vec<_>>());
        assert!(beats[7].1.last && !beats[7].1.err && beats[7].1.bytes == 4);
        assert!(!cable.pending());
        assert_eq!((cable.stats.frames, cable.stats.octets, cable.stats.busy_ps), (1, 60, 84 * 800));
    }

    #[test]
    fn each_fate_is_what_it_says() {
        let changed = Fate::Replace(vec![7; 61]);
        let fates = [Fate::Drop, Fate::Corrupt(8 * 70 + 3), Fate::Duplicate, changed, Fate::Delay(2_000)];
        let lengths = [60, 64, 100, 61, 80];
        let mut frames: Vec<_> = lengths.into_iter().zip(fates).collect();
        frames.push((90, Fate::Deliver));
        let mut cable = sent(&frames);
        let got = taken(&mut cable);
        let mut bad = octets(64);
        bad[6] ^= 8;
        let want = [(bad, true), (octets(100), false), (octets(100), false), (vec![7; 61], false)];
        let want = want.into_iter().chain([(octets(90), false), (octets(80), false)]).collect::<Vec<_>>();
        assert_eq!(got.iter().map(|(_, d, e)| (d.clone(), *e)).collect::<Vec<_>>(), want);
        let s = cable.stats;
        assert_eq!((s.frames, s.dropped, s.damaged, s.duplicated, s.delayed), (6, 1, 2, 1, 1));
        assert!(!cable.pending());
    }

    #[test]
    fn a_frame_of_a_third_station_arrives_between_two_others() {
        let mut cable = sent(&[(100, Fate::Deliver)]);
        cable.inject(0, octets(60));
        cable.open(200_000, true);
        cable.push(&octets(24));
        cable.inject(210_000, octets(70));
        cable.push(&octets(56));
        cable.close(200_000, 300_000, false, Fate::Deliver);
        let got: Vec<_> = taken(&mut cable).into_iter().map(|(cycle, data, _)| (cycle, data.len())).collect();
        // preamble, octets and FCS from 0, from 84 octets later, from 210 ns, then when the judged
        // one was whole
        assert_eq!(got.iter().map(|(_, n)| *n).collect::<Vec<_>>(), [60, 100, 70, 80]);
        assert_eq!(got[0].0, (8 + 60 + 4_u64).div_ceil(8));
        assert_eq!((cable.stats.frames, cable.pending()), (2, false));
    }

    #[test]
    fn a_device_that_waits_loses_the_rest_of_the_frame() {
        let mut cable = sent(&[(200, Fate::Deliver), (60, Fate::Deliver), (70, Fate::Deliver)]);
        let mut now = 0;
        let mut next = |cable: &mut Cable| loop {
            now += 6_400;
            if let Some(beat) = cable.receive(now, 8) {
                return (now, beat);
            }
        };
        let (_, first) = next(&mut cable);
        let (later, second) = next(&mut cable);
        assert!(!first.last && !second.last);
        // the second beat is not taken while the third, and later the whole second frame, arrive
        let fault = cable.overrun(later + 6_400, 8);
        assert_eq!(fault, Some(LinkFault::Overrun { index: 0, to: Side::B, octets: 16 }));
        assert_eq!(cable.overrun(later + 12_800, 8), None);
        let (_, end) = next(&mut cable);
        assert!(end.last && end.err);
        let whole = taken(&mut cable);
        assert_eq!(
            whole.iter().map(|(_, d, e)| (d.len(), *e)).collect::<Vec<_>>(),
            [(60, false), (70, false)]
        );
        assert_eq!(cable.stats.overruns, 1);
    }

    #[test]
    fn a_frame_that_comes_while_the_last_beat_is_not_taken_is_lost() {
        let mut cable = sent(&[(60, Fate::Deliver), (60, Fate::Deliver)]);
        let mut now = 0;
        while !cable.receive(now, 8).is_some_and(|b| b.last) {
            now += 6_400;
        }
        let lost = cable.overrun(now + 100 * 6_400, 8);
        assert_eq!(lost, Some(LinkFault::Overrun { index: 1, to: Side::B, octets: 0 }));
        assert_eq!((taken(&mut cable), cable.pending()), (vec![], false));
    }

    #[test]
    fn a_judged_frame_of_ends_in_blocks_begins_to_arrive_a_delay_after_its_last_beat() {
        for (in_blocks, begins) in [(false, 300_000), (true, 364_000)] {
            let mut cable = Cable::new(CONFIG, Side::B, in_blocks);
            cable.open(200_000, true);
            cable.push(&octets(100));
            cable.close(200_000, 300_000, false, Fate::Deliver);
            let arrives = begins + CONFIG.wire_ps(PREAMBLE + 100 + FCS);
            assert_eq!(cable.arrived(arrives - 1, &mut Carrier::default()), None);
            assert_eq!(cable.arrived(arrives, &mut Carrier::default()).map(|(at, ..)| at), Some(arrives));
        }
    }
}
