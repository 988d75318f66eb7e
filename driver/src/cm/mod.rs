// SPDX-License-Identifier: MIT OR Apache-2.0
//! The connection manager: one thread that pumps firmware.
//!
//! It owns firmware, the raw rings and the event ring. Calls of the application travel to it as
//! closures, one after the other; what firmware tells goes to the listener or connection that it is
//! about.
mod api;
mod caught;
mod commands;
mod ending;
mod greeting;
mod greetings;
mod options;
mod port;
mod streams;
mod telling;
#[cfg(test)]
mod tests;
mod waker;

pub use api::{
    Connection, Listener, Markers, OfferedDepths, RawListener, RawOptions, RawStream, ReadDepths, Request,
};
pub use greeting::{Greeting, GreetingError, Initiator, Startup, MOST_GREETING};
pub use options::{ConnectDefaults, ConnectOptions, WantedDepth};

use crate::backend::{left_now, BackendError, Closing};
use crate::error::Error;
use crate::figures::Figures;
use crate::process::Process;
use crate::random;
use crate::shared::Shared;
use crate::threads;
use crate::url::NetUrl;
use api::{Arrivals, Hears, Step};
use ending::Ending;
use ferrowarp_abi::host::conn_row::first_window_log2;
use ferrowarp_firmware::cm::api::{ConnId, Connect, ListenerId};
use ferrowarp_firmware::cm::audit::Audit;
use ferrowarp_firmware::config::CrcPolicy;
use ferrowarp_firmware::error::CallError;
use ferrowarp_firmware::mpa::negotiate::{Limits, RtrSet};
use ferrowarp_firmware::port::Port;
use ferrowarp_firmware::time::Ticks;
use ferrowarp_firmware::{Config, Manager};
use greetings::Greetings;
use port::DevicePort;
use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use streams::Streams;
use waker::Waker;

/// Time between two looks at rings and timers when nothing calls and no interrupt comes: frames of
/// the slow path make none, and some devices have none at all.
const LOOK: Duration = Duration::from_micros(500);

/// Ticks of a simulated device that may pass in a millisecond of the wall: a timer is looked at
/// when a part of its time has passed.
const FASTEST: u64 = 20;
/// Longest time between two looks at timers.
const LONGEST: Duration = Duration::from_secs(10);

/// Time between two looks at whether the device is there.
const THERE: Duration = Duration::from_millis(400);

/// Requests remembered that came to nothing: hostile peers can make any number of them.
const MOST_FAILED: usize = 64;

type Call = Box<dyn FnOnce(&mut Pump) + Send>;

/// The thread's state.
struct Pump {
    manager: Manager,
    port: DevicePort,
    connections: BTreeMap<ConnId, Hears>,
    listeners: BTreeMap<ListenerId, Arrivals>,
    /// Connections in raw mode and their listeners.
    streams: Streams,
    /// Connections whose MPA starts behind greetings, and their listeners.
    greetings: Greetings,
    /// Requests that came to nothing while no application had them, newest last.
    failed: VecDeque<Failed>,
    /// Streams that the application ends.
    endings: Vec<Ending>,
    /// When firmware was polled last, and its time then.
    polled: (Instant, Ticks),
}

/// A connection of a listener that ended before it was accepted.
struct Failed {
    id: ConnId,
    /// None of one that was opened here in raw mode.
    listener: Option<ListenerId>,
    why: Error,
}

/// The thread's handle.
#[derive(Debug)]
pub(crate) struct Cm {
    /// What the device's URL wants told. It is the first to go, so that its thread is not the last
    /// that holds the device.
    _figures: Option<Figures>,
    /// Whose it is.
    shared: Arc<Shared>,
    /// What the device's URL says for options that are left open.
    defaults: ConnectDefaults,
    calls: Mutex<Option<Sender<Call>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Calls the thread when the device interrupts.
    waker: Mutex<Option<Waker>>,
    /// Why the thread ended by itself.
    failure: Arc<Mutex<Option<Error>>>,
    process: Process,
    end: Closing,
}

impl Cm {
    /// Starts the thread; the rings are placed before it returns.
    pub(crate) fn start(shared: &Arc<Shared>, net: &NetUrl) -> Result<Self, Error> {
        net.defaults.check(&shared.backend.capabilities())?;
        let figures = net.figures.as_ref().map(|path| Figures::serve(shared, path)).transpose()?;
        let port = DevicePort::new(shared)?;
        let now = port.now();
        let manager = Manager::new(config(shared, net)?, now)?;
        let polled = (Instant::now(), now);
        let (calls, inbox) = channel();
        let failure = Arc::new(Mutex::new(None));
        let (told, of_device) = (failure.clone(), shared.clone());
        let (connections, listeners, streams, greetings, failed, endings) = Default::default();
        let mut pump =
            Pump { manager, port, connections, listeners, streams, greetings, failed, endings, polled };
        let body = move || {
            if let Err(why) = pump.run(&inbox) {
                tracing::error!(%why, "the connection manager stops");
                let why = ended(why);
                *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.clone());
                pump.end_all(&why);
                of_device.events.end();
                of_device.rounds.end(why);
            }
        };
        let thread = threads::spawn("ferrowarp-cm", body);
        let thread =
            thread.map_err(|why| Error::Thread { what: "the connection manager", why: why.to_string() })?;
        let waker = shared.backend.interrupts().map(|file| Waker::start(file, calls.clone())).transpose()?;
        let (calls, thread, waker) = (Mutex::new(Some(calls)), Mutex::new(Some(thread)), Mutex::new(waker));
        let (shared, defaults, process) = (shared.clone(), net.defaults.clone(), Process::this());
        let end = Closing::default();
        Ok(Self { _figures: figures, shared, defaults, calls, thread, waker, failure, process, end })
    }

    /// Listens at the address that the device's URL says, if it says one.
    pub(crate) fn listen(self: &Arc<Self>, port: u16, backlog: usize) -> Result<Listener, Error> {
        Listener::new(self, self.defaults.listens_at(), port, backlog, self.startup())
    }

    /// The address that the device's URL says for servers, or all zeros.
    pub(crate) fn serves_at(&self) -> IpAddr {
        self.defaults.listens_at().unwrap_or(Ipv6Addr::UNSPECIFIED.into())
    }

    /// When MPA starts on connections of which nothing else is said.
    pub(crate) fn startup(&self) -> Startup {
        self.defaults.startup.clone()
    }

    /// Does something in the thread and waits for it.
    fn call<R: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Pump) -> R + Send + 'static,
    ) -> Result<R, Error> {
        self.begin(what)?.recv().map_err(|_| self.stopped())
    }

    /// Does something in the thread at the end of an object, which does not wait for a thread that
    /// the device holds up.
    fn call_at_end<R: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Pump) -> R + Send + 'static,
    ) -> Result<R, Error> {
        let waited = left_now();
        self.begin(what)?.recv_timeout(waited).map_err(|why| match why {
            RecvTimeoutError::Timeout => Error::TimedOut { what: "the connection manager", waited },
            RecvTimeoutError::Disconnected => self.stopped(),
        })
    }

    /// Gives the thread something to do: where the answer comes.
    fn begin<R: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Pump) -> R + Send + 'static,
    ) -> Result<Receiver<R>, Error> {
        if !self.process.is_here() {
            return Err(BackendError::Forked.into());
        }
        let (answer, answered) = channel();
        let call: Call = Box::new(move |pump| {
            // the caller waits, unless it panicked
            drop(answer.send(what(pump)));
        });
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone();
        calls.and_then(|calls| calls.send(call).ok()).ok_or_else(|| self.stopped())?;
        Ok(answered)
    }

    /// Connections that somebody is told of, commands under way, what firmware holds.
    pub(crate) fn audit(&self) -> Result<(usize, usize, Audit), Error> {
        self.call(|pump| {
            let connections = pump.connections.len() + pump.streams.len() + pump.greetings.arriving();
            (connections, pump.port.under_way(), pump.manager.audit())
        })
    }

    pub(crate) fn stopped(&self) -> Error {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.clone().unwrap_or_else(|| Error::Stopped("its thread ended".into()))
    }
}

impl Drop for Cm {
    fn drop(&mut self) {
        if !self.process.is_here() {
            // the threads are the parent's, and so is what wakes them
            let waker = self.waker.get_mut().unwrap_or_else(PoisonError::into_inner).take();
            let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
            std::mem::forget((waker, thread));
            return;
        }
        self.end.begin();
        // without a sender the thread ends; the waker has one
        self.waker.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).take();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // it gives the rings back to the device; one that waits longer keeps them
        thread.map(|thread| threads::join_within(thread, left_now()));
    }
}

/// What is told of a connection manager that ended for this: that its device is gone, or its server
/// lost, is said as it is.
fn ended(why: Error) -> Error {
    use BackendError::{Gone, LinkReset, Lost};
    match why {
        why @ Error::Backend(Gone { .. } | LinkReset { .. } | Lost(_)) => why,
        why => Error::Stopped(why.to_string()),
    }
}

/// Firmware's configuration of this device.
fn config(shared: &Shared, net: &NetUrl) -> Result<Config, Error> {
    let has = shared.backend.capabilities();
    shared.backend.receive(net.mac)?;
    let mut secret = [0; 16];
    let random = random::fill(&mut secret);
    random.map_err(|e| Error::Stopped(format!("the system gives no random secret: {e}")))?;
    let mut config = Config::new(net.mac, &net.addresses, secret);
    for gateway in &net.gateways {
        match *gateway {
            IpAddr::V4(ip) => config.gateway_v4 = Some(ip),
            IpAddr::V6(ip) => config.gateway_v6 = Some(ip),
        }
    }
    if !net.crc {
        config.crc = CrcPolicy::AdministratorSaysNo;
    }
    config.vlan_tci = net.vlan_tci;
    config.mtu = has.mtu;
    config.window = 1 << first_window_log2(has.window.checked_ilog2().unwrap_or(0));
    config.window_scale = (has.window >> 16).checked_ilog2().map_or(0, |n| n as u8 + 1);
    config.limits =
        Limits { ird: has.ird, ord: has.ord, rtr: RtrSet { send: true, write: true, read: true } };
    config.connections = usize::from(has.queue_pairs) * 4;
    Ok(config)
}

impl Pump {
    /// Until nobody can call any more. The error is that of the device.
    fn run(&mut self, inbox: &Receiver<Call>) -> Result<(), Error> {
        let (mut more, mut looked) = (false, Instant::now());
        loop {
            if looked.elapsed() >= THERE && !self.port.is_quiet() {
                self.port.look()?;
                looked = Instant::now();
            }
            match inbox.recv_timeout(if more { Duration::ZERO } else { LOOK }) {
                Ok(call) => {
                    // it is to find firmware's time as it is now
                    self.turn()?;
                    call(self);
                }
                // a look at the time is a read over the bus, which the program's own accesses wait
                // for
                Err(RecvTimeoutError::Timeout) if !more && self.rests() => {
                    self.port.end_round();
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            while let Ok(call) = inbox.try_recv() {
                call(self);
            }
            more = self.turn()?;
        }
    }

    /// Whether nothing is to be done, and no timer can have expired.
    fn rests(&self) -> bool {
        if self.port.has_work() || !self.endings.is_empty() {
            return false;
        }
        if self.port.is_quiet() {
            return true;
        }
        let (at, now) = self.polled;
        let most = |due: Ticks| Duration::from_millis(due.0.saturating_sub(now.0) / FASTEST);
        at.elapsed() < self.manager.due().map_or(LONGEST, most).min(LONGEST)
    }

    /// What can be done in one turn; `true` if there may be more at once.
    fn turn(&mut self) -> Result<bool, Error> {
        // an answer that is there now comes behind the events that `poll` finds
        self.endings.iter_mut().for_each(Ending::look);
        self.polled = (Instant::now(), self.port.now());
        let mut more = self.manager.poll(&mut self.port);
        self.end_streams();
        while let Some(event) = self.manager.next_event() {
            // what a greeter says leaves with the next poll
            more |= self.greetings.is_busy();
            self.tell(event);
        }
        self.port.take_failure().map_or(Ok(more), Err)
    }

    /// Begins an active open; its number and our end.
    fn connect(&mut self, connect: Connect) -> Result<(ConnId, SocketAddr), Error> {
        let id = self.manager.connect(connect)?;
        let local = self.manager.local(id).ok_or(CallError::Unknown(id.0))?;
        Ok((id, local))
    }

    /// The device has stopped, and all connections with it. Who waits for a completion looks again.
    fn end_all(&mut self, why: &Error) {
        for connection in std::mem::take(&mut self.connections).into_values() {
            connection.hear(Step::Ended(Err(why.clone())));
        }
        self.streams.end_all(why);
        self.port.notify_all();
    }
}
