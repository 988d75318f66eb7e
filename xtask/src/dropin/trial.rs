// SPDX-License-Identifier: MIT OR Apache-2.0
//! Debian's programs, unchanged, on the library and a simulated device.
use super::list::PAIRS;
use super::place::{Place, ADDRESSES};
use super::{crowd, ends, fabric, pyverbs, ratio};
use crate::steps::Step;
use crate::{repo, simulator};
use anyhow::{ensure, Context, Result};
use std::path::Path;
use std::process::Command;

/// A program, and texts that its output has.
struct Case {
    words: &'static [&'static str],
    says: &'static [&'static str],
}

/// What is run, each program in a process of its own.
const CASES: [Case; 3] = [
    Case { words: &["ibv_devices"], says: &["fw0", "00000afffe000001"] },
    Case {
        words: &["ibv_devinfo", "-v"],
        says: &[
            "hca_id:\tfw0",
            "iWARP (1)",
            "PORT_ACTIVE (4)",
            "active_mtu:\t\t1024 (3)",
            "link_layer:\t\tEthernet",
            "board_id:\t\t\tferrowarp",
            "max_qp:\t\t\t\t16",
        ],
    },
    // an event of the device comes to the program; the program waits until the end
    Case {
        words: &["timeout", "--preserve-status", "-s", "INT", "3", "ibv_asyncwatch", "-d", "fw0"],
        says: &["IBV_EVENT_PORT_ACTIVE (9), port 1"],
    },
];

/// Runs the programs: a chosen part, or all with `FERROWARP_FULL=1`. The answer is how many there
/// were.
pub fn run(step: &Step, library: &Path) -> Result<usize> {
    let is_full = std::env::var("FERROWARP_FULL").is_ok_and(|full| full == "1");
    simulator::prepare(step)?;
    let folder = std::env::temp_dir().join(format!("fw-dropin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let library = library.parent().unwrap_or(Path::new("."));
    let place = Place::new(library, &folder, &ADDRESSES)?;
    for case in &CASES {
        let shown = case.words.join(" ");
        step.note(&shown);
        let mut program = Command::new(case.words[0]);
        program.args(&case.words[1..]).env("FERROWARP_DEVICES", &place.urls[0]);
        program.env("LD_LIBRARY_PATH", library);
        let done = program
            .output()
            .with_context(|| format!("cannot start `{shown}`; `cargo xtask setup` installs it"))?;
        let said = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        let missing: Vec<_> = case.says.iter().filter(|text| !said.contains(**text)).collect();
        ensure!(missing.is_empty(), "`{shown}` ({}) does not say {missing:?}:\n{said}", done.status);
        step.line(&format!("    {shown}"));
    }
    let ended = ends::run(step, library, &place, is_full)?;
    step.line(&format!("    {ended} programs that end badly"));
    place.finish()?;
    crowd::run(step, library, &folder)?;
    let chosen: Vec<_> = PAIRS.iter().filter(|pair| is_full || !pair.is_extra).collect();
    chosen.iter().try_for_each(|pair| pair.run(step, library, &folder))?;
    ratio::run(step, library, &folder)?;
    let more = fabric::run(step, library, &folder)? + pyverbs::short(step, library)?;
    std::fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", repo::shown(&folder)))?;
    Ok(CASES.len() + ended + 1 + chosen.len() + more)
}
