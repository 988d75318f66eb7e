// SPDX-License-Identifier: MIT OR Apache-2.0
//! A simulated device that has nothing to do leaves the processor to others. So does its driver.
//!
//! A process of its own: the tests find the threads of simulations and drivers by name, and count
//! their processor time and their sleeps while nothing else runs. So they run one after the other.
use ferrowarp::{ConnectOptions, Device, Error};
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::driver::pair::Scene;
use ferrowarp_tests::fw::mpa::Frame;
use ferrowarp_tests::served::joined;
use ferrowarp_tool::ping::{client, serve, ClientOptions, ServerOptions};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Held by the test that runs.
static ALONE: Mutex<()> = Mutex::new(());

/// How long it is watched.
const WATCH: Duration = Duration::from_secs(2);

/// Folders in proc(5) of the threads of this name.
fn threads(name: &str) -> Vec<PathBuf> {
    let threads = std::fs::read_dir("/proc/self/task").expect("a list of threads");
    let is_called =
        |path: &PathBuf| std::fs::read_to_string(path.join("comm")).is_ok_and(|comm| comm.trim() == name);
    threads.map(|thread| thread.expect("a thread").path()).filter(is_called).collect()
}

/// Processor time of the simulation's thread so far: `utime` and `stime` of proc(5), in ticks of 10
/// ms.
fn used() -> Duration {
    let path = &threads("ferrowarp-sim")[0];
    let stat = std::fs::read_to_string(path.join("stat")).expect("its state");
    let (_, fields) = stat.rsplit_once(')').expect("a name in parentheses");
    let fields: Vec<_> = fields.split_whitespace().collect();
    let ticks: u64 = fields[11..13].iter().map(|n| n.parse::<u64>().expect("a number")).sum();
    Duration::from_millis(10 * ticks)
}

/// Share of a processor while nothing happens.
fn share() -> f64 {
    let (start, before) = (Instant::now(), used());
    std::thread::sleep(WATCH);
    (used() - before).as_secs_f64() / start.elapsed().as_secs_f64()
}

/// How often the threads of connection managers have gone to sleep.
fn sleeps() -> u64 {
    let of = |path: PathBuf| {
        let status = std::fs::read_to_string(path.join("status")).expect("its state");
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.expect("a count").trim().parse::<u64>().expect("a number")
    };
    let threads = threads("ferrowarp-cm");
    assert_eq!(threads.len(), 2, "one a device");
    threads.into_iter().map(of).sum()
}

/// Nobody wakes in a second; then the second device connects to the first.
fn rest_and_connect(devices: &[Device; 2]) {
    let listener = devices[0].listen(7_000, 1).unwrap();
    for device in devices {
        device.audit().unwrap();
    }
    std::thread::sleep(Duration::from_millis(500));
    let before = sleeps();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(sleeps() - before, 0, "wake-ups of two drivers in a second");
    let patience = Duration::from_secs(120);
    let remote = "10.0.0.1:7000".parse().unwrap();
    let options = ClientOptions { remote, count: 2, size: 300, peer_to_peer: false, startup: None, patience };
    let server = ServerOptions { accept: patience, patience, validate: true };
    std::thread::scope(|scope| {
        let serving = scope.spawn(|| serve(&devices[0], &listener, &server, |_, _| {}));
        assert_eq!(client(&devices[1], &options, |_, _| {}).unwrap().octets, 300);
        assert_eq!(serving.join().unwrap().unwrap().pings, 2);
    });
}

#[test]
fn an_idle_driver_of_a_simulated_device_does_not_wake_until_somebody_connects() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    rest_and_connect(&Scene::new("idle-sim", ["", ""]).devices);
}

#[test]
fn an_idle_driver_of_a_vfio_user_device_does_not_wake_until_somebody_connects() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut served = joined("idle-vfio").into_iter().zip(1..);
    let devices = [(); 2].map(|()| {
        let ((path, served), own) = served.next().expect("two");
        (Device::open(&format!("vfio-user:{};ip=10.0.0.{own}/24", path.display())).unwrap(), served)
    });
    let [(a, of_a), (b, of_b)] = devices;
    let devices = [a, b];
    rest_and_connect(&devices);
    // the server's end wakes the driver that sleeps
    let cq = devices[0].completion_queue(4).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    drop(of_a);
    let why = cq.wait(Duration::from_secs(20)).unwrap_err();
    assert!(!matches!(why, Error::TimedOut { .. }), "{why}");
    drop((cq, devices, of_b));
}

#[test]
fn an_idle_device_rests_and_still_answers_at_once() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut lab = Lab::new("idle");
    lab.sync();
    std::thread::sleep(Duration::from_millis(200));
    let without = share();
    assert!(without < 0.05, "{without:.2} of a processor without a connection");
    // the first frame after a rest wakes it
    let start = Instant::now();
    lab.sync();
    assert!(start.elapsed() < WATCH, "an ARP request was answered after {:?}", start.elapsed());

    let (_cq, qp) = lab.queue_pair();
    let remote = lab.peer.ours;
    let options = ConnectOptions::default().patience(PATIENCE);
    let app = lab.app(move |device| device.connect(&qp, remote, options).map(|connection| (connection, qp)));
    lab.until("the Request", |lab| lab.peer.inbox.len() >= 24);
    lab.frame(&Frame::reply().enhanced(0x0004_0004));
    let _connection = lab.finish("the connection", app).expect("a good Reply");
    std::thread::sleep(Duration::from_millis(200));
    let with = share();
    assert!(with < 0.75, "{with:.2} of a processor with an idle connection");
}
