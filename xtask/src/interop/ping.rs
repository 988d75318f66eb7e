// SPDX-License-Identifier: MIT OR Apache-2.0
//! Round trips as the guest's ping tells them.
use super::cause::Cause;
use super::guest::Guest;
use anyhow::{bail, ensure, Context, Result};
use std::net::IpAddr;
use std::time::Duration;

/// The 99th percentile that a device's echo must stay under, in milliseconds of wall time (issue
/// 5): Linux's own retransmission time-out is at least 200 ms.
pub const MOST_MS: f64 = 50.0;

/// How often the round trips are taken before they are said to be too long.
const ROUNDS: usize = 3;

/// Pings `to` from the guest `count` times, after two that fill the neighbour caches. All must be
/// answered. Returns the round trips in milliseconds of wall time, in ascending order.
pub fn round_trips(guest: &Guest, to: IpAddr, count: usize) -> Result<Vec<f64>> {
    let patience = Duration::from_secs(10 + count as u64);
    let warm = format!("ping -c 2 -i 0.2 {to}");
    guest.run(&warm, patience)?.ok(&warm)?;
    let command = format!("ping -c {count} -i 0.1 {to}");
    let text = guest.run(&command, patience)?.ok(&command)?;
    let times = times(&text)?;
    ensure!(times.len() == count, "{} answers to {count} echo requests:\n{text}", times.len());
    Ok(times)
}

/// Round trips as [`round_trips`] gives them, taken anew while their 99th percentile is not below
/// `most`, at most [`ROUNDS`] times. Wall time on a machine that others use is a limit of the
/// machine: a neighbour's burst of a tenth of a second is the 99th percentile of a hundred echoes,
/// and gone in the next round. A device that is slow is so in each.
pub fn round_trips_below(guest: &Guest, to: IpAddr, count: usize, most: f64) -> Result<Vec<f64>> {
    let mut rounds = vec![];
    for _ in 0..ROUNDS {
        let times = round_trips(guest, to, count)?;
        if percentile(&times, 0.99) < most {
            return Ok(times);
        }
        let p99 = percentile(&times, 0.99);
        guest.repeated(
            Cause::SlowEcho,
            format!("99 of 100 echoes were answered within {p99:.0} ms, not {most} ms"),
        );
        rounds.push(times);
    }
    bail!("in each of {ROUNDS} rounds an echo took longer than {most} ms, 99 of 100 must not: {rounds:?}")
}

/// The smallest time that at least this share of `sorted` does not exceed.
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or(f64::NAN)
}

/// The times in ping's output, ascending.
fn times(text: &str) -> Result<Vec<f64>> {
    let after = text.lines().filter_map(|line| line.split_once(" time="));
    let mut times = vec![];
    for (_, time) in after {
        let number = time.split(' ').next().unwrap_or_default();
        times.push(number.parse().with_context(|| format!("ping says a time of `{time}`"))?);
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busybox_s_ping_is_read() {
        let text = "PING 10.66.0.1 (10.66.0.1): 56 data bytes\n\
                    64 bytes from 10.66.0.1: seq=0 ttl=64 time=49.624 ms\n\
                    64 bytes from 10.66.0.1: seq=1 ttl=64 time=3.861 ms\n\n\
                    2 packets transmitted, 2 packets received, 0% packet loss\n";
        assert_eq!(times(text).unwrap(), [3.861, 49.624]);
        assert!(times("seq=0 time=abc ms").unwrap_err().to_string().contains("`abc ms`"));
    }

    #[test]
    fn a_percentile_is_one_of_the_times() {
        let times: Vec<_> = (1..=20).map(f64::from).collect();
        assert_eq!(
            (percentile(&times, 0.5), percentile(&times, 0.95), percentile(&times, 0.99)),
            (10.0, 19.0, 20.0)
        );
        assert!(percentile(&[], 0.99).is_nan());
    }
}
