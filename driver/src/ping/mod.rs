//! rping's protocol, as client and as server: `ferrowarp ping`.
//!
//! A ping (rdma-core, `librdmacm/examples/rping.c`, its comment on the loop): the client names a buffer with a text in a Send of
//! 16 octets, the server reads it with an RDMA Read and answers with a Send of 16 octets; the client names a second
//! buffer, the server writes the text into it with an RDMA Write and answers again.
mod client;
mod message;
mod peer;
mod server;

pub(crate) use client::compare;
pub use client::{client, ClientOptions};
pub use message::{pattern, Advert, ADVERT_OCTETS};
pub use server::{serve, ServerOptions};

use crate::verbs::{Status, WcOpcode};
use serde::Serialize;
use std::time::Duration;

/// Sizes of the text that both ends can have: rping's own bounds.
pub const SIZES: std::ops::RangeInclusive<usize> = 27..=65_535;
/// rping's port.
pub const PORT: u16 = 7174;

/// What the peer, or the device, did that a ping does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PingError {
    /// A size that rping does not have.
    #[error("a ping of {0} octets is not possible; give {least} to {most}", least = SIZES.start(), most = SIZES.end())]
    Size(usize),
    /// A message of another length.
    #[error("the peer sent a message of {0} octets where 16 are due; is it rping?")]
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

/// What came of the pings of a connection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Whole pings.
    pub pings: u32,
    /// Octets of the text of each.
    pub octets: usize,
    /// Shortest, mean, median, 99 % and longest time of a ping in microseconds of wall time; of a server none.
    pub times_us: Option<Times>,
    /// The peer's line before MPA, if MPA started behind greetings.
    pub greeting: Option<String>,
}

/// A line of the peer for people.
fn heard(line: &[u8]) -> Option<String> {
    (!line.is_empty()).then(|| String::from_utf8_lossy(line).into_owned())
}

/// Times of pings in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    /// The shortest.
    pub min: f64,
    /// The mean.
    pub mean: f64,
    /// Half took no longer.
    pub p50: f64,
    /// 99 of 100 took no longer.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

impl Times {
    /// Of some durations; none if there are none.
    pub fn of(durations: &[Duration]) -> Option<Self> {
        let mut us: Vec<f64> = durations.iter().map(|d| d.as_secs_f64() * 1e6).collect();
        us.sort_by(f64::total_cmp);
        let at = |part: f64| us.get(((us.len() as f64 * part).ceil() as usize).max(1) - 1).copied();
        let mean = us.iter().sum::<f64>() / us.len() as f64;
        Some(Self { min: at(0.0)?, mean, p50: at(0.5)?, p99: at(0.99)?, max: at(1.0)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_the_nearest_rank() {
        let ms = |n| Duration::from_millis(n);
        assert_eq!(Times::of(&[]), None);
        let times = Times::of(&[ms(4), ms(1), ms(3), ms(2)]).unwrap();
        assert_eq!((times.min, times.mean, times.p50), (1_000.0, 2_500.0, 2_000.0));
        assert_eq!((times.p99, times.max), (4_000.0, 4_000.0));
    }

    #[test]
    fn errors_name_layer_type_and_code() {
        let failed = PingError::Work { opcode: WcOpcode::Read, status: Status::RemoteAccess, error: 0x0102 };
        assert!(failed.to_string().ends_with("refused access (error 0/1/02)"), "{failed}");
    }
}
