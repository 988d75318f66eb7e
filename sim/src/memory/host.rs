// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory as the device sees it: regions of octets at bus addresses.
use super::outside::{Octets, Store, Unreached};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why a region could not be mapped or taken away, or the test's own access failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// No octets.
    #[error("a region at 0x{0:x} without octets")]
    Empty(u64),
    /// The region would pass the end of the address space.
    #[error("{len} octets at 0x{addr:x} pass the end of the 64-bit address space")]
    Wraps {
        /// First address.
        addr: u64,
        /// Octets.
        len: u64,
    },
    /// The region would share octets with another one.
    #[error("{len} octets at 0x{addr:x} overlap the region at 0x{other:x}")]
    Overlaps {
        /// First address.
        addr: u64,
        /// Octets.
        len: u64,
        /// First address of the region that is there.
        other: u64,
    },
    /// No region begins there.
    #[error("no region begins at 0x{0:x}")]
    NoRegion(u64),
    /// Octets outside all regions.
    #[error("0x{addr:x} is not mapped, in an access to {len} octets at 0x{start:x}")]
    Unmapped {
        /// First octet that is missing.
        addr: u64,
        /// First address of the access.
        start: u64,
        /// Octets of the access.
        len: u64,
    },
}

/// Why an access of the device was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// An address of the access belongs to no region.
    #[error("0x{0:x} was never mapped")]
    Unmapped(u64),
    /// An address of a write belongs to a region that may only be read.
    #[error("0x{0:x} may only be read")]
    ReadOnly(u64),
    /// An address of the access belongs to a region outside whose octets are not reached.
    #[error("0x{0:x} {1}")]
    Unreached(u64, Unreached),
}

/// An access of the device that was refused as a whole: an IOMMU fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cycle {cycle}: {} of {length} octets at 0x{addr:x}: {why}", if *write { "write" } else { "read" })]
pub struct Refused {
    /// Cycle of the bench in which it was refused.
    pub cycle: u64,
    /// A write; else a read.
    pub write: bool,
    /// First bus address.
    pub addr: u64,
    /// Octets.
    pub length: u64,
    /// What was wrong.
    pub why: Why,
}

/// A region of memory.
#[derive(Debug, Clone)]
struct Region {
    octets: Store,
    /// The device may write here.
    writable: bool,
}

/// The host's memory at 64-bit bus addresses.
#[derive(Debug, Clone, Default)]
pub struct HostMemory {
    regions: BTreeMap<u64, Region>,
    refused: Vec<Refused>,
    /// First address, octets and additional nanoseconds of what answers late.
    late: Vec<(u64, u64, u64)>,
}

impl HostMemory {
    /// Nothing mapped.
    pub fn new() -> Self {
        Self::default()
    }

    /// Maps `len` octets of zeros at `addr` for the device. Regions may touch and must not overlap.
    pub fn map(&mut self, addr: u64, len: u64, writable: bool) -> Result<(), MapError> {
        self.free(addr, len)?;
        self.regions.insert(addr, Region { octets: Store::Own(vec![0; len as usize]), writable });
        Ok(())
    }

    /// Maps octets that live outside of the bench at `addr`: what the device writes is there at
    /// once, and what it reads is what they are then.
    pub fn map_outside(
        &mut self,
        addr: u64,
        octets: Arc<dyn Octets>,
        writable: bool,
    ) -> Result<(), MapError> {
        self.free(addr, octets.len())?;
        self.regions.insert(addr, Region { octets: Store::Outside(octets), writable });
        Ok(())
    }

    /// Whether a region may lie there.
    fn free(&self, addr: u64, len: u64) -> Result<(), MapError> {
        if len == 0 {
            return Err(MapError::Empty(addr));
        }
        let last = addr.checked_add(len - 1).ok_or(MapError::Wraps { addr, len })?;
        if let Some((&other, region)) = self.regions.range(..=last).next_back() {
            if other + (region.octets.len() - 1) >= addr {
                return Err(MapError::Overlaps { addr, len, other });
            }
        }
        Ok(())
    }

    /// Takes the region that begins at `addr` away, with what is in it. Nothing is copied: a region
    /// outside may be longer than any memory.
    pub fn unmap(&mut self, addr: u64) -> Result<(), MapError> {
        self.regions.remove(&addr).map(drop).ok_or(MapError::NoRegion(addr))
    }

    /// Reads at DMA ports that begin in these octets are answered `ns` nanoseconds later than
    /// others from now on, with `u64::MAX` never. They hold no other answer up. Of octets that were
    /// named twice the later word counts. A root complex knows no such reads.
    pub fn delay(&mut self, addr: u64, len: u64, ns: u64) {
        self.late.push((addr, len, ns));
    }

    /// Nanoseconds that a read at an address waits longer than others.
    pub(crate) fn lateness(&self, addr: u64) -> Option<u64> {
        self.late.iter().rev().find(|(from, len, _)| addr.wrapping_sub(*from) < *len).map(|l| l.2)
    }

    /// Octets as the host's processor reads them.
    pub fn read(&self, addr: u64, len: u64) -> Result<Vec<u8>, MapError> {
        let read = self.covered(addr, len, false).and_then(|()| self.copy(addr, len as usize));
        read.map_err(|why| outside(why, addr, len))
    }

    /// Stores octets as the host's processor does, which may write where the device may not.
    pub fn write(&mut self, addr: u64, octets: &[u8]) -> Result<(), MapError> {
        let len = octets.len() as u64;
        let written = self.covered(addr, len, false).and_then(|()| self.store(addr, octets));
        written.map_err(|why| outside(why, addr, len))
    }

    /// Accesses of the device that were refused and that nobody has taken.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// Takes the refused accesses. A case that leaves any fails at its end.
    pub fn take_refused(&mut self) -> Vec<Refused> {
        std::mem::take(&mut self.refused)
    }

    /// A read of the device: the octets, or none and a line in [`HostMemory::refused`].
    pub(crate) fn device_read(&mut self, cycle: u64, addr: u64, length: u64) -> Option<Vec<u8>> {
        match self.covered(addr, length, false).and_then(|()| self.copy(addr, length as usize)) {
            Ok(octets) => Some(octets),
            Err(why) => {
                self.refused.push(Refused { cycle, write: false, addr, length, why });
                None
            }
        }
    }

    /// Whether the device may write there; if not, with a line in [`HostMemory::refused`].
    pub(crate) fn device_may_write(&mut self, cycle: u64, addr: u64, length: u64) -> bool {
        let verdict = self.covered(addr, length, true);
        if let Err(why) = verdict {
            self.refused.push(Refused { cycle, write: true, addr, length, why });
        }
        verdict.is_ok()
    }

    /// Stores what [`HostMemory::device_may_write`] allowed; false, with a line in
    /// [`HostMemory::refused`], if octets outside are not reached.
    pub(crate) fn device_store(&mut self, cycle: u64, addr: u64, octets: &[u8]) -> bool {
        let stored = self.store(addr, octets);
        if let Err(why) = stored {
            self.refused.push(Refused { cycle, write: true, addr, length: octets.len() as u64, why });
        }
        stored.is_ok()
    }

    /// Stores octets of an access that was covered; those whose region went away since are lost.
    fn store(&mut self, addr: u64, octets: &[u8]) -> Result<(), Why> {
        let mut at = 0;
        while at < octets.len() {
            let here = addr.wrapping_add(at as u64);
            let Some((base, region)) = self.regions.range_mut(..=here).next_back() else { break };
            let offset = here - base;
            let rest = region.octets.len().saturating_sub(offset);
            let n = usize::try_from(rest).unwrap_or(usize::MAX).min(octets.len() - at);
            if n == 0 {
                break;
            }
            region.octets.store(offset, &octets[at..at + n]).map_err(|why| Why::Unreached(here, why))?;
            at += n;
        }
        Ok(())
    }

    /// Octets of an access that is covered.
    fn copy(&self, addr: u64, len: usize) -> Result<Vec<u8>, Why> {
        let mut octets = Vec::with_capacity(len);
        while octets.len() < len {
            let here = addr + octets.len() as u64;
            let Some((base, region)) = self.regions.range(..=here).next_back() else { break };
            let rest = region.octets.len().saturating_sub(here - base);
            let n = rest.min((len - octets.len()) as u64);
            if n == 0 {
                break;
            }
            octets.extend(region.octets.copy(here - base, n).map_err(|why| Why::Unreached(here, why))?);
        }
        Ok(octets)
    }

    /// Whether regions without a gap cover the access, all of them writable if it is a `write`.
    fn covered(&self, addr: u64, len: u64, write: bool) -> Result<(), Why> {
        let mut at = 0;
        while at < len {
            // an access that passes the end of the address space has no region there
            let here = addr.checked_add(at).ok_or(Why::Unmapped(0))?;
            let (base, region) = self.regions.range(..=here).next_back().ok_or(Why::Unmapped(here))?;
            let left = region.octets.len().saturating_sub(here - base);
            match (left, write && !region.writable) {
                (0, _) => return Err(Why::Unmapped(here)),
                (_, true) => return Err(Why::ReadOnly(here)),
                // two regions may hold all addresses, which are one more than can be counted
                _ => at = at.saturating_add(left),
            }
        }
        Ok(())
    }
}

/// The error of the test's own access.
fn outside(why: Why, start: u64, len: u64) -> MapError {
    let (Why::Unmapped(addr) | Why::ReadOnly(addr) | Why::Unreached(addr, _)) = why;
    MapError::Unmapped { addr, start, len }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_regions() -> HostMemory {
        let mut host = HostMemory::new();
        host.map(0x1000, 0x100, true).unwrap();
        host.map(0x1100, 0x100, false).unwrap();
        host
    }

    #[test]
    fn regions_do_not_overlap_or_wrap() {
        let mut host = two_regions();
        assert_eq!(
            host.map(0x10ff, 1, true),
            Err(MapError::Overlaps { addr: 0x10ff, len: 1, other: 0x1000 })
        );
        assert_eq!(host.map(0x0fff, 2, true), Err(MapError::Overlaps { addr: 0xfff, len: 2, other: 0x1000 }));
        assert_eq!(host.map(0x5000, 0, true), Err(MapError::Empty(0x5000)));
        assert_eq!(host.map(u64::MAX, 2, true), Err(MapError::Wraps { addr: u64::MAX, len: 2 }));
        host.map(u64::MAX, 1, true).unwrap();
        assert_eq!(host.unmap(0x1001), Err(MapError::NoRegion(0x1001)));
        host.unmap(0x1000).unwrap();
        host.map(0x0fff, 2, true).unwrap();
    }

    /// Octets outside, as a driver's memory.
    #[derive(Debug)]
    struct Outside(std::sync::Mutex<Vec<u8>>);

    impl Octets for Outside {
        fn len(&self) -> u64 {
            self.0.lock().unwrap().len() as u64
        }

        fn load(&self, at: u64, into: &mut [u8]) -> Result<(), Unreached> {
            into.copy_from_slice(&self.0.lock().unwrap()[at as usize..][..into.len()]);
            Ok(())
        }

        fn store(&self, at: u64, octets: &[u8]) -> Result<(), Unreached> {
            self.0.lock().unwrap()[at as usize..][..octets.len()].copy_from_slice(octets);
            Ok(())
        }
    }

    #[test]
    fn octets_outside_are_reached_where_they_are() {
        let mut host = two_regions();
        let outside = Arc::new(Outside(std::sync::Mutex::new(vec![9; 8])));
        host.map_outside(0x1200, outside.clone(), true).unwrap();
        assert!(host.map_outside(0x1207, outside.clone(), true).is_err());
        assert!(host.device_store(1, 0x11fe, &[1, 2, 3, 4]));
        assert_eq!(*outside.0.lock().unwrap(), [3, 4, 9, 9, 9, 9, 9, 9]);
        outside.store(7, &[5]).unwrap();
        assert_eq!(host.device_read(1, 0x11ff, 9), Some(vec![2, 3, 4, 9, 9, 9, 9, 9, 5]));
        assert_eq!(host.device_read(2, 0x1200, 9), None);
        host.unmap(0x1200).unwrap();
        assert_eq!(*outside.0.lock().unwrap(), [3, 4, 9, 9, 9, 9, 9, 5], "what was outside stays there");
        assert_eq!(host.take_refused().len(), 1);
    }

    /// Of any length, such as that of `/proc/self/mem`; whoever copied it would not live on.
    #[derive(Debug)]
    struct Endless(u64);

    impl Octets for Endless {
        fn len(&self) -> u64 {
            self.0
        }

        fn load(&self, _at: u64, into: &mut [u8]) -> Result<(), Unreached> {
            into.fill(7);
            Ok(())
        }

        fn store(&self, _at: u64, _octets: &[u8]) -> Result<(), Unreached> {
            Err(Unreached::NoAnswer)
        }
    }

    #[test]
    fn a_region_longer_than_memory_is_taken_away_without_a_copy() {
        let mut host = HostMemory::new();
        host.map_outside(0x1000, Arc::new(Endless(i64::MAX as u64)), true).unwrap();
        assert_eq!(host.device_read(1, i64::MAX as u64, 2), Some(vec![7, 7]));
        assert!(host.device_may_write(2, 0x2000, 2) && !host.device_store(3, 0x2000, &[1, 2]));
        let told = host.take_refused().iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            told,
            ["cycle 3: write of 2 octets at 0x2000: 0x2000 belongs to an owner that does not answer"]
        );
        host.unmap(0x1000).unwrap();
        assert_eq!(host.unmap(0x1000), Err(MapError::NoRegion(0x1000)));
        host.map(0, 16, true).unwrap();
        host.map_outside(16, Arc::new(Endless(u64::MAX - 15)), true).unwrap();
        assert_eq!(host.device_read(1, 0, 17).map(|octets| octets[16]), Some(7));
    }

    #[test]
    fn accesses_cross_regions_that_touch() {
        let mut host = two_regions();
        let octets: Vec<u8> = (0..16).collect();
        host.write(0x10f8, &octets).unwrap();
        assert_eq!(host.read(0x10f8, 16).unwrap(), octets);
        assert_eq!(host.device_read(1, 0x10fc, 8), Some((4..12).collect()));
        let short = host.read(0x11f8, 9);
        assert_eq!(short, Err(MapError::Unmapped { addr: 0x1200, start: 0x11f8, len: 9 }));
        assert!(host.refused().is_empty());
    }

    #[test]
    fn what_the_device_may_not_do_is_refused_and_told() {
        let mut host = two_regions();
        assert!(host.device_may_write(7, 0x1000, 0x100));
        assert!(!host.device_may_write(8, 0x10ff, 2));
        assert_eq!(host.device_read(9, 0xfff, 1), None);
        assert_eq!(host.device_read(10, u64::MAX - 3, 8), None);
        let told: Vec<_> = host.take_refused().iter().map(ToString::to_string).collect();
        assert_eq!(told[0], "cycle 8: write of 2 octets at 0x10ff: 0x1100 may only be read");
        assert_eq!(told[1], "cycle 9: read of 1 octets at 0xfff: 0xfff was never mapped");
        assert_eq!(told.len(), 3);
        assert!(host.refused().is_empty());
    }

    #[test]
    fn a_store_ends_where_its_region_went_away() {
        let mut host = two_regions();
        host.unmap(0x1100).unwrap();
        assert!(host.device_store(1, 0x10fe, &[1, 2, 3, 4]));
        assert_eq!(host.read(0x10fe, 2).unwrap(), [1, 2]);
    }
}
