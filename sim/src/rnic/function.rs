// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device as a PCI function for a vfio-user client, with what a platform and the kernel's VFIO
//! do around one.
use super::handle::Rnic;
use super::messages::BASE;
use super::order::RnicError;
use crate::memory::Octets;
use crate::pcie::{Bar, ConfigSpace, Identity, LinkShape, MsixPlace, CONFIG_OCTETS};
use crate::vfio_user::{PciFunction, Refusal, CONFIG_REGION, REGIONS};
use ferrowarp_abi::consts::{bar, csr_identity};
use ferrowarp_hdl::config::Config;
use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// Octets of a vector in the table of MSI-X.
const ENTRY: u64 = 16;

/// What the function is made of.
pub struct RnicFunction {
    rnic: Arc<Rnic>,
    space: ConfigSpace,
    /// Octets of the BARs, by number.
    bars: [u64; 6],
    /// BAR and offset of the table of MSI-X.
    table: (usize, u64),
    vectors: u16,
    mapped: BTreeSet<u64>,
    /// Vectors that have a descriptor.
    told: BTreeSet<u16>,
}

impl From<RnicError> for Refusal {
    fn from(why: RnicError) -> Self {
        match why {
            RnicError::Map(why) => Self::Exists(why.to_string()),
            why @ (RnicError::Stopped(_) | RnicError::Model(_) | RnicError::Delay { .. }) => {
                Self::Gone(why.to_string())
            }
        }
    }
}

/// Configuration space of the device that `config` makes: three BARs, MSI-X in the last.
fn space(config: &Config) -> (ConfigSpace, [u64; 6]) {
    // a doorbell page for each queue pair, and one for the rings that exist once
    let pages = (config.qps.max(config.cqs) + 1).next_power_of_two();
    let octets = [bar::REGISTERS_OCTETS.into(), u64::from(bar::PAGE_OCTETS) * pages, bar::MSIX_OCTETS.into()];
    let bars: Vec<_> =
        octets.iter().enumerate().map(|(n, o)| Bar { index: 2 * n, log2: o.ilog2() as u8 }).collect();
    let (vendor, device) = (csr_identity::VENDOR, csr_identity::DEVICE);
    // an Ethernet controller
    let identity = Identity { vendor, device, revision: 1, class: [2, 0, 0] };
    let (table, pending) = (bar::MSIX_TABLE, bar::MSIX_PENDING);
    let msix = MsixPlace { vectors: bar::VECTORS, bar: 4, table, pending };
    let space = ConfigSpace::new(&identity, &bars, &msix, LinkShape { speed: 2, lanes: 4 });
    (space, [octets[0], 0, octets[1], 0, octets[2], 0])
}

impl RnicFunction {
    /// The function of a device of `config`.
    pub fn of(config: &Config, rnic: Arc<Rnic>) -> Self {
        let (space, bars) = space(config);
        let table = (4, u64::from(bar::MSIX_TABLE));
        let (mapped, told) = Default::default();
        Self { rnic, space, bars, table, vectors: bar::VECTORS, mapped, told }
    }

    /// One register access, as a processor makes it: it has all ones if the function does not
    /// answer to its BARs.
    fn register(&mut self, bar: usize, offset: u64, into: &mut [u8]) -> Result<(), Refusal> {
        if self.space.memory() {
            into.copy_from_slice(&self.rnic.bar_read(bar, offset, into.len())?);
        } else {
            into.fill(0xff);
        }
        Ok(())
    }

    /// Writes a vector's entry in the table of MSI-X, as VFIO does for its user: where messages go
    /// is the platform's affair.
    fn enter(&mut self, vector: u16) -> Result<(), Refusal> {
        let (bar, table) = self.table;
        let (entry, address) = (table + ENTRY * u64::from(vector), BASE + 4 * u64::from(vector));
        let is_masked = !self.told.contains(&vector);
        let words = [address as u32, (address >> 32) as u32, u32::from(vector), u32::from(is_masked)];
        for (n, word) in words.into_iter().enumerate() {
            self.rnic.bar_write(bar, entry + 4 * n as u64, &word.to_le_bytes())?;
        }
        Ok(())
    }

    /// MSI-X is enabled while somebody listens, as VFIO does when it is given descriptors.
    fn enable(&mut self) -> Result<(), Refusal> {
        self.space.enable_msix(!self.told.is_empty());
        Ok(self.rnic.configure(&self.space)?)
    }
}

impl PciFunction for RnicFunction {
    fn regions(&self) -> [u64; REGIONS] {
        let mut sizes = [0; REGIONS];
        sizes[..6].copy_from_slice(&self.bars);
        sizes[CONFIG_REGION] = CONFIG_OCTETS as u64;
        sizes
    }

    fn vectors(&self) -> u16 {
        self.vectors
    }

    fn read(&mut self, region: usize, offset: u64, into: &mut [u8]) -> Result<(), Refusal> {
        if region == CONFIG_REGION {
            self.space.read(offset as usize, into);
            return Ok(());
        }
        self.register(region, offset, into)
    }

    fn write(&mut self, region: usize, offset: u64, octets: &[u8]) -> Result<(), Refusal> {
        if region != CONFIG_REGION {
            return match self.space.memory() {
                true => Ok(self.rnic.bar_write(region, offset, octets)?),
                false => Ok(()),
            };
        }
        if self.space.write(offset as usize, octets).flr {
            return self.reset();
        }
        Ok(self.rnic.configure(&self.space)?)
    }

    fn map(&mut self, iova: u64, octets: Arc<dyn Octets>, writable: bool) -> Result<(), Refusal> {
        self.rnic.map(iova, octets, writable)?;
        self.mapped.insert(iova);
        Ok(())
    }

    fn unmap(&mut self, iova: u64, _octets: u64) -> Result<(), Refusal> {
        self.rnic.unmap(iova)?;
        self.mapped.remove(&iova);
        Ok(())
    }

    fn unmap_all(&mut self) -> Result<(), Refusal> {
        std::mem::take(&mut self.mapped).into_iter().try_for_each(|iova| Ok(self.rnic.unmap(iova)?))
    }

    fn set_vector(&mut self, vector: u16, fd: Option<OwnedFd>) -> Result<(), Refusal> {
        let is_told = fd.is_some();
        self.rnic.set_vector(vector, fd);
        let changed = if is_told { self.told.insert(vector) } else { self.told.remove(&vector) };
        if !changed {
            return Ok(());
        }
        self.enter(vector)?;
        self.enable()
    }

    /// What is under way comes to its end before configuration space says that the function may
    /// send nothing.
    fn reset(&mut self) -> Result<(), Refusal> {
        self.rnic.reset()?;
        self.space.reset();
        self.told.clone().into_iter().try_for_each(|vector| self.enter(vector))?;
        self.enable()
    }
}
