//! `ferrowarp perf`: how fast Writes, Reads and Sends are, between two devices that both run it, or Writes and Reads with rping
//! at the other end ([`rping`]).
//!
//! The client makes a connection for each size and tells the server in a Send what comes ([`plan`]); the server names a buffer
//! in a Send of its own. What was measured is compared octet for octet at the end of each connection.
mod client;
mod end;
mod plan;
pub mod rping;
mod server;

pub use client::measure;
pub use plan::{Mode, Operation, Plan, MOST_OCTETS};
pub use server::serve;

use super::table::table;
use super::{counters, say, Program, Said, ToolError, URLS};
use crate::ping::Times;
use crate::verbs::{Status, WcOpcode};
use crate::{Device, Error, TcpInfo};
use serde::Serialize;
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Port of the server.
pub const PORT: u16 = 18_515;

const HELP: &str = "Examples:
  ferrowarp perf --device 'vfio:0000:03:00.0;ip=10.0.0.1/24' --server
  ferrowarp perf --device 'vfio:0000:04:00.0;ip=10.0.0.2/24' --client 10.0.0.1 --operation write
  ferrowarp perf -d 'vfio-user:/tmp/fw1.sock;ip=10.0.0.2/24' -c 10.0.0.1 -o read --latency \\
      --sizes 64,4096,65536 --iterations 100 --json
  With rping of any other RDMA device at the other end: rping -c -a 10.0.0.1 -v -V -C 1 -S 60000
  ferrowarp perf --device 'vfio:0000:03:00.0;ip=10.0.0.1/24' --server --peer rping --operation read --iterations 1000

Bandwidth: `--depth` requests are outstanding; a Write or Send is complete when the peer's TCP has it. Latency: one
request after the other, from posting to completion; of Sends until the server's answer of the same size is here.
With `--peer rping` the server measures: each ping of an rping becomes `--iterations` Reads, or Writes, of rping's buffer.
";

/// Arguments.
#[derive(clap::Args)]
#[command(after_help = format!("{HELP}{URLS}"))]
pub struct Args {
    /// Device, by URL
    #[arg(short, long)]
    device: String,
    /// Serves clients
    #[arg(short, long, conflicts_with = "client", required_unless_present = "client")]
    server: bool,
    /// Measures against the server at this address
    #[arg(short, long, value_name = "ADDRESS")]
    client: Option<IpAddr>,
    /// What is at the other end
    #[arg(long, value_enum, default_value = "ferrowarp", value_name = "PROGRAM")]
    peer: Program,
    /// TCP port, 0 of a server for a free one; without it 18515, and rping's 7174 for rping
    #[arg(short, long)]
    port: Option<u16>,
    /// What to measure
    #[arg(short, long, value_enum, default_value = "write")]
    operation: Operation,
    /// Time of single requests in place of bandwidth
    #[arg(short, long)]
    latency: bool,
    /// Client: octets of a message; rping has its own
    #[arg(long, value_delimiter = ',', default_values_t = [64, 1024, 16_384, 65_536])]
    sizes: Vec<u32>,
    /// Messages of each size
    #[arg(short, long, default_value_t = 100)]
    iterations: u32,
    /// Requests outstanding at once, 1 to 64
    #[arg(long, default_value_t = 8)]
    depth: u16,
    /// Server: ends after so many connections; a client makes one for each size. Without it the server goes on, and with rping ends after one
    #[arg(long)]
    connections: Option<u32>,
    /// Seconds that a step may take, or a server waits for a client
    #[arg(long, default_value_t = 60)]
    patience: u64,
    /// Adds TCP of each connection, and the device's counters, which begin at 0 when it is opened
    #[arg(long)]
    counters: bool,
    /// Prints JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Why nothing is measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PerfError {
    /// Octets that are too many or none.
    #[error("messages of {0} octets are not measured; give 1 to {MOST_OCTETS}")]
    Size(u32),
    /// Too many or none.
    #[error("{0} requests at once are not possible; give 1 to {most}", most = plan::MOST_DEPTH)]
    Depth(u16),
    /// Nothing to do.
    #[error("0 messages are nothing to measure; give 1 at least")]
    Iterations,
    /// rping's server asks for nothing, and no Send of rping's is long.
    #[error("rping is measured by `--server`, with `--operation read` or `write`, when it connects")]
    Rping,
    /// What the client told is no plan.
    #[error("the client sent {0} octets that are no plan; is it `ferrowarp perf` of this version?")]
    Plan(usize),
    /// What the server told is no buffer.
    #[error("the server sent {0} octets where 16 are due; is it `ferrowarp perf` of this version?")]
    Buffer(u32),
    /// A work request failed.
    #[error("{opcode:?} failed: {status} (error {error:#06x})")]
    Work {
        /// Which.
        opcode: WcOpcode,
        /// How.
        status: Status,
        /// Layer, type and code.
        error: u16,
    },
    /// Octets differ.
    #[error("octet {at} of {octets} is {got:#04x}, {wanted:#04x} was sent")]
    Differs {
        /// First octet that differs.
        at: usize,
        /// Octets of the message.
        octets: usize,
        /// What came.
        got: u8,
        /// What was sent.
        wanted: u8,
    },
}

/// What was measured with one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// What was done.
    pub operation: Operation,
    /// What was measured.
    pub mode: Mode,
    /// Octets of a message.
    pub octets: u32,
    /// Messages.
    pub messages: u32,
    /// Wall time of all of them in seconds.
    pub seconds: f64,
    /// Octets of messages a second of wall time, in megabits.
    pub mbit_per_s: f64,
    /// Time of all of them by the device's clock in microseconds, if it tells it: of a simulated device it is simulated time.
    pub device_us: Option<f64>,
    /// Times of single messages; only of latency.
    pub times_us: Option<Times>,
    /// TCP of the connection behind the last message.
    pub connection: Option<TcpInfo>,
}

pub(super) fn run(args: &Args) -> Result<Said, ToolError> {
    let patience = Duration::from_secs(args.patience);
    let mode = if args.latency { Mode::Latency } else { Mode::Bandwidth };
    let plan = |octets| Plan {
        operation: args.operation,
        mode,
        octets,
        messages: args.iterations,
        depth: args.depth,
    };
    let plans: Vec<_> = args
        .sizes
        .iter()
        .map(|&octets| plan(octets).checked())
        .collect::<Result<_, _>>()
        .map_err(Error::Perf)?;
    let is_rping = args.peer == Program::Rping;
    if is_rping && (args.client.is_some() || args.operation == Operation::Send) {
        return Err(Error::Perf(PerfError::Rping).into());
    }
    let port = args.port.unwrap_or(if is_rping { crate::ping::PORT } else { PORT });
    let connections = args.connections.unwrap_or(if is_rping { 1 } else { u32::MAX });
    let device = Device::open(&args.device)?;
    let mut reports = vec![];
    if let Some(address) = args.client {
        let remote = SocketAddr::new(address, port);
        for plan in &plans {
            reports.push(measure(&device, remote, plan, patience)?);
        }
    } else {
        let listener = device.listen(port, 3)?;
        if port == 0 && !args.json {
            say(&format!("listening on port {}", listener.local_addr().port()));
        }
        for _ in 0..connections {
            if is_rping {
                reports.extend(rping::serve(&device, &listener, &plan(1), patience)?);
                continue;
            }
            let plan = serve(&device, &listener, patience)?;
            if !args.json {
                say(&format!(
                    "served {} messages of {} octets: {}",
                    plan.messages, plan.octets, plan.operation
                ));
            }
        }
    }
    let mut said = said(&reports);
    if args.counters {
        for info in reports.iter().filter_map(|r| r.connection.as_ref()) {
            said.text += &format!("\n{}", counters::connection(info));
        }
        let more = counters::read(device.inspect(), false)?;
        said.text += &format!("\n{}", more.text);
        said.json["counters"] = more.json["counters"].clone();
    }
    Ok(said)
}

fn said(reports: &[Report]) -> Said {
    let row = |r: &Report| {
        let each = r.seconds * 1e6 / f64::from(r.messages);
        let [p50, p99] =
            r.times_us.map_or(["-".into(), "-".into()], |t| [t.p50, t.p99].map(|t| format!("{t:.1}")));
        let rate = format!("{:.3}", r.mbit_per_s);
        let (octets, messages) = (r.octets.to_string(), r.messages.to_string());
        [
            r.operation.to_string(),
            octets,
            messages,
            rate,
            format!("{each:.1}"),
            p50,
            p99,
            r.device_us.map_or("-".into(), |us| format!("{:.2}", us / f64::from(r.messages))),
        ]
    };
    let rows: Vec<_> = reports.iter().map(row).collect();
    let head =
        ["operation", "octets", "messages", "Mbit/s", "us each", "median us", "99 % us", "device us each"];
    let text = if rows.is_empty() { String::new() } else { table(head, &rows) };
    Said { text, json: json!({ "ok": true, "reports": reports }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_a_row_and_an_object() {
        let report = Report {
            operation: Operation::Read,
            mode: Mode::Latency,
            octets: 1000,
            messages: 4,
            seconds: 0.002,
            mbit_per_s: 16.0,
            device_us: Some(8.0),
            times_us: Times::of(&[Duration::from_micros(500)]),
            connection: None,
        };
        let said = said(&[report]);
        let row = said.text.lines().nth(1).unwrap();
        let cells: Vec<_> = row.split_whitespace().collect();
        assert_eq!(cells, ["read", "1000", "4", "16.000", "500.0", "500.0", "500.0", "2.00"]);
        assert_eq!(said.json["reports"][0]["mode"], "latency");
        assert_eq!(super::said(&[]).text, "");
    }
}
