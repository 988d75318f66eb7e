//! Where the device's addresses are translated: a container with its group, or an iommufd.
//!
//! The crate `vfio-ioctls` opens both. Its own mapping call asks for reading and writing always; pages that the process may
//! only read have to be mapped so (D5), which is asked of the same descriptors here.
use super::VfioError;
use crate::backend::spans::Span;
use crate::sysfs::PciAddress;
use iommufd_bindings::iommufd::{
    iommu_ioas_map, iommufd_ioas_map_flags_IOMMU_IOAS_MAP_FIXED_IOVA as FIXED,
    iommufd_ioas_map_flags_IOMMU_IOAS_MAP_READABLE as READABLE,
    iommufd_ioas_map_flags_IOMMU_IOAS_MAP_WRITEABLE as WRITABLE,
};
use iommufd_ioctls::IommufdError;
use std::sync::Arc;
use vfio_bindings::bindings::vfio::{
    vfio_iommu_type1_dma_map, VFIO_BASE, VFIO_DMA_MAP_FLAG_READ, VFIO_DMA_MAP_FLAG_WRITE, VFIO_TYPE,
};
use vfio_ioctls::{VfioContainer, VfioIommufd, VfioOps};
use vmm_sys_util::errno::Error as Errno;
use vmm_sys_util::ioctl::ioctl_with_ref;
use vmm_sys_util::ioctl_io_nr;

ioctl_io_nr!(VFIO_IOMMU_MAP_DMA, VFIO_TYPE as u32, VFIO_BASE + 13);

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
                // SAFETY: the descriptor is a container, the structure is the one of this ioctl. Whoever registers memory
                // promises that it stays and is used with atomics only (`DmaMemory`), and the kernel pins the pages.
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
