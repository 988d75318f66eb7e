// SPDX-License-Identifier: MIT OR Apache-2.0
//! Goodput of Debian's ib_write_bw beside `ferrowarp perf`: the same Writes between two simulated
//! devices, in simulated time.
use super::pairs::{asked, PATIENCE};
use super::place::{Place, ADDRESSES};
use super::Program;
use crate::benchfile::{self, Figures};
use crate::repo;
use crate::steps::Step;
use anyhow::{ensure, Context, Result};
use ferrowarp_sim::pcap::listing::{self, Packet};
use serde_json::Value;
use std::path::Path;

/// Writes, and octets of each.
const WRITES: u64 = 20;
const OCTETS: u64 = 65_536;
/// Requests of `ferrowarp perf` outstanding at once: all, as perftest posts them.
const DEPTH: &str = "20";
/// Octets of a frame whose Write has none.
const EMPTY: u64 = 74;
/// Least goodput of ib_write_bw, as a part of that of `ferrowarp perf`.
const LEAST: f64 = 0.95;
const KEY: &str = "dropin.write_bw_ratio";

/// Measures both, writes the ratio to the file of figures, and judges it.
pub fn run(step: &Step, library: &Path, folder: &Path) -> Result<()> {
    let words = format!("ib_write_bw -R -F -n {WRITES} -s {OCTETS}");
    step.note(&words);
    let place = Place::new(library, folder, &ADDRESSES)?;
    let serves = place.start(0, &words)?;
    asked(|| place.start(1, &format!("{words} PEER")))?;
    serves.done(PATIENCE)?;
    place.finish()?;
    let theirs = written_us(&listing::list(&folder.join("1.pcapng"))?)?;
    step.note("ferrowarp perf");
    let ours = perf_us(library, folder)?;
    let ratio = ours / theirs;
    benchfile::merge(&Figures::from([(KEY.into(), ratio)]))?;
    step.line(&format!(
        "    {WRITES} Writes of {OCTETS} octets: {theirs:.1} us by ib_write_bw, {ours:.1} us by perf"
    ));
    ensure!(
        ratio >= LEAST,
        "{KEY} is {ratio:.3}, the bar {LEAST}: ib_write_bw takes {theirs:.1} us, perf {ours:.1}"
    );
    Ok(())
}

/// Simulated microseconds from the client's first Write on the wire to the acknowledgement of the
/// last. A Write of no octets is the first FPDU of a connection (RFC 6581 section 5.2).
fn written_us(packets: &[Packet]) -> Result<f64> {
    let [server, client] = ADDRESSES.map(|address| address.to_string());
    let is_write = |p: &&Packet| p.from == client && p.what.contains("Write") && p.octets > EMPTY;
    let first = packets.iter().find(is_write).context("the capture has no Write")?;
    let last = packets.iter().rev().find(is_write).context("the capture has no Write")?;
    let behind = packets.iter().filter(|p| p.number > last.number);
    let answers = behind.take_while(|p| p.from == server);
    let answer = answers.last().context("the last Write is not acknowledged")?;
    let octets: u64 = packets.iter().filter(is_write).map(|p| p.octets).sum();
    ensure!(octets > WRITES * OCTETS, "the Writes of the capture have {octets} octets");
    Ok((answer.seconds - first.seconds) * 1e6)
}

/// Simulated microseconds of the same Writes by `ferrowarp perf`, by the device's clock: from the
/// first doorbell to the last completion.
fn perf_us(library: &Path, folder: &Path) -> Result<f64> {
    let tool = repo::root().join("target/debug/ferrowarp");
    let place = Place::new(library, folder, &ADDRESSES)?;
    let words = |n: usize, more: &str| {
        let url = place.urls[n].split_once('=').map_or("", |(_, url)| url);
        format!("{} perf --device {url} {more}", tool.display())
    };
    let start = |words: &str| Program::start(words, library, "");
    let serves = start(&words(0, "--server --connections 1"))?;
    let client = words(
        1,
        &format!("--client {} --sizes {OCTETS} --iterations {WRITES} --depth {DEPTH} --json", ADDRESSES[0]),
    );
    let said = asked(|| start(&client))?;
    serves.done(PATIENCE)?;
    place.finish()?;
    let line = said.lines().find(|line| line.starts_with(['{', '['])).unwrap_or(&said);
    let told: Value = serde_json::from_str(line).with_context(|| format!("`ferrowarp perf`: {said}"))?;
    told["reports"][0]["device_us"]
        .as_f64()
        .with_context(|| format!("`ferrowarp perf` tells no device_us: {said}"))
}
