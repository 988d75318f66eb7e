// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rust-HDL's own simulator and the emitted Verilog, cycle for cycle the same.
use ferrowarp_hdl::cell::{
    Counters, Flop, HashTable, KeepOctets, LutRam, Parity32, Reg, ScrubbedRam, Sdp, WordSum,
};
use ferrowarp_hdl::stream::{Checksum, CrcWords, Queue, Skid};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::run_case;
use ferrowarp_tests::inputs;
use ferrowarp_tests::native::{compare, Inputs, Plan};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::Bits;

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

#[test]
fn registers_w64() {
    run_case("native-reg", Top::BenchW64, 1, |bench| {
        let inputs = inputs!(b: Reg<Bits<12>> => b.clock, b.reset, b.d);
        compare(bench, "reg", Reg::new(0xABC_u64.into()), &inputs, Plan::default())?;
        let inputs = inputs!(b: Flop<Bits<12>> => b.clock, b.d);
        compare(bench, "flop", Flop::default(), &inputs, Plan::default())
    });
}

#[test]
fn rams_w64() {
    run_case("native-ram", Top::BenchW64, 1, |bench| {
        let inputs = inputs!(b: Sdp<Bits<12>, 3> => b.clock, b.write_enable, b.write_address, b.write_data,
            b.read_enable, b.read_address);
        compare(bench, "ram", Sdp::default(), &inputs, Plan::default())?;
        let inputs = inputs!(b: LutRam<Bits<12>, 3> => b.clock, b.write_enable, b.write_address, b.write_data,
            b.read_address);
        compare(bench, "lut_ram", LutRam::default(), &inputs, Plan::default())?;
        let inputs = inputs!(b: Queue<Bits<12>, 2> => b.clock, b.reset, b.rx.item, b.rx.valid,
            b.tx.ready);
        compare(bench, "queue", Queue::default(), &inputs, Plan::default())?;
        let inputs = inputs!(b: ScrubbedRam<Bits<12>, 4> => b.clock, b.reset, b.write_enable, b.write_address,
            b.write_data, b.read_enable, b.read_address);
        compare(bench, "scrubbed", ScrubbedRam::default(), &inputs, Plan::default())
    });
}

#[test]
fn combinational_leaves_w64() {
    run_case("native-leaves", Top::BenchW64, 1, |bench| {
        let inputs = inputs!(b: KeepOctets<64, 4> => b.x, b.bytes);
        compare(bench, "keep", KeepOctets::default(), &inputs, Plan::default())?;
        let inputs = inputs!(b: Parity32<64> => b.x);
        let matrix = Parity32::new(|i| (i as u32 + 1).wrapping_mul(0x9E37_79B9));
        compare(bench, "parity", matrix, &inputs, Plan::default())?;
        let inputs = inputs!(b: CrcWords<64, 2> => b.state, b.data, b.words)
            .drawn("words", |rng| vec![rng.random_range(0..=2)]);
        compare(bench, "crc_words", CrcWords::new(), &inputs, Plan::default())?;
        let inputs = inputs!(b: WordSum<512> => b.x);
        compare(bench, "word_sum", WordSum::new(2), &inputs, Plan::default())
    });
}

#[test]
fn counters_w64() {
    run_case("native-counters", Top::BenchW64, 1, |bench| {
        let inputs = inputs!(b: Counters<5, 4, 3> => b.clock, b.reset, b.pulse, b.index, b.clear);
        compare(bench, "counters", Counters::default(), &inputs, Plan::default())
    });
}

#[test]
fn checksum_w64() {
    run_case("native-checksum", Top::BenchW64, 1, |bench| {
        let inputs =
            inputs!(b: Checksum<64, 4> => b.clock, b.reset, b.rx.data, b.rx.bytes, b.rx.last, b.rx.err,
            b.rx.valid, b.start_sum, b.tx.ready)
            .drawn("rx_bytes", |rng| vec![rng.random_range(1..=8)]);
        let plan = Plan { constant: &["tx_empty"], ..Plan::default() };
        compare(bench, "sum", Checksum::new(), &inputs, plan)
    });
}

#[test]
fn hash_table_w64() {
    /// One of two keys, mostly the first. It changes while the table reads it word by word, so the
    /// table sees one of 512.
    fn key(rng: &mut ChaCha8Rng) -> Vec<u8> {
        let name = 1 + u8::from(rng.random_ratio(1, 12));
        (0..37).map(|i| name.wrapping_mul(i + 1) & if i == 36 { 1 } else { 0xFF }).collect()
    }
    run_case("native-hash-table", Top::BenchW64, 1, |bench| {
        let inputs = inputs!(b: HashTable<289, 320, 8, 5> => b.clock, b.reset, b.secret, b.lookup.key,
            b.lookup.valid, b.found.ready, b.change.key, b.change.value, b.change.remove, b.change.valid,
            b.answer.ready)
        .drawn("lookup_key", key)
        .drawn("change_key", key);
        compare(bench, "table", HashTable::new(6), &inputs, Plan::default())
    });
}
