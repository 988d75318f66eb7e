// SPDX-License-Identifier: MIT OR Apache-2.0
//! The MAC between the wire's clock and the device's clock: what comes in goes out again.
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{model, seeds, Model};
use ferrowarp_tests::mac::{frames, symbols, with_fcs, Clocks, Seen, Symbol};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Fields of a beat.
const BEAT: [&str; 4] = ["data", "bytes", "last", "err"];

fn set(model: &mut Model, name: &str, value: u64) {
    model.set_u64(model.need(name).unwrap(), value).unwrap();
}

fn get(model: &Model, name: &str) -> u64 {
    model.get_u64(model.need(name).unwrap()).unwrap()
}

/// Gives `wire` to the port, whose beats go back as they come, and returns what leaves and the
/// eight counters. `periods` of the wire's clock and of the device's clock in femtoseconds.
fn looped(seed: u64, wire: &[Symbol], periods: [u64; 2]) -> (Vec<Seen>, Vec<u64>) {
    let library = model(Top::MacW64, &Config::profile(Profile::Tiny)).unwrap();
    let mut model = library.instantiate(seed);
    let mut clocks = Clocks::new(&model, ["clock", "port_core_clock"], periods, seed * 997 % periods[1]);
    let resets = ["reset", "port_core_reset"];
    resets.iter().for_each(|name| set(&mut model, name, 1));
    (0..40).for_each(|_| clocks.edge(&mut model));
    resets.iter().for_each(|name| set(&mut model, name, 0));
    let mut beats: VecDeque<[u64; 4]> = VecDeque::new();
    let mut left = vec![];
    // long enough for the last frames to leave, whose gaps may be longer than those of the wire
    let mut octets = wire.iter().copied().chain(std::iter::repeat_n(Symbol::IDLE, wire.len() / 4 + 3_000));
    loop {
        model.eval();
        let rising = clocks.rising();
        if rising[0] {
            let carrier = get(&model, "port_tx_carrier") == 1;
            left.push(Symbol { octet: get(&model, "port_tx_octet") as u8, carrier, fault: false });
        }
        let comes = rising[1] && get(&model, "port_from_wire_valid") == 1;
        let came = BEAT.map(|field| get(&model, &format!("port_from_wire_{field}")));
        let goes = rising[1] && !beats.is_empty() && get(&model, "port_to_wire_ready") == 1;
        clocks.edge(&mut model);
        if rising[0] {
            let Some(symbol) = octets.next() else { break };
            set(&mut model, "port_rx_octet", symbol.octet.into());
            set(&mut model, "port_rx_carrier", symbol.carrier.into());
            set(&mut model, "port_rx_fault", symbol.fault.into());
        }
        if rising[1] {
            beats.extend(comes.then_some(came));
            if goes {
                beats.pop_front();
            }
            set(&mut model, "port_from_wire_ready", 1);
            set(&mut model, "port_to_wire_valid", (!beats.is_empty()).into());
            for (field, value) in BEAT.iter().zip(beats.front().unwrap_or(&[0; 4])) {
                set(&mut model, &format!("port_to_wire_{field}"), *value);
            }
        }
    }
    let counts = (0..8).map(|index| {
        set(&mut model, "port_index", index);
        (0..20).for_each(|_| clocks.edge(&mut model));
        get(&model, "port_count")
    });
    let counts = counts.collect();
    (frames(&left).unwrap(), counts)
}

/// Frames of random octets with gaps of 8 to 12 octets.
fn random(rng: &mut ChaCha8Rng, lengths: impl Iterator<Item = usize>) -> (Vec<Vec<u8>>, Vec<Symbol>) {
    let mut wire = vec![Symbol::IDLE; 20];
    let frames = lengths.map(|length| {
        let mut data = vec![0; length];
        rng.fill_bytes(&mut data);
        wire.extend(symbols(7, &with_fcs(&data)));
        wire.extend(vec![Symbol::IDLE; rng.random_range(8..=12)]);
        data
    });
    (frames.collect(), wire)
}

#[test]
fn frames_that_come_leave_again_at_the_clocks_of_a_board_200_ppm_apart() {
    // wire 125 MHz; device 31.25 MHz, its slowest clock and one faster than the wire
    for seed in seeds(1..3, 1..12) {
        for core in [32_000_000, 32_006_400, 31_993_600, 48_000_000, 6_400_000] {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let lengths: Vec<_> =
                (0..120).map(|_| rng.random_range(60..300)).chain([1_514, 60, 1_514]).collect();
            let (sent, wire) = random(&mut rng, lengths.into_iter());
            let (seen, counts) = looped(seed, &wire, [8_000_000, core]);
            let about = format!("FERROWARP_SEED={seed}, core {core} fs");
            assert_eq!(counts, [sent.len() as u64, 0, 0, 0, 0, 0, sent.len() as u64, 0], "{about}");
            assert_eq!(seen.len(), sent.len(), "{about}");
            for (i, (seen, sent)) in seen.iter().zip(&sent).enumerate() {
                assert_eq!(seen.good(), Some(&sent[..]), "frame {i}, {about}");
                assert!(i == 0 || seen.gap >= 12, "a gap of {} in front of frame {i}, {about}", seen.gap);
            }
        }
    }
}

/// Octets of a frame without FCS, from an end of the port to the other one.
const DATA: usize = 1_514;

/// Without `FERROWARP_FULL=1`, every seventh length.
#[test]
fn frames_of_every_length_up_to_1518_octets_pass_between_clocks_200_ppm_apart() {
    for seed in seeds(0..1, 0..7) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (sent, wire) = random(&mut rng, (seed as usize..=DATA).step_by(7));
        let (seen, counts) = looped(seed, &wire, [8_000_000, 32_006_400]);
        let (runts, whole): (Vec<_>, Vec<_>) = sent.iter().partition(|data| data.len() < 60);
        // a runt without an octet besides its FCS does not leave
        let spoilt = runts.iter().filter(|data| !data.is_empty()).count();
        let about = format!("FERROWARP_SEED={seed}");
        let [good, runt, left] = [whole.len(), runts.len(), spoilt].map(|n| n as u64);
        assert_eq!(counts, [good, 0, runt, 0, 0, 0, good, left], "{about}");
        let good: Vec<_> = seen.iter().filter_map(Seen::good).collect();
        assert_eq!(good, whole, "{about}");
        assert_eq!(seen.len(), whole.len() + spoilt, "{about}");
        assert!(seen[1..].iter().all(|seen| seen.gap >= 12), "{about}");
    }
}

#[test]
fn each_frame_is_counted_once_by_what_is_wrong_with_it() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut frame = |octets: usize| {
        let (data, _) = random(&mut rng, [octets].into_iter());
        symbols(7, &with_fcs(&data[0]))
    };
    let mut bad = frame(100);
    bad[50].octet ^= 1;
    let mut spoilt = frame(100);
    spoilt[60].fault = true;
    let kinds = [frame(100), bad, frame(59), frame(1_519), spoilt];
    let times = [5, 4, 3, 2, 6];
    let mut wire = vec![Symbol::IDLE; 20];
    for (kind, times) in kinds.iter().zip(times) {
        for _ in 0..times {
            wire.extend(kind);
            wire.extend([Symbol::IDLE; 12]);
        }
    }
    let (seen, counts) = looped(1, &wire, [8_000_000, 32_000_000]);
    assert_eq!(counts, [5, 4, 3, 2, 6, 0, 5, 15], "good, bad FCS, runt, long, RX_ER, lost, sent, spoilt");
    assert_eq!(seen.iter().filter(|s| s.good().is_some()).count(), 5, "bad frames leave with a wrong FCS");
}
