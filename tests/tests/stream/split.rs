// SPDX-License-Identifier: MIT OR Apache-2.0
//! Header split on the emitted Verilog, at 14, 18, 20, 40 and 54 octets.
use ferrowarp_sim::{random_frame, run_case, seeds, stream_matrix, Bench, Frame, Pattern};
use ferrowarp_tests::cutting::{Split, Taken, HEADERS, WIDTHS};
use rand::seq::SliceRandom;
use rand::Rng;

/// Every length from one octet to the header and four beats, in any order, then a few long frames.
fn stimulus(bench: &mut Bench, width: usize, header: usize) -> Vec<Frame> {
    let mut lengths: Vec<usize> = (1..=header + 4 * width / 8).collect();
    lengths.extend((0..4).map(|_| bench.rng().random_range(1..=1_600)));
    lengths.shuffle(bench.rng());
    lengths.into_iter().map(|n| random_frame(bench.rng(), n)).collect()
}

#[test]
fn every_length_is_split_whatever_the_pace() {
    for (top, width) in WIDTHS {
        for h in HEADERS {
            stream_matrix(&format!("split{h}_w{width}"), top, &seeds(0..1, 0..8), |bench, idle, stall| {
                let split = Split::new(bench, h, idle, stall);
                let frames = stimulus(bench, width, h);
                split.run(bench, &frames, Taken::Any).map(drop)
            });
        }
    }
}

#[test]
fn header_and_payload_may_be_taken_in_either_order() {
    for (top, width) in WIDTHS {
        for h in HEADERS {
            for taken in [Taken::HeaderFirst, Taken::PayloadFirst] {
                run_case(&format!("split{h}_w{width}_{taken:?}"), top, 1, |bench| {
                    let split = Split::new(bench, h, Pattern::None, Pattern::None);
                    let frames = stimulus(bench, width, h);
                    split.run(bench, &frames, taken).map(drop)
                });
            }
        }
    }
}

#[test]
fn no_length_costs_a_bubble() {
    for (top, width) in WIDTHS {
        for h in HEADERS {
            run_case(&format!("split{h}_w{width}_rate"), top, 1, |bench| {
                let split = Split::new(bench, h, Pattern::None, Pattern::None);
                let mut frames = stimulus(bench, width, h);
                frames.extend((0..50).map(|_| random_frame(bench.rng(), 1)));
                let measured = split.run(bench, &frames, Taken::Any)?;
                match measured.rx.bubbles() {
                    0 => Ok(()),
                    n => Err(format!("{n} bubbles: {measured:?}")),
                }
            });
        }
    }
}

#[test]
fn header_and_payload_leave_two_cycles_after_the_beat_that_completes_them() {
    for (top, width) in WIDTHS {
        for h in HEADERS {
            run_case(&format!("split{h}_w{width}_latency"), top, 1, |bench| {
                let split = Split::new(bench, h, Pattern::None, Pattern::None);
                let header_beats = h.div_ceil(width / 8);
                // one octet of payload in the beat after the header: what is left of the header's
                // last beat makes the first payload beat with it, or the octet is all there is
                let frame = random_frame(bench.rng(), header_beats * width / 8 + 1);
                let measured = split.run(bench, &[frame], Taken::Any)?;
                let completes = measured.rx.first_cycle + header_beats as u64;
                match measured.tx.first_cycle - completes {
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
            run_case(&format!("split{h}_w{width}_reset"), top, 1, |bench| {
                let split = Split::new(bench, h, Pattern::None, Pattern::None);
                for beats in 1..=10 {
                    split.begin(bench, Frame::good(vec![0x55; 20 * width / 8]), beats);
                    bench.reset();
                    let frames: Vec<_> = (1..=2 * h).map(|n| random_frame(bench.rng(), n)).collect();
                    split.run(bench, &frames, Taken::Any)?;
                }
                Ok(())
            });
        }
    }
}
