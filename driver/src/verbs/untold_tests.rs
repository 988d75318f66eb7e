// SPDX-License-Identifier: MIT OR Apache-2.0
//! Batches that are dropped while the device takes no doorbell.
use super::tests::scene;
use super::*;
use crate::backend::{fake::Fake, BackendError};
use crate::device::Device;
use crate::error::Error;
use crate::shared::Shared;
use ferrowarp_abi::consts::{doorbell_kind, wc_status};
use std::sync::Arc;

#[test]
fn the_error_of_a_dropped_batch_comes_with_the_next_post_to_its_queue_and_once() {
    // without a connection manager, which would end a device that is gone
    let fake = Fake::new();
    let shared = Arc::new(Shared::new(fake.clone()));
    let pd = Device::domain_of(&shared).unwrap();
    let cq = CompletionQueue::new(&shared, 4, None, true).unwrap();
    let qp = QueuePair::new(&pd, [&cq, &cq], [3, 2], QpOptions { sends: 2, receives: 2 }).unwrap();
    qp.0.bind().unwrap();
    qp.0.connected();
    let connected = QueuePair::connected(&qp.0);
    let is_told = |told: Result<(), Error>| matches!(told, Err(Error::Backend(BackendError::Stopped(_))));
    let rung = |kind| {
        let state = fake.state();
        state.doorbells.iter().filter(|bell| bell.kind == kind).map(|bell| bell.value).collect::<Vec<_>>()
    };
    fake.state().is_gone = true;
    connected.sends().send(1, &[]).post().unwrap();
    qp.receives().post(2, &[]).unwrap();
    fake.state().is_gone = false;
    assert!(is_told(connected.send(3, &[]).post()), "the device was not told of request 1");
    assert!(rung(doorbell_kind::SQ).is_empty(), "a request that is refused rings");
    connected.send(3, &[]).post().unwrap();
    assert_eq!(rung(doorbell_kind::SQ), [2], "one doorbell tells of both requests");
    let mut receives = qp.receives();
    assert!(is_told(receives.post(4, &[])), "the device was not told of receive 2");
    receives.post(4, &[]).unwrap();
    receives.ring().unwrap();
    assert_eq!(rung(doorbell_kind::RQ), [2]);
}

#[test]
fn every_verb_of_a_batch_is_a_verb_of_its_queue_pair() {
    let scene = scene();
    scene.connect();
    let qp = QueuePair::connected(&scene.qp.0);
    let (segment, remote) = (scene.region.segment(0, 10).unwrap(), scene.region.remote().at(0, 10).unwrap());
    let posts: [&dyn Fn() -> Result<(), Error>; 5] = [
        &|| qp.send(0, &[segment]).solicited().post(),
        &|| qp.send_inline(1, b"now").invalidate(remote.stag).post(),
        &|| qp.write(2, &[segment; 2], remote).fenced().post(),
        &|| qp.write_inline(3, b"now", remote).post(),
        &|| qp.read(4, segment, remote).post(),
    ];
    use WcOpcode::{Read, Send, Write};
    for (nth, (post, opcode)) in posts.iter().zip([Send, Send, Write, Write, Read]).enumerate() {
        post().unwrap();
        scene.done(nth as u32, false, wc_status::SUCCESS);
        assert_eq!(scene.polled(), [(nth as u64, Status::Success, opcode)]);
    }
}
