// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a client tells the server first.
use super::error::PerfError;
use super::limits::{MOST_DEPTH, MOST_OCTETS};
use serde::Serialize;
use std::fmt;

/// Octets of the message.
pub(super) const PLAN_OCTETS: usize = 16;
/// Its first four octets.
const MAGIC: [u8; 4] = *b"FwPf";

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// RDMA Writes to the server
    Write,
    /// RDMA Reads from the server
    Read,
    /// Sends to the server
    Send,
}

/// How.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Many at once.
    Bandwidth,
    /// One after the other.
    Latency,
}

/// All of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// What.
    pub operation: Operation,
    /// How.
    pub mode: Mode,
    /// Octets of a message.
    pub octets: u32,
    /// Messages.
    pub messages: u32,
    /// Requests outstanding at once.
    pub depth: u16,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Send => "send",
        })
    }
}

impl Plan {
    /// Itself, if it is possible.
    pub fn checked(self) -> Result<Self, PerfError> {
        match self {
            Self { octets, .. } if !(1..=MOST_OCTETS).contains(&octets) => Err(PerfError::Size(octets)),
            Self { depth, .. } if !(1..=MOST_DEPTH).contains(&depth) => Err(PerfError::Depth(depth)),
            Self { messages: 0, .. } => Err(PerfError::Iterations),
            plan => Ok(plan),
        }
    }

    /// The message.
    pub(super) fn to_octets(self) -> [u8; PLAN_OCTETS] {
        let mut octets = [0; PLAN_OCTETS];
        octets[..4].copy_from_slice(&MAGIC);
        octets[4] = self.operation as u8;
        octets[5] = self.mode as u8;
        octets[6..8].copy_from_slice(&self.depth.to_be_bytes());
        octets[8..12].copy_from_slice(&self.octets.to_be_bytes());
        octets[12..].copy_from_slice(&self.messages.to_be_bytes());
        octets
    }

    /// From a message of a client, which may be anything.
    pub(super) fn parse(octets: &[u8]) -> Result<Self, PerfError> {
        let bad = PerfError::Plan(octets.len());
        let whole =
            <[u8; PLAN_OCTETS]>::try_from(octets).ok().filter(|o| o[..4] == MAGIC).ok_or(bad.clone())?;
        let operation = match whole[4] {
            0 => Operation::Write,
            1 => Operation::Read,
            2 => Operation::Send,
            _ => return Err(bad),
        };
        let mode = match whole[5] {
            0 => Mode::Bandwidth,
            1 => Mode::Latency,
            _ => return Err(bad),
        };
        let word = |at: usize| u32::from_be_bytes([whole[at], whole[at + 1], whole[at + 2], whole[at + 3]]);
        let depth = u16::from_be_bytes([whole[6], whole[7]]);
        Self { operation, mode, octets: word(8), messages: word(12), depth }.checked()
    }
}

/// What a message of this many octets holds: no octet is that of its neighbours or of another place
/// soon.
pub(super) fn pattern(octets: usize) -> Vec<u8> {
    (0..octets).map(|n| (n.wrapping_mul(167) ^ n >> 8 ^ n >> 16) as u8).collect()
}

/// The error is the first octet that differs.
pub(super) fn compare(came: &[u8]) -> Result<(), PerfError> {
    let sent = pattern(came.len());
    let differs = sent.iter().zip(came).position(|(sent, came)| sent != came);
    differs.map_or(Ok(()), |at| {
        Err(PerfError::Differs { at, octets: came.len(), got: came[at], wanted: sent[at] })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_plan_comes_back_and_what_is_impossible_is_named() {
        let plan =
            Plan { operation: Operation::Send, mode: Mode::Latency, octets: 70_000, messages: 3, depth: 64 };
        assert_eq!(Plan::parse(&plan.to_octets()), Ok(plan));
        assert_eq!(Plan { octets: 0, ..plan }.checked(), Err(PerfError::Size(0)));
        assert_eq!(Plan { octets: MOST_OCTETS + 1, ..plan }.checked(), Err(PerfError::Size(MOST_OCTETS + 1)));
        assert_eq!(Plan { depth: 65, ..plan }.checked(), Err(PerfError::Depth(65)));
        assert_eq!(Plan { messages: 0, ..plan }.checked(), Err(PerfError::Iterations));
        assert_eq!(Plan::parse(&plan.to_octets()[..15]), Err(PerfError::Plan(15)));
        let mut octets = plan.to_octets();
        octets[4] = 3;
        assert_eq!(Plan::parse(&octets), Err(PerfError::Plan(16)));
    }

    #[test]
    fn one_octet_that_differs_is_found() {
        let mut octets = pattern(5000);
        assert_eq!(compare(&octets), Ok(()));
        octets[4321] ^= 1;
        let (got, wanted) = (octets[4321], octets[4321] ^ 1);
        assert_eq!(compare(&octets), Err(PerfError::Differs { at: 4321, octets: 5000, got, wanted }));
    }

    proptest! {
        #[test]
        fn any_octets_are_a_plan_or_none(octets in prop::collection::vec(any::<u8>(), 0..20)) {
            drop(Plan::parse(&octets));
        }
    }
}
