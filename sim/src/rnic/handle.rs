// SPDX-License-Identifier: MIT OR Apache-2.0
//! The handle of a running device: what software asks of it.
use super::messages::Messages;
use super::order::{Order, RnicConfig, RnicError, RnicStats, Seen, MOST_ORDERS};
use super::runner::Runner;
use super::threads::{locked, waker};
use crate::memory::Octets;
use crate::pcie::{BusState, ConfigSpace};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{channel, sync_channel, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Octets of the longest read of a register.
const QUADWORD: usize = 8;
/// Reads that one call has under way: the root complex has 256 tags for all.
const MOST_READS: usize = 16;
/// How long the thread may take for an order: a busy machine, a model that is slow.
const LONGEST: Duration = Duration::from_secs(60);

/// A running device. All calls may come from any thread; orders are carried out in the order in
/// which they are given, and whoever gives more than the device takes is held up.
#[derive(Debug)]
pub struct Rnic {
    pub(super) orders: SyncSender<Order>,
    pub(super) wake: Arc<OwnedFd>,
    pub(super) thread: Mutex<Option<JoinHandle<()>>>,
    /// Closed when the device is gone, if its thread is not its own.
    pub(super) gone: Mutex<Option<Receiver<()>>>,
    pub(super) failure: Arc<Mutex<Option<String>>>,
    pub(super) stats: Arc<Mutex<RnicStats>>,
    pub(super) messages: Arc<Messages>,
}

impl Rnic {
    /// Starts the device; returns when it has been through reset. With waveforms to write it runs
    /// the traced twin of its library, which is built if it is not there.
    pub fn start(mut config: RnicConfig) -> Result<Self, RnicError> {
        if config.trace.is_some() {
            config.library = config.library.traced()?;
        }
        let (orders, inbox) = sync_channel(MOST_ORDERS);
        let (ready, begun) = channel();
        let (failure, stats) = <(Arc<Mutex<Option<String>>>, Arc<Mutex<RnicStats>>)>::default();
        let messages = Arc::new(Messages::default());
        let wake = waker()?;
        let runner = Runner::new(config, messages.clone(), wake.clone(), failure.clone(), stats.clone());
        let body = move || runner.run(&inbox, &ready);
        let thread = std::thread::Builder::new().name("ferrowarp-sim".into()).spawn(body);
        let thread = thread.map_err(|e| RnicError::Stopped(format!("no thread for the simulation: {e}")))?;
        let thread = Mutex::new(Some(thread));
        let rnic = Self { orders, wake, thread, gone: Mutex::default(), failure, stats, messages };
        begun.recv().map_err(|_| rnic.stopped())?;
        Ok(rnic)
    }

    pub(super) fn stopped(&self) -> RnicError {
        RnicError::Stopped(locked(&self.failure).clone().unwrap_or_else(|| "the simulation ended".into()))
    }

    fn order(&self, order: Order) -> Result<(), RnicError> {
        self.orders.send(order).map_err(|_| self.stopped())?;
        // one that is full wakes as well
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
        Ok(())
    }

    fn awaited<T>(&self, answered: &Receiver<T>) -> Result<T, RnicError> {
        answered.recv_timeout(LONGEST).map_err(|_| self.stopped())
    }

    /// Reads octets of BAR 0, 2 or 4 in one request. One that is refused, or not answered, reads as
    /// all ones, as a processor sees it.
    pub fn bar_read(&self, bar: usize, offset: u64, octets: usize) -> Result<Vec<u8>, RnicError> {
        let (answer, answered) = channel();
        self.order(Order::Read { bar, offset, octets, answer })?;
        self.awaited(&answered)
    }

    /// Reads whole dwords of BAR 0, 2 or 4 in as many requests as it takes, all of which are on
    /// their way at once.
    pub fn bar_read_run(&self, bar: usize, offset: u64, into: &mut [u8]) -> Result<(), RnicError> {
        for (window, place) in
            into.chunks_mut(MOST_READS * QUADWORD).zip((offset..).step_by(MOST_READS * QUADWORD))
        {
            let (answers, answered): (Vec<_>, Vec<_>) = window.chunks(QUADWORD).map(|_| channel()).unzip();
            let parts = window.chunks(QUADWORD).map(<[u8]>::len).zip((place..).step_by(QUADWORD));
            for ((octets, offset), answer) in parts.zip(answers) {
                self.order(Order::Read { bar, offset, octets, answer })?;
            }
            for (part, answered) in window.chunks_mut(QUADWORD).zip(answered) {
                part.copy_from_slice(&self.awaited(&answered)?);
            }
        }
        Ok(())
    }

    /// Writes octets of BAR 0, 2 or 4 in one request. The write is posted: it is on its way when
    /// this returns.
    pub fn bar_write(&self, bar: usize, offset: u64, octets: &[u8]) -> Result<(), RnicError> {
        self.order(Order::Write { bar, offset, octets: octets.to_vec() })
    }

    /// The device may reach these octets from `iova` on, and write them if `writable`.
    pub fn map(&self, iova: u64, octets: Arc<dyn Octets>, writable: bool) -> Result<(), RnicError> {
        let (done, answered) = channel();
        self.order(Order::Map { iova, octets, writable, done })?;
        Ok(self.awaited(&answered)??)
    }

    /// It may reach what was mapped at `iova` no more; when this returns no access is under way.
    pub fn unmap(&self, iova: u64) -> Result<(), RnicError> {
        let (done, answered) = channel();
        self.order(Order::Unmap { iova, done })?;
        Ok(self.awaited(&answered)??)
    }

    /// Each message of the vector is written to the descriptor as an eventfd; `None`: to nobody.
    pub fn set_vector(&self, vector: u16, fd: Option<OwnedFd>) {
        self.messages.set(vector, fd);
    }

    /// What the edge sees of configuration space from now on.
    pub fn configure(&self, space: &ConfigSpace) -> Result<(), RnicError> {
        self.order(Order::Configure(Seen::of(space)))
    }

    /// State of the PCI Express link from now on. While it is not up, reads of BARs are all ones
    /// and writes are lost; a device that lost its link begins anew.
    pub fn link(&self, state: BusState) -> Result<(), RnicError> {
        self.order(Order::Link(state))
    }

    /// Function Level Reset: the device asks for no more and empties itself; what was mapped stays.
    pub fn reset(&self) -> Result<(), RnicError> {
        let (done, answered) = channel();
        self.order(Order::Reset { done })?;
        self.awaited(&answered)
    }

    /// It does nothing any more, since something was wrong with it; [`Rnic::finish`] has what.
    pub fn has_failed(&self) -> bool {
        locked(&self.failure).is_some()
    }

    /// What has happened so far.
    pub fn stats(&self) -> RnicStats {
        *locked(&self.stats)
    }

    /// Ends the simulation; the error is what was wrong with it.
    pub fn finish(&self) -> Result<RnicStats, RnicError> {
        // one that has ended by itself takes no order
        drop(self.order(Order::Finish));
        if let Some(thread) = locked(&self.thread).take() {
            drop(thread.join());
        }
        if let Some(gone) = locked(&self.gone).take() {
            // nothing is sent: it is closed
            let _ = gone.recv();
        }
        match locked(&self.failure).clone() {
            Some(why) => Err(RnicError::Stopped(why)),
            None => Ok(self.stats()),
        }
    }
}

impl Drop for Rnic {
    fn drop(&mut self) {
        if let Err(why) = self.finish() {
            tracing::debug!(%why, "the simulation");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_writes_faster_than_the_device_is_held_up() {
        let (orders, inbox) = sync_channel(MOST_ORDERS);
        let (thread, gone, failure, stats, messages) = Default::default();
        let rnic = Rnic { orders, wake: waker().unwrap(), thread, gone, failure, stats, messages };
        let (done, written) = channel();
        let writer = std::thread::spawn(move || {
            for n in 0..=MOST_ORDERS as u64 {
                rnic.bar_write(0, 4 * n, &[0; 4]).unwrap();
                done.send(n).unwrap();
            }
        });
        let soon = || written.recv_timeout(Duration::from_secs(10));
        (0..MOST_ORDERS as u64).for_each(|n| assert_eq!(soon(), Ok(n)));
        assert!(written.recv_timeout(Duration::from_millis(100)).is_err(), "there is no room for one more");
        assert!(matches!(inbox.recv(), Ok(Order::Write { offset: 0, .. })));
        assert_eq!(soon(), Ok(MOST_ORDERS as u64));
        // the device's end
        drop(inbox);
        writer.join().unwrap();
    }
}
