// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events that a program was given and has not acknowledged: its object is not destroyed before.
use crate::errno::Errno;
use parking_lot::{Condvar, Mutex};
use std::time::Duration;

/// How long a destroy waits for acknowledgements.
const MOST: Duration = Duration::from_secs(30);

/// Events of one object.
#[derive(Debug, Default)]
pub struct Acks {
    open: Mutex<u64>,
    changed: Condvar,
}

impl Acks {
    /// The program was given an event.
    pub fn give(&self) {
        *self.open.lock() += 1;
    }

    /// The program acknowledges `count` events. More than were given count for nothing.
    pub fn ack(&self, count: u32) {
        let mut open = self.open.lock();
        *open = open.saturating_sub(count.into());
        if *open == 0 {
            self.changed.notify_all();
        }
    }

    /// Waits until all are acknowledged. EBUSY: they are not after half a minute.
    pub fn settle(&self) -> Result<(), Errno> {
        self.settle_in(MOST)
    }

    fn settle_in(&self, most: Duration) -> Result<(), Errno> {
        let mut open = self.open.lock();
        let waited = self.changed.wait_while_for(&mut open, |open| *open > 0, most);
        match waited.timed_out() && *open > 0 {
            true => {
                tracing::error!(events = *open, "an object is destroyed before its events are acknowledged");
                Err(Errno::BUSY)
            }
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destroy_waits_for_the_last_acknowledgement_of_another_thread() {
        let acks = Acks::default();
        acks.give();
        acks.give();
        assert_eq!(acks.settle_in(Duration::ZERO), Err(Errno::BUSY));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                acks.ack(1);
                std::thread::sleep(Duration::from_millis(20));
                acks.ack(1);
            });
            assert_eq!(acks.settle(), Ok(()));
        });
        acks.ack(5);
        assert_eq!(acks.settle_in(Duration::ZERO), Ok(()));
    }
}
