// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 5044 that take the whole device to show: driver, firmware and Verilog against a
//! scripted peer.
use ferrowarp::{Access, Completion, Error, QpOptions, Remote, Status, WcOpcode};
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_firmware::error::ConnError;
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT, PEER_TO_PEER};
use ferrowarp_tests::fw::bench::PORT;
use ferrowarp_tests::fw::mpa::{empty_write, first_fpdu, Frame};
use ferrowarp_tests::mpa_model::{fpdu, hex};
use ferrowarp_tests::proves::{proves, proves_rows};
use std::time::Duration;

/// How long a device is watched that must not say anything.
const SILENT: Duration = Duration::from_millis(200);
/// C of a startup frame's flags.
const C: u8 = 0x40;
/// A buffer of the peer, which takes everything.
const THEIRS: Remote = Remote { stag: STag(0x1234_5678), to: TaggedOffset(0x10) };

/// A good Reply and Request, C as it is said.
fn reply(words: u32, crc: bool) -> Frame {
    let flags = if crc { C } else { 0 };
    Frame { flags, ..Frame::reply() }.enhanced(words)
}

fn request(words: u32, crc: bool) -> Frame {
    let flags = if crc { C } else { 0 };
    Frame { flags, ..Frame::request() }.enhanced(words)
}

/// An FPDU of the peer; without CRC its field is zero.
fn say(lab: &mut Lab, ulpdu: &[u8], crc: bool) {
    lab.say(&fpdu(ulpdu, 0, false, crc));
}

/// What an application can ask for has no word on CRCs: the texts name all fields that there are.
/// Whatever the peer prefers, the device asks for CRCs, and checks them.
#[test]
fn no_application_switches_crcs_off() {
    let _proof = proves("MPA-4.4-02");
    for all in [format!("{:?}", options()), format!("{:?}", QpOptions::default())] {
        assert!(!all.to_lowercase().contains("crc") && all.contains(": "), "{all}");
    }
    let mut lab = Lab::new("crc-asked");
    let listener = lab.device.listen(PORT, 8).expect("a free port");
    for (port, crc) in [(22_000, false), (22_002, true)] {
        let (ours, asked) = Talk::initiate(&mut lab, port, options(), &reply(CLIENT, crc));
        assert_eq!(asked[16] & C, C, "a Request");
        refuses_a_bad_crc(&mut lab, ours);
        let (ours, said) = Talk::respond(&mut lab, port + 1, &listener, options(), &request(CLIENT, crc));
        assert_eq!(said[16] & C, C, "a Reply");
        refuses_a_bad_crc(&mut lab, ours);
    }
}

/// It sends CRCs, and a CRC field of zero ends it.
fn refuses_a_bad_crc(lab: &mut Lab, ours: Talk) {
    ours.works(lab);
    lab.closes = true;
    assert_eq!(lab.ulpdus(true).len(), 1);
    say(lab, &empty_write()[2..16], false);
    lab.until("a FIN", |lab| lab.peer.fin);
    assert_eq!(lab.peer.inbox[lab.peer.inbox.len() - 8..][..4], hex("20020000"));
}

/// What an application got back.
type Heard = (Vec<Completion>, Vec<u8>, Vec<u8>);

/// An application that does a little of everything; what it heard, and what the peer got.
fn application(lab: &mut Lab, crc: bool) -> (Heard, Vec<Vec<u8>>) {
    let reply = reply(CLIENT, crc).with(b"private");
    let (ours, asked) = Talk::initiate(lab, 22_000, options(), &reply);
    assert_eq!(asked[16] & C != 0, crc, "what the administrator wants");
    let part = |at, octets| ours.region.segment(at, octets).expect("a segment");
    ours.region.memory().write(0, &[0xA5; 3_000]).expect("room");
    ours.qp().post_recv(1, &[part(4_000, 100)]).expect("room");
    ours.qp().post_recv(2, &[part(4_100, 10)]).expect("room");
    let mut done = vec![];
    ours.qp().write(3, &[part(0, 3_000)], THEIRS).post().expect("a connection");
    done.push(ours.next(lab));
    ours.qp().send(4, &[part(0, 33)]).post().expect("a connection");
    done.push(ours.next(lab));
    ours.qp().read(5, part(5_000, 12), THEIRS).post().expect("a connection");
    lab.until("a Read Request", |lab| lab.ulpdus(crc).last().is_some_and(|last| last[1] == 0x41));
    let asked = lab.ulpdus(crc).pop().expect("it came");
    let answer = [&hex("c142")[..], &asked[18..30], b"twelve of it"].concat();
    say(lab, &answer, crc);
    done.push(ours.next(lab));
    let send = [&hex("4143 00000000 00000000 00000001 00000000")[..], b"a message"].concat();
    say(lab, &send, crc);
    done.push(ours.next(lab));
    // one octet too many for the second receive
    let long = [&hex("4143 00000000 00000000 00000002 00000000")[..], b"eleven of it"].concat();
    lab.closes = true;
    say(lab, &long, crc);
    done.push(ours.next(lab));
    let private = ours.connection.private_data().to_vec();
    let memory = ours.region.memory().copy(4_000, 1_012).expect("octets");
    let ended = lab.app(move |_| ours.connection.disconnect(PATIENCE));
    let ended = lab.finish("the end", ended);
    assert!(matches!(ended, Err(Error::Connection(ConnError::Fault(_)))), "{ended:?}");
    // the sink of the Read is where this process has its memory
    let mut sent = lab.ulpdus(crc);
    sent.iter_mut().filter(|ulpdu| ulpdu[1] == 0x41).for_each(|ulpdu| ulpdu.truncate(18));
    ((done, private, memory), sent)
}

#[test]
fn an_application_cannot_tell_whether_crcs_are_used() {
    let _proof = proves("MPA-4.4-09");
    let [with, without] = [("crc-on", ""), ("crc-off", "crc=off")].map(|(name, url)| {
        let mut lab = Lab::with(name, url);
        application(&mut lab, url.is_empty())
    });
    assert_eq!(with, without);
    let ((done, private, _), sent) = with;
    let kinds: Vec<_> = done.iter().map(|done| (done.wr_id, done.status, done.octets)).collect();
    let success = |wr_id, octets| (wr_id, Status::Success, octets);
    let long = (2, Status::LocalLength, 0);
    assert_eq!(kinds, [success(3, 0), success(4, 0), success(5, 12), success(1, 9), long]);
    assert_eq!(done[2].opcode, WcOpcode::Read);
    assert_eq!(private, b"private");
    // three Writes' segments, a Send, a Read Request, a Terminate
    assert_eq!(sent.len(), 6, "{sent:02x?}");
}

#[test]
fn a_peer_that_wants_no_markers_gets_none() {
    let _proof = proves("MPA-7.1.1-11");
    let mut lab = Lab::new("no-markers");
    let listener = lab.device.listen(PORT, 8).expect("a free port");
    let (initiator, _) = Talk::initiate(&mut lab, 22_000, options(), &reply(CLIENT, true));
    unmarked(&mut lab, initiator);
    let (responder, _) = Talk::respond(&mut lab, 22_001, &listener, options(), &request(CLIENT, true));
    unmarked(&mut lab, responder);
}

/// A Write of 4,000 octets is as plain code has it without markers, from the first octet on.
fn unmarked(lab: &mut Lab, ours: Talk) {
    let payload: Vec<u8> = (0..4_000_u32).map(|n| (n % 251) as u8 | 1).collect();
    ours.region.memory().write(0, &payload).expect("room");
    ours.qp().write(1, &[ours.region.segment(0, 4_000).expect("a segment")], THEIRS).post().expect("room");
    assert_eq!(ours.next(lab).status, Status::Success);
    let ulpdus = lab.ulpdus(true);
    assert!(lab.peer.inbox.len() > 7 * 512, "eight places for markers");
    assert_eq!(lab.peer.inbox[..2], (ulpdus[0].len() as u16).to_be_bytes());
    let got: Vec<u8> = ulpdus.iter().flat_map(|ulpdu| ulpdu[14..].to_vec()).collect();
    assert!(got == payload, "the octets of the Write, one after the other");
}

#[test]
fn a_responder_is_silent_until_the_first_good_fpdu() {
    let _proof = proves("MPA-7.1.2-19");
    let mut lab = Lab::new("fence");
    let listener = lab.device.listen(PORT, 8).expect("a free port");
    for (port, words) in [(22_000, CLIENT), (22_001, PEER_TO_PEER)] {
        lab.meet(port, 0xFFFF_F000);
        let (_cq, qp) = lab.queue_pair();
        lab.opens(PORT);
        lab.frame(&request(words, true));
        let arrival = listener.next(PATIENCE).expect("a request");
        let region = lab.pd.allocate(10, Access::LOCAL).expect("a region");
        region.memory().write(0, b"0123456789").expect("room");
        // before that there is no queue pair that takes a Send: its type has none
        let app = lab.app(move |_| {
            let connection = arrival.accept(&qp, options().into()).expect("a good first FPDU");
            for n in 0..10 {
                let part = region.segment(n, 1).expect("a segment");
                connection.queue_pair().send(n as u64, &[part]).post().expect("room");
            }
            (connection, region)
        });
        lab.reply();
        lab.pause(SILENT);
        // half an FPDU is none
        let first = empty_write();
        lab.say(&first[..11]);
        lab.pause(SILENT);
        assert!(lab.peer.inbox.is_empty() && !app.is_finished(), "{:02x?}", lab.peer.inbox);
        lab.say(&first[11..]);
        let _held = lab.finish("the connection", app);
        lab.until("ten Sends", |lab| lab.peer.inbox.len() >= 10 * 28);
        let last: Vec<u8> = lab.ulpdus(true).iter().map(|ulpdu| ulpdu[18]).collect();
        assert_eq!(last, b"0123456789", "in order");
    }
}

/// The application never says how long its buffer is: what it gets is as long as what the peer
/// sent.
#[test]
fn private_data_has_the_room_that_it_needs() {
    let _proof = proves("MPA-7.1.2-31");
    let mut lab = Lab::new("private-data");
    let listener = lab.device.listen(PORT, 8).expect("a free port");
    let all: Vec<u8> = (0..512_u32).map(|n| (n * 7 + 1) as u8).collect();
    for (n, octets) in [0, 1, 99, 100, 101, 507, 508].into_iter().enumerate() {
        let data = &all[..octets];
        let port = 22_000 + 2 * n as u16;
        let (ours, _) = Talk::initiate(&mut lab, port, options(), &reply(CLIENT, true).with(data));
        assert_eq!(ours.connection.private_data(), data, "in a Reply");
        drop(ours);
        requested(&mut lab, &listener, port + 1, &request(CLIENT, true).with(data), data);
    }
    // without the words of RFC 6581 there are four octets more
    requested(&mut lab, &listener, 22_100, &Frame::request().with(&all), &all);
}

/// A Request brings this private data.
fn requested(lab: &mut Lab, listener: &ferrowarp::Listener, port: u16, request: &Frame, data: &[u8]) {
    lab.meet(port, 7);
    lab.opens(PORT);
    lab.frame(request);
    let arrival = listener.next(PATIENCE).expect("a request");
    assert_eq!(arrival.private_data(), data, "in a Request");
}

/// Driver and firmware do nothing: what the hardware does alone with an FPDU that it refuses, and
/// with what follows it.
#[test]
fn a_fault_alone_closes_nothing() {
    let _proof = proves_rows(&["MPA-8-15", "DDP-6.2-01", "DDP-6.2.2-06"]);
    let mut lab = Lab::new("frozen");
    for (port, word) in [(22_000, "20020000"), (22_001, "1100c000")] {
        let (ours, _) = Talk::initiate(&mut lab, port, options(), &reply(CLIENT, true));
        lab.backend.freeze(true);
        let (stag, to) = (ours.region.stag().0.to_be_bytes(), ours.region.to_base().0.to_be_bytes());
        let write = first_fpdu(&[&hex("c140")[..], &stag, &to, &[0xEE; 64]].concat());
        let nowhere = first_fpdu(&[&hex("c140 00c0ff33")[..], &to, &[0xEE; 64]].concat());
        let mut spoilt = write.clone();
        spoilt[40] ^= 1;
        lab.say(if word.starts_with('2') { &spoilt } else { &nowhere });
        (0..5).for_each(|_| lab.say(&write));
        let end = lab.peer.snd_nxt;
        lab.until("an ACK of all of it", |lab| lab.peer.log.iter().any(|seg| seg.ack == Some(end)));
        lab.pause(SILENT);
        assert!(!lab.peer.fin && !lab.peer.rst && lab.peer.inbox.is_empty(), "{:?}", lab.peer.log.last());
        assert_eq!(ours.region.memory().copy(0, 64).expect("octets"), [0; 64], "nothing is placed");
        // the upper layer's answer comes when it can
        lab.closes = true;
        lab.backend.freeze(false);
        lab.until("a FIN", |lab| lab.peer.fin);
        assert_eq!(lab.peer.inbox[20..24], hex(word));
    }
}

/// An ISAKMP informational exchange with a Delete payload for an ESP SA (RFC 2408 section 3.15), in
/// UDP from and to port 500.
fn ike_delete() -> Vec<u8> {
    let payload = "00000010 00000001 0304 0001 c0ffee01";
    let isakmp = hex(&["1111111111111111 2222222222222222 0c100500 00000001 0000002c", payload].concat());
    let udp = [&hex("01f4 01f4")[..], &((isakmp.len() + 8) as u16).to_be_bytes(), &[0, 0], &isakmp].concat();
    let mut ip = hex("45000000 00010000 40110000 0a090002 0a090001");
    ip[2..4].copy_from_slice(&((udp.len() + 20) as u16).to_be_bytes());
    let sum: u32 = ip.chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1])).sum();
    let sum = !((sum & 0xFFFF) + (sum >> 16)) as u16;
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    [ip, udp].concat()
}

#[test]
fn a_security_association_that_goes_takes_no_connection_with_it() {
    let _proof = proves_rows(&["MPA-9-19", "RDMAP-8.2.2-08", "DDP-8.4.2-08"]);
    let mut lab = Lab::new("ike");
    let (ours, _) = Talk::initiate(&mut lab, 22_000, options(), &reply(CLIENT, true));
    ours.works(&mut lab);
    let said = lab.peer.log.len();
    for _ in 0..3 {
        lab.packet(&ike_delete());
        lab.sync();
    }
    lab.pause(SILENT);
    let spoke: Vec<_> =
        lab.peer.log[said..].iter().filter(|seg| seg.fin || seg.rst || !seg.data.is_empty()).collect();
    assert!(spoke.is_empty(), "{spoke:?}");
    ours.works(&mut lab);
}
