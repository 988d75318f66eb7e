// SPDX-License-Identifier: MIT OR Apache-2.0
//! The way to a device: memory that it may reach, doorbells, admin commands, time.
mod clock;
mod closing;

mod error;
#[cfg(any(test, feature = "fake"))]
pub mod fake;
mod function;
#[cfg(test)]
mod gone_tests;
mod open;
mod own;
mod pci;
#[cfg(test)]
mod pci_tests;
mod pending;
#[cfg(test)]
mod reset_tests;
#[cfg(feature = "sim")]
mod sim;
mod spans;
#[cfg(test)]
mod timers_tests;
mod vectors;
mod vfio;
mod vfio_user;
mod watched;
mod window;

pub(crate) use closing::{left, left_now, Closing, END};
pub use error::BackendError;
pub use pci::PciBackend;
pub use pending::Pending;
pub use vfio::VfioError;

use crate::dma::{Arena, DmaMemory};
use ferrowarp_abi::codec::Doorbell;
use ferrowarp_abi::consts::{csr_mask, csr_reset};
use ferrowarp_abi::host::work::{RECV_BLOCKS, SEND_BLOCKS};
use ferrowarp_abi::types::MacAddr;
use rustix::event::PollFlags;
use std::fmt;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The timers of its TCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timers {
    /// Units of 10 us that an ACK may be delayed.
    pub(crate) ack_delay: u16,
    /// Milliseconds that the retransmission timer waits beyond the smoothed round trip, at least; 1
    /// to [`Timers::RTO_MOST`].
    pub(crate) rto_min: u16,
    /// Expiries of that timer until a connection is lost.
    pub(crate) retries: u8,
    /// A probe finds a lost tail before that timer does.
    pub(crate) tlp: bool,
    /// What the end of an object waits for the device, at most. The device knows nothing of it.
    pub(crate) end: Duration,
}

impl Timers {
    /// The device estimates the round trip itself. A peer a millisecond away is gone after one to
    /// two minutes. An ACK waits a fifth of what a peer like this device waits at least.
    pub(crate) const DEFAULT: Self = Self { ack_delay: 20, rto_min: 1, retries: 15, tlp: true, end: END };

    /// Most milliseconds that the register of `rto_min` holds, in units of 10 us.
    pub(crate) const RTO_MOST: u16 = u16::MAX / Self::UNITS;

    /// Units of 10 us in a millisecond.
    const UNITS: u16 = 100;

    /// Register `recovery`: all that a reset turns on; without [`Timers::tlp`] no probes.
    pub(crate) fn recovery(self) -> u32 {
        let off = if self.tlp { 0 } else { csr_mask::RECOVERY_PROBE };
        csr_reset::RECOVERY & !off
    }

    /// `rto_min` as its register has it.
    pub(crate) fn rto_units(self) -> u16 {
        self.rto_min.saturating_mul(Self::UNITS)
    }
}

/// What a device has. A [`Backend`] outside of this crate begins with the default, which has
/// nothing, and sets the fields that it knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Queue pairs.
    pub queue_pairs: u16,
    /// Completion queues.
    pub completion_queues: u16,
    /// Memory regions, the one of index 0 counted, which is never valid.
    pub regions: u16,
    /// log2 of the most blocks of a work queue; a request takes one or two.
    pub work_log2: u8,
    /// log2 of the most slots of a completion queue.
    pub cq_log2: u8,
    /// Most inbound Reads of a queue pair at once.
    pub ird: u16,
    /// Most outbound Reads of a queue pair at once.
    pub ord: u16,
    /// Largest IP packet in octets.
    pub mtu: u16,
    /// Window that the hardware advertises, in octets.
    pub window: u32,
    /// Interrupts; 0 of a device without: rdma-core's `num_comp_vectors`. Vector 0 tells of all
    /// events but those of completion queues that [`Backend::steer`] has given another one.
    pub vectors: u16,
}

impl Capabilities {
    /// Most requests of a work queue, each of which may take two blocks.
    pub fn work_requests(&self) -> u32 {
        (1 << self.work_log2) >> WORK_BLOCKS_LOG2
    }
}

/// log2 of the most blocks of a work request.
pub(crate) const WORK_BLOCKS_LOG2: u8 = {
    assert!(SEND_BLOCKS == 2 && RECV_BLOCKS == 2);
    1
};

/// A device. All calls may come from any thread. What makes it reach memory, or loses it memory, is
/// `unsafe`: only this crate, which keeps rings and regions, knows what it reaches.
///
/// # Safety
/// The device reaches memory as its calls say and in no other way: nothing that was not mapped,
/// nothing of a range behind an [`Backend::unmap`] that is `Ok`, nothing at all behind a
/// [`Backend::reset`] that is `Ok`. The answer to a command is the device's own to that command:
/// memory is given back on the word of one that takes a row out. Memory is freed, and borrowed
/// memory goes back to its owner, on these promises.
pub unsafe trait Backend: Send + Sync + fmt::Debug {
    /// What it has.
    fn capabilities(&self) -> Capabilities;

    /// What the end of an object waits for the device, at most: a second. The end of an object that
    /// waits longer keeps what the device may still use.
    fn ends_within(&self) -> Duration {
        END
    }

    /// Where memory of the driver's own for this device comes from.
    fn arena(&self) -> &Arc<Arena>;

    /// Makes memory visible to the device, which may write it if `writable`; the IOVA of its first
    /// octet. The device keeps the memory alive until [`Backend::unmap`].
    fn map(&self, memory: Arc<DmaMemory>, writable: bool) -> Result<u64, BackendError>;

    /// Takes memory away from the device again: afterwards it neither reads nor writes it. If that
    /// fails the memory is kept alive until the device is closed, unless that has stopped. A device
    /// whose server is silent for `most` is waited for no longer: [`BackendError::Silent`].
    ///
    /// # Safety
    /// The IOVA is one that [`Backend::map`] gave to the caller, who has not given it back, and
    /// nothing that the device still uses is there.
    unsafe fn unmap(&self, iova: u64, most: Duration) -> Result<(), BackendError>;

    /// Rings a doorbell. What was written to memory before is visible to the device when it sees
    /// it.
    ///
    /// # Safety
    /// The caller owns the ring of which it tells. All slots up to the index are written, and the
    /// memory that they name may be read or written by the device.
    unsafe fn doorbell(&self, doorbell: Doorbell) -> Result<(), BackendError>;

    /// The same at the end of an object. A device whose server is silent for `most` is waited for
    /// no longer: [`BackendError::Silent`]. Such a doorbell may still be rung.
    ///
    /// # Safety
    /// As for [`Backend::doorbell`].
    unsafe fn doorbell_within(&self, doorbell: Doorbell, _most: Duration) -> Result<(), BackendError> {
        // SAFETY: the caller promises the same.
        unsafe { self.doorbell(doorbell) }
    }

    /// Gives a command, head and row. Commands are done and answered in order.
    ///
    /// # Safety
    /// The memory that a row names may be read or written by the device, and by the peers of whom
    /// it lets, until another row has taken its place. Rows of somebody else's objects are only
    /// read.
    unsafe fn admin(&self, command: Vec<u8>) -> Result<Pending, BackendError>;

    /// Stops the device for good: afterwards it reaches no memory, and what is asked of it fails
    /// with [`BackendError::Stopped`]. For a device that does not give memory up. A device that has
    /// stopped by itself is one that was reset.
    fn reset(&self) -> Result<(), BackendError>;

    /// Nothing, or why nothing can be asked of the device any more, as far as that is known. No
    /// access is made.
    fn lives(&self) -> Result<(), BackendError> {
        Ok(())
    }

    /// The same behind a look at the device, for who waits for what a device that is gone does not
    /// do.
    fn look(&self) -> Result<(), BackendError> {
        self.lives()
    }

    /// Wall time to wait for an answer that the device should have given within `most`.
    fn waits(&self, most: Duration) -> Duration {
        most
    }

    /// The device's tick counter, in milliseconds.
    fn ticks(&self) -> u64;

    /// Frames to this address, to all stations and to any group are received from now on; a device
    /// that can drops the others.
    fn receive(&self, _mac: MacAddr) -> Result<(), BackendError> {
        Ok(())
    }

    /// A register of BAR0 by its offset, for inspection only.
    fn register(&self, _offset: u16) -> Result<u32, BackendError> {
        Err(BackendError::NoRegisters)
    }

    /// A descriptor that counts the interrupts of a vector; none of a device without: its rings are
    /// looked at in turn then. An eventfd that does not block: a read takes the count. All
    /// descriptors of a vector have one count.
    fn interrupts(&self, _vector: u16) -> Option<File> {
        None
    }

    /// The notifications of a completion queue make interrupts of this vector from now on. A device
    /// with two [`Capabilities::vectors`] or more can do that.
    fn steer(&self, _cq: u16, _vector: u16) -> Result<(), BackendError> {
        Err(BackendError::NoRegisters)
    }

    /// Whether the device makes an interrupt for a frame of the slow path when it is asked for one.
    /// If not, the connection manager looks for frames in turn.
    fn tells_frames(&self) -> bool {
        false
    }

    /// What tells that the device has ended. If nothing does, the connection manager looks at the
    /// device in turn.
    fn end(&self) -> Option<End> {
        None
    }
}

/// What tells that a device has ended.
#[derive(Debug)]
pub enum End {
    /// The call that fails: nobody needs to know before.
    Call,
    /// A socket that hangs up.
    HangUp(OwnedFd),
    /// An eventfd that counts what may be the end; a look at the device says so.
    Event(OwnedFd),
}

impl End {
    /// The descriptor, and what is awaited of it.
    pub(crate) fn awaited(&self) -> Option<(BorrowedFd<'_>, PollFlags)> {
        match self {
            Self::Call => None,
            Self::HangUp(fd) => Some((fd.as_fd(), PollFlags::RDHUP)),
            Self::Event(fd) => Some((fd.as_fd(), PollFlags::IN)),
        }
    }
}

/// Takes all memory away from a device that did not give up some of the application's, for `why`.
/// The memory goes back to its owner when this returns. If the device cannot be reset in time the
/// process ends: no other end is left that is sound.
#[cold]
pub(crate) fn cut_off(backend: &Arc<dyn Backend>, why: &dyn fmt::Display) {
    tracing::error!(%why, "the device does not give up memory that it has borrowed; it is reset");
    let (most, (told, ended)) = (backend.ends_within(), channel());
    let resets = backend.clone();
    let body = move || drop(told.send(resets.reset()));
    let begun = crate::threads::spawn("ferrowarp-reset", body);
    let ended = match begun {
        Ok(_) => ended.recv_timeout(most).unwrap_or(Err(BackendError::Silent(most))),
        Err(_) => backend.reset(),
    };
    let Err(left) = ended else { return };
    if left.is_gone() {
        return;
    }
    let told = format!(
        "ferrowarp: {why}, and the device cannot be reset: {left}; it may write borrowed memory: abort\n"
    );
    // nothing is left to be done if that cannot be written
    drop(std::io::stderr().write_all(told.as_bytes()));
    std::process::abort();
}

/// Whether a function with this command register reaches no memory. One that cannot be read is all
/// ones.
fn is_cut_off(command: [u8; 2]) -> Result<(), BackendError> {
    const MASTER: u16 = 4;
    match u16::from_le_bytes(command) & MASTER {
        0 => Ok(()),
        _ => Err(BackendError::Map { octets: 0, why: "its command register lets it reach memory".into() }),
    }
}

/// Memory that a device reaches until this is dropped.
#[derive(Debug)]
pub struct Mapped {
    backend: Arc<dyn Backend>,
    memory: Arc<DmaMemory>,
    iova: u64,
    /// It stays mapped.
    is_kept: bool,
    /// When the end of the object has to be over that it belongs to.
    until: Option<Instant>,
}

impl Mapped {
    /// Maps a memory.
    pub fn new(
        backend: &Arc<dyn Backend>,
        memory: Arc<DmaMemory>,
        writable: bool,
    ) -> Result<Self, BackendError> {
        let iova = backend.map(memory.clone(), writable)?;
        Ok(Self { backend: backend.clone(), memory, iova, is_kept: false, until: None })
    }

    /// The object to which it belongs ends, and waits until then for all that is to be done.
    pub(crate) fn ends_by(&mut self, until: Instant) {
        self.until = Some(until);
    }

    /// The device did not say that it is through with the memory, for `why`. If that is the
    /// driver's own it stays mapped, and so alive, until the device is closed. The application's
    /// may go at any moment: the device is cut off.
    pub(crate) fn keep(&mut self, why: &dyn fmt::Display) {
        self.is_kept = self.memory.is_own();
        if !self.is_kept {
            cut_off(&self.backend, why);
        }
    }

    /// The octets.
    pub fn memory(&self) -> &DmaMemory {
        &self.memory
    }

    /// The octets, to be kept.
    pub(crate) fn shared(&self) -> &Arc<DmaMemory> {
        &self.memory
    }

    /// Where the device finds the first one.
    pub fn iova(&self) -> u64 {
        self.iova
    }

    /// The device.
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        let most = self.until.map_or_else(|| left_now(self.backend.ends_within()), left);
        // SAFETY: it was mapped for this value alone. Its owner has told the device before that it
        // uses it no more, or the device is gone: then this takes the pages from it.
        let unmapped = unsafe { self.backend.unmap(self.iova, most) };
        match unmapped {
            Ok(()) => {}
            Err(why) if why.is_gone() => {
                tracing::debug!(iova = self.iova, %why, "memory of a device that is gone")
            }
            // the backend keeps it
            Err(why) if self.memory.is_own() => {
                tracing::error!(iova = self.iova, %why, "the device may still reach memory of the driver's own, which is kept");
            }
            Err(why) => cut_off(&self.backend, &why),
        }
    }
}
