// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stimulus matrix that every stream gets, and the comparison of what comes out.
use crate::bench::{Bench, Frame, Pattern, Rate, SinkId, SourceId};
use crate::case::run_case;
use ferrowarp_hdl::top::Top;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

/// Rates at both ends of one exchange.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Into the hardware.
    pub rx: Rate,
    /// Out of it.
    pub tx: Rate,
}

/// Runs `body` for every idle pattern x stall pattern x seed; the case's name says which.
///
/// # Panics
/// As [`run_case`], at the first case that fails.
pub fn stream_matrix(
    name: &str,
    top: Top,
    seeds: &[u64],
    body: impl Fn(&mut Bench, Pattern, Pattern) -> Result<(), String>,
) {
    for idle in Pattern::ALL {
        for stall in Pattern::ALL {
            let case = format!("{name}-idle_{}-stall_{}", idle.name(), stall.name());
            for &seed in seeds {
                run_case(&case, top, seed, |bench| body(bench, idle, stall));
            }
        }
    }
}

/// The lengths that reach every edge of a `width`-bit stream: 1 to four beats, each length once.
pub fn lengths(width: usize) -> Vec<usize> {
    (1..=width / 2).collect()
}

/// A frame of random octets; one in eight has `err`.
pub fn random_frame(rng: &mut ChaCha8Rng, length: usize) -> Frame {
    let mut data = vec![0; length];
    rng.fill_bytes(&mut data);
    Frame { data, err: rng.random_ratio(1, 8) }
}

/// `count` frames: lengths from [`lengths`] and, one in 32, up to 9,018 octets (a jumbo frame
/// without FCS).
pub fn random_frames(rng: &mut ChaCha8Rng, width: usize, count: usize) -> Vec<Frame> {
    let frame = |_| {
        let length = if rng.random_ratio(1, 32) {
            rng.random_range(1..=9_018)
        } else {
            rng.random_range(1..=width / 2)
        };
        random_frame(rng, length)
    };
    (0..count).map(frame).collect()
}

/// Sends `frames`, waits until as many as in `expected` came out and the source is empty, and
/// compares. The rates are those of this exchange.
pub fn expect_frames(
    bench: &mut Bench,
    source: SourceId,
    sink: SinkId,
    frames: &[Frame],
    expected: &[Frame],
) -> Result<Measured, String> {
    bench.restart_rates();
    let octets: usize = frames.iter().chain(expected).map(|f| f.data.len()).sum();
    frames.iter().for_each(|f| bench.send(source, f.clone()));
    bench.expect(sink, expected.len() as u64);
    // even one octet a beat at a quarter of the rate at both ends leaves room; a deadlock is found
    // much earlier
    let patience = 16 * octets as u64 + 100_000;
    bench.run_until(patience, |b| b.sent_all(source) && b.waiting(sink) >= expected.len())?;
    same(expected, &bench.received(sink))?;
    Ok(Measured { rx: bench.source_rate(source), tx: bench.sink_rate(sink) })
}

/// Compares frames; the error names the first difference.
fn same(expected: &[Frame], got: &[Frame]) -> Result<(), String> {
    for (i, (e, g)) in expected.iter().zip(got).enumerate() {
        if e == g {
            continue;
        }
        let octet = e.data.iter().zip(&g.data).position(|(a, b)| a != b);
        let at = octet.map_or_else(|| "none within the shorter one".into(), |n| n.to_string());
        return Err(format!("frame {i} differs, first octet: {at}\n  expected {e}\n  received {g}"));
    }
    if expected.len() != got.len() {
        return Err(format!("{} frames expected, {} received", expected.len(), got.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_named() {
        let a = [Frame::good(vec![1, 2, 3]), Frame::good(vec![4])];
        assert_eq!(same(&a, &a), Ok(()));
        assert!(same(&a, &a[..1]).unwrap_err().contains("2 frames expected, 1 received"));
        let b = [a[0].clone(), Frame { data: vec![4], err: true }];
        assert!(same(&a, &b).unwrap_err().starts_with("frame 1 differs"));
        let c = [Frame::good(vec![1, 9, 3]), a[1].clone()];
        assert!(same(&a, &c).unwrap_err().starts_with("frame 0 differs, first octet: 1\n"));
    }
}
