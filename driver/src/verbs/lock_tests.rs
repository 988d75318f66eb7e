// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads that post and poll do not wait for each other, nor for themselves.
use super::tests::{scene, Scene};
use super::*;
use ferrowarp_abi::consts::wc_status;
use std::sync::mpsc::channel;
use std::time::Duration;

/// How long a thread may take that waits for nobody.
const PATIENCE: Duration = Duration::from_secs(10);

/// Does something in a thread, which comes to its end.
fn ends(body: impl FnOnce(Scene) + Send + 'static) {
    let (through, ended) = channel();
    let scene = scene();
    scene.connect();
    let thread = std::thread::spawn(move || {
        body(scene);
        through.send(()).unwrap();
    });
    assert!(ended.recv_timeout(PATIENCE).is_ok() || thread.is_finished(), "the thread waits for itself");
    thread.join().unwrap();
}

#[test]
fn a_thread_that_posts_until_it_is_full_polls() {
    ends(|scene| {
        let qp = QueuePair::connected(&scene.qp.0);
        let mut sends = qp.sends();
        let mut completed = 0;
        for wr_id in 0..20 {
            while sends.send(wr_id, &[]).post().is_err() {
                // the device has heard of none: a fake completes them nevertheless
                scene.done(completed, false, wc_status::SUCCESS);
                completed += 1;
                assert_eq!(scene.polled().len(), 1);
            }
        }
        assert_eq!((completed, qp.state(), qp.limits().sends), (12, QpState::Connected, 2));
        sends.ring().unwrap();
    });
}

#[test]
fn a_thread_that_posts_receives_sends_and_polls() {
    ends(|scene| {
        let qp = QueuePair::connected(&scene.qp.0);
        let mut receives = qp.receives();
        receives.post(1, &[]).unwrap();
        qp.send(2, &[]).post().unwrap();
        scene.done(0, false, wc_status::SUCCESS);
        assert_eq!(scene.polled().len(), 1);
        scene.qp.0.fail();
        scene.qp.0.ring_receives().unwrap();
        receives.ring().unwrap();
        assert_eq!(scene.polled(), [(1, Status::Flushed, WcOpcode::Receive)]);
    });
}

#[test]
fn what_takes_a_completion_may_post() {
    ends(|scene| {
        let qp = QueuePair::connected(&scene.qp.0);
        qp.post_recv(1, &[]).unwrap();
        scene.done(0, true, wc_status::SUCCESS);
        let post = |_| {
            qp.post_recv(2, &[]).unwrap();
            qp.send(3, &[]).post().unwrap();
        };
        assert_eq!(scene.cq.0.poll(1, post).unwrap(), 1);
        // the same of a queue pair in error
        scene.qp.0.fail();
        let mut all = vec![];
        let post = |done: Completion| {
            all.push(done.wr_id);
            qp.post_recv(4, &[]).unwrap();
        };
        assert_eq!(scene.cq.0.poll(1, post).unwrap(), 1);
        all.extend(scene.polled().iter().map(|(wr_id, ..)| *wr_id));
        assert_eq!(all, [3, 2, 4]);
    });
}

#[test]
#[cfg(not(miri))] // which has no processes
fn a_child_of_the_process_is_refused_and_rings_nothing() {
    use crate::backend::{fake::Fake, BackendError};
    use crate::device::Device;
    use crate::error::Error;
    use crate::shared::Shared;
    use std::sync::Arc;
    // without a connection manager: no other thread holds a lock when the process forks
    let fake = Fake::new();
    let shared = Arc::new(Shared::new(fake.clone()));
    let pd = Device::domain_of(&shared).unwrap();
    let cq = CompletionQueue::new(&shared, 4, None, true).unwrap();
    let options = QpOptions { sends: 2, receives: 2 };
    let qp = QueuePair::new(&pd, [&cq, &cq], [3, 2], options).unwrap();
    qp.0.bind().unwrap();
    qp.0.connected();
    let sends = QueuePair::connected(&qp.0);
    let region = pd.allocate(100, Access::ALL).unwrap();
    let ended = crate::process::tests::child(|| {
        let forked = |told: Result<(), Error>| matches!(told, Err(Error::Backend(BackendError::Forked)));
        forked(qp.post_recv(1, &[]))
            && forked(sends.send(1, &[]).post())
            && forked(sends.sends().send(1, &[]).post())
            && forked(cq.poll().map(drop))
            && fake.state().doorbells.is_empty()
    });
    assert_eq!(ended, 0, "a child uses its parent's rings");
    // memory of the device is not the child's: it ends by SIGSEGV
    let ended = crate::process::tests::child(|| region.memory().write(0, &[1]).is_ok());
    assert_eq!(ended & 0x7f, libc::SIGSEGV, "a child writes what the device reads");
    qp.post_recv(1, &[]).unwrap();
    assert_eq!(cq.poll().unwrap(), None);
    let rung = fake.state().doorbells.len();
    let ended = crate::process::tests::child(|| {
        drop((qp, sends));
        fake.state().doorbells.len() == rung
    });
    assert_eq!(ended, 0, "a child that drops a queue pair looks at its parent's rings");
}
