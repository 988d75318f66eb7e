// SPDX-License-Identifier: MIT OR Apache-2.0
//! One `tshark` process over one capture, with its checks on: a decoder that we did not write
//! judges what went over the link.
use super::pdml::Reader;
pub use super::verdict::{Complaint, Expert, Severity, Summary, Sums};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Protocols whose heuristics look at what a TCP segment carries, or a DDP message: random payload
/// must not be taken for one of them.
const GUESSED_FROM: [&str; 2] = ["tcp", "iwarp_ddp_rdmap"];
/// The one that shall be recognised.
const MPA: &str = "iwarp_mpa";

/// Checks that are off by default, and how to look at streams.
const OPTIONS: [&str; 6] = [
    "ip.check_checksum:TRUE",
    "tcp.check_checksum:TRUE",
    "udp.check_checksum:TRUE",
    // MPA is known by a heuristic, and a port may belong to another protocol
    "tcp.try_heuristic_first:TRUE",
    "iwarp_ddp_rdmap.reassemble_iwarp_rdma_send:TRUE",
    // captures of the link have no FCS; padding must not be taken for one
    "eth.fcs:Never",
];

/// Why there is no summary.
#[derive(Debug, thiserror::Error)]
pub enum TsharkError {
    /// It does not start.
    #[error("tshark cannot be started: {0}; `cargo xtask setup` installs it")]
    Start(#[source] io::Error),
    /// Its output cannot be read.
    #[error("tshark's output cannot be read: {0}")]
    Output(#[source] io::Error),
    /// A line of it is none of a frame.
    #[error("tshark wrote a line that is no frame: `{0}`")]
    Line(String),
    /// It ended with an error, or without the end of its output.
    #[error("tshark did not read the whole file ({status}): {stderr}")]
    Failed {
        /// How it ended.
        status: String,
        /// What it said.
        stderr: String,
    },
}

/// A `tshark` that reads a capture with its checks on, and takes payload for no other protocol.
pub(super) fn command(path: &Path) -> Result<Command, TsharkError> {
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-r").arg(path);
    command.args(OPTIONS.iter().flat_map(|option| ["-o", option]));
    command.args(others()?.iter().flat_map(|protocol| ["--disable-protocol", protocol]));
    Ok(command)
}

/// Reads a capture with one `tshark` process.
pub fn read(path: &Path) -> Result<Summary, TsharkError> {
    let mut command = command(path)?;
    command.args(["-T", "pdml", "-z", "expert"]);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(TsharkError::Start)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (reader, stderr) = std::thread::scope(|scope| {
        // a full pipe of warnings must not stop the other one
        let stderr = scope.spawn(|| stderr.map(text).unwrap_or_default());
        let reader = stdout.map(lines).unwrap_or_else(|| Ok(Reader::default()));
        (reader, stderr.join().unwrap_or_default())
    });
    let status = child.wait().map_err(TsharkError::Output)?;
    let reader = reader.map_err(TsharkError::Output)?;
    if !status.success() || !reader.packets_over {
        return Err(TsharkError::Failed { status: status.to_string(), stderr });
    }
    Ok(reader.summary)
}

fn text(mut from: impl Read) -> String {
    let mut octets = vec![];
    // what could be read is worth more than the reason why there is no more
    drop(from.read_to_end(&mut octets));
    String::from_utf8_lossy(&octets).into_owned()
}

fn lines(from: impl Read) -> io::Result<Reader> {
    let (mut from, mut reader, mut line) = (BufReader::new(from), Reader::default(), vec![]);
    while from.read_until(b'\n', &mut line)? > 0 {
        reader.line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(reader)
}

/// The protocols that guess, without MPA: as the installed tshark lists them.
fn others() -> Result<&'static [String], TsharkError> {
    static OTHERS: OnceLock<Vec<String>> = OnceLock::new();
    if let Some(others) = OTHERS.get() {
        return Ok(others);
    }
    let report =
        Command::new("tshark").args(["-G", "heuristic-decodes"]).output().map_err(TsharkError::Start)?;
    let report = String::from_utf8_lossy(&report.stdout).into_owned();
    let columns = report.lines().filter_map(|l| l.split_once('\t'));
    let guesses = columns.filter(|(below, _)| GUESSED_FROM.contains(below));
    let names = guesses.filter_map(|(_, rest)| rest.split('\t').next()).filter(|name| *name != MPA);
    Ok(OTHERS.get_or_init(|| names.map(Into::into).collect()))
}
