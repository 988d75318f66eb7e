// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rings that a device has once: events, raw frames received, raw frames to send.
use super::nic::Nic;
use ferrowarp_abi::codec::{Doorbell, Event, RawDescriptor, RawHead, Ring};
use ferrowarp_abi::consts::{admin_opcode, doorbell_kind};
use ferrowarp_abi::host::raw::RAW_SLOT;
use ferrowarp_sim::Bench;

/// Where a ring lies and how far the host is.
struct Place {
    base: u64,
    log2: u8,
    /// Octets of a slot.
    slot: u64,
    /// The host's absolute index.
    index: u32,
    /// Kind of the doorbell that tells it.
    kind: u8,
}

impl Place {
    /// A ring of `2^log2` slots of `slot` octets in fresh memory, given to the device by `opcode`;
    /// without `is_valid` the device is told that there is none.
    fn new(
        nic: &mut Nic,
        bench: &mut Bench,
        (opcode, kind): (u8, u8),
        (log2, slot): (u8, usize),
        is_valid: bool,
    ) -> Self {
        let slot = slot as u64;
        let base = nic.map(bench, slot << log2, 0, kind != doorbell_kind::RAW_TX_PRODUCER);
        let ring = Ring { base, log2, is_valid };
        nic.command(bench, opcode, 0, &ring.octets().expect("fields fit"));
        Self { base, log2, slot, index: 0, kind }
    }

    /// First octet of the slot at the host's index.
    fn at(&self) -> u64 {
        self.base + self.slot * u64::from(self.index & ((1 << self.log2) - 1))
    }

    /// Phase that the device writes there next.
    fn phase(&self) -> bool {
        (self.index >> self.log2).is_multiple_of(2)
    }

    /// Goes on to the next slot and tells the device.
    fn step(&mut self, nic: &Nic, bench: &mut Bench) {
        self.index = self.index.wrapping_add(1);
        nic.ring(bench, Doorbell { kind: self.kind, value: self.index, ..Default::default() });
    }
}

/// The event ring.
pub struct Events(Place);

impl Events {
    /// A ring of `2^log2` slots; without `is_valid` the device has none.
    pub fn new(nic: &mut Nic, bench: &mut Bench, log2: u8, is_valid: bool) -> Self {
        let kinds = (admin_opcode::EVENT_RING, doorbell_kind::EVENT_CONSUMER);
        Self(Place::new(nic, bench, kinds, (log2, Event::LEN), is_valid))
    }

    /// The next event, if it is there; it stays.
    pub fn peek(&self, nic: &Nic, bench: &mut Bench) -> Option<Event> {
        let octets = bench.host(nic.memory).read(self.0.at(), Event::LEN as u64).expect("the ring is mapped");
        Event::parse(&octets).ok().filter(|e| e.phase == self.0.phase())
    }

    /// Takes the next event, if it is there.
    pub fn poll(&mut self, nic: &Nic, bench: &mut Bench) -> Option<Event> {
        let event = self.peek(nic, bench)?;
        self.0.step(nic, bench);
        Some(event)
    }
}

/// The raw receive ring.
pub struct RawReceives(Place);

impl RawReceives {
    /// A ring of `2^log2` slots.
    pub fn new(nic: &mut Nic, bench: &mut Bench, log2: u8) -> Self {
        let kinds = (admin_opcode::RAW_RX_RING, doorbell_kind::RAW_RX_CONSUMER);
        Self(Place::new(nic, bench, kinds, (log2, RAW_SLOT), true))
    }

    /// Takes the next frame, if it is there.
    pub fn poll(&mut self, nic: &Nic, bench: &mut Bench) -> Option<Vec<u8>> {
        let memory = bench.host(nic.memory);
        let slot = memory.read(self.0.at(), RAW_SLOT as u64).expect("the ring is mapped");
        let head = RawHead::parse(&slot).ok().filter(|h| h.phase == self.0.phase())?;
        self.0.step(nic, bench);
        Some(slot[RawHead::LEN..RawHead::LEN + usize::from(head.length)].to_vec())
    }
}

/// The raw transmit ring.
pub struct RawSends(Place);

impl RawSends {
    /// A ring of `2^log2` slots.
    pub fn new(nic: &mut Nic, bench: &mut Bench, log2: u8) -> Self {
        let kinds = (admin_opcode::RAW_TX_RING, doorbell_kind::RAW_TX_PRODUCER);
        Self(Place::new(nic, bench, kinds, (log2, RawDescriptor::LEN), true))
    }

    /// A descriptor, whatever it says, in the next slot.
    pub fn post(&mut self, nic: &Nic, bench: &mut Bench, iova: u64, length: u16) {
        let descriptor = RawDescriptor { iova, length }.octets().expect("fields fit");
        bench.host(nic.memory).write(self.0.at(), &descriptor).expect("the ring is mapped");
        self.0.step(nic, bench);
    }

    /// Takes the ring's memory away from the device.
    pub fn unmap(&self, nic: &Nic, bench: &mut Bench) {
        bench.host(nic.memory).unmap(self.0.base).expect("the ring is mapped");
    }

    /// Rings for a slot without a descriptor.
    pub fn claim(&mut self, nic: &Nic, bench: &mut Bench) {
        self.0.step(nic, bench);
    }
}
