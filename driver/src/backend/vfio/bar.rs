// SPDX-License-Identifier: MIT OR Apache-2.0
//! A BAR of a function: mapped into the process where the kernel allows it, read and written by
//! system calls otherwise.
use super::error::VfioError;
use crate::sysfs::PciAddress;
use memmap2::{MmapOptions, MmapRaw};
use std::os::fd::AsRawFd;
use std::sync::atomic::{fence, Ordering};
use vfio_ioctls::VfioDevice;

/// Flag of a region that may be mapped.
const MAPPABLE: u32 = 4;

/// A BAR.
pub(super) struct Bar {
    address: PciAddress,
    /// VFIO's number of the region, which is that of the BAR.
    index: u32,
    octets: u64,
    map: Option<MmapRaw>,
}

impl Bar {
    /// The whole BAR, which has `least` octets at least.
    pub(super) fn map(
        address: PciAddress,
        vfio: &VfioDevice,
        index: u32,
        least: u64,
    ) -> Result<Self, VfioError> {
        let octets = vfio.get_region_size(index);
        if octets < least {
            return Err(VfioError::Bar { address, bar: index, octets, least });
        }
        let failed = |why: std::io::Error| VfioError::Kernel {
            address,
            what: "a BAR cannot be mapped",
            why: why.to_string(),
        };
        let map = if vfio.get_region_flags(index) & MAPPABLE != 0 {
            let mut options = MmapOptions::new();
            options.offset(vfio.get_region_offset(index)).len(octets as usize);
            Some(options.map_raw(vfio.as_raw_fd()).map_err(failed)?)
        } else {
            None
        };
        Ok(Self { address, index, octets, map })
    }

    /// Refuses accesses that are not aligned or not inside.
    fn check(&self, offset: u64, octets: usize) -> Result<(), VfioError> {
        let fits = offset.checked_add(octets as u64).is_some_and(|end| end <= self.octets);
        if fits && offset.is_multiple_of(octets as u64) && matches!(octets, 4 | 8) {
            return Ok(());
        }
        let why = format!("{octets} octets at {offset:#x} of BAR {}, which has {}", self.index, self.octets);
        Err(VfioError::Kernel { address: self.address, what: "an access is not possible", why })
    }

    /// The dword at `offset`. All ones if the function does not answer, as on the bus.
    pub(super) fn read(&self, vfio: &VfioDevice, offset: u64) -> Result<u32, VfioError> {
        self.check(offset, 4)?;
        Ok(match &self.map {
            Some(map) => {
                // SAFETY: the place is inside of the mapping, which lives as long as `self`, and
                // aligned.
                let word = unsafe { map.as_ptr().add(offset as usize).cast::<u32>().read_volatile() };
                // what is read of memory afterwards is as new as what the register says
                fence(Ordering::Acquire);
                u32::from_le(word)
            }
            None => {
                let mut octets = [0xff; 4];
                vfio.region_read(self.index, &mut octets, offset);
                u32::from_le_bytes(octets)
            }
        })
    }

    /// Writes 4 or 8 octets in one access, behind what was stored to memory before.
    pub(super) fn write(&self, vfio: &VfioDevice, offset: u64, octets: &[u8]) -> Result<(), VfioError> {
        self.check(offset, octets.len())?;
        // a doorbell is seen after what it tells of
        fence(Ordering::SeqCst);
        match (&self.map, <[u8; 8]>::try_from(octets), <[u8; 4]>::try_from(octets)) {
            (Some(map), Ok(octets), _) => {
                // SAFETY: as in `read`.
                let place = unsafe { map.as_mut_ptr().add(offset as usize) };
                // SAFETY: as in `read`; the value's octets stand in memory order.
                unsafe { place.cast::<u64>().write_volatile(u64::from_ne_bytes(octets)) };
            }
            (Some(map), _, Ok(octets)) => {
                // SAFETY: as in `read`.
                let place = unsafe { map.as_mut_ptr().add(offset as usize) };
                // SAFETY: as in `read`; the value's octets stand in memory order.
                unsafe { place.cast::<u32>().write_volatile(u32::from_ne_bytes(octets)) };
            }
            _ => vfio.region_write(self.index, octets, offset),
        }
        Ok(())
    }
}
