// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of what a device does not give up: no memory comes back that it may write, and nobody
//! waits for it.
use super::tests::{scene, Scene};
use super::*;
use ferrowarp_abi::codec::Cqe;
use ferrowarp_abi::consts::{admin_opcode, admin_status};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// How long a drop may take: a second, and what a busy machine adds.
const MOMENT: Duration = Duration::from_millis(1800);
/// What is taken for ever.
const WATCH: Duration = Duration::from_secs(20);
/// Set in a process that is to abort.
const DIES: &str = "FERROWARP_DIES";
const ABORTED: i32 = 6;

/// Does something, which ends in time.
fn soon<R: Send + 'static>(most: Duration, what: &str, body: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, ended) = channel();
    std::thread::spawn(move || done.send(body()));
    ended.recv_timeout(most).unwrap_or_else(|_| panic!("{what} waits for longer than {most:?}"))
}

fn refuses(scene: &Scene, opcode: u8) {
    scene.fake.state().refused.insert(opcode, admin_status::BAD_ROW);
}

#[test]
fn a_borrowed_buffer_does_not_come_back_before_the_device_is_cut_off() {
    let scene = scene();
    refuses(&scene, admin_opcode::MR_REVOKE);
    let mut buffer = vec![0; 100];
    scene.pd.with_registered(&mut buffer, Access::ALL, |_| ()).unwrap();
    assert_eq!(scene.fake.state().resets, 1, "the buffer is given back though the device has it");
    assert!(scene.pd.allocate(10, Access::ALL).unwrap_err().to_string().contains("stopped"));
}

#[test]
fn a_borrowed_buffer_is_not_left_to_a_silent_device() {
    let scene = scene();
    let fake = scene.fake.clone();
    let resets = soon(Duration::from_secs(10), "the end of a region", move || {
        let mut buffer = vec![0; 100];
        scene.pd.with_registered(&mut buffer, Access::ALL, |_| scene.fake.state().is_silent = true).unwrap();
        let resets = scene.fake.state().resets;
        resets
    });
    assert_eq!(resets, 1);
    fake.state().is_silent = false;
}

#[test]
fn a_buffer_that_cannot_be_unmapped_is_not_left_to_the_device() {
    let scene = scene();
    let mut buffer = vec![0; 100];
    scene.pd.with_registered(&mut buffer, Access::ALL, |_| scene.fake.state().holds = true).unwrap();
    assert_eq!(scene.fake.state().resets, 1);
}

#[test]
fn a_device_that_cannot_be_reset_ends_the_process() {
    if std::env::var_os(DIES).is_some() {
        let scene = scene();
        refuses(&scene, admin_opcode::MR_REVOKE);
        scene.fake.state().cannot_reset = true;
        let mut buffer = vec![0; 100];
        scene.pd.with_registered(&mut buffer, Access::ALL, |_| ()).unwrap();
        return;
    }
    let name = "verbs::end_tests::a_device_that_cannot_be_reset_ends_the_process";
    let mut again = Command::new(std::env::current_exe().unwrap());
    let out = again.args(["--exact", name]).env(DIES, "1").output().unwrap();
    assert_eq!(out.status.signal(), Some(ABORTED), "{}", String::from_utf8_lossy(&out.stdout));
    let told = String::from_utf8_lossy(&out.stderr);
    assert!(told.contains("borrowed"), "{told}");
}

#[test]
fn no_drop_waits_for_a_silent_device_and_its_numbers_do_not_come_again() {
    let scene = scene();
    let small = QpOptions { sends: 1, receives: 1 };
    let mapped = scene.fake.mapped();
    let used = scene.device.audit().unwrap();
    scene.fake.state().is_silent = true;
    let Scene { fake, device, pd, cq, qp, region } = scene;
    let (number, stag) = (qp.number(), region.stag());
    soon(MOMENT, "a region", move || drop(region));
    soon(MOMENT, "a queue pair", move || drop(qp));
    soon(MOMENT, "a completion queue", move || drop(cq));
    soon(MOMENT, "a domain", move || drop(pd));
    fake.state().is_silent = false;
    assert_eq!(fake.mapped(), mapped, "the device may reach what was dropped");
    let now = device.audit().unwrap();
    assert_eq!(
        (now.queue_pairs, now.completion_queues, now.regions, now.domains),
        (used.queue_pairs, used.completion_queues, used.regions, used.domains)
    );
    let (pd, cq) = (device.protection_domain().unwrap(), device.completion_queue(4).unwrap());
    let qp = device.queue_pair(&pd, [&cq, &cq], small).unwrap();
    assert_ne!(qp.number(), number);
    let regions: Vec<_> = std::iter::from_fn(|| pd.allocate(1, Access::LOCAL).ok()).collect();
    assert!(!regions.is_empty() && regions.iter().all(|region| region.stag().0 >> 8 != stag.0 >> 8));
}

#[test]
fn the_end_of_a_device_does_not_wait_for_it() {
    let Scene { fake, device, pd, cq, qp, region } = scene();
    let connection = {
        let options = crate::ConnectOptions::default();
        device.start_connect(&qp, "10.0.0.9:1".parse().unwrap(), options).unwrap()
    };
    let listener = device.listen(7, 1).unwrap();
    drop((region, pd, cq, qp));
    fake.state().is_silent = true;
    soon(MOMENT, "a connection", move || drop(connection));
    soon(MOMENT, "a listener", move || drop(listener));
    let begun = Instant::now();
    soon(MOMENT, "a device", move || drop(device));
    assert!(begun.elapsed() < MOMENT);
}

/// Drops a region of a device whose answer comes late. False if the end had given up before.
fn shares_its_second() -> bool {
    let Scene { fake, region, device: _device, .. } = scene();
    let before = fake.state().unmappings.len();
    fake.state().is_silent = true;
    let ends = std::thread::spawn(move || drop(region));
    let begun = Instant::now();
    while !fake.is_asked() {
        assert!(begun.elapsed() < WATCH, "no command is given");
    }
    std::thread::sleep(Duration::from_millis(400));
    // the second began before the command was given, and its rest is counted behind the answer
    let late = fake.state().asked.unwrap().elapsed();
    fake.answer();
    ends.join().unwrap();
    fake.state().is_silent = false;
    let most = fake.state().unmappings.split_off(before);
    let left = Duration::from_secs(1).saturating_sub(late).max(Duration::from_millis(100));
    assert!(most.iter().all(|most| *most <= left), "{most:?}, {left:?} were left");
    most.len() == 1
}

#[test]
fn one_second_is_for_the_command_and_the_unmapping_of_a_drop() {
    assert!((0..10).any(|_| shares_its_second()), "no answer came in time");
}

/// What only a queue pair held ends within the second of the queue pair.
#[test]
fn a_queue_pair_and_the_last_handles_of_its_completion_queues_share_a_second() {
    let Scene { fake, device, pd, cq, qp, region } = scene();
    drop((qp, region, cq));
    let cqs = [(); 2].map(|()| device.completion_queue(4).unwrap());
    let small = QpOptions { sends: 1, receives: 1 };
    let qp = device.queue_pair(&pd, cqs.each_ref(), small).unwrap();
    drop(cqs);
    fake.state().mute.insert(admin_opcode::CQ_WRITE);
    soon(MOMENT, "a queue pair that holds its completion queues", move || drop(qp));
    fake.state().mute.clear();
}

/// A doorbell of the end of a queue pair, or of a poll whose lock that end takes, may wait for the
/// device for ever.
#[test]
fn the_end_of_a_queue_pair_does_not_wait_for_a_doorbell() {
    for is_polling in [false, true] {
        let Scene { fake, device, pd, cq, qp, .. } = scene();
        let number = qp.number();
        qp.post_recv(1, &[]).unwrap();
        let done = Cqe { qp: number, has_wr: true, is_recv: true, ..Default::default() };
        fake.complete(0, done);
        fake.state().is_deaf = true;
        let polls = cq.clone();
        let poll = is_polling.then(|| std::thread::spawn(move || polls.poll().unwrap().is_some()));
        let begun = Instant::now();
        while is_polling && !cq.0.is_locked() {
            assert!(begun.elapsed() < Duration::from_secs(30), "nobody polls");
        }
        soon(WATCH, "a queue pair", move || drop(qp));
        fake.state().is_deaf = false;
        if let Some(poll) = poll {
            assert!(poll.join().unwrap(), "the completion that was polled before is told");
        }
        assert_eq!(cq.poll().unwrap(), None);
        let small = QpOptions { sends: 1, receives: 1 };
        let next = device.queue_pair(&pd, [&cq, &cq], small).unwrap();
        assert_ne!(next.number(), number, "the device was not told of its slots");
    }
}

#[test]
fn a_poll_says_nothing_of_a_queue_pair_that_is_ending() {
    let Scene { fake, cq, qp, device: _device, .. } = scene();
    qp.post_recv(1, &[]).unwrap();
    let done = Cqe { qp: qp.number(), has_wr: true, is_recv: true, ..Default::default() };
    fake.complete(0, done);
    fake.state().is_silent = true;
    let ends = std::thread::spawn(move || drop(qp));
    let begun = Instant::now();
    while !fake.is_asked() {
        assert!(begun.elapsed() < Duration::from_secs(30), "no command is given");
    }
    assert_eq!(cq.poll().unwrap(), None, "an entry of a queue pair whose end is under way");
    assert_eq!(fake.answer(), 1, "the end had given up");
    ends.join().unwrap();
    fake.state().is_silent = false;
    assert_eq!(cq.poll().unwrap(), None);
}
