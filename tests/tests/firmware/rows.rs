// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 5044 and RFC 6581 that only show when a connection goes on from startup to full
//! operation: what leaves first, markers and CRCs by the flags of both frames, the responder's
//! fence, what ends a connection.
use ferrowarp_abi::error::TermError;
use ferrowarp_firmware::cm::api::*;
use ferrowarp_firmware::config::CrcPolicy;
use ferrowarp_firmware::error::ConnError;
use ferrowarp_firmware::mpa::negotiate::RtrSet;
use ferrowarp_firmware::port::{Captured, Command, DeviceEvent, QpId, Refusal};
use ferrowarp_firmware::Config;
use ferrowarp_tests::fw::bench::*;
use ferrowarp_tests::fw::mpa::{empty_write, first_fpdu, Frame};
use ferrowarp_tests::mpa_model::hex;
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

/// A zero-length Send, the first of queue 0.
const SEND: &str = "4143 00000000 00000000 00000001 00000000";
/// A=1 and the kind C, Read depths of 16; and the same without A.
const PEER_TO_PEER: u32 = 0x8010_8010;
const CLIENT: u32 = 0x0010_0010;

/// An initiator of Rev 1 with 7 octets of private data: its Request has 27 octets.
fn plain(markers: bool) -> Initiate {
    Initiate { enhanced: false, markers, private_data: b"7octets".to_vec(), ..Initiate::new(QpId(1)) }
}

/// A peer-to-peer initiator that offers an RDMA Write.
fn peer_to_peer() -> Initiate {
    let rtr = RtrSet { write: true, ..RtrSet::default() };
    Initiate { peer_to_peer: true, rtr, ..Initiate::new(QpId(1)) }
}

/// A fault without a segment.
fn fault(bench: &mut Bench, error: u16) {
    bench.device.raise(DeviceEvent::Fault(QpId(1), Captured { error, segment: None }));
    bench.run(5);
}

/// A device whose administrator does not want CRCs, or wants them.
fn crc(wanted: bool) -> Config {
    let crc = if wanted { CrcPolicy::Wanted } else { CrcPolicy::AdministratorSaysNo };
    Config { crc, ..config() }
}

/// An FPDU whose CRC field has one wrong bit.
fn spoilt() -> Vec<u8> {
    let mut octets = empty_write();
    let last = octets.len() - 1;
    octets[last] ^= 1;
    octets
}

#[test]
fn crcs_are_on_unless_both_frames_say_no() {
    let _proof = proves_model_rows(&["MPA-4.4-06", "MPA-7.1.1-14", "MPA-7.1.1-16"]);
    for (ours, theirs) in [(false, false), (false, true), (true, false), (true, true)] {
        let flags = if theirs { 0x40 } else { 0 };
        let initiator = replied_octets(crc(ours), plain(false), &Frame { flags, ..Frame::reply() }.octets());
        let request = Frame { flags, ..Frame::request() };
        let (responder, reply) = accepted(crc(ours), &request, Accept::new(QpId(1)));
        assert_eq!(reply[16] & 0x40 != 0, ours, "each side says what it prefers");
        for mut bench in [initiator, responder] {
            bench.say(&spoilt());
            bench.run(5);
            let checked = ours || theirs;
            let faulted = bench.events.iter().any(|e| match e {
                Event::Faulted { error, .. } => *error == TermError::MpaCrc,
                Event::Ended { outcome, .. } => *outcome == Err(ConnError::FirstFpdu(TermError::MpaCrc)),
                _ => false,
            });
            assert_eq!(faulted, checked, "{ours} {theirs}: {:?}", bench.events);
            let good = bench.device.connection(1).map_or(0, |c| c.good());
            assert_eq!(good, u32::from(!checked), "{ours} {theirs}");
        }
    }
}

#[test]
fn a_default_connection_asks_for_crcs_and_has_them() {
    let _proof = proves_model("MPA-1.2-09");
    assert_eq!(request(plain(false))[16] & 0x40, 0x40);
    let mut bench = replied(plain(false), &Frame::reply());
    let mut bad = first_fpdu(&hex(SEND));
    bad[5] ^= 4;
    bench.say(&bad);
    bench.run(5);
    // the Terminate: layer 2, code 2
    assert_eq!(bench.peer.inbox[20..24], hex("20020000"));
}

#[test]
fn markers_are_each_directions_own() {
    let _proof = proves_model_rows(&["MPA-4.3-30", "MPA-7.1.1-10", "MPA-7.1.1-12"]);
    // Request M=0, Reply M=1: we insert markers, the peer does not
    let mut bench = replied(plain(false), &Frame { flags: 0xC0, ..Frame::reply() });
    let row = bench.device.connection(1).expect("a row").row;
    assert!(row.tx_markers && !row.rx_markers);
    let syn = bench.peer.log.iter().find(|s| s.syn).expect("a SYN").seq;
    assert_eq!(row.tx_seq_start.0, syn.wrapping_add(1 + 27), "the octet behind the Request");
    bench.say(&empty_write());
    assert_eq!(bench.device.connection(1).map(|c| c.good()), Some(1), "an FPDU without markers");
    fault(&mut bench, 0x2002);
    let first = bench.peer.log.iter().find(|s| s.data.len() > 27).expect("the Terminate");
    assert_eq!(
        (first.seq, &first.data[..6]),
        (syn.wrapping_add(28), &[0, 0, 0, 0, 0, 22][..]),
        "a marker, 22 octets"
    );
}

#[test]
fn a_request_with_m_makes_the_responder_insert_markers() {
    let _proof = proves_model_rows(&["MPA-7.1.1-09", "MPA-C.2-06"]);
    let (mut bench, reply) =
        accepted(config(), &Frame { flags: 0xC0, ..Frame::request() }, Accept::new(QpId(1)));
    assert_eq!(reply[16] & 0x80, 0, "M=0");
    bench.say(&empty_write());
    bench.terms();
    fault(&mut bench, 0x2002);
    assert_eq!(bench.peer.inbox[..6], [0, 0, 0, 0, 0, 22], "a marker, then 22 octets of ULPDU");
    // all four combinations, as initiator: X is the Request's M, Y the Reply's
    for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
        let flags = 0x40 | u8::from(y) << 7;
        let mut bench = replied(plain(x), &Frame { flags, ..Frame::reply() });
        let terms = bench.terms();
        assert_eq!((terms.rx_markers, terms.tx_markers), (x, y));
    }
}

#[test]
fn versions_of_ddp_and_rdmap_are_one() {
    let _proof = proves_model_rows(&["MPA-3-16", "MPA-C.1-03"]);
    for revision in [1, 2] {
        let request = if revision == 1 { Frame::request() } else { Frame::request().enhanced(CLIENT) };
        let (mut bench, _) = accepted(config(), &request, Accept::new(QpId(1)));
        bench.say(&empty_write());
        fault(&mut bench, 0x2002);
        let ulpdu = &bench.peer.inbox[2..];
        assert_eq!((ulpdu[0] & 3, ulpdu[1] >> 6), (1, 1), "DV and RV");
    }
}

#[test]
fn the_first_fpdu_follows_the_request() {
    let _proof = proves_model_rows(&["MPA-7.1.2-18", "MPA2-9.2-12", "MPA2-1.1-01"]);
    let mut bench = replied(peer_to_peer(), &Frame::reply().enhanced(PEER_TO_PEER));
    bench.run(300);
    // a zero-length RDMA Write, and nothing else
    assert_eq!(bench.peer.inbox, hex("000e c140 00000001 0000000000000000 ebd34c5f"));
    let syn = bench.peer.log.iter().find(|s| s.syn).expect("a SYN").seq;
    let request = bench.peer.log.iter().find(|s| s.data.starts_with(b"MPA ID Req Frame")).expect("a Request");
    let first = bench.peer.log.iter().find(|s| s.data == bench.peer.inbox).expect("the RTR");
    assert_eq!(request.seq, syn.wrapping_add(1));
    assert_eq!(first.seq, request.seq.wrapping_add(request.data.len() as u32));
    // the other two kinds
    let kinds = [
        (RtrSet { send: true, ..RtrSet::default() }, 0xC010_0010_u32, 0x43, 18),
        (RtrSet { read: true, ..RtrSet::default() }, 0x8010_4010, 0x41, 46),
    ];
    for (rtr, words, control, length) in kinds {
        let mut config = config();
        config.limits.rtr = RtrSet { send: true, write: true, read: true };
        let how = Initiate { rtr, ..peer_to_peer() };
        let mut bench = replied_octets(config, how, &Frame::reply().enhanced(words).octets());
        bench.run(300);
        let inbox = &bench.peer.inbox;
        assert_eq!(
            (inbox[1], inbox[3], inbox.len()),
            (length, control, (2 + usize::from(length)).next_multiple_of(4) + 4)
        );
    }
}

#[test]
fn an_enhanced_setup_is_one_round_trip() {
    let _proof = proves_model_rows(&["MPA2-5-02", "MPA2-1.1-03"]);
    let mut config = config();
    config.limits.rtr = RtrSet { send: true, write: true, read: true };
    let rtr = config.limits.rtr;
    for kinds in [0xC010_8010_u32, 0xC010_C010, 0x8010_C010] {
        let mut bench = Bench::new(config.clone());
        bench.initiate(Initiate { rtr, ..peer_to_peer() });
        assert_eq!(bench.peer.inbox.len(), 24, "one Request");
        assert!(bench.peer.inbox.starts_with(b"MPA ID Req Frame"));
        bench.peer.inbox.clear();
        bench.frame(&Frame::reply().enhanced(kinds));
        bench.run(500);
        let rtrs = bench.device.ordered(|c| matches!(c, Command::Rtr { .. }).then_some(()));
        assert_eq!(rtrs.len(), 1, "{kinds:#x}: one ready-to-receive message");
        let inbox = &bench.peer.inbox;
        let ulpdu = usize::from(inbox[0]) << 8 | usize::from(inbox[1]);
        assert_eq!(inbox.len(), (2 + ulpdu).next_multiple_of(4) + 4, "{kinds:#x}: nothing behind it");
        bench.terms();
        // and the connection works
        bench.say(&first_fpdu(&hex(SEND)));
        assert_eq!(bench.device.connection(1).map(|c| c.good()), Some(1));
    }
}

#[test]
fn the_fence_lifts_with_any_first_fpdu() {
    let _proof = proves_model_rows(&["MPA2-4.3-01", "MPA2-4.4.3-01", "MPA2-9.2-25"]);
    let cases = [
        ("client-server, a Send", CLIENT, first_fpdu(&hex(SEND))),
        ("C agreed on, the Write", PEER_TO_PEER, empty_write()),
        ("C agreed on, but a Send", PEER_TO_PEER, first_fpdu(&hex(SEND))),
    ];
    for (what, words, first) in cases {
        let (mut bench, _) = accepted(config(), &Frame::request().enhanced(words), Accept::new(QpId(1)));
        bench.run(50);
        assert!(!bench.device.connection(1).expect("a row").gate, "{what}: the fence");
        assert!(bench.events.is_empty(), "{what}: {:?}", bench.events);
        bench.say(&first);
        assert!(bench.device.connection(1).expect("a row").gate, "{what}");
        bench.terms();
    }
}

#[test]
fn without_a_first_fpdu_the_responder_says_nothing() {
    let _proof = proves_model("MPA2-9.3-05");
    let (mut bench, _) = accepted(config(), &Frame::request().enhanced(PEER_TO_PEER), Accept::new(QpId(1)));
    let replied = bench.peer.log.len();
    // a fault of ours meanwhile is no reason to speak
    bench.run(config().timing.first_fpdu - 100);
    assert!(bench.peer.inbox.is_empty() && !bench.is_closed());
    bench.run(200);
    assert!(bench.peer.inbox.is_empty() && bench.peer.rst, "no Terminate, a reset in the end");
    let spoke = bench.peer.log[replied..].iter().filter(|s| !s.data.is_empty() || s.fin).count();
    assert_eq!(spoke, 0, "{:?}", bench.peer.log);
}

#[test]
fn each_error_of_the_enhanced_setup_has_one_terminate() {
    let _proof = proves_model_rows(&["MPA2-8-01", "MPA2-8-03"]);
    // the peer wants 17 Reads, has no kind in common, and the hardware has no room
    let deep = Frame::reply().enhanced(0x8010_8011);
    let odd = Frame::reply().enhanced(0x8010_4010);
    for (reply, refuses, error) in [
        (&deep, None, 0x2006_u16),
        (&odd, None, 0x2007),
        (&Frame::reply().enhanced(PEER_TO_PEER), Some(Refusal::Full), 0x2005),
    ] {
        let mut bench = Bench::default();
        bench.device.refuse = refuses;
        bench.initiate(peer_to_peer());
        bench.peer.inbox.clear();
        bench.frame(reply);
        bench.run(20);
        let inbox = &bench.peer.inbox;
        assert_eq!(inbox.len(), 28, "{error:#x}: one Terminate and no other FPDU");
        assert_eq!((&inbox[2..4], &inbox[20..22]), (&[0x41, 0x47][..], &error.to_be_bytes()[..]));
        assert!(bench.is_closed(), "{error:#x}");
    }
    // those of RFC 5044 stay as they are
    for error in [0x2002_u16, 0x2003] {
        let mut bench = replied(peer_to_peer(), &Frame::reply().enhanced(PEER_TO_PEER));
        bench.peer.inbox.clear();
        fault(&mut bench, error);
        assert_eq!(bench.peer.inbox[20..22], error.to_be_bytes());
    }
    let mut lost = replied(peer_to_peer(), &Frame::reply().enhanced(PEER_TO_PEER));
    lost.device.raise(DeviceEvent::Lost(QpId(1)));
    lost.run(5);
    assert_eq!(lost.failure().number(), Some(TermError::MpaConnectionLost));
    let mut bad = replied_octets(config(), peer_to_peer(), b"MPA ID Rep Frome\x50\x02\0\x04\x80\x10\x80\x10");
    bad.run(5);
    assert_eq!(bad.failure().number(), Some(TermError::MpaInvalidStartup));
}

#[test]
fn who_closes_behind_a_crc_error_is_the_upper_layer() {
    let _proof = proves_model("MPA-8-16");
    let mut bench = replied(plain(false), &Frame::reply());
    bench.say(&spoilt());
    bench.run(5);
    let order: Vec<_> = bench.device.commands.iter().rev().take(2).collect();
    assert!(matches!(order[..], [Command::Fin { .. }, Command::Terminate { .. }]), "{order:?}");
    assert!(bench.peer.fin && !bench.peer.rst);
}

#[test]
fn a_half_connection_ends_behind_its_last_crc() {
    let _proof = proves_model("MPA-7.2-01");
    let mut bench = replied(peer_to_peer(), &Frame::reply().enhanced(PEER_TO_PEER));
    bench.terms();
    let first = bench.peer.log.iter().find(|s| s.data == bench.peer.inbox).expect("the RTR").clone();
    bench.manager.close(ConnId(1)).expect("established");
    bench.run(5);
    let fin = bench.peer.log.iter().find(|s| s.fin).expect("a FIN");
    assert_eq!(fin.seq.wrapping_add(fin.data.len() as u32), first.seq.wrapping_add(first.data.len() as u32));
    // the other half works on
    bench.say(&first_fpdu(&hex(SEND)));
    assert_eq!(bench.device.connection(1).map(|c| c.good()), Some(1));
}

#[test]
fn a_peer_of_revision_0_is_refused() {
    let _proof = proves_model_rows(&["MPA-C.2-01", "MPA-C.1-02"]);
    let mut bench = asked_octets(&Frame { revision: 0, flags: 0xC0, ..Frame::request() }.octets());
    bench.run(20);
    assert!(bench.is_closed() && bench.device.table.is_empty(), "closed with a local error, no FPDU");
    assert_eq!(bench.failure().number(), Some(TermError::MpaInvalidStartup));
    let mut bench = replied(plain(false), &Frame { revision: 0, flags: 0xC0, ..Frame::reply() });
    bench.run(20);
    assert!(bench.is_closed() && bench.peer.inbox.is_empty() && bench.device.table.is_empty());
    assert_eq!(bench.failure().number(), Some(TermError::MpaInvalidStartup));
}
