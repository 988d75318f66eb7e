// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arbiter, fork and metadata join on the emitted Verilog.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{
    lengths, metrics, random_frame, random_frames, run_case, seeds, stream_matrix, Bench, Frame, Item,
    Pattern, SinkId, SourceId,
};
use rand::seq::SliceRandom;
use rand::Rng;

const WIDTHS: [(Top, usize); 2] = [(Top::BenchW64, 64), (Top::BenchW256, 256)];

/// Every length from one octet to four beats in any order, then random ones.
fn stimulus(bench: &mut Bench, width: usize) -> Vec<Frame> {
    let mut all = lengths(width);
    all.shuffle(bench.rng());
    let mut frames: Vec<_> = all.into_iter().map(|n| random_frame(bench.rng(), n)).collect();
    frames.extend(random_frames(bench.rng(), width, 40));
    frames
}

fn equal(what: &str, got: &[Frame], sent: &[Frame]) -> Result<(), String> {
    match got.iter().zip(sent).position(|(g, s)| g != s) {
        Some(i) => Err(format!("{what}: frame {i} was {}, became {}", sent[i], got[i])),
        None if got.len() != sent.len() => Err(format!("{what}: {} of {} frames", got.len(), sent.len())),
        None => Ok(()),
    }
}

/// An arbiter `arb<n>` with all its ends.
struct Arb {
    from: String,
    sources: Vec<SourceId>,
    sink: SinkId,
}

impl Arb {
    fn new(bench: &mut Bench, inputs: usize, idle: Pattern, stall: Pattern) -> Self {
        let sources = (0..inputs).map(|i| bench.source(&format!("arb{inputs}_rx_{i}"), idle)).collect();
        Self {
            from: format!("arb{inputs}_from"),
            sources,
            sink: bench.sink(&format!("arb{inputs}_tx"), stall),
        }
    }

    /// Sends `frames[i]` into input i. Returns what came out with the input named for each frame;
    /// the name must not change inside a frame.
    fn run(&self, bench: &mut Bench, frames: &[Vec<Frame>]) -> Result<Vec<(usize, Frame)>, String> {
        for (source, frames) in self.sources.iter().zip(frames) {
            frames.iter().for_each(|f| bench.send(*source, f.clone()));
        }
        let total = frames.iter().map(Vec::len).sum();
        bench.expect(self.sink, total as u64);
        bench.restart_rates();
        let mut order = vec![];
        let (mut first, mut spent) = (None, 0);
        while bench.waiting(self.sink) < total {
            // from a register: as it stands before the step, it holds during the step
            let from = bench.get(&self.from) as usize;
            let before = bench.sink_rate(self.sink).beats;
            bench.step();
            if bench.sink_rate(self.sink).beats > before && *first.get_or_insert(from) != from {
                return Err(format!("`from` became {from} inside a frame"));
            }
            if bench.waiting(self.sink) > order.len() {
                order.extend(first.take());
            }
            spent += 1;
            if spent > 1_000_000 {
                return Err(format!("{} of {total} frames\n{}", order.len(), bench.dump()));
            }
        }
        Ok(order.into_iter().zip(bench.received(self.sink)).collect())
    }
}

fn of_input(i: usize, all: &[(usize, Frame)]) -> Vec<Frame> {
    all.iter().filter(|(from, _)| *from == i).map(|(_, f)| f.clone()).collect()
}

#[test]
fn arbiter_passes_whole_frames_and_names_their_input() {
    for (top, width) in WIDTHS {
        for inputs in [2, 3, 4] {
            stream_matrix(&format!("arb{inputs}_w{width}"), top, &seeds(0..1, 0..8), |bench, idle, stall| {
                let arb = Arb::new(bench, inputs, idle, stall);
                let frames: Vec<_> = (0..inputs).map(|_| stimulus(bench, width)).collect();
                let out = arb.run(bench, &frames)?;
                if idle == Pattern::None && out.windows(2).any(|w| w[1].0 != (w[0].0 + 1) % inputs) {
                    return Err("inputs that always offer did not get their turns".into());
                }
                (0..inputs).try_for_each(|i| equal(&format!("input {i}"), &of_input(i, &out), &frames[i]))
            });
        }
    }
}

#[test]
fn arbiter_changes_inputs_without_a_bubble() {
    for (top, width) in WIDTHS {
        for inputs in [2, 3, 4] {
            for beats in [1, 40] {
                run_case(&format!("arb{inputs}_rate_{beats}_w{width}"), top, 1, |bench| {
                    let arb = Arb::new(bench, inputs, Pattern::None, Pattern::None);
                    let frames: Vec<Vec<_>> = (0..inputs)
                        .map(|_| (0..60).map(|_| random_frame(bench.rng(), beats * width / 8)).collect())
                        .collect();
                    arb.run(bench, &frames)?;
                    let rate = bench.sink_rate(arb.sink);
                    if rate.bubbles() != 0 {
                        return Err(format!("bubbles: {rate:?}"));
                    }
                    let key = format!("stream.arbiter{inputs}.w{width}.beats{beats}.beats_per_cycle");
                    metrics::record(&key, rate.beats_per_cycle()).map_err(|e| e.to_string())
                });
            }
        }
    }
}

#[test]
fn arbiter_lets_one_input_alone_have_everything() {
    for only in 0..4 {
        run_case(&format!("arb4_only_{only}"), Top::BenchW64, 1, |bench| {
            let arb = Arb::new(bench, 4, Pattern::None, Pattern::None);
            let mut frames = vec![vec![]; 4];
            frames[only] = (1..60).map(|n| random_frame(bench.rng(), n)).collect();
            let out = arb.run(bench, &frames)?;
            match bench.sink_rate(arb.sink).bubbles() {
                0 => equal("alone", &of_input(only, &out), &frames[only]),
                n => Err(format!("{n} bubbles")),
            }
        });
    }
}

#[test]
fn fork_gives_each_reader_every_frame() {
    for (top, width) in WIDTHS {
        for other in Pattern::ALL {
            let name = format!("fork_right_{}_w{width}", other.name());
            stream_matrix(&name, top, &seeds(0..1, 0..8), |bench, idle, stall| {
                let source = bench.source("fork_rx", idle);
                let sinks = [bench.sink("fork_left", stall), bench.sink("fork_right", other)];
                let frames = stimulus(bench, width);
                frames.iter().for_each(|f| bench.send(source, f.clone()));
                sinks.iter().for_each(|k| bench.expect(*k, frames.len() as u64));
                bench.run_until(1_000_000, |b| sinks.iter().all(|k| b.waiting(*k) == frames.len()))?;
                if (idle, stall, other) == (Pattern::None, Pattern::None, Pattern::None) {
                    let rates =
                        [bench.source_rate(source), bench.sink_rate(sinks[0]), bench.sink_rate(sinks[1])];
                    if rates.iter().any(|r| r.bubbles() != 0) {
                        return Err(format!("bubbles: {rates:?}"));
                    }
                    let key = format!("stream.fork.w{width}.beats_per_cycle");
                    metrics::record(&key, rates[1].beats_per_cycle()).map_err(|e| e.to_string())?;
                }
                equal("left", &bench.received(sinks[0]), &frames)?;
                equal("right", &bench.received(sinks[1]), &frames)
            });
        }
    }
}

#[test]
fn fork_lets_one_reader_run_three_beats_ahead() {
    for (held, free) in [("fork_right", "fork_left"), ("fork_left", "fork_right")] {
        run_case(&format!("{held}_held"), Top::BenchW64, 1, |bench| {
            let source = bench.source("fork_rx", Pattern::None);
            let sinks = [bench.sink(held, Pattern::None), bench.sink(free, Pattern::None)];
            bench.hold_sink(sinks[0], true);
            let frames: Vec<_> = (0..10).map(|_| random_frame(bench.rng(), 8)).collect();
            frames.iter().for_each(|f| bench.send(source, f.clone()));
            (0..100).for_each(|_| bench.step());
            if (bench.waiting(sinks[0]), bench.waiting(sinks[1])) != (0, 3) {
                return Err(format!("{} beats ahead", bench.waiting(sinks[1])));
            }
            bench.hold_sink(sinks[0], false);
            bench.run_until(100, |b| sinks.iter().all(|k| b.waiting(*k) == 10))?;
            equal("held", &bench.received(sinks[0]), &frames)?;
            equal("free", &bench.received(sinks[1]), &frames)
        });
    }
}

/// An item for each frame, its number in it, before some of them empty ones with the same number,
/// and an empty one at the end, which must not wait for a frame.
fn items(bench: &mut Bench, frames: usize) -> Vec<Item> {
    let mut all = vec![];
    for n in 0..frames as u64 {
        let empties = bench.rng().random_range(0..8_u32).saturating_sub(5);
        all.extend((0..empties).map(|_| Item::new().with("item", n).with("empty", 1)));
        all.push(Item::new().with("item", n).with("empty", 0));
    }
    all.push(Item::new().with("item", frames as u64).with("empty", 1));
    all
}

#[test]
fn meta_join_keeps_each_item_beside_its_frame() {
    for (top, width) in WIDTHS {
        for other in Pattern::ALL {
            let name = format!("mjoin_meta_{}_w{width}", other.name());
            stream_matrix(&name, top, &seeds(0..1, 0..8), |bench, idle, stall| {
                let (source, items_in) =
                    (bench.source("mjoin_rx", idle), bench.channel_source("mjoin_meta_rx", other));
                let (sink, items_out) =
                    (bench.sink("mjoin_tx", stall), bench.channel_sink("mjoin_meta_tx", other));
                let frames = stimulus(bench, width);
                let items = items(bench, frames.len());
                frames.iter().for_each(|f| bench.send(source, f.clone()));
                items.iter().for_each(|i| bench.put(items_in, i.clone()));
                bench.expect(sink, frames.len() as u64);
                bench.expect_items(items_out, items.len() as u64);
                bench.run_until(1_000_000, |b| {
                    if b.get("mjoin_tx_valid") == 1 {
                        let beside = (b.get("mjoin_meta_tx_item"), b.get("mjoin_meta_tx_empty"));
                        assert_eq!(beside, (b.waiting(sink) as u64, 0), "item beside a beat");
                    }
                    b.waiting(sink) == frames.len() && b.waiting_items(items_out) == items.len()
                })?;
                let got: Vec<_> =
                    bench.taken(items_out).iter().map(|i| (i.u64("item"), i.u64("empty"))).collect();
                let sent: Vec<_> = items.iter().map(|i| (i.u64("item"), i.u64("empty"))).collect();
                if got != sent {
                    return Err(format!("items {got:?} instead of {sent:?}"));
                }
                equal("frames", &bench.received(sink), &frames)
            });
        }
    }
}

#[test]
fn meta_join_has_no_bubble_and_an_empty_item_costs_one_cycle() {
    for (top, width) in WIDTHS {
        for (name, beats, empties) in [("shortest", 1, 0), ("long", 40, 0), ("empties", 1, 3)] {
            run_case(&format!("mjoin_rate_{name}_w{width}"), top, 1, |bench| {
                let source = bench.source("mjoin_rx", Pattern::None);
                let items_in = bench.channel_source("mjoin_meta_rx", Pattern::None);
                let sink = bench.sink("mjoin_tx", Pattern::None);
                bench.channel_sink("mjoin_meta_tx", Pattern::None);
                for n in 0..50 {
                    (0..empties)
                        .for_each(|_| bench.put(items_in, Item::new().with("item", n).with("empty", 1)));
                    bench.put(items_in, Item::new().with("item", n).with("empty", 0));
                    let frame = random_frame(bench.rng(), beats * width / 8);
                    bench.send(source, frame);
                }
                bench.expect(sink, 50);
                bench.run_until(10_000, |b| b.waiting(sink) == 50)?;
                let rate = bench.sink_rate(sink);
                if rate.bubbles() != 49 * empties {
                    return Err(format!("{} bubbles: {rate:?}", rate.bubbles()));
                }
                let key = format!("stream.meta_join.w{width}.{name}.beats_per_cycle");
                metrics::record(&key, rate.beats_per_cycle()).map_err(|e| e.to_string())
            });
        }
    }
}

#[test]
fn meta_join_holds_the_next_frame_until_the_item_is_taken() {
    run_case("mjoin_item_held", Top::BenchW64, 1, |bench| {
        let source = bench.source("mjoin_rx", Pattern::None);
        let items_in = bench.channel_source("mjoin_meta_rx", Pattern::None);
        let sink = bench.sink("mjoin_tx", Pattern::None);
        let items_out = bench.channel_sink("mjoin_meta_tx", Pattern::None);
        bench.hold_channel_sink(items_out, true);
        for n in 0..2 {
            let frame = random_frame(bench.rng(), 40);
            bench.send(source, frame);
            bench.put(items_in, Item::new().with("item", n).with("empty", 0));
        }
        (0..100).for_each(|_| bench.step());
        if bench.sink_rate(sink).beats != 5 {
            return Err(format!("{} beats beside the first item", bench.sink_rate(sink).beats));
        }
        bench.hold_channel_sink(items_out, false);
        bench.run_until(100, |b| b.waiting(sink) == 2 && b.waiting_items(items_out) == 2).map(drop)
    });
}

/// Numbers as items.
fn numbers(items: &[Item]) -> Vec<u64> {
    items.iter().map(|i| i.u64("item").unwrap_or(u64::MAX)).collect()
}

#[test]
fn merged_items_keep_their_order() {
    for seed in seeds(0..3, 0..40) {
        run_case("merged_items_keep_their_order", Top::BenchW64, seed, |bench| {
            let mut pattern = || Pattern::ALL[bench.rng().random_range(0..Pattern::ALL.len())];
            let patterns = [pattern(), pattern(), pattern()];
            let inputs = ["merge_a", "merge_b"].iter().zip(patterns);
            let inputs: Vec<_> = inputs.map(|(p, idle)| bench.channel_source(p, idle)).collect();
            let output = bench.channel_sink("merge_q", patterns[2]);
            for n in 0..300 {
                let input = bench.rng().random_range(0..2_usize);
                bench.put(inputs[input], Item::new().with("item", n << 1 | input as u64));
            }
            bench.expect_items(output, 300);
            bench.run_until(20_000, |b| b.waiting_items(output) == 300)?;
            let got = numbers(&bench.taken(output));
            for input in 0..2 {
                let own: Vec<_> = got.iter().filter(|n| *n & 1 == input).collect();
                assert!(own.is_sorted(), "input {input}: {own:?}");
            }
            let mut all: Vec<_> = got.iter().map(|n| n >> 1).collect();
            all.sort_unstable();
            assert_eq!(all, (0..300).collect::<Vec<_>>());
            Ok(())
        });
    }
}

#[test]
fn merged_inputs_take_turns_at_full_rate() {
    run_case("merged_inputs_take_turns_at_full_rate", Top::BenchW64, 1, |bench| {
        let inputs = ["merge_a", "merge_b"].map(|p| bench.channel_source(p, Pattern::None));
        let output = bench.channel_sink("merge_q", Pattern::None);
        for n in 0..200 {
            bench.put(inputs[n as usize % 2], Item::new().with("item", n));
        }
        bench.expect_items(output, 200);
        let cycles = bench.run_until(1_000, |b| b.waiting_items(output) == 200)?;
        assert_eq!(numbers(&bench.taken(output)), (0..200).collect::<Vec<_>>());
        assert!(cycles <= 203, "{cycles} cycles for 200 items");
        Ok(())
    });
}
