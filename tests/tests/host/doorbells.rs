// SPDX-License-Identifier: MIT OR Apache-2.0
//! Doorbells go to the queue of their kind; one that names nothing is dropped and told.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Item, Pattern};
use rand::Rng;

/// The outputs, with what each takes: kinds, and how many numbers there are.
const QUEUES: [(&str, &[u64], u64); 6] = [
    ("db_sq", &[0], 16),
    ("db_rq", &[1], 16),
    ("db_cq", &[2, 3], 32),
    ("db_ev", &[4], 1),
    ("db_raw_rx", &[5, 7], 1),
    ("db_raw_tx", &[6], 1),
];

/// A doorbell as the record lies on the port: kind, solicited_only, number, value from bit 0 on.
fn record(kind: u64, solicited: u64, number: u64, value: u64) -> Item {
    let bits = kind | solicited << 8 | number << 9 | value << 25;
    Item::new().with("item", bits)
}

/// Pulses of `bad` in so many cycles.
fn bad(bench: &mut Bench, cycles: u64) -> u64 {
    (0..cycles).map(|_| (bench.step(), bench.get("db_bad")).1).sum()
}

#[test]
fn each_doorbell_comes_out_once_at_the_queue_of_its_kind() {
    for seed in seeds(0..2, 0..20) {
        run_case("host-doorbells", Top::HostW64, seed, |bench| {
            let input = bench.channel_source("db_db", Pattern::Random);
            let sinks = QUEUES.map(|(name, ..)| bench.channel_sink(name, Pattern::Random));
            let (mut wanted, mut dropped) = (vec![vec![]; QUEUES.len()], 0);
            for value in 0..1_000 {
                let kind = bench.rng().random_range(0..10);
                let number = bench.rng().random_range(0..[2, 33, 65_536][value as usize % 3]);
                let item = record(kind, value & 1, number, value);
                match QUEUES.iter().position(|(_, kinds, count)| kinds.contains(&kind) && number < *count) {
                    Some(queue) => wanted[queue].push(item.clone()),
                    None => dropped += 1,
                }
                bench.put(input, item);
            }
            let mut told = 0;
            while !bench.put_all(input) {
                told += bad(bench, 1);
            }
            told += bad(bench, 200);
            assert_eq!(told, dropped);
            for (sink, want) in sinks.into_iter().zip(wanted) {
                assert!(want.len() > 5);
                assert_eq!(bench.taken(sink), want);
            }
            Ok(())
        });
    }
}

#[test]
fn the_highest_numbers_pass_and_the_next_do_not() {
    run_case("host-doorbell-edges", Top::HostW64, 1, |bench| {
        let input = bench.channel_source("db_db", Pattern::None);
        let sinks = QUEUES.map(|(name, ..)| bench.channel_sink(name, Pattern::None));
        for (queue, (_, kinds, count)) in QUEUES.iter().enumerate() {
            for kind in *kinds {
                let last = record(*kind, 0, count - 1, 0xffff_ffff);
                for item in [last.clone(), record(*kind, 0, *count, 1), record(*kind, 0, 0x8000, 2)] {
                    bench.put(input, item);
                }
                assert_eq!(bad(bench, 10), 2, "kind {kind}");
                assert_eq!(bench.taken(sinks[queue]), [last]);
            }
        }
        for kind in 8..256 {
            bench.put(input, record(kind, 0, 0, 0));
        }
        assert_eq!(bad(bench, 300), 248);
        Ok(())
    });
}
