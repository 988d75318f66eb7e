// SPDX-License-Identifier: MIT OR Apache-2.0
//! The record of a board's placed device: `docs/synth/<board>.placed.txt`, which is committed.
use super::built::Built;
use super::report::Report;
use crate::repo;
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::PathBuf;

/// Begins the line of the hash.
const HASH: &str = "verilog: ";
/// Ends the line of a clock.
const MHZ: &str = " MHz";

/// A device that was placed on a board.
#[derive(Debug, PartialEq)]
pub struct Placed {
    /// Names the Verilog of device, MAC and board.
    pub hash: String,
    /// Clocks and cells.
    pub report: Report,
}

/// Where the record of a board stands.
pub fn file(board: &str) -> PathBuf {
    repo::root().join("docs/synth").join(format!("{board}.placed.txt"))
}

/// Names the Verilog of a board's whole design.
///
/// # Errors
/// A file that cannot be read.
pub fn hash(built: &Built) -> Result<String> {
    let mut hash = Sha256::new();
    for file in &built.whole {
        hash.update(std::fs::read(file).with_context(|| format!("cannot read {}", repo::shown(file)))?);
    }
    hash.update(&built.parts.mac.verilog);
    hash.update(&built.parts.device.verilog);
    Ok(hash.finalize().iter().take(16).map(|octet| format!("{octet:02x}")).collect())
}

impl Placed {
    /// The record of a run, which `run` tells in lines.
    pub fn text(&self, run: &str) -> String {
        let mut text = format!("{HASH}{}\n{run}", self.hash);
        // writing to a string does not fail
        for (clock, mhz) in &self.report.mhz {
            let _ = writeln!(text, "{clock}: {mhz:.2}{MHZ}");
        }
        let _ = writeln!(text, "{:<16} {:>7}", "cells", "used");
        for (kind, used) in &self.report.used {
            let _ = writeln!(text, "{kind:<16} {used:>7}");
        }
        text
    }

    /// The committed record of a board; none if there is none.
    ///
    /// # Errors
    /// A file without the hash.
    pub fn load(board: &str) -> Result<Option<Self>> {
        let file = file(board);
        if !file.is_file() {
            return Ok(None);
        }
        let text =
            std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", repo::shown(&file)))?;
        Self::parse(&text).with_context(|| format!("{} is not understood", repo::shown(&file))).map(Some)
    }

    fn parse(text: &str) -> Result<Self> {
        let hash = text.lines().find_map(|line| line.strip_prefix(HASH)).context("no line of the hash")?;
        let clock = |line: &str| {
            let (name, mhz) = line.strip_suffix(MHZ)?.split_once(": ")?;
            Some((name.to_string(), mhz.parse().ok()?))
        };
        let cells = text.lines().skip_while(|line| !line.starts_with("cells ")).skip(1);
        let cell = |line: &str| {
            let mut words = line.split_whitespace();
            Some((words.next()?.to_string(), words.next()?.parse().ok()?))
        };
        let report =
            Report { mhz: text.lines().filter_map(clock).collect(), used: cells.filter_map(cell).collect() };
        Ok(Self { hash: hash.into(), report })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let placed = Placed { hash: "12ab".into(), report: super::super::report::tests::of(33.5) };
        let text = placed.text("by nextpnr\noptions: --seed 3\nwire after placement: 7\n");
        assert_eq!(Placed::parse(&text).unwrap(), placed, "{text}");
        assert!(text.contains("\ncore_clock: 33.50 MHz\n") && text.contains("options: --seed 3"), "{text}");
        assert!(Placed::parse("core_clock: 33.50 MHz\n").is_err());
    }
}
