// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices `vfio:`: a function of this machine that the kernel gives to the process.
//!
//! Who does what: `sysfs` finds the function, with the crate `pci-driver` for configuration space;
//! the crate `vfio-ioctls` opens the function by group and container, or by iommufd where the
//! kernel has it, and gives regions, interrupts and reset; `memmap2` maps the BARs. `pci-driver`
//! can open a function, too, but knows no iommufd, and maps read-only memory as little as
//! `vfio-ioctls` does: for that see `iommu`.
mod aperture;
mod bar;
mod error;
mod iommu;
mod nodes;
#[cfg(test)]
mod tests;

pub use error::VfioError;

use super::function::Function as Carrier;
use super::spans::Span;
use super::{is_cut_off, BackendError, End};
use crate::dma::DmaMemory;
use crate::sysfs::{PciAddress, Roots};
use bar::Bar;
use ferrowarp_abi::consts::bar as size;
use iommu::Iommu;
use iommufd_ioctls::IommuFd;
use std::fmt;
use std::fs::File;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;
use vfio_ioctls::{VfioContainer, VfioDevice, VfioIommufd};
use vmm_sys_util::eventfd::{EventFd, EFD_CLOEXEC, EFD_NONBLOCK};

/// Region of configuration space, in VFIO's order.
const CONFIG: u32 = 7;
/// Command register of configuration space, and what it is to be: memory and bus master.
const COMMAND: u64 = 4;
const MEMORY_AND_MASTER: u16 = 6;
/// What it is behind a reset: an access of the driver that is under way still finds registers,
/// where disabled ones are a SIGBUS.
const MEMORY: u16 = 2;
/// MSI-X among the interrupts of VFIO, and what the kernel tells: an error of the bus that stopped
/// the device, and that the device goes.
const MSIX: u32 = 2;
const TOLD: [u32; 2] = [3, 4];

/// An open function. It is reset when it is opened and when it is closed; if the process is killed
/// the kernel does it.
pub(super) struct Device {
    address: PciAddress,
    registers: Bar,
    doorbells: Bar,
    vfio: VfioDevice,
    iommu: Iommu,
    /// What count messages, one a vector; none if the function has no MSI-X.
    messages: Vec<EventFd>,
    /// Counts what the kernel tells of the device's end, if it does.
    end: Option<EventFd>,
    reserved: Vec<(u64, u64)>,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vfio:{} ({})", self.address, self.iommu.name())
    }
}

impl Device {
    /// Opens and resets the function at an address.
    pub(super) fn open(address: PciAddress, roots: &Roots) -> Result<Self, BackendError> {
        let function = roots.function(address).map_err(VfioError::Sysfs)?;
        let nodes = nodes::nodes(roots, &function)?;
        let refused = |why| VfioError::of_open(&function, &nodes, why);
        let iommu = if nodes.is_iommufd {
            let no_space = |why| VfioError::of_iommufd(&function, &nodes, why);
            let iommufd = Arc::new(IommuFd::new().map_err(no_space)?);
            Iommu::Iommufd(Arc::new(VfioIommufd::new(iommufd, None, None).map_err(refused)?))
        } else {
            Iommu::Container(Arc::new(VfioContainer::new(None).map_err(refused)?))
        };
        let vfio = VfioDevice::new(&function.path, iommu.ops(), true).map_err(refused)?;
        vfio.reset();
        vfio.region_write(CONFIG, &MEMORY_AND_MASTER.to_le_bytes(), COMMAND);
        let registers = Bar::map(address, &vfio, 0, u64::from(size::REGISTERS_OCTETS))?;
        let doorbells = Bar::map(address, &vfio, 2, u64::from(size::PAGE_OCTETS))?;
        let (messages, end) = (messages(address, &vfio)?, end(address, &vfio));
        let mut reserved = roots.reserved(nodes.group);
        reserved.extend(iommu.outside(address));
        tracing::debug!(%address, way = iommu.name(), "opened through VFIO");
        Ok(Self { address, registers, doorbells, vfio, iommu, messages, end, reserved })
    }

    fn bar(&self, bar: usize) -> &Bar {
        if bar == 0 {
            &self.registers
        } else {
            &self.doorbells
        }
    }
}

/// Directs each vector to an eventfd; none if the function has no MSI-X.
fn messages(address: PciAddress, vfio: &VfioDevice) -> Result<Vec<EventFd>, VfioError> {
    let count = vfio.get_irq_info(MSIX).map_or(0, |irq| irq.count.min(size::VECTORS.into()));
    if count == 0 {
        return Ok(vec![]);
    }
    let failed = |what, why: String| VfioError::Kernel { address, what, why };
    let eventfd = |_| EventFd::new(EFD_CLOEXEC | EFD_NONBLOCK);
    let messages: Result<Vec<_>, _> = (0..count).map(eventfd).collect();
    let messages = messages.map_err(|e| failed("there is no eventfd", e.to_string()))?;
    let enabled = vfio.enable_msix(messages.iter().collect());
    enabled.map_err(|e| failed("MSI-X is not enabled", e.to_string()))?;
    Ok(messages)
}

/// What counts the kernel's word that the device may have ended. None if the kernel gives no word
/// of one kind: the device is looked at in turn then.
fn end(address: PciAddress, vfio: &VfioDevice) -> Option<EventFd> {
    let end = EventFd::new(EFD_CLOEXEC | EFD_NONBLOCK).ok()?;
    let told = TOLD.into_iter().try_for_each(|irq| vfio.enable_irq(irq, vec![&end]));
    told.inspect_err(|why| tracing::debug!(%address, %why, "the kernel does not tell of the device's end"))
        .ok()?;
    Some(end)
}

/// An own descriptor of an eventfd.
fn own(eventfd: &EventFd) -> Option<OwnedFd> {
    // SAFETY: the descriptor is open as long as `eventfd` is, which outlives the call.
    let fd = unsafe { BorrowedFd::borrow_raw(eventfd.as_raw_fd()) };
    fd.try_clone_to_owned().ok()
}

impl Carrier for Device {
    fn read(&self, bar: usize, offset: u64) -> Result<u32, BackendError> {
        Ok(self.bar(bar).read(&self.vfio, offset)?)
    }

    fn write(&self, bar: usize, offset: u64, octets: &[u8]) -> Result<(), BackendError> {
        Ok(self.bar(bar).write(&self.vfio, offset, octets)?)
    }

    fn map(&self, span: &Span, _memory: &DmaMemory) -> Result<(), BackendError> {
        Ok(self.iommu.map(self.address, span)?)
    }

    fn unmap(&self, span: &Span, _most: Duration) -> Result<(), BackendError> {
        Ok(self.iommu.unmap(self.address, span)?)
    }

    /// The kernel keeps the command register across the reset, which tells whether the function may
    /// still reach memory.
    fn reset(&self) -> Result<(), BackendError> {
        self.vfio.region_write(CONFIG, &MEMORY.to_le_bytes(), COMMAND);
        self.vfio.reset();
        let mut command = [0xff; 2];
        self.vfio.region_read(CONFIG, &mut command, COMMAND);
        is_cut_off(command)
    }

    fn reserved(&self) -> Vec<(u64, u64)> {
        self.reserved.clone()
    }

    fn vectors(&self) -> u16 {
        self.messages.len() as u16
    }

    fn interrupts(&self, vector: u16) -> Option<File> {
        self.messages.get(usize::from(vector)).and_then(own).map(File::from)
    }

    fn end(&self) -> Option<End> {
        self.end.as_ref().and_then(own).map(End::Event)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // no message comes to a descriptor that is closed, no access goes on
        if !self.messages.is_empty() {
            if let Err(why) = self.vfio.disable_msix() {
                tracing::debug!(address = %self.address, %why, "MSI-X stays enabled until the function is closed");
            }
        }
        self.vfio.reset();
    }
}
