// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device behind a vfio-user socket.
use super::{Rnic, RnicConfig, RnicError, RnicFunction, RnicStats};
use crate::pcie::BusState;
use crate::vfio_user::{Server, ServerError};
use ferrowarp_hdl::config::Config;
use rustix::event::{eventfd, EventfdFlags};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Why a device is not served, or ended.
#[derive(Debug, thiserror::Error)]
pub enum ServedError {
    /// The socket, or its client's wishes.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The device.
    #[error(transparent)]
    Rnic(#[from] RnicError),
    /// The system.
    #[error("{0}")]
    System(String),
}

/// A running device with its server. Dropping it ends both and removes the socket.
#[derive(Debug)]
pub struct Served {
    rnic: Arc<Rnic>,
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<Result<(), ServerError>>>,
}

impl Served {
    /// Starts a device of `config` and serves it at `path`.
    pub fn start(path: &Path, config: &Config, device: RnicConfig) -> Result<Self, ServedError> {
        let server = Server::listen(path)?;
        Self::on(server, config, Rnic::start(device)?)
    }

    /// Serves a device of `config` that runs already at `path`.
    pub fn serve(path: &Path, config: &Config, rnic: Rnic) -> Result<Self, ServedError> {
        Self::on(Server::listen(path)?, config, rnic)
    }

    fn on(server: Server, config: &Config, rnic: Rnic) -> Result<Self, ServedError> {
        let rnic = Arc::new(rnic);
        let mut function = RnicFunction::of(config, rnic.clone());
        let stop =
            eventfd(0, EventfdFlags::CLOEXEC).map_err(|e| ServedError::System(format!("eventfd: {e}")))?;
        let stop = Arc::new(stop);
        let ends = stop.clone();
        let body = move || server.run(&mut function, &ends);
        let thread = std::thread::Builder::new().name("ferrowarp-vfio-user".into()).spawn(body);
        let thread = thread.map_err(|e| ServedError::System(format!("no thread for the server: {e}")))?;
        Ok(Self { rnic, stop, thread: Some(thread) })
    }

    /// What has happened so far.
    pub fn stats(&self) -> RnicStats {
        self.rnic.stats()
    }

    /// State of the device's PCI Express link, as [`Rnic::link`] has it.
    pub fn link(&self, state: BusState) -> Result<(), ServedError> {
        Ok(self.rnic.link(state)?)
    }

    /// The server has ended by itself, or the device has failed: a client that waits for an
    /// interrupt hears nothing of that until [`Served::finish`] ends its connection.
    pub fn has_ended(&self) -> bool {
        self.rnic.has_failed() || self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends server and device; the error is what was wrong with them.
    pub fn finish(mut self) -> Result<RnicStats, ServedError> {
        let served = self.end();
        let stats = self.rnic.finish()?;
        served?;
        Ok(stats)
    }

    fn end(&mut self) -> Result<(), ServedError> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let told = rustix::io::write(&*self.stop, &1_u64.to_ne_bytes());
        told.map_err(|e| ServedError::System(format!("eventfd: {e}")))?;
        let ended = thread.join().map_err(|_| ServedError::System("the server panicked".into()))?;
        Ok(ended?)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Err(why) = self.end() {
            tracing::debug!(%why, "the server");
        }
    }
}
