// SPDX-License-Identifier: MIT OR Apache-2.0
//! `demo`: two RNICs through vfio-user, a host application at each, every operation once, and what
//! tshark says about the wire. `--peer siw` has one RNIC, and Linux at the other end of the wire.
mod board;
pub mod browser;
mod diagram;
mod latency;
pub mod loss;
mod page;
mod programs;
mod rest;
pub mod siw;
mod terminal;
pub mod visit;
mod wave;

use crate::application::Application;
use crate::programs::Programs;
use crate::simulator::{self, Device, Simulator};
use crate::steps::Steps;
use crate::{out, repo, setup};
use anyhow::{bail, ensure, Context, Result};
use ferrowarp_sim::pcap::listing;
use ferrowarp_sim::pcap::tshark::{self, Summary};
use loss::{Loss, LossError, Toll};
use page::Page;
use std::path::{Path, PathBuf};
use visit::{Told, Visit};
use wave::Wave;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    cargo xtask demo\n  \
    cargo xtask demo --octets 65536     a shorter Write and Read\n  \
    cargo xtask demo --loss 0.01        one frame of a hundred is lost, in both directions; shows the cost\n  \
    cargo xtask demo --loss 0.01 --seed 8 --octets 65536    other frames are lost\n  \
    cargo xtask demo --html demo.html   also a page: table, latency, waveform, packets\n  \
    cargo xtask demo --record           also docs/demo.svg, a picture of the terminal\n  \
    cargo xtask demo --peer siw         against Linux's software iWARP in a QEMU guest (its image: about four minutes, once, as root)\n  \
    cargo xtask demo --programs         Debian's ibv_devinfo, rping, ib_write_bw and ib_write_lat on two devices\n  \
    cargo xtask demo --board ecpix5     the same at the RGMII pins of a simulated board, whose host is the daemon of the carrier\n  \
    wireshark target/demo/client.pcapng\n\n\
    Installs missing tools and builds the simulation of a device from its emitted Verilog (a few minutes, once). ferrowarp-sim\n\
    then serves two devices, joined by a link, as PCI functions behind vfio-user sockets. `ferrowarp tour` runs on each, as on\n\
    two cards.\n\n\
    With --loss the wire loses frames at random. If the tour does not end well, the demo fails. A table has the frames that were lost\n\
    and sent again. tshark may report the effects of a lost frame, and nothing else. With --loss there are no waveforms.\n\n\
    With siw the other end is rping. rping has RDMA Read, RDMA Write and its own Sends only: no echo, no Send with Invalidate, and 27\n\
    to 65535 octets.")]
pub struct Args {
    /// The other end of the wire
    #[arg(long, value_enum, default_value = "device")]
    peer: Peer,
    /// Simulate the top of this board; siw and the carrier's daemon stand at the board's RGMII pins
    #[arg(long, value_name = "NAME", conflicts_with_all = ["peer", "loss", "html"])]
    board: Option<String>,
    /// Run unchanged programs of Debian on the library of `cargo xtask dropin`
    #[arg(long, conflicts_with_all = ["peer", "loss", "html", "board", "octets"])]
    programs: bool,
    /// Octets of the Write and of the Read [default: 1 MiB; with siw 65535, the largest size of
    /// rping]
    #[arg(long)]
    octets: Option<usize>,
    /// Probability with which a frame is lost: 0 or more and less than 0.5, in steps of 0.000001;
    /// only between two devices
    #[arg(long, value_name = "P", value_parser = loss::share, allow_negative_numbers = true)]
    loss: Option<f64>,
    /// Seed that chooses the lost frames
    #[arg(long, value_name = "N", default_value_t = loss::SEED, requires = "loss")]
    seed: u64,
    /// Write a page that needs no other file: the table, the latency of one Write, a waveform as
    /// text, and the packets
    #[arg(long, value_name = "FILE", conflicts_with = "loss")]
    html: Option<PathBuf>,
    /// Write a picture (SVG) of the terminal [default file: docs/demo.svg]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = PICTURE)]
    record: Option<PathBuf>,
}

/// Where the picture of README is, from the root.
const PICTURE: &str = "docs/demo.svg";

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
/// The same of the run with waveforms.
const TRACED: usize = 4 << 10;
/// Cycles of a file of waveforms: more than that run has, so that one file has all of it.
const TRACED_CYCLES: &str = "200000";

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

/// What two devices and their applications brought.
struct Exchanged {
    visit: Visit,
    /// What the wire did to the frames of each device, the server's first.
    tolls: [Toll; 2],
}

pub fn run(args: &Args) -> Result<()> {
    if args.record.is_some() {
        out::record();
    }
    let done = shown(args);
    if let Some(file) = &args.record {
        let name = file.to_string_lossy();
        let command = std::env::args().skip(1).filter(|word| !word.starts_with("--record") && *word != name);
        let command = ["cargo xtask".to_string()].into_iter().chain(command).collect::<Vec<_>>().join(" ");
        repo::write(&beside(file), &terminal::svg(&command, &out::recorded()))?;
        say!("{}", repo::shown(&beside(file)));
    }
    done
}

/// A file of a command line: a relative one counts from the folder of the caller, the picture of
/// README from the root.
fn beside(file: &Path) -> PathBuf {
    if file == Path::new(PICTURE) {
        repo::root().join(file)
    } else {
        file.into()
    }
}

fn shown(args: &Args) -> Result<()> {
    if args.programs {
        return programs::run();
    }
    if let Some(name) = &args.board {
        return board::run(name, octets_of_rping(args.octets)?);
    }
    match args.peer {
        Peer::Device => {
            let loss = args.loss.map(|share| Loss { share, seed: args.seed });
            two(args.octets.unwrap_or(OCTETS), loss, args.html.as_deref())
        }
        Peer::Siw => {
            if let Some(share) = args.loss {
                bail!(LossError::Siw(share));
            }
            ensure!(args.html.is_none(), "--html shows two devices; leave out --peer siw");
            // before a guest is booted for it
            siw::run(octets_of_rping(args.octets)?)
        }
    }
}

/// Octets of the Read and of the Write with rping.
fn octets_of_rping(given: Option<usize>) -> Result<usize> {
    let octets = given.unwrap_or(siw::OCTETS);
    let (least, most) = siw::SIZES.into_inner();
    ensure!(
        (least..=most).contains(&octets),
        "rping has no buffer of {octets} octets; give {least} to {most}"
    );
    Ok(octets)
}

/// Between two devices, on a wire that may lose frames.
fn two(octets: usize, loss: Option<Loss>, html: Option<&Path>) -> Result<()> {
    let mut steps = Steps::new(false);
    let folder = repo::target("demo");
    steps.run("setup", setup::ensure);
    let built = steps.run("simulator, driver, model of the device", simulator::prepare);
    let verilog = steps.run("the device's Verilog, read by Yosys", |_| rest::verilog(&folder));
    let done = built.and_then(|()| {
        steps.run("two devices, two applications", |_| exchange(&folder, octets, loss.as_ref(), &[]))
    });
    let waves = folder.join("waves");
    let trace = ["--trace-cycles", TRACED_CYCLES, "--trace", &waves.display().to_string()].map(String::from);
    // the time-outs of a handshake that loses its frames are minutes of a traced simulation
    let traced = done.as_ref().filter(|_| loss.is_none()).and_then(|_| {
        steps.run("the same with 4 KiB and waveforms", |step| {
            simulator::prepare_traced(step)?;
            // waveforms of an earlier run would be taken for the end of this one
            repo::emptied("demo/waves")?;
            exchange(&waves, TRACED, None, &trace)
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
        visit::print(visit, visit::WIRE);
        // the server fails otherwise, and the exchange with it
        say!("The region of the refused Write: compared by the server after the Terminate, nothing placed");
        if let Some(loss) = &loss {
            say!("\n{}", loss::told(loss, tolls));
        }
    }
    if let Some(summary) = judged.as_ref().filter(|_| loss.is_some()) {
        say!("\n{}", loss::remarks(summary));
    }
    if let (Some(html), Some(done), Some(_)) = (html, &done, &traced) {
        let facts =
            [judged.as_ref().map(rest::told), verilog.clone()].into_iter().flatten().collect::<Vec<_>>();
        steps.run("page", |_| repo::write(html, &paged(&waves, &done.visit, &facts)?));
    }
    let waves = traced.map(|_| waves.join("device-1-0.fst"));
    rest::print(judged.as_ref(), verilog.as_ref(), &captures[1], waves.as_deref());
    if let Some(html) = html {
        say!("    {}", html.display());
    }
    steps.finish()
}

/// The page, from the visit and from what the traced run left in `folder`.
fn paged(folder: &Path, visit: &Visit, facts: &[String]) -> Result<String> {
    let files = [0, 1].map(|n| folder.join(format!("device-1-{n}.fst")));
    let wave = Wave::read(&files)?;
    let write = latency::write(&wave)?;
    let page = Page {
        visit,
        passed: &write.passed,
        clock_ps: ferrowarp_tests::device::clock_ps(),
        diagram: &diagram::draw(&wave, &write.frame),
        packets: &listing::list(&folder.join("client.pcapng"))?,
        octets: TRACED,
        facts,
    };
    Ok(page.html())
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
    let built = Programs::built();
    let mut server =
        Application::start(&built, &sockets[0], &net(0), &[&common[..], &["--server"]].concat())?;
    server.listens()?;
    let octets = octets.to_string();
    let client = [&common[..], &["--client", ADDRESSES[0], "--octets", &octets]].concat();
    let client = Application::start(&built, &sockets[1], &net(1), &client)?;
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
