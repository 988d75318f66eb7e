//! The tool `ferrowarp`.
#![allow(clippy::print_stdout)] // it is a tool: its results go there

use clap::{Args, Parser, Subcommand};
use ferrowarp::ping::{client, serve, ClientOptions, Report, ServerOptions, PORT};
use ferrowarp::{Device, Error};
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

/// Works with Ferrowarp RNICs.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Speaks rping's protocol with rping or with itself.
    #[command(after_help = PING_HELP)]
    Ping(Ping),
}

const PING_HELP: &str = "Examples:
  Server on a simulated device whose Ethernet is QEMU's `-netdev dgram`; in the guest: rping -c -a 10.0.0.2 -V -C 10
    ferrowarp ping --device 'sim:eth=qemu-dgram:/tmp/fw.sock,/tmp/qemu.sock;ip=10.0.0.2/24' --server
  Client, for `rping -s -v -V -C 10 -S 1000` in the guest
    ferrowarp ping --device 'sim:eth=qemu-dgram:/tmp/fw.sock,/tmp/qemu.sock;ip=10.0.0.2/24' \\
        --client 10.0.0.1 --count 10 --size 1000 --json
  Device URLs: sim:eth=ETH;ip=ADDRESS/PREFIX[;tick=wall|clock][;pcap=FILE][;mac=MAC][;gw=ADDRESS][;crc=on|off]
    ETH: qemu-dgram:LOCAL,REMOTE  qemu-stream:PATH  tap:NAME";

#[derive(Args)]
struct Ping {
    /// Device, by URL.
    #[arg(short, long)]
    device: String,
    /// Waits for clients.
    #[arg(short, long, conflicts_with = "client", required_unless_present = "client")]
    server: bool,
    /// Pings this address.
    #[arg(short, long, value_name = "ADDRESS")]
    client: Option<IpAddr>,
    /// TCP port.
    #[arg(short, long, default_value_t = PORT)]
    port: u16,
    /// Client: number of pings.
    #[arg(short = 'C', long, default_value_t = 10)]
    count: u32,
    /// Client: octets of each, 27 to 65535.
    #[arg(short = 'S', long, default_value_t = 64)]
    size: usize,
    /// Server: number of clients until it ends.
    #[arg(long, default_value_t = 1)]
    clients: u32,
    /// Server: compares what it reads with rping's text. A client always compares.
    #[arg(short = 'V', long)]
    validate: bool,
    /// Prints a line for each ping.
    #[arg(short, long)]
    verbose: bool,
    /// Client: asks for the peer-to-peer mode of RFC 6581.
    #[arg(long)]
    peer_to_peer: bool,
    /// Seconds that a step may take, or a server waits for a client.
    #[arg(long, default_value_t = 60)]
    patience: u64,
    /// Prints a JSON object at the end, also of an error.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env();
    let filter = filter.unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let Command::Ping(ping) = Cli::parse().command;
    let result = run(&ping);
    match (&result, ping.json) {
        (Ok(reports), true) => println!("{}", json!({ "ok": true, "connections": reports })),
        (Err(why), true) => println!("{}", json!({ "ok": false, "error": why.to_string() })),
        (Ok(reports), false) => reports.iter().for_each(|report| println!("{}", text(report))),
        (Err(why), false) => eprintln!("error: {why}"),
    }
    ExitCode::from(u8::from(result.is_err()))
}

fn run(ping: &Ping) -> Result<Vec<Report>, Error> {
    let device = Device::open(&ping.device)?;
    let patience = Duration::from_secs(ping.patience);
    let shows = ping.verbose && !ping.json;
    if let Some(address) = ping.client {
        let options = ClientOptions {
            remote: SocketAddr::new(address, ping.port),
            count: ping.count,
            size: ping.size,
            peer_to_peer: ping.peer_to_peer,
            patience,
        };
        let told = |nth, time: Duration| {
            if shows {
                println!("ping {nth}: {:.0} us", time.as_secs_f64() * 1e6);
            }
        };
        return Ok(vec![client(&device, &options, told)?]);
    }
    let listener = device.listen(ping.port, 3)?;
    let options = ServerOptions { accept: patience, patience, validate: ping.validate };
    let told = |_, octets: &[u8]| {
        if shows {
            let end = octets.iter().position(|&o| o == 0).unwrap_or(octets.len());
            println!("server ping data: {}", String::from_utf8_lossy(&octets[..end]));
        }
    };
    (0..ping.clients).map(|_| serve(&device, &listener, &options, told)).collect()
}

fn text(report: &Report) -> String {
    let head = format!("{} pings of {} octets", report.pings, report.octets);
    let times = report.times_us.map(|t| {
        let (min, mean, p50, p99, max) = (t.min, t.mean, t.p50, t.p99, t.max);
        format!(": min {min:.0} us, mean {mean:.0} us, median {p50:.0} us, 99 % {p99:.0} us, max {max:.0} us")
    });
    head + &times.unwrap_or_default()
}
