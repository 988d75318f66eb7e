// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 5044 sections 7.1 and 7.1.2 to 7.1.4: the rules of startup, its timers, its close.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::{CallError, ConnError, Stage};
use ferrowarp_firmware::mpa::frame::{FrameError, Kind};
use ferrowarp_firmware::port::{Command, QpId};
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::{empty_write, first_fpdu, Frame};
use ferrowarp_tests::mpa_model::hex;
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

fn plain() -> Initiate {
    Initiate { enhanced: false, ..Initiate::new(QpId(1)) }
}

/// Time passes until nothing can be left.
fn is_clean_later(bench: &mut Bench) -> bool {
    bench.run(3_000);
    bench.is_clean()
}

#[test]
fn the_request_has_the_applications_data() {
    let _proof = proves_model("MPA-7.1.2-02");
    for length in [0, 1, 512] {
        let data: Vec<u8> = (0..length).map(|i| i as u8).collect();
        assert_eq!(request(Initiate { private_data: data.clone(), ..plain() })[20..], data);
    }
}

#[test]
fn a_silent_peer_of_a_responder_times_out() {
    let _proof = proves_model_rows(&["MPA-7.1.2-03", "MPA-7.1.2-29"]);
    let mut bench = Bench::default();
    bench.listen();
    bench.peer_connects();
    bench.run(config().timing.startup - 10);
    assert!(bench.peer.inbox.is_empty() && !bench.is_closed() && bench.events.is_empty());
    bench.run(20);
    assert_eq!(bench.failure(), ConnError::TimedOut(Stage::Request));
    assert!(bench.is_closed() && is_clean_later(&mut bench));
}

#[test]
fn a_bad_request_closes_and_frees() {
    let _proof = proves_model_rows(&["MPA-7.1.2-04", "MPA-8-10"]);
    let key = Frame { key: [0x4D; 16], ..Frame::request() };
    let revision = Frame { revision: 9, ..Frame::request() };
    let length = Frame { length: Some(513), ..Frame::request() };
    for frame in [key, revision, length] {
        let mut bench = asked_octets(&frame.octets());
        assert!(bench.is_closed() && bench.peer.inbox.is_empty(), "at once, without Reply or Terminate");
        assert!(matches!(bench.failure(), ConnError::Frame(_)));
        assert!(is_clean_later(&mut bench));
    }
}

#[test]
fn a_bad_reply_closes_and_frees() {
    let _proof = proves_model("MPA-7.1.2-15");
    let key = Frame { key: [0x4D; 16], ..Frame::reply() };
    let revision = Frame { revision: 9, ..Frame::reply() };
    let length = Frame { length: Some(513), ..Frame::reply() };
    for frame in [key, revision, length] {
        let mut bench = replied(plain(), &frame);
        assert!(bench.is_closed() && bench.peer.inbox.is_empty(), "no FPDU, no Terminate");
        assert_eq!(bench.failure().number().map(|e| e.to_bits()), Some(0x2004));
        assert!(is_clean_later(&mut bench));
    }
}

#[test]
fn garbage_closes_without_waiting() {
    let _proof = proves_model("MPA-7.1.3-05");
    let mut bench = asked_octets(&[0xA5; 20]);
    assert!(bench.is_closed());
    let ConnError::Frame(FrameError::Key { expected: Kind::Request, found }) = bench.failure() else {
        panic!("another error")
    };
    assert_eq!(found, [0xA5; 16]);
}

#[test]
fn a_rejecting_reply_has_the_applications_data() {
    let _proof = proves_model_rows(&["MPA-7.1.2-06", "MPA-7.1.4-05"]);
    let mut bench = Bench::default();
    let (id, _) = bench.requested(&Frame::request());
    bench.manager.reject(id, b"busy".to_vec(), None).expect("a Request");
    bench.settle();
    assert_eq!(bench.peer.inbox[16..], *b"\x60\x01\0\x04busy");
    bench.manager.close(id).expect("an open connection");
    bench.settle();
    assert!(bench.peer.fin);
}

#[test]
fn after_a_rejection_tcp_stays_open() {
    let _proof = proves_model_rows(&["MPA-7.1.2-07", "MPA-7.1.2-08"]);
    let mut bench = Bench::default();
    let (id, _) = bench.requested(&Frame::request());
    bench.manager.reject(id, vec![], None).expect("a Request");
    bench.run(1_000);
    assert!(!bench.is_closed());
    bench.peer.inbox.clear();
    bench.manager.send(id, b"raw").expect("raw mode");
    bench.say(b"and back");
    assert_eq!(bench.peer.inbox, b"raw");
    assert_eq!(bench.event(), Event::Readable { id });
    assert_eq!(bench.manager.read(id, usize::MAX), Ok(b"and back".to_vec()));
    // another try on the same connection
    bench.manager.respond(id, &[]).expect("raw mode");
    bench.frame(&Frame::request());
    assert!(matches!(bench.event(), Event::Request { .. }));
    bench.peer.inbox.clear();
    bench.manager.accept(id, Accept::new(QpId(1))).expect("a Request");
    bench.settle();
    bench.say(&empty_write());
    bench.terms();
}

#[test]
fn an_accepting_reply_has_the_applications_data() {
    let _proof = proves_model_rows(&["MPA-7.1.2-09", "MPA-7.1.2-10"]);
    let accept = Accept { private_data: vec![9; 512], ..Accept::new(QpId(1)) };
    let (_, reply) = accepted(config(), &Frame::request(), accept);
    assert_eq!((reply[16] & 0x20, &reply[18..20], &reply[20..]), (0, &[2, 0][..], &[9; 512][..]));
    let mut bench = replied(plain(), &Frame::reply().with(&[9; 512]));
    let Event::Established { offer, .. } = bench.event() else { panic!("not established") };
    assert_eq!(offer.private_data, [9; 512]);
}

#[test]
fn the_receive_side_is_armed_before_the_reply() {
    let _proof = proves_model_rows(&["MPA-7.1.2-11", "MPA-7.1.3-04"]);
    let (mut bench, reply) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    let place = |pick: fn(&Command) -> bool| bench.device.commands.iter().position(pick).expect("a command");
    let insert = place(|c| matches!(c, Command::ConnInsert { .. }));
    assert!(insert < place(|c| matches!(c, Command::RawMessage { .. })));
    assert_eq!(reply.len(), 20);
    assert!(!bench.device.connection(1).expect("a row").gate, "transmit waits");
    bench.say(&empty_write());
    assert_eq!(bench.device.connection(1).expect("a row").good(), 1);
    bench.terms();
}

#[test]
fn no_reply_before_the_request_and_the_applications_word() {
    let _proof = proves_model_rows(&["MPA-7.1.2-13", "MPA-7.1-10"]);
    let mut bench = Bench::default();
    bench.listen();
    bench.peer_connects();
    let early = bench.manager.accept(ConnId(2), Accept::new(QpId(1)));
    assert!(early.is_err(), "there is no Request to accept");
    bench.run(50);
    assert!(bench.peer.inbox.is_empty());
    bench.frame(&Frame::request().with(b"who"));
    bench.run(500);
    assert!(bench.peer.inbox.is_empty(), "the application has not spoken");
    let Event::Request { id, .. } = bench.event() else { panic!("no Request") };
    assert_eq!(bench.accept(id).len(), 20);
}

#[test]
fn a_silent_peer_of_an_initiator_times_out() {
    let _proof = proves_model_rows(&["MPA-7.1.2-14", "MPA-7.1.2-12"]);
    let mut bench = Bench::default();
    bench.initiate(plain());
    bench.run(config().timing.startup + 10);
    assert_eq!(bench.peer.inbox.len(), 20, "the Request and no FPDU");
    assert!(bench.device.table.is_empty());
    assert_eq!(bench.failure(), ConnError::TimedOut(Stage::Reply));
    assert!(is_clean_later(&mut bench));
}

#[test]
fn a_rejected_initiator_leaves_tcp_open() {
    let _proof = proves_model_rows(&["MPA-7.1.2-16", "MPA-7.1.2-17", "MPA-7.1.4-06"]);
    let mut bench = replied(plain(), &Frame { flags: 0x60, ..Frame::reply().with(b"no") });
    let Event::Rejected { id, offer } = bench.event() else { panic!("not rejected") };
    assert_eq!(offer.private_data, b"no");
    bench.run(1_000);
    assert!(!bench.is_closed());
    bench.manager.send(id, b"then raw").expect("raw mode");
    bench.say(b"as you like");
    assert_eq!(bench.event(), Event::Readable { id });
    assert_eq!(bench.manager.read(id, usize::MAX), Ok(b"as you like".to_vec()));
    assert_eq!(bench.peer.inbox, b"then raw");
    bench.manager.close(id).expect("open");
    bench.settle();
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.settle();
    assert_eq!(bench.outcome(), Some(Ok(())));
    assert!(bench.peer.fin && is_clean_later(&mut bench));
}

#[test]
fn an_accepted_initiator_is_in_full_operation() {
    let mut bench = replied(plain(), &Frame::reply());
    bench.terms();
    let rcv_nxt = bench.peer.rcv_nxt;
    let connection = bench.device.connection(1).expect("a row");
    assert!(connection.gate);
    assert_eq!(connection.row.tx_seq_start.0, rcv_nxt, "right after the Request");
    bench.say(&first_fpdu(&hex("4143 00000000 00000000 00000001 00000000")));
    assert_eq!(bench.device.connection(1).expect("a row").good(), 1, "received octets are FPDUs");
}

#[test]
fn a_bad_first_fpdu_cannot_be_answered() {
    let _proof = proves_model("MPA-7.1.2-21");
    let (mut bench, _) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    let mut bad = empty_write();
    bad[10] ^= 1;
    bench.say(&bad);
    bench.run(10);
    assert_eq!(bench.failure(), ConnError::FirstFpdu(ferrowarp_abi::error::TermError::MpaCrc));
    assert!(bench.peer.inbox.is_empty(), "no FPDU, no Terminate");
    assert!(bench.peer.rst && bench.is_clean());
}

#[test]
fn private_data_decides_before_a_queue_pair_is_bound() {
    let _proof = proves_model_rows(&["MPA-7.1-08", "MPA-7.1.2-23", "MPA-7.1.4-01"]);
    let mut bench = Bench::default();
    let (id, offer) = bench.requested(&Frame::request().with(&[7]));
    let qp = QpId(u16::from(offer.private_data[0]));
    bench.manager.accept(id, Accept::new(qp)).expect("a Request");
    bench.settle();
    bench.say(&empty_write());
    assert!(matches!(bench.event(), Event::Established { qp: QpId(7), .. }));
}

#[test]
fn full_operation_needs_a_queue_pair() {
    let _proof = proves_model_rows(&["MPA-7.1-09", "MPA-7.1.4-07"]);
    let mut bench = replied(Initiate { qp: None, ..plain() }, &Frame::reply().with(b"choose"));
    let Event::Reply { id, offer } = bench.event() else { panic!("not asked for a queue pair") };
    assert_eq!(offer.private_data, b"choose");
    bench.run(500);
    assert!(bench.device.commands.is_empty() && bench.peer.inbox.is_empty() && !bench.is_closed());
    bench.manager.bind(id, QpId(3)).expect("a Reply");
    bench.settle();
    assert!(matches!(bench.event(), Event::Established { qp: QpId(3), .. }));
    // a queue pair has one connection
    let (mut bench, _) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    bench.peer = ferrowarp_tests::fw::peer::Peer::new(([10, 9, 0, 2], 20_001).into(), 5);
    bench.peer_connects();
    bench.frame(&Frame::request());
    let Event::Request { id, .. } = bench.event() else { panic!("no second Request") };
    assert_eq!(bench.manager.accept(id, Accept::new(QpId(1))), Err(CallError::QpBusy(1)));
    bench.settle();
    assert!(bench.peer.inbox.is_empty(), "no Reply");
}

#[test]
fn the_application_may_end_it_after_the_reply() {
    let _proof = proves_model_rows(&["MPA-7.1.2-24", "MPA-7.1.3-06"]);
    for abort in [false, true] {
        let mut bench = replied(Initiate { qp: None, ..plain() }, &Frame::reply());
        let Event::Reply { id, .. } = bench.event() else { panic!("no Reply") };
        let call = if abort { bench.manager.abort(id) } else { bench.manager.close(id) };
        call.expect("a connection");
        bench.settle();
        assert_eq!((bench.peer.rst, bench.peer.fin), (abort, !abort));
        assert!(bench.peer.inbox.is_empty(), "no FPDU");
    }
}

#[test]
fn the_application_may_close_instead_of_replying() {
    let _proof = proves_model_rows(&["MPA-7.1.3-03", "MPA-7.1.4-04"]);
    for abort in [false, true] {
        let mut bench = Bench::default();
        let (id, _) = bench.requested(&Frame::request());
        let call = if abort { bench.manager.abort(id) } else { bench.manager.close(id) };
        call.expect("a connection");
        bench.settle();
        assert!(bench.is_closed() && bench.peer.inbox.is_empty());
        assert!(is_clean_later(&mut bench));
    }
    // the two other choices of figure 10
    let (_, reply) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    assert_eq!(reply[16] & 0x20, 0);
}

#[test]
fn a_frame_that_stalls_times_out() {
    let _proof = proves_model("MPA-7.1.2-34");
    let mut bench = asked_octets(&Frame::request().octets()[..19]);
    bench.run(config().timing.startup + 10);
    assert_eq!(bench.failure(), ConnError::TimedOut(Stage::Request));
    assert!(bench.is_closed() && bench.is_clean(), "{:?}", bench.manager.audit());
}

#[test]
fn the_ack_of_the_handshake_may_carry_the_request() {
    let _proof = proves_model("MPA-7.1.4-03");
    let mut bench = Bench::default();
    bench.listen();
    bench.peer.answers = false;
    bench.peer_connects();
    let syn_ack = bench.peer.log[0].clone();
    assert!(syn_ack.syn && syn_ack.ack == Some(bench.peer.snd_nxt));
    (bench.peer.rcv_nxt, bench.peer.answers) = (syn_ack.seq.wrapping_add(1), true);
    bench.frame(&Frame::request());
    assert!(matches!(bench.event(), Event::Request { .. }));
    // ours does the same
    let mut bench = Bench::default();
    bench.initiate(plain());
    let [syn, first, ..] = &bench.peer.log[..] else { panic!("{:?}", bench.peer.log) };
    assert!(syn.syn && first.data.len() == 20 && first.ack.is_some());
}
