//! The case with the RNIC inside the guest: `ferrowarp` on the guest's `/dev/vfio`, Linux siw on its virtio-net, and between
//! them one simulator.
use super::case::Run;
use super::device::{client_of, port, served, serving, Asked, DEVICE, PATIENCE, SIZES};
use super::guest::{self, Guest};
use crate::benchfile::Figures;
use anyhow::{ensure, Context, Result};
use serde_json::{json, Value};

/// The 99th percentile that an echo must stay under here, in milliseconds of wall time: firmware runs in the guest, on a processor
/// that QEMU emulates. Linux's own retransmission time-out is at least 200 ms.
const MOST_MS: f64 = 150.0;

/// What the commands of `ferrowarp list` need in a guest that has neither sudo nor names of users, and whose modules are loaded.
const AS_ROOT: &str = "set -e; sudo() { \"$@\"; }; modprobe() { :; }; USER=0";

/// The guest's one device, as `ferrowarp list` tells it.
fn listed(guest: &Guest) -> Result<Value> {
    let list = "ferrowarp list --json";
    let said = guest.run(list, PATIENCE)?.ok(list)?;
    let told: Value = serde_json::from_str(&said).with_context(|| format!("`{list}`: {said}"))?;
    let devices = told["devices"].as_array().map_or(0, Vec::len);
    ensure!(devices == 1, "`{list}` finds {devices} devices: {said}; the console:\n{}", guest.console());
    Ok(told["devices"][0].clone())
}

/// Binds vfio-pci to the function with the commands that `ferrowarp list` gives; returns where it is.
fn bind(guest: &Guest) -> Result<String> {
    let before = listed(guest)?;
    let commands: Vec<_> =
        before["bind"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let commands = format!("{AS_ROOT}\n{}", commands.join("\n"));
    guest.run(&commands, PATIENCE)?.ok(&commands)?;
    let bound = listed(guest)?;
    ensure!(bound["driver"] == "vfio-pci" && bound["bind"] == json!([]), "still to be bound: {bound}");
    ensure!(bound["iommu_group"].is_number(), "no IOMMU group: {bound}");
    Ok(bound["address"].as_str().context("a device has an address")?.to_string())
}

/// What `ferrowarp info` tells of the device is what its configuration says.
fn informed(guest: &Guest, bdf: &str) -> Result<()> {
    let command = format!("ferrowarp info vfio:{bdf}");
    let said = guest.run(&command, PATIENCE)?.ok(&command)?;
    let config = ferrowarp_tests::device::config();
    for due in [format!("{} MHz", config.clock_khz as f64 / 1000.0), format!("{} octets", config.mtu)] {
        ensure!(said.contains(&due), "`{command}` does not say `{due}`:\n{said}");
    }
    Ok(())
}

/// `ferrowarp ping` in the guest as client of rping on siw, then as server of it, all sizes; then the simulator is ended.
pub fn on_vfio(run: &Run<'_>) -> Result<Figures> {
    let guest = &run.guests[0];
    let bdf = bind(guest)?;
    informed(guest, &bdf)?;
    let tool = |arguments: &[String]| {
        let url = format!("vfio:{bdf};ip={}/24", guest::ipv4(DEVICE));
        format!("ferrowarp ping --json --device '{url}' {}", arguments.join(" "))
    };
    let mut lost = 0;
    for size in SIZES {
        let ask = |arguments: Vec<String>| {
            let output = guest.run(&tool(&arguments), PATIENCE)?;
            let said = format!("{}: {} {}", output.code, output.stdout.trim(), output.stderr.trim());
            Ok(Asked { ok: output.code == 0, said })
        };
        lost += client_of(guest, size, ask)?;
    }
    let port = port();
    let command = tool(&serving(port));
    let serves = guest.spawn(&command)?;
    let p99 = served(guest, port, MOST_MS)?;
    serves.wait(PATIENCE)?.ok(&command)?;
    let simulator = guest.simulator()?;
    let told = simulator.finish().context("the simulator")?;
    let recorded = simulator.devices().first().context("the simulator serves a device")?;
    std::fs::copy(&recorded.capture, run.capture).context("the simulator's capture")?;
    let refused = told["devices"][0]["refused"].as_u64();
    ensure!(refused == Some(0), "the device reached outside of the guest's mappings: {told}");
    Ok(Figures::from([
        ("interop.vfio_siw_lost_wakeups".into(), lost as f64),
        ("interop.vfio_rtt_wall_ms.p99".into(), p99),
    ]))
}
