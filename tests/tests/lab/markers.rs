// SPDX-License-Identifier: MIT OR Apache-2.0
//! Markers between two simulated devices, asked for through the driver: the capture of one of them
//! is taken apart by plain code, which judges each marker, pointer and CRC, and both memories are
//! compared.
use ferrowarp::{
    AcceptOptions, Access, CompletionQueue, ConnectOptions, Connection, Device, Markers, MemoryRegion,
    ProtectionDomain, QpOptions, QueuePair, Remote, Status, TaggedOffset,
};
use ferrowarp_tests::driver::pair::{Scene, PATIENCE};
use ferrowarp_tests::fpdus::{Stream, Taken};
use ferrowarp_tests::proves::{proves, proves_rows};
use ferrowarp_tool::tour::{guide, visit};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::net::SocketAddr;

/// Octets of the Writes, and of the Sends behind them: about an interval of markers, about a
/// segment, many segments.
const WRITES: [usize; 9] = [1, 4, 480, 488, 500, 1_022, 1_428, 1_429, 9_001];
const SENDS: [usize; 4] = [1, 486, 1_000, 3_000];
/// Octets of the Read.
const READ: usize = 7_003;
/// What a region has for each of the three.
const PART: usize = 16_384;
/// Octets that the tour writes and reads.
const TOUR: usize = 30_001;
/// RDMAP's octet of a Write.
const WRITE: u8 = 0x40;
const PORT: u16 = 7_000;

/// An end before it has a connection.
struct Place {
    _pd: ProtectionDomain,
    cq: CompletionQueue,
    qp: QueuePair,
    /// What is written, then what is sent, then what the peer reads.
    source: MemoryRegion,
    /// The same of the peer.
    sink: MemoryRegion,
}

impl Place {
    fn new(device: &Device, seed: u64) -> Self {
        let pd = device.protection_domain().expect("a domain");
        let cq = device.completion_queue(64).expect("a queue");
        let options = QpOptions::default().sends(32).receives(SENDS.len() as u32);
        let qp = device.queue_pair(&pd, [&cq, &cq], options).expect("a queue pair");
        let [source, sink] = [(); 2].map(|()| pd.allocate(3 * PART, Access::ALL).expect("a region"));
        let mut octets = vec![0; 3 * PART];
        ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut octets);
        source.memory().write(0, &octets).expect("octets");
        let place = Self { _pd: pd, cq, qp, source, sink };
        for (wr_id, (at, octets)) in (100..).zip(parts(&SENDS)) {
            let part = place.sink.segment(PART + at, octets).expect("a segment");
            place.qp.post_recv(wr_id, &[part]).expect("room");
        }
        place
    }

    /// Writes, sends and reads what there is, and waits until all of it is done and the peer's
    /// Sends have come.
    fn works(&self, connection: &Connection, peer: &Self) {
        let qp = connection.queue_pair();
        let at = |region: &MemoryRegion, at: usize| Remote {
            stag: region.stag(),
            to: TaggedOffset(region.to_base().0 + at as u64),
        };
        for (wr_id, (from, octets)) in (0..).zip(parts(&WRITES)) {
            let part = self.source.segment(from, octets).expect("a segment");
            qp.write(wr_id, &[part], at(&peer.sink, from)).post().expect("room");
        }
        for (wr_id, (from, octets)) in (50..).zip(parts(&SENDS)) {
            let part = self.source.segment(PART + from, octets).expect("a segment");
            qp.send(wr_id, &[part]).post().expect("room");
        }
        let part = self.sink.segment(2 * PART, READ).expect("a segment");
        qp.read(99, part, at(&peer.source, 2 * PART)).post().expect("room");
        for _ in 0..WRITES.len() + 2 * SENDS.len() + 1 {
            let done = self.cq.wait(PATIENCE).expect("a completion");
            assert_eq!(done.status, Status::Success, "{done:?}");
        }
    }

    /// What the peer has written and sent, and what was read of it, is in memory, and nothing else.
    fn holds(&self, peer: &Self) {
        let copy = |region: &MemoryRegion| region.memory().copy(0, 3 * PART).expect("octets");
        let (got, mut due) = (copy(&self.sink), copy(&peer.source));
        let ends = [WRITES.iter().sum(), SENDS.iter().sum(), READ];
        for (n, octets) in ends.into_iter().enumerate() {
            due[n * PART + octets..(n + 1) * PART].fill(0);
        }
        assert!(
            got == due,
            "the first octet that differs is {:?}",
            got.iter().zip(&due).position(|(g, d)| g != d)
        );
    }
}

/// Where messages of these octets lie, one behind the other.
fn parts(octets: &[usize]) -> Vec<(usize, usize)> {
    let place = |at: &mut usize, octets: &usize| {
        *at += octets;
        Some((*at - octets, *octets))
    };
    octets.iter().scan(0, place).collect()
}

/// How two devices meet.
#[derive(Clone, Copy)]
struct Net {
    /// The end of the first one.
    remote: &'static str,
    /// What both URLs have more.
    parts: &'static str,
}

const IPV4: Net = Net { remote: "10.0.0.1:7000", parts: "" };
const IPV6: Net = Net { remote: "[fd00::1]:7000", parts: "" };
const IPV6_VLAN: Net = Net { parts: "vlan=5:3", ..IPV6 };

/// A connection whose first device asks for markers by option, and whose second by URL, as `asks`
/// says; what both have sent.
fn exchanged(name: &str, asks: [bool; 2], net: Net) -> [Taken; 2] {
    let parts = [1, 2].map(|n| format!("ip=fd00::{n}/64;{}", net.parts));
    let markers = if asks[1] { "markers=on" } else { "" };
    let scene = Scene::new(name, [&parts[0], &format!("{};{markers}", parts[1])]);
    let [theirs, ours] = &scene.devices;
    let (near, far) = (Place::new(ours, 1), Place::new(theirs, 2));
    let listener = theirs.listen(PORT, 1).expect("a free port");
    let options = ConnectOptions::default().peer_to_peer(true).patience(PATIENCE);
    let accepts = AcceptOptions::default().markers(asks[0]).patience(PATIENCE);
    let remote = net.remote.parse().expect("an end");
    let (connection, accepted) = std::thread::scope(|scope| {
        let accepted = scope.spawn(|| {
            let request = listener.next(PATIENCE).expect("a request");
            assert_eq!(request.asks_markers(), asks[1]);
            request.accept(&far.qp, accepts).expect("a connection")
        });
        let connection = ours.connect(&near.qp, remote, options).expect("a connection");
        (connection, accepted.join().expect("no panic"))
    });
    assert_eq!(connection.markers(), Markers { sent: asks[0], received: asks[1] });
    assert_eq!(accepted.markers(), Markers { sent: asks[1], received: asks[0] });
    std::thread::scope(|scope| {
        scope.spawn(|| far.works(&accepted, &near));
        near.works(&connection, &far);
    });
    near.holds(&far);
    far.holds(&near);
    let written =
        [&far, &near].map(|place| place.source.memory().copy(0, WRITES.iter().sum()).expect("octets"));
    let ends = [remote, connection.local_addr()];
    std::thread::scope(|scope| {
        let closed = scope.spawn(|| accepted.disconnect(PATIENCE));
        connection.disconnect(PATIENCE).and(closed.join().expect("no panic")).expect("both have closed");
    });
    drop((near, far, listener));
    let streams = scene.streams(ends);
    assert_eq!(streams.each_ref().map(Stream::asks_markers), asks);
    let taken =
        [0, 1].map(|n| streams[n].taken(asks[1 - n]).unwrap_or_else(|why| panic!("device {n}: {why}")));
    for (taken, written) in taken.iter().zip(written) {
        assert!(payload(taken, WRITE) == written, "the Writes on the wire");
    }
    taken
}

/// Payload of the tagged segments of an opcode, in their order.
fn payload(taken: &Taken, opcode: u8) -> Vec<u8> {
    let tagged = taken.ulpdus.iter().filter(|ulpdu| ulpdu[0] & 0x80 != 0 && ulpdu[1] == opcode);
    tagged.flat_map(|ulpdu| ulpdu[14..].to_vec()).collect()
}

/// Markers of a direction, before a header, within an FPDU, before a CRC: many within.
fn has_markers(taken: &Taken) -> bool {
    taken.markers[0] > 0 && taken.markers[1] > 20
}

#[test]
fn markers_in_both_directions() {
    let _proof = proves_rows(&["MPA-4.3-03", "MPA-4.3-05", "MPA-4.3-23"]);
    let taken = exchanged("markers-both", [true, true], IPV4);
    assert!(taken.iter().all(has_markers), "{:?}", taken.map(|taken| taken.markers));
}

#[test]
fn markers_for_the_initiator_alone() {
    let _proof = proves("MPA-7.1.1-12");
    let [responder, initiator] = exchanged("markers-initiator", [false, true], IPV4);
    assert!(has_markers(&responder) && initiator.markers == [0; 3], "{:?}", responder.markers);
}

#[test]
fn markers_for_the_responder_alone() {
    let _proof = proves_rows(&["MPA-7.1.1-10", "MPA-4.3-30"]);
    let [responder, initiator] = exchanged("markers-responder", [true, false], IPV4);
    assert!(has_markers(&initiator) && responder.markers == [0; 3], "{:?}", initiator.markers);
}

/// Segments are 20 octets shorter than those over IPv4, and in a VLAN frames have a tag more.
#[test]
fn markers_over_ipv6_and_in_a_vlan() {
    for (name, net) in [("markers-ipv6", IPV6), ("markers-vlan", IPV6_VLAN)] {
        let taken = exchanged(name, [true, true], net);
        assert!(taken.iter().all(has_markers), "{name}: {:?}", taken.map(|taken| taken.markers));
    }
}

/// Every operation, the refused Write and its Terminate included.
#[test]
fn a_tour_with_markers() {
    let scene = Scene::new("markers-tour", ["markers=on"; 2]);
    let [theirs, ours] = &scene.devices;
    let listener = theirs.listen(0, 1).expect("a free port");
    let remote = SocketAddr::new([10, 0, 0, 1].into(), listener.local_addr().port());
    let (guided, seen) = std::thread::scope(|scope| {
        let guided = scope.spawn(|| guide(theirs, &listener, PATIENCE));
        let seen = visit(ours, remote, TOUR, PATIENCE);
        (guided.join().expect("no panic"), seen)
    });
    assert_eq!(guided.expect("a whole tour"), TOUR);
    let seen = seen.expect("a whole tour");
    assert!(seen.connection.ends_with("markers both ways"), "{}", seen.connection);
    let (local, _) = seen.connection.split_once(" to ").expect("two ends");
    let local = local.parse().expect("an end");
    drop(listener);
    let streams = scene.streams([remote, local]);
    let [server, client] = streams.map(|stream| stream.taken(true).expect("a stream with markers"));
    assert!(has_markers(&server) && has_markers(&client));
    let terminate = server.ulpdus.last().expect("FPDUs");
    assert_eq!((terminate[1] & 0x0F, &terminate[18..20]), (7, &[0x11, 0x00][..]), "1/1/00");
}
