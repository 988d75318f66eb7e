// SPDX-License-Identifier: MIT OR Apache-2.0
//! Responders that are established with their Reply.
use ferrowarp_firmware::cm::api::{Accept, ConnId, Event};
use ferrowarp_firmware::error::{ConnError, Stage};
use ferrowarp_firmware::port::{Captured, Command, DeviceEvent, QpId};
use ferrowarp_tests::fw::bench::{accepted, config, Bench};
use ferrowarp_tests::fw::mpa::{empty_write, Frame};

const QP: QpId = QpId(1);
const ID: ConnId = ConnId(2);
/// More ticks than any time of firmware has.
const LONG: u64 = 20_000;

/// A connection whose Reply the peer has, and whose application was told.
fn told() -> Bench {
    let accept = Accept { early: true, ..Accept::new(QP) };
    let (mut bench, reply) = accepted(config(), &Frame::request(), accept);
    assert!(!reply.is_empty(), "the Reply leaves first");
    assert!(matches!(bench.event(), Event::Established { id: ID, qp: QP, .. }));
    assert!(bench.events.is_empty());
    bench
}

#[test]
fn the_first_fpdu_is_not_told_again_and_may_come_late() {
    let mut bench = told();
    bench.run(LONG);
    assert!(bench.events.is_empty() && !bench.is_closed(), "{:?}", bench.events);
    bench.say(&empty_write());
    bench.run(5);
    assert!(bench.events.is_empty() && !bench.is_closed(), "{:?}", bench.events);
    bench.manager.close(ID).expect("full operation");
    bench.run(5);
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.run(5);
    assert_eq!(bench.outcome(), Some(Ok(())));
}

/// RFC 5044 section 7.1.2 rule 4 holds for a Terminate, too.
#[test]
fn a_fault_before_the_first_good_fpdu_is_a_reset() {
    let mut bench = told();
    bench.device.raise(DeviceEvent::Fault(QP, Captured { error: 0x0100, segment: None }));
    bench.run(5);
    assert!(matches!(bench.failure(), ConnError::FirstFpdu(_)));
    assert!(bench.peer.rst && bench.peer.inbox.is_empty());
    let terminates = |command: &Command| matches!(command, Command::Terminate { .. }).then_some(());
    assert!(bench.device.ordered(terminates).is_empty());
}

#[test]
fn a_peer_that_leaves_without_an_fpdu_has_closed() {
    let mut bench = told();
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.run(5);
    assert_eq!(bench.event(), Event::PeerClosed { id: ID });
    bench.manager.close(ID).expect("full operation");
    bench.run(5);
    assert_eq!(bench.outcome(), Some(Ok(())));
    assert!(!bench.peer.rst && bench.is_clean());
}

/// Only a Reply that was sent is told.
#[test]
fn without_it_the_first_fpdu_is_awaited() {
    let (mut bench, _) = accepted(config(), &Frame::request(), Accept::new(QP));
    assert!(bench.events.is_empty(), "{:?}", bench.events);
    bench.run(LONG);
    assert_eq!(bench.failure(), ConnError::TimedOut(Stage::FirstFpdu));
}
