// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs as a user runs them: `ferrowarp-sim` with two devices, `ferrowarp ping` or `tour`
//! on each.
use crate::programs::{await_file, json, ping, simulator, tour, Folder, Running, BUILT, PATIENCE};
use ferrowarp_tests::built;
use std::process::{Command, Stdio};

#[test]
fn two_programs_meet_on_two_simulated_devices_and_nothing_stays_behind() {
    let folder = Folder::new("sim-tool");
    let (a, b) = (folder.device("a"), folder.device("b"));
    let pcap = folder.0.join("a.pcapng");
    let args = ["--device", &a, "--eth", "link:1", "--device", &b, "--eth", "link:0", "--json", "--pcap"];
    let mut sim = Running::start(simulator(&args).arg(&pcap));
    for name in ["a", "b"] {
        await_file(&folder.0.join(name), &mut sim);
    }

    // two rounds, so that a device serves a second client
    for _ in 0..2 {
        let server = ping(&a, 1, &["--server", "--validate"]);
        let client = ping(&b, 2, &["--client", "10.0.0.1", "--count", "2", "--size", "3000"]);
        assert_eq!(json(&client.output(PATIENCE))["connections"][0]["pings"], 2);
        assert_eq!(json(&server.output(PATIENCE))["connections"][0]["pings"], 2);
    }

    sim.terminate();
    let stats = json(&sim.output(PATIENCE));
    assert_eq!(stats["ok"], true);
    for (n, device) in [a, b].into_iter().enumerate() {
        let told = &stats["devices"][n];
        assert_eq!(
            (&told["device"], &told["lost"], &told["refused"]),
            (&device.into(), &0.into(), &0.into())
        );
        assert!(told["sent"].as_u64() > Some(20) && told["simulated_ns"].as_u64() > Some(100_000), "{told}");
    }
    let sent = |n: usize| stats["devices"][n]["sent"].as_u64().unwrap();
    let frames = ferrowarp_sim::pcap::tshark::read(&pcap).unwrap().frames as u64;
    assert_eq!(frames, sent(0) + sent(1));
    let left: Vec<_> = std::fs::read_dir(&folder.0).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["a.pcapng"]);
}

/// Every operation passes a switch that loses frames, and what each port counted is told under its
/// number with its device.
#[test]
fn a_tour_goes_over_two_ports_of_a_switch_which_tell_what_they_counted() {
    let folder = Folder::new("sim-switch");
    let [a, b] = ["a", "b"].map(|name| folder.device(name));
    // the order of the devices is not that of the ports
    let ports = ["switch:1,loss=0.01,seed=7", "switch:0,queue=60000,ecn=20000"];
    let args = ["--device", &a, "--eth", ports[0], "--device", &b, "--eth", ports[1], "--json"];
    let mut sim = Running::start(&mut simulator(&args));
    for name in ["a", "b"] {
        await_file(&folder.0.join(name), &mut sim);
    }
    let server = tour(&a, 1, &["--server"]);
    let client = tour(&b, 2, &["--client", "10.0.0.1", "--octets", "100000"]);
    let told = json(&client.output(PATIENCE));
    // the Write, the Read, and a message of 4,000 octets that comes back
    assert_eq!(told["visit"]["compared"], 204_000, "{told}");
    json(&server.output(PATIENCE));
    sim.terminate();
    let stats = json(&sim.output(PATIENCE));
    let ports = stats["switch"].as_array().unwrap();
    assert_eq!(ports.len(), 2, "{stats}");
    for (n, (port, device)) in ports.iter().zip([b, a]).enumerate() {
        assert_eq!((&port["port"], &port["end"]), (&n.into(), &device.into()), "{stats}");
        let figure = |name: &str| port[name].as_u64().unwrap();
        assert!(figure("frames_in") > 100 && figure("frames_out") > 100, "{stats}");
        assert_eq!(figure("lost") > 0, n == 1, "{stats}");
        // the driver's connections do not say that they know ECN
        assert_eq!((figure("dropped"), figure("marked")), (0, 0), "{stats}");
    }
}

/// Options of the URL reach the wire, and what came of them is told; those that cannot be are
/// refused.
#[test]
fn a_tour_has_the_options_of_its_urls() {
    let folder = Folder::new("sim-options");
    let [a, b] = ["a", "b"].map(|name| folder.device(name));
    let args = ["--device", &a, "--eth", "link:1", "--device", &b, "--eth", "link:0", "--json"];
    let mut sim = Running::start(&mut simulator(&args));
    for name in ["a", "b"] {
        await_file(&folder.0.join(name), &mut sim);
    }
    let refused = tour(&format!("{b};vlan=4095"), 2, &["--client", "10.0.0.1"]).output(PATIENCE);
    assert!(!refused.status.success());
    let told = String::from_utf8_lossy(&refused.stdout);
    assert!(told.contains("vlan=`4095`: the VLAN is not 1 to 4094"), "{told}");
    let refused = tour(&format!("{b};ird=9"), 2, &["--client", "10.0.0.1"]).output(PATIENCE);
    let told = String::from_utf8_lossy(&refused.stdout);
    assert!(told.contains("an `ird` of 9 Reads is more than the device holds; ask for 0 to 8"), "{told}");

    let server = tour(&format!("{a};markers=on;vlan=5"), 1, &["--server", "--port", "7000"]);
    let options = "markers=on;vlan=5:3;ird=2;ord=3,untold;local=10.0.0.2:4791";
    let client = ["--client", "10.0.0.1", "--port", "7000", "--octets", "10000"];
    let told = json(&tour(&format!("{b};{options}"), 2, &client).output(PATIENCE));
    let connection = "10.0.0.2:4791 to 10.0.0.1:7000, IRD 2, ORD 3, markers both ways";
    assert_eq!(told["visit"]["connection"], connection, "{told}");
    json(&server.output(PATIENCE));
    sim.terminate();
    json(&sim.output(PATIENCE));
}

/// Both programs greet before MPA starts, as their URLs or options say, whichever end starts MPA;
/// then they ping.
#[test]
fn pings_follow_greetings_before_mpa() {
    let folder = Folder::new("sim-greetings");
    let [a, b] = ["a", "b"].map(|name| folder.device(name));
    let args = ["--device", &a, "--eth", "link:1", "--device", &b, "--eth", "link:0", "--json"];
    let mut sim = Running::start(&mut simulator(&args));
    for name in ["a", "b"] {
        await_file(&folder.0.join(name), &mut sim);
    }
    let client = ["--client", "10.0.0.1", "--count", "2"];
    let rounds = [
        (";raw=hello, b", &[][..]),
        (";raw=hello, b;initiator=listen", &[]),
        ("", &["--raw", "hello, b"]),
        (";raw=over the URL", &["--raw", "hello, b", "--initiator", "listen"]),
    ];
    for (url, options) in rounds {
        let greeter = |text: &str| text.replace("hello, b", "hello, a");
        let server = ping(&format!("{a}{url}"), 1, &[&["--server", "--validate"], options].concat());
        let theirs: Vec<_> = options.iter().map(|text| greeter(text)).collect();
        let args: Vec<_> = client.into_iter().chain(theirs.iter().map(String::as_str)).collect();
        let client = ping(&format!("{b}{}", greeter(url)), 2, &args);
        for (end, heard) in [(client, "hello, b"), (server, "hello, a")] {
            let told = json(&end.output(PATIENCE));
            let connection = &told["connections"][0];
            assert_eq!((&connection["pings"], &connection["greeting"]), (&2.into(), &heard.into()), "{told}");
        }
    }
    let long = ping(&b, 2, &["--server", "--raw", &"x".repeat(256)]).output(PATIENCE);
    let told = String::from_utf8_lossy(&long.stdout);
    assert!(told.contains("a greeting of 256 octets is not possible; give 1 to 255"), "{told}");
    sim.terminate();
    json(&sim.output(PATIENCE));
}

#[test]
fn what_cannot_be_simulated_is_told_with_what_to_do() {
    let folder = Folder::new("sim-wrong");
    let (a, b) = (folder.device("a"), folder.device("b"));
    let taken = folder.0.join("a");
    std::fs::write(&taken, "no socket").unwrap();
    for (args, why) in [
        (&["--device", &a][..], "--eth"),
        (&["--device", &a, "--eth", "link:0"], "`link:0`: that is this device itself; write link:N"),
        (
            &["--device", &a, "--eth", "tap:x", "--flap", "1,every=5,down=1"],
            "`1,every=5,down=1`: `1` is no number of a device",
        ),
        (&["--device", &a, "--eth", "qemu-stream:/nowhere/s"], "/nowhere/s cannot be made"),
        (
            &["--device", &a, "--device", &b, "--eth", "tap:x"],
            "2 devices and 1 Ethernet ports; give --eth once",
        ),
        (&["--device", &b, "--device", &b, "--eth", "link:1", "--eth", "link:0"], "is given twice"),
        (&["--device", "vfio:0", "--eth", "tap:x"], "`vfio:0` is no device; write vfio-user:PATH"),
        (&["--device", &a, "--eth", "tap:x", "--tick", "cycles:0"], "`cycles:0` is no tick; write `wall`"),
        (&["--device", &a, "--eth", "link:1", "--device", &b, "--eth", "link:0"], "exists and is no socket"),
        (
            &["--device", &a, "--eth", "switch:0", "--device", &b, "--eth", "switch:0,loss=0.1"],
            "`switch:0,loss=0.1`: port 0 is used twice, by `switch:0` too; write switch:N",
        ),
        (
            &["--device", &a, "--eth", "switch:0", "--port", "switch:7", "tap:x"],
            "`switch:7`: there is no port 7: 2 are given, so their numbers are 0 to 1",
        ),
    ] {
        let output = Running::start(&mut simulator(args)).output(BUILT);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && told.contains(why), "{args:?}: {told}");
    }
    assert!(!folder.0.join("b").exists() && taken.exists());
    let help = Running::start(&mut simulator(&["--help"])).output(PATIENCE);
    assert!(String::from_utf8_lossy(&help.stdout).contains("Examples:"));
}

/// `tool | head`: the reader is gone before the first line.
#[test]
fn a_closed_pipe_is_no_panic() {
    for (program, arguments) in [
        ("ferrowarp", "list"),
        ("ferrowarp", "--help"),
        ("ferrowarp", "info vfio:ffff:00:00.0 --json"),
        ("ferrowarp-sim", "--device vfio-user: --eth nix --json"),
        ("ferrowarp-sim", "--help"),
        ("xtask", "interop --list"),
        ("xtask", "lint --help"),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(built(program));
        command.args(arguments.split(' ')).stdout(writer).stderr(Stdio::piped());
        let output = command.output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        let ended = output.status.code().is_some_and(|code| code <= 2);
        assert!(ended && !complaint.contains("panicked"), "{program} {arguments}: {output:?}");
    }
}
