// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sending side of a MAC: when it takes the next beat. Times are picoseconds of simulated time.
use super::config::{LinkConfig, FCS, GAP, MIN_FRAME, PREAMBLE};

/// A frame that is being sent.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// When its preamble began.
    start: u64,
    octets: u64,
}

/// Takes beats as fast as the wire does. It takes the octets of a beat while the ones before it are
/// on the wire, so that it needs no buffer but one beat, and the sender must not pause inside a
/// frame.
#[derive(Debug, Clone)]
pub(super) struct Mac {
    config: LinkConfig,
    /// When the next preamble may begin.
    free: u64,
    open: Option<Open>,
    /// No frame begins.
    pub(super) paused: bool,
}

impl Mac {
    pub(super) fn new(config: LinkConfig) -> Self {
        Self { config, free: 0, open: None, paused: false }
    }

    /// Whether a beat is taken in the clock cycle that begins at `now`. The times of the wire need
    /// not be multiples of the clock: a beat is taken in the cycle in which its turn comes, so no
    /// time is lost.
    pub(super) fn ready(&self, now: u64) -> bool {
        let turn = self.open.map_or(self.free, |o| o.start + self.config.wire_ps(o.octets));
        turn < now + self.config.clock_ps && !(self.paused && self.open.is_none())
    }

    /// When [`Mac::ready`] changes by itself; none if it does not. `now` begins a cycle in which no
    /// frame is under way.
    pub(super) fn wakes(&self, now: u64) -> Option<u64> {
        (!self.paused && !self.ready(now)).then_some(self.free)
    }

    /// A frame is under way, so that the next beat must be there when its turn comes.
    pub(super) fn sending(&self) -> bool {
        self.open.is_some()
    }

    /// Octets of the frame that is under way.
    pub(super) fn octets(&self) -> u64 {
        self.open.map_or(0, |o| o.octets)
    }

    /// The first beat of a frame was taken: when its preamble begins.
    pub(super) fn begin(&mut self, now: u64) -> u64 {
        let start = self.free.max(now);
        self.open = Some(Open { start, octets: 0 });
        start
    }

    /// A beat was taken.
    pub(super) fn take(&mut self, octets: u64) {
        if let Some(open) = &mut self.open {
            open.octets += octets;
        }
    }

    /// The last beat was taken: when its preamble began, and its octets.
    pub(super) fn end(&mut self) -> (u64, u64) {
        let open = self.open.take().unwrap_or(Open { start: self.free, octets: 0 });
        self.free = open.start + self.config.wire_ps(on_wire(open.octets));
        (open.start, open.octets)
    }

    /// Forgets a frame that is half sent.
    pub(super) fn reset(&mut self) {
        self.open = None;
    }
}

/// Octets of time that a frame takes, preamble, FCS and gap included.
pub(super) fn on_wire(octets: u64) -> u64 {
    PREAMBLE + octets.max(MIN_FRAME) + FCS + GAP
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends frames of `octets` for ever on a stream of `width` octets; starts of the frames.
    fn starts(config: LinkConfig, width: u64, octets: u64, cycles: u64) -> Vec<u64> {
        let mut mac = Mac::new(config);
        let mut starts = vec![];
        for now in (0..cycles).map(|c| c * config.clock_ps) {
            if !mac.ready(now) {
                continue;
            }
            if !mac.sending() {
                starts.push(mac.begin(now));
            }
            mac.take(width.min(octets - mac.octets()));
            if mac.octets() == octets {
                mac.end();
            }
        }
        starts
    }

    #[test]
    fn frames_follow_at_the_wire_s_rate() {
        // 10 Gbit/s is 8 octets every 6.4 ns: 1,514 octets take 1,538 octets of 0.8 ns
        let ten = LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 0 };
        for (octets, wire) in [(1514, 1538), (60, 84), (61, 85), (64, 88), (9014, 9038)] {
            let starts = starts(ten, 8, octets, 10_000);
            assert!(starts.len() > 5);
            assert!(starts.windows(2).all(|w| w[1] - w[0] == wire * 800), "{octets} octets");
        }
    }

    #[test]
    fn a_slow_link_takes_a_beat_now_and_then() {
        let one = LinkConfig { rate_bps: 1_000_000_000, clock_ps: 16_000, delay_ns: 0 };
        let starts = starts(one, 8, 1514, 30_000);
        assert!(starts.windows(2).all(|w| w[1] - w[0] == 1538 * 8_000));
    }

    #[test]
    fn a_paused_mac_ends_its_frame_and_begins_none() {
        let mut mac = Mac::new(LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 0 });
        mac.begin(0);
        mac.take(8);
        mac.paused = true;
        assert!(mac.ready(6_400));
        mac.end();
        assert!(!mac.ready(1_000_000));
        mac.paused = false;
        assert!(mac.ready(1_000_000));
    }

    #[test]
    fn a_short_frame_takes_the_time_of_the_shortest_lawful_one() {
        assert_eq!((on_wire(1), on_wire(60), on_wire(61)), (84, 84, 85));
    }
}
