// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frame splitter and byte shifter on the emitted Verilog, at every offset.
use ferrowarp_sim::{random_frame, run_case, seeds, stream_matrix, Bench, Frame, Pattern};
use ferrowarp_tests::cutting::{Cutter, Cutting, WIDTHS};
use rand::seq::SliceRandom;
use rand::Rng;

const CELLS: [Cutter; 2] = [Cutter::Cut, Cutter::Realign];

/// Lengths around each number of whole beats up to four.
fn edge_lengths(width: usize) -> Vec<usize> {
    let octets = width / 8;
    let near = (1..=4).flat_map(|beats| [beats * octets - 1, beats * octets, beats * octets + 1]);
    [1, 2, octets + octets / 2, 2 * octets + 5].into_iter().chain(near).collect()
}

/// Every offset from 0 to two octets behind the end of each edge length, in any order, then a few
/// long frames.
fn stimulus(bench: &mut Bench, width: usize) -> Vec<(Frame, usize)> {
    let mut pairs: Vec<_> =
        edge_lengths(width).into_iter().flat_map(|len| (0..=len + 2).map(move |at| (len, at))).collect();
    pairs.extend((0..6).map(|_| {
        let len = bench.rng().random_range(1..=1_600);
        (len, bench.rng().random_range(0..=len))
    }));
    pairs.push((40, 65_535));
    pairs.shuffle(bench.rng());
    pairs.into_iter().map(|(len, at)| (random_frame(bench.rng(), len), at)).collect()
}

#[test]
fn every_offset_is_cut_whatever_the_pace() {
    for (top, width) in WIDTHS {
        for cell in CELLS {
            stream_matrix(&format!("{cell:?}_w{width}"), top, &seeds(0..1, 0..8), |bench, idle, stall| {
                let cutting = Cutting::new(bench, cell, idle, stall);
                let frames = stimulus(bench, width);
                cutting.run(bench, &frames, false).map(drop)
            });
        }
    }
}

#[test]
fn parts_may_wait_for_the_end_of_their_frame() {
    for (top, width) in WIDTHS {
        for cell in CELLS {
            run_case(&format!("{cell:?}_w{width}_parts_last"), top, 1, |bench| {
                let cutting = Cutting::new(bench, cell, Pattern::None, Pattern::Random);
                let frames = stimulus(bench, width);
                cutting.run(bench, &frames, true).map(drop)
            });
        }
    }
}

/// Neither a cut nor the gap between two frames nor one-octet frames cost the splitter a cycle on
/// `tx`.
#[test]
fn no_cut_costs_a_bubble() {
    for (top, width) in WIDTHS {
        run_case(&format!("cut_w{width}_rate"), top, 1, |bench| {
            let cutting = Cutting::new(bench, Cutter::Cut, Pattern::None, Pattern::None);
            let mut frames = stimulus(bench, width);
            frames.extend((0..50).map(|i| (random_frame(bench.rng(), 1 + i % 3), i % 4)));
            let measured = cutting.run(bench, &frames, false)?;
            match measured.tx.bubbles() {
                0 => Ok(()),
                n => Err(format!("{n} bubbles: {measured:?}")),
            }
        });
    }
}

/// The shifter takes a beat in every cycle, frames that vanish and one-octet frames included.
#[test]
fn no_skip_costs_a_bubble() {
    for (top, width) in WIDTHS {
        run_case(&format!("realign_w{width}_rate"), top, 1, |bench| {
            let cutting = Cutting::new(bench, Cutter::Realign, Pattern::None, Pattern::None);
            let mut frames = stimulus(bench, width);
            frames.extend((0..50).map(|i| (random_frame(bench.rng(), 1 + i % 3), i % 4)));
            let measured = cutting.run(bench, &frames, false)?;
            match measured.rx.bubbles() {
                0 => Ok(()),
                n => Err(format!("{n} bubbles: {measured:?}")),
            }
        });
    }
}

#[test]
fn a_beat_leaves_four_cycles_after_the_one_that_completes_it() {
    for (top, width) in WIDTHS {
        for cell in CELLS {
            run_case(&format!("{cell:?}_w{width}_latency"), top, 1, |bench| {
                let cutting = Cutting::new(bench, cell, Pattern::None, Pattern::None);
                let octets = width / 8;
                // one whole beat, of which the cell keeps what lies behind the offset, and `shift`
                // octets more
                let (shift, beats) = (3, 2);
                let frame = random_frame(bench.rng(), octets + shift);
                let measured = cutting.run(bench, &[(frame, shift)], false)?;
                let (first, last) = match cell {
                    Cutter::Cut => (4, 4 + 1),
                    Cutter::Realign => (4 + 1, 4 + 1),
                };
                let begin = measured.rx.first_cycle;
                let got =
                    (measured.rx.beats, measured.tx.first_cycle - begin, measured.tx.last_cycle - begin);
                if got == (beats, first, last) {
                    return Ok(());
                }
                Err(format!("beats in, first and last cycle out {got:?}, must be {:?}", (beats, first, last)))
            });
        }
    }
}

#[test]
fn octets_left_over_leave_one_cycle_later() {
    for (top, width) in WIDTHS {
        for cell in CELLS {
            run_case(&format!("{cell:?}_w{width}_left_over"), top, 1, |bench| {
                let cutting = Cutting::new(bench, cell, Pattern::None, Pattern::None);
                let frame = random_frame(bench.rng(), 5);
                let measured = cutting.run(bench, &[(frame, 3)], false)?;
                match measured.tx.last_cycle - measured.rx.first_cycle {
                    5 => Ok(()),
                    n => Err(format!("{n} cycles: {measured:?}")),
                }
            });
        }
    }
}

#[test]
fn a_reset_forgets_the_frame_that_was_inside() {
    for (top, width) in WIDTHS {
        for cell in CELLS {
            run_case(&format!("{cell:?}_w{width}_reset"), top, 1, |bench| {
                let cutting = Cutting::new(bench, cell, Pattern::None, Pattern::None);
                for cycles in 1..=12 {
                    cutting.begin(bench, &Frame::good(vec![0x55; 20 * width / 8]), 3 * width / 8 + 1, cycles);
                    bench.reset();
                    let pair = |n| (random_frame(bench.rng(), n), n / 2);
                    let frames: Vec<_> = (1..=40).map(pair).collect();
                    cutting.run(bench, &frames, false)?;
                }
                Ok(())
            });
        }
    }
}
