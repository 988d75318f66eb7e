// SPDX-License-Identifier: MIT OR Apache-2.0
//! MAC receive: what stands on the wire against what comes out, and the pulse of each frame.
use ferrowarp_hdl::mac::LONGEST;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, Frame, Pattern, SinkId};
use ferrowarp_tests::mac::{symbols, with_fcs, Symbol};
use rand::{Rng, RngCore};

const PULSES: [&str; 6] = ["good", "bad_fcs", "runt", "long", "error", "lost"];

/// Receive with its sink, and the pulses so far in the order of [`PULSES`].
struct Dut {
    sink: SinkId,
    pulses: [usize; 6],
}

impl Dut {
    fn new(bench: &mut Bench) -> Self {
        let sink = bench.sink("rx_tx", Pattern::None);
        let mut dut = Self { sink, pulses: [0; 6] };
        dut.give(bench, &[Symbol::IDLE; 4]);
        dut
    }

    /// Puts octets on the wire and counts the pulses.
    fn give(&mut self, bench: &mut Bench, wire: &[Symbol]) {
        for symbol in wire {
            bench.set("rx_octet", symbol.octet.into());
            bench.set("rx_carrier", symbol.carrier.into());
            bench.set("rx_fault", symbol.fault.into());
            bench.step();
            for (count, name) in self.pulses.iter_mut().zip(PULSES) {
                *count += bench.get(&format!("rx_{name}")) as usize;
            }
        }
    }

    /// A frame with a preamble of seven octets, and `gap` octet times without carrier.
    fn frame(&mut self, bench: &mut Bench, octets: &[u8], gap: usize) {
        self.give(bench, &symbols(7, octets));
        self.give(bench, &vec![Symbol::IDLE; gap]);
    }

    /// What has come out since the last call.
    fn out(&mut self, bench: &mut Bench) -> Vec<Frame> {
        self.give(bench, &[Symbol::IDLE; 12]);
        bench.received(self.sink)
    }

    /// Fails unless the last frame gave this one pulse; the pulses begin anew.
    fn pulse(&mut self, name: &str, about: &str) -> Result<(), String> {
        let pulses = std::mem::take(&mut self.pulses);
        let seen: Vec<_> = PULSES.into_iter().zip(pulses).filter(|(_, n)| *n > 0).collect();
        (seen == [(name, 1)]).then_some(()).ok_or_else(|| format!("{about}: pulses {seen:?}, not {name}"))
    }
}

fn random(bench: &mut Bench, octets: usize) -> Vec<u8> {
    let mut data = vec![0; octets];
    bench.rng().fill_bytes(&mut data);
    data
}

/// A frame of `length` octets with its FCS, as far as the FCS has room.
fn of_length(bench: &mut Bench, length: usize) -> Vec<u8> {
    match length.checked_sub(4) {
        Some(octets) => with_fcs(&random(bench, octets)),
        None => random(bench, length),
    }
}

#[test]
fn every_length_comes_without_preamble_and_fcs_or_with_err() {
    run_case("mac-rx-lengths", Top::MacW64, 1, |bench| {
        let mut dut = Dut::new(bench);
        for length in (0..=LONGEST + 2).chain([2_000, 9_018, 20_000]) {
            let frame = of_length(bench, length);
            let gap = bench.rng().random_range(8..=12);
            dut.frame(bench, &frame, gap);
            let (name, is_bad) = match length {
                0..64 => ("runt", true),
                64..=LONGEST => ("good", false),
                _ => ("long", true),
            };
            dut.pulse(name, &format!("{length} octets"))?;
            let out = bench.received(dut.sink);
            if length < 5 {
                assert_eq!(out, [], "{length} octets: nothing to offer");
            } else {
                assert_eq!((out.len(), out[0].err), (1, is_bad), "{length} octets: {out:?}");
                let octets = (length - 4).min(out[0].data.len());
                assert_eq!(out[0].data, frame[..octets], "{length} octets");
                assert!(octets == length - 4 || length > LONGEST, "{octets} of {length} octets");
            }
        }
        Ok(())
    });
}

#[test]
fn each_wrong_bit_of_the_fcs_and_of_a_frame_is_told() {
    run_case("mac-rx-fcs", Top::MacW64, 2, |bench| {
        let mut dut = Dut::new(bench);
        for (length, bits) in [(64, 0..64 * 8), (67, 63 * 8..67 * 8), (1_518, 1_514 * 8..1_518 * 8)] {
            for bit in bits {
                let mut frame = of_length(bench, length);
                frame[bit / 8] ^= 1 << (bit % 8);
                dut.frame(bench, &frame, 12);
                dut.pulse("bad_fcs", &format!("bit {bit} of {length} octets"))?;
                let out = bench.received(dut.sink);
                assert_eq!(out, [Frame { data: frame[..length - 4].to_vec(), err: true }]);
            }
        }
        Ok(())
    });
}

#[test]
fn rx_er_in_any_octet_spoils_the_frame_and_the_next_frame_is_good() {
    run_case("mac-rx-er", Top::MacW64, 3, |bench| {
        let mut dut = Dut::new(bench);
        for at in 0..8 + 70 {
            let frame = of_length(bench, 70);
            let mut wire = symbols(7, &frame);
            wire[at].fault = true;
            dut.give(bench, &wire);
            let out = dut.out(bench);
            dut.pulse("error", &format!("RX_ER in octet {at}"))?;
            // in the preamble there is no frame yet
            assert_eq!(out.iter().map(|f| f.err).collect::<Vec<_>>(), vec![true; usize::from(at >= 8)]);
            dut.frame(bench, &frame, 8);
            dut.pulse("good", &format!("behind RX_ER in octet {at}"))?;
            assert_eq!(bench.received(dut.sink), [Frame::good(frame[..66].to_vec())]);
        }
        // RX_ER without carrier says nothing of a frame
        let fault = Symbol { fault: true, ..Symbol::IDLE };
        dut.give(bench, &[fault; 20]);
        assert_eq!((dut.pulses, dut.out(bench)), ([0; 6], vec![]));
        Ok(())
    });
}

/// The order of the lines in `hdl/src/mac/README.md`.
#[test]
fn a_frame_with_several_faults_counts_once_at_the_first_that_fits() {
    run_case("mac-rx-several", Top::MacW64, 8, |bench| {
        let mut dut = Dut::new(bench);
        for (length, has_fault, name) in [
            (80, true, "error"),
            (40, true, "error"),
            (LONGEST + 1, true, "error"),
            (LONGEST + 1, false, "long"),
            (40, false, "runt"),
            (80, false, "bad_fcs"),
        ] {
            let mut frame = of_length(bench, length);
            frame[length - 1] ^= 1;
            let mut wire = symbols(7, &frame);
            wire[30].fault = has_fault;
            dut.give(bench, &wire);
            let out = dut.out(bench);
            dut.pulse(name, &format!("{length} octets, a wrong FCS, RX_ER: {has_fault}"))?;
            assert_eq!(out.iter().map(|f| f.err).collect::<Vec<_>>(), [true], "{name}");
        }
        Ok(())
    });
}

#[test]
fn a_preamble_may_be_short_and_must_be_a_preamble() {
    run_case("mac-rx-preamble", Top::MacW64, 4, |bench| {
        let mut dut = Dut::new(bench);
        for preamble in (0..=9).chain([100]) {
            let frame = of_length(bench, 80);
            dut.give(bench, &symbols(preamble, &frame));
            let out = dut.out(bench);
            dut.pulse("good", &format!("{preamble} octets of preamble"))?;
            assert_eq!(out, [Frame::good(frame[..76].to_vec())]);
        }
        for at in 0..8 {
            let mut wire = symbols(7, &of_length(bench, 80));
            wire[at].octet = 0x5D;
            dut.give(bench, &wire);
            assert_eq!(dut.out(bench), [], "octet {at} of the preamble");
            dut.pulse("error", &format!("octet {at} of the preamble"))?;
        }
        // a carrier without delimiter is no frame
        dut.give(bench, &symbols(7, &[])[..7]);
        assert_eq!((dut.pulses, dut.out(bench)), ([0; 6], vec![]));
        Ok(())
    });
}

#[test]
fn frames_may_follow_each_other_after_one_octet() {
    run_case("mac-rx-gaps", Top::MacW64, 5, |bench| {
        let mut dut = Dut::new(bench);
        let mut sent = vec![];
        for gap in (1..=12).cycle().take(240) {
            let length = bench.rng().random_range(64..200);
            let frame = of_length(bench, length);
            dut.frame(bench, &frame, gap);
            sent.push(Frame::good(frame[..length - 4].to_vec()));
        }
        assert_eq!(dut.out(bench), sent);
        assert_eq!(dut.pulses, [240, 0, 0, 0, 0, 0]);
        Ok(())
    });
}

#[test]
fn a_frame_that_finds_no_room_ends_with_err_and_is_counted_and_later_frames_are_good() {
    run_case("mac-rx-room", Top::MacW64, 6, |bench| {
        let mut dut = Dut::new(bench);
        for held in [1, 10, 30, 70, 100, 300] {
            let frame = of_length(bench, 128);
            let wire = [symbols(7, &frame), vec![Symbol::IDLE; 12]].concat();
            // the first beat waits; `held` octets later it is taken
            dut.give(bench, &wire[..16]);
            bench.hold_sink(dut.sink, true);
            let more = wire[16..].iter().copied().chain(std::iter::repeat(Symbol::IDLE));
            dut.give(bench, &more.clone().take(held).collect::<Vec<_>>());
            bench.hold_sink(dut.sink, false);
            dut.give(bench, &more.skip(held).take(160).collect::<Vec<_>>());
            let out = dut.out(bench);
            let is_lost = dut.pulses[5] == 1;
            assert_eq!(is_lost, held > 10, "held {held}");
            dut.pulse(if is_lost { "lost" } else { "good" }, &format!("held {held}"))?;
            assert_eq!(out.iter().map(|f| f.err).collect::<Vec<_>>(), [is_lost], "held {held}");
        }
        // frames that begin while the end of a frame waits are counted, each once
        let frame = of_length(bench, 64);
        bench.hold_sink(dut.sink, true);
        for _ in 0..5 {
            dut.frame(bench, &frame, 12);
        }
        bench.hold_sink(dut.sink, false);
        dut.give(bench, &[Symbol::IDLE; 20]);
        assert_eq!(dut.pulses, [0, 0, 0, 0, 0, 5], "{:?}", PULSES);
        assert_eq!(dut.out(bench).iter().map(|f| f.err).collect::<Vec<_>>(), [true]);
        dut.pulses = [0; 6];
        dut.frame(bench, &frame, 12);
        dut.pulse("good", "behind lost frames")?;
        assert_eq!(bench.received(dut.sink), [Frame::good(frame[..60].to_vec())]);
        Ok(())
    });
}

#[test]
fn what_is_left_of_a_frame_after_a_reset_is_no_frame() {
    run_case("mac-rx-reset", Top::MacW64, 7, |bench| {
        let mut dut = Dut::new(bench);
        let frame = of_length(bench, 100);
        for at in [0, 1, 7, 8, 20, 107] {
            let wire = symbols(7, &frame);
            dut.give(bench, &wire[..at]);
            bench.set("rx_carrier", 1);
            bench.reset();
            dut.pulses = [0; 6];
            dut.give(bench, &wire[at..]);
            assert_eq!((dut.out(bench), dut.pulses), (vec![], [0; 6]), "reset at octet {at}");
            dut.frame(bench, &frame, 12);
            dut.pulse("good", &format!("behind a reset at octet {at}"))?;
            assert_eq!(bench.received(dut.sink).len(), 1);
        }
        Ok(())
    });
}
