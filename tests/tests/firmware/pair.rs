// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two of our own ends against each other: whatever one side says, the other understands.
use ferrowarp_abi::types::MacAddr;
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::config::{Address, Config, CrcPolicy};
use ferrowarp_firmware::error::ConnError;
use ferrowarp_firmware::mpa::negotiate::{Depth, RtrSet, Wanted};
use ferrowarp_firmware::port::{QpId, Rtr};
use ferrowarp_firmware::Manager;
use ferrowarp_tests::fw::bench::{config, PORT};
use ferrowarp_tests::fw::device::{Delays, Device};
use ferrowarp_tests::proves::proves_model_rows;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

struct Side {
    manager: Manager,
    device: Device,
    events: Vec<Event>,
}

/// Two ends and a wire that drops `loss` of 100 frames.
struct Pair {
    sides: [Side; 2],
    rng: ChaCha8Rng,
    loss: u32,
}

impl Pair {
    fn new(change: impl Fn(usize, &mut Config), loss: u32, seed: u64) -> Self {
        let side = |n: usize| {
            let mut config = config();
            config.mac = MacAddr([2, 0, 0, 0, 0, 1 + n as u8]);
            config.addresses = vec![Address { ip: [10, 9, 0, 1 + n as u8].into(), prefix: 24 }];
            change(n, &mut config);
            let manager = Manager::new(config, Default::default()).expect("a possible configuration");
            let mut device = Device::default();
            device.delays = Delays { visible: n as u32, answer: 1 };
            Side { manager, device, events: vec![] }
        };
        Self { sides: [side(0), side(1)], rng: ChaCha8Rng::seed_from_u64(seed), loss }
    }

    fn tick(&mut self) {
        for n in 0..2 {
            let side = &mut self.sides[n];
            side.device.now += 1;
            while side.manager.poll(&mut side.device) {}
            side.device.tick();
            while side.manager.poll(&mut side.device) {}
            side.events.extend(std::iter::from_fn(|| side.manager.next_event()));
            let frames = std::mem::take(&mut side.device.sent);
            for frame in frames {
                if self.rng.random_range(0..100) >= self.loss {
                    self.sides[1 - n].device.deliver(frame);
                }
            }
            // others talk, too: what waits for frames goes on
            self.sides[n].device.deliver(vec![0xFF; 60]);
        }
    }

    fn until(&mut self, what: &str, so: impl Fn(&Self) -> bool) {
        for _ in 0..30_000 {
            if so(self) {
                return;
            }
            self.tick();
        }
        panic!("never: {what}; {:?} {:?}", self.sides[0].events, self.sides[1].events);
    }

    fn has(&self, side: usize, pick: fn(&Event) -> bool) -> bool {
        self.sides[side].events.iter().any(pick)
    }

    fn take(&mut self, side: usize, pick: fn(&Event) -> bool) -> Event {
        let events = &mut self.sides[side].events;
        let place = events.iter().position(pick).expect("the event");
        events.remove(place)
    }

    /// Side 0 initiates on queue pair 3, side 1 accepts on 4. Returns both connections.
    fn open(&mut self, how: Initiate, accept: Accept) -> (ConnId, ConnId) {
        let listen = Listen { port: PORT, address: None, backlog: 4, then: Then::Respond };
        self.sides[1].manager.listen(listen).expect("a port");
        let connect = Connect {
            remote: ([10, 9, 0, 2], PORT).into(),
            address: None,
            local_port: None,
            then: Then::Initiate(how),
        };
        let id = self.sides[0].manager.connect(connect).expect("a connection");
        self.until("the Request", |p| p.has(1, |e| matches!(e, Event::Request { .. })));
        let peer = self.sides[1].events[0].id();
        self.sides[1].manager.accept(peer, accept).expect("a Request");
        (id, peer)
    }

    fn established(&mut self, side: usize) -> (Terms, Offer) {
        match self.take(side, |e| matches!(e, Event::Established { .. })) {
            Event::Established { terms, offer, .. } => (terms, offer),
            other => panic!("{other:?}"),
        }
    }

    fn is_clean(&self) -> bool {
        self.sides.iter().all(|side| {
            let audit = side.manager.audit();
            audit.connections + audit.rows + audit.tuples + audit.commands + side.device.table.len() == 0
        })
    }
}

fn is_established(event: &Event) -> bool {
    matches!(event, Event::Established { .. })
}

fn is_ended(event: &Event) -> bool {
    matches!(event, Event::Ended { .. })
}

#[test]
fn every_item_is_told_to_both_applications() {
    let _proof = proves_model_rows(&["MPA2-1-02", "MPA2-4.3-02"]);
    let mut pair = Pair::new(|_, _| {}, 0, 1);
    let how = Initiate {
        private_data: b"to you".to_vec(),
        wanted: Wanted::new(5, 7),
        peer_to_peer: true,
        ..Initiate::new(QpId(3))
    };
    let accept =
        Accept { private_data: b"and back".to_vec(), wanted: Wanted::new(6, 4), ..Accept::new(QpId(4)) };
    pair.open(how, accept);
    let Event::Request { remote, local, offer, .. } = pair.take(1, |e| matches!(e, Event::Request { .. }))
    else {
        panic!("no Request")
    };
    assert_eq!((remote.ip().to_string(), local.port()), ("10.9.0.1".into(), PORT));
    assert_eq!((&offer.private_data[..], offer.peer_to_peer), (&b"to you"[..], true));
    assert_eq!(offer.depths, Some((Depth::Reads(5), Depth::Reads(7))));
    pair.until("both established", |p| p.has(0, is_established) && p.has(1, is_established));
    let (ours, answer) = pair.established(0);
    let (theirs, _) = pair.established(1);
    assert_eq!(answer.private_data, b"and back");
    assert_eq!((ours.agreed.ird, ours.agreed.ord, ours.agreed.rtr), (5, 7, Some(Rtr::Write)));
    assert_eq!((theirs.agreed.ird, theirs.agreed.ord), (7, 4));
}

#[test]
fn every_combination_of_options_is_established_and_closed() {
    for n in 0..48_usize {
        let kinds = [(true, false, false), (false, true, false), (false, false, true)][n % 3];
        let rtr = RtrSet { send: kinds.0, write: kinds.1, read: kinds.2 };
        let crc = |side: usize| {
            if n >> (2 + side) & 1 == 0 {
                CrcPolicy::Wanted
            } else {
                CrcPolicy::AdministratorSaysNo
            }
        };
        let change = |side: usize, config: &mut Config| {
            config.crc = crc(side);
            config.limits.rtr = RtrSet { send: true, write: true, read: true };
        };
        let mut pair = Pair::new(change, 0, n as u64);
        let how = Initiate { peer_to_peer: true, rtr, enhanced: n < 36, ..Initiate::new(QpId(3)) };
        let how = if n < 36 { how } else { Initiate { peer_to_peer: false, ..how } };
        let waits = !how.peer_to_peer;
        let (id, peer) = pair.open(how, Accept::new(QpId(4)));
        pair.until("the initiator", |p| p.has(0, is_established));
        if !waits {
            pair.until("the responder", |p| p.has(1, is_established));
            let (a, b) = (pair.established(0).0, pair.established(1).0);
            assert_eq!((a.crc, a.tx_markers, a.rx_markers), (b.crc, b.rx_markers, b.tx_markers));
            assert_eq!(a.crc, (0..2).any(|side| crc(side) == CrcPolicy::Wanted));
        }
        let (first, second) = if n % 2 == 0 { ((0, id), (1, peer)) } else { ((1, peer), (0, id)) };
        pair.sides[first.0].manager.close(first.1).expect("open");
        if waits {
            // no FPDU ever came: the responder ends by itself
            pair.until("the end", |p| p.has(1, is_ended));
            pair.sides[0].manager.close(id).ok();
        } else {
            pair.until("the FIN", |p| p.has(second.0, |e| matches!(e, Event::PeerClosed { .. })));
            pair.sides[second.0].manager.close(second.1).expect("half closed");
        }
        pair.until("both ends", |p| p.has(0, is_ended) && p.has(1, is_ended));
        pair.until("nothing left", Pair::is_clean);
    }
}

#[test]
fn a_lossy_wire_changes_nothing() {
    for seed in 0..30 {
        let mut pair = Pair::new(|_, config| config.timing.startup = 20_000, 15, seed);
        pair.sides.iter_mut().for_each(|side| side.device.delays = Delays { visible: 5, answer: 9 });
        let how = Initiate { peer_to_peer: true, ..Initiate::new(QpId(3)) };
        let (id, peer) = pair.open(how, Accept::new(QpId(4)));
        let ended = |p: &Pair| p.has(0, is_ended) || p.has(1, is_ended);
        pair.until("both established", |p| ended(p) || p.has(0, is_established) && p.has(1, is_established));
        assert!(!ended(&pair), "seed {seed}: {:?} {:?}", pair.sides[0].events, pair.sides[1].events);
        pair.sides[0].manager.close(id).expect("open");
        pair.sides[1].manager.close(peer).expect("open");
        pair.until("nothing left", Pair::is_clean);
    }
}

#[test]
fn two_initiators_and_two_responders_find_out() {
    // two initiators: each gets a Request where a Reply is due
    let mut pair = Pair::new(|_, _| {}, 0, 2);
    let then = Then::Initiate(Initiate::new(QpId(4)));
    pair.sides[1].manager.listen(Listen { port: PORT, address: None, backlog: 1, then }).expect("a port");
    let then = Then::Initiate(Initiate::new(QpId(3)));
    let connect =
        |then| Connect { remote: ([10, 9, 0, 2], PORT).into(), address: None, local_port: None, then };
    pair.sides[0].manager.connect(connect(then)).expect("a connection");
    pair.until("an error", |p| p.has(0, is_ended) || p.has(1, is_ended));
    pair.until("nothing left", Pair::is_clean);
    let bad = |e: &Event| matches!(e, Event::Ended { outcome: Err(ConnError::Frame(_)), .. });
    assert!(pair.has(0, bad) || pair.has(1, bad));
    // two responders: silence, then the timers
    let mut pair = Pair::new(|_, _| {}, 0, 3);
    let listen = Listen { port: PORT, address: None, backlog: 1, then: Then::Respond };
    pair.sides[1].manager.listen(listen).expect("a port");
    pair.sides[0].manager.connect(connect(Then::Respond)).expect("a connection");
    pair.until("the timers", |p| p.has(0, is_ended) && p.has(1, is_ended));
    assert!(pair.is_clean());
}
