// SPDX-License-Identifier: MIT OR Apache-2.0
//! One `tshark` process over one capture, with its checks on: a decoder that we did not write
//! judges what went over the link.
use super::pdml::Reader;
use std::collections::BTreeMap;
use std::fmt;
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

/// Wireshark 4.0 knows MPA as of RFC 5044. Enhanced connection establishment (RFC 6581) sets Rev 2
/// and uses a reserved bit, of which it warns.
const RFC_6581: [&str; 2] = ["Res field is NOT set to zero", "Rev field is NOT set to one"];

/// Why there is no summary.
#[derive(Debug, thiserror::Error)]
pub enum TsharkError {
    /// It does not start.
    #[error("tshark cannot be started: {0}; `cargo xtask setup` installs it")]
    Start(#[source] io::Error),
    /// Its output cannot be read.
    #[error("tshark's output cannot be read: {0}")]
    Output(#[source] io::Error),
    /// It ended with an error, or without the end of its output.
    #[error("tshark did not read the whole file ({status}): {stderr}")]
    Failed {
        /// How it ended.
        status: String,
        /// What it said.
        stderr: String,
    },
}

/// How grave tshark finds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Usual workflow.
    Chat,
    /// Notable.
    Note,
    /// Unusual.
    Warn,
    /// A problem, such as a malformed packet.
    Error,
}

/// A line of expert information.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expert {
    /// How grave.
    pub severity: Severity,
    /// Wireshark's group: Checksum, Sequence, Malformed, ...
    pub group: String,
    /// Which protocol said so.
    pub protocol: String,
    /// What was found.
    pub message: String,
    /// How often.
    pub count: u64,
}

impl fmt::Display for Expert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { severity, group, protocol, message, count } = self;
        write!(f, "{severity:?}/{group}, {protocol}, {count} times: {message}")
    }
}

/// Something wrong in one frame: a bad checksum or CRC, a malformed layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Number of the frame in the file, from 1.
    pub frame: u64,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {}: {}", self.frame, self.what)
    }
}

/// How sums turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// Right.
    pub good: u64,
    /// Wrong.
    pub bad: u64,
    /// Not looked at.
    pub unchecked: u64,
}

/// What tshark says about a capture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// Frames in the file.
    pub frames: u64,
    /// Frames that hold a protocol, by Wireshark's name: `ip`, `tcp`, `iwarp_mpa`,
    /// `iwarp_ddp_rdmap`.
    pub protocols: BTreeMap<String, u64>,
    /// Checksums of IPv4, TCP, ICMP and so on.
    pub checksums: Sums,
    /// CRCs of FPDUs; `unchecked` are those of connections that were set up without CRC.
    pub crc: Sums,
    /// What is wrong in which frame.
    pub complaints: Vec<Complaint>,
    /// All expert information, gravest first.
    pub experts: Vec<Expert>,
}

impl Summary {
    /// Frames that hold a protocol.
    pub fn count(&self, protocol: &str) -> u64 {
        self.protocols.get(protocol).copied().unwrap_or(0)
    }

    /// Everything that must not be in a capture of a link without loss: the complaints, errors and
    /// warnings.
    pub fn faults(&self) -> Vec<String> {
        let grave = |e: &&Expert| {
            e.severity >= Severity::Warn && !RFC_6581.iter().any(|known| e.message.starts_with(known))
        };
        let experts = self.experts.iter().filter(grave).map(ToString::to_string);
        self.complaints.iter().map(ToString::to_string).chain(experts).collect()
    }
}

/// Reads a capture with one `tshark` process.
pub fn read(path: &Path) -> Result<Summary, TsharkError> {
    let mut command = Command::new("tshark");
    command.arg("-n").arg("-r").arg(path).args(["-T", "pdml", "-z", "expert"]);
    command.args(OPTIONS.iter().flat_map(|option| ["-o", option]));
    command.args(others()?.iter().flat_map(|protocol| ["--disable-protocol", protocol]));
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
