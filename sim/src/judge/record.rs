// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a Verilated model was given and what it answered, cycle by cycle.
use crate::bench::agent::{Agent, Fault, Moment};
use crate::model::{Model, PortId};
use ferrowarp_hdl::emit::{Direction, Port};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Cycles with reset high and all other inputs low before the first recorded one.
pub const RESET_CYCLES: usize = 4;

/// The recorded cycles of one model, from the end of its reset on.
#[derive(Debug, Clone)]
pub struct Record {
    /// The ports but `clock`, in the order of the top.
    ports: Vec<(PortId, Port)>,
    /// For each cycle the settled values, clock low, in the order of `ports`.
    cycles: Vec<Vec<Vec<u8>>>,
}

impl Record {
    /// No cycles yet.
    pub fn new(model: &Model) -> Self {
        let ports = model.library().ports().iter().filter(|p| p.name != "clock");
        let ports = ports.filter_map(|p| model.port(&p.name).map(|id| (id, p.clone())));
        Self { ports: ports.collect(), cycles: vec![] }
    }

    /// Adds the present cycle of a settled model whose clock is low.
    pub fn take(&mut self, model: &Model) {
        self.cycles.push(self.ports.iter().map(|(id, _)| model.get_bytes(*id).to_vec()).collect());
    }

    /// Number of cycles.
    pub fn len(&self) -> usize {
        self.cycles.len()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.cycles.is_empty()
    }

    /// The values of a port, little-endian octets a cycle; none if there is no such port.
    pub fn port(&self, name: &str) -> Option<Vec<&[u8]>> {
        let place = self.place(name)?;
        Some(self.cycles.iter().map(|values| values[place].as_slice()).collect())
    }

    /// The values of the last cycle.
    pub(super) fn last(&self) -> Option<&[Vec<u8>]> {
        self.cycles.last().map(Vec::as_slice)
    }

    /// The inputs but `clock`.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Port> {
        self.ports.iter().map(|(_, p)| p).filter(|p| p.direction == Direction::Input)
    }

    /// The outputs.
    pub(super) fn outputs(&self) -> impl Iterator<Item = &Port> {
        self.ports.iter().map(|(_, p)| p).filter(|p| p.direction != Direction::Input)
    }

    /// Place of a port in a cycle's values.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.ports.iter().position(|(_, p)| p.name == name)
    }

    /// The values of a cycle, little-endian octets, at the places of the ports.
    pub(super) fn cycle(&self, n: usize) -> &[Vec<u8>] {
        &self.cycles[n]
    }

    /// The inputs of a cycle as binary digits, the first port's first.
    pub(super) fn input_digits(&self, n: usize) -> String {
        let values = self.ports.iter().zip(&self.cycles[n]);
        let inputs = values.filter(|((_, p), _)| p.direction == Direction::Input);
        inputs.flat_map(|((_, p), value)| digits(value, p.width)).collect()
    }
}

/// Binary digits of a value, the highest first.
pub(super) fn digits(value: &[u8], width: usize) -> impl Iterator<Item = char> + '_ {
    (0..width).rev().map(|bit| if value[bit / 8] >> (bit % 8) & 1 == 1 { '1' } else { '0' })
}

/// A record that a bench writes while it runs.
#[derive(Clone)]
pub struct Tape(Arc<Mutex<Record>>);

impl Tape {
    /// A recording, and what writes it on the bench of `model`; not more than `most` cycles.
    pub(crate) fn on(model: &Model, most: usize) -> (Self, Box<dyn Agent>) {
        let record = Self(Arc::new(Mutex::new(Record::new(model))));
        (record.clone(), Box::new(Recorder { record, most }))
    }

    /// Whether all cycles are recorded that were asked for.
    pub fn is_full(&self, most: usize) -> bool {
        self.lock().len() >= most
    }

    /// What was recorded so far.
    pub fn record(&self) -> Record {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        // a cycle is added in one step
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks at every port of a bench and drives none.
struct Recorder {
    record: Tape,
    most: usize,
}

impl Agent for Recorder {
    fn drive(&mut self, _: &mut Moment<'_>) -> Result<(), Fault> {
        Ok(())
    }

    fn probe(&mut self, _: &mut Moment<'_>) -> Result<(), Fault> {
        Ok(())
    }

    fn sample(&mut self, now: &mut Moment<'_>) -> Result<bool, Fault> {
        let mut record = self.record.lock();
        if record.len() < self.most {
            record.take(now.model);
        }
        Ok(false)
    }

    fn pending(&self) -> bool {
        false
    }

    fn prefix(&self) -> &str {
        "recorder"
    }

    fn state(&self, _: &Model) -> String {
        format!("recorder: {} cycles", self.record.lock().len())
    }

    fn reset(&mut self) {}
}
