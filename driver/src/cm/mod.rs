// SPDX-License-Identifier: MIT OR Apache-2.0
//! The connection manager: one thread that pumps firmware.
//!
//! It owns firmware, the raw rings and the event ring. Calls of the application travel to it as
//! closures, one after the other; what firmware tells goes to the listener or connection that it is
//! about.
mod api;
mod arrival;
mod caught;
mod commands;
mod depth;
mod ending;
mod greeting;
mod greetings;
mod hears;
mod options;
mod port;
mod pump;
mod raw_state;
mod sleep;
#[cfg(test)]
mod sleep_tests;
mod streams;
mod telling;
#[cfg(test)]
mod tests;
mod watch;

pub use api::{Connecting, Connection, Listener, RawListener, RawOptions, RawStream, Request};
pub use depth::WantedDepth;
pub use greeting::{Greeting, GreetingError, Initiator, Startup, MOST_GREETING};
pub use hears::{ConnectionEvent, Markers, OfferedDepths, ReadDepths};
pub use options::{AcceptOptions, ConnectDefaults, ConnectOptions};

use crate::backend::{left_now, BackendError, Closing};
use crate::error::Error;
use crate::figures::Figures;
use crate::objects::Stops;
use crate::process::Process;
use crate::random;
use crate::shared::Shared;
use crate::signal::Signal;
use crate::threads;
use crate::url::NetUrl;
use ferrowarp_abi::host::conn_row::first_window_log2;
use ferrowarp_firmware::cm::audit::Audit;
use ferrowarp_firmware::config::CrcPolicy;
use ferrowarp_firmware::mpa::negotiate::{Limits, RtrSet};
use ferrowarp_firmware::port::Port;
use ferrowarp_firmware::{Config, Manager};
use parking_lot::Mutex;
use port::DevicePort;
use pump::{Call, Pump};
use sleep::Bed;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

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
    /// Wakes the thread for a call.
    bell: Arc<Signal>,
    thread: Mutex<Option<JoinHandle<()>>>,
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
        let bell = Arc::new(Signal::new()?);
        let bed = Bed::new(shared, &bell);
        let body = move || {
            if let Err(why) = pump.run(&inbox, &bed) {
                tracing::error!(%why, "the connection manager stops");
                let why = ended(why);
                *told.lock() = Some(why.clone());
                pump.end_all(&why);
                of_device.events.end();
                of_device.rounds.end(why);
            }
        };
        let thread = threads::spawn("ferrowarp-cm", body);
        let thread =
            thread.map_err(|why| Error::Thread { what: "the connection manager", why: why.to_string() })?;
        let (calls, thread) = (Mutex::new(Some(calls)), Mutex::new(Some(thread)));
        let (shared, defaults, process) = (shared.clone(), net.defaults.clone(), Process::this());
        let end = Closing::default();
        Ok(Self { _figures: figures, shared, defaults, calls, bell, thread, failure, process, end })
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

    /// What the end of an object has.
    fn ends_within(&self) -> Duration {
        self.shared.backend.ends_within()
    }

    /// Does something in the thread at the end of an object, which does not wait for a thread that
    /// the device holds up.
    fn call_at_end<R: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Pump) -> R + Send + 'static,
    ) -> Result<R, Error> {
        let waited = left_now(self.ends_within());
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
        let calls = self.calls.lock().clone();
        calls.and_then(|calls| calls.send(call).ok()).ok_or_else(|| self.stopped())?;
        self.bell.raise();
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
        let failure = self.failure.lock();
        failure.clone().unwrap_or_else(|| Error::Stopped("its thread ended".into()))
    }
}

impl Stops for Cm {
    fn stop(&self, qp: u16) -> Result<(), Error> {
        self.call(move |pump| pump.stop(qp))
    }
}

impl Drop for Cm {
    fn drop(&mut self) {
        if !self.process.is_here() {
            // the thread is the parent's
            std::mem::forget(self.thread.get_mut().take());
            return;
        }
        self.end.begin(self.shared.backend.ends_within());
        // without a sender the thread ends
        self.calls.lock().take();
        self.bell.raise();
        let thread = self.thread.lock().take();
        // it gives the rings back to the device; one that waits longer keeps them
        thread.map(|thread| threads::join_within(thread, left_now(self.ends_within())));
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
