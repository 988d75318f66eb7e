// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases `programs-*`: programs of Debian on the drop-in library and a simulated device, the
//! same programs on Linux siw in the guest, in both roles.
use super::cases::spoke_iwarp_with_crc;
use super::device::{port, there, DEVICE, PATIENCE, PATIENT};
use super::guest::{self, Guest, Siw};
use super::run::{Case, Run};
use super::wire::Wire;
use crate::benchfile::Figures;
use crate::dropin::pairs::squeezed;
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
}

/// rping, with pings of some octets.
macro_rules! rping {
    ($octets:literal) => {
        Pair {
            server: concat!("rping -s -V -C 10 -S ", $octets, " -p PORT"),
            client: concat!("rping -c -v -V -C 10 -S ", $octets, " -p PORT -a PEER"),
            says: "ping data: rdma-ping-9",
        }
    };
}

/// A program of perftest, with messages of some octets and their number.
macro_rules! perftest {
    ($program:literal $octets:literal $count:literal) => {
        Pair {
            server: concat!($program, " -R -F -n ", $count, " -s ", $octets, " -p PORT"),
            client: concat!($program, " -R -F -n ", $count, " -s ", $octets, " -p PORT PEER"),
            says: concat!(" ", $octets, " ", $count, " "),
        }
    };
}

const RDMA: Pair =
    Pair { server: "rdma_server -p PORT", client: "rdma_client -s PEER -p PORT", says: "rdma_client: end 0" };
/// The programs of each run as clients, and as servers.
const CLIENTS: [Pair; 4] = [rping!(1000), rping!(60000), RDMA, perftest!("ib_write_bw" 4096 100)];
const SERVERS: [Pair; 3] = [rping!(1000), rping!(60000), RDMA];
/// perftest.
const PERFTEST: [Pair; 6] = [
    perftest!("ib_write_bw" 4096 100),
    perftest!("ib_read_bw" 4096 100),
    perftest!("ib_send_bw" 4096 100),
    perftest!("ib_send_lat" 64 200),
    perftest!("ib_write_lat" 64 200),
    perftest!("ib_read_lat" 64 200),
];
/// Where qperf's server listens, and what is asked for: of rc_bw and the Reads, siw refuses the
/// queue pair of the server, which has no room for a Send.
const QPERF_PORT: u16 = 19_765;
const QPERF: (&str, &str) = ("rc_lat", "latency");
/// Ten connections with ten messages each, all at once. Linux sends them faster than a simulated
/// device takes them: the device has a place for 32 frames that wait, and drops the next ones.
const CROWD: [Pair; 1] = [Pair {
    server: "ucmatose -c 10 -p PORT",
    client: "ucmatose -c 10 -p PORT -s PEER",
    says: "return status 0",
}];

/// All of them. In its stock mode, siw sends nothing before the first FPDU of a server: the servers
/// have a siw in peer-to-peer mode.
pub const CASES: [Case; 7] = [
    case(
        "programs-client",
        "rping, rdma_client and ib_write_bw on the device, servers in the guest: stock siw",
        Siw::Stock,
        |run| clients(run, &CLIENTS),
    ),
    Case {
        full: true,
        ..case(
            "programs-perftest-client",
            "perftest on the device, servers in the guest: stock siw",
            Siw::Stock,
            |run| clients(run, &PERFTEST),
        )
    },
    case(
        "programs-crowd-client",
        "ucmatose with ten connections on the device, its server in the guest: stock siw",
        Siw::Stock,
        |run| clients(run, &CROWD),
    ),
    case(
        "programs-server",
        "rping and rdma_server on the device, clients in the guest: CRC required, peer-to-peer mode",
        Siw::CRC_AND_RTR,
        |run| servers(run, &SERVERS),
    ),
    Case {
        full: true,
        ..case(
            "programs-perftest-server",
            "perftest on the device, clients in the guest: CRC required, peer-to-peer mode",
            Siw::CRC_AND_RTR,
            perftest_servers,
        )
    },
    case(
        "programs-crowd-server",
        "ucmatose with ten connections on the device, its client in the guest: CRC required, peer-to-peer mode",
        Siw::CRC_AND_RTR,
        |run| servers(run, &CROWD),
    ),
    Case {
        wire: Wire::Tap,
        full: true,
        ..case(
            "programs-qperf",
            "qperf on the device, its server in the guest, which this machine also reaches: stock siw",
            Siw::Stock,
            qperf,
        )
    },
];

/// A case of each run.
const fn case(
    name: &'static str,
    about: &'static str,
    siw: Siw,
    body: fn(&Run<'_>) -> Result<Figures>,
) -> Case {
    Case {
        name,
        about,
        siw,
        wire: Wire::Dgram,
        guests: 1,
        body,
        check: Some(spoke_iwarp_with_crc),
        full: false,
    }
}

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
fn clients(run: &Run<'_>, pairs: &[Pair]) -> Result<Figures> {
    served(run, |guest, socket| {
        pairs.iter().try_for_each(|pair| {
            let port = port();
            let job = guest.spawn(&filled(pair.server, port, guest.ipv4()))?;
            guest.wait_listening(port, PATIENCE)?;
            let words = filled(pair.client, port, guest.ipv4());
            let said = start(&words, socket)?.done(PATIENCE);
            let command = job.command.clone();
            let served = if said.is_ok() { job.wait(PATIENCE)? } else { job.kill()? };
            let said = said.with_context(|| format!("the guest's `{command}`: {served:?}"))?;
            ensure!(squeezed(&said).contains(pair.says), "`{words}` does not say `{}`:\n{said}", pair.says);
            served.ok(&command).map(drop)
        })
    })
}

/// The guest's program is the client of each.
fn servers(run: &Run<'_>, pairs: &[Pair]) -> Result<Figures> {
    served(run, |guest, socket| {
        pairs.iter().try_for_each(|pair| {
            let port = port();
            let words = filled(pair.server, port, guest::ipv4(DEVICE));
            let server = start(&words, socket)?;
            let device = there(guest)?;
            let client = filled(pair.client, port, device);
            let command = format!("for n in {TRIES}; do {client} && exit 0; sleep 0.5; done; exit 1");
            let asked = guest.run(&command, PATIENCE)?.ok(&command);
            let said = asked.with_context(|| format!("beside `{words}`"))?;
            ensure!(squeezed(&said).contains(pair.says), "`{client}` does not say `{}`:\n{said}", pair.says);
            server.done(PATIENCE).map(drop)
        })
    })
}

/// qperf's server in the guest. qperf asks its server by TCP of this machine first, so
/// that this machine has an address beside the device's.
fn qperf(run: &Run<'_>) -> Result<Figures> {
    let guest = &run.guests[0];
    let job = guest.spawn("qperf")?;
    guest.wait_listening(QPERF_PORT, PATIENCE)?;
    let done = guest.beside_host(|| {
        served(run, |guest, socket| {
            let (test, says) = QPERF;
            let words = format!("qperf -t 1 -cm 1 -m 64 {} {test}", guest.ipv4());
            let said = start(&words, socket)?.done(PATIENCE)?;
            ensure!(said.contains(says), "`{words}` does not say `{says}`:\n{said}");
            Ok(())
        })
    });
    let served = job.kill()?;
    done.with_context(|| format!("the guest's qperf: {served:?}"))
}

/// perftest's server listens for the second connection when the first one has agreed on all, and
/// its client does not wait for the listener: in the guest, what asks for a connection leaves later
/// than that.
fn perftest_servers(run: &Run<'_>) -> Result<Figures> {
    let guest = &run.guests[0];
    let tc = |command: &str| guest.run(command, PATIENCE)?.ok(command).map(drop);
    // flags of TCP behind a header of IPv4 without options: SYN alone
    tc("set -e
        /bin/tc qdisc add dev eth0 root handle 1: prio bands 4
        /bin/tc qdisc add dev eth0 parent 1:4 netem delay 500ms
        /bin/tc filter add dev eth0 parent 1: protocol ip u32 match ip protocol 6 0xff match u8 2 0x3f at 33 flowid 1:4")?;
    let done = servers(run, &PERFTEST);
    tc("/bin/tc qdisc del dev eth0 root")?;
    done
}
