// SPDX-License-Identifier: MIT OR Apache-2.0
//! Responders that are connected with their Reply, and what they post before the initiator's first
//! message.
use ferrowarp::{AcceptOptions, ConnectOptions, Error, Status};
use ferrowarp_tests::driver::lab::Lab;
use ferrowarp_tests::driver::pair::{Scene, PATIENCE};
use ferrowarp_tests::driver::place::Place;
use ferrowarp_tests::driver::talk::{Talk, CLIENT};
use ferrowarp_tests::fw::bench::PORT;
use ferrowarp_tests::fw::mpa::{empty_write, Frame};
use ferrowarp_tests::proves::proves;
use std::net::SocketAddr;
use std::sync::Barrier;
use std::time::Duration;

/// Sends that the responder posts at once.
const SENDS: u64 = 10;

fn early() -> AcceptOptions {
    AcceptOptions::default().early(true).patience(PATIENCE)
}

/// A responder of the lab whose peer has the Reply and has said nothing behind its Request.
fn replied(lab: &mut Lab) -> Talk {
    let listener = lab.device.listen(PORT, 1).expect("a free port");
    lab.meet(22_000, 0xFFFF_F000);
    let (cq, qp) = lab.queue_pair();
    lab.opens(PORT);
    lab.frame(&Frame::request().enhanced(CLIENT));
    let request = listener.next(PATIENCE).expect("a request");
    let app = lab.app(move |_| request.accept(&qp, early()));
    let connection = lab.finish("the connection", app).expect("a good Request");
    lab.reply();
    Talk::over(lab, cq, connection)
}

#[test]
fn sends_of_a_responder_wait_for_the_first_fpdu() {
    let _proof = proves("MPA-7.1.2-19");
    let mut lab = Lab::new("early-waits");
    let ours = replied(&mut lab);
    for wr_id in 0..SENDS {
        let part = ours.region.segment(8 * wr_id as usize, 8).expect("a segment");
        ours.qp().send(wr_id, &[part]).post().expect("a connection");
    }
    lab.pause(Duration::from_millis(300));
    assert!(lab.peer.inbox.is_empty(), "{:02x?}", lab.peer.inbox);
    assert!(ours.cq.poll().expect("entries").is_none() && !lab.row(ours.qp().number()).gate_open);
    lab.say(&empty_write());
    for wr_id in 0..SENDS {
        let done = ours.next(&mut lab);
        assert_eq!((done.wr_id, done.status), (wr_id, Status::Success));
    }
    assert_eq!(lab.ulpdus(true).len(), SENDS as usize);
    lab.peer.inbox.clear();
    ours.works(&mut lab);
}

/// The peer leaves without a message: what waited is flushed, and the end is told.
#[test]
fn what_waited_is_flushed_at_the_end() {
    let mut lab = Lab::new("early-flush");
    let ours = replied(&mut lab);
    let part = ours.region.segment(0, 8).expect("a segment");
    ours.qp().send(1, &[part]).post().expect("a connection");
    let reset = lab.peer.reset();
    lab.send(&reset);
    let done = ours.next(&mut lab);
    assert_eq!((done.wr_id, done.status), (1, Status::Flushed));
    lab.until("the end", |_| ours.connection.ended().is_some());
    assert!(matches!(ours.connection.ended(), Some(Err(Error::Connection(_)))));
}

/// Both have the connection before either has posted, and the responder posts first.
#[test]
fn two_devices_exchange_whoever_posts_first() {
    let scene = Scene::new("early-pair", [""; 2]);
    let [theirs, ours] = &scene.devices;
    let (near, far) = (Place::new(ours, 0xA5), Place::new(theirs, 0x5A));
    let listener = theirs.listen(7_000, 1).expect("a free port");
    let remote = SocketAddr::new([10, 0, 0, 1].into(), 7_000);
    let both = Barrier::new(2);
    std::thread::scope(|scope| {
        let responder = scope.spawn(|| {
            let request = listener.next(PATIENCE).expect("a request");
            let connection = request.accept(&far.qp, early()).expect("a connection");
            both.wait();
            far.works(&connection, &near, false);
            connection
        });
        let options = ConnectOptions::default().patience(PATIENCE);
        let connection = ours.connect(&near.qp, remote, options).expect("a connection");
        both.wait();
        near.works(&connection, &far, false);
        let accepted = responder.join().expect("no panic");
        near.holds(0x5A);
        far.holds(0xA5);
        let closed = scope.spawn(|| accepted.disconnect(PATIENCE));
        connection.disconnect(PATIENCE).and(closed.join().expect("no panic")).expect("both have closed");
    });
}
