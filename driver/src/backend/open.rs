// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices by their addresses: which way leads to each kind.
use super::pci::PciBackend;
use super::{BackendError, Timers};
use crate::sysfs::Roots;
#[cfg(feature = "sim")]
use crate::url::SimUrl;
use crate::url::{VfioUrl, VfioUserUrl};
#[cfg(feature = "sim")]
use ferrowarp_hdl::config::Config;
#[cfg(feature = "sim")]
use ferrowarp_sim::rnic::{Clock, PairConfig};
use std::path::Path;
use std::sync::Arc;

impl PciBackend {
    /// The function at an address, through the kernel's VFIO.
    pub fn vfio(url: &VfioUrl, roots: &Roots) -> Result<Self, BackendError> {
        Self::new(Arc::new(super::vfio::Device::open(url.address, roots)?), url.net.timers())
    }

    /// The simulated device of a URL, in this process.
    #[cfg(feature = "sim")]
    pub fn sim(url: &SimUrl) -> Result<Self, BackendError> {
        super::sim::open(url)
    }

    /// Two simulated devices in this process, on one clock that can be held and a wire of their
    /// own. A tick, of which timers have their length, is so many cycles.
    #[cfg(feature = "sim")]
    pub fn pair(pair: PairConfig) -> Result<([Self; 2], Clock), BackendError> {
        Self::pair_of(&super::sim::hardware(), pair)
    }

    /// The same of another configuration of the hardware. The first use of a configuration builds
    /// its model (minutes).
    #[cfg(feature = "sim")]
    pub fn pair_of(hardware: &Config, pair: PairConfig) -> Result<([Self; 2], Clock), BackendError> {
        super::sim::pair(hardware, pair)
    }

    /// The device that another process serves on a unix socket, with the URL's timers.
    pub fn vfio_user_of(url: &VfioUserUrl) -> Result<Self, BackendError> {
        super::vfio_user::open(&url.path, url.net.timers())
    }

    /// The device that another process serves on a unix socket, with the driver's timers.
    pub fn vfio_user(path: &Path) -> Result<Self, BackendError> {
        super::vfio_user::open(path, Timers::DEFAULT)
    }
}
