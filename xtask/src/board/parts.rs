// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every board has: the device of its profile, and the MAC.
use super::device;
use crate::steps::Step;
use crate::{emit, repo};
use anyhow::{bail, Result};
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::emit::{Direction, Emitted, Port};
use ferrowarp_hdl::mac::{MacPort, LONGEST};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::emitted;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The emitted parts of a board.
pub struct Parts {
    /// What the device was made of.
    pub config: Config,
    /// The device.
    pub device: Emitted,
    /// The MAC.
    pub mac: Emitted,
    /// Where the MAC's Verilog is.
    pub mac_file: PathBuf,
}

/// Writes the device as `top` has it and the MAC to `folder`, and judges the device by Verilator's
/// lint.
///
/// # Errors
/// A configuration that is impossible, or makes no whole device; a finding of the lint.
pub fn emit(step: &Step, top: Top, profile: &str, sets: &[String], folder: &Path) -> Result<Parts> {
    let config = emit::configured(profile, sets)?;
    let whole = Top::of(&config)?;
    if whole != Top::RnicW64 {
        bail!("profile {profile} with {sets:?} is no whole device: `{}` would be emitted", whole.name());
    }
    let device = emitted(top, &config)?;
    let written = emit::write(&device, &config, folder)?;
    step.note("Verilator's lint of the device");
    device::lint(&written.verilog, top)?;
    let mac = ferrowarp_hdl::emit::emit("mac_port", || MacPort::new(LONGEST))?;
    let mac_file = folder.join("mac_port.v");
    repo::write(&mac_file, &mac.verilog)?;
    Ok(Parts { config, device, mac, mac_file })
}

/// A module with ports and nothing in it.
pub fn stub(name: &str, ports: &[Port]) -> String {
    let mut text =
        format!("/* verilator lint_off UNUSEDSIGNAL */\n/* verilator lint_off UNDRIVEN */\nmodule {name}(");
    for (n, port) in ports.iter().enumerate() {
        let direction = if port.direction == Direction::Input { "input" } else { "output" };
        let range = if port.width == 1 { String::new() } else { format!("[{}:0] ", port.width - 1) };
        let comma = if n == 0 { "" } else { "," };
        // writing to a string does not fail
        let _ = write!(text, "{comma}\n    {direction} wire {range}{}", port.name);
    }
    text + "\n);\nendmodule\n"
}

/// Writes the stubs of device and MAC to `folder`: their paths, the MAC's first.
///
/// # Errors
/// A folder that cannot be written.
pub fn stubs(parts: &Parts, folder: &Path) -> Result<[PathBuf; 2]> {
    let write = |emitted: &Emitted| {
        let path = folder.join(format!("{}.stub.v", emitted.top));
        repo::write(&path, &stub(&emitted.top, &emitted.ports)).map(|()| path)
    };
    Ok([write(&parts.mac)?, write(&parts.device)?])
}
