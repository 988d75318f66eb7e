// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a completion queue keeps of queue pairs: nothing of one that is gone, everything of one in
//! error.
use super::Late;
use crate::objects::Notified;
use crate::verbs::tests::scene;
use crate::verbs::{Arm, CompletionQueue, QpOptions, QueuePair, Status};
use ferrowarp_abi::codec::Cqe;
use ferrowarp_abi::consts::{doorbell_kind, wc_status};
use std::sync::mpsc::channel;
use std::time::Duration;

const SMALL: QpOptions = QpOptions { sends: 1, receives: 2 };

/// Requests and how they ended, all that are there.
fn polled(cq: &CompletionQueue) -> Vec<(u64, Status)> {
    std::iter::from_fn(|| cq.poll().unwrap().map(|done| (done.wr_id, done.status))).collect()
}

#[test]
fn nothing_of_a_queue_pair_that_is_gone_completes_for_the_next_one() {
    let scene = scene();
    let make = || scene.device.queue_pair(&scene.pd, [&scene.cq; 2], SMALL).unwrap();
    let other = make();
    let received = |qp: &QueuePair, index, status| {
        let cqe = Cqe { index, qp: qp.number(), status, has_wr: true, is_recv: true, ..Default::default() };
        scene.fake.complete(0, cqe);
    };
    for (first, qp) in [(1, &scene.qp), (11, &other)] {
        (first..first + 2).for_each(|wr_id| qp.post_recv(wr_id, &[]).unwrap());
    }
    for (index, status) in [(0, wc_status::SUCCESS), (1, wc_status::LOC_LEN_ERR)] {
        received(&scene.qp, index, status);
        received(&other, index, wc_status::SUCCESS);
    }
    let number = scene.qp.number();
    drop(scene.qp);
    let freed = scene.fake.state().doorbells.pop().unwrap();
    assert_eq!((freed.kind, freed.value), (doorbell_kind::CQ_CONSUMER, 2));
    let next = make();
    assert_eq!(next.number(), number);
    next.post_recv(21, &[]).unwrap();
    assert_eq!(polled(&scene.cq), [(11, Status::Success), (12, Status::Success)]);
    received(&next, 0, wc_status::SUCCESS);
    assert_eq!(polled(&scene.cq), [(21, Status::Success)]);
    // what was flushed goes, too
    (22..24).for_each(|wr_id| next.post_recv(wr_id, &[]).unwrap());
    next.0.fail();
    assert_eq!(scene.cq.poll().unwrap().unwrap().wr_id, 22);
    drop(next);
    let last = make();
    last.post_recv(31, &[]).unwrap();
    assert_eq!(polled(&scene.cq), []);
}

#[test]
fn a_poll_that_has_the_last_handle_of_a_queue_pair_comes_to_its_end() {
    let scene = scene();
    scene.qp.post_recv(1, &[]).unwrap();
    scene.done(0, true, wc_status::SUCCESS);
    let (cq, mut last) = (scene.cq, Some(scene.qp));
    let (through, ended) = channel();
    std::thread::spawn(move || {
        let count = cq.0.poll(1, |_| drop(last.take())).unwrap();
        through.send((count, polled(&cq))).unwrap();
    });
    let ended = ended.recv_timeout(Duration::from_secs(30));
    assert_eq!(ended.expect("the queue pair's end waits for the poll's lock"), (1, vec![]));
}

#[test]
fn what_is_finished_behind_an_empty_ring_is_not_flushed() {
    let scene = scene();
    (1..3).for_each(|wr_id| scene.qp.post_recv(wr_id, &[]).unwrap());
    let (cq, mut all, mut late) = (&scene.cq.0, vec![], Late::default());
    let mut state = cq.state();
    assert_eq!(state.polled(&cq.number, 9, &mut |done| all.push(done), &mut late), (false, 0, 0));
    // the device finishes a request and has a fault before the poll asks who is in error
    scene.done(0, true, wc_status::SUCCESS);
    scene.qp.0.cease();
    cq.disturb();
    assert_eq!(
        state.flushed((&cq.number, &cq.disturbed), 1, &mut |done| all.push(done), &mut late),
        (true, 1, 1)
    );
    assert_eq!(
        state.flushed((&cq.number, &cq.disturbed), 9, &mut |done| all.push(done), &mut late),
        (false, 1, 0)
    );
    drop(state);
    let all: Vec<_> = all.iter().map(|done| (done.wr_id, done.status)).collect();
    assert_eq!(all, [(1, Status::Success), (2, Status::Flushed)]);
}

#[test]
fn an_arm_that_the_device_was_not_told_of_is_told_by_the_next_one() {
    let scene = scene();
    let channel = scene.device.completion_channel().unwrap();
    let cq = scene.device.completion_queue_in(4, &channel).unwrap();
    let arms = || {
        let state = scene.fake.state();
        let arms = state.doorbells.iter().filter(|bell| bell.kind == doorbell_kind::CQ_ARM);
        arms.map(|bell| bell.solicited_only).collect::<Vec<_>>()
    };
    cq.arm(Arm::Solicited).unwrap();
    assert_eq!(arms(), [true]);
    let fails = |kind| {
        scene.fake.state().is_gone = true;
        cq.arm(kind).unwrap_err();
        scene.fake.state().is_gone = false;
    };
    fails(Arm::Next);
    // the device knows of the one before, and of nothing else
    cq.arm(Arm::Solicited).unwrap();
    assert_eq!(arms(), [true]);
    cq.arm(Arm::Next).unwrap();
    assert_eq!(arms(), [true, false]);
    // one whose event was taken leaves nothing behind
    cq.0.clone().told();
    fails(Arm::Solicited);
    cq.arm(Arm::Solicited).unwrap();
    assert_eq!(arms(), [true, false, true]);
}
