// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rings of whole Ethernet frames, for the slow path.
use super::{BadEntry, Slots};
use crate::admin::Asked;
use crate::backend::{Backend, Mapped};
use crate::dma::DmaMemory;
use crate::error::Error;
use ferrowarp_abi::codec::{AdminCommand, RawDescriptor, RawHead, Ring};
use ferrowarp_abi::consts::{admin_opcode, admin_row, doorbell_kind, raw_reason};
use ferrowarp_abi::host::raw::RAW_SLOT;
use ferrowarp_firmware::port::{RawFrame, RawReason, RingFull};
use std::sync::Arc;
use std::time::Duration;

/// Frames that came.
#[derive(Debug)]
pub struct RawReceiveRing(Slots);

impl RawReceiveRing {
    /// `2^log2` slots, which the device does not know yet.
    pub fn new(backend: &Arc<dyn Backend>, log2: u8) -> Result<Self, Error> {
        Slots::new(backend, (log2, RAW_SLOT), true, (doorbell_kind::RAW_RX_CONSUMER, 0)).map(Self)
    }

    /// The device did not say that it is through with the ring: its memory stays until the device
    /// is closed.
    pub(crate) fn keep(&mut self) {
        self.0.keep();
    }

    /// Command that places it, and its row.
    pub fn row(&self) -> (u8, Ring) {
        (admin_opcode::RAW_RX_RING, Ring { base: self.0.base(), log2: self.0.log2(), is_valid: true })
    }

    /// Asks for one event when the device has written a frame that was not taken.
    pub(crate) fn arm(&self) -> Result<(), Error> {
        self.0.ring_as(doorbell_kind::RAW_RX_ARM, false)
    }

    /// Whether the device wrote a next frame, or something that is none.
    pub(crate) fn has_next(&self) -> bool {
        let mut octets = [0; RawHead::LEN];
        let read = self.0.read(&mut octets);
        read.is_err() || RawHead::parse(&octets).map_or(true, |head| head.phase == self.0.phase())
    }

    /// Takes the next frame, if the device wrote one.
    pub fn take(&mut self) -> Result<Option<RawFrame>, Error> {
        let mut octets = [0; RawHead::LEN];
        self.0.read(&mut octets)?;
        let index = self.0.index();
        let bad = |why| Error::Entry(BadEntry { ring: "raw receive", index, why });
        let head = RawHead::parse(&octets).map_err(|e| bad(e.to_string()))?;
        if head.phase != self.0.phase() {
            return Ok(None);
        }
        let length = usize::from(head.length);
        let frame =
            (length <= RAW_SLOT - RawHead::LEN).then(|| self.0.copy(RawHead::LEN, length)).transpose();
        self.0.step();
        self.0.ring()?;
        let octets = frame?.ok_or_else(|| bad(format!("a frame of {length} octets fits no slot")))?;
        if head.index != index {
            return Err(bad(format!("it says that its index is {}", head.index)));
        }
        Ok(Some(RawFrame { index, reason: reason(head.reason), octets }))
    }
}

fn reason(number: u8) -> RawReason {
    match number {
        raw_reason::NOT_IP => RawReason::NotIp,
        raw_reason::NOT_TCP => RawReason::NotTcp,
        raw_reason::FRAGMENT => RawReason::Fragment,
        raw_reason::IP_EXTENSION => RawReason::IpExtension,
        raw_reason::NO_CONNECTION => RawReason::NoConnection,
        raw_reason::CONNECTION => RawReason::Connection,
        other => RawReason::Other(other),
    }
}

/// Frames to send. Each slot has a place for a frame of its own.
#[derive(Debug)]
pub struct RawSendRing {
    slots: Slots,
    frames: Mapped,
    /// Frames that the device was done with when it was last asked.
    done: u32,
    /// It is asked again.
    asked: Option<Asked>,
}

impl RawSendRing {
    /// `2^log2` slots, which the device does not know yet.
    pub fn new(backend: &Arc<dyn Backend>, log2: u8) -> Result<Self, Error> {
        let kinds = (doorbell_kind::RAW_TX_PRODUCER, 0);
        let slots = Slots::new(backend, (log2, RawDescriptor::LEN), false, kinds)?;
        let memory = Arc::new(DmaMemory::zeroed(backend.arena(), RAW_SLOT << log2)?);
        Ok(Self { slots, frames: Mapped::new(backend, memory, false)?, done: 0, asked: None })
    }

    /// The device did not say that it is through with the ring: its memory stays until the device
    /// is closed.
    pub(crate) fn keep(&mut self) {
        self.slots.keep();
        self.frames.keep(&"a ring");
    }

    /// Command that places it, and its row.
    pub fn row(&self) -> (u8, Ring) {
        (admin_opcode::RAW_TX_RING, Ring { base: self.slots.base(), log2: self.slots.log2(), is_valid: true })
    }

    /// Sends a frame without FCS. A frame that is longer than a slot, or finds none free, is not
    /// sent.
    pub fn put(&mut self, frame: &[u8]) -> Result<Result<(), RingFull>, Error> {
        let index = self.slots.index();
        let length = u16::try_from(frame.len()).ok().filter(|&n| usize::from(n) <= RAW_SLOT - RawHead::LEN);
        let free = self.free()?;
        let Some(length) = length.filter(|_| free > 0) else {
            return Ok(Err(RingFull));
        };
        let nth = (index & ((1 << self.slots.log2()) - 1)) as usize;
        self.frames.memory().write(nth * RAW_SLOT, frame)?;
        let descriptor = RawDescriptor { iova: self.frames.iova() + (nth * RAW_SLOT) as u64, length };
        let octets = descriptor.octets().map_err(|e| bad(index, e.to_string()))?;
        self.slots.write(&octets)?;
        self.slots.step();
        self.slots.ring()?;
        Ok(Ok(()))
    }

    /// Whether the device has read every frame. The device is asked, and its answer is awaited for
    /// `most`.
    pub fn is_through(&self, most: Duration) -> Result<bool, Error> {
        Ok(self.ask()?.wait_for(most)?.value == self.slots.index())
    }

    fn ask(&self) -> Result<Asked, Error> {
        let (opcode, row) = (admin_opcode::READ_ROW, admin_row::RAW_TX);
        let head = AdminCommand { opcode, row, ..Default::default() };
        Ok(Asked::new(&**self.frames.backend(), head, &[])?)
    }

    /// Slots that are free as far as it is known. The device is asked how far it is when half of
    /// them are not.
    fn free(&mut self) -> Result<u32, Error> {
        let slots = 1_u32 << self.slots.log2();
        let index = self.slots.index();
        if self.asked.is_none() && 2 * index.wrapping_sub(self.done) >= slots {
            self.asked = Some(self.ask()?);
        }
        if let Some(answered) = self.asked.as_mut().and_then(Asked::poll) {
            self.asked = None;
            let done = answered?.value;
            if index.wrapping_sub(done) > index.wrapping_sub(self.done) {
                let why = format!("the device says that it is done with {done} frames of {index}");
                return Err(bad(index, why));
            }
            self.done = done;
        }
        Ok(slots - index.wrapping_sub(self.done))
    }
}

fn bad(index: u32, why: String) -> Error {
    Error::Entry(BadEntry { ring: "raw transmit", index, why })
}
