// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program of rdma-core on the library and a device, as a process of ours.
use crate::child;
use anyhow::{ensure, Context, Result};
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::tempfile;

/// How often the end of a program is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// A program that runs; dropping it ends it.
pub struct Program {
    child: Option<Child>,
    /// What the program says: a pipe that nobody reads would stop a program that says much.
    said: File,
    words: String,
}

impl Program {
    /// Starts the program of `words`, which spaces part, with the library of the folder `library`
    /// and the devices that FERROWARP_DEVICES takes.
    pub fn start(words: &str, library: &Path, devices: &str) -> Result<Self> {
        let mut parts = words.split(' ');
        let mut command = Command::new(parts.next().context("a program has a name")?);
        command.args(parts).env("LD_LIBRARY_PATH", library).env("FERROWARP_DEVICES", devices);
        let said = tempfile().context("cannot make a file for what a program says")?;
        command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(said.try_clone()?);
        let shown = child::shown(&command);
        let child = command
            .spawn()
            .with_context(|| format!("cannot start `{shown}`; `cargo xtask setup` installs the program"))?;
        Ok(Self { child: Some(child), said, words: words.into() })
    }

    /// What the program says in all, if the program ends well within `patience`.
    pub fn done(mut self, patience: Duration) -> Result<String> {
        let mut child = self.child.take().context("the program runs")?;
        let end = Instant::now() + patience;
        while child.try_wait()?.is_none() && Instant::now() < end {
            std::thread::sleep(LOOK);
        }
        let is_late = child.try_wait()?.is_none();
        if is_late {
            child.kill()?;
        }
        let status = child.wait()?;
        let mut octets = vec![];
        self.said.rewind()?;
        self.said.read_to_end(&mut octets)?;
        let said = String::from_utf8_lossy(&octets).into_owned();
        ensure!(!is_late, "`{}` did not end within {patience:?}:\n{said}", self.words);
        ensure!(status.success(), "`{}`: {status}:\n{said}", self.words);
        Ok(said)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // it may have ended by itself, which is as well
            drop(child.kill());
            drop(child.wait());
        }
    }
}
