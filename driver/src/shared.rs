// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the objects of a device share.
#[cfg(test)]
mod tests;

use crate::backend::{Backend, Capabilities};
use crate::desk::{Desk, Taken};
use crate::error::Error;
use crate::notice::Tells;
use crate::numbers::{Numbers, Rounds};
use crate::objects::{ByNumber, Managed, Notified, Stops};
use crate::platform::PlatformEvents;
use crate::stags::Stags;
use ferrowarp_abi::codec::Event;
use ferrowarp_abi::consts::csr;
use parking_lot::Mutex;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

/// Protection domains that the rows of the hardware can tell apart.
const DOMAINS: usize = 1 << 12;

/// Index and key of a region; the index is given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Stag {
    pub(crate) shared: Arc<Shared>,
    pub(crate) index: u16,
    pub(crate) key: u8,
    /// The device may still let a peer use it: it is not given again.
    is_kept: AtomicBool,
}

impl Stag {
    /// The device may still let a peer use it.
    pub(crate) fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }
}

impl Drop for Stag {
    fn drop(&mut self) {
        if !*self.is_kept.get_mut() {
            self.shared.stags.give_back(self.index);
        }
    }
}

/// What the objects of a device share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) domains: Numbers,
    pub(crate) cqs: Numbers,
    pub(crate) qps: Numbers,
    pub(crate) stags: Stags,
    pub(crate) qps_by_number: ByNumber<dyn Managed>,
    pub(crate) cqs_by_number: ByNumber<dyn Notified>,
    /// Until when the connection manager reads no register of its own accord.
    pub(crate) quiet: Mutex<Option<Instant>>,
    pub(crate) events: PlatformEvents,
    pub(crate) rounds: Rounds,
    pub(crate) desk: Desk,
    stops: OnceLock<Weak<dyn Stops>>,
    /// Interrupts for completion queues, from vector 1 on, of those that a queue has used.
    vectors: Vec<OnceLock<Arc<OwnedFd>>>,
    /// How often the connection manager's thread has woken.
    pub(crate) wakes: AtomicU64,
}

impl Shared {
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Self {
        let Capabilities { queue_pairs, completion_queues, regions, vectors, .. } = backend.capabilities();
        let vectors = (1..vectors).map(|_| OnceLock::new()).collect();
        Self {
            domains: Numbers::new("protection domains", 1, DOMAINS, false),
            cqs: Numbers::new("completion queues", 0, completion_queues.into(), true),
            qps: Numbers::new("queue pairs", 0, queue_pairs.into(), true),
            stags: Stags::new(regions),
            qps_by_number: ByNumber::default(),
            cqs_by_number: ByNumber::default(),
            quiet: Mutex::default(),
            events: PlatformEvents::default(),
            rounds: Rounds::default(),
            desk: Desk::default(),
            stops: OnceLock::new(),
            vectors,
            wakes: AtomicU64::default(),
            backend,
        }
    }

    /// An STag for a region.
    pub(crate) fn stag(shared: &Arc<Self>) -> Result<Stag, Error> {
        let (index, key) = shared.stags.take()?;
        Ok(Stag { shared: shared.clone(), index, key, is_kept: AtomicBool::new(false) })
    }

    /// Directs the events of a completion queue to an interrupt of its own, as far as there are so
    /// many. None if the connection manager hears of them.
    pub(crate) fn steer(&self, cq: u16) -> Result<Option<&Arc<OwnedFd>>, Error> {
        let Some(nth) = usize::from(cq).checked_rem(self.vectors.len()) else { return Ok(None) };
        let (place, vector) = (&self.vectors[nth], nth as u16 + 1);
        if place.get().is_none() {
            let Some(file) = self.backend.interrupts(vector) else { return Ok(None) };
            // another thread may have been first
            drop(place.set(Arc::new(file.into())));
        }
        self.backend.steer(cq, vector)?;
        Ok(place.get())
    }

    /// Who ends its connections.
    pub(crate) fn stopped_by(&self, stops: Weak<dyn Stops>) {
        // a device has one connection manager
        drop(self.stops.set(stops));
    }

    /// Ends the connection of a queue pair, if it has one.
    pub(crate) fn stop(&self, qp: u16) -> Result<(), Error> {
        match self.stops.get().and_then(Weak::upgrade) {
            Some(stops) => stops.stop(qp),
            None => {
                self.qps_by_number.get(qp).into_iter().for_each(Managed::fail);
                Ok(())
            }
        }
    }

    /// The next event for the connection manager.
    pub(crate) fn next_event(&self) -> Option<Result<Event, Error>> {
        self.desk.next().or_else(|| {
            self.take_events();
            self.desk.next()
        })
    }

    /// Empties the event ring and tells completion queues: whether the connection manager has
    /// something to hear.
    fn take_events(&self) -> bool {
        let Taken { notified, has_others } = self.desk.take(|number| self.cqs_by_number.get(number));
        // no lock is held: who is told may take events, too
        notified.into_iter().for_each(Notified::told);
        has_others
    }

    /// Whether the connection manager reads no register of its own accord now.
    pub(crate) fn is_quiet(&self) -> bool {
        !self.quiet_for().is_zero()
    }

    /// For how long that is so.
    pub(crate) fn quiet_for(&self) -> Duration {
        let quiet = *self.quiet.lock();
        quiet.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }

    /// The device's cycle counter at the first and at the last of three reads; none of a device
    /// that shows no registers, or whose counter goes back each time.
    pub(crate) fn cycles(&self) -> Option<[u64; 2]> {
        let register = |offset| self.backend.register(offset).ok().map(u64::from);
        for _ in 0..3 {
            let [first, high, last] = [csr::CYCLES_LOW, csr::CYCLES_HIGH, csr::CYCLES_LOW].map(register);
            let (first, high, last) = (first?, high?, last?);
            // the low dword has not begun anew, so the high one belongs to both
            if first <= last {
                return Some([first, last].map(|low| high << 32 | low));
            }
        }
        None
    }
}

impl Tells for Shared {
    fn collect(&self) {
        if self.take_events() {
            self.rounds.hurry();
        }
    }
}
