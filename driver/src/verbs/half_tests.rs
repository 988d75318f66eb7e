// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs of which one direction has ended, on a device that a test plays.
use super::tests::{scene, Scene};
use super::*;
use crate::error::Error;
use ferrowarp_abi::consts::{doorbell_kind, wc_status};
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_firmware::port::Rtr;

impl Scene {
    fn posts_read(&self, wr_id: u64) -> Result<(), Error> {
        let remote = Remote { stag: STag(9), to: TaggedOffset(9) };
        let sink = self.region.segment(0, 10).unwrap();
        QueuePair::connected(&self.qp.0).read(wr_id, sink, remote).post()
    }
}

#[test]
fn receives_are_flushed_behind_the_peers_fin_and_sends_go_on() {
    let scene = scene();
    scene.connect();
    scene.receive(1).unwrap();
    scene.send(2, false).unwrap();
    scene.qp.0.peer_finished();
    assert_eq!(scene.polled(), [(1, Status::Flushed, WcOpcode::Receive)]);
    assert_eq!(scene.qp.state(), QpState::Connected);
    scene.receive(3).unwrap();
    scene.send(4, false).unwrap();
    assert_eq!(scene.rung(doorbell_kind::RQ), [1], "the device hears of no receive that nothing can fill");
    assert_eq!(scene.polled(), [(3, Status::Flushed, WcOpcode::Receive)]);
    [0, 1].into_iter().for_each(|index| scene.done(index, false, wc_status::SUCCESS));
    assert_eq!(scene.polled(), [2, 4].map(|wr_id| (wr_id, Status::Success, WcOpcode::Send)));
}

/// A message that the device has finished comes before what is flushed.
#[test]
fn what_came_before_the_peers_fin_is_not_flushed() {
    let scene = scene();
    scene.connect();
    (1..=2).for_each(|wr_id| scene.receive(wr_id).unwrap());
    scene.done(0, true, wc_status::SUCCESS);
    scene.qp.0.peer_finished();
    let due = [(1, Status::Success), (2, Status::Flushed)].map(|(n, s)| (n, s, WcOpcode::Receive));
    assert_eq!(scene.polled(), due);
}

#[test]
fn a_read_ends_the_queue_pair_or_is_refused() {
    let scene = scene();
    scene.connect();
    scene.posts_read(1).unwrap();
    scene.send(2, false).unwrap();
    scene.qp.0.peer_finished();
    let due = [(1, WcOpcode::Read), (2, WcOpcode::Send)].map(|(n, of)| (n, Status::Flushed, of));
    assert_eq!((scene.polled(), scene.qp.state()), (due.to_vec(), QpState::Error));

    let scene = self::scene();
    scene.connect();
    scene.qp.0.peer_finished();
    assert!(matches!(scene.posts_read(1), Err(Error::PeerFinished(0))));
    scene.qp.0.fail();
    scene.posts_read(2).unwrap();
    assert_eq!(scene.polled(), [(2, Status::Flushed, WcOpcode::Read)]);
}

#[test]
fn a_read_that_was_answered_does_not_end_the_queue_pair() {
    let scene = scene();
    scene.connect();
    scene.qp.0.post_ready(Rtr::Read).unwrap();
    scene.posts_read(1).unwrap();
    scene.done(1, false, wc_status::SUCCESS);
    scene.qp.0.peer_finished();
    scene.send(2, false).unwrap();
    assert_eq!(scene.polled(), [(1, Status::Success, WcOpcode::Read)]);
    scene.done(2, false, wc_status::SUCCESS);
    let due = vec![(2, Status::Success, WcOpcode::Send)];
    assert_eq!((scene.polled(), scene.qp.state()), (due, QpState::Connected));
}

#[test]
fn a_fin_waits_for_a_batch_that_is_being_posted() {
    let scene = scene();
    scene.connect();
    let qp = QueuePair::connected(&scene.qp.0);
    let batch = qp.sends();
    std::thread::scope(|threads| {
        let finishes = threads.spawn(|| scene.qp.0.finish_sending());
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!((finishes.is_finished(), scene.qp.state()), (false, QpState::Connected));
        batch.ring().unwrap();
        finishes.join().unwrap();
    });
    assert_eq!(scene.qp.state(), QpState::Finished);
}

#[test]
fn an_end_that_has_finished_sending_receives() {
    let scene = scene();
    scene.connect();
    scene.send(1, false).unwrap();
    scene.qp.0.finish_sending();
    assert_eq!(scene.qp.state(), QpState::Finished);
    assert!(matches!(scene.send(2, false), Err(Error::Finished(0))));
    scene.receive(3).unwrap();
    scene.done(0, true, wc_status::SUCCESS);
    scene.done(0, false, wc_status::SUCCESS);
    let due = [(3, WcOpcode::Receive), (1, WcOpcode::Send)].map(|(n, of)| (n, Status::Success, of));
    assert_eq!(scene.polled(), due);
    scene.qp.0.fail();
    scene.send(4, false).unwrap();
    assert_eq!(scene.polled(), [(4, Status::Flushed, WcOpcode::Send)]);
}
