// SPDX-License-Identifier: MIT OR Apache-2.0
//! Request and Reply frames (RFC 5044 section 7.1.1, RFC 6581 section 6): octets to values and
//! back.
use alloc::vec::Vec;
use ferrowarp_abi::codec::{MpaDepths, MpaStartupHdr};
use ferrowarp_abi::consts::mpa;
use ferrowarp_abi::error::TermError;

/// Which of the two frames.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// From the initiator.
    Request,
    /// From the responder.
    Reply,
}

impl Kind {
    /// The first 16 octets.
    pub fn key(self) -> [u8; 16] {
        match self {
            Self::Request => mpa::KEY_REQUEST.to_be_bytes(),
            Self::Reply => mpa::KEY_REPLY.to_be_bytes(),
        }
    }
}

/// A startup frame without its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Startup {
    /// M: the sender wants markers in what it receives.
    pub markers: bool,
    /// C: the sender wants CRCs.
    pub crc: bool,
    /// R: the Reply refuses. Not looked at in a Request.
    pub reject: bool,
    /// Rev.
    pub revision: u8,
    /// The words of RFC 6581, if S is set and Rev allows it.
    pub enhanced: Option<MpaDepths>,
    /// The application's private data, without the words.
    pub private_data: Vec<u8>,
}

/// Why received octets are no startup frame. All of them close TCP and count as MPA error 4.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The key is wrong.
    #[error("the peer's first octets are {found:02x?}, no MPA {expected:?} frame: check the port, and MPA's role at both ends")]
    Key {
        /// What should have come.
        expected: Kind,
        /// What came, up to 16 octets.
        found: Vec<u8>,
    },
    /// A revision we do not speak.
    #[error("the peer's MPA revision is {found}, we speak 1 to {highest}")]
    Revision {
        /// Of the frame.
        found: u8,
        /// Our highest.
        highest: u8,
    },
    /// Private data longer than RFC 5044 allows.
    #[error("PD_Length is {found}, at most 512 octets are allowed")]
    PrivateDataLength {
        /// PD_Length.
        found: u16,
    },
    /// S is set, but there is no room for the words.
    #[error("S is set, but PD_Length {found} leaves no room for the 4 octets of IRD and ORD")]
    NoEnhancedWords {
        /// PD_Length.
        found: u16,
    },
    /// The Reply to an enhanced Request is a plain one.
    #[error("the Reply to an enhanced Request is not enhanced (S clear, Rev {revision}): try Rev 1 on a new connection")]
    NotEnhanced {
        /// Its revision.
        revision: u8,
    },
    /// The Reply to a plain Request is an enhanced one.
    #[error("the Reply to a plain Request has S set (Rev {revision})")]
    UnaskedEnhanced {
        /// Its revision.
        revision: u8,
    },
    /// Octets after the frame where none may be.
    #[error("{octets} octets follow the MPA {after:?} frame before the peer may send any: PD_Length does not match")]
    Surplus {
        /// The frame.
        after: Kind,
        /// How many.
        octets: usize,
    },
    /// TCP was closed inside the frame.
    #[error("the peer closed TCP after {have} of the frame's {need} octets")]
    CutShort {
        /// Octets that came.
        have: usize,
        /// Octets that the frame has, as far as known.
        need: usize,
    },
}

impl FrameError {
    /// Layer 2, type 0, code 4: local only, never sent.
    pub const ERROR: TermError = TermError::MpaInvalidStartup;
}

/// What a parse of the octets so far gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// Nothing wrong yet; this many octets are needed before the next judgement.
    More {
        /// Octets from the frame's first one.
        need: usize,
    },
    /// A whole frame.
    Whole {
        /// The frame.
        frame: Startup,
        /// Octets it takes.
        used: usize,
    },
}

/// Reads the frame at the start of `octets`, of which more may come. A fault is told as soon as an
/// octet shows it.
pub fn parse(kind: Kind, octets: &[u8], highest: u8) -> Result<Parsed, FrameError> {
    let key = kind.key();
    let present = octets.get(..key.len()).unwrap_or(octets);
    if !key.starts_with(present) {
        return Err(FrameError::Key { expected: kind, found: present.to_vec() });
    }
    let Ok(head) = MpaStartupHdr::parse(octets) else {
        return Ok(Parsed::More { need: MpaStartupHdr::LEN });
    };
    if head.revision < mpa::REVISION || head.revision > highest {
        return Err(FrameError::Revision { found: head.revision, highest });
    }
    let length = head.private_data_length;
    if length > mpa::PRIVATE_DATA_MAX {
        return Err(FrameError::PrivateDataLength { found: length });
    }
    // with Rev 1 the bit is one of the reserved ones, which nobody checks (MPA2-6-11)
    let enhanced = head.enhanced && head.revision >= mpa::REVISION_ENHANCED;
    if enhanced && usize::from(length) < MpaDepths::LEN {
        return Err(FrameError::NoEnhancedWords { found: length });
    }
    let used = MpaStartupHdr::LEN + usize::from(length);
    let Some(mut private_data) = octets.get(MpaStartupHdr::LEN..used) else {
        return Ok(Parsed::More { need: used });
    };
    let mut words = None;
    if enhanced {
        words = MpaDepths::parse(private_data).ok();
        private_data = private_data.get(MpaDepths::LEN..).unwrap_or_default();
    }
    let frame = Startup {
        markers: head.markers,
        crc: head.crc,
        reject: head.reject && kind == Kind::Reply,
        revision: head.revision,
        enhanced: words,
        private_data: private_data.to_vec(),
    };
    Ok(Parsed::Whole { frame, used })
}

/// Most octets of private data that go beside the words of RFC 6581, or without them.
pub const fn private_data_max(enhanced: bool) -> usize {
    if enhanced {
        mpa::PRIVATE_DATA_MAX_ENHANCED as usize
    } else {
        mpa::PRIVATE_DATA_MAX as usize
    }
}

impl Startup {
    /// The octets. Private data that is too long is cut: the application's calls refuse it before.
    pub fn octets(&self, kind: Kind) -> Vec<u8> {
        let mut body = Vec::new();
        if let Some(words) = self.enhanced {
            let masked = MpaDepths { ird: words.ird & 0x3FFF, ord: words.ord & 0x3FFF, ..words };
            body.extend(masked.octets().unwrap_or_default());
        }
        let room = private_data_max(self.enhanced.is_some());
        body.extend(self.private_data.iter().take(room));
        let head = MpaStartupHdr {
            key: u128::from_be_bytes(kind.key()),
            markers: self.markers,
            crc: self.crc,
            reject: self.reject,
            enhanced: self.enhanced.is_some(),
            revision: self.revision,
            private_data_length: body.len() as u16,
        };
        let mut octets = head.octets().map_or_else(|_| Vec::new(), |o| o.to_vec());
        octets.extend(body);
        octets
    }
}
