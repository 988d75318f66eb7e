// SPDX-License-Identifier: MIT OR Apache-2.0
//! The watchdog and the turns of the device's own events, each alone on the emitted Verilog.
use ferrowarp_hdl::gen::Event;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, ChanSinkId, Pattern};
use ferrowarp_tests::queue::{event_item, event_of};
use ferrowarp_tests::record::Record;
use rand::seq::IndexedRandom;
use rand::Rng;

/// Kind of the event.
const STALLED: u64 = 14;
/// Channels: commands, receive, transmit, frames.
const CHANNELS: usize = 4;
/// Cycles of a tick, from a tick to the end of its walk, and to the event.
const TICK: u64 = 12;
const WALK: u64 = 8;

/// What the inputs of a channel say: it waits, or moves.
fn drive(bench: &mut Bench, channel: usize, waits: bool, moves: bool) {
    // of receive and transmit the head waits or its octets
    let bit = bench.rng().random_range(0..2);
    match channel {
        0 => bench.set("dog_asked", waits.into()),
        1 => {
            let bit = bench.rng().random_range(0..5);
            let (valid, ready) = (bench.get("dog_valid") & !63, bench.get("dog_ready") & !63);
            bench.set("dog_valid", valid | u64::from(waits || moves) << bit);
            bench.set("dog_ready", ready | u64::from(moves) << bit);
        }
        2 => {
            let (valid, ready) = (bench.get("dog_valid") & 63, bench.get("dog_ready") & 63);
            bench.set("dog_owes", (waits && bit == 0).into());
            bench.set("dog_sq_owes", (waits && bit == 1).into());
            bench.set("dog_valid", valid | u64::from(moves) << (6 + bit));
            bench.set("dog_ready", ready | u64::from(moves) << (6 + bit));
        }
        _ => {
            bench.set("dog_frame_valid", (waits || moves).into());
            bench.set("dog_frame_ready", moves.into());
        }
    }
}

fn start(bench: &mut Bench, limit: u64, stall: Pattern) -> ChanSinkId {
    for port in ["tick", "asked", "valid", "ready", "frame_valid", "frame_ready", "owes", "sq_owes"] {
        bench.set(&format!("dog_{port}"), 0);
    }
    for (port, value) in [("limit", limit), ("rx_qp", 5), ("take_qp", 3), ("tx_qp", 9), ("sq_qp", 9)] {
        bench.set(&format!("dog_{port}"), value);
    }
    let sink = bench.channel_sink("dog_event", stall);
    // the head of an FPDU comes before its octets
    drive_head(bench, true);
    step(bench);
    drive_head(bench, false);
    sink
}

/// The head of an FPDU for `ddp` is offered and taken.
fn drive_head(bench: &mut Bench, goes: bool) {
    bench.set("dog_valid", goes.into());
    bench.set("dog_ready", goes.into());
}

/// One cycle, with ticks.
fn step(bench: &mut Bench) {
    let tick = bench.cycle().is_multiple_of(TICK);
    bench.set("dog_tick", tick.into());
    bench.step();
}

/// Number and channel of each event.
fn told(bench: &mut Bench, sink: ChanSinkId) -> Vec<(u64, usize)> {
    let told = bench.taken(sink);
    let events = told.iter().map(Record::<Event>::of_item);
    events
        .map(|event| {
            let told = ["kind", "error", "phase"].map(|field| event.get(field));
            assert_eq!(told, [STALLED, 0, 0]);
            (event.get("number"), event.get("info") as usize - 1)
        })
        .collect()
}

/// Queue pair of a channel's event.
fn number(channel: usize) -> u64 {
    [0, 5, 9, 0][channel]
}

#[test]
fn a_stall_is_told_in_time_with_its_queue_pair_and_once() {
    for channel in 0..CHANNELS {
        for seed in seeds(0..6, 0..60) {
            run_case(&format!("host-watchdog-{channel}"), Top::HostW64, seed, |bench| {
                let limit = bench.rng().random_range(1..9);
                let sink = start(bench, limit, Pattern::None);
                let wait = bench.rng().random_range(0..5 * TICK);
                (0..wait).for_each(|_| step(bench));
                for _ in 0..2 {
                    drive(bench, channel, true, false);
                    let begun = bench.cycle();
                    while bench.waiting_items(sink) == 0 {
                        if bench.cycle() - begun > (limit + 1) * TICK + WALK {
                            return Err(format!("no event of {limit} ticks"));
                        }
                        step(bench);
                    }
                    let after = bench.cycle() - begun;
                    assert!(after > limit * TICK, "an event after {after} cycles, of {limit} ticks");
                    assert_eq!(bench.get("dog_stalled"), 1 << channel);
                    (0..20 * TICK).for_each(|_| step(bench));
                    assert_eq!(told(bench, sink), [(number(channel), channel)]);
                    // one transfer ends the stall
                    drive(bench, channel, false, channel > 0);
                    step(bench);
                    drive(bench, channel, false, false);
                    (0..TICK + WALK).for_each(|_| step(bench));
                    assert_eq!(bench.get("dog_stalled"), 0);
                }
                Ok(())
            });
        }
    }
}

#[test]
fn a_receive_that_does_not_come_is_told_with_its_own_queue_pair() {
    run_case("host-watchdog-fetch", Top::HostW64, 1, |bench| {
        let sink = start(bench, 3, Pattern::None);
        for _ in 0..2 {
            bench.set("dog_valid", 1 << 5);
            (0..6 * TICK).for_each(|_| step(bench));
            assert_eq!((told(bench, sink), bench.get("dog_stalled")), (vec![(3, 1)], 2));
            bench.set("dog_ready", 1 << 5);
            step(bench);
            bench.set("dog_valid", 0);
            bench.set("dog_ready", 0);
            (0..2 * TICK).for_each(|_| step(bench));
            assert_eq!(bench.get("dog_stalled"), 0);
        }
        Ok(())
    });
}

#[test]
fn the_way_to_the_wire_names_the_queue_pair_before_the_send_queue() {
    for (owes, sq_owes, number) in [(1, 0, 9), (0, 1, 6), (1, 1, 9)] {
        run_case("host-watchdog-transmit", Top::HostW64, 1, |bench| {
            let sink = start(bench, 3, Pattern::None);
            bench.set("dog_sq_qp", 6);
            bench.set("dog_owes", owes);
            bench.set("dog_sq_owes", sq_owes);
            (0..6 * TICK).for_each(|_| step(bench));
            assert_eq!(told(bench, sink), [(number, 2)]);
            Ok(())
        });
    }
}

#[test]
fn random_channels_are_told_if_and_only_if_they_stall() {
    for seed in seeds(0..12, 0..300) {
        run_case("host-watchdog-random", Top::HostW64, seed, |bench| {
            let limit = bench.rng().random_range(2..6);
            let stall = *Pattern::ALL.choose(bench.rng()).ok_or("a pattern")?;
            let sink = start(bench, limit, stall);
            // stalls that must be told, and those that may be
            let (mut must, mut may) = ([0; CHANNELS], [0; CHANNELS]);
            let mut since = [None; CHANNELS];
            for _ in 0..2_000 {
                for channel in 0..CHANNELS {
                    if bench.rng().random_range(0..40) > 0 {
                        continue;
                    }
                    let waits = bench.rng().random_bool(0.6);
                    if let Some(begun) = since[channel].take() {
                        let lasted: u64 = bench.cycle() - begun;
                        must[channel] += u64::from(lasted > (limit + 1) * TICK + WALK);
                        may[channel] += u64::from(lasted >= limit * TICK);
                    }
                    drive(bench, channel, false, channel > 0);
                    step(bench);
                    drive(bench, channel, waits, false);
                    since[channel] = waits.then(|| bench.cycle());
                }
                step(bench);
            }
            (0..CHANNELS).for_each(|channel| drive(bench, channel, false, false));
            (0..20 * TICK).for_each(|_| step(bench));
            assert_eq!(bench.get("dog_stalled"), 0);
            let all = told(bench, sink);
            for channel in 0..CHANNELS {
                let of: Vec<_> = all.iter().filter(|t| t.1 == channel).collect();
                let count = of.len() as u64;
                if count > may[channel] + 1 || (stall == Pattern::None && count < must[channel]) {
                    let [must, may] = [must[channel], may[channel]];
                    return Err(format!("channel {channel}: {count} events, not {must} to {may}"));
                }
                assert!(of.iter().all(|t| t.0 == number(channel)), "{of:?}");
            }
            Ok(())
        });
    }
}

#[test]
fn a_watchdog_that_is_off_tells_nothing() {
    run_case("host-watchdog-off", Top::HostW64, 1, |bench| {
        let sink = start(bench, 0, Pattern::None);
        (0..CHANNELS).for_each(|channel| drive(bench, channel, true, false));
        (0..100 * TICK).for_each(|_| step(bench));
        assert_eq!((told(bench, sink), bench.get("dog_stalled")), (vec![], 0));
        // on: all that waits is told, the longest wait of a sink that takes nothing is not lost
        bench.set("dog_limit", 3);
        bench.hold_channel_sink(sink, true);
        (0..10 * TICK).for_each(|_| step(bench));
        (0..CHANNELS).for_each(|channel| drive(bench, channel, false, channel > 0));
        (0..4 * TICK).for_each(|_| step(bench));
        assert_eq!(bench.get("dog_stalled"), 0);
        bench.hold_channel_sink(sink, false);
        (0..4 * TICK).for_each(|_| step(bench));
        let mut told = told(bench, sink);
        told.sort_unstable_by_key(|t| t.1);
        assert_eq!(told, [(0, 0), (5, 1), (9, 2), (0, 3)]);
        Ok(())
    });
}

#[test]
fn sources_of_the_devices_own_events_take_turns_and_lose_nothing() {
    const SOURCES: usize = 3;
    const EACH: u64 = 40;
    for seed in seeds(0..8, 0..200) {
        run_case("host-own-events", Top::HostW64, seed, |bench| {
            let mut pattern = |steady| match steady {
                true => Pattern::None,
                false => *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None),
            };
            let patterns = [0; SOURCES + 1].map(|_| pattern(seed == 0));
            let from: Vec<_> =
                (0..SOURCES).map(|i| bench.channel_source(&format!("own_from_{i}"), patterns[i])).collect();
            let sink = bench.channel_sink("own_event", patterns[SOURCES]);
            for n in 0..EACH {
                for (i, &source) in from.iter().enumerate() {
                    bench.put(source, event_item([i as u64, n, 0, n * n]));
                }
            }
            bench.run_until(20_000, |b| b.waiting_items(sink) == SOURCES * EACH as usize)?;
            let got: Vec<_> = bench.taken(sink).iter().map(event_of).collect();
            for i in 0..SOURCES as u64 {
                let of: Vec<_> = got.iter().filter(|e| e[0] == i).map(|e| (e[1], e[3])).collect();
                let want: Vec<_> = (0..EACH).map(|n| (n, n * n)).collect();
                assert_eq!(of, want, "events of source {i}");
            }
            if seed == 0 {
                let turns: Vec<_> = got.iter().map(|e| e[0]).collect();
                assert!(turns.windows(SOURCES).all(|w| w[0] != w[1] && w[0] != w[2]), "{turns:?}");
            }
            Ok(())
        });
    }
}
