// SPDX-License-Identifier: MIT OR Apache-2.0
//! `budget.toml`: what a unit, a stage or a top may cost.
use super::cost::Cost;
use anyhow::{bail, Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Limits by section: `cell` for units of the catalogue, a profile's name for its stages and tops.
#[derive(Debug)]
pub struct Budget(BTreeMap<String, BTreeMap<String, Limits>>);

/// Upper limits, each optional; names and units are those of [`Cost`].
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
struct Limits {
    lut4: Option<u64>,
    lut6: Option<u64>,
    ff: Option<u64>,
    bram: Option<u64>,
    levels: Option<u64>,
}

impl Budget {
    /// The committed file.
    pub fn load() -> Result<Self> {
        let path = crate::repo::root().join("budget.toml");
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", crate::repo::shown(&path)))?;
        Self::parse(&text)
    }

    pub(super) fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).map(Self).context("budget.toml is not understood")
    }

    /// Refuses sections that nothing can ever be checked against.
    pub fn check_names(&self, units: &[&str]) -> Result<()> {
        let profiles = ferrowarp_hdl::config::Profile::ALL.map(|p| p.name());
        for (section, entries) in &self.0 {
            let known = section == "cell" || profiles.contains(&section.as_str());
            let stranger = entries.keys().find(|e| section == "cell" && !units.contains(&e.as_str()));
            if !known {
                bail!("budget.toml: section `[{section}.*]` is neither `cell` nor a profile");
            }
            if let Some(name) = stranger {
                bail!("budget.toml: `[cell.{name}]` names no unit of the catalogue");
            }
        }
        Ok(())
    }

    /// One line for each limit that `cost` exceeds, saying by how much.
    pub fn excess(&self, section: &str, name: &str, cost: &Cost) -> Vec<String> {
        let Some(limits) = self.0.get(section).and_then(|s| s.get(name)) else { return Vec::new() };
        let all = [
            ("lut4", limits.lut4, cost.lut4),
            ("lut6", limits.lut6, cost.lut6),
            ("ff", limits.ff, cost.ff),
            ("bram", limits.bram, cost.bram),
            ("levels", limits.levels, cost.levels),
        ];
        let over =
            all.into_iter().filter_map(|(key, limit, is)| limit.filter(|l| is > *l).map(|l| (key, l, is)));
        over.map(|(key, limit, is)| {
            format!("{section}.{name}: {key} is {is}, {} over its budget of {limit}", is - limit)
        })
        .collect()
    }

    /// Whether anything is limited under this name.
    pub fn has(&self, section: &str, name: &str) -> bool {
        self.0.get(section).is_some_and(|s| s.contains_key(name))
    }
}

/// Fails with what is over its limit, a line each.
pub fn within(over: &[String]) -> Result<()> {
    if !over.is_empty() {
        bail!("over budget:\n{}", over.join("\n"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_over_is_said_with_the_difference() {
        let b = Budget::parse("[cell.crc]\nlevels = 8\nff = 100\n[tiny.tcp]\nlut4 = 10").unwrap();
        let cost = Cost { levels: 11, ff: 100, lut4: 11, ..Cost::default() };
        assert_eq!(b.excess("cell", "crc", &cost), ["cell.crc: levels is 11, 3 over its budget of 8"]);
        assert_eq!(b.excess("tiny", "tcp", &cost), ["tiny.tcp: lut4 is 11, 1 over its budget of 10"]);
        assert!(b.excess("tiny", "crc", &cost).is_empty());
        assert!(b.has("cell", "crc") && !b.has("cell", "tcp"));
    }

    #[test]
    fn a_limit_on_nothing_is_refused() {
        assert!(Budget::parse("[cell.crc]\nlevel = 8").is_err());
        let names = |text: &str| Budget::parse(text).unwrap().check_names(&["crc"]);
        assert!(names("[cell.crc]\nff = 1\n[10g.tcp]\nff = 1").is_ok());
        assert!(names("[cell.crd]\nff = 1").unwrap_err().to_string().contains("[cell.crd]"));
        assert!(names("[40g.tcp]\nff = 1").unwrap_err().to_string().contains("40g"));
    }

    #[test]
    fn the_committed_file_fits_the_catalogue() {
        let catalog = ferrowarp_hdl::catalog();
        let units: Vec<_> = catalog.iter().map(|u| u.name).collect();
        Budget::load().unwrap().check_names(&units).unwrap();
    }
}
