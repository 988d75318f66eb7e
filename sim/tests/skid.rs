// SPDX-License-Identifier: MIT OR Apache-2.0
//! The skid buffers of the bench tops: 16,000 random frames, and full rate.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{
    expect_frames, lengths, random_frame, random_frames, run_case, seeds, stream_matrix, Pattern,
};

/// Frames of one case; 9 pattern pairs x 2 widths make 16,002 with one seed.
const FRAMES: usize = 889;

fn every_frame_passes(top: Top, width: usize) {
    stream_matrix(&format!("skid-w{width}"), top, &seeds(0..1, 0..8), |bench, idle, stall| {
        let source = bench.source("skid_rx", idle);
        let sink = bench.sink("skid_tx", stall);
        let frames = random_frames(bench.rng(), width, FRAMES);
        expect_frames(bench, source, sink, &frames, &frames).map(drop)
    });
}

fn full_rate(top: Top, width: usize) {
    run_case(&format!("skid-rate-w{width}"), top, 1, |bench| {
        let source = bench.source("skid_rx", Pattern::None);
        let sink = bench.sink("skid_tx", Pattern::None);
        let frames: Vec<_> = lengths(width).into_iter().map(|n| random_frame(bench.rng(), n)).collect();
        let measured = expect_frames(bench, source, sink, &frames, &frames)?;
        assert_eq!((measured.rx.bubbles(), measured.tx.bubbles()), (0, 0), "{measured:?}");
        assert!(measured.rx.beats_per_cycle() == 1.0 && measured.tx.beats_per_cycle() == 1.0);
        Ok(())
    });
}

#[test]
fn w64_passes_every_frame() {
    every_frame_passes(Top::BenchW64, 64);
}

#[test]
fn w256_passes_every_frame() {
    every_frame_passes(Top::BenchW256, 256);
}

#[test]
fn w64_has_full_rate() {
    full_rate(Top::BenchW64, 64);
}

#[test]
fn w256_has_full_rate() {
    full_rate(Top::BenchW256, 256);
}
