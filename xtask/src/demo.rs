// SPDX-License-Identifier: MIT OR Apache-2.0
//! `demo`: two RNICs through vfio-user, a host application at each, every operation once, and what
//! tshark says about the wire. `--peer siw` has one RNIC, and Linux at the other end of the wire.
pub mod loss;
pub mod siw;

use crate::simulator::{self, Device, Simulator};
use crate::steps::Steps;
use crate::{child, emit, repo, setup, synth};
use anyhow::{bail, ensure, Context, Result};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcap::tshark::{self, Summary};
use ferrowarp_tests::device::config;
use loss::{Loss, LossError, Toll};
use serde::Deserialize;
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask demo\n  \
    cargo xtask demo --octets 65536     a shorter Write and Read\n  \
    cargo xtask demo --loss 0.01        one frame of a hundred is lost, of either direction; what that costs\n  \
    cargo xtask demo --loss 0.01 --seed 8 --octets 65536    other frames are lost\n  \
    cargo xtask demo --peer siw         against Linux's software iWARP in a QEMU guest (its image: about four minutes, once, as root)\n  \
    wireshark target/demo/client.pcapng\n\n\
    Installs what is missing and builds the simulation of a device from its emitted Verilog (a few minutes, once). Then\n\
    ferrowarp-sim serves two of them, joined by a link, as PCI functions behind vfio-user sockets, and `ferrowarp tour` runs on\n\
    each, as it would on two cards.\n\n\
    With --loss the wire loses frames at random. The tour ends well all the same, or the demo fails. A table tells what was lost and\n\
    what was sent again. tshark may tell what a lost frame causes, and nothing else. There are no waveforms then.\n\n\
    With siw the other end is rping, which has RDMA Read, RDMA Write and its own Sends only: no echo, no Send with Invalidate, and 27 to\n\
    65535 octets.")]
pub struct Args {
    /// What is at the other end of the wire
    #[arg(long, value_enum, default_value = "device")]
    peer: Peer,
    /// Octets of the Write and of the Read; without it 1 MiB; with siw 65535, which is the most
    /// that rping has
    #[arg(long)]
    octets: Option<usize>,
    /// Each frame is lost with this probability, 0 or more and less than 0.5, in steps of a
    /// millionth; only between two devices
    #[arg(long, value_name = "P", value_parser = loss::share, allow_negative_numbers = true)]
    loss: Option<f64>,
    /// Chooses which frames are lost
    #[arg(long, value_name = "N", default_value_t = loss::SEED, requires = "loss")]
    seed: u64,
}

/// What may be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Peer {
    /// A device like ours
    Device,
    /// Linux's software iWARP, with rping
    Siw,
}

/// Octets of the Write and of the Read between two devices.
const OCTETS: usize = 1 << 20;

/// Ticks of the devices' clock, a microsecond long, make simulated times the same in each run: the
/// last ACK of a Write is up to a tick late. Time stands still for 30 ms behind each word between
/// software and a device, which software needs on a busy machine.
const TIME: [&str; 4] = ["--tick", "cycles:156", "--think", "30"];
/// Milliseconds for which time stands still for software, so that the timers of a handshake do not
/// end on a busy machine. It is less than the pause between two looks of the driver at the device,
/// which would begin the wait anew.
const STILL: &str = "300";
/// Addresses of the two devices.
const ADDRESSES: [&str; 2] = ["10.0.0.1", "10.0.0.2"];
/// Seconds that a step of the applications may take.
const PATIENCE: &str = "300";
/// What the wire of 10 Gb/s carries at most: 1,440 octets of payload in 1,538 (see the bench
/// `first`).
const LIMIT: f64 = 10.0 * 1_440.0 / 1_538.0;

/// Octets of an operation from which on its goodput says something.
const LEAST: usize = 1_000;

/// What `ferrowarp tour --client --json` prints.
#[derive(Deserialize)]
struct Told {
    visit: Visit,
}

/// What two devices and their applications brought.
struct Exchanged {
    visit: Visit,
    /// What the wire did to the frames of each device, the server's first.
    tolls: [Toll; 2],
}

/// What an application saw.
#[derive(Deserialize)]
pub struct Visit {
    shown: Vec<Shown>,
    compared: usize,
    terminate: String,
}

#[derive(Deserialize)]
struct Shown {
    what: String,
    octets: usize,
    wall_us: f64,
    device_ns: Option<f64>,
}

pub fn run(args: &Args) -> Result<()> {
    match args.peer {
        Peer::Device => {
            let loss = args.loss.map(|share| Loss { share, seed: args.seed });
            two(args.octets.unwrap_or(OCTETS), loss)
        }
        Peer::Siw => {
            if let Some(share) = args.loss {
                bail!(LossError::Siw(share));
            }
            let octets = args.octets.unwrap_or(siw::OCTETS);
            // before a guest is booted for it
            ensure!(
                siw::SIZES.contains(&octets),
                "rping has no buffer of {octets} octets; give {} to {}",
                siw::SIZES.start(),
                siw::SIZES.end()
            );
            siw::run(octets)
        }
    }
}

/// Between two devices, on a wire that may lose frames.
fn two(octets: usize, loss: Option<Loss>) -> Result<()> {
    let mut steps = Steps::new(false);
    let folder = repo::target("demo");
    steps.run("setup", setup::ensure);
    let built = steps.run("simulator, driver, model of the device", simulator::prepare);
    let verilog = steps.run("the device's Verilog, read by Yosys", |_| verilog(&folder));
    let done = built.and_then(|()| {
        steps.run("two devices, two applications", |_| exchange(&folder, octets, loss.as_ref(), &[]))
    });
    let waves = folder.join("waves");
    let trace = ["--trace", &waves.display().to_string()].map(String::from);
    // the time-outs of a handshake that loses its frames are minutes of a traced simulation
    let traced = done.as_ref().filter(|_| loss.is_none()).and_then(|_| {
        steps.run("the same with 4 KiB and waveforms", |step| {
            simulator::prepare_traced(step)?;
            exchange(&waves, 4 << 10, None, &trace)
        })
    });
    let captures = ["server", "client"].map(|end| folder.join(format!("{end}.pcapng")));
    let judged = done.as_ref().and_then(|_| {
        steps.run("tshark", |_| match loss {
            Some(_) => loss::judge(&captures[1]),
            None => judge(&captures[1]),
        })
    });
    if let Some(Exchanged { visit, tolls }) = &done {
        print_visit(visit);
        // the server fails otherwise, and the exchange with it
        say!("The region of the refused Write: compared by the server after the Terminate, nothing placed");
        if let Some(loss) = &loss {
            say!("\n{}", loss::told(loss, tolls));
        }
    }
    if let Some(summary) = judged.as_ref().filter(|_| loss.is_some()) {
        say!("\n{}", loss::remarks(summary));
    }
    let waves = traced.map(|_| waves.join("device-1-0.fst"));
    print_rest(judged.as_ref(), verilog.as_ref(), &captures[1], waves.as_deref());
    steps.finish()
}

/// Prints what tshark says, and where everything lies.
fn print_rest(judged: Option<&Summary>, verilog: Option<&String>, capture: &Path, waves: Option<&Path>) {
    if let Some(Summary { frames, crc, .. }) = judged {
        say!("tshark: {frames} frames; of FPDUs {} CRCs good, {} bad; nothing malformed", crc.good, crc.bad);
    }
    let Some(verilog) = verilog else { return };
    say!("\n{verilog}");
    let kept = if waves.is_some() { "a capture and a waveform" } else { "a capture" };
    say!("each device has {kept} beside these:");
    say!("    wireshark {}", repo::shown(capture));
    if let Some(waves) = waves {
        say!("    gtkwave {}", repo::shown(waves));
    }
}

/// Writes the Verilog that is simulated to `folder`, and has Yosys look for what simulates but
/// cannot be built.
fn verilog(folder: &Path) -> Result<String> {
    let config = config();
    let emitted = ferrowarp_sim::emitted(Top::RnicW64, &config)?;
    let files = emit::write(&emitted, &config, folder)?;
    synth::latch_check(&emitted)?;
    let (lines, path) = (emitted.verilog.lines().count(), repo::shown(&files.verilog));
    Ok(format!(
        "Verilog: {path}, {lines} lines, {} modules; Yosys: no latch, double driver or loop",
        emitted.modules
    ))
}

/// An application; dropping it ends it.
struct Application(Option<Child>);

impl Application {
    /// `net` is what its URL has behind the path.
    fn start(socket: &Path, net: &str, arguments: &[impl AsRef<OsStr>]) -> Result<Self> {
        let url = format!("vfio-user:{};{net}", socket.display());
        let mut command = Command::new(repo::root().join("target/debug/ferrowarp"));
        command.args(["tour", "--device", &url]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().with_context(|| format!("cannot start {}", child::shown(&command)))?;
        Ok(Self(Some(child)))
    }

    /// Waits until a server says on standard error that it listens. Lines before that one are
    /// warnings, which are passed on.
    fn listens(&mut self) -> Result<()> {
        let pipe = self.0.as_mut().and_then(|child| child.stderr.as_mut()).context("the application runs")?;
        let mut line = vec![];
        while !line.starts_with(b"listening") || !line.ends_with(b"\n") {
            if line.ends_with(b"\n") {
                complain!("{}", String::from_utf8_lossy(&line).trim_end());
                line.clear();
            }
            let mut octet = [0];
            pipe.read_exact(&mut octet).context("the server ends before it listens")?;
            line.extend(octet);
        }
        Ok(())
    }

    /// Its end: what it printed; the error is what it complained of.
    fn said(mut self) -> Result<String> {
        let output = self.0.take().context("the application runs")?.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "`ferrowarp tour`: {said}{complaint}");
        Ok(said)
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // it may have ended by itself, which is as well
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// Serves the devices, runs the applications to their end, and stops the devices.
fn exchange(folder: &Path, octets: usize, loss: Option<&Loss>, more: &[String]) -> Result<Exchanged> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let place = std::env::temp_dir();
    let device = |n: usize, end: &str| Device {
        socket: place.join(format!("fw-demo-{}-{n}", std::process::id())),
        eth: format!("link:{}{}", 1 - n, loss.map_or_else(String::new, Loss::keys)),
        capture: folder.join(format!("{end}.pcapng")),
    };
    let devices = vec![device(0, "server"), device(1, "client")];
    let sockets: Vec<PathBuf> = devices.iter().map(|device| device.socket.clone()).collect();
    let (timers, still) = if loss.is_some() { (loss::TIMERS, loss::STILL) } else { ("", STILL) };
    let time = TIME.into_iter().chain(["--patience", still]);
    let options: Vec<_> = time.chain(more.iter().map(String::as_str)).collect();
    let simulator = Simulator::start(devices, &options, &folder.join("ferrowarp-sim.log"))?;
    let net = |n: usize| format!("ip={}/24{timers}", ADDRESSES[n]);
    let common = ["--json", "--counters", "--patience", PATIENCE];
    let mut server = Application::start(&sockets[0], &net(0), &[&common[..], &["--server"]].concat())?;
    server.listens()?;
    let octets = octets.to_string();
    let client = [&common[..], &["--client", ADDRESSES[0], "--octets", &octets]].concat();
    let client = Application::start(&sockets[1], &net(1), &client)?;
    let client = client.said().context("the client")?;
    let server = server.said().context("the server")?;
    let told: Told = serde_json::from_str(&client)?;
    let simulated = simulator.finish()?;
    let toll = |n: usize, said: &str| Toll::read(&simulated["devices"][n], said);
    Ok(Exchanged { visit: told.visit, tolls: [toll(0, &server)?, toll(1, &client)?] })
}

/// What tshark says of a capture; it has to find no fault.
fn judge(capture: &Path) -> Result<Summary> {
    let summary = tshark::read(capture)?;
    let mut faults = summary.faults();
    if summary.crc.bad != 0 || summary.crc.good == 0 || summary.checksums.bad != 0 {
        faults.push(format!("CRCs {:?}, checksums {:?}", summary.crc, summary.checksums));
    }
    if !faults.is_empty() {
        bail!("tshark finds faults in {}:\n{}", repo::shown(capture), faults.join("\n"));
    }
    Ok(summary)
}

/// Prints a line for each operation: times and goodput by the device's clock.
fn print_visit(visit: &Visit) {
    let width = visit.shown.iter().map(|s| s.what.len()).max().unwrap_or(0);
    let head = ("operation", "octets", "simulated us", "Gb/s", "of the wire", "wall s");
    say!("\n{:<width$} {:>9} {:>12} {:>6} {:>11} {:>7}", head.0, head.1, head.2, head.3, head.4, head.5);
    for Shown { what, octets, wall_us, device_ns } in &visit.shown {
        let none = || "-".to_string();
        let us = device_ns.map_or_else(none, |ns| format!("{:.2}", ns / 1e3));
        let rate = device_ns.filter(|&ns| ns > 0.0 && *octets >= LEAST).map(|ns| *octets as f64 * 8.0 / ns);
        let share = rate.map_or_else(none, |rate| format!("{:.0} %", 100.0 * rate / LIMIT));
        let (rate, wall) = (rate.map_or_else(none, |rate| format!("{rate:.2}")), wall_us / 1e6);
        let octets = if *octets > 0 { octets.to_string() } else { none() };
        say!("{what:<width$} {octets:>9} {us:>12} {rate:>6} {share:>11} {wall:>7.2}");
    }
    say!("\nmemory: {} octets compared, all as they must be", visit.compared);
    say!("Terminate: {}", visit.terminate);
}
