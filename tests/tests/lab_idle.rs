// SPDX-License-Identifier: MIT OR Apache-2.0
//! A simulated device that has nothing to do leaves the processor to others.
//!
//! A process of its own: the test finds the thread of its simulation by name, and counts the
//! processor time of this thread while nothing else runs.
use ferrowarp::ConnectOptions;
use ferrowarp_tests::driver::lab::{Lab, PATIENCE};
use ferrowarp_tests::fw::mpa::Frame;
use std::time::{Duration, Instant};

/// How long it is watched.
const WATCH: Duration = Duration::from_secs(2);

/// Processor time of the simulation's thread so far: `utime` and `stime` of proc(5), in ticks of 10
/// ms.
fn used() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").expect("a list of threads");
    let mut paths = threads.map(|thread| thread.expect("a thread").path());
    let ours = |path: &std::path::PathBuf| {
        std::fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == "ferrowarp-sim")
    };
    let path = paths.find(ours).expect("the thread of the simulation");
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

#[test]
fn an_idle_device_rests_and_still_answers_at_once() {
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
