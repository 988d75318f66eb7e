// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the device tells of itself and of what is around it, beside queues and connections.
use crate::deadline::end_of;
use crate::error::Error;
use crate::signal::Signal;
use ferrowarp_abi::codec::Event;
use ferrowarp_abi::consts::{event_kind, stall};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Most events that wait for the application; the oldest gives way to a newer one.
const MOST: usize = 64;
/// What is waited for.
const EVENT: &str = "an event of the device";

/// An event of the device, as `ibv_get_async_event` of rdma-core tells events of ports and
/// completion queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlatformEvent {
    /// The Ethernet link came up: `IBV_EVENT_PORT_ACTIVE`.
    LinkUp,
    /// The Ethernet link went down: `IBV_EVENT_PORT_ERR`. Connections stay.
    LinkDown,
    /// Nothing moved there for the time of the device's watchdog.
    Stalled(Stall),
    /// The PCI Express block has reported an error of the device's requests to the host: a write
    /// that was refused, for example.
    BusError,
    /// A completion of this completion queue found no slot: `IBV_EVENT_CQ_ERR`. The queue takes no
    /// more, and its queue pairs stop.
    CqOverrun(u16),
    /// This queue pair has stopped for a fault of the stream: `IBV_EVENT_QP_FATAL`.
    QpFatal(u16),
    /// This queue pair has stopped for one of its own work requests: `IBV_EVENT_QP_REQ_ERR`.
    QpRequest(u16),
    /// This queue pair has stopped because its peer asked for what it may not:
    /// `IBV_EVENT_QP_ACCESS_ERR`.
    QpAccess(u16),
}

/// Where nothing moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stall {
    /// A command of the admin port has no answer.
    Admin,
    /// An FPDU that came for this queue pair is not placed or delivered.
    Receive(u16),
    /// An FPDU of this queue pair, or its octets, do not come to TCP.
    Transmit(u16),
    /// The Ethernet port takes no frame.
    Frame,
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Admin => f.write_str("a command of the device has had no answer for long"),
            Self::Receive(qp) => {
                write!(f, "what came for queue pair {qp} has not reached host memory for long")
            }
            Self::Transmit(qp) => write!(f, "what queue pair {qp} is to send has not been read for long"),
            Self::Frame => f.write_str("the Ethernet port has taken no frame for long"),
        }
    }
}

impl fmt::Display for PlatformEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LinkUp => f.write_str("the Ethernet link is up"),
            Self::LinkDown => f.write_str("the Ethernet link is down"),
            Self::QpFatal(qp) => write!(f, "queue pair {qp} has stopped for a fault of its stream"),
            Self::QpRequest(qp) => write!(f, "queue pair {qp} has stopped for one of its own requests"),
            Self::QpAccess(qp) => {
                write!(f, "queue pair {qp} has stopped: its peer asked for what the peer may not have")
            }
            Self::Stalled(stall) => stall.fmt(f),
            Self::BusError => {
                f.write_str("the host has refused a request of the device, or its link has failed")
            }
            Self::CqOverrun(cq) => write!(
                f,
                "completion queue {cq} has overrun, and its queue pairs stop: make one with more slots, or poll it more often"
            ),
        }
    }
}

impl PlatformEvent {
    /// A peer can make any number of them, with one connection after the other.
    fn is_of_peer(&self) -> bool {
        matches!(self, Self::QpFatal(_) | Self::QpRequest(_) | Self::QpAccess(_))
    }

    fn is_link(&self) -> bool {
        matches!(self, Self::LinkUp | Self::LinkDown)
    }

    /// What an entry of the event ring is, if the application is told of it here.
    pub(crate) fn of(event: &Event) -> Option<Self> {
        let stalled = |stall| Some(Self::Stalled(stall));
        match (event.kind, u8::try_from(event.info).unwrap_or(0)) {
            (event_kind::LINK_UP, _) => Some(Self::LinkUp),
            (event_kind::LINK_DOWN, _) => Some(Self::LinkDown),
            (event_kind::BUS_ERROR, _) => Some(Self::BusError),
            (event_kind::CQ_OVERRUN, _) => Some(Self::CqOverrun(event.number)),
            (event_kind::QP_FATAL, _) => Some(Self::QpFatal(event.number)),
            (event_kind::QP_REQUEST_ERROR, _) => Some(Self::QpRequest(event.number)),
            (event_kind::QP_ACCESS_ERROR, _) => Some(Self::QpAccess(event.number)),
            (event_kind::STALLED, stall::ADMIN) => stalled(Stall::Admin),
            (event_kind::STALLED, stall::RECEIVE) => stalled(Stall::Receive(event.number)),
            (event_kind::STALLED, stall::TRANSMIT) => stalled(Stall::Transmit(event.number)),
            (event_kind::STALLED, stall::FRAME) => stalled(Stall::Frame),
            _ => None,
        }
    }
}

#[derive(Debug, Default)]
struct State {
    /// Those that no application has taken, the oldest first.
    events: VecDeque<PlatformEvent>,
    /// No event comes any more: the connection manager has stopped.
    is_over: bool,
}

/// Events on their way from the connection manager to the application.
#[derive(Debug, Default)]
pub(crate) struct PlatformEvents {
    state: Mutex<State>,
    changed: Condvar,
    /// Raised by each event, from the first one on who wants a descriptor.
    signal: OnceLock<Arc<Signal>>,
    #[cfg(feature = "tokio")]
    wakers: crate::wakers::Wakers,
}

impl PlatformEvents {
    /// Each change is one step: a panic elsewhere leaves the state whole.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// The device has told of this.
    pub(crate) fn tell(&self, event: PlatformEvent) {
        match event {
            event if event == PlatformEvent::LinkUp || event.is_of_peer() => tracing::info!("{event}"),
            _ => tracing::warn!("{event}"),
        }
        let mut state = self.state();
        // the last state of the link is not pushed out by what is known already
        if !event.is_link() && state.events.contains(&event) {
            return;
        }
        if state.events.len() >= MOST {
            // the newest event of the link stays, behind however many stalls
            let links = state.events.iter().filter(|event| event.is_link()).count();
            let is_kept = links == 1 && state.events.front().is_some_and(PlatformEvent::is_link);
            state.events.remove(usize::from(is_kept));
        }
        state.events.push_back(event);
        self.wake(state);
    }

    /// The number of a completion queue has a new owner. The events of the last owner are dropped.
    pub(crate) fn forget_cq(&self, number: u16) {
        self.forget(&[PlatformEvent::CqOverrun(number)]);
    }

    /// The same of the number of a queue pair.
    pub(crate) fn forget_qp(&self, number: u16) {
        self.forget(&[Stall::Receive(number), Stall::Transmit(number)].map(PlatformEvent::Stalled));
        self.forget(
            &[PlatformEvent::QpFatal, PlatformEvent::QpRequest, PlatformEvent::QpAccess].map(|of| of(number)),
        );
    }

    fn forget(&self, gone: &[PlatformEvent]) {
        self.state().events.retain(|event| !gone.contains(event));
    }

    /// The connection manager has stopped.
    pub(crate) fn end(&self) {
        let mut state = self.state();
        state.is_over = true;
        self.wake(state);
    }

    fn wake(&self, state: MutexGuard<'_, State>) {
        drop(state);
        self.changed.notify_all();
        if let Some(signal) = self.signal.get() {
            signal.raise();
        }
        #[cfg(feature = "tokio")]
        self.wakers.wake();
    }

    /// The oldest one.
    pub(crate) fn take(&self) -> Option<PlatformEvent> {
        self.state().events.pop_front()
    }

    /// The descriptor of those who take events. The error is [`Error::Descriptor`].
    pub(crate) fn signal(&self) -> Result<Arc<Signal>, Error> {
        if let Some(signal) = self.signal.get() {
            return Ok(signal.clone());
        }
        let signal = Arc::new(Signal::new()?);
        let signal = self.signal.get_or_init(|| signal).clone();
        // events may wait that nobody was told of
        signal.raise();
        Ok(signal)
    }

    /// The oldest one, if there is one. The error, which `stopped` gives, is why no event comes any
    /// more. The descriptor is readable as long as this has something to say.
    pub(crate) fn try_next(
        &self,
        signal: &Signal,
        stopped: impl Fn() -> Error,
    ) -> Result<Option<PlatformEvent>, Error> {
        // what comes behind this look raises the descriptor again
        signal.lower();
        let mut state = self.state();
        let next = state.events.pop_front();
        if state.is_over || !state.events.is_empty() {
            signal.raise();
        }
        match (next, state.is_over) {
            (None, true) => Err(stopped()),
            (next, _) => Ok(next),
        }
    }

    /// The oldest one, which is waited for; none if no event comes any more.
    pub(crate) fn wait(&self, most: Duration) -> Result<Option<PlatformEvent>, Error> {
        let end = end_of(most);
        let mut state = self.state();
        loop {
            if let Some(event) = state.events.pop_front() {
                return Ok(Some(event));
            }
            let left = end.saturating_duration_since(Instant::now());
            match (state.is_over, left.is_zero()) {
                (true, _) => return Ok(None),
                (false, true) => return Err(Error::TimedOut { what: EVENT, waited: most }),
                (false, false) => {}
            }
            self.changed.wait_for(&mut state, left);
        }
    }

    /// As [`PlatformEvents::wait`], for a task. `stopped` says why no event comes any more.
    #[cfg(feature = "tokio")]
    pub(crate) async fn wait_async(
        &self,
        most: Duration,
        stopped: impl Fn() -> Error,
    ) -> Result<PlatformEvent, Error> {
        let found = || {
            let mut state = self.state();
            match (state.events.pop_front(), state.is_over) {
                (None, true) => Err(stopped()),
                (event, _) => Ok(event),
            }
        };
        self.wakers.until(most, EVENT, found).await
    }
}

#[cfg(test)]
#[path = "platform_tests.rs"]
mod tests;
