// SPDX-License-Identifier: MIT OR Apache-2.0
//! The FIFO between two clocks, at random ratios and phases: against plain code, and against
//! Rust-HDL's own simulator.
use ferrowarp_hdl::cell::AsyncFifo;
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{model, seeds, Model};
use ferrowarp_tests::mac::Clocks;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

/// Places of the FIFO of the bench.
const PLACES: usize = 8;

/// The FIFO in Verilator, and the native one if the two are compared.
struct Pair {
    model: Model,
    native: Option<AsyncFifo<Bits<16>, 3>>,
    /// Both have been through reset.
    is_reset: bool,
}

impl Pair {
    fn new(seed: u64, is_compared: bool) -> Self {
        let library = model(Top::MacW64, &Config::profile(Profile::Tiny)).unwrap();
        let native = is_compared.then(|| {
            let mut native = AsyncFifo::<Bits<16>, 3>::default();
            native.connect_all();
            native
        });
        Self { model: library.instantiate(seed), native, is_reset: false }
    }

    fn set(&mut self, name: &str, value: u64) {
        let port = if name == "reset" { name.into() } else { format!("fifo_{name}") };
        self.model.set_u64(self.model.need(&port).unwrap(), value).unwrap();
        if let Some(fifo) = &mut self.native {
            match name {
                "reset" => fifo.reset.next = value == 1,
                "read_reset" => fifo.read_reset.next = value == 1,
                "rx_valid" => fifo.rx_valid.next = value == 1,
                "rx_item" => fifo.rx_item.next = value.into(),
                _ => fifo.tx_ready.next = value == 1,
            }
        }
    }

    fn get(&self, name: &str) -> u64 {
        self.model.get_u64(self.model.need(&format!("fifo_{name}")).unwrap()).unwrap()
    }

    /// Passes an edge with both, which then show the same.
    fn edge(&mut self, clocks: &mut Clocks) {
        self.model.eval();
        let rising = clocks.rising();
        clocks.edge(&mut self.model);
        let Some(fifo) = &mut self.native else { return };
        assert!(simulate(fifo, 50));
        for level in [true, false] {
            if rising[0] {
                fifo.clock.next = level.into();
            }
            if rising[1] {
                fifo.read_clock.next = level.into();
            }
            assert!(simulate(fifo, 50));
        }
        if !self.is_reset {
            return;
        }
        let shown =
            (u64::from(fifo.rx_ready.val()), u64::from(fifo.tx_valid.val()), fifo.tx_item.val().to_u64());
        let item = if shown.1 == 1 { self.get("tx_item") } else { shown.2 };
        assert_eq!((self.get("rx_ready"), self.get("tx_valid"), item), shown, "the model, and natively");
    }
}

/// `words` words through the FIFO; `periods` of the two clocks in femtoseconds.
fn pass(seed: u64, words: u64, periods: [u64; 2], is_compared: bool) {
    let about = format!("FERROWARP_SEED={seed}, periods {periods:?} fs");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(seed, is_compared);
    let phase = rng.random_range(0..periods[1]);
    let mut clocks = Clocks::new(&pair.model, ["clock", "fifo_read_clock"], periods, phase);
    pair.set("reset", 1);
    pair.set("read_reset", 1);
    let mut cycles = [0; 2];
    while cycles[0] < 4 || cycles[1] < 4 {
        (0..2).filter(|&i| clocks.rising()[i]).for_each(|i| cycles[i] += 1);
        pair.edge(&mut clocks);
    }
    pair.is_reset = true;
    pair.set("reset", 0);
    pair.set("read_reset", 0);
    let (mut held, mut sent, mut taken, mut most, mut quiet) = (VecDeque::new(), 0_u64, 0, 0, 0);
    let (mut offers, mut takes) = ((false, 0), false);
    // how willing either end is, of 16; drawn anew now and then
    let mut odds = [8; 2];
    while taken < words {
        pair.model.eval();
        let rising = clocks.rising();
        if rising[1] && takes && pair.get("tx_valid") == 1 {
            assert_eq!(Some(pair.get("tx_item")), held.pop_front(), "word {taken}, {about}");
            (taken, quiet) = (taken + 1, 0);
        }
        let enters = rising[0] && offers.0 && pair.get("rx_ready") == 1;
        if enters {
            held.push_back(offers.1);
            sent += 1;
            assert!(held.len() <= PLACES, "{} words in {PLACES} places, {about}", held.len());
            most = most.max(held.len());
        }
        pair.edge(&mut clocks);
        quiet += 1;
        assert!(quiet < 100_000, "nothing comes, {sent} words went in, {taken} came out, {about}");
        if rng.random_ratio(1, 200) {
            odds = [0; 2].map(|_| [1, 8, 16][rng.random_range(0..3)]);
        }
        if rising[0] && (enters || !offers.0) {
            offers = (rng.random_range(0..16) < odds[0], rng.random_range(0..1 << 16));
            pair.set("rx_valid", offers.0.into());
            pair.set("rx_item", offers.1);
        }
        if rising[1] {
            takes = rng.random_range(0..16) < odds[1];
            pair.set("tx_ready", takes.into());
        }
    }
    assert_eq!(most, PLACES, "the FIFO was never full, {about}");
}

#[test]
fn words_come_once_and_in_order_at_random_ratios_and_phases() {
    for seed in seeds(0..5, 0..50) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xF1F0);
        // from 1 : 20 to 20 : 1
        let periods = [0; 2].map(|_| rng.random_range(1_000_000..20_000_000));
        pass(seed, 20_000, periods, false);
    }
}

#[test]
fn words_come_once_and_in_order_at_clocks_200_ppm_apart() {
    for seed in seeds(0..2, 0..10) {
        for periods in [[8_000_000, 8_001_600], [8_001_600, 8_000_000], [8_000_000, 8_000_000]] {
            pass(seed, 10_000, periods, false);
        }
    }
}

#[test]
fn the_native_fifo_shows_the_same_after_each_edge() {
    for (seed, periods) in
        [(1, [8_000, 32_000]), (2, [32_000, 8_000]), (3, [7_919, 8_191]), (4, [8_000, 8_000])]
    {
        pass(seed, 3_000, periods, true);
    }
}
