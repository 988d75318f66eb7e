// SPDX-License-Identifier: MIT OR Apache-2.0
//! Three programs, each with a device of its own on one switch. One port loses frames; the program
//! at another port is as fast as before. FERROWARP_FULL=1 runs them for ten minutes.
use ferrowarp::Device;
use ferrowarp_sim::eth::Tick;
use ferrowarp_tests::built::built;
use ferrowarp_tests::served::switched;
use ferrowarp_tool::perf::serve;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Wall time with loss, and of a long run.
const LONG: [u64; 2] = [30, 600];
/// Wall time without loss, of what the other is compared with.
const BEFORE: [u64; 2] = [10, 60];
/// What any step of a program may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a program that may end is looked at.
const ASK: Duration = Duration::from_millis(20);
const PORT: u16 = 7_000;
/// Messages of a connection, and octets of a message.
const MESSAGES: u32 = 64;
const OCTETS: &str = "16384";
/// What is left of the goodput where no frame is lost.
const LEAST: f64 = 0.95;

/// Two programs write to this one for some time, the second one behind a port with `keys`:
/// messages by each, and their simulated time in microseconds.
fn run(name: &str, keys: &str, wall: Duration) -> [(f64, f64); 2] {
    let (served, switch) = switched(name, Tick::default(), &["", "", keys]);
    let url = |n: usize| format!("vfio-user:{};ip=10.0.0.{}/24", served[n].0.display(), n + 1);
    let device = Device::open(&url(0)).expect("a device");
    let listener = device.listen(PORT, 4).expect("a free port");
    let (end, is_over) = (Instant::now() + wall, AtomicBool::new(false));
    let told = std::thread::scope(|scope| {
        let servers = [(); 2].map(|()| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let plan = serve(&device, &listener, PATIENCE).expect("a client");
                    assert_eq!(plan.messages, MESSAGES);
                }
            })
        });
        let clients = [1, 2].map(|n| {
            let url = url(n);
            scope.spawn(move || {
                let mut sum = (0.0, 0.0);
                while Instant::now() < end {
                    let us = client(&url);
                    sum = (sum.0 + f64::from(MESSAGES), sum.1 + us);
                }
                sum
            })
        });
        let told = clients.map(|client| client.join().expect("no panic"));
        is_over.store(true, Ordering::Relaxed);
        // a server that waits for one client more gets one
        let have_ended = || servers.iter().all(|server| server.is_finished());
        while !have_ended() {
            let mut last = command(&url(1)).stdout(Stdio::null()).spawn().expect("the tool starts");
            while last.try_wait().expect("a child").is_none() && !have_ended() {
                std::thread::sleep(ASK);
            }
            // no server may be left for this one
            last.kill().and_then(|()| last.wait()).expect("a child");
        }
        for server in servers {
            server.join().expect("no panic");
        }
        told
    });
    drop((listener, device));
    for (_, served) in served {
        served.finish().expect("an end in order");
    }
    let lost: Vec<_> = switch.lock().unwrap().stats().iter().map(|port| port.lost > 0).collect();
    assert_eq!(lost, [false, false, !keys.is_empty()], "frames are lost at one port alone");
    told
}

/// The program that writes.
fn command(url: &str) -> Command {
    let mut tool = Command::new(built("ferrowarp"));
    tool.args(["perf", "--device", url, "--client", "10.0.0.1", "--port", &PORT.to_string(), "--json"]);
    tool.args(["--sizes", OCTETS, "--iterations", &MESSAGES.to_string(), "--depth", "16"]);
    tool.args(["--patience", &PATIENCE.as_secs().to_string()]);
    tool.stdin(Stdio::null()).stderr(Stdio::inherit());
    tool
}

/// One run of the program: simulated microseconds of its Writes.
fn client(url: &str) -> f64 {
    let output = command(url).output().expect("the tool starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}: {said}", Path::new(url).display());
    let told: Value = serde_json::from_str(&said).expect("JSON");
    told["reports"][0]["device_us"].as_f64().expect("a device with a clock")
}

#[test]
fn a_port_that_loses_frames_slows_no_program_at_another_port() {
    let full = usize::from(std::env::var("FERROWARP_FULL").is_ok_and(|full| full == "1"));
    let [before, long] = [BEFORE[full], LONG[full]].map(Duration::from_secs);
    let [good, _] = run("programs-good", "", before);
    let [beside, lossy] = run("programs-lossy", "loss=0.01,seed=7", long);
    let rate = |(messages, us): (f64, f64)| messages / us;
    let ratio = rate(beside) / rate(good);
    eprintln!(
        "without loss {good:?}, beside a port with loss {beside:?}, behind that port {lossy:?}: {ratio:.3}"
    );
    assert!(ratio >= LEAST, "{ratio:.3} of the goodput is left: {good:?}, then {beside:?} beside {lossy:?}");
    assert!(lossy.0 > 0.0, "the port with loss lets something through");
}
