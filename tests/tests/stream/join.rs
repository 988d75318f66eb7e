// SPDX-License-Identifier: MIT OR Apache-2.0
//! Header join on the emitted Verilog, at 14, 18, 20, 40 and 54 octets.
use ferrowarp_sim::{random_frame, run_case, seeds, stream_matrix, Bench, Frame, Pattern};
use ferrowarp_tests::cutting::{Join, HEADERS, WIDTHS};
use rand::seq::SliceRandom;
use rand::Rng;

/// Frames of every length up to the header and four beats, in any order, then a few long ones.
/// Frames not longer than the header have no payload; shorter ones go in as short headers.
fn stimulus(bench: &mut Bench, width: usize, header: usize) -> Vec<Frame> {
    let mut lengths: Vec<usize> = (header - 2..=header + 4 * width / 8).collect();
    lengths.extend((0..4).map(|_| bench.rng().random_range(header..=1_600)));
    lengths.extend([header; 20]);
    lengths.shuffle(bench.rng());
    lengths.into_iter().map(|n| random_frame(bench.rng(), n)).collect()
}

#[test]
fn every_length_is_joined_whatever_the_pace() {
    for (top, width) in WIDTHS {
        for h in HEADERS {
            stream_matrix(&format!("join{h}_w{width}"), top, &seeds(0..1, 0..8), |bench, idle, stall| {
                let join = Join::new(bench, h, idle, stall);
                let frames = stimulus(bench, width, h);
                join.run(bench, &frames).map(drop)
            });
        }
    }
}

#[test]
fn no_length_costs_a_bubble() {
    for (top, width) in WIDTHS {
        for h in HEADERS {
            run_case(&format!("join{h}_w{width}_rate"), top, 1, |bench| {
                let join = Join::new(bench, h, Pattern::None, Pattern::None);
                let mut frames = stimulus(bench, width, h);
                frames.extend((0..50).map(|n| random_frame(bench.rng(), h + n % 2)));
                let measured = join.run(bench, &frames)?;
                match measured.tx.bubbles() {
                    0 => Ok(()),
                    n => Err(format!("{n} bubbles: {measured:?}")),
                }
            });
        }
    }
}

#[test]
fn the_first_beat_leaves_two_cycles_after_its_header() {
    for (top, width) in WIDTHS {
        for h in HEADERS {
            run_case(&format!("join{h}_w{width}_latency"), top, 1, |bench| {
                let join = Join::new(bench, h, Pattern::None, Pattern::None);
                let frame = random_frame(bench.rng(), h + 1);
                let measured = join.run(bench, &[frame])?;
                // header and payload are offered in the same cycle
                match measured.tx.first_cycle - measured.rx.first_cycle {
                    2 => Ok(()),
                    n => Err(format!("{n} cycles: {measured:?}")),
                }
            });
        }
    }
}

#[test]
fn a_reset_forgets_the_frame_that_was_inside() {
    for (top, width) in WIDTHS {
        for h in HEADERS {
            run_case(&format!("join{h}_w{width}_reset"), top, 1, |bench| {
                let join = Join::new(bench, h, Pattern::None, Pattern::None);
                for cycles in 1..=10 {
                    join.begin(bench, &Frame::good(vec![0x55; h + 20 * width / 8]), cycles);
                    bench.reset();
                    let frames: Vec<_> = (0..40).map(|n| random_frame(bench.rng(), h + n)).collect();
                    join.run(bench, &frames)?;
                }
                Ok(())
            });
        }
    }
}
