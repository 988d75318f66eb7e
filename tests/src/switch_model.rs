// SPDX-License-Identifier: MIT OR Apache-2.0
//! A switch in plain code: it says which frames leave at each port, when, with which octets, and
//! which do not.
//!
//! [`predict`] gets all frames at once, as they came at the ports. It takes octets by hand, and
//! shares nothing with the switch but the crate that draws random numbers.
mod cable;
pub mod judged;
mod octets;
pub mod random;

use cable::Cable;
use std::collections::BTreeMap;

/// Delay of each cable in picoseconds.
const DELAY: u64 = 500_000;
/// Picoseconds of an octet at 10 Gb/s.
pub const OCTET: u64 = 800;
/// Frames of a million.
pub const MILLION: u32 = 1_000_000;

/// A port.
#[derive(Debug, Clone, Default)]
pub struct Port {
    /// VID of the frames without a tag; none: frames have a tag, with one of `vids`.
    pub untagged: Option<u16>,
    /// The port's VLANs.
    pub vids: Vec<u16>,
    /// Most octets that wait.
    pub queue: u64,
    /// Octets that wait without a mark.
    pub ecn: Option<u64>,
    /// Frames of a million that are lost, doubled, spoilt, held back.
    pub odds: [u32; 4],
    /// Picoseconds that the cable adds.
    pub extra: u64,
    /// Of the cable's random numbers.
    pub seed: u64,
}

/// A frame, at the time when it is whole at the switch, or when its preamble begins to arrive at
/// the other end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Picoseconds.
    pub at: u64,
    /// Without FCS.
    pub data: Vec<u8>,
    /// Its FCS is bad.
    pub bad: bool,
}

/// What a port has counted; names are those of the switch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the switch's own documentation of its counters is what is judged")]
pub struct Counts {
    pub frames_in: u64,
    pub octets_in: u64,
    pub bad: u64,
    pub wrong_vid: u64,
    pub filtered: u64,
    pub flooded: u64,
    pub frames_out: u64,
    pub octets_out: u64,
    pub dropped: u64,
    pub marked: u64,
    pub deepest: u64,
    pub lost: u64,
    pub duplicated: u64,
    pub spoilt: u64,
    pub held: u64,
}

/// A switch: how it is set, and what it remembers.
struct Plain<'a> {
    ports: &'a [Port],
    aging: u64,
    addresses: usize,
    /// Port and time of the last frame of a station.
    stations: BTreeMap<(u16, Vec<u8>), (usize, u64)>,
    /// Beginning and octets of each frame that left a port's transmitter.
    sent: Vec<Vec<(u64, u64)>>,
    outward: Vec<Cable>,
    left: Vec<Vec<Frame>>,
    counts: Vec<Counts>,
}

/// Frames that leave each port, in the order in which they leave its queue, and what each port has
/// counted. `came` has the frames of each port in order of time. Addresses are forgotten after
/// `aging` picoseconds, and `addresses` of them are learned at most.
pub fn predict(
    ports: &[Port],
    came: &[Vec<Frame>],
    (aging, addresses): (u64, usize),
) -> (Vec<Vec<Frame>>, Vec<Counts>) {
    let n = ports.len();
    let outward = ports.iter().map(|port| Cable::new(port, true)).collect();
    let (stations, counts) = (BTreeMap::new(), vec![Counts::default(); n]);
    let (sent, left) = (vec![vec![]; n], vec![vec![]; n]);
    let mut plain = Plain { ports, aging, addresses, stations, sent, outward, left, counts };
    let mut whole = vec![];
    for (port, frames) in came.iter().enumerate() {
        let mut cable = Cable::new(&ports[port], false);
        for frame in frames {
            whole.extend(cable.carry(frame.clone(), &mut plain.counts[port]).into_iter().map(|f| (port, f)));
        }
    }
    // the sort is stable: frames of one port and time stay in order
    whole.sort_by_key(|(port, frame)| (frame.at, *port));
    whole.into_iter().for_each(|(port, frame)| plain.take(port, &frame));
    (plain.left, plain.counts)
}

impl Plain<'_> {
    fn take(&mut self, port: usize, frame: &Frame) {
        let Frame { at, data, bad } = frame;
        let counts = &mut self.counts[port];
        if *bad {
            counts.bad += 1;
            return;
        }
        counts.frames_in += 1;
        counts.octets_in += data.len() as u64;
        let (mut control, plain) = octets::without_tag(data);
        if control % 4096 == 0 {
            control += self.ports[port].untagged.unwrap_or(0);
        }
        let vid = control % 4096;
        if !self.ports[port].vids.contains(&vid) {
            counts.wrong_vid += 1;
            return;
        }
        let (to, from) = (plain[..6].to_vec(), plain[6..12].to_vec());
        if from[0] % 2 == 0 {
            self.learn((vid, from), port, *at);
        }
        if to[..5] == [0x01, 0x80, 0xC2, 0, 0] && to[5] < 16 {
            self.counts[port].filtered += 1;
            return;
        }
        let group = to[0] % 2 == 1;
        let known = self.stations.get(&(vid, to)).filter(|(_, seen)| !group && seen + self.aging > *at);
        match known.map(|(place, _)| *place) {
            Some(place) if place == port => self.counts[port].filtered += 1,
            Some(place) => self.put(place, *at, &plain, control),
            None => {
                self.counts[port].flooded += 1;
                for place in 0..self.ports.len() {
                    if place != port && self.ports[place].vids.contains(&vid) {
                        self.put(place, *at, &plain, control);
                    }
                }
            }
        }
    }

    fn learn(&mut self, station: (u16, Vec<u8>), port: usize, at: u64) {
        if !self.stations.contains_key(&station) && self.stations.len() == self.addresses {
            self.stations.retain(|_, (_, seen)| *seen + self.aging > at);
            if self.stations.len() == self.addresses {
                return;
            }
        }
        self.stations.insert(station, (port, at));
    }

    fn put(&mut self, place: usize, at: u64, plain: &[u8], control: u16) {
        let (port, counts) = (&self.ports[place], &mut self.counts[place]);
        let tag = port.untagged.is_none().then_some(control);
        let mut data = octets::with_tag(plain, tag);
        let octets = data.len() as u64;
        let sent = &mut self.sent[place];
        // a frame takes 8 octets of preamble, 4 of FCS and 12 of gap beside its own
        let free = sent.last().map_or(0, |(start, octets)| start + (octets + 24) * OCTET);
        let start = at.max(free);
        if start > at {
            let waits = sent.iter().rev().take_while(|(start, _)| *start > at).map(|(_, n)| n).sum::<u64>();
            if waits + octets > port.queue {
                counts.dropped += 1;
                return;
            }
            counts.deepest = counts.deepest.max(waits + octets);
            if port.ecn.is_some_and(|threshold| waits + octets > threshold) {
                counts.marked += u64::from(octets::mark(&mut data));
            }
        }
        sent.push((start, octets));
        counts.frames_out += 1;
        counts.octets_out += octets;
        let frame = Frame { at: start + DELAY, data, bad: false };
        self.left[place].extend(self.outward[place].carry(frame, counts));
    }
}
