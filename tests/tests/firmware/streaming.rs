// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows about raw octets before MPA, and about roles that do not follow TCP's (RFC 5044 sections
//! 1.2, 2, 7.1, 7.1.3).
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::ConnError;
use ferrowarp_firmware::port::QpId;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

fn plain() -> Initiate {
    Initiate { enhanced: false, ..Initiate::new(QpId(1)) }
}

/// A bench with a connection in raw mode, opened by us or by the peer.
fn raw(active: bool) -> (Bench, ConnId) {
    let mut bench = Bench::default();
    let id = if active {
        bench.connect(Then::Stream)
    } else {
        bench.listen_then(Then::Stream);
        bench.peer_connects();
        ConnId(2)
    };
    assert!(matches!(bench.event(), Event::Opened { id: opened, .. } if opened == id));
    (bench, id)
}

/// Exchanges these many raw octets each way.
fn exchange(bench: &mut Bench, id: ConnId, octets: usize) {
    bench.manager.send(id, &vec![0x5A; octets]).expect("raw mode");
    bench.settle();
    assert_eq!(std::mem::take(&mut bench.peer.inbox), vec![0x5A; octets]);
    for piece in vec![0xA5; octets].chunks(1_460) {
        bench.say(piece);
    }
    assert_eq!(std::mem::take(&mut bench.events), [Event::Readable { id }], "told once");
    assert_eq!(bench.manager.read(id, usize::MAX), Ok(vec![0xA5; octets]));
}

#[test]
fn raw_octets_come_before_the_request() {
    let _proof = proves_model_rows(&["MPA-1.2-01", "MPA-7.1-04", "MPA-7.1-01"]);
    for octets in [101, 1_000] {
        let (mut bench, id) = raw(true);
        exchange(&mut bench, id, octets);
        bench.manager.initiate(id, plain()).expect("raw mode");
        bench.settle();
        let syn = bench.peer.log[0].seq;
        assert_eq!(bench.peer.inbox[..16], *b"MPA ID Req Frame");
        bench.frame(&Frame::reply());
        bench.terms();
        let row = bench.device.connection(1).expect("a row").row;
        assert_eq!(row.tx_seq_start.0, syn.wrapping_add(1 + octets as u32 + 20));
        assert_eq!(row.rx_seq_start.0, bench.peer.snd_nxt);
    }
    // one end switched an octet early: the key check fails
    let (mut bench, id) = raw(true);
    exchange(&mut bench, id, 100);
    bench.manager.initiate(id, plain()).expect("raw mode");
    bench.settle();
    bench.say(&[&[0xA5][..], &Frame::reply().octets()].concat());
    assert!(matches!(bench.failure(), ConnError::Frame(_)) && bench.is_closed());
}

#[test]
fn startup_is_immediate_or_delayed() {
    let _proof = proves_model_rows(&["MPA-1.2-02", "RDMAP-6.1-01", "DDP-6.1-01"]);
    let (mut bench, id) = raw(false);
    exchange(&mut bench, id, 50);
    bench.manager.respond(id, &[]).expect("raw mode");
    bench.frame(&Frame::request());
    let Event::Request { id, .. } = bench.event() else { panic!("no Request") };
    bench.accept(id);
    bench.say(&empty_write());
    bench.terms();
    assert_eq!(bench.device.connection(1).expect("a row").good(), 1);
    let (mut bench, _) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    bench.say(&empty_write());
    bench.terms();
}

#[test]
fn the_passive_side_of_tcp_may_be_the_initiator() {
    let _proof = proves_model_rows(&["MPA-2-08", "MPA-7.1-11", "MPA2-3-01"]);
    let mut bench = Bench::default();
    bench.listen_then(Then::Initiate(plain()));
    bench.peer_connects();
    assert_eq!(bench.peer.inbox[..16], *b"MPA ID Req Frame");
    bench.frame(&Frame::reply());
    bench.terms();
}

#[test]
fn the_active_side_of_tcp_may_be_the_responder() {
    let _proof = proves_model_rows(&["MPA-2-09", "MPA-7.1-13"]);
    let mut bench = Bench::default();
    let id = bench.connect(Then::Respond);
    bench.run(200);
    assert!(bench.peer.inbox.is_empty(), "it waits in silence");
    bench.frame(&Frame::request());
    assert_eq!(bench.accept(id)[..16], *b"MPA ID Rep Frame");
    bench.events.clear();
    bench.say(&empty_write());
    bench.terms();
}

#[test]
fn both_directions_start_with_one_call() {
    let _proof = proves_model_rows(&["MPA-7.1-02", "MPA-7.1-06"]);
    let (mut bench, id) = raw(true);
    bench.manager.initiate(id, plain()).expect("raw mode");
    bench.settle();
    assert!(bench.manager.send(id, b"raw").is_err(), "no raw octets any more, whatever the direction");
    assert!(bench.device.table.is_empty(), "startup: no FPDU can leave");
    bench.frame(&Frame::reply());
    bench.terms();
    assert!(bench.device.connection(1).expect("a row").gate);
    assert!(bench.manager.send(id, b"raw").is_err());
}

#[test]
fn mpa_is_never_guessed() {
    let _proof = proves_model("MPA2-4.2-02");
    let (mut bench, id) = raw(false);
    bench.frame(&Frame::request());
    assert_eq!(bench.event(), Event::Readable { id }, "octets like others");
    assert_eq!(bench.manager.read(id, usize::MAX), Ok(Frame::request().octets()));
    bench.settle();
    assert!(bench.peer.inbox.is_empty());
    // and on a connection in full operation there is no way to send raw octets
    let (mut bench, _) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    bench.say(&empty_write());
    bench.terms();
    assert!(bench.manager.send(ConnId(2), b"raw").is_err());
}

#[test]
fn the_last_raw_message_goes_with_the_switch() {
    let _proof = proves_model_rows(&["MPA-7.1.5-04", "MPA-7.1.3-01"]);
    let (mut bench, id) = raw(false);
    bench.say(b"hello");
    assert_eq!(bench.manager.read(id, usize::MAX), Ok(b"hello".to_vec()));
    bench.manager.respond(id, b"hello to you").expect("raw mode");
    // the Request is there before anything else happens
    let request = bench.peer.data(&Frame::request().octets());
    bench.send(&request);
    bench.settle();
    assert_eq!(bench.peer.inbox, b"hello to you");
    let found = bench.events.iter().any(|e| matches!(e, Event::Request { .. }));
    assert!(found, "{:?}", bench.events);
}

#[test]
fn unread_raw_octets_are_never_dropped() {
    let _proof = proves_model("MPA-7.1.5-03");
    let (mut bench, id) = raw(false);
    // the last raw octets and the Request are there before the call: MPA gets what was not read, in
    // order
    bench.say(&[b"last words", &Frame::request().octets()[..]].concat());
    assert_eq!(bench.event(), Event::Readable { id });
    assert_eq!(bench.manager.read(id, 5), Ok(b"last ".to_vec()));
    assert_eq!(bench.manager.read(id, 5), Ok(b"words".to_vec()));
    assert_eq!(bench.manager.unread(id), Ok(20));
    bench.manager.respond(id, &[]).expect("raw mode");
    bench.settle();
    assert!(matches!(bench.event(), Event::Request { .. }));
    // one octet that was not read is the first one of the startup frame
    let (mut bench, id) = raw(false);
    bench.say(&[b"last words", &Frame::request().octets()[..]].concat());
    assert_eq!(bench.manager.read(id, 9), Ok(b"last word".to_vec()));
    bench.manager.respond(id, &[]).expect("raw mode");
    bench.settle();
    assert!(matches!(bench.failure(), ConnError::Frame(_)) && bench.is_closed());
}

#[test]
fn private_data_goes_with_a_delayed_startup() {
    let _proof = proves_model_rows(&["MPA-7.1.3-02", "MPA-7.1.4-02"]);
    let (mut bench, id) = raw(true);
    exchange(&mut bench, id, 4_096);
    bench.manager.initiate(id, Initiate { private_data: vec![1; 16], ..plain() }).expect("raw mode");
    bench.settle();
    assert_eq!(bench.peer.inbox[20..], [1; 16]);
    bench.frame(&Frame::reply().with(&[2; 16]));
    let Event::Established { offer, .. } = bench.event() else { panic!("not established") };
    assert_eq!(offer.private_data, [2; 16]);
}

#[test]
fn a_listeners_queue_pair_serves_one_connection() {
    let mut bench = Bench::default();
    bench.listen_then(Then::Initiate(plain()));
    bench.peer_connects();
    bench.frame(&Frame::reply());
    bench.terms();
    bench.peer = ferrowarp_tests::fw::peer::Peer::new(([10, 9, 0, 2], 20_001).into(), 5);
    bench.peer_connects();
    bench.frame(&Frame::reply());
    let Event::Reply { id, .. } = bench.event() else { panic!("bound to a busy queue pair") };
    bench.manager.bind(id, QpId(2)).expect("a free queue pair");
    bench.settle();
    bench.terms();
}

/// The ACK of our FIN was lost, and the peer's host knows the connection no more.
#[test]
fn a_reset_behind_both_fins_ends_raw_octets_in_order() {
    for is_last in [true, false] {
        let (mut bench, id) = raw(true);
        exchange(&mut bench, id, 100);
        let fin = bench.peer.finish();
        bench.send(&fin);
        bench.run(5);
        bench.events.clear();
        bench.peer.answers = false;
        if !is_last {
            bench.manager.send(id, &[0x5A; 40]).expect("raw mode");
        }
        bench.manager.close(id).expect("raw mode");
        bench.run(5);
        assert_eq!(bench.events, [], "the FIN is not acknowledged");
        let reset = bench.peer.reset();
        bench.send(&reset);
        bench.run(5);
        // octets that nobody acknowledged are lost
        let due = if is_last { Ok(()) } else { Err(ConnError::Reset) };
        assert_eq!(bench.outcome(), Some(due));
        assert!(bench.is_clean());
    }
}
