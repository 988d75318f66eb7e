// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the options of `ferrowarp-sim` do: wires that spoil frames, ticks, waveforms, TAP devices.
use crate::programs::{
    await_file, has_taps, ip, json, perf, ping, simulator, Folder, Running, BUILT, PATIENCE,
};
use ferrowarp_sim::skip::skip;
use ferrowarp_tests::built;
use serde_json::Value;
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Two devices with a wire of this kind between them, which are there when this returns.
fn two(folder: &Folder, wire: &str, more: &[&str]) -> (Running, [String; 2]) {
    let [a, b] = ["a", "b"].map(|name| folder.device(name));
    let link = format!("link:1{wire}");
    let args = ["--device", &a, "--eth", &link, "--device", &b, "--eth", "link:0", "--json"];
    let mut sim = Running::start(simulator(&args).args(more));
    for name in ["a", "b"] {
        await_file(&folder.0.join(name), &mut sim);
    }
    (sim, [a, b])
}

fn files(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The sum of a statistic over both devices.
fn both(stats: &Value, name: &str) -> u64 {
    (0..2).map(|n| stats["devices"][n][name].as_u64().unwrap()).sum()
}

#[test]
fn a_lossy_wire_loses_frames_and_no_message() {
    let folder = Folder::new("sim-lossy");
    let wire = ",loss=0.03,reorder=0.02,delay=20,seed=7";
    let (sim, [a, b]) = two(&folder, wire, &["--tick", "wall"]);
    let server = ping(&a, 1, &["--server", "--validate"]);
    let client = ping(&b, 2, &["--client", "10.0.0.1", "--count", "4", "--size", "60000"]);
    assert_eq!(json(&client.output(PATIENCE))["connections"][0]["pings"], 4);
    assert_eq!(json(&server.output(PATIENCE))["connections"][0]["pings"], 4);
    sim.terminate();
    let stats = json(&sim.output(PATIENCE));
    let (sent, received) = (both(&stats, "sent"), both(&stats, "received"));
    assert!(sent > 100 && received < sent && received > sent / 2, "{stats}");
    let lost = both(&stats, "wire_lost");
    assert!(lost > 0 && both(&stats, "lost") == 0 && received + lost <= sent, "{stats}");
}

/// The tool tells TCP of the connection that it measured, and of queue pairs without one.
#[test]
fn what_left_again_is_told_of_the_connection() {
    let folder = Folder::new("sim-told");
    let (sim, [a, b]) = two(&folder, ",loss=0.04,seed=7", &["--tick", "wall"]);
    let server = perf(&a, 1, &["--server", "--connections", "1"]);
    let more = ["--client", "10.0.0.1", "--sizes", "65536", "--iterations", "4"];
    let report = json(&perf(&b, 2, &more).output(PATIENCE))["reports"][0].clone();
    json(&server.output(PATIENCE));
    let tcp = |name: &str| report["connection"][name].as_u64().unwrap_or_else(|| panic!("{name}: {report}"));
    let resends = tcp("fast_retransmits") + tcp("probes") + tcp("timeouts");
    assert!(resends > 0 && tcp("retransmitted_segments") > 0 && tcp("in_flight") == 0, "{report}");
    assert!(tcp("cwnd") > 1_000 && tcp("rto_us") >= 1_000, "{report}");
    let url = format!("{a};ip=10.0.0.1/24");
    let counters = |qp: &str| {
        let mut counters = Command::new(built("ferrowarp"));
        counters.args(["counters", &url, "--seconds", "0", "--json", "--qp", qp]);
        Running::start(&mut counters).output(PATIENCE)
    };
    let told = json(&counters("3"));
    assert!(told["queue_pair"] == 3 && told["connection"].is_null(), "{told}");
    let told = failed(&counters("99"));
    assert!(told.contains("queue pairs 0 to") && told.contains("no 99"), "{told}");
    sim.terminate();
    json(&sim.output(PATIENCE));
}

/// Both devices are told of each flap, and simulated time goes on while the link is down: with
/// ticks of wall time, behind a switch with ticks of the clock, and in front of the world outside.
#[test]
fn a_link_that_flaps_holds_pings_up_and_loses_none() {
    let flap = ["--flap", "1,every=300,down=1-200,seed=7"];
    for (eth, tick) in [(["link:1", "link:0"], "wall"), (["switch:0", "switch:1"], "cycles:1562")] {
        let folder = Folder::new("sim-flaps");
        let [a, b] = ["a", "b"].map(|name| folder.device(name));
        let args =
            ["--device", &a, "--eth", eth[0], "--device", &b, "--eth", eth[1], "--json", "--tick", tick];
        let mut sim = Running::start(simulator(&args).args(flap));
        for name in ["a", "b"] {
            await_file(&folder.0.join(name), &mut sim);
        }
        let server = ping(&a, 1, &["--server", "--validate"]);
        let client = ping(&b, 2, &["--client", "10.0.0.1", "--count", "4", "--size", "60000"]);
        assert_eq!(json(&client.output(PATIENCE))["connections"][0]["pings"], 4);
        assert_eq!(json(&server.output(PATIENCE))["connections"][0]["pings"], 4);
        sim.terminate();
        let stats = json(&sim.output(PATIENCE));
        let downs = |n: usize| stats["devices"][n]["link_downs"].as_u64().unwrap();
        // a switch has a link to each device
        let least = if tick == "wall" { downs(0).min(downs(1)) } else { downs(1) };
        assert!(least > 1 && (downs(0) > 0) == (tick == "wall"), "{stats}");
    }
    let folder = Folder::new("sim-flaps-alone");
    let device = folder.device("a");
    let socket = format!("qemu-stream:{}", folder.0.join("wire").display());
    let args = ["--device", &device, "--eth", &socket, "--seconds", "2", "--json", "--tick", "cycles:1562"];
    let stats = json(&Running::start(simulator(&args).args(["--flap", "0,every=300,down=50"])).output(BUILT));
    assert!(stats["devices"][0]["link_downs"].as_u64() > Some(1), "{stats}");
}

/// The wire gives the device what its MAC found bad: it is the device that throws it away, and
/// counts it.
#[test]
fn a_wire_that_spoils_all_frames_is_seen_in_the_device_s_counters() {
    let folder = Folder::new("sim-spoilt");
    let (sim, [a, b]) = two(&folder, ",corrupt=1,seed=7", &[]);
    // it asks who has the address, again and again
    let client = ping(&a, 1, &["--client", "10.0.0.2", "--count", "1"]);
    let url = format!("{b};ip=10.0.0.2/24");
    let mut counters = Command::new(built("ferrowarp"));
    counters.args(["counters", &url, "--seconds", "5", "--json"]);
    let told = json(&Running::start(&mut counters).output(PATIENCE));
    drop(client);
    assert!(told["counters"]["rx_fcs"].as_u64() > Some(0), "{told}");
    sim.terminate();
    let stats = json(&sim.output(PATIENCE));
    assert!(both(&stats, "received") > 0, "{stats}");
}

/// With ticks of the clock simulated time goes on by itself, once software has been waited for.
/// Nothing is told but the statistics.
#[test]
fn ticks_of_the_clock_go_on_without_anybody() {
    let folder = Folder::new("sim-ticks");
    let (sim, [a, b]) = two(&folder, "", &["--tick", "cycles:20000", "--patience", "200"]);
    let server = ping(&a, 1, &["--server", "--validate"]);
    let client = ping(&b, 2, &["--client", "10.0.0.1", "--count", "1", "--size", "100"]);
    assert_eq!(json(&client.output(PATIENCE))["connections"][0]["pings"], 1);
    assert_eq!(json(&server.output(PATIENCE))["connections"][0]["pings"], 1);
    sim.terminate();
    let output = sim.output(PATIENCE);
    assert!(output.stderr.is_empty(), "the status line is for a terminal: {output:?}");
    assert_eq!(json(&output)["ok"], true);

    let a = folder.device("idle");
    let socket = format!("qemu-stream:{}", folder.0.join("wire").display());
    let idle = |tick: &str| {
        let args = ["--device", &a, "--eth", &socket, "--tick", tick, "--seconds", "2", "--json"];
        let stats = json(&Running::start(&mut simulator(&args)).output(BUILT));
        stats["devices"][0]["cycles"].as_u64().unwrap()
    };
    let (wall, cycles) = (idle("wall"), idle("cycles:1000"));
    assert!(cycles > 10 * wall, "{cycles} cycles with ticks of the clock, {wall} without");
}

#[test]
fn waveforms_stay_if_they_are_wanted() {
    let folder = Folder::new("sim-waves");
    let device = folder.device("a");
    let socket = format!("qemu-stream:{}", folder.0.join("wire").display());
    for (option, kept) in [("--trace-on-error", &[][..]), ("--trace", &["device-0-0.fst"])] {
        let waves = folder.0.join(option.trim_start_matches('-'));
        let args = ["--device", &device, "--eth", &socket, "--seconds", "1", "--json", option];
        json(&Running::start(simulator(&args).arg(&waves)).output(BUILT));
        assert_eq!(files(&waves), kept, "{option}");
    }
    assert_eq!(files(&folder.0), ["trace", "trace-on-error"]);
}

/// A device that is given a TAP device by these arguments; none if this machine gives none, and
/// then the program has said what to do and the test is skipped.
fn on_tap(folder: &Folder, name: &str, args: &[&str]) -> Option<Running> {
    let mut sim = Running::start(simulator(&["--device", &folder.device("a"), "--json"]).args(args));
    if has_taps() {
        await_file(&folder.0.join("a"), &mut sim);
        return Some(sim);
    }
    let told = failed(&sim.output(BUILT));
    assert!(told.contains(name) && told.contains("ip tuntap add dev"), "{told}");
    skip("a TAP device needs root and /dev/net/tun");
    None
}

/// Why a program ended.
fn failed(output: &Output) -> String {
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!output.status.success() && told["ok"] == false, "{output:?}");
    told["error"].as_str().unwrap().into()
}

#[test]
fn a_tap_device_goes_with_the_program() {
    let folder = Folder::new("sim-tap");
    let name = format!("fwo{}", std::process::id());
    let Some(sim) = on_tap(&folder, &name, &["--eth", &format!("tap:{name}")]) else { return };
    let device = Path::new("/sys/class/net").join(&name);
    assert!(device.exists());
    sim.terminate();
    assert_eq!(json(&sim.output(PATIENCE))["ok"], true);
    assert!(!device.exists() && files(&folder.0).is_empty());
}

/// A frame of wall time comes into simulated time, and the answer out of it: this machine's kernel
/// asks for the address of a device.
#[test]
fn the_kernel_finds_a_device_behind_another_port_of_the_switch() {
    let folder = Folder::new("sim-outside");
    let name = format!("fws{}", std::process::id());
    let tap = format!("tap:{name}");
    let args = ["--eth", "switch:1", "--port", "switch:0", &tap];
    let Some(sim) = on_tap(&folder, &name, &args) else { return };
    let server = ping(&folder.device("a"), 1, &["--server"]);
    // a route to this one address: the machine may have others of the network
    ip(&["addr", "add", "10.0.0.9", "peer", "10.0.0.1", "dev", &name]);
    ip(&["link", "set", &name, "up"]);
    let socket = UdpSocket::bind(("10.0.0.9", 0)).unwrap();
    let end = Instant::now() + PATIENCE;
    while !ip(&["neigh", "show", "10.0.0.1", "dev", &name]).contains("02:00:0a:00:00:01") {
        assert!(Instant::now() < end, "nobody has 10.0.0.1");
        // the kernel says so when it has given up asking; it asks again
        drop(socket.send_to(b"is there anybody", ("10.0.0.1", 9)));
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(server);
    sim.terminate();
    let stats = json(&sim.output(PATIENCE));
    let [outside, device] = [0, 1].map(|n| &stats["switch"][n]);
    assert_eq!((&outside["end"], &device["end"]), (&tap.into(), &folder.device("a").into()), "{stats}");
    for port in [outside, device] {
        assert!(port["frames_in"].as_u64() > Some(0) && port["frames_out"].as_u64() > Some(0), "{stats}");
    }
    assert_eq!(outside["untaken"], 0, "{stats}");
}

/// The wire is taken away under a device whose client waits: the program ends by itself, says why,
/// and leaves the waveforms.
#[test]
fn a_device_that_fails_ends_the_program_and_leaves_waveforms() {
    let folder = Folder::new("sim-fails");
    let (name, waves) = (format!("fwe{}", std::process::id()), folder.0.join("waves"));
    let args = ["--eth", &format!("tap:{name}"), "--trace-on-error", waves.to_str().unwrap()];
    let Some(sim) = on_tap(&folder, &name, &args) else { return };
    let server = ping(&folder.device("a"), 1, &["--server"]);
    std::thread::sleep(Duration::from_secs(2));
    ip(&["link", "del", &name]);
    let start = Instant::now();
    let told = failed(&sim.output(PATIENCE));
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    let wave = waves.join("device-0-");
    assert!(told.contains(&name) && told.contains(&format!("last cycles: {}", wave.display())), "{told}");
    assert!(files(&waves).contains(&"device-0-0.fst".to_string()));
    drop(server);
    assert_eq!(files(&folder.0), ["waves"]);
}
