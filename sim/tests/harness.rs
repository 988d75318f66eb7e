// SPDX-License-Identifier: MIT OR Apache-2.0
//! The harness judged by hardware that misbehaves on purpose: each fault must be named, and a
//! failing case must leave its files and the line that repeats it.
mod common;

use common::top;
use ferrowarp_hdl::emit::Direction;
use ferrowarp_sim::{
    model_of, paths, run_case_on, Bench, Frame, Item, Library, Model, ModelError, Pattern, PortError,
};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, OnceLock};

/// Widths of the ports `i<width>` and `o<width>`: one of each of Verilator's kinds of storage, and
/// their edges.
const WIDTHS: [usize; 12] = [1, 7, 8, 9, 16, 17, 32, 33, 64, 65, 96, 513];

/// Cycles in which 200 frames cross the lawful stage at seed 5, as measured with Verilator 5.006:
/// random starts differ between versions of Verilator, cycle counts must not. A change of the
/// bench's random draws changes it.
const LAWFUL_CYCLES: u64 = 11_280;

/// How the stage between the streams `rx` and `tx` misbehaves, by the number on `fault`, and what
/// must be said.
const FAULTS: [(u64, &str); 10] = [
    (1, "tx: valid fell without a transfer"),
    (2, "tx: data changed from 0x"),
    (3, "tx: bytes is 0"),
    (4, "tx: bytes is 9, the stream has 8"),
    (5, "tx: bytes is 5 of 8 without last"),
    (6, "tx: err without last"),
    (7, "rx_ready follows rx_valid"),
    (8, "tx_valid follows tx_ready"),
    (9, "frame 0 differs, first octet: 0"),
    (10, "no transfer anywhere for 50000 cycles"),
];

/// A register between two streams that misbehaves on demand, a register between two channels, a
/// register that nothing resets, and inverters of many widths. `age` counts the cycles that a beat
/// has been held.
const BODY: &str = "    reg [69:0] beat; reg held; reg [3:0] age;
    wire last = beat[68];
    assign tx_valid = held && !(fault == 1 && age == 3) && !(fault == 8 && !tx_ready);
    assign tx_data = fault == 9 ? {beat[63:8], 8'd0} : beat[63:0] ^ {63'd0, fault == 2 && age == 2};
    assign tx_bytes = fault == 3 && last ? 4'd0 : fault == 4 && last ? 4'd9 : fault == 5 ? 4'd5 : beat[67:64];
    assign tx_last = last;
    assign tx_err = beat[69] || (fault == 6 && !last);
    assign rx_ready = !held && !(fault == 7 && !rx_valid) && fault != 10;
    reg full; reg [39:0] key; reg [1:0] op;
    assign req_ready = !full; assign rsp_valid = full; assign rsp_key = key; assign rsp_twice = {op, 1'b0};
    reg [99:0] never_reset;
    assign start = never_reset;
    always @(posedge clock) begin
        age <= (&age) ? age : age + 1;
        if (tx_valid && tx_ready) held <= 0;
        if (rx_valid && rx_ready) begin
            held <= 1; beat <= {rx_err, rx_last, rx_bytes, rx_data}; age <= 0;
        end
        if (rsp_valid && rsp_ready) full <= 0;
        if (req_valid && req_ready) begin full <= 1; key <= req_key; op <= req_op; end
        if (reset) begin held <= 0; full <= 0; never_reset <= never_reset; end
    end
";

/// The one model of these tests.
fn library() -> Arc<Library> {
    static LIBRARY: OnceLock<Arc<Library>> = OnceLock::new();
    let build = || {
        let (mut ports, mut body) = (vec![("fault".to_string(), 4, Direction::Input)], BODY.to_string());
        let stream = [("data", 64), ("bytes", 4), ("last", 1), ("err", 1), ("valid", 1)];
        let mut pair = |input: String, output: String, width| {
            ports.extend([(input, width, Direction::Input), (output, width, Direction::Output)]);
        };
        stream.iter().for_each(|(field, width)| pair(format!("rx_{field}"), format!("tx_{field}"), *width));
        for way in [("tx_ready", "rx_ready", 1), ("req_key", "rsp_key", 40), ("rsp_ready", "req_ready", 1)] {
            pair(way.0.into(), way.1.into(), way.2);
        }
        pair("req_valid".into(), "rsp_valid".into(), 1);
        for width in WIDTHS {
            pair(format!("i{width}"), format!("o{width}"), width);
            body += &format!("    assign o{width} = ~i{width};\n");
        }
        ports.push(("req_op".into(), 2, Direction::Input));
        ports.extend([("rsp_twice".into(), 3, Direction::Output), ("start".into(), 100, Direction::Output)]);
        model_of(&top("harness", ports, &body)).unwrap()
    };
    Arc::clone(LIBRARY.get_or_init(build))
}

/// 200 frames cross the stage from `rx` to `tx`.
fn cross(bench: &mut Bench) -> Result<(), String> {
    let source = bench.source("rx", Pattern::Random);
    let sink = bench.sink("tx", Pattern::Random);
    let frames: Vec<_> = (1..=200).map(|n| Frame { data: vec![n as u8; n], err: n % 3 == 0 }).collect();
    ferrowarp_sim::expect_frames(bench, source, sink, &frames, &frames).map(drop)
}

/// Text with which a case fails.
fn failure(name: &str, seed: u64, body: impl Fn(&mut Bench) -> Result<(), String>) -> String {
    let case = || run_case_on(name, &library(), seed, body);
    *catch_unwind(AssertUnwindSafe(case)).unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn a_lawful_stage_passes() {
    run_case_on("harness-lawful", &library(), 5, |bench| {
        cross(bench)?;
        assert_eq!(bench.cycle(), LAWFUL_CYCLES);
        Ok(())
    });
}

#[test]
fn each_broken_rule_is_named() {
    for (fault, wanted) in FAULTS {
        let text = failure(&format!("harness-fault-{fault}"), 5, |bench| {
            bench.set("fault", fault);
            cross(bench)
        });
        assert!(text.contains(wanted), "fault {fault}: `{wanted}` is not in\n{text}");
    }
}

#[test]
fn a_failing_case_leaves_waveform_frames_and_the_line_to_repeat_it() {
    let text = failure("harness::fails", 11, |bench| {
        cross(bench)?;
        for _ in 0..30_000 {
            bench.step();
        }
        panic!("on purpose at cycle {}", bench.cycle())
    });
    let fst = paths::artefacts().join("harness--fails-11.fst");
    assert!(text.contains("on purpose at cycle") && text.contains(&fst.display().to_string()), "{text}");
    let repeat = "FERROWARP_SEED=11 cargo test -p ferrowarp-sim --test harness \
                  a_failing_case_leaves_waveform_frames_and_the_line_to_repeat_it -- --exact";
    assert!(text.contains(repeat), "{text}");
    // an FST begins with the block type 0, its length 329, then start and end time: two units a
    // cycle
    let octets = std::fs::read(fst).unwrap();
    let number = |at: usize| u64::from_be_bytes(octets[at..at + 8].try_into().unwrap());
    assert_eq!((octets[0], number(1)), (0, 329));
    assert_eq!(number(17) - number(9), 2 * 20_000 - 1);
    let frames = std::fs::read_to_string(paths::artefacts().join("harness--fails-11.frames.txt")).unwrap();
    let count = |what: &str| frames.lines().filter(|l| l.contains(what)).count();
    assert_eq!((count(" rx sent "), count(" tx received ")), (200, 200));
    assert!(frames.lines().any(|l| l.ends_with(" rx sent 3 octets err: 030303")), "{frames}");
}

#[test]
fn initial_values_are_random_and_repeat_with_the_seed() {
    let library = library();
    let value = |seed| {
        let model = library.instantiate(seed);
        model.get_bytes(model.port("start").unwrap()).to_vec()
    };
    let first: Vec<_> = (0..8).map(value).collect();
    assert!((1..8).all(|i| first[i] != first[0]), "{first:?}");
    // other threads make instances at the same time
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| (0..50).for_each(|i| assert_eq!(value(i % 8), first[i as usize % 8])));
        }
    });
}

/// A failing case runs again on the traced twin: from other registers it might not fail again.
#[test]
fn the_traced_twin_begins_alike_and_writes_the_waveform_that_the_plain_model_refuses() {
    let plain = library();
    let twin = plain.traced().unwrap();
    assert!(twin.is_traced() && !plain.is_traced() && Arc::ptr_eq(&twin, &twin.traced().unwrap()));
    for seed in 0..20 {
        let [plain, twin] = [&plain, &twin].map(|library| library.instantiate(seed));
        let start = |model: &Model| model.get_bytes(model.port("start").unwrap()).to_vec();
        assert_eq!(start(&plain), start(&twin), "seed {seed}");
    }
    let fst = paths::artefacts().join("harness-twin.fst");
    std::fs::create_dir_all(paths::artefacts()).unwrap();
    let refused = plain.instantiate(1).trace_open(&fst).unwrap_err();
    assert_eq!(refused, PortError::Untraced { top: "harness".into() });
    assert!(refused.to_string().contains("`Library::traced`"), "{refused}");
    let mut model = twin.instantiate(1);
    model.trace_open(&fst).unwrap();
    model.advance();
    model.trace_close();
    assert!(std::fs::metadata(&fst).unwrap().len() > 329);
}

#[test]
fn ports_of_every_storage_size_are_read_and_written_whole() {
    let mut model = library().instantiate(1);
    for width in WIDTHS {
        let (i, o) = (model.port(&format!("i{width}")).unwrap(), model.port(&format!("o{width}")).unwrap());
        let octet = |n: usize| (0xff_u32 >> (8 - (width - 8 * n).min(8))) as u8;
        let ones: Vec<u8> = (0..width.div_ceil(8)).map(octet).collect();
        model.set_bytes(i, &ones).unwrap();
        model.set_u64(i, 1).unwrap();
        model.eval();
        let mut wanted = ones.clone();
        wanted[0] &= !1;
        assert_eq!((model.get_bytes(i)[0], model.get_bytes(o)), (1, &wanted[..]), "width {width}");
        model.set_bytes(i, &ones).unwrap();
        model.eval();
        assert!(model.get_bytes(o).iter().all(|&b| b == 0), "width {width}");
        let mut beyond = [0; 66];
        beyond[width / 8] = 1 << (width % 8);
        let text = model.set_bytes(i, &beyond).unwrap_err().to_string();
        assert!(text.contains(&format!("port `i{width}` has {width} bits")), "{text}");
        assert_eq!(model.get_u64(o).is_ok(), width <= 64);
        assert!(model.set_u64(o, 0).unwrap_err().to_string().contains("is an output"));
    }
    let text = model.need("tx_dat").unwrap_err().to_string();
    assert!(text.contains("has no port `tx_dat`; it has tx_data, tx_bytes"), "{text}");
}

#[test]
fn channels_carry_items_in_order() {
    for (idle, stall) in Pattern::ALL.into_iter().flat_map(|i| Pattern::ALL.map(|s| (i, s))) {
        run_case_on("harness-channels", &library(), 3, |bench| {
            let req = bench.channel_source("req", idle);
            let rsp = bench.channel_sink("rsp", stall);
            bench.monitor_channel("req");
            for n in 0..500 {
                bench.put(req, Item::new().with("key", n * n).with("op", n % 4));
            }
            bench.expect_items(rsp, 500);
            bench.run_until(100_000, |b| b.waiting_items(rsp) == 500)?;
            assert!(bench.put_all(req));
            for (n, item) in (0..500).zip(bench.taken(rsp)) {
                assert_eq!((item.u64("key"), item.u64("twice")), (Some(n * n), Some(n % 4 * 2)));
            }
            Ok(())
        });
    }
    let wrong = |item: Item| {
        failure("harness-item", 3, |bench| {
            let req = bench.channel_source("req", Pattern::None);
            bench.put(req, item.clone());
            bench.run_until(10, |b| b.put_all(req)).map(drop)
        })
    };
    assert!(wrong(Item::new().with("key", 1)).contains("field `op` is missing; the fields are key, op"));
    assert!(wrong(Item::new().with("keys", 1)).contains("there is no field `keys`"));
    assert!(wrong(Item::new().with("key", 1).with("op", 4)).contains("port `req_op` has 2 bits"));
}

#[test]
fn holding_resetting_and_asking_by_hand() {
    run_case_on("harness-hand", &library(), 1, |bench| {
        let source = bench.source("rx", Pattern::None);
        let sink = bench.sink("tx", Pattern::None);
        bench.hold_sink(sink, true);
        bench.send(source, Frame::good(vec![7; 20]));
        for _ in 0..20 {
            bench.step();
        }
        assert_eq!((bench.get("tx_valid"), bench.source_rate(source).beats), (1, 1));
        assert!(bench.dump().contains("source rx: valid 1 ready 0, 1 beats"), "{}", bench.dump());
        bench.reset();
        assert!(bench.sent_all(source));
        assert_eq!(bench.get("tx_valid"), 0);
        bench.hold_sink(sink, false);
        bench.send(source, Frame::good(vec![8]));
        bench.run_until(20, |b| b.waiting(sink) == 1)?;
        assert_eq!(bench.received(sink), [Frame::good(vec![8])]);
        bench.check_no_comb_path("rx_valid", "rx_ready")
    });
}

#[test]
fn verilator_s_words_are_in_the_error() {
    let body = "    reg l; always @(*) if (reset) l = clock;\n    assign o = l;";
    match model_of(&top("latch", vec![("o".into(), 1, Direction::Output)], body)) {
        Err(ModelError::Verilator { top, stderr }) => {
            assert_eq!(top, "latch");
            assert!(stderr.contains("LATCH"), "{stderr}");
        }
        other => panic!("{:?}", other.map(|l| l.top().to_string())),
    }
    let mut clockless = top("clockless", vec![], "");
    clockless.ports.remove(0);
    let text = model_of(&clockless).err().unwrap().to_string();
    assert_eq!(text, "top `clockless` has no 1-bit input `clock`");
}
