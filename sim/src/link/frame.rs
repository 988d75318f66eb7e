// SPDX-License-Identifier: MIT OR Apache-2.0
//! What becomes of a frame on a link, and what is counted and told of it.
use super::config::{Side, MIN_FRAME};

/// How a device broke the rules of its Ethernet port, or why a link cannot be attached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkFault {
    /// `valid` was low inside a frame when the MAC needed the next beat.
    #[error("transmit underrun after {octets} octets of a frame: valid was low while ready was high")]
    Underrun {
        /// Octets that had been sent.
        octets: u64,
    },
    /// The transmitter did not pad.
    #[error("a frame of {octets} octets was sent; the transmitter pads to {MIN_FRAME}")]
    Runt {
        /// Its octets, without FCS.
        octets: u64,
    },
    /// The receiver did not take a beat before the next one arrived.
    #[error("receive overrun: frame {index} to {to:?} was cut after {octets} octets")]
    Overrun {
        /// Number of the frame in its direction, from 0.
        index: u64,
        /// The end that did not take it.
        to: Side,
        /// Octets that it took.
        octets: u64,
    },
    /// The stream cannot carry the rate.
    #[error("{rate_bps} bit/s need more than {width} octets every {clock_ps} ps")]
    TooFast {
        /// Rate of the link.
        rate_bps: u64,
        /// Octets of a beat.
        width: u64,
        /// Clock period.
        clock_ps: u64,
    },
    /// Both streams of a port have one width.
    #[error("the transmit stream has {tx} octets a beat, the receive stream {rx}")]
    Widths {
        /// Octets of the stream out of the device.
        tx: u64,
        /// Octets of the stream into it.
        rx: u64,
    },
}

/// What one end has sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkStats {
    /// Frames sent, bad ones too.
    pub frames: u64,
    /// Their octets, without preamble, FCS and gap.
    pub octets: u64,
    /// Picoseconds of preamble, frame, FCS and gap.
    pub busy_ps: u64,
    /// When the first preamble began.
    pub first_ps: u64,
    /// When the newest one did.
    pub newest_ps: u64,
    /// When the last gap ended.
    pub end_ps: u64,
    /// Frames sent with a bad FCS, because the device said `err`.
    pub sent_bad: u64,
    /// Frames that the hook dropped.
    pub dropped: u64,
    /// Frames that the hook damaged, with a bad FCS or without.
    pub damaged: u64,
    /// Frames that the hook delivered twice.
    pub duplicated: u64,
    /// Frames that the hook held back.
    pub delayed: u64,
    /// Frames that the other end did not take whole.
    pub overruns: u64,
    /// Frames that nobody was there to receive.
    pub unplugged: u64,
    /// Frames that were on the wire while the link was down: lost, or cut at the receiver.
    pub down: u64,
}

/// A frame that was sent, as the hook sees it.
#[derive(Debug, Clone, Copy)]
pub struct Sent<'a> {
    /// The end that sent it.
    pub from: Side,
    /// Its number in this direction, from 0.
    pub index: u64,
    /// When its last beat was handed over, in picoseconds.
    pub at_ps: u64,
    /// Its octets, without FCS.
    pub data: &'a [u8],
}

/// What becomes of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It arrives.
    Deliver,
    /// It does not.
    Drop,
    /// It arrives with one bit inverted and a bad FCS: `err` with its last beat. Bits count from
    /// octet 0's lowest and wrap at the frame's end.
    Corrupt(u64),
    /// Other octets arrive, and the FCS does not tell.
    Replace(Vec<u8>),
    /// It arrives twice.
    Duplicate,
    /// It arrives so many nanoseconds later, behind frames sent after it.
    Delay(u64),
}

/// A frame as a capture at the sender's port sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// The end that sent it.
    pub from: Side,
    /// When its preamble began, in picoseconds.
    pub began_ps: u64,
    /// When its last octet left, in picoseconds.
    pub at_ps: u64,
    /// Its octets, without FCS.
    pub data: Vec<u8>,
    /// What happened to it, if anything did.
    pub note: Option<String>,
}

/// Decides what becomes of each frame.
pub type Hook = Box<dyn FnMut(&Sent<'_>) -> Fate + Send>;
