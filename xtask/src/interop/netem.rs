// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases on a bad wire: netem of the guest's kernel loses, doubles, spoils, delays or
//! reorders frames, both ways, between Linux's TCP and the device's.
//!
//! The device is behind a vfio-user socket, so that one capture has the frames of all programs of a
//! case. It is taken at the device: what netem loses of the guest is not in it, what it loses of
//! the device is.
mod way;

use super::cases::spoke_iwarp_with_crc;
use super::device::{
    client_of, measured, port, said, serving, there, Asked, Pings, Tool, DEVICE, PATIENCE, PATIENT,
};
use super::guest::{self, Guest, Siw};
use super::ping::round_trips;
use super::run::{Case, Run};
use super::wire::Wire;
use crate::benchfile::Figures;
use crate::repo;
use crate::simulator::{Device, Simulator};
use anyhow::{ensure, Context, Result};
use ferrowarp_sim::pcap::tshark::Summary;
use way::{sent_again as segments_again, Trace, Way};

/// What netem does.
struct Bad {
    /// For figures.
    name: &'static str,
    /// As `tc` is told, of either way.
    netem: &'static str,
    /// To what the guest sends alone. Linux looks at the checksum of a frame that comes before
    /// netem has the frame.
    only_sent: bool,
    /// What shows that it did.
    trace: Trace,
    /// Pings of 60,000 octets: of a rare loss more, so that there is one, of a frequent one fewer.
    pings: usize,
    /// Reads of 60,000 octets that are measured, and Writes.
    measured: u32,
    /// netem draws from these, what the guest sends and what comes: a run that failed is repeated
    /// with the same losses.
    seeds: [u32; 2],
    /// Keys of the device's URL: its own timers where frames are lost, patient ones where none is.
    keys: &'static str,
}

/// Seeds of most of them. With 5 % of loss these seeds lose the three requests of the device for an
/// address, or the answers.
const SEEDS: [u32; 2] = [7, 8];
const LOSS: Bad = Bad {
    name: "loss",
    netem: "loss 1%",
    only_sent: false,
    trace: Trace::Drops,
    pings: 20,
    measured: 20,
    seeds: SEEDS,
    keys: "",
};
const LOSS_01: Bad = Bad { name: "loss01", netem: "loss 0.1%", pings: 100, ..LOSS };
const LOSS_5: Bad = Bad { name: "loss5", netem: "loss 5%", pings: 6, measured: 4, seeds: [17, 23], ..LOSS };
const CORRUPT: Bad =
    Bad { name: "corrupt", netem: "corrupt 2%", only_sent: true, trace: Trace::SentAgain, ..LOSS };
const DELAY: Bad =
    Bad { name: "delay", netem: "delay 1ms", trace: Trace::RoundTrip(2.0), keys: PATIENT, ..LOSS };
const REORDER: Bad =
    Bad { name: "reorder", netem: "delay 1ms reorder 1%", trace: Trace::Overtakes, pings: 40, ..DELAY };
const DUPLICATE: Bad = Bad { name: "duplicate", netem: "duplicate 2%", trace: Trace::Frames, ..DELAY };
const RATE: Bad = Bad { name: "rate", netem: "rate 20mbit", ..DUPLICATE };

/// Pings of a single FPDU.
const SHORT: Pings = Pings { size: 1_000, count: 20 };
/// Octets of a long one, which has many segments.
const LONG: usize = 60_000;

/// All of them.
pub const CASES: [Case; 16] = [
    case(
        "netem-loss-client",
        "1 % of the frames are lost; the device is rping's client: stock siw",
        |run| client(run, &LOSS),
        sent_again,
    ),
    case(
        "netem-loss-server",
        "1 % of the frames are lost; the device is rping's server, and measures: stock siw",
        |run| server(run, &LOSS),
        sent_again,
    ),
    full(
        "netem-loss01-client",
        "0.1 % of the frames are lost; the device is rping's client: stock siw",
        |run| client(run, &LOSS_01),
        sent_again,
    ),
    full(
        "netem-loss01-server",
        "0.1 % of the frames are lost; the device is rping's server, and measures: stock siw",
        |run| server(run, &LOSS_01),
        sent_again,
    ),
    full(
        "netem-delay-client",
        "frames take 1 ms longer; the device is rping's client: stock siw",
        |run| client(run, &DELAY),
        spoke_iwarp_with_crc,
    ),
    full(
        "netem-delay-server",
        "frames take 1 ms longer; the device is rping's server, and measures: stock siw",
        |run| server(run, &DELAY),
        spoke_iwarp_with_crc,
    ),
    full(
        "netem-reorder-client",
        "1 % of the frames overtake those of a ms; the device is rping's client: stock siw",
        |run| client(run, &REORDER),
        out_of_order,
    ),
    full(
        "netem-reorder-server",
        "1 % of the frames overtake those of a ms; the device is rping's server, and measures: stock siw",
        |run| server(run, &REORDER),
        out_of_order,
    ),
    full(
        "netem-loss5-client",
        "5 % of the frames are lost; the device is rping's client: stock siw",
        |run| client(run, &LOSS_5),
        sent_again,
    ),
    full(
        "netem-loss5-server",
        "5 % of the frames are lost; the device is rping's server, and measures: stock siw",
        |run| server(run, &LOSS_5),
        sent_again,
    ),
    full(
        "netem-duplicate-client",
        "2 % of the frames come twice; the device is rping's client: stock siw",
        |run| client(run, &DUPLICATE),
        sent_again,
    ),
    full(
        "netem-duplicate-server",
        "2 % of the frames come twice; the device is rping's server, and measures: stock siw",
        |run| server(run, &DUPLICATE),
        sent_again,
    ),
    // the capture has frames whose checksums are bad, as they must be
    Case {
        check: None,
        ..full(
            "netem-corrupt-client",
            "a bit of 2 % of the guest's frames is inverted; the device is rping's client: stock siw",
            |run| client(run, &CORRUPT),
            spoke_iwarp_with_crc,
        )
    },
    Case {
        check: None,
        ..full(
            "netem-corrupt-server",
            "a bit of 2 % of the guest's frames is inverted; the device is rping's server, and measures: stock siw",
            |run| server(run, &CORRUPT),
            spoke_iwarp_with_crc,
        )
    },
    full(
        "netem-rate-client",
        "the wire has 20 Mb/s; the device is rping's client: stock siw",
        |run| client(run, &RATE),
        spoke_iwarp_with_crc,
    ),
    full(
        "netem-rate-server",
        "the wire has 20 Mb/s; the device is rping's server, and measures: stock siw",
        |run| server(run, &RATE),
        spoke_iwarp_with_crc,
    ),
];

type Body = fn(&Run<'_>) -> Result<Figures>;
type Check = fn(&Summary) -> Result<()>;

/// One of each run.
const fn case(name: &'static str, about: &'static str, body: Body, check: Check) -> Case {
    Case { name, about, siw: Siw::Stock, wire: Wire::Dgram, guests: 1, body, check: Some(check), full: false }
}

/// One of the long runs.
const fn full(name: &'static str, about: &'static str, body: Body, check: Check) -> Case {
    Case { full: true, ..case(name, about, body, check) }
}

/// The device is rping's client; `ferrowarp ping` compares every octet.
fn client(run: &Run<'_>, bad: &Bad) -> Result<Figures> {
    let guest = &run.guests[0];
    on_bad_wire(run, bad, "client", |url| {
        let ask = |arguments: Vec<String>| {
            let output = Tool::start_on(url, "ping", &arguments)?.wait()?;
            Ok(Asked { ok: output.status.success(), said: said(&output) })
        };
        let mut lost = 0;
        for pings in [SHORT, Pings { size: LONG, count: bad.pings }] {
            lost += client_of(guest, pings, ask)?;
        }
        Ok(Figures::from([("interop.siw_lost_wakeups".into(), lost as f64)]))
    })
}

/// The device is rping's server, and both ends compare; then `ferrowarp perf` reads and writes
/// another rping's buffer.
fn server(run: &Run<'_>, bad: &Bad) -> Result<Figures> {
    let guest = &run.guests[0];
    on_bad_wire(run, bad, "server", |url| {
        let (all, port) = ([SHORT, Pings { size: LONG, count: bad.pings }], port());
        let serves = Tool::start_on(url, "ping", &serving(port, all.len()))?;
        let device = there(guest)?;
        if let Trace::RoundTrip(least) = bad.trace {
            let times = round_trips(guest, device.into(), SHORT.count)?;
            ensure!(times[0] >= least, "an echo takes {} ms, not {least} at least: no delay", times[0]);
        }
        all.into_iter().try_for_each(|pings| pings.asked_by(guest, device, port))?;
        serves.done("ping --server")?;
        let name = format!("interop.netem.{}", bad.name);
        let both = ["read", "write"].map(|what| (what, LONG, bad.measured, false));
        measured(guest, (&name, &both), |arguments| {
            let tool = Tool::start_on(url, "perf", &arguments)?;
            Ok(Box::new(move || tool.done("perf")))
        })
    })
}

/// Does it with a device on the guest's bad wire, of which it is given the URL. Figures also tell
/// what netem did, and the capture is kept however that went.
fn on_bad_wire(
    run: &Run<'_>,
    bad: &Bad,
    role: &str,
    does: impl FnOnce(&str) -> Result<Figures>,
) -> Result<Figures> {
    let guest = &run.guests[0];
    let socket = std::env::temp_dir().join(format!("fw-netem-{}", std::process::id()));
    let url = format!("vfio-user:{};ip={}/24;{}", socket.display(), guest::ipv4(DEVICE), bad.keys);
    let device = Device { socket, eth: guest.net().to_string(), capture: run.capture.into() };
    let log = repo::target("interop").join("netem.log");
    let simulator = Simulator::start(vec![device], &["--tick", "wall"], &log)?;
    let before = segments_again(guest)?;
    let done = begin(guest, bad).and_then(|()| does(&url));
    let again = segments_again(guest)? - before;
    let (ways, ended, restored) = (Way::both(guest), simulator.finish(), end(guest));
    let (ways, mut figures) = match (ways, done) {
        (Ok(ways), Ok(figures)) => (ways, figures),
        (ways, Err(why)) => return Err(why.context(format!("on a wire with {}, {ways:?}", bad.netem))),
        (Err(why), Ok(_)) => return Err(why),
    };
    ended.context("the simulator")?;
    restored?;
    if matches!(bad.trace, Trace::SentAgain) {
        ensure!(again > 0, "the guest sent nothing again: `{}` did nothing", bad.netem);
        figures.insert(format!("interop.netem.{}.{role}.sent_again", bad.name), again as f64);
    }
    for (way, to) in ways.iter().zip(["device", "guest"]) {
        way.shows(&bad.trace).with_context(|| format!("of `{}` to the {to}", bad.netem))?;
        let figure = |what: &str| format!("interop.netem.{}.{role}.to_{to}.{what}", bad.name);
        let counted = [("frames", way.frames), ("drops", way.drops), ("overtakes", way.overtakes)];
        figures.extend(counted.map(|(what, count)| (figure(what), count as f64)));
    }
    Ok(figures)
}

/// Spoils the wire. netem loses what Linux gives it at once: that is made one frame, sent and
/// received.
fn begin(guest: &Guest, bad: &Bad) -> Result<()> {
    let (netem, [sent, came]) = (bad.netem, bad.seeds);
    let back = if bad.only_sent { "limit 1000" } else { netem };
    let command = format!(
        "set -e
        /bin/ip link set dev eth0 gso_max_segs 1 gro_max_size 1
        /bin/ip link set dev ifb0 up
        /bin/tc qdisc add dev eth0 root netem {netem} seed {sent}
        /bin/tc qdisc add dev ifb0 root netem {back} seed {came}
        /bin/tc qdisc add dev eth0 ingress
        /bin/tc filter add dev eth0 parent ffff: protocol all matchall action mirred egress redirect dev ifb0"
    );
    guest.run(&command, PATIENCE)?.ok("tc: a bad wire").map(drop)
}

/// Makes the wire a good one again.
fn end(guest: &Guest) -> Result<()> {
    let command = "/bin/tc qdisc del dev eth0 ingress
        /bin/tc qdisc del dev eth0 root
        /bin/tc qdisc del dev ifb0 root
        /bin/ip link set dev ifb0 down
        /bin/ip link set dev eth0 gso_max_segs 65535 gro_max_size 65536
        ! /bin/tc qdisc | grep netem";
    guest.run(command, PATIENCE)?.ok("tc: a good wire").map(drop)
}

/// FPDUs with CRCs, and something was sent again: by Linux, whose lost frames the capture has not,
/// or by the device.
fn sent_again(summary: &Summary) -> Result<()> {
    spoke_iwarp_with_crc(summary)?;
    tells(summary, "retransmission")
}

/// FPDUs with CRCs, and a segment of Linux was overtaken.
fn out_of_order(summary: &Summary) -> Result<()> {
    spoke_iwarp_with_crc(summary)?;
    tells(summary, "out-of-order segment")
}

/// tshark says so of a segment.
fn tells(summary: &Summary, what: &str) -> Result<()> {
    let found = summary.experts.iter().any(|e| e.protocol == "TCP" && e.message.contains(what));
    ensure!(found, "no {what} in the capture: {:?}", summary.experts);
    Ok(())
}
