// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options of connections, from `ConnectOptions` and from the device's URL to the octets that a
//! scripted peer sees.
use ferrowarp::{CallError, ConnError, ConnectOptions, Error, ReadDepths, WantedDepth};
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT};
use ferrowarp_tests::fw::bench::PORT;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::proves::{proves, proves_rows};
use std::net::SocketAddr;

/// M of a startup frame.
const M: u8 = 0x80;
/// R and S: a Reject with the words of RFC 6581.
const REJECTS: u8 = 0x30;
/// Nothing negotiated, in both words.
const NOTHING: u32 = 0x3FFF_3FFF;

/// IRD and ORD of an enhanced frame, without the flags above them.
fn depths(frame: &[u8]) -> (u16, u16) {
    let half = |at: usize| u16::from_be_bytes([frame[at], frame[at + 1]]) & 0x3FFF;
    (half(20), half(22))
}

/// The URL says it, and an option says the contrary.
#[test]
fn markers_are_asked_for_by_url_and_by_option() {
    let _proof = proves("MPA-4.3-04");
    for (url, by_url) in [("", false), ("markers=on", true)] {
        let mut lab = Lab::with(&format!("asks-markers-{by_url}"), url);
        let listener = lab.device.listen(PORT, 8).expect("a free port");
        for (port, markers) in [(22_000, None), (22_002, Some(!by_url))] {
            let asked = markers.unwrap_or(by_url);
            let options = || options().markers(markers);
            let (ours, request) = Talk::initiate(&mut lab, port, options(), &Frame::reply().enhanced(CLIENT));
            assert_eq!((request[16] & M != 0, ours.connection.markers().received), (asked, asked));
            assert!(!ours.connection.markers().sent, "the peer did not ask");
            drop(ours);
            // the peer's first FPDU has a marker only if the device asks for it
            lab.meet(port + 1, 7);
            let (_cq, qp) = lab.queue_pair();
            let request = Frame { flags: 0xC0, ..Frame::request() }.enhanced(CLIENT);
            let app = Talk::accept(&mut lab, &listener, &qp, options(), &request);
            let reply = lab.reply();
            let first = ferrowarp_tests::mpa_model::fpdu(&empty_write()[2..16], 0, asked, true);
            lab.say(&first);
            let connection = lab.finish("the connection", app).expect("a good first FPDU");
            assert_eq!(reply[16] & M != 0, asked);
            assert!(connection.markers().sent && connection.markers().received == asked);
        }
    }
}

/// What an initiator leaves out is 0x3FFF in its Request, and stays what it is here.
#[test]
fn an_initiator_leaves_depths_out() {
    let _proof = proves_rows(&["MPA2-9.1-19", "MPA2-9.1-21", "MPA2-9.1-23"]);
    let mut lab = Lab::with("untold-request", "ird=3;ord=5,untold");
    let reply = Frame::reply().enhanced(0x0001_3FFF);
    let (ours, request) = Talk::initiate(&mut lab, 22_000, options_of_url(), &reply);
    assert_eq!(depths(&request), (3, 0x3FFF));
    // the Reply grants one Read, and says nothing of its own
    assert_eq!(ours.connection.read_depths(), ReadDepths { ird: 3, ord: 1 });
    let offered = ours.connection.offered();
    assert_eq!((offered.ird, offered.ord), (Some(1), None));
    drop(ours);
    let options = options().ird(WantedDepth::Untold(2)).ord(6);
    let (ours, request) = Talk::initiate(&mut lab, 22_001, options, &Frame::reply().enhanced(NOTHING));
    assert_eq!(depths(&request), (0x3FFF, 6));
    assert_eq!(ours.connection.read_depths(), ReadDepths { ird: 2, ord: 6 });
}

/// A Request that leaves depths out is answered with 0x3FFF, whatever is wanted here; and so is one
/// that does not, if the depth is left out here.
#[test]
fn a_responder_leaves_depths_out() {
    let _proof = proves_rows(&["MPA2-9.1-20", "MPA2-9.1-22"]);
    let mut lab = Lab::with("untold-reply", "ird=7,untold;ord=9");
    let listener = lab.device.listen(PORT, 8).expect("a free port");
    let numbers = options();
    let cases = [
        (numbers, NOTHING, (0x3FFF, 0x3FFF), (4, 4)),
        (options_of_url(), 0x0002_0003, (0x3FFF, 2), (7, 2)),
        (options_of_url(), 0x3FFF_0003, (0x3FFF, 0x3FFF), (7, 9)),
    ];
    for (port, (options, asked, told, own)) in (22_000..).zip(cases) {
        let request = Frame::request().enhanced(asked);
        let (ours, reply) = Talk::respond(&mut lab, port, &listener, options, &request);
        assert_eq!(depths(&reply), told, "{asked:#x}");
        let ReadDepths { ird, ord } = ours.connection.read_depths();
        assert_eq!((ird, ord), own, "{asked:#x}");
        ours.works(&mut lab);
    }
}

/// Options that leave the depths to the URL.
fn options_of_url() -> ConnectOptions {
    ConnectOptions::default().patience(PATIENCE)
}

#[test]
fn a_strict_responder_rejects_and_keeps_its_queue_pair() {
    let _proof = proves_rows(&["MPA2-9.1-11", "MPA2-9.1-12"]);
    let mut lab = Lab::with("strict-accept", "strict=on");
    let listener = lab.device.listen(PORT, 8).expect("a free port");
    let (cq, qp) = lab.queue_pair();
    let request = Frame::request().enhanced(0x0002_0004);
    lab.meet(22_000, 7);
    let options = || options().ord(8);
    let app = Talk::accept(&mut lab, &listener, &qp, options(), &request);
    let refused = lab.finish("a refusal", app).map(drop).expect_err("too few Reads");
    let few = CallError::IrdTooSmall { offered: 2, needed: 8 };
    assert!(matches!(&refused, Error::Call(why) if *why == few), "{refused}");
    let reply = lab.reply();
    assert_eq!((reply[16] & REJECTS, depths(&reply).1), (REJECTS, 8));
    lab.until("a FIN behind the Reject", |lab| lab.peer.fin);
    assert!(!lab.peer.rst, "the Reject is not overtaken by a reset");
    let fin = lab.peer.finish();
    lab.send(&fin);
    // the same queue pair serves the next one, which is not strict
    lab.meet(22_001, 7);
    let lenient = options().strict(false);
    let app = Talk::accept(&mut lab, &listener, &qp, lenient, &request);
    assert_eq!(depths(&lab.reply()), (4, 2));
    lab.say(&empty_write());
    let connection = lab.finish("the connection", app).expect("a good first FPDU");
    assert_eq!(connection.read_depths().ord, 2);
    Talk::over(&lab, cq, connection).works(&mut lab);
}

#[test]
fn a_strict_initiator_ends_the_connection() {
    let mut lab = Lab::new("strict-connect");
    lab.meet(22_000, 7);
    lab.closes = true;
    let (_cq, qp) = lab.queue_pair();
    let (remote, options) = (lab.peer.ours, options().strict(true));
    let app = lab.app(move |device| device.connect(&qp, remote, options));
    lab.until("the Request", |lab| lab.peer.inbox.len() >= 24);
    lab.peer.inbox.clear();
    lab.frame(&Frame::reply().enhanced(0x0003_0004));
    let ended = lab.finish("its end", app).map(drop).expect_err("too few Reads");
    let few = ConnError::FewReads { granted: 3, needed: 4 };
    assert!(matches!(&ended, Error::Connection(why) if *why == few), "{ended}");
    lab.until("a FIN", |lab| lab.peer.fin);
    assert!(!lab.peer.rst && lab.peer.inbox.is_empty());
}

/// From a port that an option or the URL names, or from a free one; each is told.
#[test]
fn a_connection_has_the_end_that_is_asked_for() {
    let end = |text: &str| -> SocketAddr { text.parse().expect("an end") };
    let mut lab = Lab::with("local-end", "ip=10.9.0.5/24;local=10.9.0.5:4791");
    let reply = Frame::reply().enhanced(CLIENT);
    let cases = [
        (None, Some("10.9.0.5:4791")),
        (Some("10.9.0.1:4800"), Some("10.9.0.1:4800")),
        // the route chooses the first address of the link
        (Some("0.0.0.0:4801"), Some("10.9.0.1:4801")),
        (Some("10.9.0.1:0"), None),
    ];
    for (port, (asked, wanted)) in (22_000..).zip(cases) {
        let options = options().local(asked.map(end));
        let (ours, _) = Talk::initiate(&mut lab, port, options, &reply);
        let local = ours.connection.local_addr();
        assert_eq!(lab.peer.theirs, Some(local), "the peer sees it");
        match wanted {
            Some(wanted) => assert_eq!(local, end(wanted)),
            None => assert!(local.ip() == end("10.9.0.1:0").ip() && local.port() >= 49_152, "{local}"),
        }
        ours.works(&mut lab);
    }
    // the listener is at the URL's address, on a port that nobody named
    let listener = lab.device.listen(0, 1).expect("a free port");
    let local = listener.local_addr();
    assert!(local.ip() == end("10.9.0.5:0").ip() && local.port() >= 49_152, "{local}");
    let all = lab.device.listen_on(end("[::]:0"), 1).expect("a free port").local_addr();
    assert!(all.ip().is_unspecified() && all.port() >= 49_152 && all.port() != local.port(), "{all}");
    let here = lab.device.listen_on(end("10.9.0.1:7000"), 1).expect("a free port");
    assert_eq!(here.local_addr(), end("10.9.0.1:7000"));
    lab.meet(22_010, 7);
    lab.opens(7_000);
    lab.frame(&Frame::request().enhanced(CLIENT));
    let request = here.next(PATIENCE).expect("a request");
    assert_eq!((request.local_addr(), request.remote()), (end("10.9.0.1:7000"), lab.peer.ours));
    assert!(!request.asks_markers());
    // at the device's other address nobody listens
    let busy = lab.device.listen_on(end("10.9.0.1:7000"), 1).map(drop).expect_err("it is taken");
    assert!(matches!(&busy, Error::Call(CallError::PortBusy(7_000))), "{busy}");
    lab.device.listen_on(end("10.9.0.5:7000"), 1).expect("it is free at the other address");
}

/// Each names the value and what is allowed, before anything is sent; the queue pair serves the
/// next call.
#[test]
fn values_that_cannot_be_are_typed_errors() {
    let mut lab = Lab::new("bad-options");
    let remote = lab.peer.ours;
    let (_cq, qp) = lab.queue_pair();
    let local = |text: &str| Some(text.parse().expect("an end"));
    let wrong: [(ConnectOptions, &[&str]); 5] = [
        (options().ird(9), &["`ird` of 9", "0 to 8"]),
        (options().ord(WantedDepth::Untold(17)), &["`ord` of 17", "0 to 16"]),
        (options().local(local("10.9.0.9:0")), &["10.9.0.9 is no address", "10.9.0.1"]),
        (options().local(local("10.9.0.2:1")), &["10.9.0.2 is no address"]),
        (
            options().local(local("[fe80::5054:ff:fe00:1]:0")),
            &["fe80::5054:ff:fe00:1 cannot reach 10.9.0.2", "must be IPv4"],
        ),
    ];
    for (options, texts) in wrong {
        let refused = lab.device.connect(&qp, remote, options).map(drop).expect_err("refused");
        let told = refused.to_string();
        assert!(texts.iter().all(|text| told.contains(text)), "{told}");
    }
    lab.sync();
    assert!(lab.peer.log.is_empty(), "nothing was sent");
    let app = lab.app(move |device| device.connect(&qp, remote, options()));
    lab.until("a Request", |lab| lab.peer.inbox.len() >= 24);
    lab.frame(&Frame::reply().enhanced(CLIENT));
    lab.finish("the connection", app).expect("a good Reply");
    // and of a URL, when the device is opened
    let folder = std::env::temp_dir();
    let end = |n: u8| folder.join(format!("fw-bad-options-{}-{n}", std::process::id())).display().to_string();
    let url = format!("sim:eth=qemu-dgram:{},{};ip=10.9.0.1/24;ird=9", end(0), end(1));
    let refused = ferrowarp::Device::open(&url).map(drop).expect_err("refused").to_string();
    assert!(refused.contains("`ird` of 9") && refused.contains("0 to 8"), "{refused}");
}
