// SPDX-License-Identifier: MIT OR Apache-2.0
//! Header split and join, byte shifter, frame splitter: Rust-HDL's own simulator and the Verilated
//! model agree in every cycle.
use ferrowarp_hdl::stream::{FrameSplitter, HeaderJoin, HeaderSplit, Realign};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::run_case;
use ferrowarp_tests::inputs;
use ferrowarp_tests::native::{compare, Plan};
use rand::Rng;

fn split<const HB: usize, const NB: usize>(instance: &str) {
    run_case(&format!("native-{instance}-w64"), Top::BenchW64, 1, |bench| {
        let inputs =
            inputs!(b: HeaderSplit<64, 4, HB, NB> => b.clock, b.reset, b.rx.data, b.rx.bytes, b.rx.last,
            b.rx.err, b.rx.valid, b.hdr.ready, b.tx.ready)
            .drawn("rx_last", |rng| vec![u8::from(rng.random_ratio(1, 8))])
            .drawn("rx_bytes", |rng| vec![rng.random_range(1..=8)]);
        compare(bench, instance, HeaderSplit::new(), &inputs, Plan::default())
    });
}

#[test]
fn header_split() {
    split::<112, 2>("split14");
    split::<144, 3>("split18");
    split::<160, 3>("split20");
    split::<320, 5>("split40");
    split::<432, 7>("split54");
}

fn join<const HB: usize, const NB: usize>(instance: &str) {
    run_case(&format!("native-{instance}-w64"), Top::BenchW64, 1, |bench| {
        let inputs =
            inputs!(b: HeaderJoin<64, 4, HB, NB> => b.clock, b.reset, b.hdr.data, b.hdr.short, b.hdr.empty,
            b.hdr.err, b.hdr.valid, b.rx.data, b.rx.bytes, b.rx.last, b.rx.err, b.rx.valid, b.tx.ready)
            .drawn("rx_bytes", |rng| vec![rng.random_range(1..=8)]);
        compare(bench, instance, HeaderJoin::new(), &inputs, Plan::default())
    });
}

#[test]
fn header_join() {
    join::<112, 2>("join14");
    join::<144, 3>("join18");
    join::<160, 3>("join20");
    join::<320, 5>("join40");
    join::<432, 7>("join54");
}

#[test]
fn realign() {
    run_case("native-realign-w64", Top::BenchW64, 1, |bench| {
        let inputs =
            inputs!(b: Realign<64, 4> => b.clock, b.reset, b.rx.data, b.rx.bytes, b.rx.last, b.rx.err,
            b.rx.valid, b.skip.octets, b.skip.valid, b.parts.ready, b.tx.ready)
            .drawn("rx_bytes", |rng| vec![rng.random_range(1..=8)])
            .drawn("rx_last", |rng| vec![u8::from(rng.random_ratio(1, 4))])
            .drawn("skip_octets", |rng| vec![rng.random_range(0..40)]);
        compare(bench, "realign", Realign::new(), &inputs, Plan::default())
    });
}

#[test]
fn frame_splitter() {
    run_case("native-cut-w64", Top::BenchW64, 1, |bench| {
        let inputs = inputs!(b: FrameSplitter<64, 4> => b.clock, b.reset, b.rx.data, b.rx.bytes, b.rx.last,
            b.rx.err, b.rx.valid, b.cut.octets, b.cut.valid, b.parts.ready, b.tx.ready)
        .drawn("rx_bytes", |rng| vec![rng.random_range(1..=8)])
        .drawn("rx_last", |rng| vec![u8::from(rng.random_ratio(1, 4))])
        .drawn("cut_octets", |rng| vec![rng.random_range(0..40)]);
        compare(
            bench,
            "cut",
            FrameSplitter::new(),
            &inputs,
            Plan { constant: &["parts_err"], ..Plan::default() },
        )
    });
}
