// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 6581 sections 6, 9 (layout) and 10: enhanced frames and who may answer what.
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::error::{CallError, ConnError};
use ferrowarp_firmware::mpa::frame::FrameError;
use ferrowarp_firmware::mpa::negotiate::{Depth, RtrSet, Wanted};
use ferrowarp_firmware::port::QpId;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

fn enhanced() -> Initiate {
    Initiate::new(QpId(1))
}

/// Only these kinds of ready-to-receive message.
fn rtr(text: &str) -> RtrSet {
    RtrSet { send: text.contains('B'), write: text.contains('C'), read: text.contains('D') }
}

/// A device that can do all three.
fn all_kinds() -> ferrowarp_firmware::Config {
    let mut config = config();
    config.limits.rtr = rtr("BCD");
    (config.limits.ird, config.limits.ord) = (0x3FFE, 0x3FFE);
    config
}

/// The words of the Request for these.
fn words(how: Initiate) -> [u8; 4] {
    let mut bench = Bench::new(all_kinds());
    bench.initiate(how);
    bench.peer.inbox[20..24].try_into().expect("four octets")
}

#[test]
fn worked_examples_leave_as_they_stand() {
    let _proof = proves_model_rows(&["MPA2-6-01", "MPA2-9-01"]);
    let how = Initiate { peer_to_peer: true, ..enhanced() };
    assert_eq!(request(how)[16..], [0x50, 2, 0, 4, 0x80, 0x10, 0xC0, 0x10]);
    let how = Initiate { wanted: Wanted::new(4, 2), private_data: b"HELLO".to_vec(), ..enhanced() };
    let octets = request(how);
    assert_eq!(octets[16..], *b"\x50\x02\x00\x09\x00\x04\x00\x02HELLO");
}

#[test]
fn the_words_have_the_bits_of_the_figure() {
    let _proof = proves_model_rows(&["MPA2-9-03", "MPA2-9-04"]);
    let how = |peer_to_peer, kinds, ird, ord| Initiate {
        peer_to_peer,
        rtr: rtr(kinds),
        wanted: Wanted::new(ird, ord),
        ..enhanced()
    };
    assert_eq!(words(how(true, "CD", 0x123, 0x3001)), [0x81, 0x23, 0xF0, 0x01]);
    assert_eq!(words(how(true, "C", 0x123, 0x3001)), [0x81, 0x23, 0xB0, 0x01]);
    assert_eq!(words(how(true, "B", 0, 0)), [0xC0, 0, 0, 0]);
    assert_eq!(words(how(true, "C", 0, 0)), [0x80, 0, 0x80, 0]);
    assert_eq!(words(how(true, "D", 0, 0)), [0x80, 0, 0x40, 0]);
    let mut depths = how(false, "", 0, 0);
    depths.wanted.tell_ird = false;
    assert_eq!(words(depths), [0x3F, 0xFF, 0, 0]);
    let mut depths = how(false, "", 0, 0);
    depths.wanted.tell_ord = false;
    assert_eq!(words(depths), [0, 0, 0x3F, 0xFF]);
}

#[test]
fn each_flag_follows_its_option() {
    let _proof = proves_model_rows(&["MPA2-9-06", "MPA2-9-07", "MPA2-9-08"]);
    for (kinds, first, third) in [("B", 0xC0, 0), ("C", 0x80, 0x80), ("D", 0x80, 0x40)] {
        let how = Initiate { peer_to_peer: true, rtr: rtr(kinds), wanted: Wanted::new(0, 0), ..enhanced() };
        assert_eq!(words(how), [first, 0, third, 0], "{kinds}");
    }
}

#[test]
fn s_says_whether_the_words_are_there() {
    let _proof = proves_model_rows(&["MPA2-6-04", "MPA2-6-08", "MPA2-10-01"]);
    let octets = request(enhanced());
    assert_eq!((octets[16] & 0x10, octets[17], octets.len()), (0x10, 2, 24));
    let octets = request(Initiate { enhanced: false, ..enhanced() });
    assert_eq!((octets[16] & 0x10, octets[17], octets.len()), (0, 1, 20));
}

#[test]
fn nothing_to_negotiate_is_a_plain_frame() {
    let _proof = proves_model_rows(&["MPA2-10-05", "MPA2-6-09"]);
    let mut how = enhanced();
    (how.wanted.tell_ird, how.wanted.tell_ord) = (false, false);
    assert_eq!(request(how.clone())[16..], [0x40, 1, 0, 0]);
    let mut bench = replied(how, &Frame::reply());
    assert_eq!(bench.terms().revision, 1);
}

#[test]
fn reserved_bits_are_zero_and_ignored() {
    let _proof = proves_model_rows(&["MPA2-6-05", "MPA2-6-06", "MPA2-10-14"]);
    assert_eq!(request(enhanced())[16] & 0xF, 0);
    for reserved in 1..=15 {
        let mut frame = Frame::request().enhanced(0x0005_0007);
        frame.flags |= reserved;
        let (mut bench, reply) = accepted(config(), &frame, Accept::new(QpId(1)));
        assert_eq!((reply[16], &reply[20..24]), (0x50, &[0, 16, 0, 5][..]), "the words are still read");
        bench.say(&empty_write());
        bench.terms();
        let mut frame = Frame::reply().enhanced(0x0005_0007);
        frame.flags |= reserved;
        let mut bench = replied(enhanced(), &frame);
        assert_eq!(bench.terms().agreed.ord, 5);
    }
}

#[test]
fn m_c_and_r_mean_what_they_mean_without_s() {
    let _proof = proves_model("MPA2-6-03");
    for (flags, markers, crc) in
        [(0x00, false, true), (0x80, true, true), (0xC0, true, true), (0x40, false, true)]
    {
        let mut frame = Frame::reply().enhanced(0x0010_0010);
        frame.flags = 0x10 | flags;
        let mut bench = replied(enhanced(), &frame);
        let terms = bench.terms();
        assert_eq!((terms.tx_markers, terms.rx_markers, terms.crc), (markers, false, crc));
        let mut frame = Frame::request().enhanced(0x0010_0010);
        frame.flags = 0x10 | flags;
        let (mut bench, _) = accepted(config(), &frame, Accept::new(QpId(1)));
        let row = bench.device.connection(1).expect("a row").row;
        assert_eq!((row.tx_markers, row.rx_markers, row.tx_crc), (markers, false, crc));
    }
    let mut frame = Frame::reply().enhanced(0x0010_0010);
    frame.flags |= 0x20;
    let mut bench = replied(enhanced(), &frame);
    assert!(matches!(bench.event(), Event::Rejected { .. }));
}

#[test]
fn the_key_is_that_of_rfc_5044() {
    let _proof = proves_model("MPA2-6-02");
    assert_eq!(request(enhanced())[..16], *b"MPA ID Req Frame");
    let good = Frame::request().enhanced(0x0010_0010);
    let (_, reply) = accepted(config(), &good, Accept::new(QpId(1)));
    assert_eq!(reply[..16], *b"MPA ID Rep Frame");
    for octet in 0..16 {
        let mut frame = good.clone();
        frame.key[octet] ^= 0x20;
        let mut bench = asked_octets(&frame.octets());
        assert!(matches!(bench.failure(), ConnError::Frame(FrameError::Key { .. })));
        assert!(bench.is_closed());
    }
}

#[test]
fn rev_1_requests_are_still_accepted() {
    let _proof = proves_model_rows(&["MPA2-6-10", "MPA2-10-06", "MPA2-10-04"]);
    let (mut bench, reply) = accepted(config(), &Frame::request(), Accept::new(QpId(1)));
    assert_eq!((reply[16] & 0x10, reply[17], reply.len()), (0, 1, 20));
    bench.say(&empty_write());
    assert_eq!(bench.terms().revision, 1);
}

#[test]
fn s_with_rev_1_is_a_reserved_bit() {
    let _proof = proves_model("MPA2-6-11");
    let mut frame = Frame::request().with(&[0x80, 0x10, 0xC0, 0x10]);
    frame.flags |= 0x10;
    let mut bench = Bench::default();
    let (id, offer) = bench.requested(&frame);
    assert_eq!((offer.depths, &offer.private_data[..]), (None, &[0x80, 0x10, 0xC0, 0x10][..]));
    let reply = bench.accept(id);
    assert_eq!((reply[16] & 0x10, reply.len()), (0, 20));
}

#[test]
fn the_reply_has_the_revision_and_s_of_its_request() {
    let _proof = proves_model_rows(&["MPA2-6-12", "MPA2-10-09", "MPA2-10-08"]);
    let plain_2 = Frame { revision: 2, ..Frame::request() };
    for (request, revision, s) in
        [(Frame::request().enhanced(0x0010_0010), 2, 0x10), (plain_2, 2, 0), (Frame::request(), 1, 0)]
    {
        let (_, reply) = accepted(config(), &request, Accept::new(QpId(1)));
        assert_eq!((reply[17], reply[16] & 0x10), (revision, s), "{request:?}");
    }
}

#[test]
fn pd_length_counts_the_words() {
    let _proof = proves_model_rows(&["MPA2-6-13", "MPA2-6-15"]);
    let octets = request(Initiate { private_data: vec![7; 10], ..enhanced() });
    assert_eq!((&octets[18..20], octets.len()), (&[0, 14][..], 34));
    let asked = Frame::request().enhanced(0x0008_0008);
    let (_, reply) = accepted(config(), &asked, Accept::new(QpId(1)));
    assert_eq!(reply[20..24], [0, 16, 0, 8], "in an accepting Reply");
    let mut bench = Bench::default();
    let (id, _) = bench.requested(&asked);
    bench.manager.reject(id, vec![], None).expect("a Request");
    bench.settle();
    assert_eq!((bench.peer.inbox[16], bench.peer.inbox.len()), (0x70, 24), "in a rejecting one, too");
}

#[test]
fn s_needs_4_to_512_octets() {
    let _proof = proves_model("MPA2-6-14");
    for length in [0_u16, 3, 513, 4, 512] {
        let frame = Frame {
            flags: 0x50,
            revision: 2,
            length: Some(length),
            ..Frame::request().with(&vec![0; usize::from(length)])
        };
        let mut bench = asked_octets(&frame.octets());
        if length == 4 || length == 512 {
            let Event::Request { offer, .. } = bench.event() else { panic!("{length}") };
            assert_eq!(offer.private_data.len(), usize::from(length) - 4);
            continue;
        }
        let ConnError::Frame(why) = bench.failure() else { panic!("{length}") };
        let expected = match length {
            513 => FrameError::PrivateDataLength { found: 513 },
            found => FrameError::NoEnhancedWords { found },
        };
        assert!(why == expected && bench.is_closed(), "{why}");
    }
}

#[test]
fn private_data_beside_the_words_has_508_octets() {
    let _proof = proves_model("MPA2-9-02");
    assert_eq!(request(Initiate { private_data: vec![1; 508], ..enhanced() }).len(), 532);
    let mut bench = Bench::default();
    let mut connect = |how| {
        let then = Then::Initiate(how);
        bench
            .manager
            .connect(Connect { remote: bench.peer.ours, address: None, local_port: None, then })
            .map(|_| ())
    };
    let long = Initiate { private_data: vec![1; 509], ..enhanced() };
    assert_eq!(connect(long), Err(CallError::PrivateData { octets: 509, most: 508 }));
    let plain = Initiate { private_data: vec![1; 512], enhanced: false, ..enhanced() };
    assert_eq!(connect(plain), Ok(()));
}

#[test]
fn an_enhanced_request_has_an_enhanced_reply() {
    let _proof = proves_model("MPA2-10-02");
    let asked = Frame::request().enhanced(0x0010_0010);
    let (_, reply) = accepted(config(), &asked, Accept::new(QpId(1)));
    assert_eq!(reply[16] & 0x30, 0x10);
    let mut bench = Bench::default();
    let (id, _) = bench.requested(&asked);
    bench.manager.reject(id, vec![], None).expect("a Request");
    bench.settle();
    assert_eq!(bench.peer.inbox[16] & 0x30, 0x30);
}

#[test]
fn only_s_with_rev_2_has_words() {
    let _proof = proves_model("MPA2-10-07");
    for (flags, revision, has) in [(0x50, 2, true), (0x50, 1, false), (0x40, 2, false), (0x4F, 2, false)] {
        let frame = Frame { flags, revision, ..Frame::request().with(&[0, 3, 0, 4]) };
        let mut bench = Bench::default();
        let (_, offer) = bench.requested(&frame);
        let depths = has.then_some((Depth::Reads(3), Depth::Reads(4)));
        assert_eq!((offer.depths, offer.private_data.len()), (depths, if has { 0 } else { 4 }));
    }
}

#[test]
fn a_device_of_rev_1_closes_on_rev_2() {
    let _proof = proves_model("MPA2-10-10");
    let mut config = config();
    config.revision = 1;
    let mut bench = Bench::new(config);
    bench.listen();
    bench.peer_connects();
    bench.frame(&Frame::request().enhanced(0x0010_0010));
    assert_eq!(bench.failure(), ConnError::Frame(FrameError::Revision { found: 2, highest: 1 }));
    assert!(bench.is_closed() && bench.peer.inbox.is_empty());
}

#[test]
fn both_sides_report_the_close_of_a_plain_responder() {
    let _proof = proves_model_rows(&["MPA2-10-03", "MPA2-10-11"]);
    // as initiator: the peer closes on our enhanced Request; this error and no other is worth
    // another try
    let mut bench = Bench::default();
    bench.initiate(enhanced());
    let fin = bench.peer.finish();
    bench.send(&fin);
    bench.run(5);
    assert_eq!(bench.failure(), ConnError::PeerClosed);
    // as responder of Rev 1: see above, an event too
    let mut config = config();
    config.revision = 1;
    let mut bench = Bench::new(config);
    let listener = bench.listen();
    bench.peer_connects();
    bench.frame(&Frame::request().enhanced(0x0010_0010));
    let Event::Ended { listener: told, outcome: Err(_), .. } = bench.event() else { panic!("not told") };
    assert_eq!(told, Some(listener));
}

#[test]
fn rev_1_is_tried_on_a_new_connection_if_allowed() {
    let _proof = proves_model("MPA2-10-12");
    for reset in [false, true] {
        let mut bench = Bench::default();
        let id = bench.initiate(Initiate { fallback: true, private_data: b"me".to_vec(), ..enhanced() });
        let first = bench.peer.theirs;
        assert_eq!(bench.peer.inbox[16..18], [0x50, 2]);
        bench.peer.inbox.clear();
        let seg = if reset { bench.peer.reset() } else { bench.peer.finish() };
        bench.peer.open = false;
        bench.send(&seg);
        bench.settle();
        bench.run(3);
        assert_ne!(bench.peer.theirs, first, "a new TCP connection");
        assert_eq!(bench.peer.inbox[16..], *b"\x40\x01\x00\x02me");
        bench.frame(&Frame::reply());
        assert!(matches!(bench.event(), Event::Established { id: same, .. } if same == id));
        bench.manager.abort(id).expect("the same connection");
        bench.run(3_000);
        assert!(bench.is_clean(), "{:?}", bench.manager.audit());
    }
}

#[test]
fn a_plain_reply_to_an_enhanced_request_is_invalid() {
    let _proof = proves_model("MPA2-10-13");
    for reply in [Frame::reply(), Frame { revision: 2, ..Frame::reply() }] {
        let mut bench = replied(enhanced(), &reply);
        let why = bench.failure();
        assert_eq!(why, ConnError::Frame(FrameError::NotEnhanced { revision: reply.revision }));
        assert_eq!(why.number().map(|e| e.to_bits()), Some(0x2004));
        assert!(bench.is_closed() && bench.peer.inbox.is_empty(), "no FPDU");
    }
}

#[test]
fn any_words_have_a_result_and_bounded_depths() {
    let _proof = proves_model_rows(&["MPA2-12-02", "MPA2-12-03"]);
    let mut words: Vec<u32> = (0..32).map(|bit| 1 << bit).collect();
    words.extend((0..32).map(|bit| !(1_u32 << bit)));
    words.extend([0, !0, 0x3FFE_3FFE, 0xBFFE_FFFE, 0x3FFF_3FFE, 0x8000_0000]);
    words.extend((0..40_u32).map(|n| n.wrapping_mul(0x9E37_79B9)));
    for length in (0..600).chain((600..=u16::MAX).step_by(997)) {
        let frame = Frame { length: Some(length), ..Frame::request().enhanced(0x8010_C010) };
        let mut bench = asked_octets(&frame.octets());
        match length {
            4 => assert!(matches!(bench.event(), Event::Request { .. })),
            5..=512 => assert_eq!(bench.events, [], "the rest is awaited"),
            _ => assert!(matches!(bench.failure(), ConnError::Frame(_)), "PD_Length {length}"),
        }
    }
    for words in words {
        let (mut bench, _) = accepted(config(), &Frame::request().enhanced(words), Accept::new(QpId(1)));
        bench.say(&empty_write());
        let agreed = bench.terms().agreed;
        assert!(agreed.ird <= 16 && agreed.ord <= 16, "{words:08x}: {agreed:?}");
        for peer_to_peer in [false, true] {
            let how = Initiate { peer_to_peer, ..enhanced() };
            let mut bench = replied(how, &Frame::reply().enhanced(words));
            match bench.events.first() {
                Some(Event::Established { terms, .. }) => {
                    assert!(terms.agreed.ird <= 16 && terms.agreed.ord <= 16, "{words:08x}");
                }
                Some(Event::Ended { outcome: Err(ConnError::Mismatch(_)), .. }) => {}
                other => panic!("{words:08x}: {other:?}"),
            }
            bench.run(1);
        }
    }
}

#[test]
fn the_words_are_at_offset_20_of_every_enhanced_frame() {
    let _proof = proves_model_rows(&["MPA2-9.2-03", "MPA2-9.2-16", "MPA2-9-05"]);
    let model = |peer_to_peer| request(Initiate { peer_to_peer, ..enhanced() })[20] & 0x80;
    assert_eq!((model(true), model(false)), (0x80, 0));
}
