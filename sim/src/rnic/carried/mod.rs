// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device that is reached by frames of the carrier, in wall time: the orders of a handle, the
//! root complex, an Ethernet port.

mod runner;
mod watch;

use super::frames::Frames;
use super::handle::Rnic;
use super::messages::{Messages, BASE};
use super::order::{RnicError, MOST_ORDERS};
use super::threads::{locked, text_of, waker};
use crate::carrier::{CarriedBus, CarrierConfig};
use crate::eth::EthPort;
use rand::random;
use runner::Runner;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex};
pub use watch::CarrierWatch;

/// How a device is reached.
pub struct CarriedConfig {
    /// Where the frames go.
    pub port: Box<dyn EthPort>,
    /// Stations and times.
    pub carrier: CarrierConfig,
    /// Where all frames are recorded.
    pub pcap: Option<PathBuf>,
}

impl Rnic {
    /// Calls a device by the carrier. Returns when the device has answered, or when the device is
    /// gone: hellos continue then, and the PCI Express link is down until there is an answer.
    ///
    /// A TLP that breaks a rule of PCI Express does not end the device. It is logged and counted,
    /// and the device is reset. The error is that of a file or a thread.
    pub fn carried(config: CarriedConfig) -> Result<(Self, CarrierWatch), RnicError> {
        let (orders, inbox) = sync_channel(MOST_ORDERS);
        let (ready, begun) = channel();
        let (failure, stats) = <(Arc<Mutex<Option<String>>>, _)>::default();
        let messages = Arc::new(Messages::default());
        let wake = waker()?;
        let mut bus = CarriedBus::new(config.carrier, random());
        bus.root().host.map_outside(BASE, messages.clone(), true)?;
        let watch = CarrierWatch::new(bus.state(), bus.stats());
        let far = Frames::new(bus, config.carrier.gone_ns);
        let runner = Runner::new(config.port, far, wake.clone(), (stats, watch.clone()));
        let mut runner = match &config.pcap {
            Some(path) => runner.recorded(path).map_err(RnicError::Stopped)?,
            None => runner,
        };
        let (shared_stats, told) = (runner.stats(), failure.clone());
        let body = move || {
            let why = match catch_unwind(AssertUnwindSafe(|| runner.run(&inbox, &ready))) {
                Ok(Ok(())) => return,
                Ok(Err(why)) => why,
                Err(panic) => text_of(&*panic),
            };
            tracing::error!(why, "the carrier stops");
            *locked(&told) = Some(why);
        };
        let thread = std::thread::Builder::new().name("ferrowarp-carrier".into()).spawn(body);
        let thread = thread.map_err(|e| RnicError::Stopped(format!("no thread for the carrier: {e}")))?;
        let (thread, gone) = (Mutex::new(Some(thread)), Mutex::default());
        let rnic = Self { orders, wake, thread, gone, failure, stats: shared_stats, messages };
        begun.recv().map_err(|_| rnic.stopped())?;
        Ok((rnic, watch))
    }
}
