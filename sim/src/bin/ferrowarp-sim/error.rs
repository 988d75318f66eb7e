// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why nothing is simulated or served.
use ferrowarp_sim::eth::EthError;
use ferrowarp_sim::link::switch::SwitchError;
use ferrowarp_sim::rnic::{RnicError, ServedError};
use ferrowarp_sim::ModelError;
use std::path::PathBuf;

/// Why nothing is simulated.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("{0} devices and {1} Ethernet ports; give --eth once for each --device")]
    Count(usize, usize),
    #[error("{0} devices and {1} carriers with {2} addresses; give --carrier once for each --device")]
    Carriers(usize, usize, usize),
    #[error("{0} captures and {1} devices; give --pcap once for each --device, or less often")]
    Captures(usize, usize),
    #[error("`{0}` is no device; write vfio-user:PATH")]
    Device(String),
    #[error("`{0}` is given twice; each device needs a socket of its own")]
    Twice(String),
    #[error("`{text}`: {why}; write link:N with the number of another device, which has link: and this one's number")]
    Link { text: String, why: &'static str },
    #[error(
        "`{text}`: {why}; write switch:N with the number of a port, for example switch:0 or switch:1,vlan=10,queue=65536,loss=0.01"
    )]
    Switch { text: String, why: String },
    #[error("`{text}`: {why}; write N,every=5000,down=1-3000,seed=7 with the number of a device and times in microseconds")]
    Flap { text: String, why: String },
    #[error(transparent)]
    Joined(#[from] SwitchError),
    #[error(transparent)]
    Eth(#[from] EthError),
    #[error("no model of the device: {0}")]
    Model(#[from] ModelError),
    #[error(transparent)]
    Rnic(#[from] RnicError),
    #[error("{0}: {1}")]
    Served(String, ServedError),
    #[error("the folder for waveforms, {}, cannot be made: {why}; choose another one", folder.display())]
    Folder { folder: PathBuf, why: std::io::Error },
    #[error("signals cannot be caught: {0}")]
    Signals(String),
}
