// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packet FIFO on the emitted Verilog: `fifo` waits when it is full, `port_fifo` drops; 32 beats
//! each.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{
    expect_frames, lengths, metrics, random_frame, run_case, seeds, stream_matrix, Bench, Frame, Pattern,
    SinkId, SourceId,
};
use rand::seq::SliceRandom;
use rand::Rng;

const DEPTH: usize = 32;
const WIDTHS: [(Top, usize); 2] = [(Top::BenchW64, 64), (Top::BenchW256, 256)];

/// What the FIFO said about a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Kept,
    Err,
    Long,
    Full,
}

const VERDICTS: [(Verdict, &str); 4] = [
    (Verdict::Kept, "kept"),
    (Verdict::Err, "dropped_err"),
    (Verdict::Long, "dropped_long"),
    (Verdict::Full, "dropped_full"),
];

/// One FIFO of a bench with both its ends and the verdicts so far.
struct Dut {
    prefix: &'static str,
    source: SourceId,
    sink: SinkId,
    verdicts: Vec<Verdict>,
}

impl Dut {
    fn new(bench: &mut Bench, prefix: &'static str, idle: Pattern, stall: Pattern) -> Self {
        let source = bench.source(&format!("{prefix}_rx"), idle);
        let sink = bench.sink(&format!("{prefix}_tx"), stall);
        bench.set(&format!("{prefix}_discard"), 0);
        Self { prefix, source, sink, verdicts: vec![] }
    }

    /// Takes the pulses of the present cycle.
    fn look(&mut self, bench: &Bench) {
        let high = VERDICTS.iter().filter(|(_, port)| bench.get(&format!("{}_{port}", self.prefix)) == 1);
        self.verdicts.extend(high.map(|(verdict, _)| verdict));
    }

    /// Sends `frames` and steps until each has a verdict and what was kept has come out; returns
    /// that.
    fn run(&mut self, bench: &mut Bench, frames: &[Frame]) -> Result<Vec<Frame>, String> {
        frames.iter().for_each(|f| bench.send(self.source, f.clone()));
        let total = self.verdicts.len() + frames.len();
        let kept_before = self.kept();
        let octets: usize = frames.iter().map(|f| f.data.len()).sum();
        bench.run_until(16 * octets as u64 + 10_000, |b| {
            self.look(b);
            self.verdicts.len() >= total && b.waiting(self.sink) >= self.kept() - kept_before
        })?;
        for _ in 0..20 {
            bench.step();
            self.look(bench);
        }
        if self.verdicts.len() != total {
            return Err(format!("{} verdicts on {total} frames", self.verdicts.len()));
        }
        Ok(bench.received(self.sink))
    }

    fn kept(&self) -> usize {
        self.verdicts.iter().filter(|v| **v == Verdict::Kept).count()
    }
}

fn beats(frame: &Frame, width: usize) -> usize {
    frame.data.len().div_ceil(width / 8)
}

fn frames_of(bench: &mut Bench, beats: usize, width: usize, count: usize) -> Vec<Frame> {
    (0..count).map(|_| Frame { err: false, ..random_frame(bench.rng(), beats * width / 8) }).collect()
}

fn good(frames: &[Frame], verdicts: &[Verdict]) -> Vec<Frame> {
    let kept = frames.iter().zip(verdicts).filter(|(_, v)| **v == Verdict::Kept);
    kept.map(|(f, _)| f.clone()).collect()
}

/// Every length from one octet to four beats, the lengths about the depth, and longer ones, in any
/// order.
fn stimulus(bench: &mut Bench, width: usize) -> Vec<Frame> {
    let full = DEPTH * width / 8;
    let mut all = lengths(width);
    all.extend(full - 9..full + 9);
    let rng = bench.rng();
    all.extend((0..16).map(|_| rng.random_range(1..=2 * full)));
    all.shuffle(rng);
    all.into_iter().map(|octets| random_frame(rng, octets)).collect()
}

#[test]
fn a_frame_is_kept_or_dropped_whole_and_counted() {
    for (top, width) in WIDTHS {
        stream_matrix(&format!("fifo_w{width}"), top, &seeds(0..1, 0..8), |bench, idle, stall| {
            let mut dut = Dut::new(bench, "fifo", idle, stall);
            let frames = stimulus(bench, width);
            let received = dut.run(bench, &frames)?;
            for (i, (frame, verdict)) in frames.iter().zip(&dut.verdicts).enumerate() {
                let due = match (beats(frame, width) > DEPTH, frame.err) {
                    (true, _) => Verdict::Long,
                    (false, true) => Verdict::Err,
                    (false, false) => Verdict::Kept,
                };
                if *verdict != due {
                    return Err(format!("frame {i} of {} octets: {verdict:?}", frame.data.len()));
                }
            }
            match received == good(&frames, &dut.verdicts) {
                true => Ok(()),
                false => Err("the frames kept came out changed".into()),
            }
        });
    }
}

#[test]
fn a_discarded_frame_never_comes_out() {
    for (top, width) in WIDTHS {
        stream_matrix(&format!("fifo_discard_w{width}"), top, &seeds(0..1, 0..8), |bench, idle, stall| {
            let mut dut = Dut::new(bench, "fifo", idle, stall);
            let frames = stimulus(bench, width);
            frames.iter().for_each(|f| bench.send(dut.source, f.clone()));
            let mut doomed = vec![false; frames.len()];
            let (mut now, mut midway, mut spent) = (0, false, 0);
            while dut.verdicts.len() < frames.len() || bench.waiting(dut.sink) < dut.kept() {
                let discard = bench.rng().random_ratio(1, 24);
                bench.set("fifo_discard", u64::from(discard));
                let before = bench.source_rate(dut.source).beats;
                bench.step();
                dut.look(bench);
                // inputs still stand as they were in this cycle
                let offered = bench.get("fifo_rx_valid") == 1;
                if discard && (offered || midway) {
                    doomed[now] = true;
                }
                if bench.source_rate(dut.source).beats > before {
                    midway = bench.get("fifo_rx_last") == 0;
                    now += usize::from(!midway);
                }
                spent += 1;
                if spent > 500_000 {
                    return Err(format!(
                        "{} of {} frames judged\n{}",
                        dut.verdicts.len(),
                        frames.len(),
                        bench.dump()
                    ));
                }
            }
            let due = |(f, d): (&Frame, &bool)| !f.err && !d && beats(f, width) <= DEPTH;
            let kept: Vec<_> = dut.verdicts.iter().map(|v| *v == Verdict::Kept).collect();
            if kept != frames.iter().zip(&doomed).map(due).collect::<Vec<_>>() {
                return Err(format!("discarded {doomed:?}, verdicts {:?}", dut.verdicts));
            }
            match bench.received(dut.sink) == good(&frames, &dut.verdicts) {
                true => Ok(()),
                false => Err("the frames kept came out changed".into()),
            }
        });
    }
}

#[test]
fn a_port_that_cannot_wait_never_waits_and_loses_only_what_has_no_room() {
    for (top, width) in WIDTHS {
        stream_matrix(&format!("port_fifo_w{width}"), top, &seeds(0..1, 0..8), |bench, idle, stall| {
            let mut dut = Dut::new(bench, "port_fifo", idle, stall);
            let frames = stimulus(bench, width);
            frames.iter().for_each(|f| bench.send(dut.source, f.clone()));
            let (mut kept_beats, mut judged) = (0, 0);
            bench.restart_rates();
            bench.run_until(200_000, |b| {
                dut.look(b);
                assert_eq!(b.get("port_fifo_rx_ready"), 1, "the port waits");
                for (frame, verdict) in frames.iter().zip(&dut.verdicts).skip(judged) {
                    let size = beats(frame, width);
                    let unread = kept_beats - b.sink_rate(dut.sink).beats as usize;
                    match verdict {
                        Verdict::Kept => assert!(!frame.err && size <= DEPTH, "kept {size} beats"),
                        Verdict::Err => assert!(frame.err, "a good frame dropped for err"),
                        Verdict::Long => assert!(size > DEPTH, "{size} beats are not long"),
                        // two beats may have left since the decision
                        Verdict::Full => assert!(unread + 2 + size > DEPTH, "{unread} unread and {size} fit"),
                    }
                    kept_beats += if *verdict == Verdict::Kept { size } else { 0 };
                }
                judged = dut.verdicts.len();
                judged == frames.len() && b.waiting(dut.sink) >= dut.kept()
            })?;
            match bench.received(dut.sink) == good(&frames, &dut.verdicts) {
                true => Ok(()),
                false => Err("the frames kept came out changed".into()),
            }
        });
    }
}

#[test]
fn a_full_port_fifo_drops_whole_frames_and_recovers() {
    run_case("port_fifo_full", Top::BenchW64, 1, |bench| {
        let mut dut = Dut::new(bench, "port_fifo", Pattern::None, Pattern::None);
        bench.hold_sink(dut.sink, true);
        // 3 beats wait on the way to the reader, so the RAM has 27, room for 5 but not for 6
        let sizes = [2, 28, 6, 5, 1];
        let frames: Vec<_> = sizes.into_iter().flat_map(|n| frames_of(bench, n, 64, 1)).collect();
        frames.iter().for_each(|f| bench.send(dut.source, f.clone()));
        bench.run_until(1_000, |b| {
            dut.look(b);
            dut.verdicts.len() == frames.len()
        })?;
        let due = [0, 0, 1, 0, 1].map(|n| [Verdict::Kept, Verdict::Full][n]);
        if dut.verdicts != due {
            return Err(format!("{:?}", dut.verdicts));
        }
        bench.hold_sink(dut.sink, false);
        let mut kept = good(&frames, &dut.verdicts);
        bench.run_until(1_000, |b| b.waiting(dut.sink) == kept.len())?;
        let more = frames_of(bench, 3, 64, 5);
        let received = dut.run(bench, &more)?;
        kept.extend(more);
        match received == kept {
            true => Ok(()),
            false => Err(format!("{} frames instead of {}", received.len(), kept.len())),
        }
    });
}

#[test]
fn every_frame_that_leaves_one_beat_free_passes_at_one_beat_a_cycle() {
    for (top, width) in WIDTHS {
        for prefix in ["fifo", "port_fifo"] {
            for (name, size, count) in [("shortest", 1, 500), ("longest", DEPTH - 1, 50)] {
                run_case(&format!("{prefix}_rate_{name}_w{width}"), top, 1, |bench| {
                    let dut = Dut::new(bench, prefix, Pattern::None, Pattern::None);
                    let frames = frames_of(bench, size, width, count);
                    let rates = expect_frames(bench, dut.source, dut.sink, &frames, &frames)?;
                    if (rates.rx.bubbles(), rates.tx.bubbles()) != (0, 0) {
                        return Err(format!("bubbles with {size} beats a frame: {rates:?}"));
                    }
                    let key = format!("stream.packet_{prefix}.w{width}.{name}.beats_per_cycle");
                    metrics::record(&key, rates.tx.beats_per_cycle()).map_err(|e| e.to_string())
                });
            }
        }
    }
}

#[test]
fn frames_of_mixed_lengths_never_stop_the_writer() {
    for prefix in ["fifo", "port_fifo"] {
        run_case(&format!("{prefix}_rate_mixed"), Top::BenchW64, 1, |bench| {
            let dut = Dut::new(bench, prefix, Pattern::None, Pattern::None);
            let sizes: Vec<_> = (0..300).map(|_| bench.rng().random_range(1..DEPTH)).collect();
            let frames: Vec<_> = sizes.into_iter().flat_map(|n| frames_of(bench, n, 64, 1)).collect();
            let rates = expect_frames(bench, dut.source, dut.sink, &frames, &frames)?;
            match rates.rx.bubbles() {
                0 => Ok(()),
                n => Err(format!("the writer waited {n} cycles")),
            }
        });
    }
}

#[test]
fn frames_as_long_as_the_fifo_cost_their_stated_bubbles() {
    run_case("fifo_rate_whole", Top::BenchW64, 1, |bench| {
        let dut = Dut::new(bench, "fifo", Pattern::None, Pattern::None);
        let frames = frames_of(bench, DEPTH, 64, 20);
        let rates = expect_frames(bench, dut.source, dut.sink, &frames, &frames)?;
        match rates.tx.bubbles() {
            19 => Ok(()),
            n => Err(format!("{n} bubbles in 20 frames of {DEPTH} beats: {rates:?}")),
        }
    });
}

#[test]
fn the_first_beat_comes_four_cycles_after_the_last_one_went_in() {
    run_case("fifo_latency", Top::BenchW64, 1, |bench| {
        let dut = Dut::new(bench, "fifo", Pattern::None, Pattern::None);
        let frames = frames_of(bench, 5, 64, 1);
        let rates = expect_frames(bench, dut.source, dut.sink, &frames, &frames)?;
        match rates.tx.first_cycle - rates.rx.last_cycle {
            4 => Ok(()),
            n => Err(format!("{n} cycles")),
        }
    });
}

#[test]
fn a_reset_forgets_what_is_held_and_the_next_frame_passes() {
    run_case("fifo_reset", Top::BenchW64, 1, |bench| {
        let mut dut = Dut::new(bench, "fifo", Pattern::None, Pattern::None);
        bench.hold_sink(dut.sink, true);
        let frames = frames_of(bench, 9, 64, 4);
        frames.iter().for_each(|f| bench.send(dut.source, f.clone()));
        (0..25).for_each(|_| bench.step());
        bench.reset();
        bench.hold_sink(dut.sink, false);
        let more = frames_of(bench, 2, 64, 3);
        let received = dut.run(bench, &more)?;
        match received == more {
            true => Ok(()),
            false => Err(format!("{} frames after reset", received.len())),
        }
    });
}
