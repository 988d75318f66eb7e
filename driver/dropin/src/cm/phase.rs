// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where an identifier is between its creation and the end of its connection.
use super::watcher::Watched;
use crate::qp::Qp;
use ferrowarp::{Connecting, Connection, Listener, QueuePair, Request};
use std::sync::Weak;

/// A listener of one device. The descriptor is given up before the listener.
#[derive(Debug)]
pub struct Listens {
    /// That the descriptor is waited for.
    pub _watched: Watched,
    /// The driver's.
    pub listener: Listener,
    /// The device, as it stands in the list.
    pub entry: &'static crate::devices::Entry,
}

/// A connection that is being made.
#[derive(Debug)]
pub struct Makes {
    /// That the descriptor is waited for.
    pub watched: Watched,
    /// The driver's.
    pub connecting: Connecting,
    /// What it is made for.
    pub pair: QueuePair,
    /// The same, as the program has it.
    pub qp: Weak<Qp>,
    /// Whether this end has asked for the connection.
    pub is_active: bool,
    /// Whether the queue pair is not the identifier's. A program that has asked for the connection
    /// calls `rdma_establish` when the connection is there.
    pub is_external: bool,
}

/// A connection that was made.
#[derive(Debug)]
pub struct Link {
    /// That the descriptor is waited for; `None`: nothing more comes.
    pub watched: Option<Watched>,
    /// The driver's.
    pub connection: Connection,
    /// One end has begun to close.
    pub is_closing: bool,
}

/// Where an identifier is.
#[derive(Debug, Default)]
pub enum Phase {
    /// Made; addresses may be known.
    #[default]
    Idle,
    /// Listening, at one device or more.
    Listening(Vec<Listens>),
    /// Made for a request that is not answered.
    Requested(Box<Request>),
    /// A connection is being made.
    Connecting(Box<Makes>),
    /// A connection was made.
    Connected(Box<Link>),
    /// There will be no connection any more.
    Over,
}

impl Phase {
    /// Whether a connection is there, or is being made.
    pub fn is_live(&self) -> bool {
        match self {
            Self::Connecting(_) => true,
            Self::Connected(link) => link.watched.is_some(),
            _ => false,
        }
    }
}
