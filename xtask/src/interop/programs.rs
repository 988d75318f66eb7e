// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases `programs-*`: programs of Debian on the drop-in library and a simulated device, the
//! same programs on Linux siw in the guest, in both roles.
use super::device::{port, there, DEVICE, PATIENCE, PATIENT};
use super::guest::{self, Guest};
use super::run::Run;
use crate::benchfile::Figures;
use crate::dropin::Program;
use crate::repo;
use crate::simulator::{Device, Simulator};
use anyhow::{ensure, Context, Result};
use std::net::Ipv4Addr;
use std::path::Path;

/// Tries of a client whose server may not listen yet.
const TRIES: &str = "1 2 3 4 5 6 7 8 9 10";

/// A program and its peer. `PORT` stands for the port, `PEER` for the address of the server.
struct Pair {
    server: &'static str,
    client: &'static str,
    /// What the client says if all went well.
    says: &'static str,
    /// The program also serves the guest's. perftest's server closes its listener between its two
    /// connections. The guest's client does not wait, and gets a reset.
    serves: bool,
}

/// What is run in each role.
const PAIRS: [Pair; 8] = [
    Pair {
        server: "rping -s -V -C 10 -S 1000 -p PORT",
        client: "rping -c -v -V -C 10 -S 1000 -p PORT -a PEER",
        says: "ping data: rdma-ping-9",
        serves: true,
    },
    Pair {
        server: "rping -s -V -C 10 -S 60000 -p PORT",
        client: "rping -c -v -V -C 10 -S 60000 -p PORT -a PEER",
        says: "ping data: rdma-ping-9",
        serves: true,
    },
    Pair {
        server: "rdma_server -p PORT",
        client: "rdma_client -s PEER -p PORT",
        says: "rdma_client: end 0",
        serves: true,
    },
    Pair {
        server: "ucmatose -c 10 -p PORT",
        client: "ucmatose -c 10 -p PORT -s PEER",
        says: "return status 0",
        serves: true,
    },
    Pair {
        server: "ib_write_bw -R -F -n 100 -s 4096 -p PORT",
        client: "ib_write_bw -R -F -n 100 -s 4096 -p PORT PEER",
        says: "4096       100",
        serves: false,
    },
    Pair {
        server: "ib_read_bw -R -F -n 100 -s 4096 -p PORT",
        client: "ib_read_bw -R -F -n 100 -s 4096 -p PORT PEER",
        says: "4096       100",
        serves: false,
    },
    Pair {
        server: "ib_send_lat -R -F -n 200 -s 64 -p PORT",
        client: "ib_send_lat -R -F -n 200 -s 64 -p PORT PEER",
        says: "64      200",
        serves: false,
    },
    Pair {
        server: "ib_write_lat -R -F -n 200 -s 64 -p PORT",
        client: "ib_write_lat -R -F -n 200 -s 64 -p PORT PEER",
        says: "64      200",
        serves: false,
    },
];

/// The words of a command.
fn filled(text: &str, port: u16, peer: Ipv4Addr) -> String {
    text.replace("PORT", &port.to_string()).replace("PEER", &peer.to_string())
}

/// Starts a program on the device behind `socket`.
fn start(words: &str, socket: &Path) -> Result<Program> {
    let ip = guest::ipv4(DEVICE);
    let url = format!("fw0=vfio-user:{};ip={ip}/24;{PATIENT}", socket.display());
    Program::start(words, &repo::target("dropin"), &url)
}

/// Runs `body` with the socket of a device on the guest's wire.
fn served(run: &Run<'_>, body: impl Fn(&Guest, &Path) -> Result<()>) -> Result<Figures> {
    let guest = &run.guests[0];
    let socket = std::env::temp_dir().join(format!("fw-programs-{}", std::process::id()));
    let device = Device { socket: socket.clone(), eth: guest.net().to_string(), capture: run.capture.into() };
    let log = repo::target("interop").join("programs.log");
    let simulator = Simulator::start(vec![device], &["--tick", "wall"], &log)?;
    let done = body(guest, &socket);
    simulator.finish()?;
    done.map(|()| Figures::new())
}

/// Each program is the client of the guest's.
pub fn clients(run: &Run<'_>) -> Result<Figures> {
    served(run, |guest, socket| {
        PAIRS.iter().try_for_each(|pair| {
            let port = port();
            let job = guest.spawn(&filled(pair.server, port, guest.ipv4()))?;
            guest.wait_listening(port, PATIENCE)?;
            let words = filled(pair.client, port, guest.ipv4());
            let said = start(&words, socket)?.done(PATIENCE);
            let command = job.command.clone();
            let served = if said.is_ok() { job.wait(PATIENCE)? } else { job.kill()? };
            let said = said.with_context(|| format!("the guest's `{command}`: {served:?}"))?;
            ensure!(said.contains(pair.says), "`{words}` does not say `{}`:\n{said}", pair.says);
            served.ok(&command).map(drop)
        })
    })
}

/// The guest's program is the client of each.
pub fn servers(run: &Run<'_>) -> Result<Figures> {
    served(run, |guest, socket| {
        PAIRS.iter().filter(|pair| pair.serves).try_for_each(|pair| {
            let port = port();
            let words = filled(pair.server, port, guest::ipv4(DEVICE));
            let server = start(&words, socket)?;
            let device = there(guest)?;
            let client = filled(pair.client, port, device);
            let command = format!("for n in {TRIES}; do {client} && exit 0; sleep 0.5; done; exit 1");
            let asked = guest.run(&command, PATIENCE)?.ok(&command);
            let said = asked.with_context(|| format!("beside `{words}`"))?;
            ensure!(said.contains(pair.says), "`{client}` does not say `{}`:\n{said}", pair.says);
            server.done(PATIENCE).map(drop)
        })
    })
}
