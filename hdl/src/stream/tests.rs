// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cells of this folder in Rust-HDL's own simulator; `tests/tests/stream/fifo.rs` has the
//! emitted Verilog.
use super::native::{random_frame, tick, Drain, Feed, Frame};
use super::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

/// Idle and stall, in percent.
const PACES: [(u32, u32); 4] = [(0, 0), (50, 0), (0, 50), (30, 30)];

fn mixed(rng: &mut ChaCha8Rng, count: usize, most: usize, bad: f64) -> Vec<Frame> {
    (0..count)
        .map(|_| {
            let (octets, err) = (rng.random_range(1..=most), rng.random_bool(bad));
            random_frame(rng, octets, err)
        })
        .collect()
}

#[test]
fn packet_fifo_keeps_good_frames_that_fit_and_counts_the_others() {
    const DEPTH: usize = 8;
    for (seed, (idle, stall)) in (0..).zip(PACES) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let frames = mixed(rng, 200, 8 * DEPTH + 24, 0.2);
        let fits = |f: &Frame| f.data.len() <= 8 * DEPTH;
        let good: Vec<_> = frames.iter().filter(|f| fits(f) && !f.err).cloned().collect();
        let long = frames.iter().filter(|f| !fits(f)).count();
        let mut fifo = PacketFifo::<64, 4, 3>::new(OnFull::Wait);
        fifo.connect_all();
        let (mut feed, mut drain) = (Feed::new(&frames, idle), Drain::new(stall));
        let mut counts = [0; 4];
        for cycle in 0..20_000 {
            fifo.reset.next = cycle < 2;
            if cycle >= 2 {
                feed.drive(&mut fifo.rx, rng);
                drain.drive(&mut fifo.tx, rng);
            }
            assert!(simulate(&mut fifo, 50));
            if cycle >= 2 {
                feed.note(&fifo.rx);
                drain.note(&fifo.tx);
                let pulses = [&fifo.kept, &fifo.dropped_err, &fifo.dropped_long, &fifo.dropped_full];
                let high = pulses.map(|p| usize::from(p.val()));
                assert!(high.iter().sum::<usize>() <= 1, "{high:?}");
                counts = std::array::from_fn(|i| counts[i] + high[i]);
            }
            tick(&mut fifo, |b, c| b.clock.next = c);
            if feed.done() && drain.frames.len() == good.len() && counts.iter().sum::<usize>() == frames.len()
            {
                break;
            }
        }
        assert_eq!(drain.frames, good);
        assert_eq!(counts, [good.len(), frames.len() - good.len() - long, long, 0]);
    }
}

#[test]
fn arbiter_gives_each_backlogged_input_its_turn_without_a_bubble() {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let frames: [Vec<Frame>; 3] = std::array::from_fn(|_| mixed(rng, 60, 20, 0.1));
    let beats: usize = frames.iter().flatten().map(|f| f.data.len().div_ceil(8)).sum();
    for (idle, stall) in PACES {
        let mut arbiter = Arbiter::<3, 64, 4>::default();
        arbiter.connect_all();
        let mut feeds: Vec<_> = frames.iter().map(|f| Feed::new(f, idle)).collect();
        let (mut drain, mut from) = (Drain::new(stall), vec![]);
        let mut cycle = 0;
        while from.len() < 180 {
            arbiter.reset.next = cycle < 2;
            if cycle >= 2 {
                for (feed, port) in feeds.iter_mut().zip(arbiter.rx.iter_mut()) {
                    feed.drive(port, rng);
                }
                drain.drive(&mut arbiter.tx, rng);
            }
            assert!(simulate(&mut arbiter, 50));
            if cycle >= 2 {
                for (feed, port) in feeds.iter_mut().zip(arbiter.rx.iter()) {
                    feed.note(port);
                }
                drain.note(&arbiter.tx);
                if drain.frames.len() > from.len() {
                    from.push(arbiter.from.val().to_u64() as usize);
                }
            }
            tick(&mut arbiter, |b, c| b.clock.next = c);
            cycle += 1;
            assert!(cycle < 20_000, "stuck after {} frames", from.len());
        }
        for (i, sent) in frames.iter().enumerate() {
            let got: Vec<_> =
                from.iter().zip(&drain.frames).filter(|(f, _)| **f == i).map(|(_, d)| d.clone()).collect();
            assert_eq!(&got, sent, "input {i}");
        }
        if idle == 0 {
            assert!(from.windows(2).all(|w| w[1] == (w[0] + 1) % 3), "{from:?}");
        }
        if (idle, stall) == (0, 0) {
            assert_eq!(cycle, 2 + 2 + beats);
        }
    }
}

#[test]
fn fork_gives_both_readers_every_frame() {
    for (seed, (idle, stall)) in (0..).zip(PACES) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let frames = mixed(rng, 100, 30, 0.2);
        let mut fork = Fork::<64, 4>::default();
        fork.connect_all();
        let (mut feed, mut left, mut right) =
            (Feed::new(&frames, idle), Drain::new(stall), Drain::new(stall / 2));
        for cycle in 0..10_000 {
            fork.reset.next = cycle < 2;
            if cycle >= 2 {
                feed.drive(&mut fork.rx, rng);
                left.drive(&mut fork.left, rng);
                right.drive(&mut fork.right, rng);
            }
            assert!(simulate(&mut fork, 50));
            if cycle >= 2 {
                feed.note(&fork.rx);
                left.note(&fork.left);
                right.note(&fork.right);
            }
            tick(&mut fork, |b, c| b.clock.next = c);
        }
        assert_eq!(left.frames, frames);
        assert_eq!(right.frames, frames);
    }
}

#[test]
fn meta_join_keeps_item_and_frame_together() {
    for (seed, (idle, stall)) in (0..).zip(PACES) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let frames = mixed(rng, 100, 30, 0.2);
        // Item: number of the frame that it describes; an empty one stands before each fourth
        // frame.
        let items: Vec<_> =
            (0..100_u64).flat_map(|i| [(i, true), (i, false)]).filter(|(i, e)| !e || i % 4 == 0).collect();
        let mut join = MetaJoin::<16, 64, 4>::default();
        join.connect_all();
        let (mut feed, mut drain) = (Feed::new(&frames, idle), Drain::new(stall));
        let (mut next, mut offering, mut got) = (0, false, vec![]);
        for cycle in 0..10_000 {
            join.reset.next = cycle < 2;
            if cycle >= 2 {
                feed.drive(&mut join.rx, rng);
                drain.drive(&mut join.tx, rng);
                offering |= next < items.len() && rng.random_range(0..100) >= idle;
                join.meta_rx.valid.next = offering;
                if offering {
                    join.meta_rx.item.next = items[next].0.into();
                    join.meta_rx.empty.next = items[next].1;
                }
                join.meta_tx.ready.next = rng.random_range(0..100) >= stall;
            }
            assert!(simulate(&mut join, 50));
            if cycle >= 2 {
                feed.note(&join.rx);
                if join.tx.valid.val() {
                    assert_eq!(
                        join.meta_tx.item.val().to_u64(),
                        drain.frames.len() as u64,
                        "item of the frame"
                    );
                    assert!(!join.meta_tx.empty.val());
                }
                drain.note(&join.tx);
                if offering && join.meta_rx.ready.val() {
                    (next, offering) = (next + 1, false);
                }
                if join.meta_tx.valid.val() && join.meta_tx.ready.val() {
                    got.push((join.meta_tx.item.val().to_u64(), join.meta_tx.empty.val()));
                }
            }
            tick(&mut join, |b, c| b.clock.next = c);
        }
        assert_eq!(drain.frames, frames);
        assert_eq!(got, items);
    }
}

#[test]
fn a_tally_tells_when_what_was_inside_has_left() {
    let rng = &mut ChaCha8Rng::seed_from_u64(5);
    let mut tally = Tally::<4>::default();
    tally.connect_all();
    // numbers of the oldest item inside, of the next one to enter, of the last one that is asked
    // for
    let (mut oldest, mut next, mut asked) = (0_u32, 0_u32, 0_u32);
    for cycle in 0..20_000 {
        let enters = cycle >= 2 && next - oldest < 15 && rng.random_bool(0.5);
        let leaves = cycle >= 2 && next > oldest && rng.random_bool(0.5);
        let starts = cycle >= 2 && rng.random_bool(0.1);
        tally.reset.next = cycle < 2;
        tally.enters.next = enters;
        tally.leaves.next = leaves;
        tally.start.next = starts;
        assert!(simulate(&mut tally, 50));
        if cycle >= 2 {
            assert_eq!(tally.done.val(), oldest >= asked, "cycle {cycle}");
        }
        (oldest, next) = (oldest + u32::from(leaves), next + u32::from(enters));
        if starts {
            asked = next;
        }
        tick(&mut tally, |b, c| b.clock.next = c);
    }
}

#[test]
fn pick_gives_each_source_its_turn_and_stays_with_the_one_it_serves() {
    const N: usize = 5;
    let rng = &mut ChaCha8Rng::seed_from_u64(3);
    let mut pick = Pick::<Bits<8>, N>::new();
    pick.connect_all();
    let mut last = 0;
    for cycle in 0..5_000_u64 {
        let offers: [bool; N] = std::array::from_fn(|_| rng.random_bool(0.4));
        let [stays, serves, ready] = std::array::from_fn(|_| rng.random_bool(0.5));
        let item = |i: usize| Bits::<8>::from((cycle + i as u64) % 256);
        pick.reset.next = cycle < 2;
        for (i, rx) in pick.rx.iter_mut().enumerate() {
            rx.item.next = item(i);
            rx.valid.next = offers[i];
        }
        pick.stays.next = stays;
        pick.serves.next = serves;
        pick.tx.ready.next = ready;
        assert!(simulate(&mut pick, 50));
        if cycle >= 2 {
            let next = (1..=N).map(|step| (last + step) % N).find(|&i| offers[i]);
            let choice = if stays { Some(last) } else { next };
            assert_eq!(pick.last.val().to_u64(), last as u64, "cycle {cycle}");
            assert_eq!(pick.tx.valid.val(), choice.is_some(), "cycle {cycle}: {offers:?} behind {last}");
            let shown = choice.unwrap_or(last);
            assert_eq!(pick.tx.item.val(), item(shown), "cycle {cycle}: {offers:?} behind {last}");
            let taken: Vec<_> = (0..N).filter(|&i| pick.rx[i].ready.val()).collect();
            assert_eq!(taken, if ready { vec![shown] } else { vec![] }, "cycle {cycle}");
            last = if serves { shown } else { last };
        }
        tick(&mut pick, |b, c| b.clock.next = c);
    }
}
