// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stops a ping.
use super::limits::SIZES;
use ferrowarp::{Status, WcOpcode};

/// What the peer, or the device, did that a ping does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PingError {
    /// A size that rping does not have.
    #[error("a ping of {0} octets is not possible; give {least} to {most}", least = SIZES.start(), most = SIZES.end())]
    Size(usize),
    /// A message of another length.
    #[error("the peer sent a message of {0} octets where 16 are due; use rping or `ferrowarp ping` at the other end")]
    Message(u32),
    /// The peer names more than we have room for, or nothing.
    #[error("the peer names a buffer of {size} octets; this server takes 1 to {most}")]
    Advert {
        /// Octets that it names.
        size: u32,
        /// Octets of our buffer.
        most: usize,
    },
    /// A work request failed.
    #[error("{opcode:?} failed: {status}{}", code(*.error))]
    Work {
        /// Which.
        opcode: WcOpcode,
        /// How.
        status: Status,
        /// Layer, type and code.
        error: u16,
    },
    /// Octets differ.
    #[error("ping {ping}: octet {at} of {size} is {got:#04x}, {wanted:#04x} was sent")]
    Differs {
        /// Number of the ping.
        ping: u32,
        /// First octet that differs.
        at: usize,
        /// Octets of the text.
        size: usize,
        /// What came.
        got: u8,
        /// What was sent.
        wanted: u8,
    },
    /// The connection ended in the middle of a ping.
    #[error("the connection ended in the middle of ping {0}")]
    Interrupted(u32),
}

/// Layer, type and code of an error, if it has them.
fn code(error: u16) -> String {
    let [head, code] = error.to_be_bytes();
    match error {
        0 => String::new(),
        _ => format!(" (error {}/{}/{code:02X})", head >> 4, head & 0xF),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_layer_type_and_code() {
        let failed = PingError::Work { opcode: WcOpcode::Read, status: Status::RemoteAccess, error: 0x0102 };
        assert!(failed.to_string().ends_with("refused access (error 0/1/02)"), "{failed}");
    }
}
