// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames that do not arrive whole: the link is down, or one of the ends is reset or gone.
use super::{Cable, Flight, State};

impl Cable {
    /// The link's state at `now` is `up_since`: since when it is up, none while it is down. A frame
    /// is lost that was on the wire while the link was down. If the device has seen a part, the
    /// frame ends with `err`.
    pub(in super::super) fn lose(&mut self, now: u64, up_since: Option<u64>) {
        if up_since == Some(0) {
            return;
        }
        let is_lost =
            |flight: &Flight| flight.start <= now && up_since.is_none_or(|since| since > flight.start);
        if let Some(arriving) = &mut self.arriving {
            if arriving.state == State::Going && is_lost(&arriving.flight) {
                arriving.state = State::Cut;
                self.stats.down += 1;
            }
        }
        let flights = self.flights.len();
        // the frame that is being sent goes when it ends
        self.flights.retain(|flight| flight.end.is_none() || !is_lost(flight));
        self.stats.down += (flights - self.flights.len()) as u64;
        self.flights.iter_mut().filter(|flight| is_lost(flight)).for_each(|flight| flight.is_lost = true);
    }

    /// The sender forgot the frame that it was sending: what has left of the frame arrives with a
    /// bad FCS.
    pub(in super::super) fn sender_reset(&mut self) {
        // a hook judges whole frames only
        self.flights.retain(|flight| flight.end.is_some() || flight.base.is_some());
        if let Some(flight) = self.sending() {
            flight.end = Some(true);
        }
    }

    /// The receiver is gone for good.
    pub(in super::super) fn unplug(&mut self) {
        // the frame that is being sent counts when it ends
        let whole = self.flights.iter().filter(|flight| flight.end.is_some()).count() as u64;
        let taken = self.arriving.take().map(|arriving| arriving.flight);
        self.stats.unplugged += whole + u64::from(taken.as_ref().is_some_and(|flight| flight.end.is_some()));
        self.flights.retain(|flight| flight.end.is_none());
        self.flights.extend(taken.filter(|flight| flight.end.is_none()));
        self.is_unplugged = true;
    }

    /// The receiver forgot the frame that it was receiving.
    pub(in super::super) fn receiver_reset(&mut self) {
        self.arriving = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{octets, sent, taken, CONFIG};
    use super::*;
    use crate::link::carrier::Carrier;
    use crate::link::{Fate, Side, FCS, PREAMBLE};

    /// As `taken`, of a link with these states.
    fn taken_of(cable: &mut Cable, carrier: &mut Carrier) -> Vec<(u64, Vec<u8>, bool)> {
        let (mut frames, mut data) = (vec![], vec![]);
        for now in (0..3_000).map(|cycle| cycle * CONFIG.clock_ps) {
            cable.lose(now, carrier.up_since(now));
            let Some(beat) = cable.receive(now, 8) else { continue };
            data.extend(&beat.data[..beat.bytes as usize]);
            if beat.last {
                frames.push((now, std::mem::take(&mut data), beat.err));
            }
        }
        frames
    }

    fn down(times: &[[u64; 2]]) -> Carrier {
        let mut carrier = Carrier::default();
        for [from_ps, to_ps] in times {
            carrier.set(*from_ps, false);
            carrier.set(*to_ps, true);
        }
        carrier
    }

    #[test]
    fn a_frame_ends_with_err_in_the_cycle_in_which_the_link_goes_down_and_later_ones_arrive() {
        let mut cable = sent(&[(1_000, Fate::Deliver)]);
        let first = cable.flights[0].base.unwrap();
        let cut = first + CONFIG.wire_ps(PREAMBLE + 500);
        let later = cut + 20_000;
        cable.open(later, false);
        cable.push(&octets(60));
        cable.close(later, later, false, Fate::Deliver);
        let got = taken_of(&mut cable, &mut down(&[[cut, cut + 10_000]]));
        assert_eq!(got.len(), 2);
        // 500 octets in beats of 8 whose octets have arrived, and one octet with the verdict
        let (at, data, is_bad) = &got[0];
        assert_eq!((data.len(), *is_bad, *at), (497, true, cut.next_multiple_of(CONFIG.clock_ps)));
        assert_eq!(data[..], octets(1_000)[..497]);
        assert_eq!((&got[1].1, got[1].2), (&octets(60), false));
        assert!(got[1].0 >= later + CONFIG.wire_ps(PREAMBLE + 60 + FCS));
        assert_eq!((cable.stats.frames, cable.stats.down, cable.pending()), (2, 1, false));
    }

    #[test]
    fn what_is_on_the_wire_while_the_link_is_down_is_lost_and_nothing_waits() {
        let frames =
            [(100, Fate::Deliver), (100, Fate::Deliver), (100, Fate::Duplicate), (100, Fate::Deliver)];
        let mut cable = sent(&frames);
        let starts: Vec<_> = cable.flights.iter().map(|flight| flight.start).collect();
        // down before the first beat of the first one, up again behind the preamble of the third
        // one
        let mut carrier = down(&[[starts[0] + 1, starts[2] + 1]]);
        let got = taken_of(&mut cable, &mut carrier);
        assert_eq!(
            got.iter().map(|(_, data, is_bad)| (data.len(), *is_bad)).collect::<Vec<_>>(),
            [(100, false)]
        );
        assert_eq!((cable.stats.frames, cable.stats.down, cable.pending()), (4, 4, false));
    }

    #[test]
    fn a_frame_that_begins_to_leave_while_the_link_is_down_never_begins_to_arrive() {
        let mut cable = Cable::new(CONFIG, Side::B, false);
        let mut carrier = down(&[[0, 1_000]]);
        cable.open(500, false);
        cable.push(&octets(24));
        let now = 100 * CONFIG.clock_ps;
        cable.lose(now, carrier.up_since(now));
        // the sender goes on, and time may be passed over meanwhile
        assert_eq!((cable.receive(now, 8).is_none(), cable.wakes(8), cable.pending()), (true, None, true));
        cable.push(&octets(40));
        cable.close(500, now, false, Fate::Deliver);
        assert_eq!((taken_of(&mut cable, &mut carrier), cable.pending()), (vec![], false));
        assert_eq!((cable.stats.frames, cable.stats.down), (1, 1));
    }

    #[test]
    fn a_frame_that_is_cut_does_not_end_twice_while_its_sender_goes_on_or_is_reset() {
        for is_reset in [false, true] {
            let mut cable = Cable::new(CONFIG, Side::B, false);
            let mut carrier = down(&[[40 * CONFIG.clock_ps, 41 * CONFIG.clock_ps]]);
            cable.open(0, false);
            cable.push(&octets(24));
            for now in (0..50).map(|cycle| cycle * CONFIG.clock_ps) {
                cable.lose(now, carrier.up_since(now));
                if let Some(beat) = cable.receive(now, 8) {
                    assert_eq!((beat.last, beat.err), (now == 40 * CONFIG.clock_ps, beat.last));
                }
            }
            cable.push(&octets(40));
            if is_reset {
                cable.sender_reset();
            } else {
                cable.close(0, 50 * CONFIG.clock_ps, false, Fate::Deliver);
            }
            assert_eq!((taken_of(&mut cable, &mut carrier), cable.pending()), (vec![], false));
        }
    }

    #[test]
    fn a_frame_that_had_arrived_whole_before_the_link_went_down_is_there_for_who_looks_later() {
        let mut cable = sent(&[(100, Fate::Deliver), (100, Fate::Deliver), (100, Fate::Deliver)]);
        let bases: Vec<_> = cable.flights.iter().map(|flight| flight.base.unwrap()).collect();
        let whole = |base: u64| base + CONFIG.wire_ps(PREAMBLE + 100 + FCS);
        let mut carrier = down(&[[whole(bases[0]) + 1, whole(bases[1])]]);
        let came: Vec<_> = std::iter::from_fn(|| cable.arrived(u64::MAX / 2, &mut carrier)).collect();
        assert_eq!(came.iter().map(|(at, ..)| *at).collect::<Vec<_>>(), [whole(bases[0])]);
        assert_eq!((cable.stats.down, cable.pending()), (2, false));
    }

    #[test]
    fn what_is_sent_to_nobody_is_lost_and_counted() {
        let mut cable = sent(&[(100, Fate::Deliver), (60, Fate::Deliver)]);
        cable.open(200_000, false);
        cable.push(&octets(24));
        cable.unplug();
        assert_eq!(cable.stats.unplugged, 2);
        cable.push(&octets(40));
        cable.close(200_000, 300_000, false, Fate::Deliver);
        assert_eq!((taken(&mut cable), cable.pending()), (vec![], false));
        assert_eq!((cable.stats.unplugged, cable.stats.frames), (3, 3));
    }

    #[test]
    fn a_sender_that_is_reset_leaves_a_bad_frame() {
        let mut cable = Cable::new(CONFIG, Side::B, false);
        cable.open(0, false);
        cable.push(&octets(24));
        assert!(cable.receive(100 * 6_400, 8).is_some());
        cable.sender_reset();
        let got = taken(&mut cable);
        assert!(got.len() == 1 && got[0].2 && !cable.pending());
    }
}
