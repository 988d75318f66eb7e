// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases with RNICs inside the guest, on its `/dev/vfio`: `ferrowarp` with Linux siw on the
//! guest's virtio-net at the other end of the wire; and the driver's tests on two devices that are
//! joined with each other.
use super::channel::Output;
use super::device::{
    client_of, measured, port, served, serving, there, Asked, Pings, DEVICE, MEASURED, PATIENCE, PATIENT,
    SIZES,
};
use super::guest::{self, Guest};
use super::run::Run;
use crate::benchfile::Figures;
use crate::simulator::Simulator;
use crate::test::results::{line, Line, Outcome};
use anyhow::{anyhow, bail, ensure, Context, Result};
use serde_json::{json, Value};
use std::path::Path;
use std::time::{Duration, Instant};

/// The 99th percentile that an echo must stay under here, in milliseconds of wall time: firmware
/// runs in the guest, on a processor that QEMU emulates. Linux's own retransmission time-out is at
/// least 200 ms.
const MOST_MS: f64 = 150.0;

/// What the commands of `ferrowarp list` need in a guest that has neither sudo nor names of users,
/// and whose modules are loaded.
const AS_ROOT: &str = "set -e; sudo() { \"$@\"; }; modprobe() { :; }; USER=0";

/// Longest time of the driver's tests.
const TESTS: Duration = Duration::from_secs(420);

/// The guest's devices, as `ferrowarp list` tells them.
fn listed(guest: &Guest, count: usize) -> Result<Vec<Value>> {
    let list = "ferrowarp list --json";
    let said = guest.run(list, PATIENCE)?.ok(list)?;
    let told: Value = serde_json::from_str(&said).with_context(|| format!("`{list}`: {said}"))?;
    let devices = told["devices"].as_array().cloned().unwrap_or_default();
    let found = devices.len();
    ensure!(found == count, "`{list}` finds {found} devices: {said}; the console:\n{}", guest.console());
    Ok(devices)
}

/// Binds vfio-pci to all functions with the commands that `ferrowarp list` gives; returns where
/// they are.
fn bind(guest: &Guest, count: usize) -> Result<Vec<String>> {
    for device in listed(guest, count)? {
        let commands: Vec<_> =
            device["bind"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let commands = format!("{AS_ROOT}\n{}", commands.join("\n"));
        guest.run(&commands, PATIENCE)?.ok(&commands)?;
    }
    let mut addresses = vec![];
    for bound in listed(guest, count)? {
        ensure!(bound["driver"] == "vfio-pci" && bound["bind"] == json!([]), "still to be bound: {bound}");
        ensure!(bound["iommu_group"].is_number(), "no IOMMU group: {bound}");
        addresses.push(bound["address"].as_str().context("a device has an address")?.to_string());
    }
    Ok(addresses)
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

/// A second program that opens a device which another one has is told so, and disturbs nothing.
fn in_use(guest: &Guest, bdf: &str) -> Result<()> {
    let command = format!("ferrowarp info vfio:{bdf}");
    let output = guest.run(&command, PATIENCE)?;
    let told = format!("{}{}", output.stdout, output.stderr);
    ensure!(
        output.code == 1 && told.contains("in use by another process"),
        "`{command}` beside another: {told}"
    );
    Ok(())
}

/// `ferrowarp ping` in the guest as client of rping on siw, then as server of it, all sizes;
/// `ferrowarp perf` against rping.
pub fn on_vfio(run: &Run<'_>) -> Result<Figures> {
    recorded(run, against_siw)
}

fn against_siw(guest: &Guest) -> Result<Figures> {
    let bdf = &bind(guest, 1)?[0];
    informed(guest, bdf)?;
    let tool = |what: &str, arguments: &[String]| {
        let url = format!("vfio:{bdf};{PATIENT};ip={}/24", guest::ipv4(DEVICE));
        format!("ferrowarp {what} --json --device '{url}' {}", arguments.join(" "))
    };
    let mut lost = 0;
    for size in SIZES {
        let ask = |arguments: Vec<String>| {
            let output = guest.run(&tool("ping", &arguments), PATIENCE)?;
            let said = format!("{}: {} {}", output.code, output.stdout.trim(), output.stderr.trim());
            Ok(Asked { ok: output.code == 0, said })
        };
        lost += client_of(guest, Pings::few(size), ask)?;
    }
    let port = port();
    let command = tool("ping", &serving(port, SIZES.len()));
    let serves = guest.spawn(&command)?;
    there(guest)?;
    in_use(guest, bdf)?;
    let p99 = served(guest, port, MOST_MS)?;
    serves.wait(PATIENCE)?.ok(&command)?;
    let mut figures = measured(guest, ("interop.vfio_perf", &MEASURED), |arguments| {
        let command = tool("perf", &arguments);
        let job = guest.spawn(&command)?;
        Ok(Box::new(move || job.wait(PATIENCE)?.ok(&command)))
    })?;
    figures.extend([
        ("interop.vfio_siw_lost_wakeups".into(), lost as f64),
        ("interop.vfio_rtt_wall_ms.p99".into(), p99),
    ]);
    Ok(figures)
}

/// Does it and ends the simulator. The capture is kept however that went; an error also tells what
/// the simulator said.
fn recorded(run: &Run<'_>, does: impl FnOnce(&Guest) -> Result<Figures>) -> Result<Figures> {
    let guest = &run.guests[0];
    let (figures, ended) = (does(guest), ended(guest, run.capture));
    let figures = figures.and_then(|figures| ended.map(|()| figures));
    figures.map_err(|why| match guest.simulator().map(Simulator::said) {
        Ok(said) if !said.is_empty() => anyhow!("{why:#}\nthe simulator:\n{said}"),
        _ => why,
    })
}

/// Ends the simulator and takes the capture of its first device. It must not have been asked for
/// memory that the guest did not map.
fn ended(guest: &Guest, capture: &Path) -> Result<()> {
    let simulator = guest.simulator()?;
    let told = simulator.finish().context("the simulator")?;
    let recorded = simulator.devices().first().context("the simulator serves a device")?;
    std::fs::copy(&recorded.capture, capture).context("the simulator's capture")?;
    for device in told["devices"].as_array().into_iter().flatten() {
        ensure!(device["refused"] == 0, "a device reached outside of the guest's mappings: {told}");
    }
    Ok(())
}

/// The driver's tests, which are those of `sim:` and `vfio-user:`, on two devices of the guest.
pub fn driver_tests(run: &Run<'_>) -> Result<Figures> {
    recorded(run, tested)
}

fn tested(guest: &Guest) -> Result<Figures> {
    let start = Instant::now();
    let addresses = bind(guest, 2)?;
    let url = |n: usize| format!("vfio:{};{PATIENT};ip=10.9.0.{}/24", addresses[n], n + 1);
    let list = "backends --list --format terse";
    let known = guest.run(list, PATIENCE)?.ok(list)?.lines().filter(|line| line.ends_with(": test")).count();
    let command = format!("FERROWARP_DEVICES='{} {}' backends --test-threads=1", url(0), url(1));
    let output = guest.run(&command, TESTS);
    let output = output.map_err(|why| anyhow!("{why:#}; its console:\n{}", guest.console()))?;
    let passed = passed(&output.stdout);
    if output.code != 0 || output.timed_out || passed != known || known == 0 {
        let Output { code, stdout, stderr, timed_out } = output;
        let (why, console) = (complaint(&stdout, timed_out), guest.console());
        bail!("{passed} of {known} tests passed in the guest ({code}): {why}\n{stdout}\n{stderr}\nits console:\n{console}");
    }
    Ok(Figures::from([
        ("interop.vfio_driver_tests".into(), passed as f64),
        ("interop.vfio_driver_tests_s".into(), start.elapsed().as_secs_f64()),
    ]))
}

/// How many tests passed, by what libtest prints.
fn passed(said: &str) -> usize {
    said.lines().filter(|text| matches!(line(text), Line::Test(_, Outcome::Ok))).count()
}

/// What libtest's output says went wrong first, in a line: the test that did not end, or where one
/// panicked and with what words.
fn complaint(said: &str, timed_out: bool) -> String {
    if timed_out {
        let at = said.lines().filter_map(|text| text.strip_prefix("test ")).next_back();
        return format!("no end; the last test was {}", at.unwrap_or("none"));
    }
    let mut lines = said.lines().skip_while(|text| !text.starts_with("thread '")).filter(|l| !l.is_empty());
    let words: Vec<_> = lines.by_ref().take(3).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tests_that_passed_count() {
        let said =
            "running 4 tests\ntest a::b ... ok\ntest a::c ... FAILED\ntest a::d ... ignored\ntest e ... ok\n";
        assert_eq!(passed(said), 2);
    }

    #[test]
    fn the_first_complaint_is_told_in_a_line() {
        let said = "test a ... FAILED\ntest b ... ok\n\nfailures:\n\n---- a stdout ----\n\nthread 'a' (7) panicked at a.rs:1:2:\n\
                    left: 1\nright: 2\nnote: more\n";
        assert_eq!(complaint(said, false), "thread 'a' (7) panicked at a.rs:1:2: left: 1 right: 2");
        assert_eq!(complaint("test a ... ok\ntest b ... ", true), "no end; the last test was b ... ");
    }
}
