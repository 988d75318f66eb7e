// SPDX-License-Identifier: MIT OR Apache-2.0
//! Firmware on a [`Device`], and one scripted [`Peer`] across a wire without loss.
use super::device::{untagged, Device};
use super::mpa::Frame;
use super::peer::{Peer, MAC};
use super::wire::{neighbour_answer, Seg};
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::config::{Address, Config};
use ferrowarp_firmware::port::QpId;
use ferrowarp_firmware::Manager;
use std::net::SocketAddr;

/// Station address of the device.
pub const DUT_MAC: [u8; 6] = [0x52, 0x54, 0, 0, 0, 1];
/// Port that the device listens on.
pub const PORT: u16 = 7_174;
/// Port of the peer.
pub const PEER_PORT: u16 = 20_000;

/// A configuration at 10.9.0.1/24 and fd00::1/64 with short times.
pub fn config() -> Config {
    let addresses = [("10.9.0.1", 24), ("fd00::1", 64)];
    let addresses = addresses.map(|(ip, prefix)| Address { ip: ip.parse().unwrap(), prefix });
    let mut config = Config::new(MacAddr(DUT_MAC), &addresses, *b"sixteen octets..");
    // a device that holds more Reads than the hardware of today
    (config.limits.ird, config.limits.ord) = (16, 16);
    let timing = &mut config.timing;
    (timing.rto_initial, timing.rto_max, timing.time_wait) = (200, 2_000, 1_000);
    (timing.open, timing.startup, timing.first_fpdu, timing.close) = (3_000, 1_500, 1_500, 1_500);
    (timing.resolve, timing.application) = (100, 3_000);
    config
}

/// The device's end for a listener.
pub fn dut() -> SocketAddr {
    ([10, 9, 0, 1], PORT).into()
}

/// The bench.
#[derive(Debug)]
pub struct Bench {
    /// The firmware.
    pub manager: Manager,
    /// The device under it.
    pub device: Device,
    /// The peer.
    pub peer: Peer,
    /// What the application heard and did not take.
    pub events: Vec<Event>,
    /// Frames of the device that are not TCP.
    pub others: Vec<Vec<u8>>,
}

impl Default for Bench {
    fn default() -> Self {
        Self::new(config())
    }
}

impl Bench {
    /// With a configuration, and a peer at 10.9.0.2.
    pub fn new(config: Config) -> Self {
        let peer = Peer::new(([10, 9, 0, 2], PEER_PORT).into(), 0xFFFF_FF00);
        let device = Device::default();
        let manager = Manager::new(config, Default::default()).expect("a possible configuration");
        Self { manager, device, peer, events: vec![], others: vec![] }
    }

    /// A frame of the peer arrives.
    pub fn send(&mut self, seg: &Seg) {
        self.device.deliver(seg.frame(MAC, DUT_MAC));
    }

    /// Octets of the peer arrive.
    pub fn say(&mut self, octets: &[u8]) {
        let seg = self.peer.data(octets);
        self.send(&seg);
        self.settle();
    }

    /// A startup frame of the peer arrives.
    pub fn frame(&mut self, frame: &Frame) {
        self.say(&frame.octets());
    }

    /// Everything that happens in one tick.
    ///
    /// # Panics
    /// If that has no end.
    pub fn settle(&mut self) {
        for _ in 0..1_000 {
            while self.manager.poll(&mut self.device) {}
            self.device.tick();
            let frames: Vec<_> = self.device.sent.drain(..).collect();
            if frames.is_empty() {
                while self.manager.poll(&mut self.device) {}
                self.events.extend(std::iter::from_fn(|| self.manager.next_event()));
                return;
            }
            for frame in frames {
                self.on_wire(&frame);
            }
        }
        panic!("frames without end in one tick: {:?}", self.peer.log.last());
    }

    fn on_wire(&mut self, frame: &[u8]) {
        let plain = untagged(frame);
        if let Some(answer) = neighbour_answer(&plain, &[self.peer.ours.ip()], MAC) {
            self.device.deliver(answer);
        }
        match Seg::parse(&plain) {
            Some(seg) if seg.to == self.peer.ours => {
                for answer in self.peer.absorb(&seg) {
                    self.send(&answer);
                }
            }
            _ => self.others.push(plain),
        }
    }

    /// Time passes.
    pub fn run(&mut self, ticks: u64) {
        self.settle();
        for _ in 0..ticks {
            self.device.now += 1;
            self.settle();
        }
    }

    /// The next event.
    ///
    /// # Panics
    /// If there is none.
    pub fn event(&mut self) -> Event {
        assert!(!self.events.is_empty(), "no event; commands {:?}", self.device.commands);
        self.events.remove(0)
    }

    /// The last event, whatever came before.
    pub fn outcome(&mut self) -> Option<Result<(), ferrowarp_firmware::error::ConnError>> {
        self.events.drain(..).find_map(|event| match event {
            Event::Ended { outcome, .. } => Some(outcome),
            _ => None,
        })
    }

    /// The device listens as responder.
    pub fn listen(&mut self) -> ListenerId {
        self.listen_then(Then::Respond)
    }

    /// The device listens.
    pub fn listen_then(&mut self, then: Then) -> ListenerId {
        let listen = Listen { port: PORT, address: None, backlog: 8, then };
        self.manager.listen(listen).expect("a free port")
    }

    /// The peer opens TCP.
    pub fn peer_connects(&mut self) {
        let to = match self.peer.ours {
            SocketAddr::V4(_) => dut(),
            SocketAddr::V6(_) => SocketAddr::new("fd00::1".parse().unwrap(), PORT),
        };
        let syn = self.peer.syn(to);
        self.send(&syn);
        self.settle();
    }

    /// The device opens a connection to the peer.
    pub fn connect(&mut self, then: Then) -> ConnId {
        let connect = Connect { remote: self.peer.ours, address: None, local_port: None, then };
        let id = self.manager.connect(connect).expect("a connection");
        self.settle();
        id
    }

    /// The device initiates on queue pair 1; the Request is in the peer's inbox.
    pub fn initiate(&mut self, how: Initiate) -> ConnId {
        self.connect(Then::Initiate(how))
    }

    /// Listens, is opened, gets this Request; the application's event.
    pub fn requested(&mut self, request: &Frame) -> (ConnId, Offer) {
        self.listen();
        self.peer_connects();
        self.frame(request);
        match self.event() {
            Event::Request { id, offer, .. } => (id, offer),
            other => panic!("{other:?} instead of a Request"),
        }
    }

    /// Accepts on queue pair 1; the Reply is what the peer has.
    pub fn accept(&mut self, id: ConnId) -> Vec<u8> {
        self.manager.accept(id, Accept::new(QpId(1))).expect("an acceptable Request");
        self.settle();
        std::mem::take(&mut self.peer.inbox)
    }

    /// Whether nothing of any connection is left but TIME-WAIT.
    pub fn is_clean(&self) -> bool {
        let audit = self.manager.audit();
        let held = audit.connections + audit.rows + audit.queue_pairs + audit.tuples + audit.commands;
        held + self.device.table.len() == 0 && !self.device.is_busy()
    }

    /// Why it failed.
    ///
    /// # Panics
    /// If it did not.
    pub fn failure(&mut self) -> ferrowarp_firmware::error::ConnError {
        match self.outcome() {
            Some(Err(error)) => error,
            other => panic!("{other:?} is no failure"),
        }
    }

    /// The terms of full operation.
    ///
    /// # Panics
    /// If it was not reached.
    pub fn terms(&mut self) -> Terms {
        let terms = self.events.drain(..).find_map(|event| match event {
            Event::Established { terms, .. } => Some(terms),
            _ => None,
        });
        terms.expect("an established connection")
    }

    /// Whether the device closed TCP.
    pub fn is_closed(&self) -> bool {
        self.peer.fin || self.peer.rst
    }
}

/// The device's Request on a bench with defaults.
pub fn request(how: Initiate) -> Vec<u8> {
    let mut bench = Bench::default();
    bench.initiate(how);
    bench.peer.inbox
}

/// A bench on which the device initiated and got these octets; its Request is not in the inbox any
/// more.
pub fn replied_octets(config: Config, how: Initiate, octets: &[u8]) -> Bench {
    let mut bench = Bench::new(config);
    bench.initiate(how);
    bench.peer.inbox.clear();
    bench.say(octets);
    bench
}

/// A bench on which the device initiated and got this Reply.
pub fn replied(how: Initiate, reply: &Frame) -> Bench {
    replied_octets(config(), how, &reply.octets())
}

/// The device's Reply to a Request, and the bench.
pub fn accepted(config: Config, request: &Frame, accept: Accept) -> (Bench, Vec<u8>) {
    let mut bench = Bench::new(config);
    let (id, _) = bench.requested(request);
    bench.manager.accept(id, accept).expect("an acceptable Request");
    bench.settle();
    let reply = std::mem::take(&mut bench.peer.inbox);
    (bench, reply)
}

/// A bench on which these octets came instead of a Request.
pub fn asked_octets(octets: &[u8]) -> Bench {
    let mut bench = Bench::default();
    bench.listen();
    bench.peer_connects();
    bench.say(octets);
    bench
}
