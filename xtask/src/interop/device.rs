// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases with a device: `ferrowarp ping` and `ferrowarp perf`, whose device is the simulated
//! hardware, and rping of a guest with siw.
use super::cases::{unread, COUNT};
use super::cause::Cause;
use super::guest::{self, Guest};
use super::ping::{percentile, round_trips_below, MOST_MS};
use super::run::Run;
use crate::benchfile::Figures;
use crate::{child, repo};
use anyhow::{bail, ensure, Context, Result};
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

/// The lab's number of the device.
pub(super) const DEVICE: u8 = 9;
/// Octets of the messages: one FPDU, and several.
pub(super) const SIZES: [usize; 4] = [100, 1_000, 8_000, 60_000];
/// How often a ping is tried that stands still from the beginning.
const ATTEMPTS: usize = 3;
/// Echo requests of a measurement.
const ECHOES: usize = 100;
/// What one rping may take, or the device to be there.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
/// Every server has a port of its own.
static PORT: AtomicU16 = AtomicU16::new(7_200);

/// Keys of the URL for a clean wire to Linux. Linux delays ACKs by up to 40 ms, and machines of
/// simulated hardware stand still now and then: the default timer and its probe send octets again
/// that were not lost. The netem cases that lose frames have the default.
pub const PATIENT: &str = "rto=200;tlp=off";

/// A command of `ferrowarp`; dropping it ends it.
pub(super) struct Tool(Option<Child>);

impl Tool {
    /// Starts it on a device at our end of the first guest's Ethernet.
    fn start(run: &Run<'_>, what: &str, arguments: &[String]) -> Result<Self> {
        let (net, ip, pcap) = (run.guests[0].net(), guest::ipv4(DEVICE), run.capture.display());
        let url = format!("sim:eth={net};ip={ip}/24;tick=wall;{PATIENT};pcap={pcap}");
        Self::start_on(&url, what, arguments)
    }

    /// Starts it on the device of this URL.
    pub(super) fn start_on(url: &str, what: &str, arguments: &[String]) -> Result<Self> {
        let mut command = Command::new(repo::root().join("target/debug/ferrowarp"));
        command.args([what, "--json", "--device", url]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().with_context(|| format!("cannot start {}", child::shown(&command)))?;
        Ok(Self(Some(child)))
    }

    /// Its end.
    pub(super) fn wait(mut self) -> Result<Output> {
        let child = self.0.take().context("the tool runs")?;
        Ok(child.wait_with_output()?)
    }

    /// What it printed, if it did its work.
    pub(super) fn done(self, what: &str) -> Result<String> {
        let output = self.wait()?;
        ensure!(output.status.success(), "`ferrowarp {what}`: {}", said(&output));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // it may have ended by itself, which is as well
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// What a tool said that did not do its work.
pub(super) fn said(output: &Output) -> String {
    let text = |octets: &[u8]| String::from_utf8_lossy(octets).trim().to_string();
    format!("{}: {} {}", output.status, text(&output.stdout), text(&output.stderr))
}

pub(super) fn port() -> u16 {
    PORT.fetch_add(1, Ordering::Relaxed)
}

/// Pings of one connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pings {
    /// Octets of each.
    pub size: usize,
    /// How many.
    pub count: usize,
}

impl Pings {
    /// As many as a clean wire carries in a second.
    pub(super) fn few(size: usize) -> Self {
        Self { size, count: COUNT }
    }

    /// An rping of so many; `end` is its role and address. It prints how its messages begin: whole
    /// ones are long.
    fn rping(self, end: &str) -> String {
        format!("set -o pipefail; rping {end} -v -V -C {} -S {} | cut -c 1-60", self.count, self.size)
    }

    /// The rping that says this saw all of them.
    fn seen(self, said: &str) -> Result<()> {
        let Self { size, count } = self;
        let pings = said.lines().filter(|line| line.contains("ping data: rdma-ping-")).count();
        ensure!(pings == count, "the guest saw {pings} of {count} messages of {size} octets:\n{said}");
        Ok(())
    }

    /// The guest is the client of a device that serves.
    pub(super) fn asked_by(self, guest: &Guest, device: Ipv4Addr, port: u16) -> Result<()> {
        let command = self.rping(&format!("-c -a {device} -p {port}"));
        self.seen(&guest.run(&command, PATIENCE)?.ok(&command)?)
    }
}

/// How a `ferrowarp ping` ended, wherever it ran.
pub(super) struct Asked {
    /// It did its work.
    pub ok: bool,
    /// What it said.
    pub said: String,
}

/// The device is the client of an rping that verifies nothing but what it sends back; the tool
/// compares every octet.
pub fn client<const SIZE: usize>(run: &Run<'_>) -> Result<Figures> {
    let ask = |arguments: Vec<String>| {
        let output = Tool::start(run, "ping", &arguments)?.wait()?;
        Ok(Asked { ok: output.status.success(), said: said(&output) })
    };
    let lost = client_of(&run.guests[0], Pings::few(SIZE), ask)?;
    Ok(Figures::from([("interop.siw_lost_wakeups".into(), lost as f64)]))
}

/// The same, whose `ferrowarp ping` is run by `ask`. Returns how many wake-ups siw lost.
pub(super) fn client_of(
    guest: &Guest,
    pings: Pings,
    ask: impl Fn(Vec<String>) -> Result<Asked>,
) -> Result<usize> {
    let Pings { size, count } = pings;
    for lost in 0..ATTEMPTS {
        let port = port();
        let serves = guest.spawn(&pings.rping(&format!("-s -p {port}")))?;
        guest.wait_listening(port, PATIENCE)?;
        let server = guest.ipv4().to_string();
        let numbers = [port.to_string(), count.to_string(), size.to_string()];
        let arguments = [
            ["--client", &server],
            ["-p", &numbers[0]],
            ["-C", &numbers[1]],
            ["-S", &numbers[2]],
            ["--patience", "20"],
        ];
        let asked = ask(arguments.concat().into_iter().map(String::from).collect())?;
        if asked.ok {
            let command = serves.command.clone();
            pings.seen(&serves.wait(PATIENCE)?.ok(&command)?)?;
            return Ok(lost);
        }
        let sockets = guest.run("netstat -tn", PATIENCE)?.ok("netstat -tn")?;
        serves.kill()?;
        ensure!(
            unread(&sockets, port),
            "`ferrowarp ping` of {size} octets: {}; the guest's sockets:\n{sockets}",
            asked.said
        );
        guest.repeated(
            Cause::UnreadSend,
            format!("a ping of {size} octets stood still, its first Send unread"),
        );
    }
    bail!("a ping of {size} octets hung {ATTEMPTS} times, its first Send unread by the guest")
}

/// The device is the server of rpings that verify what it writes back; echo requests before.
pub fn server(run: &Run<'_>) -> Result<Figures> {
    let guest = &run.guests[0];
    let port = port();
    let tool = Tool::start(run, "ping", &serving(port, SIZES.len()))?;
    let p99 = served(guest, port, MOST_MS)?;
    tool.done("ping --server")?;
    Ok(Figures::from([("interop.rtt_wall_ms.p99".into(), p99)]))
}

/// Arguments of a `ferrowarp ping` that serves so many clients.
pub(super) fn serving(port: u16, clients: usize) -> Vec<String> {
    let numbers = [port.to_string(), clients.to_string()];
    ["--server", "-V", "-p", &numbers[0], "--clients", &numbers[1], "--patience", "120"]
        .map(String::from)
        .into()
}

/// What the guest does with a device that serves: echo requests, whose round trip's 99th percentile
/// in milliseconds is returned if it is below `most`, and an rping of each size.
pub(super) fn served(guest: &Guest, port: u16, most: f64) -> Result<f64> {
    let device = there(guest)?;
    let p99 = percentile(&round_trips_below(guest, IpAddr::from(device), ECHOES, most)?, 0.99);
    SIZES.into_iter().try_for_each(|size| Pings::few(size).asked_by(guest, device, port))?;
    Ok(p99)
}

/// Waits until the device answers an echo request of the guest; its address.
pub(super) fn there(guest: &Guest) -> Result<Ipv4Addr> {
    let device = guest::ipv4(DEVICE);
    let there = format!("until ping -c 1 -W 1 {device}; do sleep 0.1; done");
    guest.run(&there, PATIENCE)?.ok(&there).context("the device does not answer an echo request")?;
    Ok(device)
}

/// Tries of an rping whose server may not listen yet.
const TRIES: &str = "1 2 3 4 5 6 7 8 9 10";

/// Shell command of the guest: an rping to the device, tried again while nobody listens.
pub(super) fn rping(port: u16, more: &str) -> String {
    let rping = format!("rping -c {more} -p {port} -a {}", guest::ipv4(DEVICE));
    format!("for n in {TRIES}; do {rping} && exit 0; sleep 0.5; done; exit 1")
}

/// What `ferrowarp perf` measures against rping: operation, octets of a message, messages, and
/// whether their times.
pub(super) type Measured = (&'static str, usize, u32, bool);

/// All of it; a device in a process of its own costs seconds to start, so that one is asked for the
/// first two only.
pub(super) const MEASURED: [Measured; 4] = [
    ("read", 60_000, 10, false),
    ("write", 1_000, 30, true),
    ("write", 60_000, 10, false),
    ("read", 1_000, 30, true),
];

/// A `ferrowarp perf` that runs: its end is what it printed.
type Measures<'a> = Box<dyn FnOnce() -> Result<String> + 'a>;

/// `ferrowarp perf` against rping of the guest, everything of `all`; `start` starts one with these
/// arguments. The figures' names begin with `name`.
pub(super) fn measured<'a>(
    guest: &Guest,
    (name, all): (&str, &[Measured]),
    start: impl Fn(Vec<String>) -> Result<Measures<'a>>,
) -> Result<Figures> {
    let mut figures = Figures::new();
    for &(operation, octets, messages, is_latency) in all {
        let port = port();
        let numbers = [port, messages as u16].map(|n| n.to_string());
        let arguments = [
            "--server",
            "--peer",
            "rping",
            "-o",
            operation,
            "-p",
            &numbers[0],
            "-i",
            &numbers[1],
            "--patience",
            "60",
        ];
        let latency = is_latency.then_some("--latency");
        let measures = start(arguments.into_iter().chain(latency).map(String::from).collect())?;
        there(guest)?;
        let command = rping(port, &format!("-v -V -C 1 -S {octets}"));
        guest.run(&command, PATIENCE)?.ok(&command)?;
        let said = measures()?;
        let told: Value = serde_json::from_str(&said).with_context(|| format!("`ferrowarp perf`: {said}"))?;
        let report = &told["reports"][0];
        ensure!(report["octets"] == octets && report["messages"] == messages, "`ferrowarp perf`: {said}");
        let (kind, value) = match is_latency {
            true => ("us.p50", &report["times_us"]["p50"]),
            false => ("mbit_per_s", &report["mbit_per_s"]),
        };
        let value = value.as_f64().with_context(|| format!("`ferrowarp perf` has no {kind}: {said}"))?;
        figures.insert(format!("{name}.{operation}.{octets}.{kind}"), value);
    }
    Ok(figures)
}

/// The device measures Reads and Writes against rping's client.
pub fn perf(run: &Run<'_>) -> Result<Figures> {
    measured(&run.guests[0], ("interop.perf", &MEASURED[..2]), |arguments| {
        let tool = Tool::start(run, "perf", &arguments)?;
        Ok(Box::new(move || tool.done("perf")))
    })
}
