// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp info`: what a device is and has.
use crate::devices::open_to_look;
use crate::error::ToolError;
use crate::said::Said;
use crate::table::table;
use ferrowarp::sysfs::Roots;
use ferrowarp::url::DeviceUrl;
use ferrowarp::{inspect, Error};
use serde_json::json;
use std::str::FromStr;

/// Arguments.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  ferrowarp info vfio:0000:03:00.0\n  ferrowarp info vfio-user:/tmp/fw0.sock --json\n\n\
    The command opens the device, which RESETS the device. If a program has the device open, the command is refused (\"in use\"),\n\
    and the device is unchanged."
)]
pub(crate) struct Args {
    /// Device, by URL; `ip` may be missing
    url: String,
    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Said, ToolError> {
    let device = open_to_look(&args.url)?;
    let (has, backend) = (device.capabilities(), device.inspect());
    let mut rows: Vec<[String; 2]> = vec![];
    // a device that has no registers has limits all the same
    let shown = inspect::registers(backend).unwrap_or_default();
    let field = |register: &str, name: Option<&str>| {
        let register = shown.iter().find(|r| r.name == register)?;
        match name {
            None => Some(u64::from(register.value)),
            Some(name) => register.fields.iter().find(|f| f.name == name).map(|f| f.value),
        }
    };
    let mut put = |name: &str, value: String| rows.push([name.into(), value]);
    if let (Some(vendor), Some(id)) =
        (field("vendor_device", Some("vendor")), field("vendor_device", Some("device")))
    {
        put("identification", format!("{vendor:04x}:{id:04x}"));
    }
    if let (Some(major), Some(minor)) = (field("version", Some("major")), field("version", Some("minor"))) {
        put("version of its registers", format!("{major}.{minor}"));
    }
    if let (Some(data), Some(edge)) = (field("width", Some("data_bits")), field("width", Some("edge_bits"))) {
        put("width: network, host", format!("{data} bit, {edge} bit"));
    }
    if let Some(khz) = field("clock_khz", None) {
        put("clock", format!("{} MHz", khz as f64 / 1000.0));
    }
    if let Some(is_up) = field("eth_link", Some("is_up")) {
        put("Ethernet link", if is_up == 1 { "up" } else { "down" }.into());
    }
    let stalled = shown.iter().find(|r| r.name == "stalled").map(|register| {
        let now: Vec<_> = register.fields.iter().filter(|f| f.value != 0).map(|f| f.name).collect();
        now.join(", ")
    });
    if let Some(stalled) = stalled.filter(|stalled| !stalled.is_empty()) {
        put("stalled", stalled);
    }
    put("queue pairs", has.queue_pairs.to_string());
    put("completion queues", has.completion_queues.to_string());
    put("memory regions", (has.regions - 1).to_string());
    put("work requests of a queue", has.work_requests().to_string());
    put("entries of a completion queue", (1_u32 << has.cq_log2).to_string());
    put("Reads at once: inbound, outbound", format!("{}, {}", has.ird, has.ord));
    put("MTU", format!("{} octets", has.mtu));
    put("window", format!("{} octets", has.window));
    put("ticks", format!("{} ms", backend.ticks()));
    let link = link(&args.url)?;
    if let Some(link) = link {
        let (now, most) = (link.now, link.most);
        put(
            "link",
            format!("{} GT/s x{} of {} GT/s x{}", now.gt_per_s, now.lanes, most.gt_per_s, most.lanes),
        );
        put("largest write, read request", format!("{}, {} octets", link.max_payload, link.max_read_request));
        put("MSI-X", if link.has_msix { "yes" } else { "no" }.into());
    }
    let json = json!({
        "ok": true,
        "registers": shown,
        "queue_pairs": has.queue_pairs,
        "completion_queues": has.completion_queues,
        "regions": has.regions - 1,
        "work_requests": has.work_requests(),
        "completions": 1_u32 << has.cq_log2,
        "ird": has.ird,
        "ord": has.ord,
        "mtu": has.mtu,
        "window": has.window,
        "ticks": backend.ticks(),
        "link": link,
    });
    Ok(Said { text: table(["of the device", ""], &rows), json })
}

/// The link of a function of this machine.
fn link(url: &str) -> Result<Option<ferrowarp::sysfs::Link>, ToolError> {
    let text = format!("{url};ip=192.0.2.1/24");
    match DeviceUrl::from_str(&text).map_err(Error::from)? {
        DeviceUrl::Vfio(url) => Ok(Roots::default().function(url.address)?.link()?),
        _ => Ok(None),
    }
}
