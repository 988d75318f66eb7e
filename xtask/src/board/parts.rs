// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every board has: the device of its profile, and the MAC.
use super::device;
use crate::steps::Step;
use crate::{emit, repo};
use anyhow::{bail, Result};
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::emit::Emitted;
use ferrowarp_hdl::mac::{MacPort, LONGEST};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::emitted;
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

/// Writes the device and the MAC to `folder`, and judges the device by Verilator's lint.
///
/// # Errors
/// A configuration that is impossible, or makes no whole device; a finding of the lint.
pub fn emit(step: &Step, profile: &str, sets: &[String], folder: &Path) -> Result<Parts> {
    let config = emit::configured(profile, sets)?;
    let top = Top::of(&config)?;
    if top != Top::RnicW64 {
        bail!("profile {profile} with {sets:?} is no whole device: `{}` would be emitted", top.name());
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
