// SPDX-License-Identifier: MIT OR Apache-2.0
//! Below TCP: frames in and out, who answers ARP, neighbour solicitations and echo, and where a
//! packet goes next.
//!
//! Answers to others (`stack`) are smoltcp's `iface`. Questions of our own ([`neighbour`],
//! [`ask`]) are not: `iface` asks for one address at a time and would let a dead host hold up the
//! others.

pub mod ask;
pub mod frame;
pub mod icmp;
mod known;
pub mod neighbour;
pub mod route;
mod stack;

use crate::config::Config;
use crate::tcp::segment::{Segment, Tuple};
use crate::time::Ticks;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::net::IpAddr;
use ferrowarp_abi::types::MacAddr;
use frame::{Link, Received};
use icmp::TcpNotice;
use neighbour::{Lookup, Neighbours};
use route::Routes;
use stack::Stack;

/// What a received frame was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ingress {
    /// A segment for one of our addresses, its checksums right.
    Tcp {
        /// Whose.
        tuple: Tuple,
        /// The segment.
        segment: Segment,
        /// Station that sent the frame.
        source: MacAddr,
    },
    /// ICMP says something about a segment of ours.
    Notice(TcpNotice),
    /// Taken care of here, or not for us.
    Done,
}

/// Counters of what was not used.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct NetCounters {
    /// Frames of another VLAN or too short to have headers.
    pub foreign: u64,
    /// TCP segments for us with a wrong checksum or impossible headers.
    pub malformed: u64,
    /// Segments dropped because their next hop is not resolved and too many wait.
    pub unresolved: u64,
}

/// Everything below TCP.
pub struct Net {
    link: Link,
    routes: Routes,
    neighbours: Neighbours,
    stack: Stack,
    outgoing: VecDeque<Vec<u8>>,
    counters: NetCounters,
}

impl core::fmt::Debug for Net {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Net")
            .field("link", &self.link)
            .field("counters", &self.counters)
            .finish_non_exhaustive()
    }
}

impl Net {
    /// For a configuration that was checked.
    pub fn new(config: &Config, now: Ticks) -> Self {
        Self {
            link: Link { mac: config.mac, vlan_tci: config.vlan_tci },
            routes: Routes::new(config),
            neighbours: Neighbours::new(config.timing.resolve, config.timing.neighbour),
            stack: Stack::new(config, now),
            outgoing: VecDeque::new(),
            counters: NetCounters::default(),
        }
    }

    /// What was not used so far.
    pub fn counters(&self) -> NetCounters {
        self.counters
    }

    /// Addresses, prefixes, gateways.
    pub fn routes(&self) -> &Routes {
        &self.routes
    }

    /// The next frame to leave.
    pub fn pop(&mut self) -> Option<Vec<u8>> {
        self.outgoing.pop_front()
    }

    /// One frame from the raw ring.
    pub fn receive(&mut self, octets: &[u8], now: Ticks) -> Ingress {
        let Some(plain) = self.link.untag(octets) else {
            self.counters.foreign += 1;
            return Ingress::Done;
        };
        match frame::parse(&plain) {
            Received::Tcp { tuple, segment, source } => {
                let ours = self.routes.is_ours(tuple.local.ip()) && self.link.is_for_us(&plain);
                if ours && route::is_unicast(tuple.remote.ip()) {
                    return Ingress::Tcp { tuple, segment, source };
                }
                return Ingress::Done;
            }
            Received::BadTcp => {
                self.counters.malformed += 1;
                return Ingress::Done;
            }
            Received::Other => {}
        }
        if let Some(heard) = ask::learn(&plain, &self.routes) {
            let waiting = self.neighbours.learned(&heard, now);
            for (station, packet) in heard.station.into_iter().cycle().zip(waiting) {
                self.outgoing.push_back(self.link.wrap(station, &packet));
            }
        }
        let notice = icmp::notice(&plain).filter(|notice| self.routes.is_ours(notice.tuple.local.ip()));
        for answer in self.stack.receive(plain, now) {
            self.outgoing.push_back(self.link.tag(answer));
        }
        notice.map_or(Ingress::Done, Ingress::Notice)
    }

    /// Sends a segment by the route of its remote address.
    pub fn send(&mut self, tuple: &Tuple, segment: &Segment, now: Ticks) {
        let Some(hop) = self.routes.next_hop(tuple.remote.ip()) else { return };
        let packet = frame::packet(tuple, segment);
        match self.neighbours.lookup(hop, now) {
            Lookup::Known(mac) => self.outgoing.push_back(self.link.wrap(mac, &packet)),
            Lookup::Wait => {
                self.counters.unresolved += u64::from(!self.neighbours.hold(hop, packet));
                self.ask(now);
            }
        }
    }

    /// Sends a segment back to the station that a frame came from.
    pub fn reply(&mut self, station: MacAddr, tuple: &Tuple, segment: &Segment) {
        self.outgoing.push_back(self.link.wrap(station, &frame::packet(tuple, segment)));
    }

    /// Station address of the next hop to `remote`; if it is not known, it is asked for.
    pub fn station(&mut self, remote: IpAddr, now: Ticks) -> Option<MacAddr> {
        match self.neighbours.lookup(self.routes.next_hop(remote)?, now) {
            Lookup::Known(mac) => Some(mac),
            Lookup::Wait => {
                self.ask(now);
                None
            }
        }
    }

    /// Nobody needs `hop` any more: if it is not known, it is not asked for either.
    pub fn drop_question(&mut self, hop: IpAddr) {
        self.neighbours.drop_question(hop);
    }

    /// Next hops that did not answer since the last call.
    pub fn unreachable(&mut self) -> Vec<IpAddr> {
        self.neighbours.failed()
    }

    /// Next hops whose station address changed since the last call.
    pub fn moved(&mut self) -> Vec<(IpAddr, MacAddr)> {
        self.neighbours.moved()
    }

    /// When to call [`Net::expire`] next.
    pub fn due(&self) -> Option<Ticks> {
        self.neighbours.due()
    }

    /// Asks again for what is not resolved, gives up, forgets. `remotes` are the peers of all
    /// connections: their next hops are not forgotten.
    pub fn expire<I: Iterator<Item = IpAddr>>(&mut self, now: Ticks, remotes: impl Fn() -> I) {
        let routes = &self.routes;
        self.neighbours.expire(now, |hop| remotes().any(|remote| routes.next_hop(remote) == Some(hop)));
        self.ask(now);
    }

    /// How many next hops are being asked for.
    pub fn pending(&self) -> usize {
        self.neighbours.pending()
    }

    fn ask(&mut self, now: Ticks) {
        for (target, station) in self.neighbours.questions(now) {
            if let Some(source) = self.routes.source(target) {
                let (station, packet) = ask::question(self.link.mac, source, target, station);
                self.outgoing.push_back(self.link.frame(station, &packet));
            }
        }
    }
}
