// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several clients at one server: a device each, on a switch.
use super::pairs::{squeezed, PATIENCE};
use super::place::Place;
use crate::steps::Step;
use anyhow::{ensure, Result};
use std::net::Ipv4Addr;
use std::path::Path;
use std::time::{Duration, Instant};

/// Clients at once.
const CLIENTS: usize = 4;
/// The server, which goes on, and each client. A client says each ping at once.
const SERVER: &str = "rping -s -P -S 100";
const CLIENT: &str = "stdbuf -oL rping -c -v -V -C 20 -S 100 -a PEER";
/// The first ping and the last.
const SAYS: [&str; 2] = ["ping data: rdma-ping-0", "ping data: rdma-ping-19"];
/// How often the clients are looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Runs the server, and each client behind the first ping of the client before: rping forgets the
/// first of two requests that come together.
pub fn run(step: &Step, library: &Path, folder: &Path) -> Result<()> {
    step.note(SERVER);
    let addresses: Vec<_> = (1..=CLIENTS as u8 + 1).map(|n| Ipv4Addr::new(10, 0, 0, n)).collect();
    let place = Place::new(library, folder, &addresses)?;
    let mut server = place.start(0, SERVER)?;
    let mut clients = vec![];
    for device in 1..=CLIENTS {
        let begun = Instant::now();
        let mut client = place.start(device, CLIENT)?;
        while !client.so_far()?.contains(SAYS[0]) {
            ensure!(server.is_running()?, "`{SERVER}` has ended:\n{}", server.so_far()?);
            ensure!(begun.elapsed() < PATIENCE, "`{CLIENT}` has no ping within {PATIENCE:?}");
            // the server may not have listened yet
            if !client.is_running()? {
                client = place.start(device, CLIENT)?;
            }
            std::thread::sleep(LOOK);
        }
        clients.push(client);
    }
    ensure!(clients[0].is_running()?, "the first of the clients has ended before the last came");
    for client in clients {
        let said = squeezed(&client.done(PATIENCE)?);
        ensure!(said.contains(SAYS[1]), "`{CLIENT}` does not say `{}`:\n{said}", SAYS[1]);
    }
    server.stopped(PATIENCE)?;
    place.finish()?;
    step.line(&format!("    {SERVER}, {CLIENTS} clients"));
    Ok(())
}
