// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads of one whole device, written down: its software and its peer come from the recording
//! afterwards.
//!
//! - [`tour`]: what `ferrowarp tour` shows, as client: connection, Send and its echo, Write and
//!   Read of 300,000 octets, Send with Invalidate, a refused Write and its Terminate.
//! - [`line()`]: Writes of 64 KiB back to back in both directions at once.
use crate::device::clock_ps;
use crate::stack::{net, run, Joined, OCTETS, PATIENCE, TICK};
use ferrowarp::backend::PciBackend;
use ferrowarp::{Device, Error};
use ferrowarp_sim::rnic::{Clock, PairConfig, Recording, PATIENCE as PATIENCE_OF_TIME};
use ferrowarp_tool::tour::{guide, visit, PORT};
use std::net::Ipv4Addr;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Wall time that software may take for an answer without taking simulated time: a recording is to
/// be as short as the load.
const THINKS: Duration = Duration::from_secs(2);
/// Octets that the tour writes and reads.
const TOUR: usize = 300_000;
/// Connections that a listener keeps.
const BACKLOG: usize = 1;
/// Cycles between two looks at completions.
const LOOK_EVERY: u64 = 1_024;
/// Cycles in which nothing comes or goes that end a tour.
const REST: u64 = 20_000;
/// Device time in which nothing happens.
const IDLE: Duration = Duration::from_secs(10);
/// Cycles of a tick while nothing happens: what a card has.
const MILLISECOND: NonZeroU64 = NonZeroU64::new(156_250).expect("not 0");
/// More cycles than are evaluated between two looks at the clock.
const JUMP: u64 = 1_000_000;
/// Wall time between two looks at the clock.
const LOOKS: Duration = Duration::from_micros(100);

/// A recording, and the cycles of it that are the load.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Load {
    /// What came to the device.
    pub recording: Recording,
    /// Cycle before which the load begins; before it the device is set up.
    pub from: u64,
}

/// Two devices, the first of which is recorded.
fn devices(patience: Duration, tick: NonZeroU64) -> Result<([Device; 2], Clock), String> {
    let pair = PairConfig { records: true, patience, ..PairConfig::of(tick) };
    let (backends, clock) = PciBackend::pair(pair).map_err(|e| e.to_string())?;
    let [a, b] = backends.map(Arc::new);
    let open = |n, backend| Device::new(backend, &net(n)).map_err(|e: Error| e.to_string());
    Ok(([open(1, a)?, open(2, b)?], clock))
}

/// A tour between two devices, recorded at its client.
pub fn tour() -> Result<Load, String> {
    let ([client, server], clock) = devices(THINKS, TICK)?;
    let listener = server.listen(PORT, BACKLOG).map_err(|e| e.to_string())?;
    let remote = (Ipv4Addr::new(10, 0, 0, 2), PORT).into();
    let (seen, shown) = std::thread::scope(|scope| {
        let shown = scope.spawn(|| guide(&server, &listener, PATIENCE));
        let seen = visit(&client, remote, TOUR, PATIENCE);
        (seen, shown.join().expect("no panic while it guides"))
    });
    seen.and(shown.map(drop)).map_err(|e| e.to_string())?;
    let recording = clock.recorded().ok_or("nothing was written down")?;
    Ok(Load { recording: recording.until_rest(REST, clock_ps()), from: 0 })
}

/// So many Writes of 64 KiB each way, recorded at the first device from the first doorbell to the
/// last completion.
pub fn line(writes: usize) -> Result<Load, String> {
    let (devices, mut clock) = devices(THINKS, TICK)?;
    let joined = Joined::new(devices, 2 * writes * OCTETS).map_err(|e| e.to_string())?;
    let (from, _) = both_ways(&joined, &mut clock, writes)?;
    let recording = clock.recorded().ok_or("nothing was written down")?;
    joined.finish()?;
    Ok(Load { recording, from })
}

/// Wall time of so many Writes of 64 KiB each way, between two devices with a wire of
/// [`DELAY_NS`](ferrowarp_sim::rnic::DELAY_NS).
pub fn wall(writes: usize, lock_step: bool) -> Result<Duration, String> {
    let told = |e: Error| e.to_string();
    let pair = PairConfig { lock_step, ..PairConfig::in_blocks(TICK) };
    let (backends, mut clock) = PciBackend::pair(pair).map_err(|e| e.to_string())?;
    let [a, b] = backends.map(Arc::new);
    let devices = [Device::new(a, &net(1)).map_err(told)?, Device::new(b, &net(2)).map_err(told)?];
    let joined = Joined::new(devices, 2 * writes * OCTETS).map_err(told)?;
    let (_, wall) = both_ways(&joined, &mut clock, writes)?;
    joined.finish()?;
    Ok(wall)
}

/// So many Writes of 64 KiB each way, from the first doorbell to the last completion: the cycle in
/// which they begin, and their wall time.
fn both_ways(joined: &Joined, clock: &mut Clock, writes: usize) -> Result<(u64, Duration), String> {
    let told = |e: Error| e.to_string();
    let mut held = clock.hold().map_err(|e| e.to_string())?;
    let left = TICK.get() - held.cycle() % TICK.get();
    run(&mut held, left)?;
    let (from, begun) = (held.cycle(), Instant::now());
    for n in 0..writes {
        joined.write(n).map_err(told)?;
        joined.write_back(writes + n).map_err(told)?;
    }
    let mut left = [writes; 2];
    while left != [0; 2] {
        let now = run(&mut held, LOOK_EVERY)?;
        for (end, left) in left.iter_mut().enumerate() {
            *left -= joined.completed(end)?;
        }
        if now > from + 100_000 + (2 * writes * OCTETS) as u64 {
            return Err(format!("{left:?} Writes are not completed after {} cycles", now - from));
        }
    }
    Ok((from, begun.elapsed()))
}

/// Wall time of 10 s of device time, two devices and an open connection, in which nobody asks for
/// anything: from when time goes on by itself.
pub fn idle() -> Result<Duration, String> {
    let (devices, clock) = devices(PATIENCE_OF_TIME, MILLISECOND)?;
    let joined = Joined::new(devices, OCTETS).map_err(|e| e.to_string())?;
    let cycles = IDLE.as_nanos() as u64 * 1_000 / clock_ps();
    let begun = Instant::now();
    let mut last = (begun, clock.cycle());
    let mut start = None;
    while start.is_none_or(|(_, from)| last.1 < from + cycles) {
        if begun.elapsed() > PATIENCE {
            return Err(format!("time stands still at cycle {}", last.1));
        }
        std::thread::sleep(LOOKS);
        let now = (Instant::now(), clock.cycle());
        // no machine evaluates as many in a look's time
        if now.1 > last.1 + JUMP {
            start.get_or_insert(last);
        }
        last = now;
    }
    joined.close()?;
    Ok(start.map_or(Duration::ZERO, |(start, _)| last.0 - start))
}
