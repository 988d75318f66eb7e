// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rings that the device fills: completions, events.
use super::{BadEntry, Slots};
use crate::backend::Backend;
use crate::dma::{put, take, RingWords};
use crate::error::Error;
use ferrowarp_abi::codec::{CqRow, Cqe, Event, Ring};
use ferrowarp_abi::consts::{doorbell_kind, event_kind, wc_status};
use std::sync::Arc;
use std::time::Instant;

/// A completion queue's ring.
#[derive(Debug)]
pub struct CompletionRing(Slots, RingWords<CQE_WORDS>);

const CQE_WORDS: usize = Cqe::LEN / 8;

impl CompletionRing {
    /// `2^log2` slots of completion queue `number`, which the device does not know yet.
    pub fn new(backend: &Arc<dyn Backend>, number: u16, log2: u8) -> Result<Self, Error> {
        let kinds = (doorbell_kind::CQ_CONSUMER, number);
        let slots = Slots::new(backend, (log2, Cqe::LEN), true, kinds)?;
        let words = slots.words()?;
        Ok(Self(slots, words))
    }

    /// The device did not say that it is through with the ring: its memory stays until the device
    /// is closed.
    pub(crate) fn keep(&mut self) {
        self.0.keep();
    }

    /// The queue of the ring ends, and waits until then for all that is to be done.
    pub(crate) fn ends_by(&mut self, until: Instant) {
        self.0.ends_by(until);
    }

    /// The row for the device.
    pub fn row(&self) -> CqRow {
        CqRow { base: self.0.base(), log2: self.0.log2(), is_valid: true }
    }

    /// Slots.
    pub fn slots(&self) -> u32 {
        1 << self.0.log2()
    }

    /// Asks for one event for the next entry that was not taken; with `solicited_only` for a
    /// solicited one or an error.
    pub fn arm(&self, solicited_only: bool) -> Result<(), Error> {
        self.0.ring_as(doorbell_kind::CQ_ARM, solicited_only)
    }

    /// [`CompletionRing::next`] and [`CompletionRing::judge`].
    #[cfg(test)]
    pub fn take(&mut self) -> Result<Option<Cqe>, Error> {
        let Some(cqe) = self.next() else { return Ok(None) };
        self.judge(cqe.status).map(|()| Some(cqe))
    }

    /// Takes the next entry, if the device wrote one, without a look at what it says, which
    /// [`CompletionRing::judge`] has; [`CompletionRing::ring`] gives its slot back.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Cqe> {
        let mut octets = [0; Cqe::LEN];
        // the phase is in the last word: whoever sees it sees what was stored before
        let places = octets.as_chunks_mut().0;
        take(self.1.slot(self.0.index()), |nth, word| places[nth] = word.to_ne_bytes());
        // the octets are as many as an entry has
        let cqe = Cqe::parse(&octets).ok()?;
        if cqe.phase != self.0.phase() {
            return None;
        }
        self.0.step();
        Some(cqe)
    }

    /// Absolute index of the next slot.
    #[inline(always)]
    pub(crate) fn index(&self) -> u32 {
        self.0.index()
    }

    /// Refuses the status of the entry that was taken last, if no device has it.
    #[cold]
    pub(crate) fn judge(&self, status: u8) -> Result<(), Error> {
        match status {
            0..=wc_status::GENERAL_ERR => Ok(()),
            status => Err(self.bad(format!("status {status} is unknown"))),
        }
    }

    /// Takes out the entries of a queue pair that is gone; whether there were any. Those of others
    /// move up to the newest, so that the free slots are the oldest ones, which
    /// [`CompletionRing::ring`] gives back. The device writes none of these slots before that.
    #[cold]
    pub(crate) fn forget(&mut self, qp: u16) -> bool {
        // a faulty device may write without end
        let there: Vec<_> = (0..self.slots()).map_while(|_| self.next()).collect();
        let others: Vec<_> = there.iter().filter(|cqe| cqe.qp != qp).collect();
        if others.len() == there.len() {
            self.0.step_back(there.len() as u32);
            return false;
        }
        self.0.step_back(others.len() as u32);
        for cqe in &others {
            let entry = Cqe { phase: self.0.phase(), ..**cqe };
            // what was parsed fits
            if let Ok(octets) = entry.octets() {
                let slot = self.1.slot(self.0.index());
                octets
                    .as_chunks()
                    .0
                    .iter()
                    .enumerate()
                    .for_each(|(nth, word)| put(slot, nth, u64::from_ne_bytes(*word)));
            }
            self.0.step();
        }
        self.0.step_back(others.len() as u32);
        true
    }

    /// What is wrong with the entry before the next one.
    #[cold]
    fn bad(&self, why: String) -> Error {
        Error::Entry(BadEntry { ring: "completion", index: self.0.index().wrapping_sub(1), why })
    }
}

impl CompletionRing {
    /// Gives the slots of all entries that were taken back.
    #[inline(always)]
    pub fn ring(&self) -> Result<(), Error> {
        self.0.ring()
    }

    /// The same for the end of a queue pair, which is over then.
    pub(crate) fn ring_by(&self, until: Instant) -> Result<(), Error> {
        self.0.ring_by(until)
    }
}

/// The event ring.
#[derive(Debug)]
pub struct EventRing(Slots);

impl EventRing {
    /// `2^log2` slots, which the device does not know yet.
    pub fn new(backend: &Arc<dyn Backend>, log2: u8) -> Result<Self, Error> {
        let kinds = (doorbell_kind::EVENT_CONSUMER, 0);
        Slots::new(backend, (log2, Event::LEN), true, kinds).map(Self)
    }

    /// The device did not say that it is through with the ring: its memory stays until the device
    /// is closed.
    pub(crate) fn keep(&mut self) {
        self.0.keep();
    }

    /// The row for the device.
    pub fn row(&self) -> Ring {
        Ring { base: self.0.base(), log2: self.0.log2(), is_valid: true }
    }

    /// Whether the device wrote a next event, or something that is none.
    pub(crate) fn has_next(&self) -> bool {
        let mut octets = [0; Event::LEN];
        let read = self.0.read(&mut octets);
        read.is_err() || Event::parse(&octets).map_or(true, |event| event.phase == self.0.phase())
    }

    /// Takes the next event, if the device wrote one.
    pub fn take(&mut self) -> Result<Option<Event>, Error> {
        let mut octets = [0; Event::LEN];
        self.0.read(&mut octets)?;
        let index = self.0.index();
        let bad = |why| Error::Entry(BadEntry { ring: "event", index, why });
        let event = Event::parse(&octets).map_err(|e| bad(e.to_string()))?;
        if event.phase != self.0.phase() {
            return Ok(None);
        }
        self.0.step();
        self.0.ring()?;
        if !(event_kind::CQ_NOTIFY..=event_kind::RAW_RX).contains(&event.kind) {
            return Err(bad(format!("kind {} is unknown", event.kind)));
        }
        Ok(Some(event))
    }
}
