// SPDX-License-Identifier: MIT OR Apache-2.0
//! Throughput of the stream cells that cut frames and put them together.
//!
//! Back-to-back frames of 64 beats and a few octets, each number of octets beyond whole beats and,
//! for the splitter, each cut within a beat; a writer that never idles, readers that never stall. A
//! figure is beats transferred over cycles from the first to the last of them, on `rx` of a header
//! split (its output has fewer), on `tx` of a header join and of a frame splitter (their input has
//! fewer): 1.0 means that there is no cycle without a beat, between frames included.
use super::key::{Bench, Key, Record};
use crate::cutting::{Cutter, Cutting, Join, Split, Taken, HEADERS, WIDTHS};
use ferrowarp_sim::{random_frame, run_case, Bench as Wires, Frame, Pattern};

/// Beats of a long frame.
const BEATS: usize = 64;

/// The bench `stream`.
pub fn bench() -> Bench {
    let mut keys = vec![];
    for (_, width) in WIDTHS {
        for cell in ["split", "join"] {
            keys.extend(HEADERS.map(|h| Key::line_rate(key(cell, width, Some(h)))));
        }
        keys.push(Key::line_rate(key("cut", width, None)));
    }
    Bench { name: "stream", keys, run }
}

fn key(cell: &str, width: usize, header: Option<usize>) -> String {
    let header = header.map(|h| format!(".h{h}")).unwrap_or_default();
    format!("stream.{cell}.w{width}{header}.beats_per_cycle")
}

/// One long frame for each number of octets in the last beat.
fn long_frames(bench: &mut Wires, width: usize) -> Vec<Frame> {
    let octets = width / 8;
    (1..=octets).map(|n| random_frame(bench.rng(), BEATS * octets + n)).collect()
}

fn run(record: &mut Record) -> Result<(), String> {
    for (top, width) in WIDTHS {
        let figure = |name: &str, measure: &dyn Fn(&mut Wires) -> Result<f64, String>| {
            let value = std::cell::Cell::new(0.0);
            run_case(name, top, 1, |bench| measure(bench).map(|v| value.set(v)));
            value.get()
        };
        for h in HEADERS {
            let key = |cell| key(cell, width, Some(h));
            let split = figure(&key("split"), &|bench| {
                let split = Split::new(bench, h, Pattern::None, Pattern::None);
                let frames = long_frames(bench, width);
                Ok(split.run(bench, &frames, Taken::Any)?.rx.beats_per_cycle())
            });
            record.put(key("split"), split);
            let join = figure(&key("join"), &|bench| {
                let join = Join::new(bench, h, Pattern::None, Pattern::None);
                let frames = long_frames(bench, width);
                Ok(join.run(bench, &frames)?.tx.beats_per_cycle())
            });
            record.put(key("join"), join);
        }
        let cut = figure(&key("cut", width, None), &|bench| {
            let cell = Cutting::new(bench, Cutter::Cut, Pattern::None, Pattern::None);
            let frames = long_frames(bench, width);
            let half = BEATS / 2 * width / 8;
            let cuts = (0..width / 8).flat_map(|c| frames.iter().map(move |f| (f.clone(), half + c)));
            Ok(cell.run(bench, &cuts.collect::<Vec<_>>(), false)?.tx.beats_per_cycle())
        });
        record.put(key("cut", width, None), cut);
    }
    Ok(())
}
