// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one door between firmware and a device: raw frames, admin commands with answers that come
//! later, events, time.
//!
//! The driver (or a test) implements [`Port`]; commands and events are values, their octets are the
//! driver's matter.
use crate::time::Ticks;
use alloc::boxed::Box;
use alloc::vec::Vec;
use ferrowarp_abi::codec::ConnRow;
use ferrowarp_abi::types::{MacAddr, SeqNum};

/// A queue pair, and with it its connection slot: the two have one index.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QpId(pub u16);

/// Why a frame came to the raw receive ring; `consts::raw_reason` of the ABI.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RawReason {
    /// Neither IPv4 nor IPv6.
    NotIp,
    /// IP, but not TCP.
    NotTcp,
    /// A fragment of an IP packet.
    Fragment,
    /// IPv6 with extension headers.
    IpExtension,
    /// TCP of no connection in the table.
    NoConnection,
    /// SYN, FIN or RST of a connection in the table.
    Connection,
    /// A reason of newer hardware: the frame is treated by what is in it.
    Other(u8),
}

/// One slot of the raw receive ring.
#[derive(Clone, Debug)]
pub struct RawFrame {
    /// Absolute index of its slot, modulo 2^32: one more than that of the frame before.
    pub index: u32,
    /// Why it is here.
    pub reason: RawReason,
    /// Ethernet frame without FCS.
    pub octets: Vec<u8>,
}

/// The raw transmit ring has no slot: the frame is not sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the raw transmit ring is full: the frame is dropped, TCP sends it again")]
pub struct RingFull;

/// Kind of the ready-to-receive message (RFC 6581 section 9.2).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Rtr {
    /// Zero-length Send, flag B. Takes MSN 1 of queue 0.
    Send,
    /// Zero-length RDMA Write, flag C.
    Write,
    /// Zero-length RDMA Read, flag D. Takes MSN 1 of queue 1 and one outstanding Read.
    Read,
}

/// A command to the hardware. Each is answered once, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Read depths of a queue pair; before its connection is inserted.
    Depths {
        /// Queue pair.
        qp: QpId,
        /// Most inbound Reads at once.
        ird: u16,
        /// Most outbound Reads at once.
        ord: u16,
    },
    /// Makes a connection visible; answered by [`Answer::Inserted`].
    ConnInsert {
        /// Queue pair.
        qp: QpId,
        /// The whole row.
        row: Box<ConnRow>,
    },
    /// Takes a connection out; nothing of it leaves or enters any more. Answered by
    /// [`Answer::Removed`].
    ConnRemove {
        /// Queue pair.
        qp: QpId,
    },
    /// What firmware saw of the peer's acknowledgements between its last own segment and the
    /// insertion.
    ConnAck {
        /// Queue pair.
        qp: QpId,
        /// Highest acknowledgement number.
        ack: SeqNum,
        /// Window that came with it, in octets.
        window: u32,
        /// Sequence number of the segment that brought it: SND.WL1.
        seq: SeqNum,
        /// Send an ACK now: a segment asked for one.
        ack_now: bool,
    },
    /// Path or next hop changed.
    ConnUpdate {
        /// Queue pair.
        qp: QpId,
        /// What changed.
        change: Change,
    },
    /// The peer's FIN with this sequence number came during hand-over: to be taken as if it arrived
    /// now.
    PeerFin {
        /// Queue pair.
        qp: QpId,
        /// Sequence number of the FIN itself.
        seq: SeqNum,
    },
    /// Octets outside of FPDUs (the Reply), sent from the present SND.NXT and kept until
    /// acknowledged. They pass the closed gate.
    RawMessage {
        /// Queue pair.
        qp: QpId,
        /// The octets.
        octets: Vec<u8>,
    },
    /// The initiator's ready-to-receive message, the first of the stream; passes the closed gate.
    Rtr {
        /// Queue pair.
        qp: QpId,
        /// Its kind.
        kind: Rtr,
    },
    /// FPDUs may leave.
    OpenGate {
        /// Queue pair.
        qp: QpId,
    },
    /// How far the peer has acknowledged; answered by [`Answer::Acknowledged`].
    Progress {
        /// Queue pair.
        qp: QpId,
    },
    /// The ULPDU of a Terminate, sent as the last message of the stream.
    Terminate {
        /// Queue pair.
        qp: QpId,
        /// Untagged DDP header and Terminate header.
        ulpdu: Vec<u8>,
    },
    /// A FIN after everything that was posted.
    Fin {
        /// Queue pair.
        qp: QpId,
    },
    /// A reset at once.
    Rst {
        /// Queue pair.
        qp: QpId,
    },
}

/// What [`Command::ConnUpdate`] changes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The next hop has another station address.
    NextHop(MacAddr),
    /// A packet of this sequence number was too big. To be ignored unless SND.UNA <= `quoted` <
    /// SND.NXT: only the hardware knows them (RFC 5927 section 4). With an EMSS above the row's it
    /// is a try of a larger path MTU: nothing is quoted, and nothing is to be ignored.
    PathMtu {
        /// EMSS that fits, in octets.
        emss: u16,
        /// Its MULPDU.
        mulpdu: u16,
        /// Sequence number in the packet that was too big.
        quoted: SeqNum,
    },
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Done.
    Done,
    /// The connection is in the table.
    Inserted {
        /// Producer index of the raw receive ring when the entry became visible.
        raw_index: u32,
    },
    /// The connection is out of the table.
    Removed {
        /// Oldest sequence number that the peer has not acknowledged.
        snd_una: SeqNum,
        /// Next sequence number to be sent, our FIN included.
        snd_nxt: SeqNum,
        /// Next sequence number expected, the peer's FIN included.
        rcv_nxt: SeqNum,
    },
    /// How far the peer has acknowledged.
    Acknowledged {
        /// Oldest sequence number that the peer has not acknowledged.
        snd_una: SeqNum,
        /// Next sequence number to be sent, our FIN included.
        snd_nxt: SeqNum,
    },
    /// Not done.
    Refused(Refusal),
}

/// Why a command was refused; `consts::admin_status` of the ABI.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No such command in this hardware.
    #[error("the hardware does not know the command: it is older than this driver")]
    Unknown,
    /// No such row.
    #[error("the hardware has no row of this index")]
    BadIndex,
    /// A field of the row is impossible.
    #[error("the hardware refused a field of the row")]
    BadRow,
    /// The 4-tuple is in the table.
    #[error("the 4-tuple is in the connection table already")]
    Present,
    /// No place for the 4-tuple.
    #[error("the connection table has no place for the 4-tuple")]
    Full,
    /// The row is not in use.
    #[error("the row is not in use")]
    Absent,
}

/// The first error of a queue pair, as the hardware caught it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Layer, type and code as in a Terminate.
    pub error: u16,
    /// The segment that caused it, if one did.
    pub segment: Option<CapturedSegment>,
}

/// What the hardware keeps of an offending DDP segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedSegment {
    /// ULPDU_Length of its FPDU, in octets.
    pub length: u16,
    /// Its first octets, as many as were kept; 46 hold every header that may be quoted.
    pub head: Vec<u8>,
}

/// What the hardware tells about a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceEvent {
    /// The first FPDU with a good CRC came; the responder's gate is open.
    FirstFpdu(QpId),
    /// The peer's FIN came in order. All that came before it is in memory and told.
    PeerFin(QpId),
    /// A valid reset came; the connection sends nothing more.
    PeerReset(QpId),
    /// The retry limit was reached; the connection sends nothing more.
    Lost(QpId),
    /// A fault stopped the queue pair.
    Fault(QpId, Captured),
    /// The peer's Terminate: the octets after its untagged DDP header.
    Terminate(QpId, Vec<u8>),
    /// The peer sent what should be a Terminate and is none, of this error (layer, type, code): it
    /// stopped the queue pair, and nothing answers it (RFC 5040 section 7.1).
    BadTerminate(QpId, u16),
    /// The peer acknowledged our FIN.
    FinAcked(QpId),
    /// Octets came behind the peer's FIN. They are dropped, and not acknowledged. Told once.
    OctetsAfterFin(QpId),
}

impl DeviceEvent {
    /// The queue pair it is about.
    pub fn qp(&self) -> QpId {
        match *self {
            Self::FirstFpdu(qp) | Self::PeerFin(qp) | Self::PeerReset(qp) | Self::Lost(qp) => qp,
            Self::Fault(qp, _) | Self::Terminate(qp, _) | Self::BadTerminate(qp, _) => qp,
            Self::FinAcked(qp) | Self::OctetsAfterFin(qp) => qp,
        }
    }
}

/// A device as firmware sees it. No call may block.
pub trait Port {
    /// The device's tick counter.
    fn now(&self) -> Ticks;
    /// The oldest frame of the raw receive ring that was not yet taken; its slot is free
    /// afterwards.
    fn receive(&mut self) -> Option<RawFrame>;
    /// Puts one Ethernet frame without FCS into the raw transmit ring.
    fn transmit(&mut self, frame: &[u8]) -> Result<(), RingFull>;
    /// Gives a command; the driver keeps it until the hardware can take it.
    fn submit(&mut self, command: Command);
    /// The answer of the oldest command not yet answered, if it is there.
    fn answer(&mut self) -> Option<Answer>;
    /// The oldest event not yet taken.
    fn event(&mut self) -> Option<DeviceEvent>;
}
