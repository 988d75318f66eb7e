// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP open and close against smoltcp's own sockets, on a clean wire and on one that drops, doubles
//! and delays frames.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::ConnError;
use ferrowarp_firmware::port::QpId;
use ferrowarp_firmware::Manager;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::device::Device;
use ferrowarp_tests::fw::host::Host;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::proves::proves_model;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use smoltcp::socket::tcp::State;

/// The device and a host with smoltcp's stack, across a wire that drops, doubles and delays.
struct World {
    manager: Manager,
    device: Device,
    host: Host,
    rng: ChaCha8Rng,
    seed: u64,
    /// Of 100 frames, so many are dropped, as many are doubled, twice as many are late.
    trouble: u32,
    late: Vec<(u64, bool, Vec<u8>)>,
    /// Frames dropped, doubled, delayed.
    troubled: [u32; 3],
    events: Vec<Event>,
}

impl World {
    fn new(ip: &str, trouble: u32, seed: u64) -> Self {
        let mut config = config();
        config.timing.close = 20_000;
        config.timing.startup = 20_000;
        config.timing.first_fpdu = 20_000;
        config.timing.open = 20_000;
        config.timing.retries = 12;
        let manager = Manager::new(config, Default::default()).expect("a possible configuration");
        let host = Host::new(ip.parse().expect("an address"));
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self {
            manager,
            device: Device::default(),
            host,
            rng,
            seed,
            trouble,
            late: vec![],
            troubled: [0; 3],
            events: vec![],
        }
    }

    fn put(&mut self, to_host: bool, frame: Vec<u8>) {
        let roll = self.rng.random_range(0..100);
        let copies = match roll {
            r if r < self.trouble => 0,
            r if r < 2 * self.trouble => 2,
            _ => 1,
        };
        self.troubled[0] += u32::from(copies == 0);
        self.troubled[1] += u32::from(copies == 2);
        for _ in 0..copies {
            let late = self.rng.random_range(0..100) < 2 * self.trouble;
            self.troubled[2] += u32::from(late);
            let delay = if late { self.rng.random_range(1..40) } else { 1 };
            self.late.push((self.device.now + delay, to_host, frame.clone()));
        }
    }

    fn tick(&mut self) {
        self.device.now += 1;
        let now = self.device.now;
        let (due, late) = std::mem::take(&mut self.late).into_iter().partition(|(at, ..)| *at <= now);
        self.late = late;
        let due: Vec<(u64, bool, Vec<u8>)> = due;
        for (_, to_host, frame) in due {
            match to_host {
                true => self.host.deliver(frame),
                false => self.device.deliver(frame),
            }
        }
        while self.manager.poll(&mut self.device) {}
        self.device.tick();
        while self.manager.poll(&mut self.device) {}
        for frame in std::mem::take(&mut self.device.sent) {
            self.put(true, frame);
        }
        for frame in self.host.poll(now) {
            self.put(false, frame);
        }
        self.events.extend(std::iter::from_fn(|| self.manager.next_event()));
    }

    /// Until it is so.
    fn until(&mut self, what: &str, mut so: impl FnMut(&mut Self) -> bool) {
        for _ in 0..60_000 {
            if so(self) {
                return;
            }
            self.tick();
        }
        panic!("seed {}: not in 60 s: {what}; {:?} {:?}", self.seed, self.manager.audit(), self.events);
    }

    fn ended(&self) -> Option<&Result<(), ConnError>> {
        self.events
            .iter()
            .find_map(|e| if let Event::Ended { outcome, .. } = e { Some(outcome) } else { None })
    }
}

/// Open by us, a Request, a Reply, one FPDU, close; `who_closes`: us, the host, both at once.
fn initiator_case(ip: &str, trouble: u32, seed: u64, who_closes: usize) -> [u32; 3] {
    let mut world = World::new(ip, trouble, seed);
    let handle = world.host.listen(7_000);
    let remote = (ip.parse::<std::net::IpAddr>().expect("an address"), 7_000).into();
    let how = Initiate { peer_to_peer: true, ..Initiate::new(QpId(1)) };
    let connect = Connect { remote, address: None, local_port: None, then: Then::Initiate(how) };
    let id = world.manager.connect(connect).expect("a connection");
    let mut heard = vec![];
    world.until("the Request", |w| {
        heard.extend(take(w, handle));
        heard.len() >= 24
    });
    world
        .host
        .get(handle)
        .send_slice(&Frame::reply().enhanced(0x8010_8010).octets())
        .expect("an open socket");
    world.until("the first FPDU", |w| {
        heard.extend(take(w, handle));
        heard.len() >= 44
    });
    assert_eq!(heard[24..], empty_write());
    world.until("established", |w| w.events.iter().any(|e| matches!(e, Event::Established { .. })));
    close(&mut world, handle, id, who_closes)
}

/// Open by the host.
fn responder_case(ip: &str, trouble: u32, seed: u64, who_closes: usize) -> [u32; 3] {
    let mut world = World::new(ip, trouble, seed);
    world
        .manager
        .listen(Listen { port: PORT, address: None, backlog: 4, then: Then::Respond })
        .expect("a port");
    let ours = if ip.contains(':') { "fd00::1" } else { "10.9.0.1" };
    let remote = (ours.parse::<std::net::IpAddr>().expect("an address"), PORT).into();
    let handle = world.host.connect(remote, 30_000);
    world.until("open", |w| w.host.get(handle).may_send());
    world.host.get(handle).send_slice(&Frame::request().octets()).expect("an open socket");
    world.until("the Request", |w| w.events.iter().any(|e| matches!(e, Event::Request { .. })));
    let id = world.events[0].id();
    world.manager.accept(id, Accept::new(QpId(1))).expect("a Request");
    let mut heard = vec![];
    world.until("the Reply", |w| {
        heard.extend(take(w, handle));
        heard.len() >= 20
    });
    assert_eq!((heard.len(), &heard[..16]), (20, &b"MPA ID Rep Frame"[..]));
    world.host.get(handle).send_slice(&empty_write()).expect("an open socket");
    world.until("established", |w| w.events.iter().any(|e| matches!(e, Event::Established { .. })));
    close(&mut world, handle, id, who_closes)
}

fn take(world: &mut World, handle: smoltcp::iface::SocketHandle) -> Vec<u8> {
    let socket = world.host.get(handle);
    if !socket.can_recv() {
        return vec![];
    }
    socket.recv(|octets| (octets.len(), octets.to_vec())).expect("octets")
}

/// Closes, and gives what the wire did to the frames.
fn close(world: &mut World, handle: smoltcp::iface::SocketHandle, id: ConnId, who: usize) -> [u32; 3] {
    if who != 1 {
        world.manager.close(id).expect("established");
    }
    if who != 0 {
        world.host.get(handle).close();
    }
    if who == 0 {
        world.until("our FIN", |w| w.host.get(handle).state() == State::CloseWait);
        world.host.get(handle).close();
    }
    if who == 1 {
        world.until("its FIN", |w| w.events.iter().any(|e| matches!(e, Event::PeerClosed { .. })));
        world.manager.close(id).expect("half closed");
    }
    world.until("the end", |w| w.ended().is_some());
    assert_eq!(world.ended(), Some(&Ok(())));
    world.until("the host's end", |w| matches!(w.host.get(handle).state(), State::Closed | State::TimeWait));
    world.until("nothing left", |w| w.manager.audit().time_waits == 0);
    let audit = world.manager.audit();
    assert_eq!((audit.connections, audit.rows, audit.tuples, audit.commands), (0, 0, 0, 0));
    world.troubled
}

#[test]
fn open_and_close_with_smoltcp_on_a_clean_wire() {
    for ip in ["10.9.0.2", "fd00::2"] {
        for who in 0..3 {
            assert_eq!(initiator_case(ip, 0, 1, who), [0; 3]);
            assert_eq!(responder_case(ip, 0, 2, who), [0; 3]);
        }
    }
}

#[test]
fn open_and_close_with_smoltcp_on_a_bad_wire() {
    let _proof = proves_model("MPA-7.1.5-06");
    let mut troubled = [0; 3];
    for seed in 0..24 {
        let ip = if seed % 2 == 0 { "10.9.0.2" } else { "fd00::2" };
        for seen in [
            initiator_case(ip, 10, seed, (seed % 3) as usize),
            responder_case(ip, 10, 1_000 + seed, (seed % 3) as usize),
        ] {
            troubled = [0, 1, 2].map(|i| troubled[i] + seen[i]);
        }
    }
    assert!(troubled.iter().all(|n| *n > 48), "one of each a connection, at least: {troubled:?}");
}

#[test]
fn a_closed_port_of_smoltcp_refuses() {
    let mut world = World::new("10.9.0.2", 0, 3);
    let connect =
        Connect { remote: ([10, 9, 0, 2], 9).into(), address: None, local_port: None, then: Then::Stream };
    world.manager.connect(connect).expect("a connection");
    world.until("the end", |w| w.ended().is_some());
    assert_eq!(world.ended(), Some(&Err(ConnError::Refused(([10, 9, 0, 2], 9).into()))));
    assert_eq!(world.manager.audit().connections, 0);
}

#[test]
fn a_reset_of_smoltcp_ends_the_connection() {
    let mut world = World::new("10.9.0.2", 0, 4);
    let handle = world.host.listen(7_000);
    let remote = ([10, 9, 0, 2], 7_000).into();
    world
        .manager
        .connect(Connect { remote, address: None, local_port: None, then: Then::Stream })
        .expect("a connection");
    world.until("open", |w| w.host.get(handle).may_send());
    world.tick();
    world.host.get(handle).abort();
    world.until("the end", |w| w.ended().is_some());
    assert_eq!(world.ended(), Some(&Err(ConnError::Reset)));
}
