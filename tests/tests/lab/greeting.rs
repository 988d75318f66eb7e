// SPDX-License-Identifier: MIT OR Apache-2.0
//! Greetings in raw mode before MPA, asked for by URL and by option: the driver on a simulated
//! device, and a scripted peer (RFC 5044 sections 7.1 and 7.1.3).
use ferrowarp::{ConnError, ConnectOptions, Error, Greeting, GreetingError, Initiator, Listener, Startup};
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT, PEER_TO_PEER};
use ferrowarp_tests::fw::bench::PORT;
use ferrowarp_tests::fw::mpa::{empty_write, Frame, REPLY, REQUEST};
use std::net::SocketAddr;
use std::time::Duration;

/// Time in which nothing is to come.
const MOMENT: Duration = Duration::from_millis(300);
/// Longer than a peer may take for its line, in milliseconds.
const AGES: u64 = 61_000;
/// A line, and its octets on the wire.
const LINE: &str = "hello, peer";
const OURS: &[u8] = b"hello, peer\n";
const THEIRS: &[u8] = b"hello, device\n";
const HEARD: &[u8] = b"hello, device";

/// With this line, and with this initiator.
fn delayed(initiator: Initiator) -> Startup {
    Startup::Delayed(Greeting::new(LINE, initiator).expect("a line"))
}

/// What the device sends up to `octets` in all.
fn sent(lab: &mut Lab, octets: usize) -> Vec<u8> {
    lab.until("octets of the device", |lab| lab.peer.inbox.len() >= octets);
    lab.peer.inbox.clone()
}

/// Nothing more comes: the device waits.
fn waits(lab: &mut Lab, octets: usize) {
    let end = std::time::Instant::now() + MOMENT;
    lab.until("a moment", |_| std::time::Instant::now() > end);
    assert_eq!((lab.peer.inbox.len(), lab.peer.rst, lab.peer.fin), (octets, false, false));
}

/// The device opens TCP and greets first. Nothing of MPA leaves before the peer's line is whole.
fn opens(lab: &mut Lab, port: u16, options: ConnectOptions, initiator: Initiator) {
    lab.meet(port, 0xFFFF_FF80);
    let (cq, qp) = lab.queue_pair();
    let (remote, ours) = (lab.peer.ours, qp.clone());
    let app = lab.app(move |device| device.connect(&ours, remote, options));
    assert_eq!(sent(lab, OURS.len()), OURS);
    lab.say(&THEIRS[..5]);
    waits(lab, OURS.len());
    if initiator == Initiator::Connect {
        lab.say(&THEIRS[5..]);
        let octets = sent(lab, OURS.len() + 24);
        assert_eq!(octets[OURS.len()..][..16], REQUEST);
        lab.peer.inbox.clear();
        lab.frame(&Frame::reply().enhanced(CLIENT));
    } else {
        // the Request is in the segment of the line's end
        let request = Frame::request().enhanced(CLIENT).octets();
        lab.say(&[&THEIRS[5..], &request].concat());
        let octets = sent(lab, OURS.len() + 24);
        assert_eq!(octets[OURS.len()..][..16], REPLY);
        lab.peer.inbox.clear();
        lab.say(&empty_write());
    }
    let connection = lab.finish("the connection", app).expect("a peer that greets");
    assert_eq!(connection.greeting(), HEARD);
    Talk::over(lab, cq, connection).works(lab);
}

/// The peer opens TCP and greets first. The device answers with its line when the peer's is whole.
fn listens(lab: &mut Lab, port: u16, listener: &Listener, initiator: Initiator) {
    lab.meet(port, 0xFFFF_FF80);
    let (cq, qp) = lab.queue_pair();
    lab.opens(PORT);
    lab.say(&THEIRS[..5]);
    waits(lab, 0);
    lab.say(&THEIRS[5..]);
    assert_eq!(sent(lab, OURS.len()), OURS);
    let frame = if initiator == Initiator::Connect {
        lab.frame(&Frame::request().enhanced(CLIENT));
        Frame::reply()
    } else {
        waits(lab, OURS.len());
        Frame::request()
    };
    let request = listener.next(PATIENCE).expect("a peer that greets");
    if initiator == Initiator::Listen {
        // the application decides in its own time
        lab.backend.skip(AGES);
        waits(lab, OURS.len());
    }
    assert_eq!((request.greeting(), request.remote()), (HEARD, lab.peer.ours));
    lab.peer.inbox.clear();
    let app = lab.app(move |_| request.accept(&qp, options().into()));
    assert_eq!(sent(lab, 24)[..16], frame.octets()[..16]);
    lab.peer.inbox.clear();
    match initiator {
        Initiator::Connect => lab.say(&empty_write()),
        Initiator::Listen => lab.frame(&Frame::reply().enhanced(PEER_TO_PEER)),
    }
    let connection = lab.finish("the connection", app).expect("a good peer");
    assert_eq!(connection.greeting(), HEARD);
    Talk::over(lab, cq, connection).works(lab);
}

#[test]
fn both_ends_greet_before_mpa_by_url() {
    for (initiator, name) in [(Initiator::Connect, "connect"), (Initiator::Listen, "listen")] {
        let mut lab = Lab::with(&format!("greets-{name}"), &format!("raw={LINE};initiator={name}"));
        let before = lab.device.audit().expect("a device");
        opens(&mut lab, 22_000, options(), initiator);
        let listener = lab.device.listen(PORT, 8).expect("a free port");
        listens(&mut lab, 22_001, &listener, initiator);
        drop(listener);
        lab.leaves(before);
    }
}

/// An option has the last word over the URL, at both ends.
#[test]
fn an_option_says_when_mpa_starts() {
    let mut lab = Lab::with("greets-option", "raw=something else");
    let startup = Some(delayed(Initiator::Listen));
    opens(&mut lab, 22_000, options().startup(startup), Initiator::Listen);
    let any = SocketAddr::from(([0; 4], PORT));
    let listener = lab.device.listen_with(any, 8, delayed(Initiator::Listen)).expect("a free port");
    listens(&mut lab, 22_001, &listener, Initiator::Listen);
    drop(listener);
    // at once
    let startup = Some(Startup::Immediate);
    let at_once = options().startup(startup);
    let (ours, request) = Talk::initiate(&mut lab, 22_002, at_once, &Frame::reply().enhanced(CLIENT));
    assert_eq!((&request[..16], ours.connection.greeting()), (&REQUEST[..], &[][..]));
    let listener = lab.device.listen_with(any, 8, Startup::Immediate).expect("a free port");
    let request = Frame::request().enhanced(CLIENT);
    let (ours, reply) = Talk::respond(&mut lab, 22_003, &listener, options(), &request);
    assert_eq!((&reply[..16], ours.connection.greeting()), (&REPLY[..], &[][..]));
}

/// A peer that sends no line, closes, or is silent: each is told, and nothing stays.
#[test]
fn a_peer_that_does_not_greet_is_told_and_leaves_nothing() {
    let mut lab = Lab::with("greets-not", &format!("raw={LINE}"));
    let before = lab.device.audit().expect("a device");
    let connects = |lab: &mut Lab, port, patience| {
        lab.meet(port, 7);
        let (_cq, qp) = lab.queue_pair();
        let (remote, options) = (lab.peer.ours, options().patience(patience));
        let app = lab.app(move |device| device.connect(&qp, remote, options).map(drop));
        assert_eq!(sent(lab, OURS.len()), OURS);
        app
    };
    let app = connects(&mut lab, 22_000, PATIENCE);
    lab.say(&[b'x'; 300]);
    let told = lab.finish("a failure", app).expect_err("no line");
    assert!(matches!(told, Error::Greeting(GreetingError::Peer(256))), "{told}");
    lab.until("a reset", |lab| lab.peer.rst);
    let app = connects(&mut lab, 22_001, PATIENCE);
    let fin = lab.peer.finish();
    lab.send(&fin);
    let told = lab.finish("a failure", app).expect_err("no line");
    assert!(matches!(told, Error::Connection(ConnError::PeerClosed)), "{told}");
    let app = connects(&mut lab, 22_002, 10 * MOMENT);
    let told = lab.finish("a failure", app).expect_err("no line");
    assert!(matches!(told, Error::TimedOut { .. }), "{told}");

    let listener = lab.device.listen(PORT, 8).expect("a free port");
    lab.meet(22_003, 7);
    lab.opens(PORT);
    lab.say(&[b'x'; 300]);
    lab.until("a reset", |lab| lab.peer.rst);
    assert!(lab.peer.inbox.is_empty());
    let told = listener.failures().expect("a device");
    assert!(matches!(told[..], [Error::Greeting(GreetingError::Peer(256))]), "{told:?}");
    lab.meet(22_006, 7);
    lab.opens(PORT);
    let fin = lab.peer.finish();
    lab.send(&fin);
    lab.until("a reset", |lab| lab.peer.rst);
    let told = listener.failures().expect("a device");
    assert!(matches!(told[..], [Error::Connection(ConnError::PeerClosed)]), "{told:?}");
    drop(listener);
    // one whose line, and one whose Request, is awaited when the listener goes
    for (port, said) in [(22_004, &THEIRS[..5]), (22_005, THEIRS)] {
        let listener = lab.device.listen(PORT, 8).expect("a free port");
        lab.meet(port, 7);
        lab.opens(PORT);
        lab.say(said);
        let answered = if said == THEIRS { OURS.len() } else { 0 };
        sent(&mut lab, answered);
        lab.sync();
        drop(listener);
        lab.until("a reset", |lab| lab.peer.rst);
        assert_eq!(lab.peer.inbox.len(), answered);
    }
    lab.leaves(before);
}
