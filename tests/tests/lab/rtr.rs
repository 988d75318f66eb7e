// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which ready-to-receive message a peer-to-peer connection begins with (RFC 6581 section 9.2),
//! asked for through the driver: two simulated devices and the capture of one, or one device and a
//! scripted peer.
use ferrowarp::{AcceptOptions, CallError, ConnectOptions, Error, RtrSet};
use ferrowarp_tests::driver::lab::Lab;
use ferrowarp_tests::driver::pair::{Scene, PATIENCE};
use ferrowarp_tests::driver::place::Place;
use ferrowarp_tests::driver::segments::TAGGED;
use ferrowarp_tests::driver::talk::{options, Talk, PEER_TO_PEER};
use ferrowarp_tests::fpdus::Stream;
use ferrowarp_tests::fw::bench::PORT;
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::mpa_model::{fpdu, hex};
use ferrowarp_tests::proves::{proves, proves_rows};
use std::net::SocketAddr;

const NONE: RtrSet = RtrSet { send: false, write: false, read: false };
const SEND: RtrSet = RtrSet { send: true, ..NONE };
const WRITE: RtrSet = RtrSet { write: true, ..NONE };
const READ: RtrSet = RtrSet { read: true, ..NONE };
const ALL: RtrSet = RtrSet { send: true, write: true, read: true };
/// C of a startup frame.
const C: u8 = 0x40;

/// Flags A, B, C and D of an enhanced startup frame.
fn flags(frame: &[u8]) -> (bool, RtrSet) {
    let has = |at: usize, bit: u8| frame[at] & bit != 0;
    (has(20, 0x80), RtrSet { send: has(20, 0x40), write: has(22, 0x80), read: has(22, 0x40) })
}

/// The FPDU of a Write of 0 octets; STag and TO are not looked at by whoever takes it (RFC 5041
/// section 5.2).
fn empty_write() -> Vec<u8> {
    fpdu(&hex("c140 00000000 0000000000000000"), 0, false, true)
}

/// What was on the wire of a connection.
struct Seen {
    /// Flags of Request and Reply.
    offered: (bool, RtrSet),
    taken: (bool, RtrSet),
    /// Full operation of the initiator in octets, and ULPDUs of both ends.
    octets: Vec<u8>,
    ulpdus: [Vec<Vec<u8>>; 2],
}

impl Seen {
    fn of([initiator, responder]: [&Stream; 2]) -> Self {
        let ulpdus = |stream: &Stream| stream.taken(false).expect("good FPDUs").ulpdus;
        Self {
            offered: flags(initiator.startup()),
            taken: flags(responder.startup()),
            octets: initiator.operation().to_vec(),
            ulpdus: [initiator, responder].map(ulpdus),
        }
    }

    /// RDMAP's octets of what an end has sent, and the MSNs of its Sends.
    fn opcodes(&self, end: usize) -> (Vec<u8>, Vec<u8>) {
        let sends = self.ulpdus[end].iter().filter(|ulpdu| ulpdu[1] == 0x43);
        let msns = sends.map(|ulpdu| ulpdu[13]).collect();
        (self.ulpdus[end].iter().map(|ulpdu| ulpdu[1]).collect(), msns)
    }
}

/// Connects the second device to this port of the first one, which writes and sends, as the second
/// one does; both ends.
fn exchanges(scene: &Scene, port: u16, offers: ConnectOptions, takes_rtr: bool) -> [SocketAddr; 2] {
    let [theirs, ours] = &scene.devices;
    let (near, far) = (Place::new(ours, 0xA5), Place::new(theirs, 0x5A));
    let listener = theirs.listen(port, 1).expect("a free port");
    let remote = SocketAddr::new([10, 0, 0, 1].into(), port);
    let offers = offers.patience(PATIENCE);
    std::thread::scope(|scope| {
        let responder = scope.spawn(|| {
            let request = listener.next(PATIENCE).expect("a request");
            let accepts = AcceptOptions::default().patience(PATIENCE);
            let connection = request.accept(&far.qp, accepts).expect("a connection");
            far.works(&connection, &near, takes_rtr);
            connection
        });
        let connection = ours.connect(&near.qp, remote, offers).expect("a connection");
        near.works(&connection, &far, false);
        let accepted = responder.join().expect("no panic");
        near.holds(0x5A);
        far.holds(0xA5);
        let local = connection.local_addr();
        let closed = scope.spawn(|| accepted.disconnect(PATIENCE));
        connection.disconnect(PATIENCE).and(closed.join().expect("no panic")).expect("both have closed");
        [local, remote]
    })
}

fn peer_to_peer(rtr: Option<RtrSet>) -> ConnectOptions {
    ConnectOptions::default().peer_to_peer(true).rtr(rtr)
}

/// The first by URL, the others by option.
#[test]
fn each_kind_alone_is_the_first_fpdu() {
    let _proof = proves_rows(&["MPA2-1.1-01", "MPA2-9.2-05", "MPA2-9.2-12"]);
    let scene = Scene::new("rtr-alone", ["rtr=write,read,send", "rtr=send"]);
    let cases = [(None, SEND), (Some(WRITE), WRITE), (Some(READ), READ)];
    let ends = cases.map(|(rtr, kind)| {
        let port = 7_000 + u16::from(kind.write) + 2 * u16::from(kind.read);
        exchanges(&scene, port, peer_to_peer(rtr), kind.send)
    });
    let [a, b, c] = ends;
    let [a, a_peer, b, b_peer, c, c_peer] = scene.streams([a[0], a[1], b[0], b[1], c[0], c[1]]);
    let [by_send, by_write, by_read] = [[&a, &a_peer], [&b, &b_peer], [&c, &c_peer]].map(Seen::of);
    for (seen, kind) in [(&by_send, SEND), (&by_write, WRITE), (&by_read, READ)] {
        assert_eq!((seen.offered, seen.taken), ((true, kind), (true, kind)));
    }
    assert_eq!(by_send.octets[..24], hex("0012 4143 00000000 00000000 00000001 00000000 587be8c4"));
    assert_eq!(by_send.opcodes(0), (vec![0x43, 0x40, 0x43], vec![1, 2]));
    assert_eq!(by_send.opcodes(1), (vec![0x40, 0x43], vec![1]));

    assert_eq!(by_write.octets[..20], empty_write());
    assert_eq!(by_write.opcodes(0), (vec![0x40, 0x40, 0x43], vec![1]));
    assert_eq!(by_write.opcodes(1), (vec![0x40, 0x43], vec![1]));

    assert_eq!(by_read.octets[..20], hex("002e 4141 00000000 00000001 00000001 00000000"));
    assert_eq!(by_read.octets[32..36], [0; 4], "it reads nothing");
    assert_eq!(by_read.opcodes(0), (vec![0x41, 0x40, 0x43], vec![1]));
    let (sink, answer) = (&by_read.octets[20..32], &by_read.ulpdus[1][0]);
    assert_eq!((&answer[..2], &answer[2..]), (&[0xC1, 0x42][..], sink), "an answer of 0 octets");
    assert_eq!(by_read.opcodes(1), (vec![0x42, 0x40, 0x43], vec![1]));
}

/// Without a word about kinds: as ever. With all of them: the kinds that cost nothing come first.
#[test]
fn the_kinds_that_cost_nothing_come_first() {
    let scene = Scene::new("rtr-all", ["rtr=write,read,send", ""]);
    let of_url = exchanges(&scene, 7_000, peer_to_peer(None), false);
    let all = exchanges(&scene, 7_001, peer_to_peer(Some(ALL)), false);
    let [a, a_peer, b, b_peer] = scene.streams([of_url[0], of_url[1], all[0], all[1]]);
    let free = RtrSet { send: false, ..ALL };
    for (ends, offered) in [([&a, &a_peer], free), ([&b, &b_peer], ALL)] {
        let seen = Seen::of(ends);
        assert_eq!((seen.offered, seen.taken), ((true, offered), (true, offered)));
        assert_eq!(seen.octets[..20], empty_write());
        assert_eq!(seen.opcodes(0), (vec![0x40, 0x40, 0x43], vec![1]));
    }
}

#[test]
fn without_a_kind_the_first_fpdu_is_the_applications() {
    let _proof = proves("MPA-7.1.2-18");
    let scene = Scene::new("rtr-none", ["rtr=send"; 2]);
    let ends = exchanges(&scene, 7_000, ConnectOptions::default(), false);
    let streams = scene.streams(ends);
    let seen = Seen::of(streams.each_ref());
    assert_eq!((seen.offered, seen.taken), ((false, NONE), (false, NONE)));
    assert_eq!(seen.opcodes(0), (vec![0x40, 0x43], vec![1]));
    assert_eq!(seen.opcodes(1), (vec![0x40, 0x43], vec![1]));
}

#[test]
fn flags_of_the_request_follow_the_kinds() {
    let _proof = proves_rows(&["MPA2-9-06", "MPA2-9-07", "MPA2-9-08"]);
    for crc in ["on", "off"] {
        let mut lab = Lab::with(&format!("rtr-flags-{crc}"), &format!("rtr=send;crc={crc}"));
        let reply = Frame::reply().enhanced(PEER_TO_PEER);
        for (port, (rtr, kinds)) in
            (22_000..).zip([(None, SEND), (Some(WRITE), WRITE), (Some(READ), READ), (Some(ALL), ALL)])
        {
            let options = options().peer_to_peer(true).rtr(rtr);
            let (_ours, request) = Talk::initiate(&mut lab, port, options, &reply);
            assert_eq!(flags(&request), (true, kinds));
            assert_eq!(request[16] & C != 0, crc == "on");
        }
    }
}

/// The Request offers all three, and so does the Reply, or it takes fewer.
#[test]
fn an_initiator_sends_one_of_the_kinds_that_both_have() {
    let _proof = proves("MPA2-1.1-03");
    let mut lab = Lab::with("rtr-one", "rtr=write,read,send");
    let cases = [
        (PEER_TO_PEER, 0x40),
        (0xC004_8004, 0x40),
        (0x8004_C004, 0x40),
        (0xC004_4004, 0x41),
        (0x8004_4004, 0x41),
        (0xC004_0004, 0x43),
    ];
    for (port, (words, kind)) in (22_000..).zip(cases) {
        let options = options().peer_to_peer(true);
        let (ours, request) = Talk::initiate(&mut lab, port, options, &Frame::reply().enhanced(words));
        assert_eq!(flags(&request), (true, ALL));
        lab.until("an FPDU", |lab| !lab.peer.inbox.is_empty());
        let first = lab.ulpdus(true).remove(0);
        assert_eq!(first[1], kind, "{words:#x}");
        if kind == 0x41 {
            // it reads nothing
            lab.ulpdu(&[&[TAGGED, 0x42][..], &first[18..30]].concat());
        }
        ours.works(&mut lab);
        let sent: Vec<_> = lab.ulpdus(true).iter().map(|ulpdu| ulpdu[1]).collect();
        assert_eq!(sent, [kind, 0x43], "{words:#x}: one of them, and a Send");
    }
}

/// By URL, and by option: each kind that the initiator offers and the application names (RFC 6581
/// section 9.2).
#[test]
fn a_responder_takes_the_kinds_that_it_is_given() {
    let mut lab = Lab::with("rtr-responder", "rtr=read");
    let listener = lab.device.listen(PORT, 8).expect("a free port");
    let request = Frame::request().enhanced(PEER_TO_PEER);
    for (port, (rtr, taken)) in (22_000..).zip([(None, READ), (Some(SEND), SEND), (Some(ALL), ALL)]) {
        let options = options().rtr(rtr);
        let (ours, reply) = Talk::respond(&mut lab, port, &listener, options, &request);
        assert_eq!(flags(&reply), (true, taken), "{rtr:?}");
        ours.works(&mut lab);
    }
}

#[test]
fn a_peer_to_peer_connection_without_a_kind_is_refused() {
    let mut lab = Lab::new("rtr-refused");
    lab.meet(22_000, 7);
    let (_cq, qp) = lab.queue_pair();
    let nothing = || options().peer_to_peer(true).rtr(NONE);
    let refused = lab.device.connect(&qp, lab.peer.ours, nothing()).map(drop).expect_err("no kind");
    assert!(matches!(refused, Error::Call(CallError::NoRtr)), "{refused}");
    let listener = lab.device.listen(PORT, 8).expect("a free port");
    let request = Frame::request().enhanced(PEER_TO_PEER);
    let app = Talk::accept(&mut lab, &listener, &qp, nothing(), &request);
    let refused = lab.finish("a refusal", app).map(drop).expect_err("no kind");
    assert!(matches!(refused, Error::Call(CallError::NoRtr)), "{refused}");
    lab.until("the end", |lab| lab.peer.rst || lab.peer.fin);
    assert!(lab.peer.inbox.is_empty(), "no Reply");
}
