// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that end badly, with every object open or in the middle of a connection. Behind each
//! end the next program has the device, and at last two programs exchange octets.
use super::pairs::{asked, PATIENCE};
use super::place::Place;
use crate::steps::Step;
use crate::{child, repo};
use anyhow::{ensure, Context, Result};
use rustix::process::{kill_process, Pid, Signal};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Rounds of all ends, and those of a long run.
const ROUNDS: [usize; 2] = [10, 100];
/// How long a program may take.
const MOST: Duration = Duration::from_secs(30);
/// How often a program is looked at.
const ASK: Duration = Duration::from_millis(5);
/// What the program of `ends.c` is told, the signal that it gets when it is ready, and how it ends:
/// by the signal, or with 0.
const ENDS: [(&str, Option<Signal>); 5] = [
    ("waits", Some(Signal::KILL)),
    ("waits", Some(Signal::INT)),
    ("exits", None),
    ("forks", None),
    ("execs", None),
];
/// A server and a client that exchange octets until they are ended, and what the client says then.
/// A line of the client is longer than the buffer of its pipe, so that each is read at once.
const SERVER: &str = "rping -s -C 1000000 -S 5000";
const CLIENT: &str = "rping -c -v -C 1000000 -S 5000 -a PEER";
const SAYS: &str = "ping data: rdma-ping-";
/// Signals that end the client; the server is killed.
const CUTS: [Signal; 2] = [Signal::KILL, Signal::INT];
/// How often a client is started that comes before its server listens.
const TRIES: usize = 40;
/// The exchange behind all ends.
const EXCHANGE: [&str; 2] = ["rping -s -V -C 10 -S 1000", "rping -c -v -V -C 10 -S 1000 -a PEER"];

/// Ends programs on two devices in all ways, again and again. The answer is how often.
pub fn run(step: &Step, library: &Path, place: &Place<'_>, is_full: bool) -> Result<usize> {
    let program = compiled(step, library)?;
    let rounds = ROUNDS[usize::from(is_full)];
    for round in 1..=rounds {
        step.note(&format!("bad ends, round {round} of {rounds}"));
        for (end, signal) in ENDS {
            let (ended, _) = ended(&[&program, end], (library, &place.urls[0]), signal, "ready")
                .with_context(|| format!("`ends {end}`, round {round}"))?;
            let is_due = signal.map_or(ended.success(), |signal| ended.signal() == Some(signal.as_raw()));
            ensure!(is_due, "`ends {end}` ended by {ended} in round {round}; run it on {}", place.urls[0]);
        }
        for signal in CUTS {
            cut(library, place, signal).with_context(|| format!("{signal:?}, round {round}"))?;
        }
    }
    let serves = place.start(0, EXCHANGE[0])?;
    let said = asked(|| place.start(1, EXCHANGE[1]))?;
    serves.done(PATIENCE)?;
    ensure!(said.contains(SAYS), "`{}` does not say `{SAYS}` behind bad ends:\n{said}", EXCHANGE[1]);
    Ok(rounds * (ENDS.len() + CUTS.len()))
}

/// Compiles `ends.c` with the installed headers, and links it to the library.
fn compiled(step: &Step, library: &Path) -> Result<String> {
    let program: PathBuf = repo::target("dropin-ends");
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-Wall", "-Werror", "-o"]).arg(&program);
    cc.arg(repo::root().join("xtask/src/dropin/ends.c")).arg(library.join("libibverbs.so.1"));
    step.capture(&mut cc)?;
    Ok(program.to_string_lossy().into_owned())
}

/// Starts a program and signals it as soon as a line of its output begins with `due`. How the
/// program ends, and whether it came so far.
fn ended(
    words: &[&str],
    (library, device): (&Path, &str),
    signal: Option<Signal>,
    due: &str,
) -> Result<(ExitStatus, bool)> {
    // a shell starts what is in its background with SIGINT ignored, which children inherit
    let mut command = Command::new("env");
    command
        .arg("--default-signal=INT")
        .args(words)
        .env("LD_LIBRARY_PATH", library)
        .env("FERROWARP_DEVICES", device);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| {
        format!("cannot start `{}`; `cargo xtask setup` installs it", child::shown(&command))
    })?;
    let mut from = BufReader::new(child.stdout.take().context("a pipe")?);
    let (says, said) = mpsc::channel();
    // a program that is never ready says so on standard error, and ends by itself
    let reader = std::thread::spawn(move || {
        let mut line = String::new();
        // nobody listens behind the deadline
        drop(from.read_line(&mut line).map(|_| says.send(line)));
    });
    let Ok(line) = said.recv_timeout(MOST) else {
        child.kill()?;
        child.wait()?;
        anyhow::bail!("`{}` says nothing within {MOST:?}", words.join(" "));
    };
    drop(reader.join());
    let is_ready = line.starts_with(due);
    if let Some(signal) = signal.filter(|_| is_ready) {
        kill_process(Pid::from_child(&child), signal)?;
    }
    Ok((awaited(&mut child)?, is_ready))
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

/// Ends the client in the middle of a connection by a signal, then kills the server.
fn cut(library: &Path, place: &Place<'_>, signal: Signal) -> Result<()> {
    let server = place.start(0, SERVER)?;
    let words = place.words(CLIENT);
    let words: Vec<_> = words.split(' ').collect();
    for _ in 0..TRIES {
        let (ended, is_ready) = ended(&words, (library, &place.urls[1]), Some(signal), SAYS)?;
        if is_ready {
            ensure!(ended.signal() == Some(signal.as_raw()), "`{CLIENT}` ended by {ended}");
            drop(server);
            return Ok(());
        }
    }
    anyhow::bail!("`{CLIENT}` finds no server in {TRIES} tries: {:?}", server.done(Duration::ZERO))
}
