// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections in raw mode whose peer ends, floods, is silent or refuses MPA: the driver on a
//! simulated device, and a scripted peer (RFC 5044 sections 7.1.2, 7.1.3 and 7.1.5, RFC 9293
//! section 3.6).
use ferrowarp::{CallError, ConnError, Device, Error, RawListener, RawOptions, RawStream};
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT};
use ferrowarp_tests::fw::bench::PORT;
use ferrowarp_tests::fw::mpa::{empty_write, Frame, REPLY, REQUEST};
use ferrowarp_tests::proves::{proves, proves_rows};
use std::sync::Arc;
use std::time::Duration;

/// Time in which nothing is to come.
const MOMENT: Duration = Duration::from_millis(300);

/// A peer on `port` opens TCP to the listener.
fn taken(lab: &mut Lab, listener: &RawListener, port: u16) -> RawStream {
    lab.meet(port, 0xFFFF_FF00);
    lab.opens(PORT);
    let stream = listener.next(PATIENCE).expect("a stream");
    assert_eq!((stream.local_addr().port(), stream.remote()), (PORT, lab.peer.ours));
    stream
}

/// The device opens TCP to a peer on `port`.
fn opened(lab: &mut Lab, port: u16) -> RawStream {
    lab.meet(port, 0xFFFF_FF00);
    let remote = lab.peer.ours;
    let options = RawOptions::default().patience(PATIENCE);
    let app = lab.app(move |device: Device| device.connect_raw(remote, options));
    lab.finish("TCP", app).expect("an open peer")
}

/// All octets up to the peer's FIN, or up to an error.
fn all(stream: &RawStream) -> (Vec<u8>, Option<Error>) {
    let (mut octets, mut part) = (vec![], [0; 1_000]);
    loop {
        match stream.read(&mut part, PATIENCE) {
            Ok(0) => return (octets, None),
            Ok(read) => octets.extend(&part[..read]),
            Err(why) => return (octets, Some(why)),
        }
    }
}

/// Its octets can be read after the FIN, and it still hears us.
#[test]
fn a_peer_that_closes_is_the_end_of_what_can_be_read() {
    let mut lab = Lab::new("raw-fin");
    let before = lab.device.audit().expect("a device");
    let stream = Arc::new(opened(&mut lab, 22_000));
    lab.say(b"last words");
    let fin = lab.peer.finish();
    lab.send(&fin);
    let reads = stream.clone();
    let app = lab.app(move |_| (all(&reads), reads.read_exact(&mut [0], PATIENCE)));
    let ((octets, end), exact) = lab.finish("an end", app);
    assert_eq!((&octets[..], end.is_none()), (&b"last words"[..], true));
    assert!(matches!(exact, Err(Error::Closed)), "{exact:?}");
    stream.write_all(b"an answer", PATIENCE).expect("half a connection");
    lab.until("octets", |lab| lab.peer.inbox == b"an answer");
    assert!(!lab.peer.fin && !lab.peer.rst);
    let (cq, qp) = lab.queue_pair();
    drop(stream);
    lab.until("a FIN", |lab| lab.peer.fin);
    // MPA does not start behind a FIN
    let stream = opened(&mut lab, 22_001);
    let fin = lab.peer.finish();
    lab.send(&fin);
    let app = lab.app(move |_| stream.initiate(&qp, options()).map(drop));
    let failed = lab.finish("a failure", app);
    assert!(matches!(failed, Err(Error::Connection(ConnError::PeerClosed))), "{failed:?}");
    drop(cq);
    lab.leaves(before);
}

#[test]
fn a_reset_is_told_by_each_call() {
    let mut lab = Lab::new("raw-reset");
    let before = lab.device.audit().expect("a device");
    let (cq, qp) = lab.queue_pair();
    let ours = qp.clone();
    let stream = opened(&mut lab, 22_000);
    let reads = lab.app(move |_| (stream.read(&mut [0; 8], PATIENCE), stream));
    let reset = lab.peer.reset();
    lab.send(&reset);
    let (read, stream) = lab.finish("an error", reads);
    let written = stream.write_all(b"octets", PATIENCE);
    let app = lab.app(move |_| stream.initiate(&ours, options()).map(drop));
    let started = lab.finish("an error", app);
    for told in [read.map(drop), written, started] {
        assert!(matches!(told, Err(Error::Connection(ConnError::Reset))), "{told:?}");
    }
    // a peer that is reset before anybody has taken it leaves nothing to take
    let listener = lab.device.listen_raw(PORT, 1).expect("a free port");
    lab.meet(22_001, 7);
    lab.opens(PORT);
    let reset = lab.peer.reset();
    lab.send(&reset);
    lab.sync();
    let next = listener.next(MOMENT).map(drop);
    assert!(matches!(next, Err(Error::TimedOut { .. })), "{next:?}");
    // the queue pair is as free as before: it waits for a peer that does not answer
    let (remote, ours) = (lab.peer.ours, qp.clone());
    let gone = lab.device.connect(&ours, remote, options().patience(MOMENT));
    assert!(matches!(gone, Err(Error::TimedOut { .. })), "{gone:?}");
    drop((cq, qp, ours, gone, listener));
    lab.leaves(before);
}

/// What was written leaves before the FIN. Octets that nobody has read end in a reset.
#[test]
fn a_drop_closes_and_loses_nothing_in_silence() {
    let mut lab = Lab::new("raw-drop");
    let before = lab.device.audit().expect("a device");
    let listener = lab.device.listen_raw(PORT, 1).expect("a free port");
    for (port, says, closes) in [(22_000, &b""[..], false), (22_001, b"", true), (22_002, b"unread", false)] {
        let stream = taken(&mut lab, &listener, port);
        lab.say(says);
        lab.sync();
        lab.closes = true;
        stream.write_all(&[7; 5_000], PATIENCE).expect("room");
        if closes {
            let app = lab.app(move |_| stream.close(PATIENCE));
            lab.finish("a close", app).expect("both have closed");
        } else {
            drop(stream);
        }
        lab.until("an end", |lab| lab.peer.fin || lab.peer.rst);
        assert_eq!((lab.peer.fin, lab.peer.rst), (says.is_empty(), !says.is_empty()));
        assert!(lab.peer.rst || lab.peer.inbox == [7; 5_000], "{} octets", lab.peer.inbox.len());
    }
    drop(listener);
    lab.leaves(before);
}

/// The peer does not look at the window.
#[test]
fn a_flood_is_held_up_to_the_window_and_no_further() {
    let mut lab = Lab::new("raw-flood");
    let listener = lab.device.listen_raw(PORT, 1).expect("a free port");
    let stream = taken(&mut lab, &listener, 22_000);
    let window = lab.device.capabilities().window as usize;
    let octets: Vec<u8> = (0..80_000_u32).map(|n| (n % 253) as u8).collect();
    for part in octets.chunks(1_000) {
        lab.say(part);
        lab.sync();
    }
    lab.until("a window without room", |lab| lab.peer.log.last().is_some_and(|seg| seg.window == 0));
    let mut heard = vec![0; window];
    stream.read_exact(&mut heard, PATIENCE).expect("a window of octets");
    assert_eq!(heard, octets[..window]);
    let more = stream.read(&mut heard, MOMENT);
    assert!(matches!(more, Err(Error::TimedOut { what: "raw octets", waited: MOMENT })), "{more:?}");
    lab.until("room", |lab| lab.peer.log.last().is_some_and(|seg| usize::from(seg.window) == window));
    // what had no room comes again, as TCP does
    lab.peer.snd_nxt = lab.peer.log.last().and_then(|seg| seg.ack).expect("an ACK");
    lab.say(&octets[window..window + 1_000]);
    stream.read_exact(&mut heard[..1_000], PATIENCE).expect("octets");
    assert_eq!(heard[..1_000], octets[window..window + 1_000]);
    // and who is not heard waits for a time only
    lab.room(Some(0));
    lab.sync();
    let written = stream.write_all(&octets, MOMENT);
    assert!(matches!(written, Err(Error::TimedOut { what: "room for raw octets", .. })), "{written:?}");
}

/// Raw octets, the Request, and nothing lost between them.
#[test]
fn the_request_may_come_with_the_last_raw_octets() {
    let _proof = proves("MPA-7.1.5-03");
    let mut lab = Lab::new("raw-request");
    let listener = lab.device.listen_raw(PORT, 1).expect("a free port");
    for (port, pieces) in [(22_000, 1), (22_001, 7)] {
        let stream = taken(&mut lab, &listener, port);
        let says = [b"hello", &Frame::request().enhanced(CLIENT).with(b"private").octets()[..]].concat();
        for piece in says.chunks(says.len().div_ceil(pieces)) {
            lab.say(piece);
        }
        lab.sync();
        let mut hello = [0; 5];
        stream.read_exact(&mut hello, PATIENCE).expect("a greeting");
        assert_eq!(hello, *b"hello");
        stream.write_all(b"hello too", PATIENCE).expect("room");
        let request = stream.respond(PATIENCE).expect("a Request");
        assert_eq!(request.private_data(), b"private");
        // nobody listens for it any more, and the connection stays
        let (cq, qp) = lab.queue_pair();
        let app = lab.app(move |_| request.accept(&qp, options().into()));
        lab.until("the Reply", |lab| lab.peer.inbox.len() >= 9 + 24);
        assert_eq!(lab.peer.inbox[..9], *b"hello too");
        assert_eq!(lab.peer.inbox[9..25], REPLY);
        lab.peer.inbox.clear();
        lab.say(&empty_write());
        let connection = lab.finish("the connection", app).expect("a good first FPDU");
        Talk::over(&lab, cq, connection).works(&mut lab);
    }
}

#[test]
fn a_start_that_is_refused_says_why() {
    let _proof = proves_rows(&["MPA-7.1.3-03", "MPA-7.1.3-05"]);
    let mut lab = Lab::new("raw-refused");
    let before = lab.device.audit().expect("a device");
    let listener = lab.device.listen_raw(PORT, 8).expect("a free port");
    // the peer rejects
    let stream = opened(&mut lab, 22_000);
    let (cq, qp) = lab.queue_pair();
    let ours = qp.clone();
    let app = lab.app(move |_| stream.initiate(&ours, options()).map(drop));
    lab.until("the Request", |lab| lab.peer.inbox.len() >= 24);
    assert_eq!(lab.peer.inbox[..16], REQUEST);
    lab.closes = true;
    lab.frame(&Frame { flags: 0x60, ..Frame::reply() }.enhanced(CLIENT).with(b"no"));
    let refused = lab.finish("a refusal", app);
    assert!(
        matches!(&refused, Err(Error::Rejected { private_data, .. }) if private_data == b"no"),
        "{refused:?}"
    );
    lab.until("a FIN", |lab| lab.peer.fin);
    // twenty octets that are no Request
    let stream = taken(&mut lab, &listener, 22_001);
    let app = lab.app(move |_| stream.respond(PATIENCE).map(drop));
    lab.say(&[7; 20]);
    let refused = lab.finish("a refusal", app);
    assert!(matches!(refused, Err(Error::Connection(ConnError::Frame(_)))), "{refused:?}");
    lab.until("a reset", |lab| lab.peer.rst);
    // this side rejects, or drops the Request
    for (port, rejects) in [(22_002, true), (22_003, false)] {
        let stream = taken(&mut lab, &listener, port);
        lab.frame(&Frame::request());
        let app = lab.app(move |_| stream.respond(PATIENCE));
        let request = lab.finish("a Request", app).expect("a good Request");
        lab.closes = true;
        if rejects {
            request.reject(b"not here".to_vec()).expect("a Request");
            lab.until("a FIN", |lab| lab.peer.fin);
            assert_eq!(lab.peer.inbox, Frame { flags: 0x60, ..Frame::reply().with(b"not here") }.octets());
        } else {
            drop(request);
            lab.until("an end", |lab| lab.peer.fin || lab.peer.rst);
            assert!(lab.peer.inbox.is_empty(), "no Reply");
        }
    }
    // nobody sends one, and firmware's own time is not over
    let stream = taken(&mut lab, &listener, 22_004);
    let app = lab.app(move |_| stream.respond(MOMENT).map(drop));
    let refused = lab.finish("a refusal", app);
    assert!(matches!(refused, Err(Error::TimedOut { what: "the peer's Request", .. })), "{refused:?}");
    lab.closes = true;
    lab.until("a FIN", |lab| lab.peer.fin);
    // a call that firmware refuses closes the stream
    let stream = opened(&mut lab, 22_005);
    let long = options().private_data(vec![7; 513]);
    let ours = lab.queue_pair();
    let refused = stream.initiate(&ours.1, long).map(drop);
    assert!(matches!(refused, Err(Error::Call(CallError::PrivateData { octets: 513, .. }))), "{refused:?}");
    lab.closes = true;
    lab.until("a FIN", |lab| lab.peer.fin);
    assert!(lab.peer.inbox.is_empty(), "no Request");
    drop((cq, qp, ours, listener));
    lab.leaves(before);
}

/// Those of them that were taken stay, also as responders.
#[test]
fn a_listener_that_ends_resets_what_nobody_has_taken() {
    let mut lab = Lab::new("raw-listener");
    let listener = lab.device.listen_raw(PORT, 2).expect("a free port");
    let stream = taken(&mut lab, &listener, 22_000);
    let kept = lab.peer.clone();
    let responds = lab.app(move |_| stream.respond(PATIENCE));
    lab.meet(22_001, 7);
    lab.opens(PORT);
    lab.sync();
    drop(listener);
    lab.until("a reset", |lab| lab.peer.rst);
    lab.peer = kept;
    lab.frame(&Frame::request());
    let request = lab.finish("a Request", responds).expect("a stream that stays");
    assert_eq!(request.remote(), lab.peer.ours);
    let again = lab.device.listen_raw_on(([10, 9, 0, 1], PORT).into(), 1).expect("the port is free");
    assert_eq!(again.local_addr(), ([10, 9, 0, 1], PORT).into());
    let busy = lab.device.listen(PORT, 1).map(drop);
    assert!(matches!(busy, Err(Error::Call(CallError::PortBusy(PORT)))), "{busy:?}");
}
