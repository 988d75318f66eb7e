// SPDX-License-Identifier: MIT OR Apache-2.0
//! A server that is lost while a program uses its device: each call says so, and so does who waits.
use super::server::{Mood, Server, REGION_READ};
use super::{DROP, MOMENT, WATCH};
use ferrowarp::backend::{BackendError, PciBackend};
use ferrowarp::url::VfioUserUrl;
use ferrowarp::{Access, ConnectOptions, Device, Error, QpOptions};
use std::sync::Arc;
use std::time::Instant;

fn is_lost(why: &Error) -> bool {
    matches!(why, Error::Backend(BackendError::Lost(_)))
}

#[test]
fn each_call_says_that_the_server_is_lost() {
    let server = Server::new();
    let path = server.path();
    let url: VfioUserUrl = format!("{};ip=10.0.0.2/24", path.display()).parse().unwrap();
    let device = Device::new(Arc::new(PciBackend::vfio_user(&path).unwrap()), &url.net).unwrap();
    let pd = device.protection_domain().unwrap();
    let cq = device.completion_queue(8).unwrap();
    let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default().sends(2).receives(2)).unwrap();
    let listener = device.listen(7, 1).unwrap();
    let remote = "10.0.0.9:1".parse().unwrap();
    let options = ConnectOptions::default().patience(WATCH);

    server.arm(REGION_READ, Mood::Stops);
    let begun = Instant::now();
    let told: Vec<(&str, Error)> = std::thread::scope(|scope| {
        let waits = [
            ("a poll", scope.spawn(|| cq.wait(WATCH).unwrap_err())),
            ("a listener", scope.spawn(|| listener.next(WATCH).map(drop).unwrap_err())),
            ("a connection", scope.spawn(|| device.connect(&qp, remote, options).map(drop).unwrap_err())),
        ];
        waits.map(|(what, thread)| (what, thread.join().unwrap())).into()
    });
    assert!(begun.elapsed() < MOMENT, "after {:?}: {told:?}", begun.elapsed());
    assert!(told.iter().all(|(_, why)| is_lost(why)), "{told:?}");

    let begun = Instant::now();
    let told = [
        ("a poll", cq.poll().map(drop)),
        ("a region", pd.allocate(64, Access::ALL).map(drop)),
        ("a completion queue", device.completion_queue(8).map(drop)),
        ("a listener", device.listen(8, 1).map(drop)),
        ("a receive", qp.post_recv(1, &[])),
        ("an audit", device.audit().map(drop)),
        ("the link", device.link().map(drop)),
    ];
    assert!(told.iter().all(|(_, told)| told.as_ref().is_err_and(is_lost)), "{told:?}");
    assert!(begun.elapsed() < DROP, "{:?}", begun.elapsed());
    let begun = Instant::now();
    drop((listener, qp, cq, pd, device));
    assert!(begun.elapsed() < DROP, "{:?}", begun.elapsed());
}
