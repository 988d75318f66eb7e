// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program `ferrowarp-sim`: simulated RNICs as PCI functions behind vfio-user sockets.

mod carrier;
mod devices;
mod error;
mod flaps;
mod ports;
mod status;
mod switch;

use carrier::{Carried, Devices};
use clap::Parser;
use devices::Maker;
use error::Error;
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::eth::Tick;
use ferrowarp_sim::rnic::{Served, PATIENCE, THINK};
use ferrowarp_sim::{model, traced_model};
use flaps::FlapsOf;
use ports::Ports;
use serde_json::{json, Value};
use status::Counted;
use std::io::{stderr, stdout, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Instant;
use switch::Plan;

/// Simulates Ferrowarp RNICs: each is a PCI function behind a vfio-user socket, with an Ethernet
/// port. Or serves boards that are reached by Ethernet frames (--carrier) in the same way.
#[derive(Parser)]
#[command(version, after_help = HELP)]
struct Cli {
    /// A device: `vfio-user:PATH`, the socket for QEMU or a driver. May be repeated.
    #[arg(long, required = true, value_name = "DEVICE")]
    device: Vec<String>,
    /// The Ethernet port of each device, in the same order.
    #[arg(long, required_unless_present = "carrier", value_name = "PORT")]
    eth: Vec<String>,
    /// A port of the switch, `switch:N[,KEYS]`, and one of the ports below that stands there. May
    /// be repeated.
    #[arg(long, num_args = 2, value_names = ["SWITCH_PORT", "PORT"])]
    port: Vec<String>,
    /// Takes the link of device number N, from 0, down and up: `N,KEYS` with the keys below. May be
    /// repeated.
    #[arg(long, value_name = "N,KEYS")]
    flap: Vec<String>,
    /// Records the frames of each device, in the same order (pcapng). Times are simulated time
    /// behind `link:` and `switch:`, otherwise wall time. The file is complete when this program
    /// has ended.
    #[arg(long, value_name = "FILE")]
    pcap: Vec<PathBuf>,
    /// If a device fails, leaves waveforms (FST) of at least its last `--trace-cycles` cycles in
    /// this folder. Simulation is ten times slower.
    #[arg(long, value_name = "FOLDER")]
    trace_on_error: Option<PathBuf>,
    /// Leaves waveforms also if no device fails: `device-N-0.fst` and `device-N-1.fst`. The newer
    /// file has the end.
    #[arg(long, value_name = "FOLDER", conflicts_with = "trace_on_error")]
    trace: Option<PathBuf>,
    /// Cycles of a file of waveforms; a device writes two files in turn. A cycle takes some 250
    /// bytes.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    trace_cycles: u64,
    /// Tick of the devices: `wall` (a millisecond of wall time) or `cycles:N` (of their clock).
    #[arg(long, default_value = "wall")]
    tick: Tick,
    /// With ticks of cycles: milliseconds of wall time, 0 to 400, for which time stands still while
    /// only a timer can move a device. Then twenty ticks pass in each millisecond. A register
    /// access restarts the wait, and a waiting driver makes one access a second. With a longer
    /// wait, a timer might never expire.
    #[arg(long, value_name = "MS", default_value_t = PATIENCE.as_millis() as u64)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=400))]
    patience: u64,
    /// With ticks of cycles, behind `link:` and `switch:`: milliseconds of wall time, 0 to 400, for
    /// which time stands still behind each exchange between software and a device. An exchange is
    /// an access, an answer, an interrupt, or a short write of the device to memory. Software that
    /// computes meanwhile takes no simulated time. A larger value makes times repeat on a busy
    /// machine.
    #[arg(long, value_name = "MS", default_value_t = THINK.as_millis() as u64)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=400))]
    think: u64,
    #[command(flatten)]
    carried: Carried,
    /// Ends after this number of seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// Prints statistics as JSON at the end.
    #[arg(long)]
    json: bool,
}

const HELP: &str = "Ports:
  qemu-dgram:LOCAL,REMOTE   QEMU's -netdev dgram on unix sockets
  qemu-stream:PATH          QEMU's -netdev stream
  tap:NAME                  a TAP device
  link:N[,WIRE]             device number N of this command, from 0; WIRE: loss=0.01,delay=50,reorder=0.001,
                            duplicate=0.001,corrupt=0.001,seed=7 (shares of all frames, delay in microseconds); give
                            WIRE on one of the two
  switch:N[,KEYS]           port number N of the switch, from 0; any number of devices may be on it

Keys of a port of the switch:
  vlan=10                   frames without a tag belong to this VLAN, and leave without a tag; default 1
  trunk=10+20               frames have a tag with one of these VIDs
  queue=65536               octets of frames that wait to leave here; a frame without room is dropped
  ecn=30000                 when more octets wait, ECT in the IP header becomes CE
  loss=0.01,...             the keys of WIRE, both ways, in simulated time
Numbers of ports have no gaps. Each port has 10 Gb/s.

Keys of --flap; every and down are microseconds of simulated time:
  every=5000                the link is up for half to one and a half of this time
  down=1-3000               then the link is down for a time of this range, drawn on a logarithmic scale; both ends are told
  seed=7                    seed of the random numbers; default 0
A frame on the wire of a link that is down is lost, or ends with err at a device that has seen its beginning. Two devices behind
link: share one link: name one of the two.

Devices behind link: and switch: share one time. Each device has a thread, and its work takes the same simulated time on any
machine. A frame takes 500 ns on a cable, and the delay of WIRE. While nothing moves, software may compute for 20 ms of wall time
without simulated time.

Ports of --carrier: packet:IFACE, a packet socket on an interface of this machine (root or CAP_NET_RAW; frames of EtherType
0x88B5), or qemu-dgram:, qemu-stream: or tap: as above. Whoever sends frames of this EtherType on that Ethernet owns the device
and the memory that a program gives to the device: use a cable of its own, or a VLAN.

The program ends on SIGINT or SIGTERM, and removes its sockets and TAP devices.

Examples:
  Two devices on a wire that loses one frame of a hundred, and a program on each device
    ferrowarp-sim --device vfio-user:/tmp/a.sock --eth link:1,loss=0.01,seed=7 \\
                  --device vfio-user:/tmp/b.sock --eth link:0
    ferrowarp ping --device 'vfio-user:/tmp/a.sock;ip=10.0.0.1/24' --server
    ferrowarp ping --device 'vfio-user:/tmp/b.sock;ip=10.0.0.2/24' --client 10.0.0.1
  The same wire, which also goes down some two hundred times in a simulated second, for 10 us to 3 ms each
    ferrowarp-sim --device vfio-user:/tmp/a.sock --eth link:1 --device vfio-user:/tmp/b.sock --eth link:0 \\
                  --tick cycles:1562 --flap 0,every=5000,down=10-3000,seed=7
  Four devices on a switch with a TAP device of this machine. The first port has a short queue and marks frames, the second
  port loses frames
    ferrowarp-sim --device vfio-user:/tmp/a.sock --eth switch:0,queue=60000,ecn=20000 \\
                  --device vfio-user:/tmp/b.sock --eth switch:1,loss=0.01,seed=7 \\
                  --device vfio-user:/tmp/c.sock --eth switch:2 --device vfio-user:/tmp/d.sock --eth switch:3 \\
                  --port switch:4 tap:fw0
  Two devices in two VLANs, and a guest of QEMU in both
    ferrowarp-sim --device vfio-user:/tmp/a.sock --eth switch:0,vlan=10 \\
                  --device vfio-user:/tmp/b.sock --eth switch:1,vlan=20 \\
                  --port switch:2,trunk=10+20 qemu-dgram:/tmp/fw.sock,/tmp/qemu.sock
  One device on the kernel's network, with a capture; if the device fails, with a waveform
    ferrowarp-sim --device vfio-user:/tmp/a.sock --eth tap:fw0 --pcap a.pcapng --trace-on-error /tmp/waves
  One device on the wire of a QEMU guest, statistics as JSON
    ferrowarp-sim --device vfio-user:/tmp/a.sock --eth qemu-dgram:/tmp/fw.sock,/tmp/qemu.sock --json
  A board on the cable of eth0, and a program on the board
    ferrowarp-sim --device vfio-user:/tmp/a.sock --carrier packet:eth0
    ferrowarp info --device 'vfio-user:/tmp/a.sock;ip=10.0.0.1/24'
  Two boards on one switch; a board that is silent for half a second is gone
    ferrowarp-sim --device vfio-user:/tmp/a.sock --carrier packet:eth0 --carrier-device 02:46:57:00:00:01 \\
                  --device vfio-user:/tmp/b.sock --carrier packet:eth0 --carrier-device 02:46:57:00:00:03 \\
                  --carrier-gone 500";

fn main() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env();
    let filter = filter.unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let cli = Cli::parse();
    // the hardware as its tests have it
    let config = Config { qps: 16, cqs: 32, window_log2: 14, ..Config::profile(Profile::TenG) };
    let start = Instant::now();
    let done = match cli.carried.is_given() {
        true => serve(&cli, start),
        false => run(&cli, &config).map(|counted| {
            let took = start.elapsed();
            (status::json(&cli, &counted, config.clock_khz, took), status::text(&cli, &counted))
        }),
    };
    // what nobody reads is not missed: a closed pipe is no reason to panic
    drop(match (&done, cli.json) {
        (Ok((json, _)), true) => writeln!(stdout(), "{json}"),
        (Err(why), true) => writeln!(stdout(), "{}", json!({ "ok": false, "error": why.to_string() })),
        (Ok((_, text)), false) => write!(stdout(), "{text}"),
        (Err(why), false) => writeln!(stderr(), "error: {why}"),
    });
    ExitCode::from(u8::from(done.is_err()))
}

/// The sockets of the devices.
fn sockets(cli: &Cli) -> Result<Vec<&str>, Error> {
    let (devices, captures) = (cli.device.len(), cli.pcap.len());
    if captures > devices {
        return Err(Error::Captures(captures, devices));
    }
    let mut paths: Vec<&str> = vec![];
    for device in &cli.device {
        let path = device.strip_prefix("vfio-user:").filter(|path| !path.is_empty());
        let path = path.ok_or_else(|| Error::Device(device.clone()))?;
        if paths.contains(&path) {
            return Err(Error::Twice(device.clone()));
        }
        paths.push(path);
    }
    Ok(paths)
}

/// True when a signal has come.
fn stops() -> Result<Arc<AtomicBool>, Error> {
    let stops = Arc::new(AtomicBool::new(false));
    let heard = stops.clone();
    ctrlc::set_handler(move || heard.store(true, Ordering::Relaxed))
        .map_err(|e| Error::Signals(e.to_string()))?;
    Ok(stops)
}

/// Serves devices behind the carrier; what has happened, as JSON and as text.
fn serve(cli: &Cli, start: Instant) -> Result<(Value, String), Error> {
    let Cli { device, pcap, seconds, carried, .. } = cli;
    let devices = Devices { names: device, paths: sockets(cli)?, pcap, seconds: *seconds };
    carried.run(&devices, &*stops()?, start)
}

fn run(cli: &Cli, config: &Config) -> Result<Counted, Error> {
    if cli.device.len() != cli.eth.len() {
        return Err(Error::Count(cli.device.len(), cli.eth.len()));
    }
    let (paths, ports) = (sockets(cli)?, Ports::read(&cli.eth)?);
    let plan = Plan::read(&cli.eth, &cli.port)?;
    let flaps = FlapsOf::read(&cli.flap, paths.len(), &ports)?;
    let waves = cli.trace.as_ref().or(cli.trace_on_error.as_ref());
    if let Some(folder) = waves {
        std::fs::create_dir_all(folder).map_err(|why| Error::Folder { folder: folder.clone(), why })?;
    }
    // a signal ends the program at once as long as there is nothing to clean up
    let library = match waves {
        Some(_) => traced_model(Top::RnicW64, config)?,
        None => model(Top::RnicW64, config)?,
    };
    let stops = stops()?;
    let maker = Maker { cli, config, library, flaps: &flaps, waves: waves.map(PathBuf::as_path) };
    let (rnics, switch) = maker.make(&ports, plan.as_ref())?;
    let mut devices = vec![];
    for (n, (path, rnic)) in paths.iter().zip(rnics).enumerate() {
        let served = Served::serve(path.as_ref(), config, rnic);
        devices.push(served.map_err(|why| Error::Served(cli.device[n].clone(), why))?);
    }
    let watched = switch.as_ref().map(|switch| switch.lock().unwrap_or_else(PoisonError::into_inner).watch());
    status::watch(&devices, plan.as_ref().zip(watched), &stops, cli, config.clock_khz);
    let ended = devices.into_iter().zip(&cli.device);
    let ended = ended.map(|(served, name)| served.finish().map_err(|why| Error::Served(name.clone(), why)));
    let devices = ended.collect::<Result<_, _>>()?;
    let ports = switch.map(|switch| switch.lock().unwrap_or_else(PoisonError::into_inner).stats());
    Ok(Counted { devices, switch: plan.zip(ports) })
}
