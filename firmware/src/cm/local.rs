// SPDX-License-Identifier: MIT OR Apache-2.0
//! Our ends: the addresses and ports of connections and listeners (RFC 6056 section 3.3.3).
use super::api::{ConnId, Connect, Listen, ListenerId};
use super::Manager;
use crate::error::CallError;
use crate::net::route::is_unicast;
use crate::tcp::segment::Tuple;
use core::net::{IpAddr, Ipv6Addr, SocketAddr};

impl Manager {
    /// Our end of a connection, for as long as firmware holds the connection.
    pub fn local(&self, id: ConnId) -> Option<SocketAddr> {
        self.flows.get(&id).map(|flow| flow.tcp.tuple.local)
    }

    /// The TCP port of a listener.
    pub fn listen_port(&self, id: ListenerId) -> Option<u16> {
        self.listeners.get(&id).map(|listen| listen.port)
    }

    /// The port of a new listener: the one that is asked for, or a free one in place of 0.
    pub(super) fn free_port(&mut self, listen: &Listen) -> Result<u16, CallError> {
        if let Some(ip) = listen.address {
            self.check_ours(ip)?;
        }
        if listen.port != 0 {
            let is_taken = self.listens(listen.address, listen.port);
            return if is_taken { Err(CallError::PortBusy(listen.port)) } else { Ok(listen.port) };
        }
        let end = SocketAddr::new(listen.address.unwrap_or(Ipv6Addr::UNSPECIFIED.into()), 0);
        let is_used = |port| self.tuples.keys().any(|tuple| tuple.local.port() == port);
        let is_free = |port: &u16| !self.listens(listen.address, *port) && !is_used(*port);
        let found = self.candidates(end).find(is_free);
        self.opened += 1;
        let (first, last) = self.config.ports;
        found.ok_or(CallError::NoListenPort { first, last })
    }

    /// Our end towards a peer: a port that is not in use between the two.
    pub(super) fn free_tuple(&mut self, connect: &Connect) -> Result<Tuple, CallError> {
        // without scope and flow label of an IPv6 end: there is one link, and received segments
        // have neither
        let remote = SocketAddr::new(connect.remote.ip(), connect.remote.port());
        if !is_unicast(remote.ip()) || self.net.routes().is_ours(remote.ip()) {
            return Err(CallError::BadAddress(remote.ip()));
        }
        if remote.port() == 0 {
            return Err(CallError::PortZero);
        }
        let ip = self.source(connect.address, remote.ip())?;
        let tuple = |port| Tuple { local: SocketAddr::new(ip, port), remote };
        if let Some(port) = connect.local_port.filter(|port| *port != 0) {
            if self.listens(Some(ip), port) {
                return Err(CallError::PortBusy(port));
            }
            return Some(tuple(port))
                .filter(|t| self.is_free(t))
                .ok_or(CallError::EndBusy { local: SocketAddr::new(ip, port), remote });
        }
        let is_free = |t: &Tuple| self.is_free(t) && !self.listens(Some(ip), t.local.port());
        let found = self.candidates(remote).map(tuple).find(is_free);
        self.opened += 1;
        found.ok_or(CallError::NoPort(remote))
    }

    /// Our address towards a peer: `asked`, or the one that routing chooses.
    fn source(&self, asked: Option<IpAddr>, remote: IpAddr) -> Result<IpAddr, CallError> {
        let routes = self.net.routes();
        let routed = routes.next_hop(remote).and_then(|_| routes.source(remote));
        let routed = routed.ok_or(CallError::NoRoute(remote))?;
        let Some(local) = asked else { return Ok(routed) };
        self.check_ours(local)?;
        if local.is_ipv4() != remote.is_ipv4() {
            return Err(CallError::Family { local, remote });
        }
        Ok(local)
    }

    fn check_ours(&self, ip: IpAddr) -> Result<(), CallError> {
        if self.net.routes().is_ours(ip) {
            return Ok(());
        }
        let ours = self.config.addresses.iter().map(|address| address.ip).collect();
        Err(CallError::NotOurs { ip, ours })
    }

    /// Ports of the range, from a place that nobody without the secret can guess.
    fn candidates(&self, end: SocketAddr) -> impl Iterator<Item = u16> + use<> {
        let (first, last) = self.config.ports;
        let count = u64::from(last - first) + 1;
        let offset = self.secret.port_offset(end, self.opened);
        (0..count).map(move |n| first + (offset.wrapping_add(n) % count) as u16)
    }

    fn is_free(&self, tuple: &Tuple) -> bool {
        !self.tuples.contains_key(tuple) && !self.time_wait.contains(tuple)
    }

    /// Whether a listener takes connections to this port, at `address` or at any.
    fn listens(&self, address: Option<IpAddr>, port: u16) -> bool {
        let meets = |l: &Listen| l.address.is_none() || address.is_none() || l.address == address;
        self.listeners.values().any(|l| l.port == port && meets(l))
    }
}
