// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a script needs of a device under test: the wire that its peer is on, and the application on
//! the device.
use crate::fw::peer::Peer;
use crate::fw::wire::Seg;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The other end of the wire.
pub trait Wire {
    /// Begins connection `number`, or goes back to it: the peer of [`Wire::peer`].
    fn choose(&mut self, number: usize);

    /// The peer's end of the chosen connection.
    fn peer(&mut self) -> &mut Peer;

    /// The peer opens the chosen connection to the device.
    fn open(&mut self) -> Result<(), String>;

    /// A segment of the peer.
    fn put(&mut self, seg: &Seg) -> Result<(), String>;

    /// An IPv4 packet of somebody.
    fn packet(&mut self, packet: &[u8]) -> Result<(), String>;

    /// Takes what comes to the peers, waiting for at most so long.
    fn pump(&mut self, most: Duration) -> Result<(), String>;

    /// How long a step waits for what it must see.
    fn patience(&self) -> Duration;

    /// The device has the habits of Linux siw ([`super::habits`]): they are noted.
    fn has_habits(&self) -> bool {
        false
    }
}

/// The application on the device.
pub trait Application {
    /// Does something on connection `number`. The error says why nothing was done.
    fn order(&mut self, number: usize, order: Order) -> Result<(), String>;

    /// The next that the application of connection `number` was told, if there is something.
    fn hear(&mut self, number: usize) -> Result<Option<Heard>, String>;

    /// Octets of a region.
    fn memory(&mut self, region: &str, at: usize, octets: usize) -> Result<Vec<u8>, String>;

    /// Whether it is told such things at all: `failed`, `peer-finished` and `terminated` as scripts
    /// have them; `words` are those of this project's driver for what went wrong; `order` is that
    /// of completions of both queues.
    fn tells(&self, _what: &str) -> bool {
        true
    }
}

/// Options of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// Reads of the peer at once; `None` is the default, `Some(None)` tells the peer nothing.
    pub ird: Option<Depth>,
    /// Reads of ours at once.
    pub ord: Option<Depth>,
    /// Private data.
    pub data: Vec<u8>,
    /// The peer sends markers.
    pub markers: bool,
    /// Either end sends first.
    pub peer_to_peer: bool,
    /// No connection with fewer Reads.
    pub strict: bool,
    /// Work may be posted before the first FPDU.
    pub early: bool,
    /// Ready-to-receive messages: `s`, `w`, `r`.
    pub rtr: Option<String>,
}

/// How many Reads.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Depth {
    /// So many; the peer is told.
    Told(u16),
    /// So many; the peer is not told.
    Untold(u16),
}

/// A part of a region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Region.
    pub region: String,
    /// First octet.
    pub at: usize,
    /// Octets.
    pub octets: usize,
}

/// How a work request is posted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct How {
    /// Behind all Reads.
    pub fenced: bool,
    /// Without a completion of success.
    pub unsignaled: bool,
    /// The receiver is woken.
    pub solicited: bool,
    /// STag that the receiver invalidates.
    pub inv: Option<u32>,
}

/// What the application does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// A queue pair for the connection.
    QueuePair {
        /// Its protection domain.
        pd: String,
        /// Entries of its completion queue.
        cq: u32,
    },
    /// Waits for connections.
    Listen,
    /// Connects to the peer.
    Connect {
        /// The peer's port.
        port: u16,
        /// Options.
        wanted: Wanted,
    },
    /// Accepts what was requested.
    Accept(Wanted),
    /// Rejects what was requested, with private data.
    Reject(Vec<u8>),
    /// Memory of zeros.
    Region(Region),
    /// The region of this name goes.
    Drop(String),
    /// Octets into a region.
    Fill {
        /// Where.
        place: Place,
        /// What.
        data: Octets,
    },
    /// A receive.
    Recv {
        /// Of the work request.
        id: u64,
        /// `None` has no room.
        place: Option<Place>,
    },
    /// A Send, a Write or a Read.
    Post(Post),
    /// Closes both directions.
    Close,
    /// Finishes sending.
    Finish,
    /// Whether driver and firmware may do nothing in the device, as if their threads stood still.
    Rest(bool),
    /// The connection goes without an end.
    Abort,
    /// The same, and its queue pair.
    Forget,
}

/// Many octets; as text they are hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Octets(pub Vec<u8>);

impl From<Octets> for String {
    fn from(octets: Octets) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = |octet: &u8| [octet >> 4, octet & 15].map(|n| char::from(DIGITS[usize::from(n)]));
        octets.0.iter().flat_map(digits).collect()
    }
}

impl TryFrom<String> for Octets {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digit = |octet: u8| char::from(octet).to_digit(16);
        let pair = |pair: &[u8]| match pair {
            [high, low] => Some((digit(*high)? << 4 | digit(*low)?) as u8),
            _ => None,
        };
        let octets: Option<_> = text.as_bytes().chunks(2).map(pair).collect();
        octets.map(Self).ok_or_else(|| format!("{} characters are no octets", text.len()))
    }
}

/// Memory to be registered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// As scripts name it.
    pub name: String,
    /// Its octets.
    pub octets: usize,
    /// `l` local write, `r` remote read, `w` remote write.
    pub rights: String,
    /// Its protection domain.
    pub pd: String,
    /// For the connection's queue pair alone.
    pub bound: bool,
    /// A part of another region's memory: its name, first octet.
    pub within: Option<(String, usize)>,
}

/// A work request of the send queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Post {
    /// What it is.
    pub verb: Verb,
    /// Of the work request.
    pub id: u64,
    /// Payload, or the sink of a Read; `None` is a message without payload.
    pub place: Option<Place>,
    /// The peer's buffer.
    pub stag: u32,
    /// Its place there.
    pub to: u64,
    /// How it is posted.
    pub how: How,
}

/// Kind of a work request.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verb {
    /// RDMAP Send.
    Send,
    /// RDMA Write.
    Write,
    /// RDMA Read.
    Read,
}

/// What the application is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Heard {
    /// A region is there.
    Region {
        /// Its name.
        name: String,
        /// Its STag.
        stag: u32,
        /// TO of its first octet.
        to: u64,
    },
    /// A peer asks for a connection.
    Requested(Offered),
    /// The connection is there.
    Connected(Offered),
    /// There will be no connection; what a Reject said.
    Refused(String, Option<Offered>),
    /// Why requests came to nothing that the application was not told of.
    Failed(String),
    /// A completion.
    Done(Done),
    /// The peer's Terminate: layer, error type, code.
    Terminated([u8; 3]),
    /// The peer has finished sending.
    PeerFinished,
    /// The connection is over.
    Ended(String),
}

/// What the peer's startup frame said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    /// Private data.
    pub data: Vec<u8>,
    /// Reads that it takes; 0x3FFF if it does not say.
    pub ird: u16,
    /// Reads that it would like; 0x3FFF if it does not say.
    pub ord: u16,
}

/// A completion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// As posted.
    pub id: u64,
    /// Status, in the words of the device's verbs.
    pub status: String,
    /// Kind.
    pub op: String,
    /// Octets received or read.
    pub octets: u32,
    /// STag that the message invalidated; 0 if none.
    pub inv: u32,
    /// The sender woke the receiver.
    pub solicited: bool,
    /// Layer, type and code of a fault; 0 if none.
    pub error: u16,
}
