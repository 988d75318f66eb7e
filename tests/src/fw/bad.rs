// SPDX-License-Identifier: MIT OR Apache-2.0
//! Peers that do something wrong where their startup frame is due, and the errors that say so.
use super::mpa::{empty_write, Frame};
use ferrowarp_firmware::error::{ConnError, Stage};
use ferrowarp_firmware::mpa::frame::{FrameError, Kind};
use ferrowarp_firmware::mpa::negotiate::Mismatch;

/// What the peer does where its startup frame is due.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Bad {
    /// It resets TCP.
    Reset,
    /// It is silent.
    Nothing,
    /// Octets that are no frame.
    Garbage,
    /// A Reply with R=1.
    Rejects,
    /// One bit of the key is wrong.
    Key,
    /// A revision that there is not.
    Revision,
    /// PD_Length 513.
    TooLong,
    /// M=1, which is no fault: we insert markers then.
    Markers,
    /// Its Reads are more than we hold.
    NeedsReads,
    /// Of the ready-to-receive messages only the Send.
    NoRtr,
    /// An FPDU comes with the frame.
    Surplus,
    /// All is well, but the first FPDU has a bad CRC.
    FirstFpdu,
    /// It closes TCP.
    Closes,
    /// It stops inside of the frame.
    Stalls,
}

impl Bad {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Reset,
        Self::Nothing,
        Self::Garbage,
        Self::Rejects,
        Self::Key,
        Self::Revision,
        Self::TooLong,
        Self::Markers,
        Self::NeedsReads,
        Self::NoRtr,
        Self::Surplus,
        Self::FirstFpdu,
        Self::Closes,
        Self::Stalls,
    ];

    /// A startup frame with this fault, and what follows it. `good` has depths.
    pub fn octets(self, good: Frame) -> Vec<u8> {
        let mut frame = good;
        match self {
            Self::Garbage => return (0..40_u8).map(|i| i.wrapping_mul(11)).collect(),
            Self::Rejects => frame.flags |= 0x20,
            Self::Key => frame.key[9] ^= 0x80,
            Self::Revision => frame.revision = 77,
            Self::TooLong => frame.length = Some(513),
            Self::Markers => frame.flags |= 0x80,
            Self::NeedsReads => frame.data[2..4].copy_from_slice(&[0x80, 0x11]),
            Self::NoRtr => (frame.data[0], frame.data[2]) = (0xC0, 0),
            Self::Surplus => return [frame.octets(), empty_write()].concat(),
            Self::Stalls => return frame.octets()[..19].to_vec(),
            _ => {}
        }
        frame.octets()
    }

    /// Its first FPDU.
    pub fn fpdu(self) -> Vec<u8> {
        let mut fpdu = empty_write();
        fpdu[18] ^= u8::from(self == Self::FirstFpdu);
        fpdu
    }

    /// Whether an error tells of this fault in a frame of this kind; `most` Reads of a peer can be
    /// held.
    pub fn is_told_by(self, failure: &ConnError, kind: Kind, most: u16) -> bool {
        let frame = |pick: fn(&FrameError) -> bool| matches!(failure, ConnError::Frame(error) if pick(error));
        match self {
            Self::Reset => *failure == ConnError::Reset,
            Self::Closes => *failure == ConnError::PeerClosed,
            Self::Nothing | Self::Stalls => {
                let stage = if kind == Kind::Request { Stage::Request } else { Stage::Reply };
                *failure == ConnError::TimedOut(stage)
            }
            Self::Garbage | Self::Key => frame(|e| matches!(e, FrameError::Key { .. })),
            Self::Revision => frame(|e| *e == FrameError::Revision { found: 77, highest: 2 }),
            Self::TooLong => frame(|e| *e == FrameError::PrivateDataLength { found: 513 }),
            Self::Surplus => frame(|e| matches!(e, FrameError::Surplus { octets: 20, .. })),
            Self::NeedsReads => {
                *failure == ConnError::Mismatch(Mismatch::InsufficientIrd { needed: 17, most })
            }
            Self::NoRtr => matches!(failure, ConnError::Mismatch(Mismatch::NoCommonRtr { .. })),
            Self::FirstFpdu => matches!(failure, ConnError::FirstFpdu(_) | ConnError::Fault(_)),
            Self::Rejects | Self::Markers => false,
        }
    }
}
