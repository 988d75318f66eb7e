// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the machine let its programs on. One that takes a processor away for longer than TCP
//! waits makes both ends send again, and answers come late: a case that asks for a clean capture
//! says nothing about the device then.
use anyhow::{Context, Result};
use rustix::thread::{sched_getaffinity, sched_setaffinity, CpuSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// As long as a processor may be away: half of what Linux, and the driver, wait at least before
/// they send again.
pub const MOST: Duration = Duration::from_millis(100);

/// How long a watcher sleeps.
const NAP: Duration = Duration::from_millis(5);

/// A watcher on each processor that sleeps and looks how late it wakes.
pub struct Watch {
    ends: Arc<AtomicBool>,
    /// The latest of all since it was asked, in microseconds.
    worst: Arc<AtomicU64>,
    watchers: Vec<JoinHandle<()>>,
}

impl Watch {
    pub fn start() -> Result<Self> {
        let (ends, worst, watchers) = Default::default();
        let mut watch = Self { ends, worst, watchers };
        let allowed = sched_getaffinity(None).context("which processors there are")?;
        for cpu in (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu)) {
            let (ends, worst) = (watch.ends.clone(), watch.worst.clone());
            let body = move || watch_one(cpu, &ends, &worst);
            watch.watchers.push(std::thread::Builder::new().name(format!("stalls-{cpu}")).spawn(body)?);
        }
        Ok(watch)
    }

    /// The longest time that a processor was away since this was asked last.
    pub fn take(&self) -> Duration {
        Duration::from_micros(self.worst.swap(0, Ordering::Relaxed))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        for watcher in self.watchers.drain(..) {
            // a watcher that panicked has nothing more to tell
            drop(watcher.join());
        }
    }
}

/// Naps on processor `cpu` until it `ends`.
fn watch_one(cpu: usize, ends: &AtomicBool, worst: &AtomicU64) {
    let mut own = CpuSet::new();
    own.set(cpu);
    // a processor that went away meanwhile is not watched: this thread naps elsewhere
    let _ = sched_setaffinity(None, &own);
    while !ends.load(Ordering::Relaxed) {
        let begun = Instant::now();
        std::thread::sleep(NAP);
        let late = begun.elapsed().saturating_sub(NAP);
        worst.fetch_max(u64::try_from(late.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_told_once() {
        let watch = Watch::start().unwrap();
        assert!(!watch.watchers.is_empty());
        watch.worst.store(u64::MAX, Ordering::Relaxed);
        assert_eq!(watch.take(), Duration::from_micros(u64::MAX));
        let begun = Instant::now();
        while watch.take() == Duration::ZERO {
            assert!(begun.elapsed() < Duration::from_secs(20), "nobody is ever late");
            std::thread::sleep(NAP);
        }
    }
}
