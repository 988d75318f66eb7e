// SPDX-License-Identifier: MIT OR Apache-2.0
//! `demo --programs`: programs of Debian, unchanged, on two simulated devices, and what tshark says
//! about the wire.
use super::rest;
use crate::dropin::{self, pairs, place, Program};
use crate::simulator::{self, Device, Simulator};
use crate::steps::Steps;
use crate::{repo, setup};
use anyhow::{bail, ensure, Context, Result};
use ferrowarp_sim::pcap::listing;
use ferrowarp_sim::pcap::tshark::{self, Summary};
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest run of a program.
const PATIENCE: Duration = Duration::from_secs(120);
/// tshark's name of a frame with an FPDU.
const FPDU: &str = "DDP/RDMA";

/// A program at each device: the name, the server's words, the client's without its address, and
/// octets of the payload that crosses the wire.
const RUNS: [(&str, &str, &str, usize); 3] = [
    ("rping, 10 pings of 1,000 octets", "rping -s -V -C 10 -S 1000", "rping -c -V -C 10 -S 1000 -a", 20_000),
    (
        "ib_write_bw, 20 Writes of 64 KiB",
        "ib_write_bw -R -F -n 20 -s 65536",
        "ib_write_bw -R -F -n 20 -s 65536",
        20 << 16,
    ),
    (
        "ib_write_lat, 200 Writes of 64 octets",
        "ib_write_lat -R -F -n 200 -s 64",
        "ib_write_lat -R -F -n 200 -s 64",
        400 * 64,
    ),
];

/// A row of the table.
struct Row {
    name: &'static str,
    octets: usize,
    /// Simulated microseconds from the first FPDU to the last.
    simulated_us: f64,
    wall: Duration,
}

/// Runs the demo.
pub fn run() -> Result<()> {
    let mut steps = Steps::new(false);
    let folder = repo::target("demo").join("programs");
    steps.run("setup", setup::ensure);
    let built = steps.run("simulator, model of the device", simulator::prepare);
    let library = built.and_then(|()| steps.run("the library", dropin::build));
    let mut rows = vec![];
    let mut told = None;
    for run in &RUNS {
        let done = library.as_ref().and_then(|library| {
            steps.run(run.0, |_| {
                let row = exchange(&folder, library, run)?;
                told = Some(judged(&folder.join("client.pcapng"))?);
                Ok(row)
            })
        });
        rows.extend(done);
    }
    if let Some(library) = &library {
        let devinfo = steps.run("ibv_devinfo", |_| devinfo(&folder, library));
        say!("\n{}", devinfo.unwrap_or_default().trim());
    }
    print(&rows);
    if let Some(summary) = &told {
        say!("\n{} (the last program)", rest::told(summary));
    }
    steps.finish()
}

/// Serves two devices that a link joins while `body` runs with their devices as the library takes
/// them.
fn served<T>(folder: &Path, body: impl FnOnce([String; 2]) -> Result<T>) -> Result<T> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let socket = |n: usize| std::env::temp_dir().join(format!("fw-demo-programs-{}-{n}", std::process::id()));
    let device = |n: usize, end: &str| Device {
        socket: socket(n),
        eth: format!("link:{}", 1 - n),
        capture: folder.join(format!("{end}.pcapng")),
    };
    let devices = vec![device(0, "server"), device(1, "client")];
    let simulator = Simulator::start(devices, &[], &folder.join("ferrowarp-sim.log"))?;
    let urls =
        [0, 1].map(|n| format!("fw{n}=vfio-user:{};ip={}/24", socket(n).display(), place::ADDRESSES[n]));
    let done = body(urls)?;
    simulator.finish()?;
    Ok(done)
}

/// What `ibv_devinfo` says of a device.
fn devinfo(folder: &Path, library: &Path) -> Result<String> {
    served(folder, |[url, _]| Program::start("ibv_devinfo", library, &url)?.done(PATIENCE))
}

/// Runs a program at each device.
fn exchange(
    folder: &Path,
    library: &Path,
    &(name, server, client, octets): &(&'static str, &str, &str, usize),
) -> Result<Row> {
    let start = Instant::now();
    let client = format!("{client} {}", place::ADDRESSES[0]);
    served(folder, |urls| {
        let serves = Program::start(server, library, &urls[0])?;
        pairs::asked(|| Program::start(&client, library, &urls[1]))?;
        serves.done(PATIENCE)
    })?;
    let wall = start.elapsed();
    Ok(Row { name, octets, simulated_us: span_us(&folder.join("client.pcapng"))?, wall })
}

/// What tshark says of a capture. perftest ends a connection without a disconnect: a reset is no
/// fault.
fn judged(capture: &Path) -> Result<Summary> {
    let summary = tshark::read(capture)?;
    let mut faults = summary.faults();
    faults.retain(|fault| !fault.contains("Connection reset"));
    ensure!(faults.is_empty(), "tshark finds faults in {}:\n{}", repo::shown(capture), faults.join("\n"));
    ensure!(summary.crc.bad == 0 && summary.crc.good > 0, "CRCs of FPDUs: {:?}", summary.crc);
    Ok(summary)
}

/// Simulated microseconds from the first FPDU of a capture to the last.
fn span_us(capture: &Path) -> Result<f64> {
    let packets = listing::list(capture)?;
    let times: Vec<_> = packets.iter().filter(|p| p.protocol == FPDU).map(|p| p.seconds).collect();
    match (times.first(), times.last()) {
        (Some(first), Some(last)) => Ok((last - first) * 1e6),
        _ => bail!("no FPDU in {}", repo::shown(capture)),
    }
}

/// Prints a line for each program.
fn print(rows: &[Row]) {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    say!("\n{:<width$} {:>9} {:>13} {:>6} {:>7}", "program", "octets", "simulated us", "Gb/s", "wall s");
    for Row { name, octets, simulated_us, wall } in rows {
        let rate = *octets as f64 * 8.0 / simulated_us / 1e3;
        say!("{name:<width$} {octets:>9} {simulated_us:>13.1} {rate:>6.2} {:>7.2}", wall.as_secs_f64());
    }
}
