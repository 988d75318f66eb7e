// SPDX-License-Identifier: MIT OR Apache-2.0
//! `demo --peer siw`: an application on a simulated RNIC behind vfio-user, and rping on Linux's
//! software iWARP in a QEMU guest.
use super::rest;
use super::visit::{self, Told, Visit};
use crate::application::Application;
use crate::interop::{address, asked, judge, served, Guest, Host, PATIENT};
use crate::programs::Programs;
use crate::simulator::{self, Device, Simulator};
use crate::steps::Steps;
use crate::{repo, setup};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Octets of the Reads and Writes: the most that rping has.
pub const OCTETS: usize = 65_535;
/// What rping's buffer may have.
pub const SIZES: std::ops::RangeInclusive<usize> = 27..=OCTETS;
/// Octets with waveforms, which are slow.
const TRACED: usize = 1_000;
/// Seconds that a step may take; one whose Send siw does not look at takes for ever
/// (docs/interop.md).
const PATIENCE: &str = "60";

pub fn run(octets: usize) -> Result<()> {
    let mut steps = Steps::new(false);
    let folder = repo::target("demo").join("siw");
    let waves = folder.join("waves");
    steps.run("setup", setup::ensure);
    let built = steps.run("simulator, driver, model of the device", simulator::prepare);
    let verilog = steps.run("the device's Verilog, read by Yosys", |_| rest::verilog(&folder));
    let host = built.and_then(|()| steps.run("a guest with siw", Host::boot));
    let exchanged = host.as_ref().and_then(|host| {
        let name = "the device and rping, in both roles";
        steps.run(name, |_| exchange(&host.guest, &folder, octets, &[]))
    });
    let judged = exchanged.as_ref().and_then(|(_, capture)| steps.run("tshark", |_| judge("tour", capture)));
    let trace = ["--trace".to_string(), waves.display().to_string()];
    let traced = host.as_ref().filter(|_| exchanged.is_some()).and_then(|host| {
        let name = format!("the same with {TRACED} octets and waveforms");
        steps.run(&name, |step| {
            simulator::prepare_traced(step)?;
            exchange(&host.guest, &waves, TRACED, &trace)
        })
    });
    for repeat in host.iter().flat_map(|host| host.guest.take_repeats()) {
        say!("repeated (docs/interop.md): {}", repeat.what);
    }
    if let Some((visits, capture)) = &exchanged {
        for (role, visit) in ["rping's client", "rping's server"].iter().zip(visits) {
            say!("\nThe device is {role}:");
            visit::print(visit, visit::WIRE);
        }
        let waves = traced.map(|_| waves.join("device-0-0.fst"));
        rest::print(judged.as_ref(), verilog.as_ref(), capture, waves.as_deref());
    }
    steps.finish()
}

/// Serves a device on the guest's wire and takes the tour in both roles, the device as rping's
/// client, then as its server; what was seen, and the capture.
pub fn exchange(
    guest: &Guest,
    folder: &Path,
    octets: usize,
    more: &[String],
) -> Result<([Visit; 2], PathBuf)> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let socket = std::env::temp_dir().join(format!("fw-demo-{}-siw", std::process::id()));
    let capture = folder.join("device.pcapng");
    let device = Device { socket: socket.clone(), eth: guest.net().to_string(), capture: capture.clone() };
    let options: Vec<_> = ["--tick", "wall"].into_iter().chain(more.iter().map(String::as_str)).collect();
    let simulator = Simulator::start(vec![device], &options, &folder.join("ferrowarp-sim.log"))?;
    let visits = tours(guest, &socket, octets)?;
    simulator.finish()?;
    Ok((visits, capture))
}

/// The tours of a device behind a socket: as rping's client, then as rping's server.
pub(super) fn tours(guest: &Guest, socket: &Path, octets: usize) -> Result<[Visit; 2]> {
    let tour = |arguments: &[String]| {
        let octets = octets.to_string();
        let common =
            ["--peer", "rping", "--json", "--patience", PATIENCE, "--octets", &octets].map(String::from);
        let net = format!("ip={}/24;{PATIENT}", address());
        let application =
            Application::start(&Programs::built(), socket, &net, &[&common, arguments].concat())?;
        let told: Told = serde_json::from_str(&application.said()?)?;
        Ok(told.visit)
    };
    let client = served(guest, octets, tour).context("the device as rping's client")?;
    let server = asked(guest, octets, tour).context("the device as rping's server")?;
    Ok([client, server])
}
