// SPDX-License-Identifier: MIT OR Apache-2.0
//! What nextpnr reports of a board's design.
use crate::repo;
use crate::synth::nextpnr::{Clock, Used};
use anyhow::{bail, Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Clocks that each design has.
const CLOCKS: [&str; 2] = ["core_clock", "eth_rx_clock"];

/// Speed of each clock by its net or port, and cells by their kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// MHz that were reached.
    pub mhz: BTreeMap<String, f64>,
    /// Cells that are used.
    pub used: BTreeMap<String, u64>,
}

/// As nextpnr writes it.
#[derive(Deserialize)]
struct Written {
    fmax: BTreeMap<String, Clock>,
    utilization: BTreeMap<String, Used>,
}

impl Report {
    /// The file `<name>.report.json` in `folder`.
    ///
    /// # Errors
    /// Another form than nextpnr's.
    pub fn load(folder: &Path, name: &str) -> Result<Self> {
        let file = folder.join(format!("{name}.report.json"));
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", repo::shown(&file)))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let written: Written = serde_json::from_str(text).context("nextpnr's report is not understood")?;
        let used = written.utilization.into_iter().filter(|(_, used)| used.used > 0);
        Ok(Self {
            mhz: written.fmax.into_iter().map(|(net, clock)| (plain(&net).into(), clock.achieved)).collect(),
            used: used.map(|(kind, used)| (kind, used.used)).collect(),
        })
    }

    /// Cells of a kind.
    pub fn cells(&self, kind: &str) -> u64 {
        self.used.get(kind).copied().unwrap_or(0)
    }

    /// Fails if a clock is slower than `clocks` asks in kHz, and says by how much. The report names
    /// no clock that clocks no register.
    ///
    /// # Errors
    /// Each clock that is too slow; a clock that `clocks` does not name.
    pub fn reached(&self, clocks: &BTreeMap<String, u64>) -> Result<()> {
        let mut slow = vec![];
        for (name, achieved) in &self.mhz {
            let khz = clocks
                .get(name)
                .with_context(|| format!("nextpnr reports clock `{name}`, which [clocks] does not name"))?;
            let mhz = *khz as f64 / 1e3;
            if *achieved < mhz {
                let lacks = mhz - achieved;
                slow.push(format!(
                    "{name} reaches {achieved:.2} MHz and needs {mhz:.2} MHz: {lacks:.2} MHz ({:.1} %) too slow",
                    100.0 * lacks / mhz
                ));
            }
        }
        if let Some(lost) = CLOCKS.iter().find(|clock| !self.mhz.contains_key(**clock)) {
            bail!("nextpnr reports no speed of `{lost}`");
        }
        if !slow.is_empty() {
            bail!("{}", slow.join("\n"));
        }
        Ok(())
    }
}

/// The net or port that nextpnr promoted to a global net.
fn plain(net: &str) -> &str {
    let net = net.strip_prefix("$glbnet$").unwrap_or(net);
    net.strip_suffix("$TRELLIS_IO_IN").unwrap_or(net)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn of(core: f64) -> Report {
        let text = format!(
            r#"{{"fmax": {{"$glbnet$core_clock": {{"achieved": {core}}}, "$glbnet$eth_rx_clock$TRELLIS_IO_IN": {{"achieved": 150.0}}}},
            "utilization": {{"TRELLIS_COMB": {{"used": 1400, "available": 83640}}, "DP16KD": {{"used": 7, "available": 208}}, "DCUA": {{"used": 0, "available": 2}}}}}}"#
        );
        Report::parse(&text).unwrap()
    }

    #[test]
    fn a_clock_that_is_not_reached_is_named_with_what_it_lacks() {
        let clocks =
            [("core_clock", 31_250), ("eth_rx_clock", 125_000)].map(|(n, k)| (n.to_string(), k)).into();
        assert!(of(31.25).reached(&clocks).is_ok());
        let slow = of(28.0).reached(&clocks).unwrap_err().to_string();
        assert_eq!(slow, "core_clock reaches 28.00 MHz and needs 31.25 MHz: 3.25 MHz (10.4 %) too slow");
        let unknown = of(40.0).reached(&BTreeMap::new()).unwrap_err().to_string();
        assert!(unknown.contains("reports clock `core_clock`"), "{unknown}");
        let none = Report { mhz: BTreeMap::new(), ..of(40.0) };
        assert!(none.reached(&clocks).unwrap_err().to_string().contains("no speed of `core_clock`"));
        assert_eq!((of(40.0).cells("TRELLIS_COMB"), of(40.0).cells("DCUA")), (1_400, 0));
    }
}
