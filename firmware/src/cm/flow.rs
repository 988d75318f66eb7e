// SPDX-License-Identifier: MIT OR Apache-2.0
//! One connection as firmware keeps it, and the phase it is in.
use super::api::{ConnId, Initiate, ListenerId, Offer, Terms, Then};
use super::handover::HandOver;
use super::liveness::Liveness;
use super::running::Running;
use crate::mpa::frame::Startup;
use crate::port::QpId;
use crate::tcp::conn::Conn;
use crate::time::Ticks;
use alloc::boxed::Box;

/// What the initiator asked, until the Reply is there.
#[derive(Clone, Debug)]
pub struct Asked {
    /// As the application said it.
    pub how: Initiate,
    /// The Request that was sent.
    pub request: Startup,
}

/// A Reply that accepts.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// With what full operation begins.
    pub terms: Terms,
    /// What the Reply says.
    pub offer: Offer,
    /// What the application wants.
    pub liveness: Liveness,
}

/// What firmware does with a TCP connection that it closes itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A FIN was asked for; the end is the end of TCP.
    Fin,
    /// What was sent is to be acknowledged, then a reset ends it.
    ResetWhenAcked,
}

/// Where a connection is. The order is that of a connection's life.
#[derive(Clone, Debug)]
pub enum Phase {
    /// The TCP handshake is under way.
    Opening(Box<Then>),
    /// Raw octets; also after a rejection.
    Streaming,
    /// The Request is out.
    AwaitReply(Box<Asked>),
    /// The Reply accepts; the application has to bind a queue pair.
    Unbound(Box<Accepted>),
    /// The Request has not come.
    AwaitRequest,
    /// The application has to accept or reject.
    Deciding(Box<Startup>),
    /// On its way to the hardware.
    HandOver(Box<HandOver>),
    /// The hardware has it.
    Running(Box<Running>),
    /// Firmware closes TCP.
    Ending(Ending),
}

impl Phase {
    /// For messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Opening(_) => "the TCP handshake",
            Self::Streaming => "raw mode",
            Self::AwaitReply(_) => "the wait for the Reply",
            Self::Unbound(_) => "the wait for a queue pair",
            Self::AwaitRequest => "the wait for the Request",
            Self::Deciding(_) => "the wait for the application's answer",
            Self::HandOver(_) => "hand-over",
            Self::Running(_) => "full operation",
            Self::Ending(_) => "its end",
        }
    }

    /// The queue pair that it is bound to.
    pub fn qp(&self) -> Option<QpId> {
        match self {
            Self::Opening(then) => match &**then {
                Then::Initiate(how) => how.qp,
                _ => None,
            },
            Self::AwaitReply(asked) => asked.how.qp,
            Self::HandOver(handover) => Some(handover.qp()),
            Self::Running(running) => Some(running.qp()),
            _ => None,
        }
    }
}

/// A connection.
#[derive(Debug)]
pub struct Flow {
    /// Its name.
    pub id: ConnId,
    /// TCP; from the insertion on a snapshot of what hardware was given.
    pub tcp: Conn,
    /// Of which listener.
    pub listener: Option<ListenerId>,
    /// Where it is.
    pub phase: Phase,
    /// When the phase takes too long.
    pub deadline: Option<Ticks>,
    /// The application asked for it, or has taken or decided it: no backlog counts it.
    pub taken: bool,
    /// The application was told of the end, or never of the beginning.
    pub told: bool,
    /// The application was told that the peer closed.
    pub told_peer_fin: bool,
    /// The application was told of the raw octets that are there.
    pub told_octets: bool,
    /// The application has more raw octets than there was room for.
    pub wants_room: bool,
}

impl Flow {
    /// Whether firmware, not the hardware, sends and receives its segments.
    pub fn speaks_tcp(&self) -> bool {
        match &self.phase {
            Phase::Running(_) => false,
            Phase::HandOver(handover) => handover.is_draining(),
            _ => true,
        }
    }

    /// Whether a stranger's SYN came and nothing else: the peer may not exist.
    pub fn is_half_open(&self) -> bool {
        self.listener.is_some() && matches!(self.phase, Phase::Opening(_))
    }

    /// Whether a listener counts it: the application has not decided yet.
    pub fn is_backlog(&self) -> bool {
        let waits = matches!(
            self.phase,
            Phase::Opening(_) | Phase::Streaming | Phase::AwaitRequest | Phase::Deciding(_)
        );
        waits && !self.taken
    }
}
