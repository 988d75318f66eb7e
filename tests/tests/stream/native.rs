// SPDX-License-Identifier: MIT OR Apache-2.0
//! FIFO, arbiter, fork and metadata join: Rust-HDL's own simulator and the Verilated model agree in
//! every cycle.
use ferrowarp_hdl::stream::{Arbiter, Fork, MetaJoin, OnFull, PacketFifo};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::inputs;
use ferrowarp_tests::native::{compare, Plan};
use rand::Rng;

type Fifo = PacketFifo<64, 4, 5>;

fn packet_fifo(bench: &mut Bench, name: &str, on_full: OnFull, constant: &[&str]) -> Result<(), String> {
    // frames long enough to fill the FIFO, and rarely discarded, so that every verdict comes up
    let inputs = inputs!(b: Fifo => b.clock, b.reset, b.rx.data, b.rx.bytes, b.rx.last, b.rx.err, b.rx.valid,
        b.discard, b.tx.ready)
    .drawn("rx_last", |rng| vec![u8::from(rng.random_ratio(1, 20))])
    .drawn("discard", |rng| vec![u8::from(rng.random_ratio(1, 100))]);
    compare(bench, name, Fifo::new(on_full), &inputs, Plan { cycles: 6_000, constant, ..Plan::default() })
}

#[test]
fn packet_fifo_that_waits() {
    run_case("native-fifo-w64", Top::BenchW64, 1, |bench| {
        packet_fifo(bench, "fifo", OnFull::Wait, &["tx_err", "dropped_full"])
    });
}

#[test]
fn packet_fifo_that_drops() {
    run_case("native-port-fifo-w64", Top::BenchW64, 1, |bench| {
        packet_fifo(bench, "port_fifo", OnFull::Drop, &["tx_err"])
    });
}

#[test]
fn arbiter() {
    run_case("native-arb3-w64", Top::BenchW64, 1, |bench| {
        let inputs = inputs!(b: Arbiter<3, 64, 4> => b.clock, b.reset,
            b.rx[0].data, b.rx[0].bytes, b.rx[0].last, b.rx[0].err, b.rx[0].valid,
            b.rx[1].data, b.rx[1].bytes, b.rx[1].last, b.rx[1].err, b.rx[1].valid,
            b.rx[2].data, b.rx[2].bytes, b.rx[2].last, b.rx[2].err, b.rx[2].valid, b.tx.ready);
        compare(bench, "arb3", Arbiter::default(), &inputs, Plan::default())
    });
}

#[test]
fn fork() {
    run_case("native-fork-w64", Top::BenchW64, 1, |bench| {
        let inputs = inputs!(b: Fork<64, 4> => b.clock, b.reset, b.rx.data, b.rx.bytes, b.rx.last, b.rx.err,
            b.rx.valid, b.left.ready, b.right.ready);
        compare(bench, "fork", Fork::default(), &inputs, Plan::default())
    });
}

#[test]
fn meta_join() {
    run_case("native-mjoin-w64", Top::BenchW64, 1, |bench| {
        let inputs = inputs!(b: MetaJoin<32, 64, 4> => b.clock, b.reset, b.rx.data, b.rx.bytes, b.rx.last,
            b.rx.err, b.rx.valid, b.meta_rx.item, b.meta_rx.empty, b.meta_rx.valid, b.meta_tx.ready, b.tx.ready);
        compare(bench, "mjoin", MetaJoin::default(), &inputs, Plan::default())
    });
}
