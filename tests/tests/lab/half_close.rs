// SPDX-License-Identifier: MIT OR Apache-2.0
//! Half-closed connections (RFC 5041 section 6.2.1): a peer that has finished sending still
//! receives, and the same the other way round.
use ferrowarp::{ConnError, Error, Remote, STag, Status, TaggedOffset, TermError, WcOpcode};
use ferrowarp_firmware::error::Stage;
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::driver::segments::untagged;
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT};
use ferrowarp_tests::fw::mpa::{first_fpdu, Frame};
use ferrowarp_tests::fw::wire::Seg;
use ferrowarp_tests::mpa_model::fpdu;
use ferrowarp_tests::proves::{proves, proves_rows};
use std::time::Duration;

/// Octets of a message, those of its FPDU, and room of the peer for less than one.
const OCTETS: usize = 100;
const FPDU: usize = 2 + 18 + OCTETS + 4;
const SMALL: u32 = 60;
/// Octets from one marker to the next.
const MARKED: usize = 512;
/// RDMAP's octet of a Send.
const SEND: u8 = 0x43;
/// First of the receives.
const RECEIVE: u64 = 100;

/// An established connection with two receives posted.
fn connected(lab: &mut Lab, port: u16) -> Talk {
    let (ours, _) = Talk::initiate(lab, port, options(), &Frame::reply().enhanced(CLIENT));
    for wr_id in RECEIVE..RECEIVE + 2 {
        ours.qp().post_recv(wr_id, &[ours.region.segment(4_096, OCTETS).expect("a segment")]).expect("room");
    }
    ours
}

fn post(ours: &Talk, wr_id: u64) {
    let part = ours.region.segment(0, OCTETS).expect("a segment");
    ours.qp().send(wr_id, &[part]).post().expect("a connection");
}

/// The peer's FIN, with the octets before it in the same segment.
fn finishes(lab: &mut Lab, octets: &[u8]) {
    let seg = Seg { fin: true, ..lab.peer.data(octets) };
    lab.peer.snd_nxt = lab.peer.snd_nxt.wrapping_add(1);
    lab.send(&seg);
}

/// The states that a connection goes through from the peer's FIN on: CLOSE-WAIT, LAST-ACK, CLOSED.
#[test]
fn sends_leave_behind_the_peers_fin_and_before_ours() {
    let _proof = proves_rows(&["DDP-6.2.1-05", "DDP-6.2.1-06", "DDP-6.2.1-07"]);
    let mut lab = Lab::new("half-sends");
    let ours = connected(&mut lab, 22_000);
    lab.room(Some(SMALL));
    lab.sync();
    (0..3).for_each(|wr_id| post(&ours, wr_id));
    finishes(&mut lab, &[]);
    lab.until("the peer's FIN is told", |_| ours.connection.peer_finished());
    assert!(ours.connection.is_closed(), "nothing more can be received");
    // nothing can come any more
    let flushed = [(); 2].map(|()| ours.next(&mut lab)).map(|done| (done.wr_id, done.status));
    assert_eq!(flushed, [(RECEIVE, Status::Flushed), (RECEIVE + 1, Status::Flushed)]);
    assert!(lab.peer.inbox.is_empty() && ours.connection.ended().is_none());
    post(&ours, 3);
    let Talk { connection, cq, region: _region } = ours;
    // completions of a queue pair go with its last handle
    let qp = connection.queue_pair().clone();
    let app = lab.app(move |_| connection.disconnect(PATIENCE));
    lab.pause(Duration::from_millis(200));
    // CLOSE-WAIT: the peer's FIN is acknowledged, and ours waits behind what is queued
    let has_fin = |lab: &Lab| lab.peer.log.iter().any(|seg| seg.fin);
    let row = lab.row(qp.number());
    assert!(!app.is_finished() && !has_fin(&lab) && cq.poll().expect("entries").is_none());
    assert_eq!(row.rcv_nxt.0, lab.peer.snd_nxt, "the peer's FIN is not taken");
    let una = row.snd_una.0;
    // LAST-ACK: our FIN has left behind all octets, and is not acknowledged
    lab.peer.answers = false;
    lab.room(None);
    lab.until("a FIN", |lab| has_fin(lab));
    let row = lab.row(qp.number());
    assert_eq!((row.snd_una.0, row.snd_nxt.0.wrapping_sub(una) as usize), (una, 4 * FPDU + 1));
    assert_eq!((row.rcv_nxt.0, app.is_finished()), (lab.peer.snd_nxt, false));
    let fin = lab.peer.log.iter().find(|seg| seg.fin).expect("a FIN");
    assert_eq!(fin.seq.wrapping_add(fin.data.len() as u32).wrapping_sub(una) as usize, 4 * FPDU);
    // CLOSED
    lab.peer.answers = true;
    lab.finish("the end", app).expect("both have closed in order");
    assert!(lab.peer.fin && !lab.peer.rst, "a FIN and no reset");
    let row = lab.row(qp.number());
    assert_eq!((row.rcv_nxt.0, row.snd_una.0, row.snd_nxt.0, row.gate_open), (0, 0, 0, false));
    let done: Vec<_> = std::iter::from_fn(|| cq.poll().expect("entries")).collect();
    let done: Vec<_> = done.iter().map(|done| (done.wr_id, done.status, done.opcode)).collect();
    assert_eq!(done, [0, 1, 2, 3].map(|wr_id| (wr_id, Status::Success, WcOpcode::Send)));
    assert_eq!((lab.peer.inbox.len(), lab.ulpdus(true).len()), (4 * FPDU, 4));
}

/// A marker is due behind the last octet of the last FPDU, and does not come.
#[test]
fn no_marker_follows_the_last_fpdu() {
    let _proof = proves("MPA-7.2-01");
    let mut lab = Lab::new("half-marker");
    let reply = Frame { flags: 0xC0, ..Frame::reply() };
    let (ours, _) = Talk::initiate(&mut lab, 22_000, options(), &reply.enhanced(CLIENT));
    ours.qp().post_recv(RECEIVE, &[ours.region.segment(4_096, OCTETS).expect("a segment")]).expect("room");
    // marker, length, header and CRC take the rest of what is between two markers
    let octets = MARKED - 4 - 2 - 18 - 4;
    let part = ours.region.segment(0, octets).expect("a segment");
    ours.qp().send(0, &[part]).post().expect("a connection");
    ours.connection.finish_sending().expect("a connection");
    lab.until("a FIN", |lab| lab.peer.fin);
    assert_eq!(lab.peer.inbox.len(), MARKED, "the FIN stands behind the CRC");
    let ulpdu = untagged(SEND, 0, 0, 1, &vec![0; octets]);
    assert_eq!(lab.peer.inbox, fpdu(&ulpdu, 0, true, true));
    assert_eq!(ours.next(&mut lab).status, Status::Success);
    // the other half works on
    lab.ulpdu(&untagged(SEND, 0, 0, 1, &[7; OCTETS]));
    let done = ours.next(&mut lab);
    assert_eq!((done.wr_id, done.status), (RECEIVE, Status::Success));
    let fin = lab.peer.finish();
    lab.send(&fin);
    lab.until("the end", |_| ours.connection.ended().is_some());
    assert!(matches!(ours.connection.ended(), Some(Ok(()))) && !lab.peer.rst);
}

/// The event of the FIN does not overtake what came before it.
#[test]
fn a_message_right_before_the_fin_is_received() {
    let _proof = proves("MPA-7.2-02");
    let mut lab = Lab::new("half-message");
    for port in 22_000..22_016 {
        let ours = connected(&mut lab, port);
        finishes(&mut lab, &first_fpdu(&untagged(SEND, 0, 0, 1, &[port as u8; OCTETS])));
        let done = [(); 2].map(|()| ours.next(&mut lab)).map(|done| (done.wr_id, done.status));
        assert_eq!(done, [(RECEIVE, Status::Success), (RECEIVE + 1, Status::Flushed)], "port {port}");
        let Talk { connection, .. } = ours;
        let app = lab.app(move |_| connection.disconnect(PATIENCE));
        lab.finish("the end", app).expect("both have closed in order");
    }
}

/// Where the stream ends is inside an FPDU: an error of the stream (RFC 5044 section 8), which a
/// reset answers.
#[test]
fn a_fin_inside_an_fpdu_is_an_error() {
    let mut lab = Lab::new("half-cut");
    let ours = connected(&mut lab, 22_000);
    let fpdu = first_fpdu(&untagged(SEND, 0, 0, 1, &[1; OCTETS]));
    finishes(&mut lab, &fpdu[..40]);
    lab.until("a reset", |lab| lab.peer.rst);
    lab.until("the end", |_| ours.connection.ended().is_some());
    let told = ours.connection.ended();
    let lost = ConnError::Fault(TermError::MpaConnectionLost);
    assert!(matches!(&told, Some(Err(Error::Connection(why))) if *why == lost), "{told:?}");
    let flushed = [(); 2].map(|()| ours.next(&mut lab)).map(|done| (done.wr_id, done.status));
    assert_eq!(flushed, [(RECEIVE, Status::Flushed), (RECEIVE + 1, Status::Flushed)]);
    assert!(lab.peer.inbox.is_empty() && !lab.peer.fin);
}

/// A Read cannot be answered any more: what is under way ends the queue pair, as nothing behind it
/// completes.
#[test]
fn reads_end_with_the_peers_fin() {
    let mut lab = Lab::new("half-reads");
    for (port, is_posted) in [(22_000, true), (22_001, false)] {
        let ours = connected(&mut lab, port);
        let sink = ours.region.segment(0, 8).expect("a segment");
        let remote = Remote { stag: STag(7), to: TaggedOffset(0) };
        if is_posted {
            ours.qp().read(0, sink, remote).post().expect("room");
            post(&ours, 1);
        }
        finishes(&mut lab, &[]);
        lab.until("the peer's FIN is told", |_| ours.connection.peer_finished());
        if is_posted {
            let flushed = [(); 4].map(|()| ours.next(&mut lab)).map(|done| (done.wr_id, done.status));
            assert_eq!(flushed, [0, 1, RECEIVE, RECEIVE + 1].map(|wr_id| (wr_id, Status::Flushed)));
        } else {
            let refused = ours.qp().read(0, sink, remote).post().expect_err("nobody answers");
            assert!(matches!(refused, Error::PeerFinished(_)), "{refused}");
        }
        let Talk { connection, .. } = ours;
        let app = lab.app(move |_| connection.disconnect(PATIENCE));
        lab.finish("the end", app).expect("both have closed in order");
    }
}

/// The peer never ends: the application waits for as long as it likes, and its close has an end.
#[test]
fn a_close_behind_a_half_close_is_bounded() {
    let mut lab = Lab::new("half-bound");
    let ours = connected(&mut lab, 22_000);
    post(&ours, 0);
    ours.connection.finish_sending().expect("a connection");
    lab.until("a FIN", |lab| lab.peer.fin);
    // the FIN stands behind the last octet of the FPDU
    assert_eq!((lab.ulpdus(true).len(), lab.peer.inbox.len()), (1, FPDU));
    assert_eq!(ours.next(&mut lab).status, Status::Success);
    lab.backend.skip(600_000);
    lab.sync();
    lab.ulpdu(&untagged(SEND, 0, 0, 1, &[7; OCTETS]));
    let done = ours.next(&mut lab);
    assert_eq!((done.wr_id, done.status), (RECEIVE, Status::Success));
    let Talk { connection, .. } = ours;
    let app = lab.app(move |_| connection.disconnect(PATIENCE));
    // long enough for the question that goes before, and shorter than the time of a close
    lab.pause(Duration::from_secs(1));
    assert!(!app.is_finished() && !lab.peer.rst);
    lab.backend.skip(5_000);
    let ended = lab.finish("the end", app);
    let late = ConnError::TimedOut(Stage::Close);
    assert!(matches!(&ended, Err(Error::Connection(why)) if *why == late), "{ended:?}");
    lab.until("a reset", |lab| lab.peer.rst);
}
