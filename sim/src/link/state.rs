// SPDX-License-Identifier: MIT OR Apache-2.0
//! A link that is unplugged at one end, goes down, or comes up. Times are picoseconds of simulated
//! time.
//!
//! Frames are lost that are on the wire while the link is down, from the first bit of their
//! preamble to their FCS. The sending MAC takes such frames at the rate of the wire. A receiver
//! that has seen the beginning of a frame sees `err` in the cycle in which the link goes down. Both
//! ends see a change at the same time.
use super::{Flaps, Link, Side};

impl Link {
    /// The link is up, or down, from `at_ps` until the next change that was said. An end must not
    /// have passed that time, or what happens depends on how far the ends have come.
    pub fn set_up(&self, at_ps: u64, is_up: bool) {
        self.lock().carrier.set(at_ps, is_up);
    }

    /// From `at_ps` on the link goes down and comes up by itself.
    pub fn flap(&self, at_ps: u64, flaps: &Flaps) {
        self.lock().carrier.flap(at_ps, flaps);
    }

    /// The link is up at that time.
    pub fn is_up(&self, at_ps: u64) -> bool {
        self.lock().carrier.up_since(at_ps).is_some()
    }

    /// How often the link went down by that time.
    pub fn downs(&self, at_ps: u64) -> u64 {
        self.lock().carrier.downs(at_ps)
    }

    /// First time behind `at_ps` at which the link may go down or come up; none if nothing of the
    /// kind was said.
    pub(crate) fn next_change(&self, at_ps: u64) -> Option<u64> {
        self.lock().carrier.next_change(at_ps)
    }

    /// No device stands at this end any more: what is under way to it is lost, and so is what comes
    /// later. The frame that the device was sending ends with a bad FCS.
    pub fn unplug(&self, side: Side) {
        let mut shared = self.lock();
        shared.macs[side as usize].reset();
        shared.cables[side as usize].sender_reset();
        shared.cables[side.other() as usize].unplug();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{LinkConfig, LinkFault};

    const CONFIG: LinkConfig = LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 500 };
    /// 60 octets with preamble and FCS behind the delay.
    const SHORT_PS: u64 = 500_000 + 72 * 800;

    #[test]
    fn a_frame_whose_sender_is_unplugged_in_its_middle_ends_with_err() {
        let link = Link::in_blocks(CONFIG);
        let mut shared = link.lock();
        shared.beat(Side::A, 0, &[1; 8], None).unwrap();
        shared.beat(Side::A, 6_400, &[2; 8], None).unwrap();
        drop(shared);
        link.unplug(Side::A);
        let (mut beats, mut now) = (vec![], 0);
        while beats.last().is_none_or(|beat: &crate::check::Beat| !beat.last) && now < 10_000_000 {
            beats.extend(link.lock().cables[Side::A as usize].receive(now, 8));
            now += CONFIG.clock_ps;
        }
        let ends: Vec<_> = beats.iter().map(|beat| (beat.last, beat.err)).collect();
        assert_eq!((ends, link.under_way(Side::A)), (vec![(false, false), (true, true)], 0));
        // who sends at the other end is not held up
        assert_eq!(link.send(Side::B, now, &[3; 60]), Ok(()));
        assert_eq!((link.under_way(Side::B), link.stats(Side::B).unplugged), (0, 1));
    }

    #[test]
    fn frames_that_meet_a_link_that_is_down_are_taken_and_lost_and_counted() {
        let link = Link::in_blocks(CONFIG);
        link.set_up(1_000_000, false);
        link.set_up(3_000_000, true);
        link.capture();
        // the first arrives in time, the second is in flight, the third begins below, the fourth is
        // behind
        for at_ps in [0, 900_000, 2_000_000, 3_000_000] {
            link.send(Side::B, at_ps, &[7; 60]).unwrap();
        }
        let came: Vec<_> =
            std::iter::from_fn(|| link.arrived(Side::A, 9_000_000)).map(|(at, ..)| at).collect();
        assert_eq!(came, [SHORT_PS, 3_000_000 + SHORT_PS]);
        assert_eq!(
            (link.stats(Side::B).frames, link.stats(Side::B).down, link.under_way(Side::B)),
            (4, 2, 0)
        );
        let notes: Vec<_> = link.take_captured().into_iter().map(|frame| frame.note.is_some()).collect();
        // the second had left when the link went down
        assert_eq!(notes, [false, false, true, false]);
        assert_eq!(
            [999_999, 1_000_000, 2_999_999, 3_000_000].map(|ps| link.is_up(ps)),
            [true, false, false, true]
        );
        assert_eq!((link.downs(2_000_000), link.next_change(1_000_000)), (1, Some(3_000_000)));
        assert_eq!(link.send(Side::B, 2_000_000, &[7; 59]), Err(LinkFault::Runt { octets: 59 }));
    }

    #[test]
    fn a_frame_that_waits_for_its_turn_is_not_lost_if_the_link_is_up_then() {
        let link = Link::new(CONFIG);
        link.set_up(100, false);
        link.set_up(90_000, true);
        // the first one takes 84 octets of time, 67.2 ns; the third one begins behind 134 ns
        for _ in 0..3 {
            link.send(Side::B, 0, &[7; 60]).unwrap();
        }
        let came = std::iter::from_fn(|| link.arrived(Side::A, 9_000_000)).count();
        assert_eq!((came, link.stats(Side::B).down), (1, 2));
    }
}
