// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rings in memory that a device and its driver share: slots, indices that count for ever, phase
//! bits.
//!
//! What the device writes is judged by nobody before: an entry that cannot be is an error with its
//! slot ([`BadEntry`]), the ring goes on behind it, and nothing panics.
mod bad_entry;
mod entries;
mod raw;
#[cfg(test)]
mod tests;
mod work;

pub use bad_entry::BadEntry;
pub(crate) use entries::{CompletionRing, EventRing};
pub(crate) use raw::{RawReceiveRing, RawSendRing};
pub(crate) use work::{
    Payload, ReceiveRing, SendRequest, SendRing, INLINE_MOST, RECEIVE_SEGMENTS, SEND_SEGMENTS,
};

use crate::backend::{left, Backend, BackendError, Mapped};
use crate::dma::{DmaMemory, RingWords};
use crate::error::Error;
use ferrowarp_abi::codec::Doorbell;
use std::sync::Arc;
use std::time::Instant;

/// The slots of a ring and the index of the next one.
#[derive(Debug)]
pub(crate) struct Slots {
    mapped: Mapped,
    slot: usize,
    /// Slots, a power of two of them.
    count: u32,
    index: u32,
    /// The doorbell that tells the device the index, which it has to be given.
    bell: Doorbell,
}

impl Slots {
    /// `2^log2` slots of `slot` octets in fresh memory, told by doorbells of `kind` for `number`.
    pub(crate) fn new(
        backend: &Arc<dyn Backend>,
        (log2, slot): (u8, usize),
        writable: bool,
        (kind, number): (u8, u16),
    ) -> Result<Self, Error> {
        let memory = Arc::new(DmaMemory::zeroed(backend.arena(), slot << log2)?);
        let mapped = Mapped::new(backend, memory, writable)?;
        let bell = Doorbell { kind, solicited_only: false, number, value: 0 };
        Ok(Self { mapped, slot, count: 1 << log2, index: 0, bell })
    }

    /// The device did not say that it is through with the ring.
    pub(crate) fn keep(&mut self) {
        self.mapped.keep(&"a ring");
    }

    /// The object of the ring ends, and waits until then for all that is to be done.
    pub(crate) fn ends_by(&mut self, until: Instant) {
        self.mapped.ends_by(until);
    }

    /// Where the device finds slot 0.
    pub(crate) fn base(&self) -> u64 {
        self.mapped.iova()
    }

    pub(crate) fn log2(&self) -> u8 {
        self.count.trailing_zeros() as u8
    }

    /// Absolute index of the next slot.
    #[inline]
    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    /// What the phase bit of the next slot is once the device wrote it: 1 the first time round.
    #[inline(always)]
    pub(crate) fn phase(&self) -> bool {
        self.index & self.count == 0
    }

    #[inline]
    fn at(&self) -> usize {
        (self.index & (self.count - 1)) as usize * self.slot
    }

    /// The slots as words.
    pub(crate) fn words<const N: usize>(&self) -> Result<RingWords<N>, Error> {
        Ok(RingWords::new(self.mapped.shared(), self.log2())?)
    }

    /// Octets of the next slot. Its last octet is read first.
    pub(crate) fn read(&self, into: &mut [u8]) -> Result<(), Error> {
        Ok(self.mapped.memory().read(self.at(), into)?)
    }

    /// Octets of the next slot from `offset` on.
    pub(crate) fn copy(&self, offset: usize, octets: usize) -> Result<Vec<u8>, Error> {
        Ok(self.mapped.memory().copy(self.at() + offset, octets)?)
    }

    /// Writes the beginning of the next slot; [`Slots::step`] gives it away.
    pub(crate) fn write(&self, octets: &[u8]) -> Result<(), Error> {
        Ok(self.mapped.memory().write(self.at(), octets)?)
    }

    /// Goes on to the next slot without telling.
    #[inline(always)]
    pub(crate) fn step(&mut self) {
        self.step_by(1);
    }

    /// Goes on by slots without telling.
    #[inline(always)]
    pub(crate) fn step_by(&mut self, slots: u32) {
        self.index = self.index.wrapping_add(slots);
    }

    /// Goes back by slots whose entries were not told yet.
    pub(crate) fn step_back(&mut self, slots: u32) {
        self.index = self.index.wrapping_sub(slots);
    }

    /// Tells the device the index.
    #[inline(always)]
    pub(crate) fn ring(&self) -> Result<(), Error> {
        self.tell(self.bell)
    }

    /// The same for the end of another object, which is over then.
    pub(crate) fn ring_by(&self, until: Instant) -> Result<(), Error> {
        let doorbell = Doorbell { value: self.index, ..self.bell };
        // SAFETY: as in `tell`.
        Ok(unsafe { self.mapped.backend().doorbell_within(doorbell, left(until)) }?)
    }

    /// Tells the device the index with a doorbell of another kind.
    pub(crate) fn ring_as(&self, kind: u8, solicited_only: bool) -> Result<(), Error> {
        self.tell(Doorbell { kind, solicited_only, ..self.bell })
    }

    #[inline(always)]
    fn tell(&self, bell: Doorbell) -> Result<(), Error> {
        let doorbell = Doorbell { value: self.index, ..bell };
        // SAFETY: the ring is this one; the index is behind the last slot that was written or
        // taken, and requests name regions of their domain only, which the device checks again.
        match unsafe { self.mapped.backend().doorbell(doorbell) } {
            Ok(()) => Ok(()),
            Err(why) => Err(untold(why)),
        }
    }
}

/// The device was not told.
#[cold]
#[inline(never)]
fn untold(why: BackendError) -> Error {
    why.into()
}

/// log2 of the least power of two of places that hold `asked` entries. There are `most` at most.
pub(crate) fn log2_of(asked: u32, most: u32) -> Result<u8, Error> {
    match asked {
        1.. if asked <= most => Ok(asked.next_power_of_two().trailing_zeros() as u8),
        _ => Err(Error::Depth { asked, most }),
    }
}
