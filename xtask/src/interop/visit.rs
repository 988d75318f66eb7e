// SPDX-License-Identifier: MIT OR Apache-2.0
//! A tour with rping of a guest with siw, for `demo --peer siw`: what is done
//! on the guest's side.
use super::cases::unread;
use super::cause::Cause;
use super::channel::Output;
use super::device::{port, PATIENCE};
use super::guest::{self, Guest, Kind, Siw};
use super::prepare;
use super::sockets::Sockets;
use super::wire::Wire;
use crate::steps::Step;
use anyhow::{bail, ensure, Context, Result};
use std::fs::File;
use std::net::Ipv4Addr;

/// How often a tour is tried whose first Send siw does not look at.
const ATTEMPTS: usize = 3;

/// A guest with siw, and nothing else on its wire. What it needs ends behind it.
pub struct Host {
    /// It runs.
    pub guest: Guest,
    _sockets: Sockets,
    _lock: File,
}

impl Host {
    /// Makes the guest's image if it is not there, and boots it.
    pub fn boot(step: &Step) -> Result<Self> {
        let lock = prepare::lock(step)?;
        let image = prepare::prepare(step)?;
        step.note("Linux with siw boots");
        let sockets = Sockets::new()?;
        let kind = Kind { siw: Siw::Stock, wire: Wire::Dgram, number: 1, has_agent: false };
        let guest = Guest::boot(&image, kind, &sockets.0)?;
        Ok(Self { guest, _sockets: sockets, _lock: lock })
    }
}

/// Address of the device on a guest's network.
pub fn address() -> Ipv4Addr {
    guest::ipv4(super::device::DEVICE)
}

/// The device is rping's client: `tour` runs `ferrowarp tour` with these arguments. If siw did not
/// look at our first message (docs/interop.md) it is done again.
pub fn served<T>(guest: &Guest, octets: usize, tour: impl Fn(&[String]) -> Result<T>) -> Result<T> {
    for _ in 0..ATTEMPTS {
        let port = port();
        let serves = guest.spawn(&format!("rping -s -v -S {octets} -p {port}"))?;
        guest.wait_listening(port, PATIENCE)?;
        let server = guest.ipv4().to_string();
        let seen = tour(&["--client".into(), server, "-p".into(), port.to_string()]);
        let sockets = guest.run("netstat -tn", PATIENCE)?.ok("netstat -tn")?;
        // it was refused in the end, which may have ended it
        serves.kill()?;
        match seen {
            Ok(seen) => return Ok(seen),
            Err(why) => ensure!(unread(&sockets, port), "{why:#}; the guest's sockets:\n{sockets}"),
        }
        guest.repeated(Cause::UnreadSend, "a tour stood still, its first Send unread".into());
    }
    bail!("the tour hung {ATTEMPTS} times, its first Send unread by the guest")
}

/// The device is rping's server: `tour` runs `ferrowarp tour` with these arguments, while the
/// guest's rping connects as soon as there is a device. The rping has to find in its memory what
/// the device was told to write there; the Read behind it is refused, which ends it.
pub fn asked<T>(guest: &Guest, octets: usize, tour: impl FnOnce(&[String]) -> Result<T>) -> Result<T> {
    let (port, device) = (port(), address());
    let there = format!("until ping -c 1 -W 1 {device} >/dev/null; do sleep 0.1; done");
    let asks = guest.spawn(&format!("{there}; rping -c -v -V -C 10 -S {octets} -p {port} -a {device}"))?;
    let seen = tour(&["--server".into(), "-p".into(), port.to_string()]);
    let Output { stdout, stderr, .. } = match seen {
        Ok(_) => asks.wait(PATIENCE)?,
        Err(_) => asks.kill()?,
    };
    let seen = seen.with_context(|| format!("the guest's rping: {stdout}{stderr}"))?;
    let verified = stdout.lines().filter(|line| line.contains("ping data: rdma-ping-")).count();
    ensure!(verified == 1, "one ping is verified before the Read that is refused:\n{stdout}{stderr}");
    Ok(seen)
}
