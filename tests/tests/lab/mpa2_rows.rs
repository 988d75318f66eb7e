// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of RFC 6581 that take the whole device to show: driver, firmware and Verilog against a
//! scripted peer.
use ferrowarp::{Access, Remote, Status};
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_tests::driver::lab::Lab;
use ferrowarp_tests::driver::segments::{tagged, TAGGED};
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT};
use ferrowarp_tests::fw::bench::PORT;
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::proves::proves;
use std::time::Duration;

/// How long a device is watched that must not say anything.
const SILENT: Duration = Duration::from_millis(100);
/// Reads that the application posts at once.
const READS: usize = 10;

/// The application posts as soon as there is a queue pair that takes a Send; the peer loses the
/// first transmission, or what follows it, too.
#[test]
fn the_ready_to_receive_message_is_the_first_fpdu() {
    let _proof = proves("MPA2-5-05");
    // a zero-length Write, and a Read Request of nothing
    let kinds = [([0xC1, 0x40], 14, 0x8004_8004), ([0x41, 0x41], 46, 0x8004_4004)];
    let mut lab = Lab::with("rtr-first", "rto=50");
    let mut port = 22_000;
    for ((first, octets, words), loses) in kinds.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        port += 1;
        lab.meet(port, 7);
        let (cq, qp) = lab.queue_pair();
        let region = lab.pd.allocate(16, Access::LOCAL).expect("a region");
        let part = region.segment(0, 16).expect("a segment");
        let (remote, ours) = (lab.peer.ours, qp);
        let options = options().peer_to_peer(true);
        let app = lab.app(move |device| {
            let connection = device.connect(&ours, remote, options).expect("a good Reply");
            connection.queue_pair().send(1, &[part]).post().expect("room");
            connection
        });
        lab.until("the Request", |lab| lab.peer.inbox.len() >= 24);
        lab.peer.inbox.clear();
        lab.peer.answers = !loses;
        lab.frame(&Frame::reply().enhanced(words));
        let connection = lab.finish("the connection", app);
        if loses {
            let sent = |lab: &Lab| lab.peer.log.iter().filter(|seg| !seg.data.is_empty()).count();
            // the Request, three times the first FPDU or more
            lab.until("retransmissions", |lab| sent(lab) >= 4);
            lab.peer.answers = true;
        }
        let begin = lab.peer.log.iter().find(|seg| seg.data.starts_with(b"MPA ID Req")).expect("it came");
        let begin = begin.seq.wrapping_add(begin.data.len() as u32);
        let ours = Talk { cq, region, connection };
        lab.until("an FPDU", |lab| !lab.peer.inbox.is_empty());
        let asked = lab.ulpdus(true).remove(0);
        assert_eq!((&asked[..2], asked.len()), (&first[..], octets));
        if asked[1] == 0x41 {
            // it reads nothing
            lab.ulpdu(&[&[TAGGED, 0x42][..], &asked[18..30]].concat());
        }
        let sent = ours.next(&mut lab);
        assert_eq!((sent.wr_id, sent.status), (1, Status::Success));
        assert_eq!(lab.ulpdus(true)[1][1], 0x43, "the Send is the second one");
        // whatever was sent first, and again
        let firsts: Vec<_> =
            lab.peer.log.iter().filter(|seg| seg.seq == begin && !seg.data.is_empty()).collect();
        assert!(
            firsts.len() > if loses { 1 } else { 0 } && firsts.iter().all(|seg| seg.data == firsts[0].data)
        );
        assert_eq!(firsts[0].data[2..4], first);
    }
}

/// The application reads `READS` times; the peer never has more than `most` Requests to answer, and
/// at times it has.
fn reads_at_once(lab: &mut Lab, ours: &Talk, most: usize) {
    let from = Remote { stag: STag(0x77), to: TaggedOffset(0x1000) };
    for n in 0..READS {
        let sink = ours.region.segment(8 * n, 8).expect("a segment");
        ours.qp().read(n as u64, sink, from).post().expect("a connection");
    }
    for answered in 0..READS {
        let due = READS.min(answered + most);
        lab.until("Read Requests", |lab| lab.peer.inbox.len() >= due * 52);
        lab.pause(SILENT);
        let asked = lab.ulpdus(true);
        assert_eq!(asked.len(), due, "{answered} of them were answered");
        let sink = &asked[answered][18..30];
        let stag = u32::from_be_bytes(sink[..4].try_into().expect("four octets"));
        let to = u64::from_be_bytes(sink[4..].try_into().expect("eight octets"));
        lab.ulpdu(&tagged(TAGGED, 0x42, stag, to, &[answered as u8 + 1; 8]));
        let done = ours.next(lab);
        assert_eq!((done.wr_id, done.status, done.octets), (answered as u64, Status::Success, 8));
    }
    let got = ours.region.memory().copy(0, 8 * READS).expect("octets");
    assert!(got.chunks(8).zip(1..).all(|(read, n)| read == [n; 8]), "{got:x?}");
}

#[test]
fn a_responder_reads_no_more_than_the_initiator_takes() {
    let _proof = proves("MPA2-9.1-10");
    let mut lab = Lab::new("responder-ord");
    let listener = lab.device.listen(PORT, 8).expect("a free port");
    // inbound depth 1, outbound depth 4
    let request = Frame::request().enhanced(0x0001_0004);
    let options = options().ord(8);
    let (ours, reply) = Talk::respond(&mut lab, 22_000, &listener, options, &request);
    assert_eq!(reply[22..24], [0, 1], "and says so");
    assert_eq!(ours.connection.read_depths().ord, 1);
    reads_at_once(&mut lab, &ours, 1);
}

#[test]
fn an_initiator_reads_no_more_than_the_responder_takes() {
    let _proof = proves("MPA2-9.1-14");
    let mut lab = Lab::new("initiator-ord");
    let options = options().ord(16);
    let (ours, request) = Talk::initiate(&mut lab, 22_000, options, &Frame::reply().enhanced(CLIENT));
    assert_eq!(request[22..24], [0, 16], "what we would like");
    assert_eq!(ours.connection.read_depths().ord, 4);
    reads_at_once(&mut lab, &ours, 4);
}
