// SPDX-License-Identifier: MIT OR Apache-2.0
//! `board.toml` of a board with a chip of the 7 series.
use super::super::file::{ports_consistent, Family, Port};
use crate::repo;
use anyhow::{bail, Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// `io` of a pin of a transceiver, which has no IO standard.
pub const TRANSCEIVER: &str = "MGT";

/// A board, as its `board.toml` says. Files are named from the board's folder.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Maker and name.
    pub name: String,
    /// [`Family::Xc7`].
    pub family: Family,
    /// Chip, as Vivado's part begins.
    pub chip: String,
    /// Package, as Vivado's part goes on.
    pub package: String,
    /// Speed grade.
    pub speed: u32,
    /// Profile of the device for this board.
    pub profile: String,
    /// Clock of the device, kHz.
    pub clock_khz: u64,
    /// Changes of the profile, FIELD=VALUE.
    pub set: Vec<String>,
    /// The board's own Verilog.
    pub verilog: Vec<PathBuf>,
    /// Ports of the vendor's cells, for the lint; the first is that of the IP.
    pub stubs: Vec<PathBuf>,
    /// Constraints by hand.
    pub timing: PathBuf,
    /// Vivado's script.
    pub project: PathBuf,
    /// What the script calls.
    pub calls: PathBuf,
    /// Module of `sim/models` that judges the board's own Verilog in Icarus.
    pub bench: String,
    /// kHz of each clock that comes in, by port.
    pub clocks: BTreeMap<String, u64>,
    /// kHz of each clock that a vendor's cell makes, by pin.
    pub made: BTreeMap<String, u64>,
    /// Where pins were read: a word, and the document.
    pub sources: BTreeMap<String, String>,
    /// Ports with their pins.
    #[serde(rename = "port")]
    pub ports: Vec<Port>,
}

impl Board {
    /// The board whose file is at `path` and says `text`.
    ///
    /// # Errors
    /// A file that says something else than a board's, or contradicts itself.
    pub fn parse(path: &Path, text: &str) -> Result<Self> {
        let board: Self = toml::from_str(text).with_context(|| repo::shown(path))?;
        board.consistent().with_context(|| repo::shown(path))?;
        Ok(board)
    }

    fn consistent(&self) -> Result<()> {
        self.family.must_be(Family::Xc7)?;
        ports_consistent(&self.ports, &self.sources)?;
        if !self.made.values().chain(self.clocks.values()).any(|khz| *khz == self.clock_khz) {
            bail!("`clock_khz` is {}, and no clock of [clocks] or [made] runs at that", self.clock_khz);
        }
        let port = |name: &String| self.ports.iter().any(|port| port.name == *name);
        if let Some(stranger) = self.clocks.keys().find(|name| !port(name)) {
            bail!("[clocks] names `{stranger}`, which is no [[port]]");
        }
        if let Some((name, _)) = self.clocks.iter().chain(&self.made).find(|(_, khz)| **khz == 0) {
            bail!("clock `{name}` has 0 kHz");
        }
        Ok(())
    }

    /// Vivado's name of the chip.
    pub fn part(&self) -> String {
        format!("{}{}-{}", self.chip, self.package, self.speed)
    }

    /// The changes of the profile, the clock among them.
    pub fn sets(&self) -> Vec<String> {
        self.set.iter().cloned().chain([format!("clock_khz={}", self.clock_khz)]).collect()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A board with a clock, a clock of a vendor's cell, and a pair of a transceiver.
    pub const TEXT: &str = r#"
        name = "A board"
        family = "xc7"
        chip = "xc7k325t"
        package = "ffg900"
        speed = 2
        profile = "tiny"
        clock_khz = 62500
        set = ["window_log2=15"]
        verilog = ["board.v"]
        stubs = ["ip.v"]
        timing = "timing.xdc"
        project = "project.tcl"
        calls = "project.calls"
        bench = "bench"
        clocks = { clk = 125000 }
        made = { "ip/clk_out" = 62500 }
        sources = { page = "a page" }
        port = [{ name = "clk", pins = ["A1"], io = "LVCMOS25", source = ["page"] },
            { name = "led", pins = ["B1", "B2"], io = "LVCMOS15", options = ["SLEW=FAST"], source = ["page"] },
            { name = "lane", pins = ["C1"], io = "MGT", source = ["page"] }]"#;

    pub fn parsed(text: &str) -> Result<Board, String> {
        Board::parse(Path::new("board.toml"), text).map_err(|e| format!("{e:#}"))
    }

    #[test]
    fn a_file_that_contradicts_itself_is_refused_with_the_names() {
        let good = parsed(TEXT).unwrap();
        assert_eq!(good.part(), "xc7k325tffg900-2");
        assert_eq!(good.sets(), ["window_log2=15", "clock_khz=62500"]);
        for (from, to, why) in [
            (r#""B2""#, r#""A1""#, "pin A1 is that of clk[0] and of led[1]"),
            ("clock_khz = 62500", "clock_khz = 62501", "`clock_khz` is 62501, and no clock"),
            ("{ clk = 125000 }", "{ usb = 60000 }", "[clocks] names `usb`, which is no [[port]]"),
            ("{ clk = 125000 }", "{ clk = 0 }", "clock `clk` has 0 kHz"),
            (r#"family = "xc7""#, r#"family = "xc6""#, "unknown variant `xc6`"),
        ] {
            assert!(TEXT.contains(from), "{from}");
            let refused = parsed(&TEXT.replacen(from, to, 1)).unwrap_err();
            assert!(refused.contains(why), "{from} -> {to}: {refused}");
        }
    }
}
