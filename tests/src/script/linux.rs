// SPDX-License-Identifier: MIT OR Apache-2.0
//! The TCP of this machine's kernel in a network of its own: a TAP device is its only link.
use super::link::{Ends, Link, DUT};
use crate::fw::bench::DUT_MAC;
use ferrowarp_sim::eth::TapPort;
use rustix::thread::{unshare_unsafe, UnshareFlags};
use std::net::Ipv4Addr;
use std::process::Command;

/// Name of the TAP device.
const NAME: &str = "fw0";
/// What the device has not, the kernel does without; and every answer is sent, however often.
const SETTINGS: [(&str, &str); 6] = [
    ("tcp_timestamps", "0"),
    ("tcp_sack", "0"),
    ("tcp_ecn", "0"),
    ("tcp_invalid_ratelimit", "0"),
    ("tcp_dsack", "0"),
    ("tcp_congestion_control", "reno"),
];

/// Gives the thread a network of its own, whose other end is the result. Threads that it starts
/// share the network.
pub fn network() -> Result<Link, String> {
    // SAFETY: the network of this thread alone changes; files and memory stay as they are.
    unsafe { unshare_unsafe(UnshareFlags::NEWNET) }
        .map_err(|why| format!("a network of its own needs root, or `unshare -Urn`: {why}"))?;
    let port = TapPort::open(NAME).map_err(|why| why.to_string())?;
    let mac = DUT_MAC.map(|octet| format!("{octet:02x}")).join(":");
    let address = format!("{}/24", Ipv4Addr::from(DUT));
    ip(&["link", "set", "lo", "up"])?;
    ip(&["link", "set", NAME, "address", &mac])?;
    ip(&["link", "set", NAME, "mtu", "1500"])?;
    ip(&["addr", "add", &address, "dev", NAME])?;
    ip(&["link", "set", NAME, "up"])?;
    for (name, value) in SETTINGS {
        let path = format!("/proc/thread-self/root/proc/sys/net/ipv4/{name}");
        std::fs::write(&path, value).map_err(|why| format!("{path}: {why}"))?;
    }
    Ok(Link::over(Box::new(port), Ends::default()))
}

fn ip(args: &[&str]) -> Result<(), String> {
    let done = Command::new("ip").args(args).output().map_err(|why| format!("`ip` of iproute2: {why}"))?;
    match done.status.success() {
        true => Ok(()),
        false => Err(format!("ip {}: {}", args.join(" "), String::from_utf8_lossy(&done.stderr).trim())),
    }
}
