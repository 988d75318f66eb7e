// SPDX-License-Identifier: MIT OR Apache-2.0
//! A board of any family.
use super::file::{self, Board, Family};
use super::xc7;
use crate::repo;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::Path;

/// A board with what its family needs.
pub enum Any {
    /// A bitstream is made here.
    Ecp5(Box<Board>),
    /// A project for Vivado.
    Xc7(Box<xc7::Board>),
}

/// The one key that all families have.
#[derive(Deserialize)]
struct Kind {
    family: Family,
}

/// What the list shows of a board.
pub struct Row {
    pub name: String,
    pub chip: String,
    pub package: String,
    pub clock_khz: u64,
    pub pins: usize,
}

impl Any {
    /// The board called `name`.
    ///
    /// # Errors
    /// A board that is not there, a family that is not known, or a file that says something else
    /// than a board's of its family.
    pub fn load(folder: &Path, name: &str) -> Result<Self> {
        let (path, text) = file::text(folder, name)?;
        let kind: Kind = toml::from_str(&text).with_context(|| repo::shown(&path))?;
        Ok(match kind.family {
            Family::Ecp5 => Self::Ecp5(Box::new(Board::parse(&path, &text)?)),
            Family::Xc7 => Self::Xc7(Box::new(xc7::Board::parse(&path, &text)?)),
        })
    }

    /// Its row in the list.
    pub fn row(self) -> Row {
        let pins = |ports: &[file::Port]| ports.iter().map(|port| port.pins.len()).sum();
        match self {
            Self::Ecp5(b) => Row {
                pins: pins(&b.ports),
                name: b.name,
                chip: b.chip,
                package: b.package,
                clock_khz: b.clock_khz,
            },
            Self::Xc7(b) => Row {
                pins: pins(&b.ports),
                name: b.name,
                chip: b.chip,
                package: b.package,
                clock_khz: b.clock_khz,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_is_not_there_is_refused_with_the_names_of_those_that_are() {
        let folder = file::folder();
        let refused = Any::load(&folder, "nix").err().unwrap().to_string();
        assert!(refused.contains("no board `nix`; there are butterstick, ecpix5, kc705"), "{refused}");
        for name in file::names(&folder).unwrap() {
            assert!(Any::load(&folder, &name).unwrap().row().pins > 0, "{name}");
        }
    }
}
