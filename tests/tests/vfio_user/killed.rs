// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes that are killed, while they open their devices or while these read and write their
//! memory: each device is reset, reaches nothing any more, and serves the next process.
use ferrowarp_tests::built;
use ferrowarp_tests::served::joined;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Moments of a death.
const MOMENTS: u64 = 20;
/// Longest life of a process that need not get to its first ping: long enough for that on a machine
/// that is not busy.
const LIFE: Duration = Duration::from_millis(1_500);

/// A `ferrowarp ping` that tells of each ping.
fn ping(path: &Path, ip: u8, more: &[&str]) -> Child {
    let url = format!("vfio-user:{};ip=10.0.0.{ip}/24", path.display());
    let mut command = Command::new(built("ferrowarp"));
    command.args(["ping", "--verbose", "--device", &url]).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until it has told of so many pings.
fn await_pings(client: &mut Child, pings: u64, round: u64) {
    let mut lines = BufReader::new(client.stdout.as_mut().unwrap()).lines();
    for _ in 0..pings {
        if lines.next().is_none() {
            let mut told = String::new();
            client.stderr.as_mut().unwrap().read_to_string(&mut told).unwrap();
            panic!("round {round}: {told}");
        }
    }
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_killed_process_leaves_a_device_for_the_next_one() {
    let [(path_a, device_a), (path_b, device_b)] = joined("killed");
    for round in 0..MOMENTS {
        let mut rng = ChaCha8Rng::seed_from_u64(round);
        let server = ping(&path_a, 1, &["--server", "--validate"]);
        let mut client = ping(&path_b, 2, &["--client", "10.0.0.1", "--count", "100000", "--size", "9000"]);
        // every other one dies before it has opened, mapped, set up or connected
        if round % 2 == 0 {
            await_pings(&mut client, rng.random_range(1..=2), round);
            std::thread::sleep(Duration::from_micros(rng.random_range(0..100_000)));
        } else {
            std::thread::sleep(rng.random_range(Duration::ZERO..LIFE));
        }
        let [first, second] = if rng.random() { [client, server] } else { [server, client] };
        kill(first);
        std::thread::sleep(Duration::from_micros(rng.random_range(0..20_000)));
        kill(second);
    }
    let server = ping(&path_a, 1, &["--server", "--validate"]);
    let client = ping(&path_b, 2, &["--client", "10.0.0.1", "--count", "2", "--size", "9000"]);
    for child in [client, server] {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    for served in [device_a, device_b] {
        let stats = served.finish().unwrap();
        // no access went to memory that was taken away
        assert_eq!((stats.refused, stats.mapped), (0, 0), "{stats:?}");
    }
}
