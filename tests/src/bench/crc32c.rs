// SPDX-License-Identifier: MIT OR Apache-2.0
//! CRC32c: beats a cycle, most frames ending in a partial beat.
use super::key::{Bench, Key, Record};
use crate::digest::digests;
use crc::{Crc, CRC_32_ISCSI};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{lengths, random_frame, run_case, Frame, Pattern};
use std::cell::Cell;

/// Each width with its top and key.
const WIDTHS: [(usize, Top, &str); 3] = [
    (64, Top::BenchW64, "crc32c.w64.beats_per_cycle"),
    (256, Top::BenchW256, "crc32c.w256.beats_per_cycle"),
    (512, Top::BenchW512, "crc32c.w512.beats_per_cycle"),
];
/// Times that every length is sent.
const ROUNDS: usize = 4;

/// The bench `crc32c`.
pub fn bench() -> Bench {
    Bench { name: "crc32c", keys: WIDTHS.iter().map(|w| Key::line_rate(w.2)).collect(), run }
}

fn run(record: &mut Record) -> Result<(), String> {
    for (width, top, key) in WIDTHS {
        record.put(key, beats_per_cycle(width, top));
    }
    Ok(())
}

/// The rate with every length of up to four beats back to back; the CRCs have to be right as well.
fn beats_per_cycle(width: usize, top: Top) -> f64 {
    let rate = Cell::new(0.0);
    run_case(&format!("bench-crc32c-w{width}"), top, 1, |bench| {
        let all = (0..ROUNDS).flat_map(|_| lengths(width));
        let frames: Vec<Frame> = all.map(|n| random_frame(bench.rng(), n)).collect();
        let got = digests(bench, "crc", &frames, Pattern::None, Pattern::None)?;
        let oracle = Crc::<u32>::new(&CRC_32_ISCSI);
        let wrong = |(f, item): &(&Frame, &u64)| oracle.checksum(&f.data) != **item as u32;
        if let Some((frame, item)) = frames.iter().zip(&got.items).find(wrong) {
            return Err(format!("CRC {item:#x} of {frame}"));
        }
        rate.set(got.rx.beats_per_cycle());
        Ok(())
    });
    rate.get()
}
