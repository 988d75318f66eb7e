// SPDX-License-Identifier: MIT OR Apache-2.0
//! Firmware's part of half-closed connections (RFC 5041 section 6.2.1).
use ferrowarp_firmware::cm::api::{Accept, ConnId, Event, Initiate};
use ferrowarp_firmware::error::{CallError, ConnError, Stage};
use ferrowarp_firmware::mpa::negotiate::RtrSet;
use ferrowarp_firmware::port::{Captured, Command, DeviceEvent, QpId};
use ferrowarp_tests::fw::bench::{accepted, config, Bench};
use ferrowarp_tests::fw::device::Delays;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};

const QP: QpId = QpId(1);
const ID: ConnId = ConnId(2);
/// More ticks than any time of firmware has.
const LONG: u64 = 20_000;

/// A connection in full operation, and nothing told that was not looked at.
fn established() -> Bench {
    let (mut bench, _) = accepted(config(), &Frame::request(), Accept::new(QP));
    bench.say(&empty_write());
    bench.terms();
    bench
}

fn peer_finishes(bench: &mut Bench) {
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.run(5);
}

fn fins(bench: &Bench) -> usize {
    bench.device.ordered(|command| matches!(command, Command::Fin { .. }).then_some(())).len()
}

#[test]
fn an_end_that_has_finished_sending_waits_for_its_peer() {
    let mut bench = established();
    bench.manager.finish_sending(ID).expect("full operation");
    bench.run(LONG);
    assert!(bench.peer.fin && !bench.peer.rst && bench.events.is_empty(), "{:?}", bench.events);
    bench.manager.finish_sending(ID).expect("full operation");
    bench.run(5);
    assert_eq!(fins(&bench), 1, "once");
    peer_finishes(&mut bench);
    assert_eq!(bench.outcome(), Some(Ok(())));
    assert!(!bench.peer.rst && bench.device.table.is_empty());
    assert_eq!(bench.manager.audit().time_waits, 1, "this end was the first");
}

/// A close behind it is one more wish, and has a time.
#[test]
fn a_close_behind_it_is_timed() {
    let mut bench = established();
    bench.manager.finish_sending(ID).expect("full operation");
    bench.run(LONG);
    bench.manager.close(ID).expect("full operation");
    let close = bench.manager.config().timing.close;
    bench.run(close - 10);
    assert!(!bench.peer.rst && bench.events.is_empty(), "{:?}", bench.events);
    bench.run(20);
    assert_eq!(bench.failure(), ConnError::TimedOut(Stage::Close));
    assert!(bench.peer.rst && fins(&bench) == 1);
}

#[test]
fn the_other_direction_finishes_by_a_call_too() {
    let mut bench = established();
    peer_finishes(&mut bench);
    assert_eq!(bench.event(), Event::PeerClosed { id: ID });
    bench.run(LONG);
    bench.manager.finish_sending(ID).expect("full operation");
    bench.run(5);
    assert_eq!(bench.outcome(), Some(Ok(())));
    assert_eq!(bench.manager.audit().time_waits, 0, "the peer was the first");
}

/// No Terminate can follow our FIN: a peer that goes on is told by a reset.
#[test]
fn a_fault_behind_our_fin_is_a_reset() {
    let mut bench = established();
    bench.manager.finish_sending(ID).expect("full operation");
    bench.run(5);
    bench.device.raise(DeviceEvent::Fault(QP, Captured { error: 0x0100, segment: None }));
    bench.run(5);
    assert!(matches!(bench.failure(), ConnError::Fault(_)) && bench.peer.rst);
    assert!(bench.peer.inbox.is_empty() && bench.device.table.is_empty(), "no Terminate");
}

#[test]
fn octets_behind_the_peers_fin_are_a_reset() {
    for closes in [false, true] {
        let mut bench = established();
        bench.peer.answers = false;
        if closes {
            bench.manager.close(ID).expect("full operation");
        }
        peer_finishes(&mut bench);
        bench.events.clear();
        bench.device.raise(DeviceEvent::OctetsAfterFin(QP));
        bench.run(5);
        assert_eq!(bench.failure(), ConnError::OctetsAfterFin, "closes: {closes}");
        assert!(bench.peer.rst && bench.device.table.is_empty());
    }
}

#[test]
fn half_a_close_needs_full_operation() {
    let mut bench = Bench::new(config());
    bench.listen();
    bench.peer_connects();
    bench.frame(&Frame::request());
    let Event::Request { id, .. } = bench.event() else { panic!("no Request") };
    let refused = bench.manager.finish_sending(id).expect_err("no stream");
    assert!(matches!(refused, CallError::State { call: "finish_sending", .. }), "{refused}");
    assert_eq!(bench.manager.finish_sending(ConnId(99)), Err(CallError::Unknown(99)));
}

/// A peer that acknowledges and gives no window: no retry limit ends the connection.
#[test]
fn a_fin_that_cannot_leave_behind_the_peers_is_timed() {
    for peer_first in [true, false] {
        let mut bench = established();
        bench.device.connection(QP.0).expect("a row").hold();
        // half of a connection may last
        for is_peer in [peer_first, !peer_first] {
            match is_peer {
                true => peer_finishes(&mut bench),
                false => bench.manager.finish_sending(ID).expect("full operation"),
            }
            bench.run(if is_peer == peer_first { LONG } else { 0 });
        }
        bench.events.clear();
        let close = bench.manager.config().timing.close;
        // octets that are acknowledged now and then may take any time
        for _ in 0..5 {
            bench.run(close - 500);
            bench.device.connection(QP.0).expect("a row").acknowledge(1_000);
        }
        assert!(!bench.peer.rst && bench.events.is_empty(), "{:?}", bench.events);
        bench.run(2 * close + 10);
        assert_eq!(bench.failure(), ConnError::TimedOut(Stage::Close), "peer first: {peer_first}");
        assert!(bench.peer.rst && bench.device.table.is_empty());
    }
}

/// A close before full operation keeps its time when full operation begins.
#[test]
fn a_close_before_the_first_fpdu_is_timed() {
    let (mut bench, _) = accepted(config(), &Frame::request(), Accept::new(QP));
    bench.manager.close(ID).expect("a row");
    bench.say(&empty_write());
    bench.run(5);
    bench.events.clear();
    let close = bench.manager.config().timing.close;
    bench.run(close + 10);
    assert_eq!(bench.failure(), ConnError::TimedOut(Stage::Close));
    assert!(bench.peer.rst && bench.device.table.is_empty());
}

/// The peer's FIN comes while the device is asked for the ready-to-receive message.
#[test]
fn a_connection_that_ended_before_full_operation_is_not_told_as_established() {
    let mut bench = Bench::new(config());
    // two frames until the insertion is answered: an ACK of the peer, and its FIN
    bench.device.delays = Delays { visible: 0, answer: 2 };
    let rtr = RtrSet { send: false, write: true, read: false };
    bench.initiate(Initiate { peer_to_peer: true, rtr, ..Initiate::new(QP) });
    bench.peer.inbox.clear();
    // an IRD and an ORD of 16, peer to peer, and the kind
    bench.frame(&Frame::reply().enhanced(0x8010_8010));
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.send(&fin);
    bench.run(5);
    let told = bench.events.iter().any(|event| matches!(event, Event::Established { .. }));
    assert!(!told, "{:?}", bench.events);
    let close = bench.manager.config().timing.close;
    bench.run(close + 10);
    assert_eq!(bench.failure(), ConnError::PeerClosed);
}
