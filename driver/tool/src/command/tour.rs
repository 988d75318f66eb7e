// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp tour`: every operation once, with the proof that it did what it should.
use super::counters;
use crate::devices::{Program, URLS};
use crate::error::ToolError;
use crate::said::{say, Said};
use crate::table::table;
use crate::tour::{guide, rping, visit, Shown, Visit, PORT, REGION};
use ferrowarp::Device;
use serde_json::json;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

const HELP: &str = "Examples:
  ferrowarp tour --device 'vfio:0000:03:00.0;ip=10.0.0.1/24' --server
  ferrowarp tour --device 'vfio:0000:04:00.0;ip=10.0.0.2/24' --client 10.0.0.1
  ferrowarp tour -d 'vfio-user:/tmp/fw1.sock;ip=10.0.0.2/24' -c 10.0.0.1 --octets 65536 --json
  ferrowarp tour -d 'vfio-user:/tmp/fw1.sock;ip=10.0.0.2/24' -c 10.0.0.1 --counters    shows the segments that left again
  With markers both ways, in VLAN 5; give both ends the same keys:
  ferrowarp tour -d 'vfio-user:/tmp/fw0.sock;ip=10.0.0.1/24;markers=on;vlan=5' --server
  ferrowarp tour -d 'vfio-user:/tmp/fw1.sock;ip=10.0.0.2/24;markers=on;vlan=5' -c 10.0.0.1

  With another RDMA device, where `rping -s -C 10 -S 65535` runs, or `rping -c -a 10.0.0.1 -C 10 -S 65535` will run:
  ferrowarp tour --device 'vfio:0000:03:00.0;ip=10.0.0.1/24' --peer rping --client 10.0.0.2
  ferrowarp tour --device 'vfio:0000:03:00.0;ip=10.0.0.1/24' --peer rping --server

The client connects with private data, sends a message and receives the echo, writes and reads a region of the server, and has
another region invalidated. A Write to the invalidated region must be refused with 1/1/00 (DDP: invalid STag). Both ends compare
every octet. No octet of the refused Write may be in memory.

With rping there are no echo and no Send with Invalidate, and 65,535 octets at most. rping reads and writes a region of this end, or
this end reads and writes rping's region. A Read of an unknown buffer is refused with 0/1/00 (RDMAP: invalid STag).
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
    /// Runs every operation with the server at this address
    #[arg(short, long, value_name = "ADDRESS")]
    client: Option<IpAddr>,
    /// Program at the other end
    #[arg(long, value_enum, default_value = "ferrowarp", value_name = "PROGRAM")]
    peer: Program,
    /// TCP port; 0 gives a server a free port [default: 18516; with rping 7174]
    #[arg(short, long)]
    port: Option<u16>,
    /// Client: octets of the Write and of the Read [default: 1 MiB; with rping 65535, which rping
    /// needs, too (`-S`)]
    #[arg(long)]
    octets: Option<usize>,
    /// Server: ends after so many clients
    #[arg(long, default_value_t = 1)]
    clients: u32,
    /// Most seconds of a step, and of a server's wait for a client
    #[arg(long, default_value_t = 60)]
    patience: u64,
    /// Adds the counters of the device and of its queue pairs, since the device was opened
    #[arg(long)]
    counters: bool,
    /// Prints JSON; a server then prints `listening` on standard error
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Said, ToolError> {
    let device = Device::open(&args.device)?;
    let mut said = toured(args, &device)?;
    if args.counters {
        let more = counters::read(device.inspect(), false)?;
        said.text = format!("{}\n\n{}", said.text, more.text).trim_start().to_string();
        for key in ["counters", "queue_pairs"] {
            said.json[key] = more.json[key].clone();
        }
    }
    Ok(said)
}

/// The tour in the role that was asked for.
fn toured(args: &Args, device: &Device) -> Result<Said, ToolError> {
    let patience = Duration::from_secs(args.patience);
    let is_rping = args.peer == Program::Rping;
    let port = args.port.unwrap_or(if is_rping { crate::ping::PORT } else { PORT });
    if let Some(address) = args.client {
        let remote = SocketAddr::new(address, port);
        return Ok(said(&match is_rping {
            true => rping::visit(device, remote, args.octets.unwrap_or(rping::OCTETS), patience)?,
            false => visit(device, remote, args.octets.unwrap_or(REGION), patience)?,
        }));
    }
    let listener = device.listen(port, 3)?;
    let listens = format!("listening on port {}", listener.local_addr().port());
    match args.json {
        // a reader that is gone is missed by nobody
        true => drop(writeln!(std::io::stderr(), "{listens}")),
        false => say(&listens),
    }
    if is_rping {
        return Ok(said(&rping::guide(device, &listener, patience)?));
    }
    let mut regions = vec![];
    for _ in 0..args.clients {
        let octets = guide(device, &listener, patience)?;
        if !args.json {
            say(&format!("a client wrote and read {octets} octets; in the end a Write was refused, and nothing of it placed"));
        }
        regions.push(octets);
    }
    Ok(Said { text: String::new(), json: json!({ "ok": true, "regions": regions }) })
}

fn said(visit: &Visit) -> Said {
    let rows: Vec<_> = visit.shown.iter().map(row).collect();
    let head = ["operation", "octets", "wall us", "device us", "Gb/s"];
    let text = format!(
        "{}connection: {}\n{} octets compared, all as they have to be\nTerminate: {}",
        table(head, &rows),
        visit.connection,
        visit.compared,
        visit.terminate
    );
    Said { text, json: json!({ "ok": true, "visit": visit }) }
}

/// Times, and octets over time, by the device's clock.
fn row(shown: &Shown) -> [String; 5] {
    let none = || "-".to_string();
    let device = shown.device_ns.map_or_else(none, |ns| format!("{:.2}", ns / 1e3));
    let rate = shown.device_ns.filter(|&ns| ns > 0.0 && shown.octets > 0);
    let rate = rate.map_or_else(none, |ns| format!("{:.2}", shown.octets as f64 * 8.0 / ns));
    let octets = if shown.octets > 0 { shown.octets.to_string() } else { none() };
    [shown.what.into(), octets, format!("{:.0}", shown.wall_us), device, rate]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_a_row() {
        let shown = Shown { what: "RDMA Write", octets: 1_000, wall_us: 12.4, device_ns: Some(1_000.0) };
        assert_eq!(row(&shown), ["RDMA Write", "1000", "12", "1.00", "8.00"]);
        let shown = Shown { octets: 0, device_ns: None, ..shown };
        assert_eq!(row(&shown), ["RDMA Write", "-", "12", "-", "-"]);
    }
}
