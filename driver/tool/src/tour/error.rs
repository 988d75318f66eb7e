// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stops a tour.
use super::shown::MOST_OCTETS;
use ferrowarp::{Status, TermError, WcOpcode};

/// Why a tour ends early.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TourError {
    /// The region.
    #[error("a region of {0} octets; give 1 to {MOST_OCTETS}")]
    Size(usize),
    /// The peer is something else.
    #[error("the peer's private data is {0:02x?}; use `ferrowarp tour` of one version at both ends")]
    Stranger(Vec<u8>),
    /// A message of another length than is due.
    #[error(
        "a message of {got} octets came, {due} were due; use `ferrowarp tour` of one version at both ends"
    )]
    Message {
        /// Came.
        got: usize,
        /// Due.
        due: usize,
    },
    /// A work request failed.
    #[error("{opcode:?} failed: {status} (error {error:#06x})")]
    Work {
        /// Which.
        opcode: WcOpcode,
        /// How.
        status: Status,
        /// Layer, type and code.
        error: u16,
    },
    /// Octets differ.
    #[error("{what}: octet {at} differs from the octet that was sent")]
    Differs {
        /// Of what.
        what: &'static str,
        /// First octet that differs.
        at: usize,
    },
    /// The Send with Invalidate did something else.
    #[error("the server's device says that it invalidated STag {got:#010x}; {wanted:#010x} was asked for")]
    Invalidated {
        /// By the server.
        got: u32,
        /// By the client.
        wanted: u32,
    },
    /// The access that has to be refused was not.
    #[error("an access to unknown memory was not refused")]
    NotRefused,
    /// It was refused, but not for what is wrong with it.
    #[error("the refusal is `{got}`; it has to be `{wanted}`")]
    Refusal {
        /// What the Terminate, or the end of the connection, says.
        got: String,
        /// What it has to say.
        wanted: String,
    },
}

/// Layer, type, code and meaning of an error, as a Terminate that has them is shown.
pub(super) fn numbered(error: TermError) -> String {
    let info = error.info();
    format!("{}/{}/{:02x}: {}", info.layer, info.etype, info.code, info.doc)
}
