// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPA transmit on the emitted Verilog: random sequences, every cut, faults, full rate.
use ferrowarp_hdl::mpa::TX_LATENCY;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Frame};
use ferrowarp_tests::mpa_model::mulpdu;
use ferrowarp_tests::mpa_tx::{both_widths, random_ulpdu, Answer, Faults, Order, Sender, LONGEST};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Orders of one random sequence.
const ORDERS: usize = 8;

/// A length: half of them short, one in 100 of any size, the others up to a jumbo frame.
fn random_length(rng: &mut ChaCha8Rng) -> usize {
    match rng.random_range(0..100) {
        0 => rng.random_range(9_001..=LONGEST),
        1..50 => rng.random_range(1..=200),
        _ => rng.random_range(14..=9_000),
    }
}

/// FPDUs that follow each other in a stream; one in three is cut.
fn random_sequence(rng: &mut ChaCha8Rng, markers: bool, crc: bool) -> Vec<Order> {
    let mut offset = 4 * rng.random_range(0..1_u64 << 20);
    let order = |_| {
        let length = random_length(rng);
        let order = Order { crc, ..Order::new(random_ulpdu(rng, length), offset, markers) };
        let total = order.wire().len();
        offset += total as u64;
        match rng.random_range(0..3) {
            0 => {
                let from = rng.random_range(0..total);
                let to = rng.random_range(from + 1..=total);
                order.cut(from, to)
            }
            _ => order,
        }
    };
    (0..ORDERS).map(order).collect()
}

fn random_sequences(top: Top, markers: bool, crc: bool) {
    let name = format!("mpa_tx-{}-markers_{markers}-crc_{crc}", top.name());
    for seed in seeds(0..200, 0..1_000) {
        run_case(&name, top, seed, |bench| {
            let sender = Sender::random(bench);
            let orders = random_sequence(bench.rng(), markers, crc);
            sender.check(bench, &orders).map(drop)
        });
    }
}

#[test]
fn w64_random_plain() {
    random_sequences(Top::BenchW64, false, true);
    random_sequences(Top::BenchW64, false, false);
}

#[test]
fn w64_random_markers() {
    random_sequences(Top::BenchW64, true, true);
    random_sequences(Top::BenchW64, true, false);
}

#[test]
fn w256_random_plain() {
    random_sequences(Top::BenchW256, false, true);
    random_sequences(Top::BenchW256, false, false);
}

#[test]
fn w256_random_markers() {
    random_sequences(Top::BenchW256, true, true);
    random_sequences(Top::BenchW256, true, false);
}

#[test]
fn every_cut_of_a_short_fpdu() {
    both_widths("cuts", |bench, sender| {
        let whole = Order::new((0..16).collect::<Vec<_>>(), 0x1F4, true);
        let total = whole.wire().len();
        let cuts = (0..total).flat_map(|a| (a + 1..=total).map(move |b| (a, b)));
        let orders: Vec<_> = cuts.map(|(a, b)| whole.clone().cut(a, b)).collect();
        sender.check(bench, &orders).map(drop)
    });
}

#[test]
fn every_length_at_every_phase() {
    // with W/8 + 8 lengths every fill of the last beat meets every place of a marker in it
    both_widths("phases", |bench, sender| {
        for phase in (0..512).step_by(4) {
            let orders: Vec<_> =
                (1..=40).map(|length| Order::new(random_ulpdu(bench.rng(), length), phase, true)).collect();
            sender.check(bench, &orders)?;
        }
        Ok(())
    });
}

#[test]
fn two_markers_and_the_longest_ulpdu() {
    both_widths("longest", |bench, sender| {
        for (length, offset, markers) in
            [(LONGEST, 256, true), (LONGEST, 0, true), (LONGEST, 0, false), (LONGEST - 1, 4, true)]
        {
            let ulpdu = random_ulpdu(bench.rng(), length);
            let orders = [Order::new(ulpdu, offset, markers), Order::new([1; 20], offset, markers)];
            sender.check(bench, &orders)?;
        }
        Ok(())
    });
}

#[test]
fn impossible_commands_are_refused_and_the_next_fpdu_is_right() {
    both_widths("refused", |bench, sender| {
        let good = Order::new((0..60).collect::<Vec<_>>(), 500, true);
        let total = good.wire().len();
        let whole = good.clone().cut(0, total);
        let bad = [
            Order { length: 0, ..whole.clone() },
            Order { length: LONGEST + 1, ..whole.clone() },
            Order { length: 65_535, ..whole.clone() },
            Order { offset: 501, ..whole.clone() },
            Order { offset: 502, ..whole },
            Order { length: 0, ..good.clone().cut(4, 5) },
            Order { offset: 503, ..good.clone().cut(total - 1, total) },
        ];
        let passed = Answer { total, refused: false };
        for order in &bad {
            let got = sender.give(bench, &[order.clone(), good.clone()], 1)?;
            assert_eq!(got.answers, [Answer { refused: true, ..Answer::default() }, passed], "{order:?}");
            assert_eq!(got.frames, [Frame::good(good.wire())], "after {order:?}");
            assert_eq!(got.faults, Faults { refused: 1, ..Faults::default() }, "{order:?}");
        }
        Ok(())
    });
}

/// What TCP never asks for: the frame ends with the FPDU's last beat, and the next FPDU is right.
#[test]
fn a_cut_beyond_the_fpdu_ends_with_its_last_beat() {
    both_widths("beyond", |bench, sender| {
        let good = Order::new((0..60).collect::<Vec<_>>(), 500, true);
        let total = good.wire().len();
        for (from, more) in (0..total).flat_map(|from| [1, 8, 33, 5_000].map(|more| (from, more))) {
            let got = sender.give(bench, &[good.clone().cut(from, total + more), good.clone()], 2)?;
            assert_eq!(got.answers, [Answer { total, refused: false }; 2], "{more} beyond from {from}");
            let rest = &good.wire()[from..];
            assert!(got.frames[0].data.starts_with(rest), "{more} beyond from {from}: {}", got.frames[0]);
            assert!(
                got.frames[0].data.len() < rest.len() + 32,
                "{more} beyond from {from}: {}",
                got.frames[0]
            );
            assert_eq!(got.frames[1], Frame::good(good.wire()), "behind {more} beyond from {from}");
        }
        Ok(())
    });
}

/// A faulty ULPDU before and after good ones: a frame of the size promised ends with `err`, the
/// others are right.
fn faulty(bench: &mut Bench, sender: &Sender, bad: &Order, faults: Faults) -> Result<(), String> {
    let good = Order::new((0..90).collect::<Vec<_>>(), 484, true);
    let truth = Order { ulpdu: vec![0; bad.length], ..bad.clone() };
    let got = sender.give(bench, &[good.clone(), bad.clone(), good.clone()], 3)?;
    let wanted = truth.wanted().len();
    let totals = [good.wire().len(), truth.wire().len(), good.wire().len()];
    assert_eq!(got.answers, totals.map(|total| Answer { total, refused: false }), "{bad:?}");
    assert_eq!([&got.frames[0], &got.frames[2]], [&Frame::good(good.wire()); 2], "beside {bad:?}");
    assert!(got.frames[1].err && got.frames[1].data.len() == wanted, "{bad:?} gave {}", got.frames[1]);
    assert_eq!(got.faults, faults, "{bad:?}");
    Ok(())
}

/// Orders of every length around beat and pad edges, whole and cut on both sides of where a fault
/// shows.
fn edges() -> Vec<Order> {
    let whole = (14..=80).map(|length| Order::new(vec![0xEE; length], 492, true));
    whole.flat_map(|o| [o.clone(), o.clone().cut(0, 5), o.cut(9, 20)]).collect()
}

#[test]
fn a_short_ulpdu_ends_with_err() {
    both_widths("short", |bench, sender| {
        for order in edges() {
            for there in [1, order.length / 2, order.length - 1] {
                let bad = Order { ulpdu: vec![0xEE; there], ..order.clone() };
                faulty(bench, sender, &bad, Faults { too_short: 1, ..Faults::default() })?;
            }
        }
        Ok(())
    });
}

#[test]
fn a_long_ulpdu_ends_with_err() {
    both_widths("long", |bench, sender| {
        for order in edges() {
            for more in [1, 8, 100] {
                let bad = Order { ulpdu: vec![0xEE; order.length + more], ..order.clone() };
                faulty(bench, sender, &bad, Faults { too_long: 1, ..Faults::default() })?;
            }
        }
        Ok(())
    });
}

#[test]
fn a_bad_ulpdu_ends_with_err() {
    both_widths("spoilt", |bench, sender| {
        for order in edges() {
            faulty(bench, sender, &Order { err: true, ..order }, Faults { spoilt: 1, ..Faults::default() })?;
        }
        Ok(())
    });
}

#[test]
fn no_bubble_inside_or_between_fpdus() {
    both_widths("rate", |bench, sender| {
        for emss in [1_460, 8_960] {
            for markers in [false, true] {
                let ulpdu = random_ulpdu(bench.rng(), mulpdu(emss, markers));
                let mut offset = 0;
                let order = |_| {
                    let order = Order::new(ulpdu.clone(), offset, markers);
                    offset += order.wire().len() as u64;
                    order
                };
                let orders: Vec<_> = (0..30).map(order).collect();
                sender.check(bench, &orders)?;
                let rate = bench.sink_rate(sender.fpdus);
                assert_eq!(rate.bubbles(), 0, "EMSS {emss}, markers {markers}: {rate:?}");
            }
        }
        Ok(())
    });
}

#[test]
fn no_bubble_between_the_smallest_fpdus() {
    both_widths("smallest", |bench, sender| {
        for markers in [false, true] {
            let mut offset = 0;
            let order = |_| {
                let order = Order::new([0x33; 14], offset, markers);
                offset += order.wire().len() as u64;
                order
            };
            let orders: Vec<_> = (0..200).map(order).collect();
            sender.check(bench, &orders)?;
            let rate = bench.sink_rate(sender.fpdus);
            assert_eq!(rate.bubbles(), 0, "markers {markers}: {rate:?}");
        }
        Ok(())
    });
}

#[test]
fn the_first_beat_comes_after_the_stated_latency() {
    both_widths("latency", |bench, sender| {
        bench.hold_source(sender.ulpdus, true);
        let order = Order::new(random_ulpdu(bench.rng(), 300), 0, true);
        sender.offer(bench, &order);
        (0..20).for_each(|_| bench.step());
        bench.hold_source(sender.ulpdus, false);
        bench.expect(sender.fpdus, 1);
        bench.run_until(200, |b| b.waiting(sender.fpdus) == 1)?;
        let from = bench.source_rate(sender.ulpdus).first_cycle;
        let to = bench.sink_rate(sender.fpdus).first_cycle;
        assert_eq!(to - from, TX_LATENCY);
        Ok(())
    });
}
