// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 5044 section 7.1.1: startup frames as they leave and as they are read.
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

#[test]
fn pd_length_is_the_length_of_private_data() {
    let _proof = proves_model_rows(&["MPA-7.1.1-27", "MPA-7.1.1-28"]);
    let octets = request(Initiate { private_data: patterned(300), ..plain() });
    assert_eq!((&octets[18..20], octets.len()), (&[1, 0x2C][..], 320));
    let octets = request(plain());
    assert_eq!((&octets[18..20], octets.len()), (&[0, 0][..], 20));
    let mut bench = Bench::default();
    assert!(bench.requested(&Frame::request()).1.private_data.is_empty());
}

#[test]
fn a_length_that_does_not_match_closes() {
    let _proof = proves_model_rows(&["MPA-7.1.1-29", "MPA-7.1.2-33"]);
    let frame = |length, octets| Frame { length: Some(length), ..Frame::request().with(&patterned(octets)) };
    let mut bench = asked_octets(&frame(10, 14).octets());
    let expected = FrameError::Surplus { after: Kind::Request, octets: 4 };
    assert_eq!(refused(&mut bench), ConnError::Frame(expected));
    let mut bench = asked_octets(&frame(10, 6).octets());
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.settle();
    assert_eq!(refused(&mut bench), ConnError::Frame(FrameError::CutShort { have: 26, need: 30 }));
}

#[test]
fn private_data_above_512_octets_closes_at_once() {
    let _proof = proves_model_rows(&["MPA-7.1.1-30", "MPA-7.1.2-30"]);
    for length in 0..=u16::MAX {
        let frame = Frame { length: Some(length), ..Frame::request() };
        let too_long = FrameError::PrivateDataLength { found: length };
        match parse(Kind::Request, &frame.octets(), 2) {
            Err(why) => assert!(length > 512 && why == too_long, "{why}"),
            Ok(_) => assert!(length <= 512),
        }
    }
    for length in [0, 1, 2, 255, 256, 511, 512, 513, 514, 768, 0x1000, 0x8000, 0xFFFF_u16] {
        let frame = Frame { length: Some(length), ..Frame::request() };
        let mut bench = asked_octets(&frame.octets());
        if length > 512 {
            let expected = FrameError::PrivateDataLength { found: length };
            assert_eq!(refused(&mut bench), ConnError::Frame(expected), "without the data");
            continue;
        }
        bench.say(&patterned(length.into()));
        let Event::Request { offer, .. } = bench.event() else { panic!("PD_Length {length}") };
        assert_eq!(offer.private_data, patterned(length.into()));
    }
}

#[test]
fn private_data_is_passed_whole_and_opaque() {
    let _proof = proves_model_rows(&["MPA-7.1.1-31", "MPA-7.1.1-32", "MPA-7.1.2-32"]);
    for data in [patterned(512), Frame::request().octets(), empty_write()] {
        let mut bench = Bench::default();
        let (_, offer) = bench.requested(&Frame::request().with(&data));
        assert_eq!(offer.private_data, data);
    }
    // more than PD_Length never gets into it
    let frame = Frame { length: Some(512), ..Frame::request().with(&patterned(600)) };
    let mut bench = asked_octets(&frame.octets());
    let expected = FrameError::Surplus { after: Kind::Request, octets: 88 };
    assert_eq!(refused(&mut bench), ConnError::Frame(expected));
}

#[test]
fn private_data_of_513_octets_is_refused_by_the_calls() {
    let _proof = proves_model("MPA-7.1.1-33");
    let too_long = Err(CallError::PrivateData { octets: 513, most: 512 });
    let mut bench = Bench::default();
    let then = Then::Initiate(Initiate { private_data: patterned(513), ..plain() });
    let call =
        bench.manager.connect(Connect { remote: bench.peer.ours, address: None, local_port: None, then });
    assert_eq!(call.map(|_| ()), too_long);
    bench.run(5);
    assert!(bench.peer.log.is_empty() && bench.others.is_empty(), "nothing is sent");
    let (id, _) = bench.requested(&Frame::request());
    let accept = Accept { private_data: patterned(513), ..Accept::new(QpId(1)) };
    assert_eq!(bench.manager.accept(id, accept), too_long);
    assert_eq!(bench.manager.reject(id, patterned(513), None), too_long);
    bench.run(5);
    assert!(bench.peer.inbox.is_empty() && !bench.is_closed());
    bench.manager.accept(id, Accept { private_data: patterned(512), ..Accept::new(QpId(1)) }).expect("512");
}

#[test]
fn seq_start_follows_the_frame_whatever_its_length() {
    let _proof = proves_model("MPA-7.1.1-34");
    for length in 0..8 {
        let how = Initiate { private_data: patterned(length), ..plain() };
        let mut bench = replied(how, &Frame::reply().with(&patterned(7 - length)));
        let row = bench.device.connection(1).expect("a row").row;
        let syn = bench.peer.log.iter().find(|s| s.syn).expect("a SYN");
        assert_eq!(row.tx_seq_start.0, syn.seq.wrapping_add(1 + 20 + length as u32));
        assert_eq!(row.rx_seq_start.0, bench.peer.snd_nxt);
        let request = Frame::request().with(&patterned(length));
        let accept = Accept { private_data: patterned(7 - length), ..Accept::new(QpId(1)) };
        let (mut bench, reply) = accepted(config(), &request, accept);
        let row = bench.device.connection(1).expect("a row").row;
        assert_eq!((reply.len(), row.rx_seq_start.0), (27 - length, bench.peer.snd_nxt));
        assert_eq!(row.tx_seq_start.0, bench.peer.rcv_nxt, "the octet after the Reply");
    }
}

#[test]
fn a_frame_may_come_in_any_pieces() {
    let _proof = proves_model("MPA-7.1.1-35");
    let whole = Frame::request().with(&patterned(30)).octets();
    let mut bench = Bench::default();
    bench.listen();
    bench.peer_connects();
    let start = bench.peer.snd_nxt;
    let at = |bench: &Bench, i: usize| {
        let seq = start.wrapping_add(i as u32);
        Seg { seq, data: vec![whole[i]], ..bench.peer.seg() }
    };
    // each octet: the next one first, then itself, then itself again
    for i in 0..whole.len() {
        for j in [(i + 1).min(whole.len() - 1), i, i] {
            let seg = at(&bench, j);
            bench.send(&seg);
            bench.settle();
        }
    }
    let Event::Request { offer, .. } = bench.event() else { panic!("no Request") };
    assert_eq!(offer.private_data, patterned(30));
    assert_eq!(bench.events, []);
}

#[test]
fn startup_frames_are_plain_octets() {
    let _proof = proves_model("MPA-7.1-07");
    let how = Initiate { markers: true, private_data: patterned(512), ..plain() };
    let octets = request(how);
    assert_eq!(octets.len(), 532, "no marker at 512, no CRC at the end");
    assert_eq!(octets[20..], patterned(512));
}

#[test]
fn depths_are_the_applications_in_plain_mode() {
    let _proof = proves_model_rows(&["MPA2-1-03", "MPA2-6-07", "RDMAP-6.1-08"]);
    let how = Initiate { private_data: patterned(8), wanted: Wanted::new(5, 3), ..plain() };
    assert_eq!(request(how.clone())[16..20], [0x40, 1, 0, 8]);
    let mut bench = replied(how, &Frame::reply().with(&patterned(9)));
    let Event::Established { terms, offer, .. } = bench.event() else { panic!("not established") };
    assert_eq!((terms.agreed.ird, terms.agreed.ord), (5, 3));
    assert_eq!((offer.depths, offer.private_data), (None, patterned(9)), "nothing is stripped");
}
