//! The simulated RNIC inside a guest: `ferrowarp-sim` serves it to QEMU, and is also the wire of the guest's own virtio-net.
//!
//! So one simulator joins `/dev/vfio` of the guest on one side and Linux siw of the same guest on the other.
use crate::simulator::{self, Device, Simulator};
use crate::steps::Step;
use crate::{child, repo};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the root port is, and the device behind it, by the order in which QEMU is given them.
const ROOT_PORT: &str = "pcie-root-port,id=rnic-port,chassis=1,slot=1";
/// How long QEMU waits for an answer of the simulator before the guest reads all ones, in milliseconds.
const ANSWER_MS: u32 = 60_000;

/// Starts a simulator in `folder` whose Ethernet port is at `eth`.
pub fn simulator(folder: &Path, number: u8, eth: &str) -> Result<Simulator> {
    let [socket, capture, log] =
        ["rnic", "rnic.pcapng", "rnic.log"].map(|name| folder.join(format!("{name}{number}")));
    Simulator::start(vec![Device { socket, eth: eth.into(), capture }], &["--tick", "wall"], &log)
}

/// What QEMU needs for the function to be behind an IOMMU in the guest. They stand before all other devices.
pub fn qemu_arguments(simulator: &Simulator) -> Vec<String> {
    let sockets = simulator.devices().iter().map(|device| {
        let socket = serde_json::json!({ "type": "unix", "path": device.socket });
        let function = serde_json::json!({
            "driver": "vfio-user-pci", "bus": "rnic-port", "x-msg-timeout": ANSWER_MS, "socket": socket,
        });
        function.to_string()
    });
    let before = ["intel-iommu,intremap=on,caching-mode=on", ROOT_PORT].map(String::from);
    before.into_iter().chain(sockets).flat_map(|device| ["-device".to_string(), device]).collect()
}

/// Where [`build`] leaves the tool for the guest.
pub fn tool() -> PathBuf {
    repo::target("guest").join("ferrowarp")
}

/// Builds the simulator, and the tool as a host without simulated devices has it; stripped, as a guest's files are in its memory.
pub fn build(step: &Step) -> Result<()> {
    let note = |line: &str| step.note(line);
    child::capture_with(&mut simulator::build(), note)?;
    let mut tool = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    tool.current_dir(repo::root());
    tool.args(["build", "-p", "ferrowarp", "--bin", "ferrowarp", "--no-default-features"]);
    child::capture_with(&mut tool, note)?;
    // a copy, as the tool with simulated devices takes its place in the folder when it is built
    std::fs::create_dir_all(repo::target("guest"))?;
    let built = repo::root().join("target/debug/ferrowarp");
    child::capture(Command::new("strip").arg("-o").arg(self::tool()).arg(built))?;
    step.note("model of the device behind its PCI Express edge");
    let config = ferrowarp_tests::device::config();
    ferrowarp_sim::model(ferrowarp_hdl::top::Top::RnicW64, &config).context("model of the device")?;
    Ok(())
}

/// Appends to an initramfs an archive of one program, `/bin/NAME` (cpio, format "newc"): the kernel unpacks one after the
/// other. The libraries of the guest's own programs must do for it.
pub fn with_program(initramfs: &Path, program: &Path, name: &str, out: &Path) -> Result<()> {
    let mut archive = std::fs::read(initramfs).with_context(|| format!("no {}", repo::shown(initramfs)))?;
    archive.resize(archive.len().next_multiple_of(4), 0);
    let octets = std::fs::read(program).with_context(|| format!("no {}", program.display()))?;
    entry(&mut archive, &format!("bin/{name}"), 0o100_755, &octets);
    entry(&mut archive, "TRAILER!!!", 0, &[]);
    std::fs::write(out, archive).with_context(|| format!("cannot write {}", out.display()))
}

/// A file of a cpio archive in format "newc": thirteen numbers of eight hexadecimal digits, name, octets, each padded to 4.
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
        let [empty, program, out] = ["empty", "program", "archive"].map(|name| folder.join(name));
        std::fs::write(&empty, []).unwrap();
        std::fs::write(&program, b"#!/bin/sh\necho five\n!").unwrap();
        with_program(&empty, &program, "five", &out).unwrap();
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
