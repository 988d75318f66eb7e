// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs of Debian that connect, unchanged: one on each of two simulated devices.
use super::Program;
use crate::steps::Step;
use anyhow::{ensure, Result};
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest run of a program.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a server that may not listen yet is tried, and the pause between.
const TRIES: usize = 5;
const PAUSE: Duration = Duration::from_millis(500);
/// Addresses of the server's device and the client's.
pub const ADDRESSES: [&str; 2] = ["10.0.0.1", "10.0.0.2"];

/// A server, its client without the address, and a text that the client's output has.
pub struct Pair {
    server: &'static str,
    client: &'static str,
    says: &'static str,
}

/// What is run.
pub const PAIRS: [Pair; 11] = [
    Pair {
        server: "rping -s -V -C 10 -S 1000",
        client: "rping -c -v -V -C 10 -S 1000 -a",
        says: "ping data: rdma-ping-9",
    },
    Pair {
        server: "rping -s -V -C 10 -S 60000",
        client: "rping -c -v -V -C 10 -S 60000 -a",
        says: "ping data: rdma-ping-9",
    },
    Pair { server: "rdma_server", client: "rdma_client -s", says: "rdma_client: end 0" },
    Pair { server: "ucmatose -c 10", client: "ucmatose -c 10 -s", says: "return status 0" },
    Pair {
        server: "ib_write_bw -R -F -n 100 -s 4096",
        client: "ib_write_bw -R -F -n 100 -s 4096",
        says: "4096       100",
    },
    Pair {
        server: "ib_read_bw -R -F -n 100 -s 4096",
        client: "ib_read_bw -R -F -n 100 -s 4096",
        says: "4096       100",
    },
    Pair {
        server: "ib_write_lat -R -F -n 200 -s 64",
        client: "ib_write_lat -R -F -n 200 -s 64",
        says: "64      200",
    },
    Pair {
        server: "ib_send_bw -R -F -e -Q 1 -n 100 -s 4096",
        client: "ib_send_bw -R -F -e -Q 1 -n 100 -s 4096",
        says: "4096       100",
    },
    Pair {
        server: "ib_send_lat -R -F -e -n 200 -s 64",
        client: "ib_send_lat -R -F -e -n 200 -s 64",
        says: "64      200",
    },
    Pair { server: "rstream -S 4096 -C 50", client: "rstream -S 4096 -C 50 -s", says: "4k" },
    Pair { server: "riostream -S 4096 -C 50", client: "riostream -S 4096 -C 50 -s", says: "4k" },
];

/// Runs `client` until its server listens; what the client says. A client that takes all of
/// [`PATIENCE`] is a failure, and is not tried again.
pub fn asked(client: &str, library: &Path, device: &str) -> Result<String> {
    let words = format!("{client} {}", ADDRESSES[0]);
    let mut tries = 1;
    loop {
        let begun = Instant::now();
        match Program::start(&words, library, device)?.done(PATIENCE) {
            Err(_) if tries < TRIES && begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            said => return said,
        }
        tries += 1;
    }
}

/// Runs a server on one device and its client on the other; what the client says.
pub fn exchange(server: &str, client: &str, library: &Path, devices: &[String; 2]) -> Result<String> {
    let serves = Program::start(server, library, &devices[0])?;
    let said = asked(client, library, &devices[1])?;
    serves.done(PATIENCE)?;
    Ok(said)
}

impl Pair {
    /// Runs the server on the first device and the client on the other one.
    pub fn run(&self, step: &Step, library: &Path, devices: &[String; 2]) -> Result<()> {
        let Self { server, client, says } = self;
        step.note(server);
        let said = exchange(server, client, library, devices)?;
        ensure!(said.contains(says), "`{client}` does not say `{says}`:\n{said}");
        step.line(&format!("    {server}"));
        Ok(())
    }
}
