// SPDX-License-Identifier: MIT OR Apache-2.0
//! Terminate messages and the ends of a stream (RFC 5040 sections 4.8, 5.4, 6.2 and 7; RFC 5041
//! section 6.2).
use ferrowarp_abi::error::TermError;
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::{ConnError, Stage};
use ferrowarp_firmware::port::{Captured, CapturedSegment, Command, DeviceEvent, QpId};
use ferrowarp_firmware::terminate::{bare, parse, ulpdu};
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::{empty_write, first_fpdu, Frame};
use ferrowarp_tests::mpa_model::hex;
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

const ID: ConnId = ConnId(2);

/// An established responder on queue pair 1.
fn established() -> Bench {
    let (mut bench, _) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    bench.say(&empty_write());
    bench.terms();
    bench
}

fn captured(error: u16, length: usize, head: &str) -> Captured {
    Captured { error, segment: Some(CapturedSegment { length: length as u16, head: hex(head) }) }
}

fn fault(bench: &mut Bench, captured: Captured) {
    bench.device.raise(DeviceEvent::Fault(QpId(1), captured));
    bench.run(5);
}

/// The peer's FIN.
fn finish(bench: &mut Bench) {
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.run(5);
}

/// Octets after the untagged header of a Terminate.
fn body(captured: &Captured) -> Vec<u8> {
    let octets = ulpdu(captured).expect("a Terminate");
    assert_eq!(octets[..18], hex("4147 00000000 00000002 00000001 00000000"));
    octets[18..].to_vec()
}

#[test]
fn the_worked_examples() {
    let wrap = captured(0x1103, 0x2E, "c140 00001234 fffffffffffffff0");
    assert_eq!(body(&wrap), hex("1103c000 002e c140 00001234 fffffffffffffff0"));
    for (error, octets) in [(0x2002, "20020000"), (0x2003, "20030000"), (0x2005, "20050000"), (0, "00000000")]
    {
        let with = captured(error, 0x2E, "c140 00001234 fffffffffffffff0");
        assert_eq!(body(&with), hex(octets), "nothing of a segment is quoted");
        assert_eq!(body(&Captured { error, segment: None }), hex(octets));
    }
    let request = "4141 00000000 00000001 00000005 00000000 00000007 0000000000000010 00000100 00000999 0000000000000020";
    let read = captured(0x0101, 46, request);
    let expected = ["0101e000 002e", request].concat();
    assert_eq!(body(&read), hex(&expected));
    let send = captured(0x1205, 100, "4143 00000000 00000000 00000003 00000010");
    assert_eq!(body(&send), hex("1205c000 0064 4143 00000000 00000000 00000003 00000010"));
}

#[test]
fn what_was_not_received_whole_is_not_quoted() {
    // 13 of the 14 octets of a tagged header
    let cut = captured(0x1101, 13, "c140 00001234 fffffffffffffff0");
    assert_eq!(body(&cut), hex("11010000"));
    // a Read Request of 20 octets has no whole header to quote
    let short =
        captured(0x0201, 38, "4141 00000000 00000001 00000005 00000000 00000007 0000000000000010 00000100");
    assert_eq!(body(&Captured { error: 0x02FF, ..short })[..4], hex("02ffc000"));
    // a wrong opcode: what follows the DDP header is not known
    let odd = captured(0x0206, 46, &"414100000000000000010000000500000000".repeat(3));
    assert_eq!(body(&odd).len(), 24);
    // TCP lost or startup never ended: nothing may be sent
    assert_eq!(ulpdu(&Captured { error: 0x2001, segment: None }), None);
    assert_eq!(ulpdu(&Captured { error: 0x2004, segment: None }), None);
    // numbers that no document assigns
    assert_eq!(body(&Captured { error: 0x7777, segment: None }), hex("00000000"));
}

#[test]
fn every_error_is_read_back() {
    for info in ferrowarp_abi::error::ERRORS {
        let octets = bare(info.error).expect("a Terminate");
        let received = parse(&octets[18..]).expect("a whole one");
        assert_eq!(received.error, Some(info.error));
        assert!(received.to_string().contains(info.doc));
    }
    // as siw sends it: R without the octets
    let received = parse(&hex("0109e000 0012 4144 00000009 00000000 00000001 00000000")).expect("enough");
    assert_eq!(received.error, Some(TermError::RdmapProtectionCannotInvalidate));
    assert!(received.quoted.ddp.is_some() && received.quoted.read_request.is_none());
    assert!(parse(&[0, 1, 2]).is_err());
}

#[test]
fn a_fault_sends_one_terminate_and_a_fin() {
    let _proof = proves_model_rows(&["MPA-8-17", "DDP-7.1-28"]);
    let mut bench = established();
    let mut bad = first_fpdu(&hex("4143 00000000 00000000 00000001 00000000"));
    bad[5] ^= 1;
    bench.say(&bad);
    bench.run(5);
    assert_eq!(bench.peer.inbox, hex("0016 4147 00000000 00000002 00000001 00000000 20020000 7fe42585"));
    assert!(bench.peer.fin && !bench.peer.rst);
    // faults that come later are not told again
    fault(&mut bench, Captured { error: 0x1100, segment: None });
    finish(&mut bench);
    assert_eq!(bench.peer.inbox.len(), 28);
    assert_eq!(bench.failure(), ConnError::Fault(TermError::MpaCrc));
    assert!(bench.is_clean());
}

#[test]
fn mpa_errors_quote_nothing() {
    let _proof = proves_model("MPA-8-18");
    for (error, word) in [(0x2002, "20020000"), (0x2003, "20030000")] {
        let mut bench = established();
        fault(&mut bench, captured(error, 0x2E, "c140 00001234 fffffffffffffff0"));
        assert_eq!((&bench.peer.inbox[..2], &bench.peer.inbox[20..24]), (&[0, 22][..], &hex(word)[..]));
    }
}

#[test]
fn a_protection_error_ends_in_order() {
    let _proof = proves_model_rows(&["RDMAP-6.2-03", "RDMAP-7-02", "RDMAP-6.2.1-05"]);
    for error in [0x0100, 0x1101] {
        let mut bench = established();
        fault(&mut bench, captured(error, 0x2E, "c140 00001234 fffffffffffffff0"));
        let order: Vec<_> = bench.device.commands.iter().rev().take(2).collect();
        assert!(matches!(order[..], [Command::Fin { .. }, Command::Terminate { .. }]), "{order:?}");
        assert!(bench.peer.fin && bench.peer.inbox[3] == 0x47, "at once, no wait for more data");
        finish(&mut bench);
        assert!(bench.is_clean());
    }
}

#[test]
fn a_fault_that_cannot_be_told_ends_by_the_clock() {
    let _proof = proves_model("RDMAP-6.2.1-02");
    let mut bench = established();
    bench.peer.answers = false; // the link is cut
    fault(&mut bench, captured(0x1101, 0x2E, "c140 00001234 fffffffffffffff0"));
    assert!(matches!(bench.event(), Event::Faulted { error: TermError::DdpBaseBounds, .. }));
    bench.run(config().timing.close + 10);
    assert_eq!(bench.failure(), ConnError::Fault(TermError::DdpBaseBounds));
    assert!(bench.is_clean(), "{:?}", bench.manager.audit());
}

#[test]
fn a_local_fault_is_reported_with_its_cause() {
    let _proof = proves_model_rows(&["RDMAP-7.1-01", "DDP-6.2.2-02"]);
    for info in
        ferrowarp_abi::error::ERRORS.iter().filter(|e| !matches!(e.error, TermError::MpaConnectionLost))
    {
        let mut bench = established();
        fault(&mut bench, Captured { error: info.error.to_bits(), segment: None });
        let told =
            bench.events.iter().any(|e| matches!(e, Event::Faulted { error, .. } if *error == info.error));
        let ended = |e: &Event| matches!(e, Event::Ended { outcome: Err(ConnError::Fault(error)), .. } if *error == info.error);
        assert!(told || bench.events.iter().any(ended), "{info:?}: {:?}", bench.events);
    }
}

#[test]
fn a_received_terminate_is_not_answered_with_one() {
    let _proof = proves_model("RDMAP-6.2.1-06");
    let mut bench = established();
    bench.peer.log.clear();
    bench.say(&first_fpdu(&hex("4147 00000000 00000002 00000001 00000000 11030000")));
    bench.run(5);
    let Event::Terminated { received, .. } = bench.event() else { panic!("not told") };
    assert_eq!(received.error, Some(TermError::DdpToWrap));
    assert!(bench.peer.inbox.is_empty() && bench.peer.fin && !bench.peer.rst, "a graceful close");
    finish(&mut bench);
    assert_eq!(bench.failure().number(), Some(TermError::DdpToWrap));
    // ours is sent again until it is there, and the close stays graceful
    let mut bench = established();
    bench.peer.answers = false;
    fault(&mut bench, Captured { error: 0x2002, segment: None });
    bench.peer.answers = true;
    bench.run(450);
    assert_eq!(bench.peer.inbox.len(), 28);
    assert!(bench.peer.fin && !bench.peer.rst);
}

#[test]
fn a_terminate_that_is_cut_short_ends_the_stream() {
    let mut bench = established();
    bench.device.raise(DeviceEvent::Terminate(QpId(1), vec![0x11]));
    bench.run(5);
    finish(&mut bench);
    assert_eq!(bench.failure(), ConnError::ShortTerminate { octets: 1 });
}

#[test]
fn a_terminate_before_the_first_fpdu_of_a_responder_aborts() {
    let (mut bench, _) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    bench.device.raise(DeviceEvent::Terminate(QpId(1), hex("20070000")));
    bench.run(5);
    assert_eq!(bench.failure().number(), Some(TermError::MpaNoRtrOption));
    assert!(bench.peer.rst && bench.is_clean());
}

#[test]
fn three_ways_to_end_have_three_outcomes() {
    let _proof = proves_model_rows(&["RDMAP-6.2-01", "RDMAP-6.2-02", "DDP-3-14"]);
    let mut bench = established();
    bench.manager.close(ID).expect("established");
    bench.run(5);
    finish(&mut bench);
    assert_eq!(bench.outcome(), Some(Ok(())), "graceful: FIN both ways, no Terminate");
    assert!(bench.peer.inbox.is_empty() && bench.peer.fin);
    let mut bench = established();
    fault(&mut bench, Captured { error: 0x0100, segment: None });
    finish(&mut bench);
    assert_eq!(bench.outcome(), Some(Err(ConnError::Fault(TermError::RdmapInvalidStag))));
    let mut bench = established();
    let reset = bench.peer.reset();
    bench.send(&reset);
    bench.run(5);
    assert_eq!(bench.outcome(), Some(Err(ConnError::Reset)));
    assert!(bench.peer.inbox.is_empty(), "no Terminate");
}

#[test]
fn the_peers_close_is_told_and_answered_by_a_fin() {
    let _proof = proves_model_rows(&["MPA-7.2-02", "DDP-6.2.1-06", "DDP-6.2.1-07"]);
    let mut bench = established();
    bench.say(&first_fpdu(&hex("4143 00000000 00000000 00000001 00000000")));
    finish(&mut bench);
    assert_eq!(bench.device.connection(1).expect("a row").good(), 2, "FPDUs before the FIN are there");
    assert_eq!(bench.event(), Event::PeerClosed { id: ID });
    bench.run(500);
    assert!(!bench.is_closed(), "half closed until the application is done");
    bench.manager.close(ID).expect("half closed");
    bench.run(5);
    assert_eq!(bench.outcome(), Some(Ok(())));
    assert!(bench.peer.fin && !bench.peer.rst && bench.is_clean());
    assert_eq!(bench.manager.audit().time_waits, 0, "LAST-ACK ends in CLOSED");
}

#[test]
fn a_close_is_told_to_the_stream_that_it_is_of() {
    let _proof = proves_model_rows(&["MPA-3-14", "DDP-3-13"]);
    let mut bench = established();
    let first = bench.peer.clone();
    bench.peer = ferrowarp_tests::fw::peer::Peer::new(([10, 9, 0, 2], 20_001).into(), 5);
    bench.peer_connects();
    bench.frame(&Frame::request());
    let Event::Request { id, .. } = bench.event() else { panic!("no Request") };
    bench.manager.accept(id, Accept::new(QpId(2))).expect("a Request");
    bench.settle();
    bench.say(&empty_write());
    bench.terms();
    bench.peer = first;
    finish(&mut bench);
    assert_eq!(bench.events, [Event::PeerClosed { id: ID }]);
    assert_eq!(bench.manager.audit().rows, 2, "the other is as it was");
}

#[test]
fn a_close_that_nobody_answers_is_reset() {
    let mut bench = established();
    bench.manager.close(ID).expect("established");
    bench.run(config().timing.close + 10);
    assert_eq!(bench.failure(), ConnError::TimedOut(Stage::Close));
    assert!(bench.peer.rst && bench.is_clean());
}

/// The ACK of the last FIN was lost, and who sent it is gone: all that we sent was taken, so
/// nothing has failed.
#[test]
fn a_last_ack_that_never_comes_is_no_failure() {
    let mut bench = established();
    finish(&mut bench);
    assert_eq!(bench.events, [Event::PeerClosed { id: ID }]);
    bench.events.clear();
    bench.peer.answers = false;
    bench.manager.close(ID).expect("established");
    bench.run(config().timing.close + 10);
    assert_eq!(bench.outcome(), Some(Ok(())));
    assert!(bench.is_clean());
}

/// The ACK of the last FIN was lost, and the host of the peer knows the connection no more.
#[test]
fn a_reset_behind_both_fins_is_no_failure() {
    let mut bench = established();
    finish(&mut bench);
    bench.events.clear();
    bench.peer.answers = false;
    bench.manager.close(ID).expect("established");
    bench.run(5);
    assert!(bench.events.is_empty(), "LAST-ACK: {:?}", bench.events);
    bench.device.raise(DeviceEvent::PeerReset(QpId(1)));
    bench.run(5);
    assert_eq!(bench.outcome(), Some(Ok(())));
    assert!(bench.is_clean());
}

#[test]
fn an_abort_resets() {
    let mut bench = established();
    bench.manager.abort(ID).expect("established");
    bench.run(2);
    assert_eq!(bench.outcome(), Some(Err(ConnError::Aborted)));
    assert!(bench.peer.rst && bench.is_clean());
    assert!(bench.manager.close(ID).is_err(), "it does not exist any more");
}

#[test]
fn an_error_4_ends_like_a_lost_connection() {
    let _proof = proves_model("MPA-8-11");
    let mut bench = asked_octets(b"no MPA at all, sorry");
    let [Event::Ended { outcome: Err(first), .. }] = &bench.events[..] else { panic!("{:?}", bench.events) };
    assert_eq!(first.number(), Some(TermError::MpaInvalidStartup));
    assert!(bench.peer.inbox.is_empty(), "no Terminate");
    bench.run(5);
    let mut lost = established();
    lost.device.raise(DeviceEvent::Lost(QpId(1)));
    lost.run(5);
    assert!(matches!(&lost.events[..], [Event::Ended { outcome: Err(ConnError::Lost), .. }]));
}

#[test]
fn any_port_is_a_port_of_rdmap() {
    let _proof = proves_model("RDMAP-9-01");
    let mut bench = Bench::default();
    for port in [1, 80, 4_791, 65_535] {
        bench
            .manager
            .listen(Listen { port, address: None, backlog: 1, then: Then::Respond })
            .expect("a port");
        bench.peer = ferrowarp_tests::fw::peer::Peer::new(([10, 9, 0, 2], port).into(), 5);
        bench.initiate(Initiate { qp: None, ..Initiate::new(QpId(1)) });
        assert!(bench.peer.inbox.starts_with(b"MPA ID Req"), "port {port}");
    }
}

#[test]
fn an_insufficient_ird_has_its_code_and_quotes_nothing() {
    let _proof = proves_model("RDMAP-4.8-41");
    let bench = replied(Initiate::new(QpId(1)), &Frame::reply().enhanced(0x0010_0040));
    assert_eq!(bench.peer.inbox[20..24], hex("20060000"));
    assert_eq!(bench.peer.inbox[..2], [0, 22]);
}
