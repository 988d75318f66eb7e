// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scrubbed RAM and counter bank on the emitted Verilog.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds};
use rand::Rng;

/// Words of the bench's scrubbed RAM.
const WORDS: u64 = 16;

#[test]
fn random_contents_are_blank_when_the_scrub_is_over() {
    for seed in seeds(0..5, 0..20) {
        run_case("scrub", Top::BenchW64, seed, |bench| {
            bench.set("scrubbed_read_enable", 1);
            // asked for in the middle of the scrub: dropped
            bench.set("scrubbed_write_enable", 1);
            bench.set("scrubbed_write_data", 0xFFF);
            bench.reset();
            for cycle in 0..WORDS {
                bench.set("scrubbed_read_address", bench.cycle() % WORDS);
                bench.settle();
                assert_eq!(bench.get("scrubbed_ready"), 0, "ready {cycle} cycles after reset");
                bench.step();
                assert_eq!(bench.get("scrubbed_read_data"), 0, "a read before ready");
            }
            bench.set("scrubbed_write_enable", 0);
            for address in 0..WORDS {
                bench.settle();
                assert_eq!(bench.get("scrubbed_ready"), 1);
                bench.set("scrubbed_read_address", address);
                bench.step();
                assert_eq!(bench.get("scrubbed_read_data"), 0, "word {address}");
            }
            Ok(())
        });
    }
}

#[test]
fn a_read_of_the_word_being_written_gives_the_new_value() {
    run_case("scrubbed-random", Top::BenchW64, 1, |bench| {
        bench.run_until(100, |b| b.get("scrubbed_ready") == 1)?;
        let mut model = [0; WORDS as usize];
        let (mut shown, mut collisions) = (None, 0);
        for cycle in 0..20_000 {
            let rng = bench.rng();
            let (write, read): (bool, bool) = (rng.random(), rng.random());
            let (to, from) = (rng.random_range(0..WORDS), rng.random_range(0..WORDS));
            let data = rng.random_range(0..1 << 12);
            bench.set("scrubbed_write_enable", u64::from(write));
            bench.set("scrubbed_write_address", to);
            bench.set("scrubbed_write_data", data);
            bench.set("scrubbed_read_enable", u64::from(read));
            bench.set("scrubbed_read_address", from);
            if write {
                model[to as usize] = data;
            }
            if read {
                shown = Some(model[from as usize]);
                collisions += u64::from(write && to == from);
            }
            bench.step();
            if let Some(word) = shown {
                assert_eq!(bench.get("scrubbed_read_data"), word, "cycle {cycle}");
            }
        }
        assert!(collisions > 100, "{collisions} reads met a write");
        Ok(())
    });
}

/// The bench's bank: five counters of four bits.
const COUNTERS: usize = 5;
const MOST: u64 = 15;

#[test]
fn counters_saturate_and_reading_with_clear_loses_no_event() {
    run_case("counters", Top::BenchW64, 1, |bench| {
        let mut model = [0_u64; COUNTERS];
        let mut saturated = 0;
        for cycle in 0..20_000 {
            let rng = bench.rng();
            let pulse: u64 = rng.random_range(0..1 << COUNTERS) & rng.random_range(0..1 << COUNTERS);
            let index = rng.random_range(0..8_usize);
            let clear = rng.random_ratio(1, 6);
            bench.set("counters_pulse", pulse);
            bench.set("counters_index", index as u64);
            bench.set("counters_clear", u64::from(clear));
            let shown = model.get(index).copied().unwrap_or(0);
            for (i, counter) in model.iter_mut().enumerate() {
                let event = pulse >> i & 1;
                saturated += u64::from(event == 1 && *counter == MOST);
                *counter = if clear && i == index { event } else { MOST.min(*counter + event) };
            }
            bench.step();
            assert_eq!(bench.get("counters_count"), shown, "counter {index} in cycle {cycle}");
        }
        assert!(saturated > 100, "{saturated} events met a full counter");
        bench.set("counters_pulse", 0x1F);
        bench.reset();
        bench.set("counters_pulse", 0);
        for index in 0..COUNTERS {
            bench.set("counters_index", index as u64);
            bench.step();
            assert_eq!(bench.get("counters_count"), 0, "reset wins over events");
        }
        Ok(())
    });
}
