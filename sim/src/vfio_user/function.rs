// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a PCI function is to the server, and what the server tells of it.
use crate::memory::Octets;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// Regions in the order of VFIO: six BARs, ROM, configuration space, VGA.
pub const REGIONS: usize = 9;
/// Number of the region that is configuration space.
pub const CONFIG_REGION: usize = 7;
/// Interrupts in the order of VFIO: INTx, MSI, MSI-X, error, request.
pub const IRQS: usize = 5;
/// Number of MSI-X among them.
pub const MSIX_IRQ: usize = 2;

/// Why a function refuses what a client wants; each is an `errno` on the wire.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No such thing, or not in that way (`EINVAL`).
    #[error("{0}")]
    Invalid(String),
    /// Something is there already (`EEXIST`).
    #[error("{0}")]
    Exists(String),
    /// Nothing is there (`ENOENT`).
    #[error("{0}")]
    Absent(String),
    /// The descriptor does not allow it (`EACCES`).
    #[error("{0}")]
    Access(String),
    /// A client has as much of it as it may (`EMFILE`).
    #[error("{0}")]
    Full(String),
    /// The simulation has ended: so does the connection (`EIO`).
    #[error("the function answers no more: {0}")]
    Gone(String),
}

impl Refusal {
    /// Its number in errno(3).
    pub(super) fn errno(&self) -> i32 {
        match self {
            Self::Invalid(_) => super::wire::EINVAL,
            Self::Exists(_) => 17,
            Self::Absent(_) => 2,
            Self::Access(_) => 13,
            Self::Full(_) => 24,
            Self::Gone(_) => 5,
        }
    }
}

/// A PCI function as a vfio-user client uses it. All calls come from the server's thread, one at a
/// time.
pub trait PciFunction: Send {
    /// Octets of each region; zero: there is none.
    fn regions(&self) -> [u64; REGIONS];

    /// Vectors of MSI-X.
    fn vectors(&self) -> u16;

    /// Reads a region; the range lies inside of it.
    fn read(&mut self, region: usize, offset: u64, into: &mut [u8]) -> Result<(), Refusal>;

    /// Writes a region; the range lies inside of it.
    fn write(&mut self, region: usize, offset: u64, octets: &[u8]) -> Result<(), Refusal>;

    /// The function may reach these octets from `iova` on, and write them if `writable`.
    fn map(&mut self, iova: u64, octets: Arc<dyn Octets>, writable: bool) -> Result<(), Refusal>;

    /// It may reach `octets` octets from `iova` on no more, which [`PciFunction::map`] gave it as
    /// one range. When this returns no access is under way.
    fn unmap(&mut self, iova: u64, octets: u64) -> Result<(), Refusal>;

    /// It may reach nothing.
    fn unmap_all(&mut self) -> Result<(), Refusal>;

    /// Each message of the vector is written to the descriptor as an eventfd; `None`: to nobody.
    fn set_vector(&mut self, vector: u16, fd: Option<OwnedFd>) -> Result<(), Refusal>;

    /// The state after power-up. Mappings and vectors stay.
    fn reset(&mut self) -> Result<(), Refusal>;
}
