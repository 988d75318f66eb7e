// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory of a client without a descriptor: the device's accesses become requests, which the client
//! answers.
//!
//! The device waits for the answer as for a slow memory, but never long. Who has left one request
//! without an answer is asked for nothing more: a device behind which a client sleeps goes on, with
//! accesses that fail.
use super::outgoing::Outgoing;
use super::wire::{body, request, Body, Head, DMA_READ, DMA_WRITE, MOST_DATA};
use crate::memory::{Octets, Unreached};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a client may take for an answer.
const ANSWER: Duration = Duration::from_secs(3);
/// How long it may take for all answers for which one of its own commands has to wait: a device
/// that is slowed down answers late.
const ANSWERS: Duration = Duration::from_secs(10);
/// Octets of an answer before the data: address, count.
const FIXED: usize = 16;

/// Asks the client of one session.
#[derive(Debug)]
pub(super) struct Asker {
    out: Arc<Outgoing>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// Nothing is asked any more.
    is_closed: bool,
    /// Most octets of an access that the client takes.
    most: usize,
    /// What the answers have taken since the client's own command began, if one is carried out.
    waited: Option<Duration>,
    last_id: u16,
    /// Requests under way, each with its answer when it has come.
    open: BTreeMap<u16, Option<(Head, Vec<u8>)>>,
}

impl Asker {
    pub(super) fn new(out: Arc<Outgoing>) -> Self {
        let (waited, last_id, open) = Default::default();
        let state = State { is_closed: false, most: MOST_DATA, waited, last_id, open };
        Self { out, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // what the lock guards is whole at every step
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the client said of itself: most octets of an access, at least one.
    pub(super) fn limit(&self, most: usize) {
        self.state().most = most.min(MOST_DATA);
    }

    /// A command of the client begins, or has ended.
    pub(super) fn command(&self, begins: bool) {
        self.state().waited = begins.then_some(Duration::ZERO);
    }

    /// Asks for nothing any more; who waits for an answer waits no longer.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// An answer of the client has come.
    pub(super) fn answered(&self, head: Head, body: Vec<u8>) {
        match self.state().open.get_mut(&head.id) {
            Some(place @ None) => *place = Some((head, body)),
            _ => tracing::debug!(id = head.id, "an answer of the vfio-user client to nothing that was asked"),
        }
        self.changed.notify_all();
    }

    /// Asks and waits: the answer's data, if the client does not refuse. `wanted` is how many there
    /// are to be.
    fn ask(
        &self,
        command: u16,
        at: u64,
        count: usize,
        data: &[u8],
        wanted: usize,
    ) -> Result<Vec<u8>, Unreached> {
        let start = Instant::now();
        let (id, until) = {
            let mut state = self.state();
            if state.is_closed {
                return Err(Unreached::NoAnswer);
            }
            let free = |id: &u16| !state.open.contains_key(id);
            let id = (1..=u16::MAX).map(|n| state.last_id.wrapping_add(n)).find(free);
            let id = id.ok_or(Unreached::NoAnswer)?;
            (state.last_id, _) = (id, state.open.insert(id, None));
            (id, start + state.waited.map_or(ANSWER, |waited| ANSWERS.saturating_sub(waited).min(ANSWER)))
        };
        let fixed = body(&[], &[at, count as u64]);
        let sent = self.out.ask(&request(id, command, &[&fixed, data].concat()), until);
        let mut state = self.state();
        while sent.is_ok() && !state.is_closed && state.open.get(&id).is_some_and(Option::is_none) {
            let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
            else {
                break;
            };
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if let Some(waited) = &mut state.waited {
            *waited += start.elapsed();
        }
        let Some((head, answer)) = state.open.remove(&id).flatten() else {
            if !std::mem::replace(&mut state.is_closed, true) {
                tracing::warn!(
                    at,
                    count,
                    "the vfio-user client does not answer for its memory; it is not asked any more"
                );
            }
            return Err(Unreached::NoAnswer);
        };
        drop(state);
        let mut input = Body(&answer);
        let place = [input.u64(), input.u64()];
        let fits = answer.len() == FIXED + wanted && place == [at, count as u64];
        // what is written need not be named again
        match !head.is_refusal() && head.command == command && (fits || (wanted == 0 && answer.is_empty())) {
            true => Ok(input.rest().to_vec()),
            false => Err(Unreached::Refused),
        }
    }

    fn most(&self) -> usize {
        self.state().most
    }
}

/// A range of a client's addresses.
#[derive(Debug)]
pub(super) struct AskedRange {
    pub(super) asker: Arc<Asker>,
    pub(super) iova: u64,
    pub(super) octets: u64,
    pub(super) readable: bool,
}

impl Octets for AskedRange {
    fn len(&self) -> u64 {
        self.octets
    }

    fn load(&self, at: u64, into: &mut [u8]) -> Result<(), Unreached> {
        if !self.readable {
            return Err(Unreached::NotReadable);
        }
        let most = self.asker.most();
        // an address behind the last piece need not exist
        for (n, part) in into.chunks_mut(most).enumerate() {
            let at = self.iova + at + (n * most) as u64;
            let data = self.asker.ask(DMA_READ, at, part.len(), &[], part.len())?;
            part.copy_from_slice(&data);
        }
        Ok(())
    }

    fn store(&self, at: u64, octets: &[u8]) -> Result<(), Unreached> {
        let most = self.asker.most();
        for (n, part) in octets.chunks(most).enumerate() {
            let at = self.iova + at + (n * most) as u64;
            self.asker.ask(DMA_WRITE, at, part.len(), part, 0)?;
        }
        Ok(())
    }
}
