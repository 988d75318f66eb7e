//! A tour of what a device does: two ends show each other every kind of operation, and each compares every octet.
//!
//! The client connects with private data, sends a message that comes back, writes and reads a region of the server, invalidates
//! another one with a Send, and then writes to that one, which the server's device refuses with a Terminate: the client looks at its
//! layer, type, code and STag, the server at the region, where nothing of the Write may be.
//!
//! Messages, all of them Sends on one connection, C the client, S the server:
//!
//! | from | octets | meaning |
//! |---|---|---|
//! | C | [`MESSAGE`] | any |
//! | S | the same | its echo |
//! | S | 32 | an [`Advert`](crate::ping::Advert) of the region that is written and read, then one of the region that is invalidated |
//! | C | 1 | the region has been written |
//! | S | 4 | the first octet that differs, or all ones; the region has other octets now |
//! | C | 1 | neither end looks at its device for a moment |
//! | S | 1 | as it was asked |
//! | C | 1, with invalidate | the second region is not needed any more |
//! | S | 4 | the STag that was invalidated |
//!
//! [`rping`] is what can be shown of it with rping of any other RDMA device at the other end.
mod client;
mod end;
pub mod rping;
mod server;

pub use client::visit;
pub use server::guide;

use crate::cm::{Connection, Markers, ReadDepths};
use crate::verbs::{Status, WcOpcode};
use ferrowarp_abi::error::TermError;
use serde::Serialize;

/// Port of the server.
pub const PORT: u16 = 18_516;
/// Octets of the message that comes back.
pub const MESSAGE: usize = 4_000;
/// Octets of the region unless the client's caller says otherwise.
pub const REGION: usize = 1 << 20;
/// Most octets of it.
pub const MOST_OCTETS: usize = 1 << 26;
/// Private data of the client, before the region's octets (4, most significant first), and of the server.
const CLIENT: &[u8] = b"ferrowarp tour 2, octets: ";
const SERVER: &[u8] = b"ferrowarp tour 2, welcome";

/// Why a tour ends early.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TourError {
    /// The region.
    #[error("a region of {0} octets; give 1 to {MOST_OCTETS}")]
    Size(usize),
    /// The peer is something else.
    #[error("the peer's private data is {0:02x?}; is it `ferrowarp tour` of this version?")]
    Stranger(Vec<u8>),
    /// A message of another length than is due.
    #[error("a message of {got} octets came, {due} were due; is the peer `ferrowarp tour` of this version?")]
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
    #[error("{what}: octet {at} is not what it has to be")]
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
    #[error("an access to memory that is not there was not refused")]
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
fn numbered(error: TermError) -> String {
    let info = error.info();
    format!("{}/{}/{:02x}: {}", info.layer, info.etype, info.code, info.doc)
}

impl From<TourError> for crate::Error {
    fn from(why: TourError) -> Self {
        Self::Tour(why)
    }
}

/// An operation that was shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// What it was.
    pub what: &'static str,
    /// Octets of payload; 0 if it has none.
    pub octets: usize,
    /// Wall time in microseconds, from posting until it was known to be done.
    pub wall_us: f64,
    /// The same in the device's own time, in nanoseconds, if the device tells it.
    pub device_ns: Option<f64>,
}

/// Both ends of a connection, and what it was made with.
fn terms(connection: &Connection) -> String {
    let ReadDepths { ird, ord } = connection.read_depths();
    let markers = match connection.markers() {
        Markers { sent: true, received: true } => "markers both ways",
        Markers { sent: true, .. } => "markers sent",
        Markers { received: true, .. } => "markers received",
        Markers { .. } => "no markers",
    };
    let (local, remote) = (connection.local_addr(), connection.remote());
    format!("{local} to {remote}, IRD {ird}, ORD {ord}, {markers}")
}

/// What a client saw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Visit {
    /// The connection's ends, read depths and markers.
    pub connection: String,
    /// Operations in order.
    pub shown: Vec<Shown>,
    /// Octets that were compared here.
    pub compared: usize,
    /// The Terminate at the end, decoded.
    pub terminate: String,
}

/// What octet `at` of a region has: every octet of a page differs from its neighbours and from those of the next page, and
/// `seed` gives another region.
fn octet(seed: u8, at: usize) -> u8 {
    (at as u8).wrapping_mul(7).wrapping_add((at >> 8) as u8).wrapping_add((at >> 16) as u8) ^ seed
}

/// The octets of a region.
fn pattern(seed: u8, octets: usize) -> Vec<u8> {
    (0..octets).map(|at| octet(seed, at)).collect()
}

/// First octet that is not the pattern's.
fn differs(seed: u8, octets: &[u8]) -> Option<usize> {
    octets.iter().enumerate().position(|(at, &got)| got != octet(seed, at))
}

/// Seeds of the patterns: the message, what is written, what is read, the region that is invalidated.
const SENT: u8 = 0x11;
const WRITTEN: u8 = 0x5a;
const READ: u8 = 0xa7;
const ONCE: u8 = 0x3c;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_octet_out_of_place_is_found() {
        let mut octets = pattern(WRITTEN, 70_000);
        assert_eq!(differs(WRITTEN, &octets), None);
        assert!(differs(READ, &octets).is_some());
        octets[69_999] ^= 1;
        assert_eq!(differs(WRITTEN, &octets), Some(69_999));
        assert_ne!(pattern(SENT, 256), pattern(SENT, 512)[256..], "pages differ");
    }
}
