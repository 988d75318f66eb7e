// SPDX-License-Identifier: MIT OR Apache-2.0
//! One direction of a link: frames in flight, and the receiving MAC that gives their beats to the
//! device.
mod lost;
#[cfg(test)]
mod tests;

use super::carrier::Carrier;
use super::config::{LinkConfig, Side, FCS, GAP, PREAMBLE};
use super::frame::{Fate, LinkFault, LinkStats};
use super::mac::on_wire;
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
