// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong with a device.
use super::vfio::VfioError;
use std::time::Duration;

/// Why a device does not do what it is asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// It cannot be opened.
    #[error("the device cannot be opened: {0}")]
    Open(String),
    /// Somebody else has it open.
    #[error("{0} is in use by another client: a device has one owner; close that one first")]
    Busy(String),
    /// The kernel's VFIO does not give it.
    #[error(transparent)]
    Vfio(#[from] VfioError),
    /// It runs no more.
    #[error("the device has stopped: {0}; open it again")]
    Stopped(String),
    /// It answers no read: it was pulled out, has no power, or its PCI Express link is down.
    #[error(
        "the device is gone: register {register:#05x} read as {value:#010x}, and so did `magic`; check its slot, its power and its \
         reset, then open it again"
    )]
    Gone {
        /// Place of the register in BAR0.
        register: u16,
        /// What was read.
        value: u32,
    },
    /// It was reset behind the driver's back.
    #[error(
        "the device has lost its PCI Express link since it was opened (register `pcie_link` was {before}, it is {now}): what was set \
         up on it is lost; open it again"
    )]
    LinkReset {
        /// Losses and hot resets of the link when the device was opened.
        before: u32,
        /// The same now.
        now: u32,
    },
    /// Its server is late, or answers wrongly. The server may still reach memory that it was given.
    #[error("{0}; the device is asked nothing more: end its server, then open it again")]
    Lost(String),
    /// Its server refuses a request.
    #[error("{what} is refused: {}", std::io::Error::from_raw_os_error(*errno))]
    Refused {
        /// Device and request.
        what: String,
        /// Number in errno(3).
        errno: i32,
    },
    /// This process is a child of the one whose device it is.
    #[error("the device is the parent's of this process: a child opens one of its own")]
    Forked,
    /// No answer of the admin port.
    #[error("the device did not answer a command within {0:?}; the machine may be overloaded")]
    Silent(Duration),
    /// A device that is reached in another way.
    #[error("the device shows no registers; open it by `vfio:` or `vfio-user:`")]
    NoRegisters,
    /// A doorbell that no device has.
    #[error("a doorbell cannot be rung: {0}")]
    Doorbell(String),
    /// Memory cannot be made visible to it.
    #[error("the device cannot be given {octets} octets of memory: {why}")]
    Map {
        /// Octets.
        octets: usize,
        /// Why.
        why: String,
    },
}

impl BackendError {
    /// Whether the device reaches nothing of this process any more.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Self::Stopped(_) | Self::Gone { .. } | Self::LinkReset { .. } | Self::Forked)
    }
}
