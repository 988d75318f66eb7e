// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the device's addresses are translated: a container with its group, or an iommufd.
//!
//! The crate `vfio-ioctls` opens both. Its own mapping call asks for reading and writing always;
//! pages that the process may only read have to be mapped so (D5), which is asked of the same
//! descriptors here.
use super::aperture::{of_info, outside};
use super::error::VfioError;
use crate::backend::spans::Span;
use crate::sysfs::PciAddress;
use iommufd_bindings::iommufd::{
    iommu_ioas_iova_ranges, iommu_ioas_map, iommu_iova_range,
    iommufd_ioas_map_flags_IOMMU_IOAS_MAP_FIXED_IOVA as FIXED,
    iommufd_ioas_map_flags_IOMMU_IOAS_MAP_READABLE as READABLE,
    iommufd_ioas_map_flags_IOMMU_IOAS_MAP_WRITEABLE as WRITABLE, IOMMUFD_CMD_IOAS_IOVA_RANGES, IOMMUFD_TYPE,
};
use iommufd_ioctls::IommufdError;
use std::sync::Arc;
use vfio_bindings::bindings::vfio::{
    vfio_iommu_type1_dma_map, VFIO_BASE, VFIO_DMA_MAP_FLAG_READ, VFIO_DMA_MAP_FLAG_WRITE, VFIO_TYPE,
};
use vfio_ioctls::{VfioContainer, VfioIommufd, VfioOps};
use vmm_sys_util::errno::Error as Errno;
use vmm_sys_util::ioctl::{ioctl_with_mut_ptr, ioctl_with_mut_ref, ioctl_with_ref};
use vmm_sys_util::ioctl_io_nr;

ioctl_io_nr!(VFIO_IOMMU_GET_INFO, VFIO_TYPE as u32, VFIO_BASE + 12);
ioctl_io_nr!(VFIO_IOMMU_MAP_DMA, VFIO_TYPE as u32, VFIO_BASE + 13);
ioctl_io_nr!(IOMMU_IOAS_IOVA_RANGES, IOMMUFD_TYPE as u32, IOMMUFD_CMD_IOAS_IOVA_RANGES);

/// Octets for what the kernel says of a container, and ranges for what it says of an address space:
/// far more than it has.
const INFO: usize = 4096;
const RANGES: usize = 256;

/// An address space of the device.
pub(super) enum Iommu {
    /// The older way: `/dev/vfio/vfio` and a node for each group.
    Container(Arc<VfioContainer>),
    /// The newer one: `/dev/iommu` and a node for each device.
    Iommufd(Arc<VfioIommufd>),
}

impl Iommu {
    /// As `vfio-ioctls` takes it.
    pub(super) fn ops(&self) -> Arc<dyn VfioOps> {
        match self {
            Self::Container(container) => container.clone(),
            Self::Iommufd(iommufd) => iommufd.clone(),
        }
    }

    /// Its name, for people.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Container(_) => "container",
            Self::Iommufd(_) => "iommufd",
        }
    }

    /// Addresses, first and last, that the IOMMU does not translate for the device, which is open;
    /// none are known if the kernel does not tell: it refuses a mapping there then.
    pub(super) fn outside(&self, device: PciAddress) -> Vec<(u64, u64)> {
        let allowed = match self {
            Self::Container(container) => Self::of_container(container),
            Self::Iommufd(iommufd) => Self::of_iommufd(iommufd),
        };
        match allowed.filter(|allowed| !allowed.is_empty()) {
            Some(allowed) => outside(&allowed),
            None => {
                tracing::debug!(%device, why = %Errno::last(), "the kernel does not say what the IOMMU translates");
                vec![]
            }
        }
    }

    fn of_container(container: &VfioContainer) -> Option<Vec<(u64, u64)>> {
        // in words, as the structure has them
        let mut info = [0_u64; INFO / 8];
        let argsz = INFO as u32;
        info[0] = u64::from_ne_bytes([argsz.to_ne_bytes(), [0; 4]].concat().try_into().ok()?);
        // SAFETY: the descriptor is a container, and the kernel writes no more than the octets that
        // the first field says.
        let done = unsafe { ioctl_with_mut_ptr(container, VFIO_IOMMU_GET_INFO(), info.as_mut_ptr()) };
        let octets: Vec<u8> = info.iter().flat_map(|word| word.to_ne_bytes()).collect();
        (done == 0).then(|| of_info(&octets)).flatten()
    }

    fn of_iommufd(iommufd: &VfioIommufd) -> Option<Vec<(u64, u64)>> {
        let mut found = [iommu_iova_range::default(); RANGES];
        let mut asked = iommu_ioas_iova_ranges {
            size: size_of::<iommu_ioas_iova_ranges>() as u32,
            ioas_id: iommufd.ioas().id(),
            num_iovas: RANGES as u32,
            allowed_iovas: found.as_mut_ptr() as u64,
            ..Default::default()
        };
        // SAFETY: the descriptor is an iommufd, the structure is the one of this ioctl, and the
        // kernel writes no more ranges than there are said to be.
        let done = unsafe { ioctl_with_mut_ref(&**iommufd.iommufd(), IOMMU_IOAS_IOVA_RANGES(), &mut asked) };
        let found = found.iter().take(asked.num_iovas as usize).map(|range| (range.start, range.last));
        (done == 0).then(|| found.collect())
    }

    /// Pins the pages of a span and makes them visible.
    pub(super) fn map(&self, device: PciAddress, span: &Span) -> Result<(), VfioError> {
        let Span { iova, address, octets, writable } = *span;
        let failed = |errno, why| VfioError::of_map(device, address, octets, errno, why);
        match self {
            Self::Container(container) => {
                let write = if writable { VFIO_DMA_MAP_FLAG_WRITE } else { 0 };
                let flags = VFIO_DMA_MAP_FLAG_READ | write;
                let argsz = size_of::<vfio_iommu_type1_dma_map>() as u32;
                let map = vfio_iommu_type1_dma_map { argsz, flags, vaddr: address, iova, size: octets };
                // SAFETY: the descriptor is a container, the structure is the one of this ioctl.
                // Whoever registers memory promises that it stays and is used with atomics only
                // (`DmaMemory`), and the kernel pins the pages.
                let done = unsafe { ioctl_with_ref(&**container, VFIO_IOMMU_MAP_DMA(), &map) };
                match done {
                    0 => Ok(()),
                    _ => {
                        let why = Errno::last();
                        Err(failed(why.errno(), why.to_string()))
                    }
                }
            }
            Self::Iommufd(iommufd) => {
                let write = if writable { WRITABLE } else { 0 };
                let map = iommu_ioas_map {
                    size: size_of::<iommu_ioas_map>() as u32,
                    flags: READABLE | write | FIXED,
                    ioas_id: iommufd.ioas().id(),
                    __reserved: 0,
                    user_va: address,
                    length: octets,
                    iova,
                };
                iommufd.iommufd().map_iommu_ioas(&map).map_err(|why| match &why {
                    IommufdError::IommuIoasMap(e) => failed(e.errno(), why.to_string()),
                    _ => failed(0, why.to_string()),
                })
            }
        }
    }

    /// Takes the pages of a span away.
    pub(super) fn unmap(&self, device: PciAddress, span: &Span) -> Result<(), VfioError> {
        let done = self.ops().vfio_dma_unmap(span.iova, span.octets as usize);
        let what = "memory stays visible";
        done.map_err(|why| VfioError::Kernel { address: device, what, why: why.to_string() })
    }
}
