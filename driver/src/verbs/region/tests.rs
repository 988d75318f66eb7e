// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ends that want the row of a region at the same time.
use crate::verbs::tests::scene;
use crate::verbs::Access;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Without an end a lock is waited for as long as a test.
const WATCH: Duration = Duration::from_secs(30);

#[test]
fn an_end_waits_for_a_row_that_another_one_holds_within_its_own_second() {
    let scene = scene();
    let bound = scene.pd.allocate_for(&scene.qp, 10, Access::ALL).unwrap();
    let (registered, stag) = (bound.registered.clone(), bound.stag());
    let held = registered.row.lock();
    let (fake, pd, device) = (scene.fake.clone(), scene.pd.clone(), scene.device);
    let mapped = fake.mapped();
    let (done, ended) = channel();
    let (region, queue_pair) = (done.clone(), done);
    std::thread::spawn(move || {
        drop(bound);
        region.send(())
    });
    let qp = scene.qp;
    std::thread::spawn(move || {
        drop(qp);
        queue_pair.send(())
    });
    for _ in 0..2 {
        ended.recv_timeout(WATCH).expect("an end waits for the row as long as another one holds it");
    }
    drop(held);
    // a queue pair has two rings, which it gave up
    assert_eq!(fake.mapped(), mapped - 2, "memory of a region whose row was not taken out is given up");
    let used = device.audit().unwrap();
    assert_eq!((used.queue_pairs, used.regions), (1, 2), "what was not taken out is used again");
    let others: Vec<_> = std::iter::from_fn(|| pd.allocate(1, Access::LOCAL).ok()).collect();
    assert!(others.iter().all(|other| other.stag().0 >> 8 != stag.0 >> 8));
}
