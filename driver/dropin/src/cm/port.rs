// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ports of identifiers that were bound without a port: programs read the port before they listen
//! or connect, so that the device's own choice would come too late.
use crate::errno::Errno;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;

/// Ports that are drawn here. Those that devices choose lie above.
const RANGE: RangeInclusive<u16> = 32_768..=49_151;

/// Ports that identifiers of this process hold.
static HELD: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// A port of this process, until this is dropped.
#[derive(Debug)]
pub struct Port(u16);

impl Port {
    /// Draws a port that no other identifier holds. EADDRINUSE: all are held.
    pub fn draw() -> Result<Self, Errno> {
        // peers cannot guess where the search begins (RFC 6056 section 3.3.1)
        let start = RandomState::new().hash_one(()) as usize % RANGE.len();
        let mut held = HELD.lock();
        let mut order = RANGE.skip(start).chain(RANGE.take(start));
        let port = order.find(|port| !held.contains(port)).ok_or(Errno(libc::EADDRINUSE))?;
        held.insert(port);
        Ok(Self(port))
    }

    /// The number.
    pub fn number(&self) -> u16 {
        self.0
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        HELD.lock().remove(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ports_that_are_held_differ_and_lie_in_the_range() {
        let ports = [Port::draw().unwrap(), Port::draw().unwrap()];
        assert_ne!(ports[0].number(), ports[1].number());
        assert!(ports.iter().all(|port| RANGE.contains(&port.number())));
    }
}
