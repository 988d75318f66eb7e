// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion queues and queue pairs as those see them who are told of the device's events: by
//! number, and below the verbs.
use crate::error::Error;
use ferrowarp_abi::codec::QpRow;
use ferrowarp_firmware::port::Rtr;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Weak};

/// A completion queue.
pub(crate) trait Notified: Debug + Send + Sync {
    /// The device's event was taken: an arm makes another one.
    fn told(self: Arc<Self>);

    /// The queue may have something: who waits looks.
    fn notify(self: Arc<Self>);
}

/// A queue pair.
pub(crate) trait Managed: Debug + Send + Sync {
    /// The stream is over: what is outstanding, and what is posted from now on, is flushed.
    fn fail(self: Arc<Self>);

    /// It is in error: what is posted from now on does not reach the device.
    fn err(self: Arc<Self>);

    /// An event has stopped it; the device's cycle counter, if it is the first one.
    fn stops_at(&self, cycles: u64);

    /// The row with these Read depths.
    fn row(&self, ird: u8, ord: u8) -> QpRow;

    /// The row was written anew, which emptied the queues: tells the receives again.
    fn ring_receives(&self) -> Result<(), Error>;

    /// Posts octets outside of messages.
    fn post_raw(&self, octets: &[u8]) -> Result<(), Error>;

    /// Posts the initiator's first message.
    fn post_ready(&self, kind: Rtr) -> Result<(), Error>;
}

/// Who ends connections.
pub(crate) trait Stops: Debug + Send + Sync {
    /// Resets the connection of a queue pair, which is in error then.
    fn stop(&self, qp: u16) -> Result<(), Error>;
}

/// Objects of one kind by their numbers, as long as they live.
#[derive(Debug)]
pub(crate) struct ByNumber<T: ?Sized>(Mutex<BTreeMap<u16, Weak<T>>>);

impl<T: ?Sized> Default for ByNumber<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: ?Sized> ByNumber<T> {
    /// Remembers an object. The last one of its number is gone.
    pub(crate) fn keep(&self, number: u16, object: Weak<T>) {
        self.0.lock().insert(number, object);
    }

    /// The object of a number.
    pub(crate) fn get(&self, number: u16) -> Option<Arc<T>> {
        self.0.lock().get(&number).and_then(Weak::upgrade)
    }

    /// All objects.
    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        self.0.lock().values().filter_map(Weak::upgrade).collect()
    }
}
