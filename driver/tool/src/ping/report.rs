// SPDX-License-Identifier: MIT OR Apache-2.0
//! What came of pings.
use serde::Serialize;
use std::time::Duration;

/// What came of the pings of a connection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Whole pings.
    pub pings: u32,
    /// Octets of the text of each.
    pub octets: usize,
    /// Shortest, mean, median, 99 % and longest time of a ping in microseconds of wall time; of a
    /// server none.
    pub times_us: Option<Times>,
    /// The peer's line before MPA, if MPA started behind greetings.
    pub greeting: Option<String>,
}

/// A line of the peer for people.
pub(super) fn heard(line: &[u8]) -> Option<String> {
    (!line.is_empty()).then(|| String::from_utf8_lossy(line).into_owned())
}

/// Times of pings in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// The shortest.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// Half took no longer.
    pub p50: f64,
    /// 99 of 100 took no longer.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

impl Times {
    /// Of some durations; none if there are none.
    pub fn of(durations: &[Duration]) -> Option<Self> {
        let mut us: Vec<f64> = durations.iter().map(|d| d.as_secs_f64() * 1e6).collect();
        us.sort_by(f64::total_cmp);
        let at = |part: f64| us.get(((us.len() as f64 * part).ceil() as usize).max(1) - 1).copied();
        let mean = us.iter().sum::<f64>() / us.len() as f64;
        Some(Self { min: at(0.0)?, mean, p50: at(0.5)?, p99: at(0.99)?, max: at(1.0)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_the_nearest_rank() {
        let ms = |n| Duration::from_millis(n);
        assert_eq!(Times::of(&[]), None);
        let times = Times::of(&[ms(4), ms(1), ms(3), ms(2)]).unwrap();
        assert_eq!((times.min, times.mean, times.p50), (1_000.0, 2_500.0, 2_000.0));
        assert_eq!((times.p99, times.max), (4_000.0, 4_000.0));
    }
}
