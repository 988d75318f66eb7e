// SPDX-License-Identifier: MIT OR Apache-2.0
//! `target/bench.json`, as every command that measures writes it.
use anyhow::Result;
use std::collections::BTreeMap;

/// Figures by dotted key.
pub type Figures = BTreeMap<String, f64>;

/// Adds `new` to the file: a key measured before is replaced, others stay.
pub fn merge(new: &Figures) -> Result<()> {
    for (key, value) in new {
        ferrowarp_sim::metrics::record(key, *value)?;
    }
    Ok(())
}
