// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands outside a device, judged on a top of plain wires: the test is the device. Memory
//! behind DMA ports, and an Ethernet link between two instances.
mod common;

use common::top;
use ferrowarp_hdl::emit::Direction;
use ferrowarp_sim::eth::Wire;
use ferrowarp_sim::link::{Fate, Impair, LinkFault, Odds};
use ferrowarp_sim::{
    model_of, random_frame, run_case_on, run_pair_on, seeds, Bench, Frame, Item, Library, Link, LinkConfig,
    MemoryPorts, MemoryTiming, Pair, Pattern, Side,
};
use rand::{Rng, RngCore};
use std::collections::BTreeMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, OnceLock};

const STREAM: [(&str, usize); 4] = [("data", 64), ("bytes", 4), ("last", 1), ("err", 1)];
/// 156.25 MHz.
const CLOCK_PS: u64 = 6_400;
/// Line rate of a 64-bit stream at that clock.
const TEN_GBIT: LinkConfig = LinkConfig { rate_bps: 10_000_000_000, clock_ps: CLOCK_PS, delay_ns: 300 };

/// Wires from the test's ports (`t_...`) to the device's.
fn library() -> Arc<Library> {
    static LIBRARY: OnceLock<Arc<Library>> = OnceLock::new();
    let build = || {
        let (mut ports, mut body) = (vec![], String::new());
        let mut wire = |from: String, to: String, width: usize| {
            body += &format!("    assign {to} = {from};\n");
            ports.extend([(from, width, Direction::Input), (to, width, Direction::Output)]);
        };
        let mut boundary = |from: &str, to: &str, fields: &[(&str, usize)]| {
            for (field, width) in fields.iter().chain([&("valid", 1)]) {
                wire(format!("{from}_{field}"), format!("{to}_{field}"), *width);
            }
            wire(format!("{to}_ready"), format!("{from}_ready"), 1);
        };
        boundary("t_req", "rd_req", &[("addr", 64), ("length", 13), ("tag", 5)]);
        let side = [STREAM.as_slice(), &[("tag", 5), ("final", 1)]].concat();
        boundary("rd_ans", "t_ans", &side);
        boundary("t_cmd", "wr_cmd", &[("addr", 64), ("length", 13)]);
        boundary("t_put", "wr", &STREAM);
        boundary("t_tx", "tx", &STREAM);
        boundary("rx", "t_rx", &STREAM);
        model_of(&top("wires", ports, &body)).unwrap()
    };
    Arc::clone(LIBRARY.get_or_init(build))
}

/// Text with which a case fails.
fn failure(case: impl FnOnce()) -> String {
    *catch_unwind(AssertUnwindSafe(case)).unwrap_err().downcast::<String>().unwrap()
}

/// Reads the answers of a side channel whose beats are items: octets and verdict of each tag in
/// order of finals.
fn answers(items: &[Item]) -> Vec<(u64, Vec<u8>, bool)> {
    let (mut open, mut done, mut frame_tag) = (BTreeMap::<u64, Vec<u8>>::new(), vec![], None);
    for item in items {
        let field = |name: &str| item.u64(name).unwrap();
        let (tag, last) = (field("tag"), field("last") == 1);
        assert_eq!(*frame_tag.get_or_insert(tag), tag, "frames are mixed");
        open.entry(tag).or_default().extend(&item.bytes("data").unwrap()[..field("bytes") as usize]);
        if last {
            frame_tag = None;
            if field("final") == 1 {
                done.push((tag, open.remove(&tag).unwrap(), field("err") == 1));
            }
        }
    }
    assert!(open.is_empty() && frame_tag.is_none());
    done
}

/// Random writes, then random reads of what they left, all within 16 KiB that exist and beside
/// them.
fn traffic(bench: &mut Bench, timing: MemoryTiming, stall: Pattern) -> Result<(), String> {
    let memory = bench.memory(&MemoryPorts::both("rd", "wr"), timing);
    let host = bench.host(memory);
    host.map(0x8000_0000_0000, 0x4000, true).map_err(|e| e.to_string())?;
    let (cmd, put) = (bench.channel_source("t_cmd", stall), bench.source("t_put", stall));
    let (req, ans) = (bench.channel_source("t_req", stall), bench.channel_sink("t_ans", stall));
    let mut model = vec![0; 0x4000];
    for _ in 0..40 {
        let length = bench.rng().random_range(1..=500_usize);
        let at = bench.rng().random_range(0..0x4000 - length);
        bench.rng().fill_bytes(&mut model[at..at + length]);
        let addr = 0x8000_0000_0000 + at as u64;
        bench.put(cmd, Item::new().with("addr", addr).with("length", length as u64));
        bench.send(put, Frame::good(model[at..at + length].to_vec()));
    }
    bench.run_until(200_000, |b| b.sent_all(put) && b.put_all(cmd))?;
    let mut wanted = BTreeMap::new();
    for tag in 0..32_u64 {
        let length = bench.rng().random_range(1..=1500_usize);
        let at = bench.rng().random_range(0..0x4800 - length);
        bench.put(
            req,
            Item::new()
                .with("addr", 0x8000_0000_0000 + at as u64)
                .with("length", length as u64)
                .with("tag", tag),
        );
        wanted.insert(tag, (at, length));
    }
    let mut items = vec![];
    bench.run_until(400_000, |b| {
        items.extend(b.taken(ans));
        items.iter().filter(|i| i.u64("last") == Some(1) && i.u64("final") == Some(1)).count() == 32
    })?;
    let mut failed = 0;
    for (tag, octets, err) in answers(&items) {
        let (at, length) = wanted[&tag];
        failed += usize::from(err);
        assert_eq!(err, at + length > 0x4000, "tag {tag}");
        assert!(err || octets == model[at..at + length], "tag {tag}");
    }
    assert_eq!(bench.host(memory).take_refused().len(), failed);
    assert_eq!(bench.host(memory).read(0x8000_0000_0000, 0x4000), Ok(model));
    Ok(())
}

#[test]
fn what_is_written_is_read_whatever_the_memory_s_manners() {
    for seed in seeds(0..1, 0..20) {
        for (timing, stall) in [
            (MemoryTiming::steady(CLOCK_PS), Pattern::None),
            (MemoryTiming::rough(CLOCK_PS), Pattern::None),
            (MemoryTiming::rough(CLOCK_PS), Pattern::Random),
        ] {
            run_case_on("outside-memory", &library(), seed, |bench| traffic(bench, timing, stall));
        }
    }
}

#[test]
fn reads_keep_a_64_bit_stream_full_if_enough_are_outstanding() {
    run_case_on("outside-rate", &library(), 1, |bench| {
        let memory = bench.memory(&MemoryPorts::read("rd"), MemoryTiming::steady(CLOCK_PS));
        bench.host(memory).map(0, 0x1_0000, false).map_err(|e| e.to_string())?;
        let (req, ans) =
            (bench.channel_source("t_req", Pattern::None), bench.channel_sink("t_ans", Pattern::None));
        for tag in 0..32 {
            bench.put(req, Item::new().with("addr", 2048 * tag).with("length", 1024).with("tag", tag));
        }
        bench.expect_items(ans, 32 * 128);
        bench.run_until(10_000, |b| b.waiting_items(ans) == 32 * 128)?;
        assert_eq!(bench.channel_sink_rate(ans).bubbles(), 0);
        // 600 ns are 94 cycles of 6.4 ns
        assert_eq!(bench.channel_sink_rate(ans).first_cycle - bench.channel_source_rate(req).first_cycle, 94);
        Ok(())
    });
}

#[test]
fn a_case_that_does_not_look_at_a_refused_access_fails() {
    let text = failure(|| {
        run_case_on("outside-refused", &library(), 1, |bench| {
            bench.memory(&MemoryPorts::write("wr"), MemoryTiming::steady(CLOCK_PS));
            let (cmd, put) =
                (bench.channel_source("t_cmd", Pattern::None), bench.source("t_put", Pattern::None));
            bench.put(cmd, Item::new().with("addr", 0x77).with("length", 3));
            bench.send(put, Frame::good(vec![1, 2, 3]));
            bench.run_until(100, |b| b.cycle() > 60).map(drop)
        });
    });
    assert!(text.contains("write of 3 octets at 0x77: 0x77 was never mapped"), "{text}");
}

#[test]
fn misuse_of_the_dma_ports_ends_the_case() {
    let text = failure(|| {
        run_case_on("outside-misuse", &library(), 1, |bench| {
            bench.memory(&MemoryPorts::read("rd"), MemoryTiming::steady(CLOCK_PS));
            let req = bench.channel_source("t_req", Pattern::None);
            for addr in [0, 64] {
                bench.put(req, Item::new().with("addr", addr).with("length", 8).with("tag", 9));
            }
            bench.run_until(100, |b| b.put_all(req) && b.cycle() > 60).map(drop)
        });
    });
    assert!(text.contains("read of 8 octets at 0x40 with tag 9, which is in use"), "{text}");
}

/// Lawful frames of a MAC client.
fn frames(bench: &mut Bench, count: usize) -> Vec<Frame> {
    let length = |bench: &mut Bench| bench.rng().random_range(60..1515);
    (0..count)
        .map(|_| {
            let n = length(bench);
            random_frame(bench.rng(), n)
        })
        .collect()
}

/// Sends frames from both ends at once; what each end received.
fn exchange(pair: &mut Pair, sent: [&[Frame]; 2], expected: [usize; 2]) -> Result<[Vec<Frame>; 2], String> {
    pair.join("tx", "rx");
    let mut sinks = vec![];
    for (side, frames) in Side::BOTH.into_iter().zip(sent) {
        let bench = pair.side(side);
        let source = bench.source("t_tx", Pattern::None);
        frames.iter().for_each(|f| bench.send(source, f.clone()));
        let sink = bench.sink("t_rx", Pattern::None);
        bench.expect(sink, expected[side as usize] as u64);
        sinks.push(sink);
    }
    pair.run_until(400_000, |p| {
        p.a.waiting(sinks[0]) >= expected[0] && p.b.waiting(sinks[1]) >= expected[1]
    })?;
    Ok([pair.a.received(sinks[0]), pair.b.received(sinks[1])])
}

#[test]
fn frames_cross_both_ways_at_the_wire_s_rate() {
    for (rate_bps, clock_ps) in [(10_000_000_000, CLOCK_PS), (1_000_000_000, 16_000)] {
        let config = LinkConfig { rate_bps, clock_ps, delay_ns: 500 };
        run_pair_on("outside-link", &library(), config, 3, |pair| {
            let (from_a, from_b) = (frames(&mut pair.a, 60), frames(&mut pair.b, 50));
            pair.link.capture();
            let got = exchange(pair, [&from_a, &from_b], [50, 60])?;
            assert!(got == [from_b.clone(), from_a.clone()]);
            for (side, sent) in [(Side::A, &from_a), (Side::B, &from_b)] {
                let stats = pair.link.stats(side);
                let octets: u64 = sent.iter().map(|f| f.data.len() as u64).sum();
                let wire: u64 = sent.iter().map(|f| config.wire_ps(f.data.len() as u64 + 24)).sum();
                assert_eq!((stats.frames, stats.octets, stats.busy_ps), (sent.len() as u64, octets, wire));
                // back to back, to the rounding of a beat
                assert!(stats.end_ps - stats.first_ps - wire < 8 * clock_ps, "{stats:?}");
                assert_eq!(stats.sent_bad, sent.iter().filter(|f| f.err).count() as u64);
            }
            let captured = pair.link.take_captured();
            assert_eq!(captured.len(), 110);
            assert!(captured.windows(2).all(|w| w[0].at_ps <= w[1].at_ps));
            Ok(())
        });
    }
}

#[test]
fn the_first_frame_arrives_after_delay_preamble_and_its_own_length() {
    run_pair_on("outside-latency", &library(), TEN_GBIT, 1, |pair| {
        let start = pair.a.cycle();
        exchange(pair, [&[Frame::good(vec![3; 64])], &[]], [0, 1])?;
        // 300 ns, 8 octets of preamble, 64 octets and 4 of FCS at 0.8 ns, up to the next clock edge
        let ns = (pair.b.cycle() - start) * CLOCK_PS / 1000;
        assert!((360..=380).contains(&ns), "{ns} ns");
        Ok(())
    });
}

#[test]
fn a_hook_drops_repeats_corrupts_and_delays() {
    run_pair_on("outside-hook", &library(), TEN_GBIT, 4, |pair| {
        let sent: Vec<_> = (0..6).map(|n| Frame::good(vec![n + 1; 100])).collect();
        pair.link.set_hook(|frame| match frame.index {
            0 => Fate::Drop,
            1 => Fate::Duplicate,
            2 => Fate::Corrupt(17),
            3 => Fate::Delay(1_000),
            _ => Fate::Deliver,
        });
        let [_, got] = exchange(pair, [&sent, &[]], [0, 6])?;
        let mut bad = sent[2].clone();
        (bad.data[2], bad.err) = (bad.data[2] ^ 2, true);
        let want = [&sent[1], &sent[1], &bad, &sent[4], &sent[5], &sent[3]];
        assert!(got.iter().eq(want), "{got:?}");
        Ok(())
    });
}

/// When each frame was whole at each end, in cycles, and the frames. `block`: each end runs so many
/// cycles by itself.
fn arrivals(wire: &Wire, block: u64) -> Vec<(u64, Side, Frame)> {
    let all = std::sync::Mutex::new(vec![]);
    run_pair_on("outside-blocks", &library(), TEN_GBIT, 5, |pair| {
        pair.link = Link::impaired(TEN_GBIT, wire);
        pair.join("tx", "rx");
        let sinks = Side::BOTH.map(|side| {
            let bench = pair.side(side);
            let sent = frames(bench, 40);
            let source = bench.source("t_tx", Pattern::None);
            sent.into_iter().for_each(|frame| bench.send(source, frame));
            bench.sink("t_rx", Pattern::None)
        });
        let mut all = all.lock().unwrap();
        while pair.a.cycle() < 12_000 {
            for (side, sink) in Side::BOTH.into_iter().zip(sinks) {
                for _ in 0..block {
                    let bench = pair.side(side);
                    bench.step();
                    let cycle = bench.cycle();
                    all.extend(bench.received(sink).into_iter().map(|frame| (cycle, side, frame)));
                }
            }
        }
        all.sort_by_key(|(cycle, side, _)| (*cycle, *side));
        Ok(())
    });
    all.into_inner().unwrap()
}

/// Blocks longer than a beat is under way, or a judged frame that arrives in the block in which it
/// was sent, would move frames.
#[test]
fn frames_arrive_at_the_same_time_in_blocks_up_to_the_delay() {
    let longest = TEN_GBIT.delay_ns * 1_000 / CLOCK_PS;
    for (text, odds) in [("", false), ("loss=0.1,duplicate=0.1,corrupt=0.1,reorder=0.1,seed=3", true)] {
        let wire: Wire = text.parse().unwrap();
        let stepped = arrivals(&wire, 1);
        assert_eq!(stepped.len() == 80, !odds, "{} frames", stepped.len());
        for block in [13, longest] {
            let cut = |mut all: Vec<(u64, Side, Frame)>| {
                all.retain(|(cycle, ..)| *cycle < 12_000);
                all
            };
            assert!(cut(arrivals(&wire, block)) == cut(stepped.clone()), "blocks of {block}, {text}");
        }
    }
}

#[test]
fn random_impairment_repeats_with_its_seed() {
    let odds =
        Odds { drop: 200_000, duplicate: 100_000, corrupt: 100_000, delay: 100_000, longest_delay_ns: 3_000 };
    let run = || {
        let result = std::sync::Mutex::new(vec![]);
        run_pair_on("outside-impair", &library(), TEN_GBIT, 4, |pair| {
            let sent = frames(&mut pair.a, 100);
            let mut impair = Impair::new(8, odds);
            pair.link.set_hook(move |frame| impair.fate(frame));
            let [_, got] = exchange(pair, [&sent, &[]], [0, 60])?;
            result.lock().unwrap().extend(got);
            Ok(())
        });
        result.into_inner().unwrap()
    };
    assert!(run() == run());
}

#[test]
fn broken_rules_of_the_ethernet_port_are_named() {
    let end = |idle: Pattern, length: usize, stall: Pattern| {
        failure(|| {
            run_pair_on("outside-broken", &library(), TEN_GBIT, 4, |pair| {
                pair.join("tx", "rx");
                let source = pair.a.source("t_tx", idle);
                let sink = pair.b.sink("t_rx", stall);
                pair.b.expect(sink, 1);
                pair.a.send(source, Frame::good(vec![1; length]));
                pair.run_until(2_000, |p| p.b.waiting(sink) == 1).map(drop)
            });
        })
    };
    assert!(end(Pattern::None, 59, Pattern::None)
        .contains("a frame of 59 octets was sent; the transmitter pads to 60"));
    let underrun = end(Pattern::Cycle, 100, Pattern::None);
    assert!(underrun.contains("transmit underrun after 8 octets"), "{underrun}");
    let overrun = end(Pattern::None, 100, Pattern::Cycle);
    assert!(overrun.contains("receive overrun: frame 0 to B was cut after 8 octets"), "{overrun}");
}

#[test]
fn an_overrun_that_the_body_looks_at_is_a_frame_with_err() {
    run_pair_on("outside-overrun", &library(), TEN_GBIT, 4, |pair| {
        pair.join("tx", "rx");
        let source = pair.a.source("t_tx", Pattern::None);
        let sink = pair.b.sink("t_rx", Pattern::Cycle);
        (0..2).for_each(|n| pair.a.send(source, Frame::good(vec![n; 100])));
        pair.run_until(2_000, |p| p.b.waiting(sink) == 2)?;
        assert!(pair.b.received(sink).iter().all(|f| f.err && f.data.len() < 100));
        let faults = pair.link.take_faults();
        assert!(
            faults.len() == 2 && faults.iter().all(|f| matches!(f, LinkFault::Overrun { .. })),
            "{faults:?}"
        );
        assert_eq!(pair.link.stats(Side::A).overruns, 2);
        Ok(())
    });
}

#[test]
fn a_link_faster_than_the_stream_is_refused() {
    let text = failure(|| {
        run_case_on("outside-fast", &library(), 1, |bench| {
            let link = Link::new(LinkConfig { rate_bps: 25_000_000_000, ..TEN_GBIT });
            bench.ethernet(&link, Side::A, "tx", "rx");
            Ok(())
        });
    });
    assert!(text.contains("25000000000 bit/s need more than 8 octets every 6400 ps"), "{text}");
}
