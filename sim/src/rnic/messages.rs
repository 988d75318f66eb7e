//! Where messages of MSI-X go: memory of four octets a vector, whose writes are events.
use super::locked;
use crate::memory::Octets;
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Mutex;

/// Bus address of vector 0's message: where a PC has its local interrupt controllers.
pub(super) const BASE: u64 = 0xfee0_0000;
/// Octets of all messages.
const SPAN: u64 = 4096;

/// Descriptors by vector.
#[derive(Debug, Default)]
pub(super) struct Messages(Mutex<BTreeMap<u16, OwnedFd>>);

impl Messages {
    /// Sets or forgets a vector's descriptor.
    pub(super) fn set(&self, vector: u16, fd: Option<OwnedFd>) {
        let mut fds = locked(&self.0);
        match fd {
            Some(fd) => fds.insert(vector, fd),
            None => fds.remove(&vector),
        };
    }
}

impl Octets for Messages {
    fn len(&self) -> u64 {
        SPAN
    }

    fn load(&self, _at: u64, into: &mut [u8]) {
        into.fill(0xff);
    }

    fn store(&self, at: u64, _octets: &[u8]) {
        let fds = locked(&self.0);
        let fd = u16::try_from(at / 4).ok().and_then(|vector| fds.get(&vector));
        // an eventfd that is full has been told already
        if let Some(Err(why)) = fd.map(|fd| rustix::io::write(fd, &1_u64.to_ne_bytes())) {
            tracing::debug!(%why, at, "a message goes nowhere");
        }
    }
}
