// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures of an open device for other programs: its counters, and TCP of its connections, over a
//! unix socket.
//!
//! A program offers them by [`crate::Device::serve_figures`], or by `figures=PATH` in its device's
//! URL. A client sends one line of JSON, `{}` or `{"qp":1}`. The answer is one line of JSON, what
//! [`told`] gives, or `{"ok":false,"error":"..."}`. Then the connection ends. The device is neither
//! opened nor reset for that, and nothing of it changes.
mod asking;
mod error;
mod serving;
mod socket;
#[cfg(test)]
pub(crate) mod tests;
mod told;
mod wire;

pub use asking::ask;
pub use error::FiguresError;
pub use told::told;

use crate::backend::{left_now, END};
use crate::error::Error;
use crate::process::Process;
use crate::shared::Shared;
use crate::threads;
use rustix::event::{eventfd, EventfdFlags};
use rustix::io::write;
use serving::Server;
use socket::Place;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

/// The socket on which a device's figures are offered, and the thread that answers there, one
/// client at a time. Dropping it ends the thread and unlinks the socket.
///
/// It does not keep the device open: behind the device's end each answer says that the device is
/// closed. A drop waits no longer than a second, and that long for a silent device alone.
#[derive(Debug)]
#[must_use = "the socket goes when this is dropped"]
pub struct Figures {
    place: Place,
    /// An eventfd that ends the thread.
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
    process: Process,
}

impl Figures {
    /// Offers the figures of a device at this path.
    pub(crate) fn serve(shared: &Arc<Shared>, path: &Path) -> Result<Self, Error> {
        let failed = |why: String| Error::Thread { what: "figures", why };
        let stop = eventfd(0, EventfdFlags::CLOEXEC).map_err(|e| failed(e.to_string()))?;
        let (listener, place) = socket::bind(path)?;
        // from here on an error unlinks the socket
        let mut figures = Self { place, stop: Arc::new(stop), thread: None, process: Process::this() };
        let server = Server { listener, stop: figures.stop.clone(), device: Arc::downgrade(shared) };
        let thread = threads::spawn("ferrowarp-figs", move || server.run());
        figures.thread = Some(thread.map_err(|e| failed(e.to_string()))?);
        Ok(figures)
    }

    /// Where the socket is.
    pub fn path(&self) -> &Path {
        self.place.path()
    }
}

impl Drop for Figures {
    fn drop(&mut self) {
        if !self.process.is_here() {
            // socket and thread are the parent's, and so is what ends them
            std::mem::forget(self.thread.take());
            return;
        }
        self.place.unlink();
        let asked = write(&*self.stop, &1_u64.to_ne_bytes());
        if let (Ok(_), Some(thread)) = (asked, self.thread.take()) {
            // one that waits for a silent device ends when the device's answer is late
            threads::join_within(thread, left_now(END));
        }
    }
}
