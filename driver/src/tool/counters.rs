//! `ferrowarp counters`: what a device counted.
use super::table::table;
use super::{open_to_look, Said, ToolError};
use crate::inspect::{self, Inspect, Named};
use crate::tcp_info::tcp_info;
use crate::{Error, TcpInfo};
use ferrowarp_abi::host::counters::{COUNTERS, QP_COUNTERS};
use serde_json::{json, Map, Value};
use std::time::Duration;

/// Arguments.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    ferrowarp counters vfio:0000:03:00.0                          what is counted from a reset on, after a second\n  \
    ferrowarp counters 'vfio-user:/tmp/fw0.sock;ip=10.0.0.2/24' --seconds 10 --all --json\n  \
    ferrowarp counters vfio:0000:03:00.0 --qp 1                   one queue pair, and TCP of its connection\n\n\
    The device is opened for it, which RESETS it, counters too; one that a program has open is refused (\"in use\"), and stays as it\n\
    is. `ferrowarp perf --counters` shows them after work, with TCP of its connection; a program asks `QueuePair::tcp_info`.")]
pub struct Args {
    /// Device, by URL; without `ip` it answers to no neighbour
    url: String,
    /// How long to count
    #[arg(long, default_value_t = 1)]
    seconds: u64,
    /// Shows those that are 0, too
    #[arg(long)]
    all: bool,
    /// Shows this queue pair alone, and TCP of its connection
    #[arg(long, value_name = "N")]
    qp: Option<u16>,
    /// Prints JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args) -> Result<Said, ToolError> {
    let device = open_to_look(&args.url)?;
    std::thread::sleep(Duration::from_secs(args.seconds));
    match args.qp {
        None => Ok(read(device.inspect(), args.all)?),
        Some(qp) => of_pair(device.inspect(), qp, args.all),
    }
}

/// The counters of one queue pair, and its connection.
fn of_pair(device: Inspect<'_>, qp: u16, all: bool) -> Result<Said, ToolError> {
    let there = device.capabilities().queue_pairs;
    if qp >= there {
        return Err(ToolError::QueuePair { asked: qp, there });
    }
    let counters = inspect::qp_counters(device, qp).map_err(Error::from)?;
    let mut said = said(&[], &[counters], all);
    let info = tcp_info(device, qp).map_err(Error::from)?;
    said.text += &info.as_ref().map_or("\nno connection".into(), |info| format!("\n{}", connection(info)));
    said.json = json!({ "ok": true, "queue_pair": qp, "counters": said.json["queue_pairs"]["0"], "connection": info });
    Ok(said)
}

/// TCP of a connection in a line.
pub(super) fn connection(info: &TcpInfo) -> String {
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
pub(super) fn read(device: Inspect<'_>, all: bool) -> Result<Said, Error> {
    let pairs = 0..device.capabilities().queue_pairs;
    let pairs: Result<Vec<_>, _> = pairs.map(|qp| inspect::qp_counters(device, qp)).collect();
    Ok(said(&inspect::counters(device)?, &pairs?, all))
}

fn said(counters: &[Named], pairs: &[Vec<Named>], all: bool) -> Said {
    let doc = |name: &str| {
        COUNTERS.iter().chain(QP_COUNTERS).find(|c| c.name == name).map_or("", |c| c.doc).to_string()
    };
    let chosen = |counters: &[Named]| -> Vec<Named> {
        counters.iter().filter(|c| all || c.value > 0).cloned().collect()
    };
    let values = |counters: &[Named]| -> Map<String, Value> {
        counters.iter().map(|c| (c.name.to_string(), c.value.into())).collect()
    };
    let device = chosen(counters);
    let pairs: Vec<_> = pairs.iter().map(|c| chosen(c)).enumerate().filter(|(_, c)| !c.is_empty()).collect();
    let mut rows: Vec<_> = device.iter().map(|c| [c.name.into(), c.value.to_string(), doc(c.name)]).collect();
    for (qp, counters) in &pairs {
        rows.extend(
            counters.iter().map(|c| [format!("{} of QP {qp}", c.name), c.value.to_string(), doc(c.name)]),
        );
    }
    let text = match rows.is_empty() {
        true => "every counter is 0".into(),
        false => table(["counter", "value", "counts"], &rows),
    };
    let of_pairs: Map<_, _> = pairs.iter().map(|(qp, c)| (qp.to_string(), values(c).into())).collect();
    Said { text, json: json!({ "ok": true, "counters": values(&device), "queue_pairs": of_pairs }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_left_out_unless_they_are_asked_for() {
        let counters = [Named { name: "rx_fcs", value: 0 }, Named { name: "rx_gap", value: 3 }];
        let pairs = [vec![Named { name: "timeouts", value: 0 }], vec![Named { name: "timeouts", value: 7 }]];
        let some = said(&counters, &pairs, false);
        assert!(some.text.contains("rx_gap") && !some.text.contains("rx_fcs"), "{}", some.text);
        assert!(some.text.contains("timeouts of QP 1") && !some.text.contains("QP 0"), "{}", some.text);
        assert_eq!(some.json["counters"], json!({ "rx_gap": 3 }));
        assert_eq!(some.json["queue_pairs"], json!({ "1": { "timeouts": 7 } }));
        let every = said(&counters, &pairs, true).json;
        assert_eq!(["counters", "queue_pairs"].map(|k| every[k].as_object().unwrap().len()), [2, 2]);
        assert_eq!(said(&counters[..1], &pairs[..1], false).text, "every counter is 0");
    }
}
