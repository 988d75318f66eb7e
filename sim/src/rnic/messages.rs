// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where messages of MSI-X go: memory of four octets a vector, whose writes are events.
use super::threads::locked;
use crate::memory::{Octets, Unreached};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Bus address of vector 0's message: where a PC has its local interrupt controllers.
pub(super) const BASE: u64 = 0xfee0_0000;
/// Octets of all messages.
const SPAN: u64 = 4096;

/// Descriptors by vector.
#[derive(Debug, Default)]
pub(super) struct Messages {
    fds: Mutex<BTreeMap<u16, Arc<OwnedFd>>>,
    /// One was written since this was last asked for.
    told: AtomicBool,
}

impl Messages {
    /// Sets or forgets a vector's descriptor.
    pub(super) fn set(&self, vector: u16, fd: Option<OwnedFd>) {
        let mut fds = locked(&self.fds);
        match fd {
            Some(fd) => fds.insert(vector, Arc::new(fd)),
            None => fds.remove(&vector),
        };
    }

    /// Whether a message has reached anybody since this was last asked.
    pub(super) fn has_told(&self) -> bool {
        self.told.swap(false, Ordering::Relaxed)
    }
}

impl Octets for Messages {
    fn len(&self) -> u64 {
        SPAN
    }

    fn load(&self, _at: u64, into: &mut [u8]) -> Result<(), Unreached> {
        into.fill(0xff);
        Ok(())
    }

    /// A message to nobody is lost, as on a bus.
    fn store(&self, at: u64, _octets: &[u8]) -> Result<(), Unreached> {
        let fd = u16::try_from(at / 4).ok().and_then(|vector| locked(&self.fds).get(&vector).cloned());
        // the descriptor is the client's, which may have made it one that waits for room
        let Some(fd) = fd.filter(|fd| has_room(fd)) else { return Ok(()) };
        self.told.store(true, Ordering::Relaxed);
        if let Err(why) = rustix::io::write(&*fd, &1_u64.to_ne_bytes()) {
            tracing::debug!(%why, at, "a message goes nowhere");
        }
        Ok(())
    }
}

/// Whether an eventfd can be written without waiting. One that is full has been told already.
fn has_room(fd: &OwnedFd) -> bool {
    let mut polled = [PollFd::new(fd, PollFlags::OUT)];
    poll(&mut polled, Some(&Timespec::default())).is_ok() && polled[0].revents().contains(PollFlags::OUT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{eventfd, EventfdFlags};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn a_descriptor_that_is_full_keeps_nobody_waiting() {
        let event = eventfd(0, EventfdFlags::CLOEXEC).unwrap();
        let messages = Messages::default();
        messages.set(3, Some(event.try_clone().unwrap()));
        messages.store(12, &[0; 4]).unwrap();
        let mut count = [0; 8];
        rustix::io::read(&event, &mut count).unwrap();
        assert_eq!(u64::from_ne_bytes(count), 1);
        // the most that it counts
        rustix::io::write(&event, &(u64::MAX - 1).to_ne_bytes()).unwrap();
        let (done, ended) = channel();
        std::thread::spawn(move || {
            messages.store(12, &[0; 4]).unwrap();
            messages.store(16, &[0; 4]).unwrap();
            done.send(())
        });
        ended.recv_timeout(Duration::from_secs(10)).expect("the device goes on");
    }
}
