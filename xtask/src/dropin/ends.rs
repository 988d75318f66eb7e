// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that end badly: behind each, the next program has the device, and at the end two
//! programs exchange octets.
use crate::programs::Programs;
use crate::repo;
use crate::simulator::Device;
use crate::steps::Step;
use anyhow::{ensure, Context, Result};
use rustix::process::{kill_process, Pid, Signal};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Rounds of all ends, and those of a long run.
const ROUNDS: [usize; 2] = [10, 100];
/// How long a program may take.
const MOST: Duration = Duration::from_secs(30);
/// How often a program is looked at.
const ASK: Duration = Duration::from_millis(5);
/// What the program is told, the signal that it gets when it is ready, and how it ends: by the
/// signal, or with 0.
const ENDS: [(&str, Option<Signal>); 4] =
    [("waits", Some(Signal::KILL)), ("waits", Some(Signal::INT)), ("exits", None), ("forks", None)];

/// Ends the program in all ways, again and again, on the first of two devices. The answer is how
/// often.
pub fn run(step: &Step, library: &Path, devices: &[Device]) -> Result<usize> {
    let program = compiled(step, library)?;
    let urls: Vec<_> = (1..)
        .zip(devices)
        .map(|(n, device)| format!("vfio-user:{};ip=10.0.0.{n}/24", device.socket.display()))
        .collect();
    let rounds = ROUNDS[usize::from(std::env::var("FERROWARP_FULL").is_ok_and(|full| full == "1"))];
    for round in 1..=rounds {
        step.note(&format!("bad ends, round {round} of {rounds}"));
        for (end, signal) in ENDS {
            let mut command = Command::new(&program);
            command.arg(end).env("FERROWARP_DEVICES", &urls[0]);
            command.env("LD_LIBRARY_PATH", library.parent().unwrap_or(Path::new(".")));
            let ended = ended(command, signal).with_context(|| format!("`ends {end}`, round {round}"))?;
            let due = signal.map_or(ended.success(), |signal| ended.signal() == Some(signal.as_raw()));
            ensure!(due, "`ends {end}` ended by {ended} in round {round}; run it on {}", urls[0]);
        }
    }
    exchange(&urls)?;
    Ok(rounds * ENDS.len())
}

/// Compiles the program with the installed headers, and links it to the library.
fn compiled(step: &Step, library: &Path) -> Result<PathBuf> {
    let program = repo::target("dropin-ends");
    let source = repo::root().join("xtask/src/dropin/ends.c");
    let folder = library.parent().context("the library has no folder")?;
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-Wall", "-Werror", "-o"]).arg(&program).arg(source);
    step.capture(cc.arg(folder.join("libibverbs.so.1")))?;
    Ok(program)
}

/// Starts a program, signals it when it is ready, and waits for its end.
fn ended(mut command: Command, signal: Option<Signal>) -> Result<ExitStatus> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut said = String::new();
    // it ends by itself if it is not ready: what it lacks stands on standard error
    BufReader::new(child.stdout.take().context("a pipe")?).read_line(&mut said)?;
    if let Some(signal) = signal.filter(|_| said == "ready\n") {
        kill_process(Pid::from_child(&child), signal)?;
    }
    awaited(&mut child)
}

fn awaited(child: &mut Child) -> Result<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() > MOST {
            child.kill()?;
            child.wait()?;
            anyhow::bail!("it does not end within {MOST:?}");
        }
        std::thread::sleep(ASK);
    }
}

/// Octets between two programs `ferrowarp perf`, which compare them.
fn exchange(urls: &[String]) -> Result<()> {
    let programs = Programs::built();
    let tool = |words: &[&str]| {
        let mut tool = programs.command("ferrowarp");
        tool.arg("perf").args(words).stdin(Stdio::null());
        tool
    };
    let mut server = tool(&["-d", &urls[0], "--server", "--port", "0", "--connections", "1"]);
    let mut server = server.stdout(Stdio::piped()).spawn()?;
    let mut said = BufReader::new(server.stdout.take().context("a pipe")?).lines();
    let line = said.next().context("`ferrowarp perf --server` says nothing")??;
    let port = line.rsplit(' ').next().context("no port")?;
    let client = ["-d", &urls[1], "--client", "10.0.0.1", "--port", port, "--sizes", "4096"];
    let client = tool(&client).stdout(Stdio::null()).status()?;
    let server = awaited(&mut server)?;
    ensure!(client.success() && server.success(), "`ferrowarp perf`: client {client}, server {server}");
    Ok(())
}
