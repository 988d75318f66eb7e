// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a board's Verilog to its bitstream.
use super::built::{read, Built};
use crate::benchfile::{self, Figures};
use crate::steps::Step;
use crate::synth::yosys;
use crate::{child, repo, setup};
use anyhow::{bail, Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::process::Command;

/// Command of the bitstream that holds the IDCODE: VERIFY_ID of an ECP5, three octets of zero.
const VERIFY_ID: [u8; 4] = [0xE2, 0, 0, 0];

/// What is wanted of nextpnr's report.
#[derive(Deserialize)]
struct Report {
    fmax: BTreeMap<String, Clock>,
    utilization: BTreeMap<String, Used>,
}

#[derive(Deserialize)]
struct Clock {
    achieved: f64,
}

#[derive(Deserialize)]
struct Used {
    used: u64,
}

/// Maps, places, routes and packs the loopback design of board `name`. The clocks and the size go
/// to `target/bench.json` as `board.<name>.loopback.*`.
///
/// # Errors
/// A tool that fails, or a clock that is not reached.
pub fn build(step: &Step, name: &str, built: &Built) -> Result<()> {
    let tools = setup::ensure_ecppack(step)?;
    let (board, folder) = (&built.board, &built.folder);
    step.note("map");
    let mapped = format!("{}; synth_ecp5 -abc9 -top board -json loopback.json", read(&built.sources));
    yosys::refuse_faults(&yosys::script(folder, &mapped)?)?;
    step.note("place and route");
    let mut route = Command::new("nextpnr-ecp5");
    route.arg(format!("--{}", board.chip));
    route.args(["--package", &board.package, "--speed", &board.speed.to_string()]);
    route.args(["--seed", &board.seed.to_string(), "--timing-allow-fail", "--lpf", "loopback.lpf"]);
    route.args([
        "--json",
        "loopback.json",
        "--report",
        "loopback.report.json",
        "--textcfg",
        "loopback.config",
    ]);
    step.capture(route.current_dir(folder))?;
    let file = folder.join("loopback.report.json");
    let text =
        std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", repo::shown(&file)))?;
    let report: Report = serde_json::from_str(&text).context("nextpnr's report is not understood")?;
    benchfile::merge(&figures(&report, name))?;
    reached(&report, &board.clocks)?;
    step.note("pack");
    child::capture(
        Command::new("ecppack").args(["--compress", "loopback.config", "loopback.bit"]).current_dir(folder),
    )?;
    let bit = folder.join("loopback.bit");
    let octets = std::fs::read(&bit).with_context(|| format!("cannot read {}", repo::shown(&bit)))?;
    if !is_for(&octets, board.idcode) {
        bail!(
            "{} does not ask for a chip of IDCODE {:#010x}, which board.toml names",
            repo::shown(&bit),
            board.idcode
        );
    }
    step.line(&format!("    by {tools}"));
    for (name, clock) in &report.fmax {
        step.line(&format!("    {}: {:.1} MHz", plain(name), clock.achieved));
    }
    let used = |kind: &str| report.utilization.get(kind).map_or(0, |u| u.used);
    step.line(&format!(
        "    {} LUT4 and carries, {} FF, {} block RAMs; {} of {} KiB",
        used("TRELLIS_COMB"),
        used("TRELLIS_FF"),
        used("DP16KD"),
        repo::shown(&bit),
        octets.len() / 1024
    ));
    Ok(())
}

/// Speeds of both clocks in MHz, and LUT4 with carries, by their keys.
fn figures(report: &Report, name: &str) -> Figures {
    let key = |what: &str| format!("board.{name}.loopback.{what}");
    let keys = [("core_clock", "fmax_core_mhz"), ("eth_rx_clock", "fmax_mac_mhz")];
    let speed = |(net, clock): (&String, &Clock)| {
        let (_, what) = keys.iter().find(|(known, _)| *known == plain(net))?;
        Some((key(what), clock.achieved))
    };
    let luts = report.utilization.get("TRELLIS_COMB").map(|used| (key("comb"), used.used as f64));
    report.fmax.iter().filter_map(speed).chain(luts).collect()
}

/// The net or port that nextpnr promoted to a global net.
fn plain(net: &str) -> &str {
    let net = net.strip_prefix("$glbnet$").unwrap_or(net);
    net.strip_suffix("$TRELLIS_IO_IN").unwrap_or(net)
}

/// Fails if a clock of the report is slower than `clocks` asks, and says by how much. The report
/// names no clock that clocks no register.
fn reached(report: &Report, clocks: &BTreeMap<String, u64>) -> Result<()> {
    let mut slow = vec![];
    for (name, clock) in &report.fmax {
        let name = plain(name);
        let khz = clocks
            .get(name)
            .with_context(|| format!("nextpnr reports clock `{name}`, which [clocks] does not name"))?;
        let mhz = *khz as f64 / 1e3;
        if clock.achieved < mhz {
            let lacks = mhz - clock.achieved;
            slow.push(format!(
                "{name} reaches {:.2} MHz and needs {mhz:.2} MHz: {lacks:.2} MHz ({:.1} %) too slow",
                clock.achieved,
                100.0 * lacks / mhz
            ));
        }
    }
    if let Some(lost) =
        ["core_clock", "eth_rx_clock"].iter().find(|c| report.fmax.keys().all(|name| plain(name) != **c))
    {
        bail!("nextpnr reports no speed of `{lost}`");
    }
    if !slow.is_empty() {
        bail!("{}", slow.join("\n"));
    }
    Ok(())
}

/// Whether a bitstream asks for a chip of this IDCODE.
fn is_for(bitstream: &[u8], idcode: u32) -> bool {
    let wanted = [&VERIFY_ID[..], &idcode.to_be_bytes()].concat();
    bitstream.windows(wanted.len()).any(|octets| octets == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_not_reached_is_named_with_what_it_lacks() {
        let report = |core: f64| Report {
            fmax: [("$glbnet$core_clock", core), ("$glbnet$eth_rx_clock$TRELLIS_IO_IN", 150.0)]
                .map(|(name, achieved)| (name.to_string(), Clock { achieved }))
                .into(),
            utilization: BTreeMap::new(),
        };
        let clocks =
            [("core_clock", 31_250), ("eth_rx_clock", 125_000)].map(|(n, k)| (n.to_string(), k)).into();
        assert!(reached(&report(31.25), &clocks).is_ok());
        let slow = reached(&report(28.0), &clocks).unwrap_err().to_string();
        assert_eq!(slow, "core_clock reaches 28.00 MHz and needs 31.25 MHz: 3.25 MHz (10.4 %) too slow");
        let unknown = reached(&report(40.0), &BTreeMap::new()).unwrap_err().to_string();
        assert!(unknown.contains("reports clock `core_clock`"), "{unknown}");
        let mut none = report(40.0);
        none.fmax.clear();
        assert!(reached(&none, &clocks).unwrap_err().to_string().contains("no speed of `core_clock`"));
    }

    #[test]
    fn speeds_and_size_are_keys_of_the_board() {
        let clocks =
            [("$glbnet$core_clock", 160.0), ("$glbnet$eth_rx_clock$TRELLIS_IO_IN", 150.0), ("x", 1.0)];
        let fmax = clocks.map(|(name, achieved)| (name.to_string(), Clock { achieved })).into();
        let utilization = [("TRELLIS_COMB".to_string(), Used { used: 1_400 })].into();
        let found = figures(&Report { fmax, utilization }, "a");
        let keys = [("comb", 1_400.0), ("fmax_core_mhz", 160.0), ("fmax_mac_mhz", 150.0)];
        assert_eq!(found, keys.map(|(key, value)| (format!("board.a.loopback.{key}"), value)).into());
    }

    #[test]
    fn the_idcode_stands_behind_its_command() {
        let octets = [0xFF, 0xE2, 0, 0, 0, 0x81, 0x11, 0x30, 0x43, 0xFF];
        assert!(is_for(&octets, 0x8111_3043) && !is_for(&octets, 0x8111_3044));
    }
}
