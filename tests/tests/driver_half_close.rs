//! Half-closed connections (RFC 5041 section 6.2.1): a peer that has finished sending still receives, and the same the other way
//! round.
use ferrowarp::{ConnError, Error, Remote, STag, Status, TaggedOffset, TermError, WcOpcode};
use ferrowarp_firmware::error::Stage;
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::driver::segments::untagged;
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT};
use ferrowarp_tests::fw::mpa::{first_fpdu, Frame};
use ferrowarp_tests::fw::wire::Seg;
use ferrowarp_tests::proves::{proves, proves_rows};
use std::time::Duration;

/// Octets of a message, those of its FPDU, and room of the peer for less than one.
const OCTETS: usize = 100;
const FPDU: usize = 2 + 18 + OCTETS + 4;
const SMALL: u32 = 60;
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
    ours.qp().post_send(wr_id, &[part], Default::default()).expect("a connection");
}

/// The peer's FIN, with the octets before it in the same segment.
fn finishes(lab: &mut Lab, octets: &[u8]) {
    let seg = Seg { fin: true, ..lab.peer.data(octets) };
    lab.peer.snd_nxt = lab.peer.snd_nxt.wrapping_add(1);
    lab.send(&seg);
}

#[test]
fn sends_leave_behind_the_peers_fin() {
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
    lab.room(None);
    let done = [(); 4].map(|()| ours.next(&mut lab)).map(|done| (done.wr_id, done.status, done.opcode));
    assert_eq!(done, [0, 1, 2, 3].map(|wr_id| (wr_id, Status::Success, WcOpcode::Send)));
    assert!(!lab.peer.fin, "this end is open until the application closes it");
    let Talk { connection, .. } = ours;
    let app = lab.app(move |_| connection.disconnect(PATIENCE));
    lab.finish("the end", app).expect("both have closed in order");
    assert!(lab.peer.fin && !lab.peer.rst, "a FIN and no reset");
    assert_eq!(lab.peer.inbox.len(), 4 * FPDU);
    assert_eq!(lab.ulpdus(true).len(), 4);
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

/// Where the stream ends is inside an FPDU: an error of the stream (RFC 5044 section 8), which a reset answers.
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

/// A Read cannot be answered any more: what is under way ends the queue pair, as nothing behind it completes.
#[test]
fn reads_end_with_the_peers_fin() {
    let mut lab = Lab::new("half-reads");
    for (port, is_posted) in [(22_000, true), (22_001, false)] {
        let ours = connected(&mut lab, port);
        let sink = ours.region.segment(0, 8).expect("a segment");
        let remote = Remote { stag: STag(7), to: TaggedOffset(0) };
        if is_posted {
            ours.qp().post_read(0, sink, remote, true).expect("room");
            post(&ours, 1);
        }
        finishes(&mut lab, &[]);
        lab.until("the peer's FIN is told", |_| ours.connection.peer_finished());
        if is_posted {
            let flushed = [(); 4].map(|()| ours.next(&mut lab)).map(|done| (done.wr_id, done.status));
            assert_eq!(flushed, [0, 1, RECEIVE, RECEIVE + 1].map(|wr_id| (wr_id, Status::Flushed)));
        } else {
            let refused = ours.qp().post_read(0, sink, remote, true).expect_err("nobody answers");
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
    let _proof = proves("MPA-7.2-01");
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
