// SPDX-License-Identifier: MIT OR Apache-2.0
//! The application: siw's context, and all that a script names.
use crate::flow::Flow;
use crate::library::{failed, Cm, Verbs};
use crate::memory::Memory;
use ferrowarp_dropin::gen::*;
use ferrowarp_tests::script::agent::Said;
use ferrowarp_tests::script::device::{Heard, Offered};
use libc::{c_int, in_addr, sockaddr_in, AF_INET, F_GETFL, F_SETFL, O_NONBLOCK};
use std::collections::{BTreeMap, VecDeque};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::rc::Rc;
use std::sync::mpsc::{channel, Receiver, Sender};

/// Requests that a listener keeps.
pub const BACKLOG: c_int = 8;
/// How long addresses and routes may take, in milliseconds.
pub const PATIENCE_MS: c_int = 5_000;

/// A region, and its memory, of which it is a part.
pub struct Held {
    pub mr: *mut ibv_mr,
    pub memory: Rc<Memory>,
    /// Its first octet in the memory.
    pub first: usize,
}

/// A connection, and why it could not be.
type Refusal = (usize, String);

/// The application.
pub struct Application {
    pub cm: Cm,
    pub verbs: Verbs,
    pub context: *mut ibv_context,
    pub channel: *mut rdma_event_channel,
    /// Where the peers are.
    pub peer: Ipv4Addr,
    /// Where a listener listens.
    pub port: u16,
    pub domains: BTreeMap<String, *mut ibv_pd>,
    pub regions: BTreeMap<String, Held>,
    /// Requests that no connection has.
    pub requests: VecDeque<(*mut rdma_cm_id, Offered)>,
    pub flows: BTreeMap<usize, Flow>,
    /// Why threads could not connect.
    pub refused: (Sender<Refusal>, Receiver<Refusal>),
    /// What is to be said.
    pub said: Vec<Said>,
}

impl Application {
    /// On the first device that there is.
    pub fn new(peer: Ipv4Addr, port: u16) -> Result<Self, String> {
        let (cm, verbs, mut count) = (Cm::load()?, Verbs::load()?, 0);
        // SAFETY: the number of devices is written to `count`.
        let devices = unsafe { (cm.rdma_get_devices)(&mut count) };
        if devices.is_null() || count < 1 {
            return Err(failed("rdma_get_devices"));
        }
        // SAFETY: the list has `count` contexts, and is never given back.
        let context = unsafe { *devices };
        // SAFETY: no arguments.
        let events = unsafe { (cm.rdma_create_event_channel)() };
        if events.is_null() {
            return Err(failed("rdma_create_event_channel"));
        }
        // SAFETY: both were just given.
        let files = unsafe { [(*events).fd, (*context).async_fd] };
        files.into_iter().try_for_each(does_not_wait)?;
        let (domains, regions, requests, flows, said) = Default::default();
        Ok(Self {
            cm,
            verbs,
            context,
            channel: events,
            peer,
            port,
            domains,
            regions,
            requests,
            flows,
            refused: channel(),
            said,
        })
    }

    /// A connection is told something.
    pub fn tell(&mut self, number: usize, heard: Heard) {
        self.say(Said::Heard(number, heard));
    }

    pub fn say(&mut self, said: Said) {
        self.said.push(said);
    }

    /// The oldest request is this connection's.
    pub fn take(&mut self, number: usize) -> Result<(), String> {
        let (id, offered) = self.requests.pop_front().ok_or("nobody asks for a connection")?;
        let flow = self.flow(number);
        (flow.id, flow.offered) = (id, Some(offered));
        Ok(())
    }
}

/// Reads of this file do not wait.
pub fn does_not_wait(file: c_int) -> Result<(), String> {
    // SAFETY: the calls take numbers alone.
    let done = unsafe {
        let flags = libc::fcntl(file, F_GETFL);
        libc::fcntl(file, F_SETFL, flags | O_NONBLOCK)
    };
    if done < 0 {
        return Err(failed("fcntl"));
    }
    Ok(())
}

/// An address as the libraries take it.
pub fn socket_address(address: SocketAddrV4) -> sockaddr_in {
    sockaddr_in {
        sin_family: AF_INET as u16,
        sin_port: address.port().to_be(),
        sin_addr: in_addr { s_addr: u32::from_ne_bytes(address.ip().octets()) },
        sin_zero: [0; 8],
    }
}
