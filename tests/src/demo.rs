//! What `cargo xtask demo` shows of the running hardware: few frames, one sentence each.
use crate::digest::digests;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Frame, Pattern};
use std::cell::RefCell;

/// One thing to show.
pub struct Show {
    /// What is claimed.
    pub what: &'static str,
    /// Runs the emitted Verilog; the text says what was seen, the error what was seen instead.
    ///
    /// # Panics
    /// As [`run_case`]: with the seed, the waveform and a line that repeats it.
    pub run: fn() -> Result<String, String>,
}

/// All of them, in the order of the pipeline.
pub fn all() -> Vec<Show> {
    vec![
        Show { what: "bad frames are dropped whole", run: bad_frames_are_dropped_whole },
        Show { what: "published CRC32c values come out", run: published_crcs },
    ]
}

/// A good frame, one with `err`, one longer than the FIFO, a good one: the good ones pass unharmed.
fn bad_frames_are_dropped_whole() -> Result<String, String> {
    const COUNTERS: [&str; 3] = ["kept", "dropped_err", "dropped_long"];
    let seen = RefCell::new([0; 3]);
    run_case("demo-drop", Top::BenchW64, 1, |bench| {
        let source = bench.source("port_fifo_rx", Pattern::None);
        let sink = bench.sink("port_fifo_tx", Pattern::None);
        bench.set("port_fifo_discard", 0);
        let first = Frame::good((0..100).collect());
        let last = Frame::good((100..160).collect());
        let bad = Frame { data: vec![0xbb; 60], err: true };
        // The bench's FIFO holds 32 beats of 8 octets.
        let long = Frame::good(vec![0xcc; 32 * 8 + 1]);
        [&first, &bad, &long, &last].into_iter().for_each(|f| bench.send(source, f.clone()));
        let mut counts = [0; 3];
        bench.run_until(10_000, |b| {
            for (count, name) in counts.iter_mut().zip(COUNTERS) {
                *count += b.get(&format!("port_fifo_{name}"));
            }
            counts.iter().sum::<u64>() == 4 && b.waiting(sink) == 2
        })?;
        *seen.borrow_mut() = counts;
        if bench.received(sink) != [first, last] {
            return Err("the good frames did not come out as they went in".into());
        }
        Ok(())
    });
    let [kept, err, long] = seen.into_inner();
    match (kept, err, long) {
        (2, 1, 1) => Ok("2 of 4 passed, 1 dropped for err, 1 for its length".into()),
        _ => Err(format!("{kept} passed, {err} dropped for err, {long} for their length")),
    }
}

/// Values printed in RFC 7143 and the check value of the CRC catalogue, at every width.
fn published_crcs() -> Result<String, String> {
    let values: [(Vec<u8>, u32); 3] =
        [(vec![0; 32], 0x8A91_36AA), (vec![0xff; 32], 0x62A8_AB43), (b"123456789".to_vec(), 0xE306_9283)];
    for top in [Top::BenchW64, Top::BenchW256, Top::BenchW512] {
        run_case("demo-crc", top, 1, |bench| {
            let frames: Vec<_> = values.iter().map(|(data, _)| Frame::good(data.clone())).collect();
            let got = digests(bench, "crc", &frames, Pattern::None, Pattern::None)?;
            match got.items.iter().zip(&values).find(|(item, (_, crc))| **item as u32 != *crc) {
                Some((item, (_, crc))) => Err(format!("{}: {:#x}, not {crc:#x}", top.name(), *item as u32)),
                None => Ok(()),
            }
        });
    }
    Ok("32 * 00, 32 * FF and 123456789 at 64, 256 and 512 bits".into())
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_show_succeeds() {
        for show in super::all() {
            (show.run)().unwrap_or_else(|why| panic!("{}: {why}", show.what));
        }
    }
}
