// SPDX-License-Identifier: MIT OR Apache-2.0
//! `board.toml`: a board's chip, clocks and pins.
use crate::repo;
use anyhow::{bail, Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A family of chips, each with tools of its own.
#[derive(Copy, Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Lattice ECP5: Yosys, nextpnr and ecppack make the bitstream.
    Ecp5,
    /// AMD 7 series: Vivado makes the bitstream, a dry run judges the project.
    Xc7,
}

impl Family {
    /// Refuses another family than `wanted`.
    pub fn must_be(self, wanted: Self) -> Result<()> {
        if self != wanted {
            bail!("`family` is {self:?}, and these keys are those of {wanted:?}");
        }
        Ok(())
    }
}

/// A board with an ECP5, as its `board.toml` says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Maker and name.
    pub name: String,
    /// [`Family::Ecp5`].
    pub family: Family,
    /// Chip, as nextpnr-ecp5 names the option.
    pub chip: String,
    /// Package, as nextpnr-ecp5 names it.
    pub package: String,
    /// Speed grade.
    pub speed: u32,
    /// IDCODE of the chip, which the bitstream carries.
    pub idcode: u32,
    /// The clock that comes with the board, a port of the Verilog.
    pub oscillator: String,
    /// Arguments of openFPGALoader in front of the bitstream; none if a person has to choose them.
    pub flash: Option<Vec<String>>,
    /// Profile of the device for this board.
    pub profile: String,
    /// Clock of the device, kHz.
    pub clock_khz: u64,
    /// Changes of the profile, FIELD=VALUE.
    pub set: Vec<String>,
    /// The design that sends back what comes.
    pub loopback: Design,
    /// The device behind the carrier.
    pub whole: Design,
    /// kHz of each clock, by port or net.
    pub clocks: BTreeMap<String, u64>,
    /// Where pins were read: a word, and the document.
    pub sources: BTreeMap<String, String>,
    /// Ports with their pins.
    #[serde(rename = "port")]
    pub ports: Vec<Port>,
}

/// Verilog of a board, whose top module is `board`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// Files, from the board's folder.
    pub verilog: Vec<PathBuf>,
    /// Seed of the placer.
    pub seed: u32,
}

impl Design {
    /// Its files; `board` is the board's folder.
    ///
    /// # Errors
    /// A file that is not there.
    pub fn files(&self, board: &str) -> Result<Vec<PathBuf>> {
        let files: Vec<_> = self.verilog.iter().map(|path| folder().join(board).join(path)).collect();
        if let Some(missing) = files.iter().find(|path| !path.is_file()) {
            bail!("board.toml names {}, which is no file", repo::shown(missing));
        }
        Ok(files)
    }
}

/// A port of the Verilog with its pins.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Port {
    /// As in the Verilog.
    pub name: String,
    /// Balls of the package, bit 0 first.
    pub pins: Vec<String>,
    /// IO standard.
    pub io: String,
    /// Further attributes, KEY=VALUE.
    #[serde(default)]
    pub options: Vec<String>,
    /// Words of `sources` in which the pins stand.
    pub source: Vec<String>,
}

/// The folder of all boards.
pub fn folder() -> PathBuf {
    repo::root().join("constraints")
}

/// Names of the boards in `folder`: the folders that have a `board.toml`.
pub fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("no {}", repo::shown(folder)))?;
    let mut names = vec![];
    for entry in entries {
        let entry = entry?;
        if entry.path().join("board.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Path and text of the `board.toml` of the board called `name`.
///
/// # Errors
/// A board that is not there.
pub fn text(folder: &Path, name: &str) -> Result<(PathBuf, String)> {
    let names = names(folder)?;
    if !names.iter().any(|n| n == name) {
        bail!("no board `{name}`; there are {}", names.join(", "));
    }
    let path = folder.join(name).join("board.toml");
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", repo::shown(&path)))?;
    Ok((path, text))
}

/// Refuses what the ports of a file alone show to be wrong: a pin or a port twice, an unknown
/// source.
pub fn ports_consistent(ports: &[Port], sources: &BTreeMap<String, String>) -> Result<()> {
    let mut pins = BTreeMap::new();
    let mut names = BTreeMap::new();
    for port in ports {
        if names.insert(&port.name, ()).is_some() {
            bail!("port `{}` stands here twice", port.name);
        }
        for (bit, pin) in port.pins.iter().enumerate() {
            let here = format!("{}[{bit}]", port.name);
            if let Some(other) = pins.insert(pin, here.clone()) {
                bail!("pin {pin} is that of {other} and of {here}: one of the two is wrong");
            }
        }
        if port.source.is_empty() {
            bail!("port `{}` has no `source`: name the document that its pins were read in", port.name);
        }
        if let Some(stranger) = port.source.iter().find(|s| !sources.contains_key(*s)) {
            let known: Vec<_> = sources.keys().map(String::as_str).collect();
            bail!("port `{}`: `sources` has no `{stranger}`; there are {}", port.name, known.join(", "));
        }
    }
    Ok(())
}

impl Board {
    /// The board whose file is at `path` and says `text`.
    ///
    /// # Errors
    /// A file that says something else than a board's.
    pub fn parse(path: &Path, text: &str) -> Result<Self> {
        let board: Self = toml::from_str(text).with_context(|| repo::shown(path))?;
        board.consistent().with_context(|| repo::shown(path))?;
        Ok(board)
    }

    /// Refuses what the file alone shows to be wrong.
    fn consistent(&self) -> Result<()> {
        self.family.must_be(Family::Ecp5)?;
        ports_consistent(&self.ports, &self.sources)?;
        match self.clocks.get("core_clock") {
            Some(khz) if *khz == self.clock_khz => Ok(()),
            Some(khz) => {
                bail!("`clock_khz` is {}, and core_clock runs at {khz} kHz: make them equal", self.clock_khz)
            }
            None => bail!("`clocks` has no core_clock, the clock of the device"),
        }
    }

    /// The changes of the profile, the clock among them.
    pub fn sets(&self) -> Vec<String> {
        self.set.iter().cloned().chain([format!("clock_khz={}", self.clock_khz)]).collect()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A board with one clock and two ports.
    pub const TEXT: &str = r#"
        name = "A board"
        family = "ecp5"
        chip = "um5g-85k"
        package = "CABGA554"
        speed = 8
        idcode = 0x81113043
        oscillator = "clk"
        profile = "tiny"
        clock_khz = 31250
        set = ["window_log2=15"]
        loopback = { verilog = ["board.v"], seed = 1 }
        whole = { verilog = ["board.v"], seed = 3 }
        clocks = { clk = 100000, core_clock = 31250 }
        sources = { page = "a page" }
        port = [{ name = "clk", pins = ["A1"], io = "LVCMOS33", source = ["page"] },
            { name = "led", pins = ["B1", "B2"], io = "LVCMOS33", options = ["PULLMODE=UP"], source = ["page"] }]"#;

    pub fn parsed(text: &str) -> Result<Board, String> {
        let board: Board = toml::from_str(text).map_err(|e| e.to_string())?;
        board.consistent().map(|()| board).map_err(|e| format!("{e:#}"))
    }

    #[test]
    fn a_file_that_contradicts_itself_is_refused_with_the_names() {
        assert_eq!(parsed(TEXT).unwrap().sets(), ["window_log2=15", "clock_khz=31250"]);
        for (from, to, why) in [
            (r#""B2""#, r#""A1""#, "pin A1 is that of clk[0] and of led[1]"),
            (r#"name = "led""#, r#"name = "clk""#, "port `clk` stands here twice"),
            (r#"source = ["page"] }]"#, r#"source = [] }]"#, "port `led` has no `source`"),
            (r#"source = ["page"] }]"#, r#"source = ["book"] }]"#, "`sources` has no `book`; there are page"),
            ("core_clock = 31250", "core_clock = 31251", "make them equal"),
            (", core_clock = 31250", "", "`clocks` has no core_clock"),
            ("speed", "sped", "unknown field `sped`"),
            ("\"ecp5\"", "\"xc7\"", "`family` is Xc7, and these keys are those of Ecp5"),
        ] {
            assert!(TEXT.contains(from), "{from}");
            let refused = parsed(&TEXT.replace(from, to)).unwrap_err();
            assert!(refused.contains(why), "{from} -> {to}: {refused}");
        }
    }
}
