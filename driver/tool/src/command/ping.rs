// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp ping`: rping's protocol.
use crate::devices::URLS;
use crate::error::ToolError;
use crate::ping::{client, serve, ClientOptions, Report, ServerOptions, PORT};
use crate::said::{say, Said};
use ferrowarp::{Device, Error, Greeting, Initiator, Startup};
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

const HELP: &str = "Examples:
  Server on a simulated device whose Ethernet is QEMU's `-netdev dgram`; in the guest: rping -c -a 10.0.0.2 -V -C 10
    ferrowarp ping --device 'sim:eth=qemu-dgram:/tmp/fw.sock,/tmp/qemu.sock;ip=10.0.0.2/24' --server
  Client, for `rping -s -v -V -C 10 -S 1000` in the guest
    ferrowarp ping --device 'sim:eth=qemu-dgram:/tmp/fw.sock,/tmp/qemu.sock;ip=10.0.0.2/24' \\
        --client 10.0.0.1 --count 10 --size 1000 --json
  Each end sends a line before MPA starts; the server sends the MPA Request
    ferrowarp ping -d 'vfio-user:/tmp/fw0.sock;ip=10.0.0.1/24' --server --raw 'hello, client' --initiator listen
    ferrowarp ping -d 'vfio-user:/tmp/fw1.sock;ip=10.0.0.2/24' --client 10.0.0.1 --raw 'hello, server' --initiator listen
";

/// Arguments.
#[derive(clap::Args)]
#[command(after_help = format!("{HELP}{URLS}"))]
pub(crate) struct Args {
    /// Device, by URL.
    #[arg(short, long)]
    device: String,
    /// Waits for clients.
    #[arg(short, long, conflicts_with = "client", required_unless_present = "client")]
    server: bool,
    /// Pings this address.
    #[arg(short, long, value_name = "ADDRESS")]
    client: Option<IpAddr>,
    /// TCP port; 0 gives a server a free port.
    #[arg(short, long, default_value_t = PORT)]
    port: u16,
    /// Client: number of pings.
    #[arg(short = 'C', long, default_value_t = 10)]
    count: u32,
    /// Client: octets of each ping, 27 to 65535.
    #[arg(short = 'S', long, default_value_t = 64)]
    size: usize,
    /// Server: ends after so many clients.
    #[arg(long, default_value_t = 1)]
    clients: u32,
    /// Server: compares received octets with rping's text. A client always compares.
    #[arg(short = 'V', long)]
    validate: bool,
    /// Prints a line for each ping.
    #[arg(short, long)]
    verbose: bool,
    /// Client: asks for the peer-to-peer mode of RFC 6581.
    #[arg(long)]
    peer_to_peer: bool,
    /// Sends this line before MPA starts, and waits for the peer's line. Overrides `raw=` of the
    /// URL.
    #[arg(long, value_name = "TEXT")]
    raw: Option<String>,
    /// With --raw: the end that sends the MPA Request, `connect` or `listen`. Give both ends the
    /// same value.
    #[arg(long, requires = "raw", default_value = "connect", value_name = "END")]
    initiator: Initiator,
    /// Most seconds of a step, and of a server's wait for a client.
    #[arg(long, default_value_t = 60)]
    patience: u64,
    /// Prints a JSON object at the end, also of an error.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Said, ToolError> {
    let reports = ping(args)?;
    let text = reports.iter().map(text).collect::<Vec<_>>().join("\n");
    Ok(Said { text, json: json!({ "ok": true, "connections": reports }) })
}

fn ping(args: &Args) -> Result<Vec<Report>, ToolError> {
    let device = Device::open(&args.device)?;
    let patience = Duration::from_secs(args.patience);
    let startup = args.raw.as_ref().map(|line| Greeting::new(line, args.initiator)).transpose();
    let startup = startup.map_err(Error::from)?.map(Startup::Delayed);
    let shows = args.verbose && !args.json;
    if let Some(address) = args.client {
        let options = ClientOptions {
            remote: SocketAddr::new(address, args.port),
            count: args.count,
            size: args.size,
            peer_to_peer: args.peer_to_peer,
            startup,
            patience,
        };
        let told = |nth, time: Duration| {
            if shows {
                say(&format!("ping {nth}: {:.0} us", time.as_secs_f64() * 1e6));
            }
        };
        return Ok(vec![client(&device, &options, told)?]);
    }
    let listener = match startup {
        Some(startup) => device.listen_with(device.serves_at(args.port), 3, startup)?,
        None => device.listen(args.port, 3)?,
    };
    if args.port == 0 && !args.json {
        say(&format!("listening on port {}", listener.local_addr().port()));
    }
    let options = ServerOptions { accept: patience, patience, validate: args.validate };
    let told = |_, octets: &[u8]| {
        if shows {
            let end = octets.iter().position(|&o| o == 0).unwrap_or(octets.len());
            say(&format!("server ping data: {}", String::from_utf8_lossy(&octets[..end])));
        }
    };
    (0..args.clients).map(|_| serve(&device, &listener, &options, told)).collect()
}

fn text(report: &Report) -> String {
    let head = format!("{} pings of {} octets", report.pings, report.octets);
    let times = report.times_us.map(|t| {
        let (min, mean, p50, p99, max) = (t.min, t.mean, t.p50, t.p99, t.max);
        format!(": min {min:.0} us, mean {mean:.0} us, median {p50:.0} us, 99 % {p99:.0} us, max {max:.0} us")
    });
    let greeting = report.greeting.as_ref().map(|line| format!("; the peer's greeting: {line}"));
    head + &times.unwrap_or_default() + &greeting.unwrap_or_default()
}
