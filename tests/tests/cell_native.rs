//! Rust-HDL's own simulator and the emitted Verilog, cycle for cycle the same.
use ferrowarp_hdl::stream::Skid;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::run_case;
use ferrowarp_tests::inputs;
use ferrowarp_tests::native::{compare, Inputs, Plan};
use rand::Rng;

fn skid_inputs() -> Inputs<Skid<64, 4>> {
    inputs!(b: Skid<64, 4> => b.clock, b.reset, b.rx.data, b.rx.bytes, b.rx.last, b.rx.err, b.rx.valid,
        b.tx.ready)
    .drawn("rx_bytes", |rng| vec![rng.random_range(1..=8)])
}

#[test]
fn skid_w64() {
    run_case("native-skid-w64", Top::BenchW64, 1, |bench| {
        compare(bench, "skid", Skid::default(), &skid_inputs(), Plan::default())
    });
}

#[test]
fn another_block_is_told_apart() {
    run_case("native-wrong-block", Top::BenchW64, 1, |bench| {
        let why = compare(bench, "fifo", Skid::default(), &skid_inputs(), Plan::default()).unwrap_err();
        assert!(why.contains("fifo_") && why.contains("natively"), "{why}");
        Ok(())
    });
}
