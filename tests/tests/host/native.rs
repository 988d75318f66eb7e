// SPDX-License-Identifier: MIT OR Apache-2.0
//! The DMA ports: Rust-HDL's own simulator and the Verilated model agree in every cycle.
use ferrowarp_hdl::host::{PostedFifo, ReadPort};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::run_case;
use ferrowarp_tests::inputs;
use ferrowarp_tests::native::{compare, Plan};
use rand::Rng;

#[test]
fn read_port() {
    run_case("native-host-read", Top::HostW64, 1, |bench| {
        let inputs = inputs!(b: ReadPort => b.clock, b.reset,
            b.c0_req.addr, b.c0_req.length, b.c0_req.tag, b.c0_req.valid, b.c0_ans.ready,
            b.c1_req.addr, b.c1_req.length, b.c1_req.tag, b.c1_req.valid, b.c1_ans.ready,
            b.c2_req.addr, b.c2_req.length, b.c2_req.tag, b.c2_req.valid, b.c2_ans.ready,
            b.c3_req.addr, b.c3_req.length, b.c3_req.tag, b.c3_req.valid, b.c3_ans.ready,
            b.rd_req.ready, b.rd_ans.data, b.rd_ans.bytes, b.rd_ans.last, b.rd_ans.err, b.rd_ans.valid,
            b.rd_ans_tag, b.rd_ans_final)
        // the table of owners is written a tag at a time: every tag must have been used once
        .drawn("rd_req_ready", |rng| vec![u8::from(rng.random_ratio(3, 4))]);
        compare(bench, "read", ReadPort::default(), &inputs, Plan { warm_up: 1_500, ..Plan::default() })
    });
}

#[test]
fn posted_fifo() {
    run_case("native-host-post", Top::HostW64, 1, |bench| {
        let inputs = inputs!(b: PostedFifo => b.clock, b.reset,
            b.c0_cmd.addr, b.c0_cmd.length, b.c0_cmd.valid, b.c0.data, b.c0.bytes, b.c0.last, b.c0.err, b.c0.valid,
            b.c1_cmd.addr, b.c1_cmd.length, b.c1_cmd.valid, b.c1.data, b.c1.bytes, b.c1.last, b.c1.err, b.c1.valid,
            b.c2_cmd.addr, b.c2_cmd.length, b.c2_cmd.valid, b.c2.data, b.c2.bytes, b.c2.last, b.c2.err, b.c2.valid,
            b.c3_cmd.addr, b.c3_cmd.length, b.c3_cmd.valid, b.c3.data, b.c3.bytes, b.c3.last, b.c3.err, b.c3.valid,
            b.wr_cmd.ready, b.wr.ready);
        compare(bench, "post", PostedFifo::default(), &inputs, Plan { warm_up: 1_500, ..Plan::default() })
    });
}
