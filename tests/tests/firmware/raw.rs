// SPDX-License-Identifier: MIT OR Apache-2.0
//! Raw mode under load: who does not read closes the window, who may not send waits, and nobody who
//! is not asked for stays (RFC 5044 section 7.1.3, RFC 9293 section 3.8.6).
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::{ConnError, Stage};
use ferrowarp_firmware::port::QpId;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::fw::peer::Peer;

/// A connection in raw mode that the peer opened and the application has taken.
fn raw(bench: &mut Bench) -> (ListenerId, ConnId) {
    let listener = bench.listen_then(Then::Stream);
    let id = opened(bench);
    bench.manager.take(id).expect("an open stream");
    (listener, id)
}

/// The peer opens one more.
fn opened(bench: &mut Bench) -> ConnId {
    bench.peer_connects();
    let Event::Opened { id, local, remote, .. } = bench.event() else { panic!("TCP is not open") };
    assert_eq!((local, remote), (dut(), bench.peer.ours));
    id
}

/// The peer has no room any more.
fn without_room(bench: &mut Bench) {
    bench.peer.edge = Some(bench.peer.rcv_nxt);
    let closed = bench.peer.seg();
    bench.send(&closed);
    bench.settle();
}

#[test]
fn octets_that_nobody_reads_close_the_window() {
    let mut bench = Bench::default();
    let (_, id) = raw(&mut bench);
    let window = config().window as usize;
    for n in 0..100 {
        bench.say(&[n; 1_460]);
    }
    assert_eq!(bench.events, [Event::Readable { id }], "told once");
    assert_eq!(bench.manager.unread(id), Ok(window), "what is held");
    assert_eq!(bench.peer.log.last().expect("an ACK").window, 0);
    // room for a segment is told at once, room for less is not
    let acks = bench.peer.log.len();
    let first = bench.manager.read(id, 1_459).expect("raw mode");
    bench.settle();
    assert_eq!(bench.peer.log.len(), acks);
    let rest = bench.manager.read(id, usize::MAX).expect("raw mode");
    bench.settle();
    assert_eq!(bench.peer.log.len(), acks + 1);
    assert_eq!(usize::from(bench.peer.log[acks].window), window);
    let sent: Vec<_> = (0..100).flat_map(|n| [n; 1_460]).take(window).collect();
    assert_eq!([first, rest].concat(), sent);
}

#[test]
fn octets_that_may_not_leave_are_few_and_who_has_more_is_told_of_room() {
    let mut bench = Bench::default();
    let (_, id) = raw(&mut bench);
    without_room(&mut bench);
    let octets: Vec<u8> = (0..40_000).map(|n| (n % 251) as u8).collect();
    let most = bench.manager.send(id, &octets).expect("raw mode");
    assert!((1_460..15_000).contains(&most), "{most} octets");
    assert_eq!(bench.manager.send(id, &octets[most..]), Ok(0));
    bench.run(1);
    assert_eq!(bench.events, []);
    bench.peer.edge = None;
    let open = bench.peer.seg();
    bench.send(&open);
    let mut at = most;
    while at < octets.len() {
        bench.run(1);
        assert_eq!(std::mem::take(&mut bench.events), [Event::Writable { id }]);
        at += bench.manager.send(id, &octets[at..]).expect("raw mode");
    }
    bench.run(1);
    assert_eq!((bench.events.len(), &bench.peer.inbox), (0, &octets));
}

#[test]
fn a_peer_without_room_that_answers_is_not_given_up() {
    let mut bench = Bench::default();
    let (_, id) = raw(&mut bench);
    without_room(&mut bench);
    bench.manager.send(id, &[7; 100]).expect("raw mode");
    // TCP's retry limit is 200 + 400 + ... + 2,000 ticks
    bench.peer.answers = false;
    for _ in 0..300 {
        bench.run(100);
        let answer = bench.peer.seg();
        bench.send(&answer);
        let outcome = bench.outcome();
        assert!(outcome.is_none(), "it ends with {outcome:?}");
    }
    bench.peer.edge = None;
    bench.peer.answers = true;
    let open = bench.peer.seg();
    bench.send(&open);
    bench.run(1);
    assert_eq!(bench.peer.inbox, [7; 100], "the octet that probed the window leaves again at once");
}

#[test]
fn streams_that_nobody_takes_are_of_the_backlog_and_end() {
    let mut bench = Bench::default();
    bench.listen_then(Then::Stream);
    let id = opened(&mut bench);
    for port in 0..12 {
        bench.peer = Peer::new(([10, 9, 0, 2], 21_000 + port).into(), 5);
        bench.peer_connects();
    }
    let open = bench.manager.audit().connections;
    assert_eq!(open, 8, "the backlog of the listener is 8");
    bench.manager.take(id).expect("an open stream");
    bench.peer = Peer::new(([10, 9, 0, 2], 22_000).into(), 5);
    bench.peer_connects();
    assert!(bench.peer.open, "one that was taken leaves its place");
    bench.run(config().timing.application + 1);
    let failure = bench.failure();
    assert!(matches!(failure, ConnError::TimedOut(Stage::Application)), "{failure}");
    assert_eq!(bench.manager.audit().connections, 1, "the one that was taken");
    assert_eq!(bench.manager.read(id, 1), Ok(vec![]));
}

#[test]
fn a_start_behind_raw_octets_does_not_fall_back_to_another_connection() {
    let mut bench = Bench::default();
    let id = bench.connect(Then::Stream);
    bench.manager.send(id, b"hello").expect("raw mode");
    let how = Initiate { fallback: true, ..Initiate::new(QpId(1)) };
    bench.manager.initiate(id, how).expect("raw mode");
    bench.settle();
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.settle();
    let outcome = bench.outcome();
    assert!(matches!(outcome, Some(Err(ConnError::PeerClosed))), "{outcome:?}");
    assert_eq!(bench.peer.log.iter().filter(|seg| seg.syn).count(), 1, "one connection");
}

#[test]
fn a_stream_that_was_taken_outlives_its_listener() {
    let mut bench = Bench::default();
    let (listener, id) = raw(&mut bench);
    bench.manager.respond(id, &[]).expect("raw mode");
    bench.manager.unlisten(listener);
    bench.frame(&Frame::request());
    let event = bench.event();
    assert!(matches!(event, Event::Request { id: asked, .. } if asked == id), "{event:?}");
}
