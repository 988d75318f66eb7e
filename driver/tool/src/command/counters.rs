// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp counters`: what a device counted.
use crate::devices::open_to_look;
use crate::error::ToolError;
use crate::said::Said;
use crate::table::table;
use ferrowarp::inspect::Inspect;
use ferrowarp::{figures, Error, TcpInfo};
use ferrowarp_abi::host::counters::{Counter, COUNTERS, QP_COUNTERS};
use serde::Deserialize;
use serde_json::{json, Map, Value};
use std::path::PathBuf;
use std::time::Duration;

/// Arguments.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    ferrowarp counters vfio:0000:03:00.0                          counts of the first second after a reset\n  \
    ferrowarp counters 'vfio-user:/tmp/fw0.sock;ip=10.0.0.2/24' --seconds 10 --all --json\n  \
    ferrowarp counters vfio:0000:03:00.0 --qp 1                   one queue pair, and TCP of its connection\n\n\
    The command opens the device, which RESETS the device and its counters. If a program has the device open, the command is refused\n\
    (\"in use\"), and the device is unchanged. `ferrowarp perf --counters` shows the counters after work, with TCP of its connection. A\n\
    program calls `QueuePair::tcp_info`.\n\n\
    With --of, the device of a running program is neither opened nor reset. The program needs `figures=PATH` in its device's URL:\n  \
    ferrowarp perf -d 'vfio:0000:03:00.0;ip=10.0.0.2/24;figures=/run/fw.sock' --server\n  \
    ferrowarp counters --of /run/fw.sock                          counts since the program opened the device\n  \
    ferrowarp counters --of /run/fw.sock --qp 1 --json            one queue pair, and TCP of its connection")]
pub(crate) struct Args {
    /// Device, by URL; without `ip` the device answers no neighbour
    #[arg(required_unless_present = "of")]
    url: Option<String>,
    /// Asks the program that offers its device's figures on this socket
    #[arg(long, value_name = "PATH", conflicts_with_all = ["url", "seconds"])]
    of: Option<PathBuf>,
    /// Seconds to count
    #[arg(long, default_value_t = 1)]
    seconds: u64,
    /// Also shows counters that are 0
    #[arg(long)]
    all: bool,
    /// Shows only this queue pair, and TCP of its connection
    #[arg(long, value_name = "N")]
    qp: Option<u16>,
    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Said, ToolError> {
    let told = match &args.of {
        Some(path) => figures::ask(path, args.qp).map_err(Error::from)?,
        None => {
            let device = open_to_look(args.url.as_deref().unwrap_or_default())?;
            std::thread::sleep(Duration::from_secs(args.seconds));
            figures::told(device.inspect(), args.qp)?
        }
    };
    Ok(said(&told, args.all))
}

/// TCP of a connection in a line.
pub(crate) fn connection(info: &TcpInfo) -> String {
    let srtt = info.srtt.map_or("unknown".into(), |srtt| format!("{srtt:?}"));
    format!(
        "connection: SRTT {srtt}, RTO {:?}, cwnd {} octets, window of the peer {} octets, {} octets in flight, {} segments left \
         again ({} time-outs, {} third duplicate ACKs, {} probes)",
        info.rto,
        info.cwnd,
        info.snd_wnd,
        info.in_flight,
        info.retransmitted_segments,
        info.timeouts,
        info.fast_retransmits,
        info.probes,
    )
}

/// The counters of an open device and of its queue pairs; those that are 0 only if `all`.
pub(crate) fn read(device: Inspect<'_>, all: bool) -> Result<Said, Error> {
    Ok(said(&figures::told(device, None)?, all))
}

/// Figures of a device or of a queue pair, as [`figures::told`] has them; those that are 0 only if
/// `all`.
fn said(told: &Value, all: bool) -> Said {
    let own = chosen(&told["counters"], all);
    let Some(qp) = told["queue_pair"].as_u64() else {
        let pairs = told["queue_pairs"].as_object().into_iter().flatten();
        let pairs = pairs.filter_map(|(qp, counters)| Some((qp.parse().ok()?, chosen(counters, all))));
        let mut pairs: Vec<(u64, _)> = pairs.filter(|(_, counters)| !counters.is_empty()).collect();
        pairs.sort_by_key(|(qp, _)| *qp);
        let of_pairs: Map<_, _> = pairs.iter().map(|(qp, c)| (qp.to_string(), values(c))).collect();
        let json = json!({ "ok": true, "counters": values(&own), "queue_pairs": of_pairs });
        return Said { text: text(&own, &pairs), json };
    };
    // an answer of which nothing can be read was refused when it came
    let info = Option::<TcpInfo>::deserialize(&told["connection"]).ok().flatten();
    let (counters, info_text) = (values(&own), info.as_ref().map_or("no connection".into(), connection));
    Said {
        text: format!("{}\n{info_text}", text(&[], &[(qp, own)])),
        json: json!({ "ok": true, "queue_pair": qp, "counters": counters, "connection": told["connection"] }),
    }
}

/// Counters with their numbers, in the order of the tables; those that are 0 only if `all`.
fn chosen(counters: &Value, all: bool) -> Vec<(&str, u64)> {
    let counters = counters.as_object().into_iter().flatten();
    let counters = counters.filter_map(|(name, value)| Some((name.as_str(), value.as_u64()?)));
    let mut chosen: Vec<_> = counters.filter(|(_, value)| all || *value > 0).collect();
    // a program of another version may have more
    chosen.sort_by_key(|(name, _)| known().position(|c| c.name == *name).unwrap_or(usize::MAX));
    chosen
}

fn known() -> impl Iterator<Item = &'static Counter> {
    COUNTERS.iter().chain(QP_COUNTERS)
}

fn values(counters: &[(&str, u64)]) -> Value {
    counters.iter().map(|(name, value)| (name.to_string(), Value::from(*value))).collect::<Map<_, _>>().into()
}

fn text(device: &[(&str, u64)], pairs: &[(u64, Vec<(&str, u64)>)]) -> String {
    let doc = |name: &str| known().find(|c| c.name == name).map_or("", |c| c.doc).to_string();
    let of_device = device.iter().map(|(name, value)| [name.to_string(), value.to_string(), doc(name)]);
    let of_pairs = pairs.iter().flat_map(|(qp, counters)| {
        let row =
            move |(name, value): &(&str, u64)| [format!("{name} of QP {qp}"), value.to_string(), doc(name)];
        counters.iter().map(row)
    });
    let rows: Vec<_> = of_device.chain(of_pairs).collect();
    match rows.is_empty() {
        true => "every counter is 0".into(),
        false => table(["counter", "value", "counts"], &rows),
    }
}

#[cfg(test)]
mod tests;
