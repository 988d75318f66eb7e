// SPDX-License-Identifier: MIT OR Apache-2.0
//! Asking a program for the figures of its device.
use super::wire::{Broken, Wire};
use super::{socket, FiguresError};
use crate::tcp_info::TcpInfo;
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::{json, Value};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long an answer may take: clients before this one have two seconds each, and a simulated
/// device is slow.
const PATIENCE: Duration = Duration::from_secs(10);

/// Octets of an answer: more than all counters of 65,536 queue pairs.
const MOST: usize = 1 << 26;

/// Pause between two calls at a program that has no place for another client.
const CALL_EVERY: Duration = Duration::from_millis(5);

/// Asks the program that offers figures at this path: of its device, or of queue pair `qp` alone.
/// The answer is as [`super::told`] has it. Nothing is opened or reset.
///
/// Errors: [`FiguresError::Nobody`] without such a program, [`FiguresError::Late`] behind ten
/// seconds, [`FiguresError::Refused`] with the program's own error, [`FiguresError::Answer`] and
/// [`FiguresError::Socket`].
pub fn ask(path: impl AsRef<Path>, qp: Option<u16>) -> Result<Value, FiguresError> {
    ask_within(path.as_ref(), qp, PATIENCE)
}

/// The same with another patience.
pub(super) fn ask_within(path: &Path, qp: Option<u16>, most: Duration) -> Result<Value, FiguresError> {
    let until = Instant::now() + most;
    let late = || FiguresError::Late { path: path.into(), waited: most };
    let no_answer = |why: &str| FiguresError::Answer { path: path.into(), why: why.into() };
    let broken = |why: Broken| match why {
        Broken::Late | Broken::Stopped => late(),
        Broken::Closed => no_answer("the connection ended"),
        Broken::Long => no_answer("it is too long"),
        Broken::Failed(why) => FiguresError::Socket { path: path.into(), why: why.to_string() },
    };
    let stream = call(path, until).map_err(|why| match why {
        Errno::NOENT | Errno::CONNREFUSED => FiguresError::Nobody(path.into()),
        Errno::AGAIN => late(),
        why => broken(Broken::Failed(why)),
    })?;
    let wire = Wire { stream: &stream, stop: None, until };
    let question = qp.map_or(json!({}), |qp| json!({ "qp": qp }));
    wire.send(format!("{question}\n").as_bytes()).map_err(broken)?;
    let line = wire.line(MOST).map_err(broken)?;
    let answer: Value = serde_json::from_slice(&line).map_err(|e| no_answer(&e.to_string()))?;
    if let Some(why) = answer["error"].as_str().filter(|_| answer["ok"] == false) {
        return Err(FiguresError::Refused(why.into()));
    }
    if answer["ok"] != true || !answer["counters"].is_object() {
        return Err(no_answer("it has no counters"));
    }
    match Option::<TcpInfo>::deserialize(&answer["connection"]) {
        Err(why) => Err(no_answer(&format!("its connection: {why}"))),
        Ok(_) => Ok(answer),
    }
}

/// Calls until then.
fn call(path: &Path, until: Instant) -> Result<UnixStream, Errno> {
    loop {
        match socket::connect(path) {
            Err(Errno::AGAIN | Errno::INTR) if Instant::now() < until => std::thread::sleep(CALL_EVERY),
            Err(Errno::INTR) => return Err(Errno::AGAIN),
            done => return done,
        }
    }
}
