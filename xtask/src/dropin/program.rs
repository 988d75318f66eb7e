// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program of rdma-core on the library and a device, as a process of ours.
use crate::child;
use anyhow::{ensure, Context, Result};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often the end of a program is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// A program that runs; dropping it ends it.
pub struct Program {
    child: Option<Child>,
    words: String,
}

impl Program {
    /// Starts the program of `words`, which spaces part, with the library of the folder `library`
    /// and the devices that FERROWARP_DEVICES takes.
    pub fn start(words: &str, library: &Path, devices: &str) -> Result<Self> {
        let mut parts = words.split(' ');
        let mut command = Command::new(parts.next().context("a program has a name")?);
        command.args(parts).env("LD_LIBRARY_PATH", library).env("FERROWARP_DEVICES", devices);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let shown = child::shown(&command);
        let child = command
            .spawn()
            .with_context(|| format!("cannot start `{shown}`; `cargo xtask setup` installs the program"))?;
        Ok(Self { child: Some(child), words: words.into() })
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
        let output = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        ensure!(!is_late, "`{}` did not end within {patience:?}:\n{said}", self.words);
        ensure!(output.status.success(), "`{}`: {}:\n{said}", self.words, output.status);
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
