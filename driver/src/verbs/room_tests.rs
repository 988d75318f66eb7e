// SPDX-License-Identifier: MIT OR Apache-2.0
//! Posts against the slots of their completion queue.
use super::tests::scene;
use super::*;
use crate::error::Error;
use ferrowarp_abi::codec::Cqe;
use ferrowarp_abi::consts::wc_status;

/// A queue pair of 8 sends and 8 receives whose completion queue has 8 slots.
const QUEUES: QpOptions = QpOptions { sends: 8, receives: 8 };

#[test]
fn a_post_without_a_slot_for_its_completion_is_refused_with_the_counts() {
    let scene = scene();
    let cq = scene.device.completion_queue(5).unwrap();
    assert_eq!(cq.slots(), 8);
    let qp = scene.device.queue_pair(&scene.pd, [&cq, &cq], QUEUES).unwrap();
    qp.0.bind().unwrap();
    qp.0.connected();
    let sends = QueuePair::connected(&qp.0);
    // a slot is for the queue pair's fault
    (0..4).for_each(|n| qp.post_recv(n, &[]).unwrap());
    (0..3).for_each(|n| sends.send(n, &[]).post().unwrap());
    let told = "completion queue 1 has 8 slots, and 8 of them are";
    for refused in [qp.post_recv(9, &[]), sends.send(9, &[]).post()] {
        let why = refused.unwrap_err().to_string();
        assert!(why.contains(told), "{why}");
    }
    // no completion, no slot
    sends.send(9, &[]).unsignaled().post().unwrap();
    // a completion that was taken has given its slot back
    let cqe = Cqe { qp: qp.number(), has_wr: true, is_recv: true, ..Default::default() };
    scene.fake.complete(1, cqe);
    qp.post_recv(9, &[]).unwrap_err();
    assert_eq!(cq.poll().unwrap().unwrap().status, Status::Success);
    qp.post_recv(9, &[]).unwrap();
    qp.post_recv(9, &[]).unwrap_err();
    // what is in error has no completions of the hardware
    scene.fake.complete(1, Cqe { index: 1, status: wc_status::FATAL_ERR, ..cqe });
    let left = || std::iter::from_fn(|| cq.poll().unwrap()).count();
    assert_eq!(left(), 1);
    qp.0.fail();
    assert_eq!(left(), 7);
    (0..8).for_each(|n| qp.post_recv(n, &[]).unwrap());
}

#[test]
fn an_application_may_count_itself() {
    let scene = scene();
    let options = CqOptions { entries: 1, is_counted: false, ..Default::default() };
    let cq = scene.device.completion_queue_of(options).unwrap();
    let qp = scene.device.queue_pair(&scene.pd, [&cq, &cq], QUEUES).unwrap();
    assert_eq!(cq.slots(), 4);
    (0..8).for_each(|n| qp.post_recv(n, &[]).unwrap());
}

#[test]
fn the_slots_of_a_queue_pair_that_is_gone_come_back() {
    let scene = scene();
    let channel = scene.device.completion_channel().unwrap();
    let cq = scene.device.completion_queue_in(5, &channel).unwrap();
    for _ in 0..3 {
        let qp = scene.device.queue_pair(&scene.pd, [&cq, &scene.cq], QUEUES).unwrap();
        qp.0.bind().unwrap();
        qp.0.connected();
        let sends = QueuePair::connected(&qp.0);
        (0..7).for_each(|n| sends.send(n, &[]).post().unwrap());
        let refused = sends.send(9, &[]).post();
        assert!(matches!(refused, Err(Error::NoSlot { cq: 1, slots: 8, taken: 8 })));
        // a receive of it completes in the other queue
        qp.post_recv(1, &[]).unwrap();
        let cqe = Cqe { qp: qp.number(), has_wr: true, is_recv: true, ..Default::default() };
        scene.fake.complete(1, cqe);
        let elsewhere = cq.poll().unwrap_err().to_string();
        assert!(elsewhere.contains("completes elsewhere"), "{elsewhere}");
        // what is flushed keeps its slots: the hardware may have finished it
        qp.0.fail();
        assert_eq!(std::iter::from_fn(|| cq.poll().unwrap()).count(), 7);
        let second = scene.device.queue_pair(&scene.pd, [&cq, &scene.cq], QUEUES);
        assert!(matches!(second, Err(Error::Exhausted { .. } | Error::NoSlot { .. })));
        drop((sends, qp));
        // the queue has no entries behind the bad one
        drop(second);
    }
}
