// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a bench is: its keys, their bars, and the figures of a run.
use std::collections::BTreeMap;

/// What a figure must be.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Bar {
    /// Not less.
    AtLeast(f64),
    /// Not more.
    AtMost(f64),
    /// Printed to be seen: it depends on the machine, or nothing is promised.
    Informative,
}

impl Bar {
    /// Whether `value` reaches the bar.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Bar::AtLeast(bar) => value >= bar,
            Bar::AtMost(bar) => value <= bar,
            Bar::Informative => value.is_finite(),
        }
    }
}

/// A figure that a bench promises to measure.
#[derive(Clone, Debug)]
pub struct Key {
    /// Dotted name in `target/bench.json`, for example `crc32c.w64.beats_per_cycle`.
    pub name: String,
    /// What it must be.
    pub bar: Bar,
}

impl Key {
    /// A key that is beats a cycle of a boundary that must never pause.
    pub fn line_rate(name: impl Into<String>) -> Self {
        Key { name: name.into(), bar: Bar::AtLeast(1.0) }
    }
}

/// Figures of one run.
#[derive(Default, Debug)]
pub struct Record(BTreeMap<String, f64>);

impl Record {
    /// Notes the figure of a key; the key must be one of the bench's own.
    pub fn put(&mut self, key: impl Into<String>, value: f64) {
        self.0.insert(key.into(), value);
    }

    /// All figures noted, by key.
    pub fn figures(&self) -> &BTreeMap<String, f64> {
        &self.0
    }
}

/// A set of figures measured together.
pub struct Bench {
    /// Name for `cargo xtask bench --only`; also the first part of its keys.
    pub name: &'static str,
    /// Every key it measures.
    pub keys: Vec<Key>,
    /// Measures all of them; the error says what did not work.
    pub run: fn(&mut Record) -> Result<(), String>,
}

impl Bench {
    /// Runs it, and fails too if it measured other keys than it names.
    pub fn measure(&self) -> Result<Record, String> {
        let mut record = Record::default();
        (self.run)(&mut record)?;
        let named = |key: &str| self.keys.iter().any(|k| k.name == key);
        if let Some(k) = self.keys.iter().find(|k| !record.0.contains_key(&k.name)) {
            return Err(format!("bench `{}` did not measure its key `{}`", self.name, k.name));
        }
        match record.0.keys().find(|k| !named(k)) {
            Some(k) => Err(format!("bench `{}` measured `{k}`, which it does not name", self.name)),
            None => Ok(record),
        }
    }
}
