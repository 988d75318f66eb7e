// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a connection was not made or ended, and why a call was refused.
use crate::mpa::frame::FrameError;
use crate::mpa::negotiate::Mismatch;
use crate::port::Refusal;
use crate::terminate::Received;
use alloc::vec::Vec;
use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use ferrowarp_abi::error::TermError;

/// What was waited for when the time was over.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The peer's part of the TCP handshake.
    Open,
    /// The Request.
    Request,
    /// The Reply.
    Reply,
    /// The application's word on a Request or a Reply.
    Application,
    /// The hardware's answer.
    Hardware,
    /// The initiator's first good FPDU.
    FirstFpdu,
    /// The end of a close or of a Terminate.
    Close,
    /// The peer's acknowledgement of what has left: the application's `user_timeout`.
    Acknowledgement,
}

/// Why a connection failed or ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnError {
    /// A reset answered the SYN.
    #[error("{0} refused the connection: no program listens on that port")]
    Refused(SocketAddr),
    /// Nobody answers for the next hop.
    #[error("the next hop {0} does not answer ARP or neighbour solicitations: check that it is up, and on this link")]
    Unreachable(IpAddr),
    /// A wait was too long.
    #[error("nothing came in time while waiting for {0:?}")]
    TimedOut(Stage),
    /// The peer reset TCP.
    #[error("the peer reset the TCP connection")]
    Reset,
    /// TCP's retry limit.
    #[error("the peer does not acknowledge any more: TCP's retry limit was reached")]
    Lost,
    /// The peer closed TCP where MPA does not end.
    #[error("the peer closed TCP before the connection was established; an RFC 5044 peer does so on Rev 2: allow the fallback to Rev 1")]
    PeerClosed,
    /// A startup frame is not valid.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The Reply does not fit the Request; the peer was sent a Terminate.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The initiator insists on more Reads than the Reply grants.
    #[error(
        "the responder takes {granted} Reads at once, {needed} are needed: ask for less, or without `strict`"
    )]
    FewReads {
        /// ORD that is left.
        granted: u16,
        /// ORD asked for.
        needed: u16,
    },
    /// The hardware refused a command.
    #[error(transparent)]
    Hardware(#[from] Refusal),
    /// The initiator's first FPDU is bad; nothing can be answered.
    #[error("the peer's first FPDU is bad ({}): no Terminate may be sent before a good one", .0.info().doc)]
    FirstFpdu(TermError),
    /// A fault; the peer was sent a Terminate.
    #[error("the stream stopped: {}", .0.info().doc)]
    Fault(TermError),
    /// The peer's Terminate.
    #[error("the peer ended the stream: {0}")]
    Terminated(Received),
    /// A Terminate without even its first word.
    #[error("the peer sent a Terminate of {octets} octets, at least 4 are needed")]
    ShortTerminate {
        /// Octets after the untagged header.
        octets: usize,
    },
    /// Octets behind the peer's FIN (RFC 5041 section 6.2.1).
    #[error("the peer sent octets behind its own FIN: they were dropped and the connection reset; look at the peer's TCP, and at boxes on the path that rewrite segments")]
    OctetsAfterFin,
    /// This side's `abort`.
    #[error("the connection was aborted on this side")]
    Aborted,
}

impl ConnError {
    /// The error as Terminate messages number it, for those that have a number; the codes of MPA
    /// among them are 1 to 7.
    pub fn number(&self) -> Option<TermError> {
        Some(match self {
            Self::Reset
            | Self::Lost
            | Self::PeerClosed
            | Self::OctetsAfterFin
            | Self::TimedOut(Stage::Acknowledgement) => TermError::MpaConnectionLost,
            Self::TimedOut(Stage::FirstFpdu | Stage::Request | Stage::Reply) => TermError::MpaConnectionLost,
            Self::Frame(_) => FrameError::ERROR,
            Self::Mismatch(mismatch) => mismatch.number(),
            Self::Hardware(_) => TermError::MpaLocalCatastrophic,
            Self::FirstFpdu(error) | Self::Fault(error) => *error,
            Self::Terminated(received) => return received.error,
            _ => return None,
        })
    }
}

impl Mismatch {
    /// The error of the Terminate that tells the peer.
    pub fn number(&self) -> TermError {
        match self {
            Self::InsufficientIrd { .. } => TermError::MpaInsufficientIrd,
            Self::NoCommonRtr { .. } | Self::Model { .. } => TermError::MpaNoRtrOption,
        }
    }
}

/// Why a call was refused; nothing was sent, unless the variant says so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// No such connection, or it has ended.
    #[error("connection {0} does not exist or has ended")]
    Unknown(u64),
    /// The call does not go with the connection's state.
    #[error("`{call}` needs a connection that {needs}; this one is in {phase}")]
    State {
        /// Name of the call.
        call: &'static str,
        /// What it needs.
        needs: &'static str,
        /// Phase of the connection.
        phase: &'static str,
    },
    /// A keepalive time that the device cannot count.
    #[error("a keepalive time of {asked:?} is impossible: give more than 0 and at most {most:?}, or leave the option out")]
    Keepalive {
        /// Given.
        asked: Duration,
        /// Allowed.
        most: Duration,
    },
    /// A user time-out of nothing.
    #[error("a user time-out of 0 is impossible: give more than 0, or leave the option out, so that `retries` alone counts")]
    UserTimeout,
    /// Private data is too long.
    #[error("{octets} octets of private data are too many: give at most {most}")]
    PrivateData {
        /// Given.
        octets: usize,
        /// Most: 512, or 508 beside IRD and ORD.
        most: usize,
    },
    /// A depth that cannot be negotiated.
    #[error("a Read depth of {0} is above 16382: give at most 16382, or leave it out of the negotiation")]
    Depth(u16),
    /// No kind of ready-to-receive message is left.
    #[error(
        "a peer-to-peer connection needs a kind of ready-to-receive message that the device has: name `write`, `read` or `send`"
    )]
    NoRtr,
    /// Accepting would need more Reads than the initiator takes; the Reject with the needed depth
    /// was sent, error 2/0/06 (RFC 6581 section 9.1).
    #[error(
        "the initiator takes {offered} Reads at once, {needed} are needed: it was sent a Reject (2/0/06)"
    )]
    IrdTooSmall {
        /// IRD of the Request.
        offered: u16,
        /// ORD asked for.
        needed: u16,
    },
    /// The queue pair has a connection.
    #[error("queue pair {0} has a connection already")]
    QpBusy(u16),
    /// Port and address are listened on.
    #[error("port {0} is listened on already: close that listener, or ask for another port, or for 0 to get a free one")]
    PortBusy(u16),
    /// Our end has a connection with this peer, or had one until TIME-WAIT.
    #[error("{local} has, or had a moment ago, a connection with {remote}: ask for another port, or for 0 to get a free one")]
    EndBusy {
        /// Ours.
        local: SocketAddr,
        /// The peer's.
        remote: SocketAddr,
    },
    /// Port 0 cannot be connected to.
    #[error("port 0 is no port of a peer: give the port on which the peer listens, 1 to 65535")]
    PortZero,
    /// Every port of the range is in use towards this peer.
    #[error("no local port is free towards {0}: close a connection first")]
    NoPort(SocketAddr),
    /// Every port of the range is in use.
    #[error("none of the ports {first} to {last} is free to be listened on")]
    NoListenPort {
        /// First of the range.
        first: u16,
        /// Last of the range.
        last: u16,
    },
    /// A local end at an address of somebody else.
    #[error("{ip} is no address of this device, which has {ours:?}")]
    NotOurs {
        /// Asked for.
        ip: IpAddr,
        /// The device's.
        ours: Vec<IpAddr>,
    },
    /// One end is IPv4 and the other one IPv6.
    #[error("{local} cannot reach {remote}: both ends must be IPv4, or both IPv6")]
    Family {
        /// Ours.
        local: IpAddr,
        /// The peer's.
        remote: IpAddr,
    },
    /// No address of the family, or no route.
    #[error("there is no route to {0}: no address of its family on the link, and no gateway")]
    NoRoute(IpAddr),
    /// Groups, broadcast, loopback.
    #[error("{0} is no address of one host on the network: give a unicast address")]
    BadAddress(IpAddr),
    /// The limit of the configuration.
    #[error("{0} connections are held, the limit of the configuration: close one first")]
    TooMany(usize),
}
