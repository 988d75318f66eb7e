// SPDX-License-Identifier: MIT OR Apache-2.0
//! `demo --board NAME`: the top of a board in Verilator. At its RGMII pins stand the daemon of the
//! carrier and Linux's software iWARP in a QEMU guest.
use super::{siw, visit};
use crate::board;
use crate::interop::{judge, Host};
use crate::programs::Programs;
use crate::simulator;
use crate::steps::{Step, Steps};
use crate::{child, repo, setup};
use anyhow::{anyhow, ensure, Context, Result};
use ferrowarp_sim::eth::DgramPort;
use ferrowarp_sim::rgmii::{board_model, BoardCableEnd, BoardTop, CableStats};
use ferrowarp_sim::StopsAtEnd;
use rustix::process::{kill_process, Pid, Signal};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The daemon waits for a simulated board: microseconds and milliseconds of wall time.
const TIMES: [&str; 4] = ["--carrier-replay", "1000000", "--carrier-gone", "10000"];
/// How long the daemon may take to have called the board.
const START: Duration = Duration::from_secs(120);
const ASK: Duration = Duration::from_millis(50);

/// Gb/s of a board's wire.
const WIRE: f64 = 1.0;

pub fn run(name: &str, octets: usize) -> Result<()> {
    let pinned = board::pinned(name)?;
    let mut steps = Steps::new(false);
    let folder = repo::target("demo").join(name);
    steps.run("setup", setup::ensure);
    let built = steps.run("daemon, driver, model of the board", |step| {
        simulator::programs(step)?;
        step.note("the board's top by Verilator: some minutes if it is not there yet");
        Ok(board_model(&pinned.text, &pinned.config)?)
    });
    let host = built.as_ref().and_then(|_| steps.run("a guest with siw", Host::boot));
    let done = built.zip(host.as_ref()).and_then(|(library, host)| {
        steps.run("daemon and siw at the pins of the board", |step| {
            std::fs::create_dir_all(&folder)
                .with_context(|| format!("cannot make {}", repo::shown(&folder)))?;
            let top = BoardTop::new(&library, pinned.config.clock_khz, 1)?;
            exchange(step, (top, host), &folder, octets)
        })
    });
    let judged = done.as_ref().and_then(|(_, _, capture)| steps.run("tshark", |_| judge("tour", capture)));
    if let Some((visits, stats, capture)) = &done {
        for (role, visit) in ["rping's client", "rping's server"].iter().zip(visits) {
            say!("\nThe device of the board is {role}:");
            visit::print(visit, WIRE);
        }
        let CableStats { carried, others, lost, bad, simulated_ns } = stats;
        say!(
            "\nAt the pins, to and from the board: {carried:?} frames of the carrier, {others:?} others; {lost} lost, {bad} bad; {:.1} ms simulated",
            *simulated_ns as f64 / 1e6
        );
        let frames = judged.as_ref().map_or(0, |summary| summary.frames);
        say!("tshark read {frames} frames of {}", repo::shown(capture));
    }
    steps.finish()
}

/// Simulates the board between daemon and guest, and takes the tour in both roles.
fn exchange(
    step: &Step,
    (top, host): (BoardTop, &Host),
    folder: &Path,
    octets: usize,
) -> Result<([visit::Visit; 2], CableStats, PathBuf)> {
    let place = |end: &str| std::env::temp_dir().join(format!("fw-board-{}-{end}", std::process::id()));
    let [socket, ours, theirs] = ["pci", "pins", "daemon"].map(place);
    let capture = folder.join("pins.pcapng");
    let port = Box::new(DgramPort::bind(&ours, &theirs)?);
    let end = BoardCableEnd::new(top, port, host.guest.net().open()?).recorded(&capture)?;
    let stops = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let board = scope.spawn(|| end.run(&stops));
        let visits = (|| {
            let _end = StopsAtEnd(&stops);
            let daemon = Daemon::start(&socket, (&theirs, &ours), &folder.join("ferrowarp-sim.log"))?;
            step.note("the tour");
            let visits = siw::tours(&host.guest, &socket, octets);
            drop(daemon);
            visits
        })();
        let stats = board.join().map_err(|_| anyhow!("the simulation of the board panicked"))?;
        Ok((visits?, stats.map_err(|why| anyhow!(why)).context("the simulation of the board")?, capture))
    })
}

/// The carrier's host as a process of ours; dropping the value ends the process.
struct Daemon(Child);

impl Daemon {
    /// Serves the board behind `socket`; frames pass between the sockets of daemon and pins.
    fn start(socket: &Path, (own, pins): (&Path, &Path), log: &Path) -> Result<Self> {
        let mut command = Programs::built().command("ferrowarp-sim");
        command.arg("--device").arg(format!("vfio-user:{}", socket.display()));
        command.arg("--carrier").arg(format!("qemu-dgram:{},{}", own.display(), pins.display()));
        let messages =
            std::fs::File::create(log).with_context(|| format!("cannot write {}", repo::shown(log)))?;
        command.args(TIMES).arg("--json").stdin(Stdio::null()).stdout(Stdio::null()).stderr(messages);
        let child = command.spawn().with_context(|| format!("cannot start {}", child::shown(&command)))?;
        let mut daemon = Self(child);
        let start = Instant::now();
        while !socket.exists() {
            let ended = daemon.0.try_wait()?;
            ensure!(
                ended.is_none() && start.elapsed() < START,
                "the daemon serves no device ({ended:?}); {} says why",
                repo::shown(log)
            );
            std::thread::sleep(ASK);
        }
        Ok(daemon)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // a signal lets the daemon remove its sockets; it may have ended by itself
        kill_process(Pid::from_child(&self.0), Signal::INT).ok();
        let start = Instant::now();
        while matches!(self.0.try_wait(), Ok(None)) && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(ASK);
        }
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
