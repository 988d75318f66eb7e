// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `cargo xtask bench` runs: each bench measures keys, each key has the bar it must reach.
//!
//! A new bench is a file here with a `pub fn bench() -> Bench`, and a line in [`all`].

mod crc32c;
mod driver;
mod first;
mod loss;
mod mpa_rx;
mod mpa_tx;
pub mod pcie;
mod rate;
mod rnic_1g;
mod room;
mod speed;
mod stack;
mod stream;
mod tcp_tx;

pub use speed::cycles_of;

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

/// Every bench, in the order in which they are printed.
pub fn all() -> Vec<Bench> {
    vec![
        crc32c::bench(),
        driver::bench(),
        first::bench(),
        loss::bench(),
        mpa_rx::bench(),
        mpa_tx::bench(),
        pcie::bench(),
        rate::bench(),
        rnic_1g::bench(),
        room::bench(),
        speed::bench(),
        stack::bench(),
        stream::bench(),
        tcp_tx::bench(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique_and_begin_with_their_bench() {
        let benches = all();
        let mut keys: Vec<_> = benches.iter().flat_map(|b| b.keys.iter().map(|k| &k.name)).collect();
        for bench in &benches {
            let prefix = format!("{}.", bench.name);
            assert!(!bench.keys.is_empty() && bench.keys.iter().all(|k| k.name.starts_with(&prefix)));
        }
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn a_bench_measures_what_it_names() {
        let bench = |run| Bench { name: "x", keys: vec![Key::line_rate("x.a")], run };
        assert!(bench(|r| {
            r.put("x.a", 1.0);
            Ok(())
        })
        .measure()
        .is_ok());
        assert!(bench(|_| Ok(())).measure().unwrap_err().contains("did not measure its key `x.a`"));
        let more = |r: &mut Record| {
            r.put("x.a", 1.0);
            r.put("x.b", 1.0);
            Ok(())
        };
        assert!(bench(more).measure().unwrap_err().contains("`x.b`"));
    }

    #[test]
    fn a_bar_is_reached_or_not() {
        assert!(Bar::AtLeast(1.0).holds(1.0) && !Bar::AtLeast(1.0).holds(0.999));
        assert!(Bar::AtMost(60.0).holds(59.0) && !Bar::AtMost(60.0).holds(61.0));
        assert!(Bar::Informative.holds(0.0) && !Bar::Informative.holds(f64::NAN));
    }
}
