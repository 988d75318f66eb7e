// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases that prove the lab itself, before a device is in it: software that nobody here wrote,
//! on both sides.
use super::cause::Cause;
use super::echo;
use super::guest::Guest;
use super::ping::{percentile, round_trips, round_trips_below, MOST_MS};
use super::relay::Relay;
use super::run::Run;
use crate::benchfile::Figures;
use anyhow::{anyhow, bail, ensure, Context, Result};
use ferrowarp_sim::pcap::tshark::Summary;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The lab's number of a peer that is no guest.
const PEER: u8 = 9;
/// Echo requests of a measurement.
const PINGS: usize = 20;
/// First port of rping.
const RPING: u16 = 7174;
/// Octets of rping's messages, and how many it sends: one FPDU, and several, which straddle TCP
/// segments.
const SIZES: [usize; 2] = [100, 8_000];
pub(super) const COUNT: usize = 10;
/// How often an rping is tried that stands still from the beginning.
const ATTEMPTS: u16 = 3;
/// An rping takes a second.
const PATIENCE: Duration = Duration::from_secs(30);

/// Round trips from the guest to smoltcp on our end of its Ethernet, over IPv4 and IPv6.
pub fn echo(run: &Run<'_>) -> Result<Figures> {
    let guest = &run.guests[0];
    let stop = AtomicBool::new(false);
    let pinged = std::thread::scope(|scope| {
        let peer = scope.spawn(|| echo::answer(&guest.net(), PEER, run.capture, &stop));
        let to: [IpAddr; 2] = [super::guest::ipv4(PEER).into(), super::guest::ipv6(PEER).into()];
        let pinged = to.map(|to| round_trips_below(guest, to, PINGS, MOST_MS));
        stop.store(true, Ordering::Relaxed);
        let answered = peer.join().map_err(|_| anyhow!("the peer's thread panicked"))?;
        answered.context("the peer")?;
        Ok::<_, anyhow::Error>(pinged)
    })?;
    let [v4, v6] = pinged;
    let (v4, v6) = (v4?, v6?);
    Ok(Figures::from([
        ("interop.lab_rtt_ms.p50".into(), percentile(&v4, 0.5)),
        ("interop.lab_rtt_ms.p99".into(), percentile(&v4, 0.99)),
        ("interop.lab_rtt6_ms.p99".into(), percentile(&v6, 0.99)),
    ]))
}

/// Both guests, joined by a wire while `body` runs.
fn joined<T>(run: &Run<'_>, body: impl FnOnce(&Guest, &Guest) -> Result<T>) -> Result<T> {
    let [first, second, ..] = run.guests else { return Err(anyhow!("the case needs two guests")) };
    let relay = Relay::start([&first.net(), &second.net()], run.capture)?;
    let done = body(first, second);
    relay.stop().context("the wire between the guests")?;
    done
}

/// Echo over both versions of IP between two guests.
pub fn pair_ping(run: &Run<'_>) -> Result<Figures> {
    joined(run, |first, second| {
        let times = round_trips(second, first.ipv4().into(), PINGS)?;
        round_trips(second, first.ipv6().into(), 2)?;
        Ok(Figures::from([("interop.pair_rtt_ms.p99".into(), percentile(&times, 0.99))]))
    })
}

/// rping between two guests; both ends verify the data.
pub fn pair_rping(run: &Run<'_>) -> Result<Figures> {
    let lost = joined(run, |server, client| {
        let mut lost = 0;
        for (size, first) in SIZES.into_iter().zip((RPING..).step_by(ATTEMPTS.into())) {
            let mut ports = first..first + ATTEMPTS;
            let left = ports.try_for_each(|port| match rping(server, client, port, size) {
                Ok(Rping::Done) => Err(None),
                Ok(Rping::Stood) => {
                    lost += 1;
                    server.repeated(
                        Cause::UnreadSend,
                        format!("an rping of {size} octets stood still, its first Send unread"),
                    );
                    Ok(())
                }
                Err(e) => Err(Some(e)),
            });
            match left {
                Err(None) => {}
                Err(Some(e)) => return Err(e),
                Ok(()) => bail!("rping of {size} octets hung {ATTEMPTS} times, its first Send unread"),
            }
        }
        Ok(lost)
    })?;
    Ok(Figures::from([("interop.siw_lost_wakeups".into(), f64::from(lost))]))
}

/// How one rping went, if nothing was wrong with it.
enum Rping {
    /// Both ends saw all messages.
    Done,
    /// The client's first Send came before siw listened for it: `siw_accept` of Linux sends the MPA
    /// Reply first and sets the socket's callback then, and what comes between is not looked at
    /// until more comes. docs/interop.md tells more.
    Stood,
}

/// One rping, at a port of its own: the listener of the one before may still be there.
fn rping(server: &Guest, client: &Guest, port: u16, size: usize) -> Result<Rping> {
    let common = format!("-v -V -C {COUNT} -S {size} -p {port}");
    let serves = server.spawn(&format!("rping -s {common}"))?;
    server.wait_listening(port, PATIENCE)?;
    let command = format!("rping -c {common} -a {}", server.ipv4());
    let asks = client.spawn(&command)?;
    let Some(asked) = asks.ended(PATIENCE)? else {
        let sockets = server.run("netstat -tn", PATIENCE)?.ok("netstat -tn")?;
        asks.kill()?;
        serves.kill()?;
        ensure!(
            unread(&sockets, port),
            "rping of {size} octets stands still; the server's sockets:\n{sockets}"
        );
        return Ok(Rping::Stood);
    };
    let asked = asked.ok(&command)?;
    let command = serves.command.clone();
    let served = serves.wait(PATIENCE)?.ok(&command)?;
    for (end, said) in [("server", served), ("client", asked)] {
        let pings = said.lines().filter(|line| line.contains("ping data: rdma-ping-")).count();
        ensure!(pings == COUNT, "the {end} saw {pings} of {COUNT} messages of {size} octets:\n{said}");
    }
    Ok(Rping::Done)
}

/// A connection of this port has octets that nobody has read, by busybox's netstat: protocol,
/// Recv-Q, Send-Q, local, ...
pub(super) fn unread(sockets: &str, port: u16) -> bool {
    let rows = sockets.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| row.len() > 3 && row[3].ends_with(&format!(":{port}"))).any(|row| row[1] != "0")
}

/// Both versions' echo and what finds the peer are in the capture.
pub fn echoed(summary: &Summary) -> Result<()> {
    for protocol in ["arp", "icmp", "icmpv6"] {
        ensure!(summary.count(protocol) > 0, "no frame with {protocol}: {:?}", summary.protocols);
    }
    Ok(())
}

/// MPA's startup and FPDUs of both sizes are in the capture.
pub fn spoke_iwarp(summary: &Summary) -> Result<()> {
    let least = (SIZES.len() * COUNT) as u64;
    for protocol in ["iwarp_mpa", "iwarp_ddp_rdmap"] {
        let frames = summary.count(protocol);
        ensure!(frames > least, "{frames} frames with {protocol}, more than {least} expected");
    }
    Ok(())
}

/// The same, with a CRC in every FPDU.
pub fn spoke_iwarp_with_crc(summary: &Summary) -> Result<()> {
    spoke_iwarp(summary)?;
    let (crc, least) = (summary.crc, summary.count("iwarp_ddp_rdmap"));
    ensure!(crc.good >= least && crc.bad == 0, "CRCs of FPDUs: {crc:?}, at least {least} good ones expected");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unread_octets_are_those_of_the_port() {
        let line = |queue: u8, port| {
            format!(
                "tcp        {queue}      0 10.66.0.1:{port}          10.66.0.2:60344         ESTABLISHED\n"
            )
        };
        let head = "Proto Recv-Q Send-Q Local Address           Foreign Address         State\n";
        assert!(unread(&format!("{head}{}", line(40, 7174)), 7174));
        assert!(!unread(&format!("{head}{}", line(0, 7174)), 7174));
        assert!(!unread(&format!("{head}{}", line(40, 7175)), 7174));
    }
}
