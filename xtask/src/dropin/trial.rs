// SPDX-License-Identifier: MIT OR Apache-2.0
//! Debian's programs, unchanged, on the library and a simulated device.
use super::{ends, pairs};
use crate::simulator::{Device, Simulator};
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
    Case { words: &["ibv_devices"], says: &["left", "00000afffe000001"] },
    Case {
        words: &["ibv_devinfo", "-v"],
        says: &[
            "hca_id:\tleft",
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
        words: &["timeout", "--preserve-status", "-s", "INT", "3", "ibv_asyncwatch", "-d", "left"],
        says: &["IBV_EVENT_PORT_ACTIVE (9), port 1"],
    },
];

/// Runs all programs. The answer is how many there were.
pub fn run(step: &Step, library: &Path) -> Result<usize> {
    simulator::prepare(step)?;
    let folder = std::env::temp_dir().join(format!("fw-dropin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (serving, urls) = served(&folder)?;
    for case in &CASES {
        let shown = case.words.join(" ");
        step.note(&shown);
        let mut program = Command::new(case.words[0]);
        program.args(&case.words[1..]).env("FERROWARP_DEVICES", &urls[0]);
        program.env("LD_LIBRARY_PATH", library.parent().unwrap_or(Path::new(".")));
        let done = program
            .output()
            .with_context(|| format!("cannot start `{shown}`; `cargo xtask setup` installs it"))?;
        let said = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        let missing: Vec<_> = case.says.iter().filter(|text| !said.contains(**text)).collect();
        ensure!(missing.is_empty(), "`{shown}` ({}) does not say {missing:?}:\n{said}", done.status);
        step.line(&format!("    {shown}"));
    }
    let library = library.parent().unwrap_or(Path::new("."));
    let ended = ends::run(step, library, &urls)?;
    step.line(&format!("    {ended} programs that end badly"));
    serving.finish()?;
    for pair in &pairs::PAIRS {
        let (serving, urls) = served(&folder)?;
        pair.run(step, library, &urls)?;
        serving.finish()?;
    }
    std::fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", repo::shown(&folder)))?;
    Ok(CASES.len() + ended + pairs::PAIRS.len())
}

/// Two devices that a link joins, as FERROWARP_DEVICES has them.
fn served(folder: &Path) -> Result<(Simulator, [String; 2])> {
    let devices = [1, 0].map(|other| Device {
        socket: folder.join((1 - other).to_string()),
        eth: format!("link:{other}"),
        capture: folder.join(format!("{other}.pcapng")),
    });
    let urls = [("left", 0), ("right", 1)].map(|(name, n)| {
        format!("{name}=vfio-user:{};ip={}/24", devices[n].socket.display(), pairs::ADDRESSES[n])
    });
    Ok((Simulator::start(devices.into(), &[], &folder.join("log"))?, urls))
}
