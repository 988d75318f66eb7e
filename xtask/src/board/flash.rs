// SPDX-License-Identifier: MIT OR Apache-2.0
//! openFPGALoader: a bitstream goes to the chip of a board that is connected.
use super::bitstream::{LOOPBACK, WHOLE};
use super::file::Board;
use crate::{child, repo};
use anyhow::{bail, Context, Result};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program.
const LOADER: &str = "openFPGALoader";

/// What is to be loaded, and how.
pub struct Load<'a> {
    /// The board's folder below `constraints`.
    pub name: &'a str,
    /// What its `board.toml` says.
    pub board: &'a Board,
    /// Where bitstreams are.
    pub folder: &'a Path,
    /// The loopback design in place of the whole one.
    pub loopback: bool,
    /// The command is printed and not run.
    pub dry_run: bool,
}

impl Load<'_> {
    /// Loads the bitstream to the chip, which keeps it until power goes. `path` are the folders of
    /// programs. Returns what to print.
    ///
    /// # Errors
    /// A board without a loader, a program or a bitstream that is not there, and what the program
    /// says of a board that does not answer.
    pub fn run(&self, path: &OsStr) -> Result<String> {
        let name = self.name;
        let Some(flash) = &self.board.flash else {
            bail!("board `{name}`: board.toml has no `flash`; constraints/{name}/README.md says how the board is loaded");
        };
        let bit = self.folder.join(format!("{}.bit", if self.loopback { LOOPBACK } else { WHOLE }));
        let program = found(path);
        let mut command = Command::new(program.as_deref().unwrap_or(Path::new(LOADER)));
        command.args(flash).arg(&bit);
        if self.dry_run {
            return Ok(child::shown(&command));
        }
        if program.is_none() {
            bail!("{LOADER} is not on PATH: install Debian's package `openfpgaloader`");
        }
        if !bit.is_file() {
            let design = if self.loopback { " --loopback" } else { "" };
            let bit = repo::shown(&bit);
            bail!("{bit} is not there: `cargo xtask board {name}{design} --bitstream` makes the bitstream");
        }
        child::capture(&mut command).with_context(|| {
            format!(
                "board `{name}` ({}) does not take the bitstream: is its cable connected, and its power on?",
                self.board.name
            )
        })
    }
}

/// The loader in the folders of `path`.
fn found(path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(LOADER)).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::{parsed, TEXT};
    use super::*;

    /// A folder with a loader that says its arguments and ends with `code`.
    fn folder(name: &str, code: u8) -> PathBuf {
        let folder = repo::target("xtask-tests").join(format!("flash-{name}-{}", std::process::id()));
        let program = folder.join(LOADER);
        repo::program(&program, &format!("#!/bin/sh\necho \"$@\"\nexit {code}\n"));
        folder
    }

    #[test]
    fn what_is_missing_is_named_and_a_board_that_is_there_is_loaded() {
        let board = parsed(&TEXT.replace("profile =", "flash = [\"-b\", \"x\"]\n        profile =")).unwrap();
        let (good, bad) = (folder("good", 0), folder("bad", 1));
        let load = |dry_run, loopback| Load { name: "a", board: &board, folder: &good, loopback, dry_run };
        let said = |path: &Path, load: Load<'_>| load.run(path.as_os_str()).map_err(|e| format!("{e:#}"));
        let whole = good.join("whole.bit");
        let nowhere = Path::new("/nowhere");
        assert_eq!(
            said(nowhere, load(true, false)).unwrap(),
            format!("openFPGALoader -b x {}", whole.display())
        );
        assert!(said(nowhere, load(false, false)).unwrap_err().contains("package `openfpgaloader`"));
        let missing = said(&good, load(false, true)).unwrap_err();
        assert!(missing.contains("`cargo xtask board a --loopback --bitstream` makes"), "{missing}");
        repo::write(&whole, "").unwrap();
        assert_eq!(said(&good, load(false, false)).unwrap(), format!("-b x {}", whole.display()));
        let absent = said(&bad, load(false, false)).unwrap_err();
        assert!(absent.contains("board `a` (A board) does not take the bitstream"), "{absent}");
        let by_hand = parsed(TEXT).unwrap();
        let refused = said(&good, Load { board: &by_hand, ..load(false, false) }).unwrap_err();
        assert!(refused.contains("board.toml has no `flash`"), "{refused}");
        for folder in [good, bad] {
            std::fs::remove_dir_all(folder).unwrap();
        }
    }
}
