// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets of the peer behind its own FIN (RFC 5041 section 6.2.1): they are dropped, and the
//! connection is reset.
use ferrowarp::{ConnError, Error, Status, TermError};
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::driver::segments::{tagged, untagged, TAGGED};
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT, REGION};
use ferrowarp_tests::fw::mpa::{first_fpdu, Frame};
use ferrowarp_tests::fw::wire::Seg;
use ferrowarp_tests::proves::proves_rows;

/// Octets of a message.
const OCTETS: usize = 64;
/// RDMAP's octets of a Write and of a Send.
const WRITE: u8 = 0x40;
const SEND: u8 = 0x43;
const RECEIVE: u64 = 9;

/// A connection with a receive in the second half of its region, which is zeros.
fn connected(lab: &mut Lab, port: u16) -> Talk {
    let (ours, _) = Talk::initiate(lab, port, options(), &Frame::reply().enhanced(CLIENT));
    ours.qp()
        .post_recv(RECEIVE, &[ours.region.segment(REGION / 2, OCTETS).expect("a segment")])
        .expect("room");
    ours
}

/// The FPDU of a Write of the peer to the start of the region.
fn write(ours: &Talk) -> Vec<u8> {
    first_fpdu(&tagged(TAGGED, WRITE, ours.region.stag().0, ours.region.to_base().0, &[0xEE; OCTETS]))
}

/// The connection ends by a reset, and the application is told why; nothing behind the FIN was
/// placed or acknowledged.
fn ends(lab: &mut Lab, ours: &Talk) {
    let behind = lab.peer.snd_nxt;
    lab.until("a reset", |lab| lab.peer.rst);
    lab.until("the end", |_| ours.connection.ended().is_some());
    let told = ours.connection.ended();
    assert!(matches!(&told, Some(Err(Error::Connection(ConnError::OctetsAfterFin)))), "{told:?}");
    assert_eq!(ConnError::OctetsAfterFin.number(), Some(TermError::MpaConnectionLost));
    assert_eq!(ours.region.memory().copy(0, OCTETS).expect("octets"), [0; OCTETS], "placed");
    let acked = |seg: &Seg| seg.ack.is_some_and(|ack| (ack.wrapping_sub(behind) as i32) > 0);
    assert!(!lab.peer.log.iter().any(acked), "acknowledged beyond {behind}: {:?}", lab.peer.log);
}

#[test]
fn an_fpdu_behind_the_fin_is_an_error_of_the_stream() {
    let _proof = proves_rows(&["DDP-6.2.1-04"]);
    let mut lab = Lab::new("behind");
    let held = |lab: &Lab| lab.device.audit().expect("a device");
    let before = held(&lab);
    let ours = connected(&mut lab, 22_000);
    let fin = lab.peer.finish();
    lab.send(&fin);
    lab.until("the peer's FIN is told", |_| ours.connection.peer_finished());
    assert!(ours.connection.ended().is_none());
    let late = Seg { data: write(&ours), ..lab.peer.seg() };
    lab.send(&late);
    ends(&mut lab, &ours);
    // what is posted now is flushed, as behind any other end
    let part = ours.region.segment(0, 8).expect("a segment");
    ours.qp().send(1, &[part]).post().expect("a queue pair that had a connection");
    let flushed = [(); 2].map(|()| ours.next(&mut lab)).map(|done| (done.wr_id, done.status));
    assert_eq!(flushed, [(1, Status::Flushed), (RECEIVE, Status::Flushed)]);
    drop(ours);
    lab.until("nothing of the connection is held", |lab| held(lab) == before);
}

/// The driver has heard of nothing when all of it is there: the message before the FIN is received
/// all the same.
#[test]
fn a_message_its_fin_and_what_is_behind_come_at_once() {
    let mut lab = Lab::new("behind-once");
    for port in 22_000..22_008 {
        let ours = connected(&mut lab, port);
        let last = first_fpdu(&untagged(SEND, 0, 0, 1, &[port as u8; OCTETS]));
        let fin = Seg { fin: true, ..lab.peer.data(&last) };
        lab.peer.snd_nxt = lab.peer.snd_nxt.wrapping_add(1);
        let late = Seg { data: write(&ours), ..lab.peer.seg() };
        lab.send(&fin);
        lab.send(&late);
        let done = ours.next(&mut lab);
        assert_eq!((done.wr_id, done.status, done.octets), (RECEIVE, Status::Success, OCTETS as u32));
        ends(&mut lab, &ours);
        assert_eq!(ours.region.memory().copy(REGION / 2, OCTETS).expect("octets"), [port as u8; OCTETS]);
    }
}

/// This end closes already.
#[test]
fn a_close_hears_of_octets_behind_the_fin() {
    let mut lab = Lab::new("behind-close");
    let ours = connected(&mut lab, 22_000);
    let write = write(&ours);
    let Talk { connection, region, .. } = ours;
    lab.peer.answers = false;
    let app = lab.app(move |_| connection.disconnect(PATIENCE));
    lab.until("a FIN", |lab| lab.peer.log.iter().any(|seg| seg.fin));
    let fin = lab.peer.finish();
    lab.send(&fin);
    let late = Seg { data: write, ..lab.peer.seg() };
    lab.send(&late);
    let ended = lab.finish("the end", app);
    assert!(matches!(&ended, Err(Error::Connection(ConnError::OctetsAfterFin))), "{ended:?}");
    assert_eq!(region.memory().copy(0, OCTETS).expect("octets"), [0; OCTETS], "placed");
    lab.until("a reset", |lab| lab.peer.rst);
}

/// What the peer sends again lies before its FIN, and so does a probe of a peer that looks whether
/// this end lives.
#[test]
fn what_is_sent_again_is_no_error() {
    let mut lab = Lab::new("behind-again");
    let ours = connected(&mut lab, 22_000);
    let last = first_fpdu(&untagged(SEND, 0, 0, 1, &[3; OCTETS]));
    let fin = Seg { fin: true, ..lab.peer.data(&last) };
    lab.peer.snd_nxt = lab.peer.snd_nxt.wrapping_add(1);
    let probe = Seg { seq: lab.peer.snd_nxt.wrapping_sub(1), data: vec![0], ..lab.peer.seg() };
    for seg in [&fin, &fin, &probe, &fin] {
        lab.send(seg);
    }
    let done = ours.next(&mut lab);
    assert_eq!((done.wr_id, done.status), (RECEIVE, Status::Success));
    lab.until("the peer's FIN is told", |_| ours.connection.peer_finished());
    lab.sync();
    assert!(ours.connection.ended().is_none() && !lab.peer.rst);
    let Talk { connection, .. } = ours;
    let app = lab.app(move |_| connection.disconnect(PATIENCE));
    lab.finish("the end", app).expect("both have closed in order");
}
