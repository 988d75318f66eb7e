// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp perf`: how fast Writes, Reads and Sends are.
use super::counters;
use crate::devices::{Program, URLS};
use crate::error::ToolError;
use crate::perf::{measure, rping, serve, Mode, Operation, PerfError, Plan, Report, PORT};
use crate::said::{say, Said};
use crate::table::table;
use ferrowarp::Device;
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

const HELP: &str = "Examples:
  ferrowarp perf --device 'vfio:0000:03:00.0;ip=10.0.0.1/24' --server
  ferrowarp perf --device 'vfio:0000:04:00.0;ip=10.0.0.2/24' --client 10.0.0.1 --operation write
  ferrowarp perf -d 'vfio-user:/tmp/fw1.sock;ip=10.0.0.2/24' -c 10.0.0.1 -o read --latency \\
      --sizes 64,4096,65536 --iterations 100 --json
  With rping on another RDMA device at the other end: rping -c -a 10.0.0.1 -v -V -C 1 -S 60000
  ferrowarp perf --device 'vfio:0000:03:00.0;ip=10.0.0.1/24' --server --peer rping --operation read --iterations 1000

Bandwidth: `--depth` requests are outstanding. A Write or Send is complete when the peer's TCP has acknowledged the octets.
Latency: one request after the other, from posting to completion. The time of a Send ends with the server's answer of the same size.
With `--peer rping` the server measures: each ping of an rping becomes `--iterations` Reads, or Writes, of rping's buffer.
";

/// Arguments.
#[derive(clap::Args)]
#[command(after_help = format!("{HELP}{URLS}"))]
pub(crate) struct Args {
    /// Device, by URL
    #[arg(short, long)]
    device: String,
    /// Serves clients
    #[arg(short, long, conflicts_with = "client", required_unless_present = "client")]
    server: bool,
    /// Measures against the server at this address
    #[arg(short, long, value_name = "ADDRESS")]
    client: Option<IpAddr>,
    /// Program at the other end
    #[arg(long, value_enum, default_value = "ferrowarp", value_name = "PROGRAM")]
    peer: Program,
    /// TCP port; 0 gives a server a free port [default: 18515; with rping 7174]
    #[arg(short, long)]
    port: Option<u16>,
    /// What to measure
    #[arg(short, long, value_enum, default_value = "write")]
    operation: Operation,
    /// Measures the time of single requests instead of bandwidth
    #[arg(short, long)]
    latency: bool,
    /// Client: octets of a message; with rping, rping's own sizes
    #[arg(long, value_delimiter = ',', default_values_t = [64, 1024, 16_384, 65_536])]
    sizes: Vec<u32>,
    /// Messages of each size
    #[arg(short, long, default_value_t = 100)]
    iterations: u32,
    /// Requests outstanding at once, 1 to 64
    #[arg(long, default_value_t = 8)]
    depth: u16,
    /// Server: ends after so many connections; a client makes one for each size [default: no end;
    /// with rping 1]
    #[arg(long)]
    connections: Option<u32>,
    /// Most seconds of a step, and of a server's wait for a client
    #[arg(long, default_value_t = 60)]
    patience: u64,
    /// Adds TCP of each connection, and the device's counters since the device was opened
    #[arg(long)]
    counters: bool,
    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Said, ToolError> {
    let patience = Duration::from_secs(args.patience);
    let mode = if args.latency { Mode::Latency } else { Mode::Bandwidth };
    let plan = |octets| Plan {
        operation: args.operation,
        mode,
        octets,
        messages: args.iterations,
        depth: args.depth,
    };
    let plans: Vec<_> = args.sizes.iter().map(|&octets| plan(octets).checked()).collect::<Result<_, _>>()?;
    let is_rping = args.peer == Program::Rping;
    if is_rping && (args.client.is_some() || args.operation == Operation::Send) {
        return Err(PerfError::Rping.into());
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
    use crate::ping::Times;

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
