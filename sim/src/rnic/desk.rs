// SPDX-License-Identifier: MIT OR Apache-2.0
//! Obeys orders of software, and gives answers on.
use super::far::{Far, Late};
use super::idle::{self, Word};
use super::order::{Order, RnicStats, MOST_ORDERS};
use super::recording::Recorder;
use super::timers::Timers;
use crate::pcie::{BusState, Status};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};

/// A read of a BAR that is under way.
struct Read {
    octets: usize,
    until: u64,
    answer: Sender<Vec<u8>>,
}

/// What is under way between software and a device.
#[derive(Default)]
pub(super) struct Desk {
    reads: BTreeMap<u8, Read>,
    /// First time at which orders are taken: what leaves the device until then began on a link
    /// that was lost, and is dropped. Behind a reset it is the one in which the device has seen the
    /// reset's end.
    settled: u64,
    /// A reset that is under way: until when, and who waits for its end.
    resetting: Option<(u64, Sender<()>)>,
    pub(super) timers: Timers,
    pub(super) seen: idle::Seen,
    /// Where what comes from outside is written down.
    pub(super) recorder: Option<Recorder>,
    refused: u64,
    mapped: u64,
}

impl Desk {
    /// Does what was ordered; false if that is to finish.
    pub(super) fn obey(&mut self, far: &mut dyn Far, inbox: &Receiver<Order>) -> Result<bool, String> {
        // what is ordered behind a reset is done behind it, and no more is taken than the link
        // carries
        while self.resetting.is_none() && far.takes_orders() && far.root().own_waiting() < MOST_ORDERS {
            let now = far.now();
            if now < self.settled {
                break;
            }
            // who ordered may have given up waiting for an answer
            let order = match inbox.try_recv() {
                Err(TryRecvError::Empty) => break,
                Ok(order) => order,
                Err(TryRecvError::Disconnected) => return Ok(false),
            };
            self.seen.touched = true;
            let is_question = matches!(order, Order::Read { .. } | Order::Reset { .. });
            self.seen.word = Some(if is_question { Word::Question } else { Word::Other });
            let order = match &self.recorder {
                Some(recorder) => recorder.note(now, order),
                None => order,
            };
            tracing::trace!(now, ?order, "an order");
            if !self.carry_out(far, order) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does one thing; false if that is to finish.
    fn carry_out(&mut self, far: &mut dyn Far, order: Order) -> bool {
        match order {
            Order::Read { bar, offset, octets, answer } => match far.read(place(bar), offset, octets) {
                Some(tag) => {
                    let until = far.now() + far.limits().read;
                    self.reads.insert(tag, Read { octets, until, answer });
                }
                // nothing answers
                None => drop(answer.send(vec![0xff; octets])),
            },
            Order::Write { bar, offset, octets } => {
                if far.write(place(bar), offset, &octets) && bar == 0 {
                    self.timers.hear(offset, &octets);
                }
            }
            Order::Map { iova, octets, writable, done } => {
                let mapped = far.root().host.map_outside(iova, octets, writable);
                self.mapped += u64::from(mapped.is_ok());
                drop(done.send(mapped));
            }
            Order::Unmap { iova, done } => {
                let unmapped = far.root().host.unmap(iova);
                self.mapped = self.mapped.saturating_sub(unmapped.is_ok().into());
                drop(done.send(unmapped));
            }
            Order::Configure(seen) => far.configure(seen),
            Order::Link(state) => {
                self.settled = far.set_link(state);
                if state != BusState::Up {
                    self.lose_link();
                }
            }
            Order::Reset { done } => match far.begin_reset() {
                true => {
                    self.timers.reset();
                    self.resetting = Some((far.now() + far.limits().reset, done));
                }
                false => drop(done.send(())),
            },
            Order::Finish => return false,
        }
        true
    }

    /// The PCI Express link is lost: reads and a reset under way have no answer, and the device
    /// begins anew.
    fn lose_link(&mut self) {
        self.timers.reset();
        // who asked may have given up
        for read in std::mem::take(&mut self.reads).into_values() {
            drop(read.answer.send(vec![0xff; read.octets]));
        }
        if let Some((_, done)) = self.resetting.take() {
            let _ = done.send(());
        }
    }

    /// Looks whether a reset is done or the link was lost.
    pub(super) fn watch(&mut self, far: &mut dyn Far) -> Result<(), String> {
        if far.take_lost() {
            self.seen.word = Some(Word::Other);
            self.lose_link();
        }
        let Some((until, done)) = &self.resetting else { return Ok(()) };
        if let Some(settled) = far.reset_ends() {
            // who ordered it may have given up waiting
            let _ = done.send(());
            self.seen.word = Some(Word::Other);
            self.resetting = None;
            self.settled = self.settled.max(settled);
        } else if far.now() > *until {
            far.late(Late::Reset)?;
        }
        Ok(())
    }

    /// Gives answers on, and tells of accesses that were refused: the memory went away, or the
    /// device is wrong.
    pub(super) fn answer(&mut self, far: &mut dyn Far) -> Result<(), String> {
        let now = far.now();
        let root = far.root();
        for came in root.take_answers() {
            let Some(read) = self.reads.remove(&came.tag) else { continue };
            self.seen.word = Some(Word::Other);
            let good = came.status == Status::Successful && came.data.len() == read.octets;
            drop(read.answer.send(if good { came.data } else { vec![0xff; read.octets] }));
        }
        for refused in root.host.take_refused() {
            self.refused += 1;
            tracing::warn!(%refused, "an access of the device is refused");
        }
        let late: Vec<_> = self.reads.iter().filter(|(_, r)| r.until <= now).map(|(&tag, _)| tag).collect();
        let is_late = !late.is_empty();
        for read in late.into_iter().filter_map(|tag| self.reads.remove(&tag)) {
            tracing::warn!("a read of a BAR is not answered");
            drop(read.answer.send(vec![0xff; read.octets]));
        }
        if is_late {
            far.late(Late::Read)?;
        }
        Ok(())
    }

    /// First time at which a read of a BAR or a reset counts as not answered; [`u64::MAX`] if none
    /// is under way.
    pub(super) fn next_late(&self) -> u64 {
        let resets = self.resetting.iter().map(|(until, _)| *until);
        self.reads.values().map(|read| read.until).chain(resets).min().unwrap_or(u64::MAX)
    }

    /// A reset is under way, or orders are not taken at `now`.
    pub(super) fn is_busy(&self, now: u64) -> bool {
        self.resetting.is_some() || now < self.settled
    }

    /// Software waits for an answer.
    pub(super) fn is_asked(&self, now: u64) -> bool {
        !self.reads.is_empty() || self.is_busy(now)
    }

    /// What passed between software and device last, since this was last asked. What the device
    /// tells by a write counts behind an order.
    pub(super) fn take_word(&mut self, far: &mut dyn Far) -> Option<Word> {
        let told = far.root().has_told();
        let word = self.seen.word.take();
        if told {
            Some(Word::Other)
        } else {
            word
        }
    }

    /// Accesses to memory that were refused and ranges that are mapped; the rest is 0.
    pub(super) fn stats(&self) -> RnicStats {
        RnicStats { refused: self.refused, mapped: self.mapped, ..RnicStats::default() }
    }
}

/// The root complex numbers BAR 0, 2 and 4 from 0 on.
fn place(bar: usize) -> u8 {
    (bar / 2) as u8
}
