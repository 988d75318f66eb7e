// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong for a command, and for what it does with a device.
use crate::decode::error::DecodeError;
use crate::perf::error::PerfError;
use crate::ping::error::PingError;
use crate::tour::error::TourError;
use ferrowarp::dma::DmaError;
use ferrowarp::sysfs::SysfsError;
use ferrowarp::Error;

/// Why a command failed. Each says what was wrong, with the value, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The device or the peer.
    #[error(transparent)]
    Device(#[from] Error),
    /// The machine's list of functions.
    #[error(transparent)]
    Sysfs(#[from] SysfsError),
    /// What is to be decoded.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// What stops a ping.
    #[error(transparent)]
    Ping(#[from] PingError),
    /// What stops a tour.
    #[error(transparent)]
    Tour(#[from] TourError),
    /// What stops a measurement.
    #[error(transparent)]
    Perf(#[from] PerfError),
}

/// Memory is the device's.
impl From<DmaError> for ToolError {
    fn from(why: DmaError) -> Self {
        Self::Device(why.into())
    }
}
