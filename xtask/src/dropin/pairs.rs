// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs of Debian that connect, unchanged: one on each of two simulated devices.
use super::list::Pair;
use super::place::{beside_tcp, Place, ADDRESSES};
use super::Program;
use crate::steps::Step;
use anyhow::{ensure, Context, Result};
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest run of a program, on a machine with other work too.
pub const PATIENCE: Duration = Duration::from_secs(180);
/// How often a server that may not listen yet is tried, and the pause between.
const TRIES: usize = 5;
const PAUSE: Duration = Duration::from_millis(500);
/// Words of a client that has failed, whatever its status.
const WRONG: [&str; 3] = ["error", "failed", "failure"];
/// Octets of the file that a client copies.
const COPIED: usize = 30_000;

/// Runs a client until its server listens; what the client says. A client that takes all of
/// [`PATIENCE`] is a failure, and is not tried again.
pub fn asked(client: impl Fn() -> Result<Program>) -> Result<String> {
    let mut tries = 1;
    loop {
        let begun = Instant::now();
        match client()?.done(PATIENCE) {
            Err(_) if tries < TRIES && begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            said => return said,
        }
        tries += 1;
    }
}

/// Words with one space between.
pub fn squeezed(said: &str) -> String {
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Pair {
    /// Runs the pair on devices of its own. The library is a folder.
    pub fn run(&self, step: &Step, library: &Path, folder: &Path) -> Result<()> {
        let Self { server, client, says, .. } = self;
        step.note(client);
        let addresses = if self.is_beside_tcp { beside_tcp() } else { Some(ADDRESSES) };
        let Some(addresses) = addresses else {
            step.line(&format!("    {client}: not run, since the machine has no address but its loopback"));
            return Ok(());
        };
        let (from, to) = (folder.join("from"), folder.join("to"));
        let octets: Vec<_> = (0..COPIED).map(|n| ((n * n) >> 7) as u8).collect();
        std::fs::write(&from, &octets).with_context(|| format!("cannot write {}", from.display()))?;
        let place = Place::new(library, folder, &addresses)?;
        let serves = place.start(0, server)?;
        let said = asked(|| place.start(1, client))?;
        let served = if self.serves_on { serves.stopped(PATIENCE) } else { serves.done(PATIENCE) };
        served?;
        ensure!(squeezed(&said).contains(says), "`{client}` does not say `{says}`:\n{said}");
        let wrong = WRONG.iter().find(|wrong| said.to_lowercase().contains(**wrong));
        ensure!(wrong.is_none(), "`{client}` says `{}`:\n{said}", wrong.unwrap_or(&""));
        if self.copies {
            let copy = std::fs::read(&to).with_context(|| format!("cannot read {}", to.display()))?;
            ensure!(copy == octets, "`{client}` has copied {} octets, which differ", copy.len());
        }
        place.finish()?;
        step.line(&format!("    {client}"));
        Ok(())
    }
}
