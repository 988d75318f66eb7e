// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs to error, drained, and used again, on a device that a test plays.
use super::tests::{scene, Scene};
use super::types::{QpState, Status, WcOpcode};
use crate::{ConnectOptions, Error};

#[test]
fn a_queue_pair_goes_to_error_is_drained_and_is_used_again() {
    let scene = scene();
    scene.receive(1).unwrap();
    scene.qp.to_error().unwrap();
    assert_eq!((scene.qp.state(), scene.qp.is_drained()), (QpState::Error, false));
    assert_eq!(scene.polled(), [(1, Status::Flushed, WcOpcode::Receive)]);
    assert!(scene.qp.is_drained());
    scene.qp.to_error().unwrap();
    let Scene { qp, device, region, cq, fake: _fake, pd: _pd } = scene;
    let limits = qp.limits();
    let qp = qp.reset().unwrap();
    assert_eq!((qp.state(), qp.limits(), qp.is_drained()), (QpState::Idle, limits, false));
    qp.post_recv(2, &[region.segment(50, 50).unwrap()]).unwrap();
    let remote = "10.0.0.9:1".parse().unwrap();
    let mut connecting = device.start_connect(&qp, remote, ConnectOptions::default()).unwrap();
    assert_eq!(qp.state(), QpState::Connecting);
    qp.to_error().unwrap();
    let why = std::iter::repeat_with(|| connecting.poll()).find_map(|polled| match polled {
        Ok(None) => None,
        told => Some(told.map(drop)),
    });
    assert!(matches!(why, Some(Err(_))), "{why:?}");
    assert_eq!(cq.poll().unwrap().map(|done| done.wr_id), Some(2));
    drop(connecting);
    let qp = qp.reset().unwrap();
    device.start_connect(&qp, remote, ConnectOptions::default()).unwrap().cancel();
}

#[test]
fn a_queue_pair_with_other_handles_is_not_reset() {
    let scene = scene();
    let other = scene.qp.clone();
    let told = scene.qp.reset().map(drop).unwrap_err();
    assert!(matches!(told, Error::Handles { qp: 0, others: 1 }), "{told}");
    assert_eq!(other.state(), QpState::Idle);
}
