// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 5044 section 7.1.1: startup frames as they leave and as they are read.
mod private_data;

use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::config::CrcPolicy;
use ferrowarp_firmware::error::{CallError, ConnError};
use ferrowarp_firmware::mpa::fpdu::mulpdu;
use ferrowarp_firmware::mpa::frame::{parse, FrameError, Kind};
use ferrowarp_firmware::mpa::negotiate::Wanted;
use ferrowarp_firmware::port::QpId;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::{empty_write, Frame, REPLY, REQUEST};
use ferrowarp_tests::fw::wire::Seg;
use ferrowarp_tests::mpa_model;
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

/// An initiator of RFC 5044 without RFC 6581.
fn plain() -> Initiate {
    Initiate { enhanced: false, ..Initiate::new(QpId(1)) }
}

fn patterned(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 7 + 3) as u8).collect()
}

/// What came of octets instead of a Request, or of a Reply: error number 4, TCP closed, no Reply,
/// nothing left.
fn refused(bench: &mut Bench) -> ConnError {
    let why = bench.failure();
    assert_eq!(why.number().map(|e| e.to_bits()), Some(0x2004), "{why}");
    assert!(bench.is_closed() && bench.peer.inbox.is_empty(), "{why}");
    bench.run(2_000);
    assert!(bench.is_clean(), "{why}: {:?}", bench.manager.audit());
    why
}

#[test]
fn the_frame_has_20_octets_and_its_private_data() {
    let _proof = proves_model_rows(&["MPA-7.1.1-01", "MPA-7.1.1-08"]);
    let how = Initiate { markers: true, private_data: b"AB".to_vec(), ..plain() };
    let octets = request(how);
    assert_eq!(octets[16..], [0xC0, 1, 0, 2, 0x41, 0x42]);
    assert_eq!(octets.len(), 22);
}

#[test]
fn the_key_of_a_request() {
    let _proof = proves_model_rows(&["MPA-7.1.1-02", "MPA-7.1.2-01", "MPA-7.1-03"]);
    let octets = request(plain());
    assert_eq!(octets[..16], *b"MPA ID Req Frame");
    assert_eq!((octets[0], octets.len()), (0x4D, 20), "nothing before it, a well-formed frame");
}

#[test]
fn the_key_of_a_reply() {
    let _proof = proves_model_rows(&["MPA-7.1.1-05", "MPA-1.2-03"]);
    let (_, reply) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    assert_eq!(reply[..16], *b"MPA ID Rep Frame");
    assert_eq!(reply[9], 0x70);
    assert_eq!(request(plain())[..16], *b"MPA ID Req Frame", "the other role by the API");
}

#[test]
fn every_bit_of_a_requests_key_is_verified() {
    let _proof = proves_model("MPA-7.1.1-03");
    for bit in 0..128 {
        let mut frame = Frame::request();
        frame.key[bit / 8] ^= 1 << (bit % 8);
        let mut bench = asked_octets(&frame.octets());
        let why = refused(&mut bench);
        assert!(matches!(why, ConnError::Frame(FrameError::Key { expected: Kind::Request, .. })), "{why}");
    }
}

#[test]
fn every_bit_of_a_replys_key_is_verified() {
    let _proof = proves_model_rows(&["MPA-7.1.1-06", "MPA-7.1.2-22"]);
    for bit in 0..128 {
        let mut frame = Frame::reply();
        frame.key[bit / 8] ^= 1 << (bit % 8);
        let mut bench = replied(plain(), &frame);
        let why = refused(&mut bench);
        assert!(matches!(why, ConnError::Frame(FrameError::Key { expected: Kind::Reply, .. })), "{why}");
    }
}

#[test]
fn another_key_closes_the_responder() {
    let _proof = proves_model_rows(&["MPA-7.1.1-04", "MPA-8-09", "MPA-7.1-05"]);
    for octets in [&b"MPA ID Rep Frame\x40\x01\0\0"[..], b"GET / HTTP/1.1\r\n\r\n"] {
        let mut bench = asked_octets(octets);
        let ConnError::Frame(FrameError::Key { found, .. }) = refused(&mut bench) else {
            panic!("another error")
        };
        assert_eq!(found, octets[..16]);
    }
}

#[test]
fn a_request_instead_of_a_reply_closes_the_initiator() {
    let _proof = proves_model_rows(&["MPA-7.1.1-07", "MPA-7.1-12", "MPA-7.1.2-28"]);
    let mut bench = replied(plain(), &Frame::request());
    let ConnError::Frame(FrameError::Key { found, .. }) = refused(&mut bench) else {
        panic!("another error")
    };
    assert_eq!(found, REQUEST);
    assert_ne!(REQUEST, REPLY);
}

#[test]
fn m_of_a_peer_makes_us_insert_markers() {
    let _proof = proves_model("MPA-7.1.1-36");
    for bits in 0..16 {
        let (ours, theirs) = (bits & 1 != 0, bits & 2 != 0);
        let (c_ours, c_theirs) = (bits & 4 != 0, bits & 8 != 0);
        let mut config = config();
        config.crc = if c_ours { CrcPolicy::Wanted } else { CrcPolicy::AdministratorSaysNo };
        let flags = if theirs { 0x80 } else { 0 } | if c_theirs { 0x40 } else { 0 };
        let mut bench = Bench::new(config.clone());
        bench.initiate(Initiate { markers: ours, ..plain() });
        bench.frame(&Frame { flags, ..Frame::reply() });
        let expected = (theirs, ours, c_ours || c_theirs);
        let row = bench.device.connection(1).expect("a row").row;
        assert_eq!((row.tx_markers, row.rx_markers, row.tx_crc), expected, "initiator, {bits:04b}");
        assert_eq!(row.rx_crc, row.tx_crc);
        let accept = Accept { markers: ours, ..Accept::new(QpId(1)) };
        let (mut bench, _) = accepted(config, &Frame { flags, ..Frame::request() }, accept);
        let row = bench.device.connection(1).expect("a row").row;
        assert_eq!((row.tx_markers, row.rx_markers, row.tx_crc), expected, "responder, {bits:04b}");
        assert_eq!(row.rx_crc, row.tx_crc);
    }
}

#[test]
fn our_m_follows_the_option() {
    let _proof = proves_model("MPA-4.3-04");
    for markers in [false, true] {
        let octets = request(Initiate { markers, ..plain() });
        assert_eq!(octets[16] & 0x80 != 0, markers);
        let accept = Accept { markers, ..Accept::new(QpId(1)) };
        let (mut bench, reply) = accepted(config(), &Frame::request(), accept);
        assert_eq!(reply[16] & 0x80 != 0, markers);
        assert_eq!(bench.device.connection(1).expect("a row").row.rx_markers, markers);
    }
}

#[test]
fn received_m_chooses_the_mulpdu() {
    let _proof = proves_model("MPA-4.5-14");
    for (ours, theirs, mulpdu) in [(false, true, 1_442), (true, false, 1_454)] {
        let reply = Frame { flags: if theirs { 0xC0 } else { 0x40 }, ..Frame::reply() };
        let mut bench = replied(Initiate { markers: ours, ..plain() }, &reply);
        let row = bench.device.connection(1).expect("a row").row;
        assert_eq!((row.emss, row.mulpdu), (1_460, mulpdu));
    }
}

#[test]
fn mulpdu_of_every_emss_agrees_with_the_model() {
    for (emss, markers) in (128..=u16::MAX).flat_map(|emss| [(emss, false), (emss, true)]) {
        let due = mpa_model::mulpdu(emss.into(), markers);
        assert_eq!(usize::from(mulpdu(emss, markers)), due, "EMSS {emss}, markers {markers}");
    }
}

#[test]
fn crc_is_wanted_by_default() {
    let _proof = proves_model_rows(&["MPA-4.4-05", "MPA-7.1.1-13"]);
    assert_eq!(request(Initiate::new(QpId(1)))[16] & 0x40, 0x40);
    let (mut bench, reply) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    assert_eq!(reply[16] & 0x40, 0x40);
    let mut bad = empty_write();
    bad[7] ^= 1;
    bench.say(&bad);
    bench.run(10);
    let why = bench.failure();
    assert_eq!(why.number().map(|e| e.to_bits()), Some(0x2002), "{why}");
}

#[test]
fn only_the_administrator_does_without_crc() {
    let _proof = proves_model("MPA-4.4-04");
    // neither `Initiate` nor `Accept` has a word for it: only the configuration of the device
    for (policy, peer, crc) in [
        (CrcPolicy::Wanted, 0, true),
        (CrcPolicy::AdministratorSaysNo, 0, false),
        (CrcPolicy::AdministratorSaysNo, 0x40, true),
        (CrcPolicy::Wanted, 0x40, true),
    ] {
        let mut config = config();
        config.crc = policy;
        let flag = if policy == CrcPolicy::Wanted { 0x40 } else { 0 };
        let (mut bench, reply) =
            accepted(config.clone(), &Frame { flags: peer, ..Frame::request() }, Accept::new(QpId(1)));
        assert_eq!(reply[16] & 0x40, flag);
        assert_eq!(bench.device.connection(1).expect("a row").row.rx_crc, crc);
        let mut bad = empty_write();
        bad[17] ^= 1;
        bench.say(&bad);
        bench.run(5);
        assert_eq!(
            bench.events.iter().any(|e| matches!(e, Event::Established { .. })),
            !crc,
            "{policy:?} {peer}"
        );
        let mut bench = Bench::new(config);
        bench.initiate(plain());
        assert_eq!(bench.peer.inbox[16] & 0x40, flag);
    }
}

#[test]
fn r_of_a_request_is_sent_zero_and_not_checked() {
    let _proof = proves_model("MPA-7.1.1-19");
    let (_, plain_reply) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    let odd = Frame { flags: 0x60, ..Frame::request() };
    let (mut bench, reply) = accepted(config(), &odd, Accept::new(QpId(1)));
    assert_eq!(reply, plain_reply);
    bench.say(&empty_write());
    bench.terms();
    assert_eq!(request(Initiate::new(QpId(1)))[16] & 0x20, 0);
}

#[test]
fn r_of_a_reply_rejects() {
    let _proof = proves_model_rows(&["MPA-7.1.1-20", "MPA-7.1.2-05", "MPA-7.1.2-25"]);
    let mut bench = Bench::default();
    let (id, _) = bench.requested(&Frame::request());
    bench.manager.reject(id, vec![], None).expect("a Request to reject");
    bench.settle();
    assert_eq!((bench.peer.inbox[16] & 0x20, bench.peer.inbox.len()), (0x20, 20));
    assert!(!bench.is_closed(), "a Reply, not a bare close");
    let mut bench = replied(plain(), &Frame { flags: 0x60, ..Frame::reply() });
    assert!(matches!(bench.event(), Event::Rejected { .. }));
}

#[test]
fn reserved_bits_are_sent_zero_and_not_checked() {
    let _proof = proves_model_rows(&["MPA-7.1.1-21", "MPA-7.1.1-22"]);
    assert_eq!(request(plain())[16] & 0x1F, 0);
    for reserved in 1..=0xF {
        let odd = Frame { flags: 0x40 | reserved, ..Frame::request() };
        let (mut bench, reply) = accepted(config(), &odd, Accept::new(QpId(1)));
        assert_eq!(reply[16] & 0x1F, 0);
        bench.say(&empty_write());
        bench.terms();
        let mut bench = replied(plain(), &Frame { flags: 0x40 | reserved, ..Frame::reply() });
        bench.terms();
    }
}

#[test]
fn rev_is_1_in_base_mode_and_checked() {
    let _proof = proves_model_rows(&["MPA-7.1.1-23", "MPA-7.1.1-24", "MPA-7.1.1-25"]);
    assert_eq!(request(plain())[17], 1);
    for revision in [0, 1, 2, 3, 255] {
        let frame = Frame { revision, ..Frame::request() };
        let mut bench = asked_octets(&frame.octets());
        if matches!(revision, 1 | 2) {
            assert!(matches!(bench.event(), Event::Request { .. }));
            continue;
        }
        let why = refused(&mut bench);
        assert_eq!(why, ConnError::Frame(FrameError::Revision { found: revision, highest: 2 }));
        assert!(bench.device.table.is_empty());
    }
}

#[test]
fn rev_is_reported() {
    let _proof = proves_model_rows(&["MPA-7.1.1-26", "MPA-3-15"]);
    let mut bench = Bench::default();
    assert_eq!(bench.requested(&Frame::request()).1.revision, 1);
    let mut bench = replied(plain(), &Frame::reply());
    assert_eq!(bench.terms().revision, 1);
}
