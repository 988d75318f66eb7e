// SPDX-License-Identifier: MIT OR Apache-2.0
//! What tshark says about a capture.
use std::collections::BTreeMap;
use std::fmt;

/// Wireshark 4.0 knows MPA as of RFC 5044. Enhanced connection establishment (RFC 6581) sets Rev 2
/// and uses a reserved bit, of which it warns.
const RFC_6581: [&str; 2] = ["Res field is NOT set to zero", "Rev field is NOT set to one"];

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
