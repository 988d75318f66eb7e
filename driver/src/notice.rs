// SPDX-License-Identifier: MIT OR Apache-2.0
//! Descriptors that tell of completion queues. An interrupt of the device makes such a descriptor
//! readable, and whoever reads takes the device's events: no thread of the driver stands between.
use crate::backend::BackendError;
use crate::error::Error;
use crate::process::Process;
use crate::signal::{lower, sleep, Signal};
use parking_lot::Mutex;
use rustix::buffer::spare_capacity;
use rustix::event::{epoll, Timespec};
use rustix::io::Errno;
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// A device whose events somebody takes.
pub(crate) trait Tells: fmt::Debug + Send + Sync {
    /// Takes the events that are in the event ring, and tells those whom the events concern.
    fn collect(&self);
}

/// What the epoll set says of the signal; sources have the numbers behind.
const SIGNAL: u64 = 0;

/// An interrupt of a device: an eventfd that does not block.
#[derive(Debug)]
struct Source {
    /// What the epoll set says of it.
    number: u64,
    interrupt: Arc<OwnedFd>,
    device: Weak<dyn Tells>,
}

/// A descriptor that is readable while it is raised, or while an interrupt that it watches was not
/// taken.
#[derive(Debug)]
pub(crate) struct Notice {
    signal: Signal,
    /// An epoll instance of the signal and the interrupts: the descriptor that others see.
    all: OwnedFd,
    sources: Mutex<Vec<Source>>,
    process: Process,
}

impl Notice {
    /// One that watches no interrupt yet.
    pub(crate) fn new() -> Result<Self, Error> {
        let (signal, sources, process) = (Signal::new()?, Mutex::default(), Process::this());
        let all = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(refused)?;
        add(&all, signal.as_fd(), SIGNAL)?;
        Ok(Self { signal, all, sources, process })
    }

    /// Watches an interrupt of a device, if it does not yet.
    pub(crate) fn watch(&self, interrupt: &Arc<OwnedFd>, device: Weak<dyn Tells>) -> Result<(), Error> {
        let mut sources = self.sources.lock();
        if !sources.iter().any(|source| Arc::ptr_eq(&source.interrupt, interrupt)) {
            let number = sources.iter().map(|source| source.number).max().unwrap_or(SIGNAL) + 1;
            add(&self.all, interrupt.as_fd(), number)?;
            sources.push(Source { number, interrupt: interrupt.clone(), device });
        }
        Ok(())
    }

    /// Readable from now on.
    pub(crate) fn raise(&self) {
        self.signal.raise();
    }

    /// Readable for interrupts alone.
    pub(crate) fn lower(&self) {
        self.signal.lower();
    }

    /// Takes the events of the devices that have interrupted, and tells those whom the events
    /// concern. The error is that the descriptor is another process's.
    pub(crate) fn collect(&self) -> Result<(), Error> {
        if !self.process.is_here() {
            return Err(BackendError::Forked.into());
        }
        let (mut sources, mut told) = (self.sources.lock(), vec![]);
        if sources.is_empty() {
            return Ok(());
        }
        let mut ready = Vec::with_capacity(sources.len() + 1);
        match epoll::wait(&self.all, spare_capacity(&mut ready), Some(&Timespec::default())) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(why) => return Err(refused(why)),
        }
        let is_ready = |number| ready.iter().any(|event: &epoll::Event| event.data.u64() == number);
        sources.retain(|Source { number, interrupt, device }| {
            if !is_ready(*number) {
                return true;
            }
            let Some(device) = device.upgrade() else {
                // the device is closed, and nobody would take the count
                let _ = epoll::delete(&self.all, &**interrupt);
                return false;
            };
            // the message is behind its event: the event is in the ring
            if lower(interrupt.as_fd()) {
                told.push(device);
            }
            true
        });
        drop(sources);
        told.iter().for_each(|device| device.collect());
        Ok(())
    }

    /// Sleeps until the descriptor is readable, for `most` at most.
    pub(crate) fn sleep(&self, most: Duration) -> Result<(), Error> {
        sleep(&[self.all.as_fd()], Some(most))
    }

    /// The next thing that `found` finds, which is asked whenever the descriptor is readable.
    #[cfg(feature = "tokio")]
    pub(crate) async fn until<R>(
        &self,
        most: Duration,
        what: &'static str,
        mut found: impl FnMut() -> Result<Option<R>, Error>,
    ) -> Result<R, Error> {
        use tokio::io::{unix::AsyncFd, Interest};
        if let Some(result) = found()? {
            return Ok(result);
        }
        let refused = |why: std::io::Error| Error::Descriptor(why.to_string());
        // each task registers a descriptor of its own
        let own = self.all.try_clone().map_err(refused)?;
        // SAFETY: an `OwnedFd` is one open descriptor until it is dropped, and nothing takes it
        // out.
        let own = unsafe { AsyncFd::register_with_interest(own, Interest::READABLE) };
        let own = own.map_err(|why| refused(why.into_parts().1))?;
        let waits = async {
            loop {
                own.readable().await.map_err(refused)?.clear_ready();
                if let Some(result) = found()? {
                    return Ok(result);
                }
            }
        };
        tokio::time::timeout(most, waits).await.unwrap_or(Err(Error::TimedOut { what, waited: most }))
    }
}

impl AsFd for Notice {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.all.as_fd()
    }
}

fn add(all: &OwnedFd, fd: BorrowedFd<'_>, number: u64) -> Result<(), Error> {
    epoll::add(all, fd, epoll::EventData::new_u64(number), epoll::EventFlags::IN).map_err(refused)
}

fn refused(why: Errno) -> Error {
    Error::Descriptor(why.to_string())
}
