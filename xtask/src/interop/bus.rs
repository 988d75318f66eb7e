// SPDX-License-Identifier: MIT OR Apache-2.0
//! Simulated RNICs inside a guest: `ferrowarp-sim` serves them to QEMU. One of them may be on the
//! wire of the guest's own virtio-net, so that one simulator joins `/dev/vfio` of the guest on one
//! side and Linux siw of the same guest on the other; or two are joined with each other.
use crate::simulator::{Device, Simulator};
use crate::steps::Step;
use crate::{child, repo};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How long QEMU waits for an answer of the simulator before the guest reads all ones, in
/// milliseconds.
const ANSWER_MS: u32 = 60_000;

/// Starts a simulator in `folder`, in which guest `number` has sockets of its own, with a device
/// for each of these Ethernet ports.
pub fn simulator(folder: &Path, number: u8, ports: &[String]) -> Result<Simulator> {
    let own = |name: &str, n: usize| folder.join(format!("{name}{number}-{n}"));
    let device = |(n, eth): (usize, &String)| Device {
        socket: own("rnic", n),
        eth: eth.clone(),
        capture: own("rnic.pcapng", n),
    };
    let devices = ports.iter().enumerate().map(device).collect();
    Simulator::start(devices, &["--tick", "wall"], &folder.join(format!("rnic.log{number}")))
}

/// What QEMU needs for the functions to be behind an IOMMU in the guest, each in a group of its
/// own. They stand before all other devices.
pub fn qemu_arguments(simulator: &Simulator) -> Vec<String> {
    let function = |(n, device): (usize, &Device)| {
        let port = format!("rnic-port{n}");
        let socket = serde_json::json!({ "type": "unix", "path": device.socket });
        let function = serde_json::json!({
            "driver": "vfio-user-pci", "bus": port, "x-msg-timeout": ANSWER_MS, "socket": socket,
        });
        let chassis = n + 1;
        [format!("pcie-root-port,id={port},chassis={chassis},slot={chassis}"), function.to_string()]
    };
    let functions = simulator.devices().iter().enumerate().flat_map(function);
    let iommu = "intel-iommu,intremap=on,caching-mode=on".to_string();
    std::iter::once(iommu).chain(functions).flat_map(|device| ["-device".to_string(), device]).collect()
}

/// Programs that [`build`] makes for the guest: the tool, and the driver's tests.
pub const PROGRAMS: [&str; 2] = ["ferrowarp", "backends"];

/// Where they are.
pub fn programs() -> [PathBuf; 2] {
    PROGRAMS.map(|name| repo::target("guest").join(name))
}

/// Builds the programs as a host without simulated devices has them; stripped, as a guest's files
/// are in its memory.
pub fn build(step: &Step) -> Result<()> {
    let built = child::capture_with(&mut cargo(), |line| step.note(line))?;
    // copies, as those with simulated devices take their places in Cargo's folder
    for (name, to) in PROGRAMS.into_iter().zip(programs()) {
        let from =
            executable(&built, name).with_context(|| format!("cargo does not tell where `{name}` is"))?;
        stripped(&from, &to)?;
    }
    Ok(())
}

/// A copy of a program without what a guest has no use for.
pub fn stripped(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().context("a program has a folder")?;
    std::fs::create_dir_all(folder)?;
    child::capture(Command::new("strip").arg("-o").arg(to).arg(from)).map(drop)
}

/// Builds the driver's tests without simulated devices, and with them the tool, as tests may run
/// the programs of their package. The simulator is named for what it needs of other crates: those
/// are not built a second time with fewer features.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(repo::root()).args(["test", "--no-run", "-p", "ferrowarp-tool", "-p", "ferrowarp-sim"]);
    cargo.args(["--test", PROGRAMS[1], "--no-default-features"]);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    cargo
}

/// Where the program of this name is, by what Cargo said.
pub fn executable(said: &str, name: &str) -> Option<PathBuf> {
    let told = said.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut made = told.filter(|line| line["target"]["name"] == name && line["executable"].is_string());
    made.next().and_then(|line| line["executable"].as_str().map(PathBuf::from))
}

/// Appends to an initramfs an archive of programs, each as `/bin/NAME` (cpio, format "newc"): the
/// kernel unpacks one after the other. The libraries of the guest's own programs must do for them.
pub fn with_programs(initramfs: &Path, programs: &[PathBuf], out: &Path) -> Result<()> {
    let mut archive = std::fs::read(initramfs).with_context(|| format!("no {}", repo::shown(initramfs)))?;
    archive.resize(archive.len().next_multiple_of(4), 0);
    for program in programs {
        let octets = std::fs::read(program).with_context(|| format!("no {}", program.display()))?;
        let name = program.file_name().and_then(|name| name.to_str()).context("a program has a name")?;
        entry(&mut archive, &format!("bin/{name}"), 0o100_755, &octets);
    }
    entry(&mut archive, "TRAILER!!!", 0, &[]);
    std::fs::write(out, archive).with_context(|| format!("cannot write {}", out.display()))
}

/// A file of a cpio archive in format "newc": thirteen numbers of eight hexadecimal digits, name,
/// octets, each padded to 4.
fn entry(archive: &mut Vec<u8>, name: &str, mode: u32, octets: &[u8]) {
    archive.extend(b"070701");
    let (inode, links, length) = (1, 1, octets.len());
    let numbers = [inode, mode as usize, 0, 0, links, 0, length, 0, 0, 0, 0, name.len() + 1, 0];
    numbers.iter().for_each(|n| archive.extend(format!("{n:08x}").bytes()));
    archive.extend(name.bytes().chain([0]));
    archive.resize(archive.len().next_multiple_of(4), 0);
    archive.extend(octets);
    archive.resize(archive.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_is_newc() {
        let folder = repo::target("xtask-tests").join("cpio");
        std::fs::create_dir_all(&folder).unwrap();
        let [empty, program, out] = ["empty", "five", "archive"].map(|name| folder.join(name));
        std::fs::write(&empty, []).unwrap();
        std::fs::write(&program, b"#!/bin/sh\necho five\n!").unwrap();
        with_programs(&empty, &[program], &out).unwrap();
        let archive = std::fs::read(&out).unwrap();
        assert_eq!(archive.len() % 4, 0);
        assert_eq!(&archive[..6], b"070701");
        // c_filesize is the seventh number, the name begins behind 110 octets
        assert_eq!(&archive[6 + 6 * 8..6 + 7 * 8], format!("{:08x}", 21).as_bytes());
        assert_eq!(&archive[110..119], b"bin/five\0");
        assert_eq!(&archive[120..129], b"#!/bin/sh");
        let end = &archive[144..];
        assert_eq!(&end[110..121], b"TRAILER!!!\0");
    }
}
