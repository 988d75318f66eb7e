// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program of rdma-core on the library and a device, as a process of ours.
use crate::child;
use anyhow::{ensure, Context, Result};
use rustix::process::{kill_process, Pid, Signal};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
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
    is_stopped: bool,
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
        Ok(Self { child: Some(child), said, words: words.into(), is_stopped: false })
    }

    /// What the program has said so far. The program writes on behind that.
    pub fn so_far(&self) -> Result<String> {
        let mut octets = vec![0; usize::try_from(self.said.metadata()?.len())?];
        self.said.read_exact_at(&mut octets, 0)?;
        Ok(String::from_utf8_lossy(&octets).into_owned())
    }

    /// Whether the program has not ended.
    pub fn is_running(&mut self) -> Result<bool> {
        Ok(self.child.as_mut().context("the program runs")?.try_wait()?.is_none())
    }

    /// Ends a program that goes on by itself; what the program says in all. Another signal than
    /// SIGTERM may be ignored, which a program takes over from whoever has started this one.
    pub fn stopped(mut self, patience: Duration) -> Result<String> {
        let child = self.child.as_ref().context("the program runs")?;
        kill_process(Pid::from_child(child), Signal::TERM).with_context(|| self.words.clone())?;
        self.is_stopped = true;
        self.done(patience)
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
        let said = self.so_far()?;
        ensure!(!is_late, "`{}` did not end within {patience:?}:\n{said}", self.words);
        let is_well = match self.is_stopped {
            true => status.signal() == Some(Signal::TERM.as_raw()),
            false => status.success(),
        };
        ensure!(is_well, "`{}`: {status}:\n{said}", self.words);
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
