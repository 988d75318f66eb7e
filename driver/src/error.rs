// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong for a caller of this crate.
use crate::admin::AdminError;
use crate::backend::BackendError;
use crate::cm::GreetingError;
use crate::dma::DmaError;
use crate::figures::FiguresError;
use crate::url::UrlError;
use ferrowarp_firmware::config::ConfigError;
use ferrowarp_firmware::error::{CallError, ConnError};
use std::time::Duration;

/// Why a call failed. Each says what was wrong, with the value, and what to do.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URL.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// The device, or the way to it.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The device refused a command.
    #[error(transparent)]
    Admin(AdminError),
    /// Memory.
    #[error(transparent)]
    Memory(#[from] DmaError),
    /// Addresses that no device can have.
    #[error("the device's addresses: {0}")]
    Config(#[from] ConfigError),
    /// The connection manager refused a call.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A connection failed or ended.
    #[error(transparent)]
    Connection(#[from] ConnError),
    /// No greeting before MPA.
    #[error(transparent)]
    Greeting(#[from] GreetingError),
    /// The peer rejected the connection.
    #[error("the peer rejected the connection, with the private data {private_data:02x?}")]
    Rejected {
        /// What the peer's Reply carried for us.
        private_data: Vec<u8>,
        /// Reads of ours that the peer takes at once, if the Reply tells (RFC 6581 section 9.1).
        ird: Option<u16>,
        /// Reads of its own that the peer needs, if the Reply tells.
        ord: Option<u16>,
    },
    /// The connection ended in order while more was awaited.
    #[error("the peer closed the connection")]
    Closed,
    /// All of a kind are in use.
    #[error("all {most} {what} of the device are in use; release one first")]
    Exhausted {
        /// What.
        what: &'static str,
        /// How many the device has.
        most: usize,
    },
    /// STags and secrets are drawn at random.
    #[error("the system gives no random octets: {0}")]
    Random(String),
    /// A number of slots that no ring has.
    #[error("a queue of {asked} work requests or completions is not possible; ask for 1 to {most}")]
    Depth {
        /// Asked for.
        asked: u32,
        /// Most.
        most: u32,
    },
    /// No room in a queue.
    #[error("the {queue} queue holds {most} work requests that are not completed; poll its completion queue first")]
    Full {
        /// `send` or `receive`.
        queue: &'static str,
        /// What it holds at once: what was asked for, in a send queue and six requests of the
        /// driver's own.
        most: u32,
    },
    /// A completion might find no place.
    #[error(
        "completion queue {cq} has {slots} slots, and {taken} of them are kept for faults of its queue pairs, for what is posted, and \
         for completions that were not polled; poll it first, make it larger, or end queue pairs that are in error"
    )]
    NoSlot {
        /// The completion queue.
        cq: u16,
        /// Its slots.
        slots: u32,
        /// Those of them that are kept.
        taken: u32,
    },
    /// Too many gathers or scatters.
    #[error("{given} segments in a work request; {queue} requests take up to {most}")]
    Segments {
        /// `send`, `receive` or `read`.
        queue: &'static str,
        /// Given.
        given: usize,
        /// Most.
        most: usize,
    },
    /// A segment lies outside its region.
    #[error("{octets} octets at {at} are not in the region, which has {len}")]
    Segment {
        /// First octet.
        at: usize,
        /// Octets.
        octets: usize,
        /// Octets of the region.
        len: usize,
    },
    /// A buffer that the device did not give up.
    #[error("the device does not give up a buffer of {bytes} bytes, which stays allocated until the device is closed")]
    Kept {
        /// Bytes of the buffer.
        bytes: usize,
    },
    /// What a peer sent names no region.
    #[error("{given} octets cannot name a region of the peer, which takes {due}; let the peer send `RemoteRegion::to_bytes`")]
    NoRegion {
        /// Given.
        given: usize,
        /// Octets that name one.
        due: usize,
    },
    /// More octets than a message has.
    #[error("a message of {0} octets is too long; send at most 2^32-1")]
    Long(u64),
    /// More octets than go into a work request itself.
    #[error("{octets} octets inline; at most {most} fit, send more from a region")]
    Inline {
        /// Given.
        octets: usize,
        /// Most.
        most: usize,
    },
    /// Objects of two protection domains or devices in one call.
    #[error("{0} belongs to another protection domain or device than the queue pair; register it there")]
    Domain(&'static str),
    /// A completion queue that nobody can wait for.
    #[error("completion queue {0} has no completion channel; make it with `completion_queue_in`")]
    NoChannel(u16),
    /// Work was posted before there is a connection.
    #[error(
        "queue pair {0} has no connection yet: connect or accept first, only receives may be posted before"
    )]
    NotConnected(u16),
    /// More Reads at once than the device holds.
    #[error("an `{name}` of {asked} Reads is more than the device holds; ask for 0 to {most}")]
    ReadDepth {
        /// `ird` or `ord`.
        name: &'static str,
        /// Asked for.
        asked: u16,
        /// Most.
        most: u16,
    },
    /// A Read on a connection that has none.
    #[error(
        "queue pair {0} may have no Read under way: its connection was made with an ORD of 0; connect with an `ord` of 1 at \
         least, to a peer whose IRD is not 0 either"
    )]
    NoReads(u16),
    /// This end has finished sending.
    #[error("queue pair {0} has finished sending: its FIN leaves behind what was posted; post before `finish_sending` or `disconnect`")]
    Finished(u16),
    /// A Read that the peer cannot answer any more.
    #[error("the peer of queue pair {0} has finished sending, and answers no Read any more: send or write instead, or disconnect")]
    PeerFinished(u16),
    /// A queue pair serves one connection.
    #[error(
        "queue pair {0} has had a connection; reset it (`QueuePair::reset`) or make a new one for the next"
    )]
    Used(u16),
    /// A reset needs the last handle of a queue pair.
    #[error("queue pair {qp} has {others} more handles; drop its connection and its clones, then reset it")]
    Handles {
        /// Its number.
        qp: u16,
        /// Handles beside the one that was to be reset.
        others: usize,
    },
    /// Still in use.
    #[error("nothing came within {waited:?} while waiting for {what}")]
    TimedOut {
        /// For what.
        what: &'static str,
        /// How long.
        waited: Duration,
    },
    /// The connection manager's thread is gone.
    #[error("the connection manager has stopped: {0}; open the device again")]
    Stopped(String),
    /// A thread could not be started.
    #[error("the system cannot start a thread for {what}: {why}")]
    Thread {
        /// Which.
        what: &'static str,
        /// Why.
        why: String,
    },
    /// The system gives no descriptor, or cannot wait for one.
    #[error(
        "the system refuses a descriptor for events: {0}; raise `ulimit -n`, or drop objects of the device"
    )]
    Descriptor(String),
    /// Figures for other programs.
    #[error(transparent)]
    Figures(#[from] FiguresError),
    /// The device wrote what no entry is.
    #[error(transparent)]
    Entry(#[from] crate::rings::BadEntry),
}

/// A command that the device was not given, or that it did not answer, is the device's error.
impl From<AdminError> for Error {
    fn from(why: AdminError) -> Self {
        match why {
            AdminError::Backend(why) => Self::Backend(why),
            why => Self::Admin(why),
        }
    }
}
