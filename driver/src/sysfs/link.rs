// SPDX-License-Identifier: MIT OR Apache-2.0
//! What configuration space says of a function's link. The crate `pci-driver` knows the header and
//! walks the list of capabilities; it has no fields yet for those of the link, which are read by
//! their place in the PCI Express capability (PCI Express Base Specification 6.0, section 7.5.3).
use super::{Function, SysfsError};
use pci_driver::config::caps::{CapabilityHeader, UnspecifiedCapability};
use pci_driver::config::PciConfig;
use pci_driver::regions::{BackedByPciSubregion, PciMemoryRegion, PciRegion};
use serde::Serialize;
use std::io;

/// Number of the PCI Express capability, and of MSI-X.
const EXPRESS: u8 = 0x10;
const MSIX: u8 = 0x11;
/// Places in the capability: device control, link capabilities, link status.
const DEVICE_CONTROL: usize = 0x08;
const LINK_CAPABILITIES: usize = 0x0c;
const LINK_STATUS: usize = 0x12;
/// Place of the pointer to the first capability.
const FIRST: usize = 0x34;

/// Speed and lanes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rate {
    /// Gigatransfers a second of a lane; 0: the code is unknown.
    pub gt_per_s: f64,
    /// Lanes.
    pub lanes: u8,
}

/// A link and what the function may send on it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Link {
    /// What it is now.
    pub now: Rate,
    /// What the function can do.
    pub most: Rate,
    /// Largest payload of a write in octets.
    pub max_payload: u32,
    /// Largest read request in octets.
    pub max_read_request: u32,
    /// It has MSI-X.
    pub has_msix: bool,
    /// It may access memory.
    pub is_bus_master: bool,
}

impl Rate {
    /// From bits 9:0 of link status or link capabilities.
    fn of(bits: u32) -> Self {
        let speeds = [2.5, 5.0, 8.0, 16.0, 32.0, 64.0];
        let code = (bits & 0xf).wrapping_sub(1) as usize;
        Self { gt_per_s: speeds.get(code).copied().unwrap_or(0.0), lanes: (bits >> 4 & 0x3f) as u8 }
    }
}

impl Function {
    /// Its link; none if it has no PCI Express capability, or if the kernel shows the reader only
    /// the header, as it does to all but root.
    pub fn link(&self) -> Result<Option<Link>, SysfsError> {
        let file = self.path.join("config");
        let wrong = |e: io::Error| SysfsError::File { file: file.clone(), why: e.to_string() };
        let octets = std::fs::read(&file).map_err(wrong)?;
        link(&octets).map_err(wrong)
    }
}

fn link(octets: &[u8]) -> io::Result<Option<Link>> {
    if octets.len() < 0x100 {
        return Ok(None);
    }
    let region = PciMemoryRegion::new(octets);
    let config = PciConfig::backed_by(&region);
    // this judges the list: pointers beyond the space and circles are errors
    let ids = config.capabilities()?;
    let ids: Vec<u8> = ids.iter().map(|cap| id(&cap)).collect::<io::Result<_>>()?;
    let Some(at) = ids.iter().position(|&id| id == EXPRESS) else { return Ok(None) };
    // `pci-driver` does not tell where a capability is: the same list again
    let mut place = usize::from(octets[FIRST] & 0xfc);
    for _ in 0..at {
        place = usize::from(octets[place + 1] & 0xfc);
    }
    let word = |at: usize| region.read_le_u16((place + at) as u64).map(u32::from);
    let control = word(DEVICE_CONTROL)?;
    Ok(Some(Link {
        now: Rate::of(word(LINK_STATUS)?),
        most: Rate::of(word(LINK_CAPABILITIES)?),
        max_payload: 128 << (control >> 5 & 7),
        max_read_request: 128 << (control >> 12 & 7),
        has_msix: ids.contains(&MSIX),
        is_bus_master: config.command().bus_master_enable().read()?,
    }))
}

fn id(capability: &UnspecifiedCapability<'_>) -> io::Result<u8> {
    CapabilityHeader::backed_by(*capability).capability_id().read()
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    /// A header with MSI-X at 0x70 and the PCI Express capability behind it at 0x80: Gen2 x4 of
    /// Gen3 x8, 256 octets a write, 512 a read.
    fn config() -> Vec<u8> {
        let mut octets = vec![0; 256];
        octets[4] = 6;
        octets[6] = 0x10;
        octets[0x34] = 0x70;
        octets[0x70..0x72].copy_from_slice(&[0x11, 0x80]);
        octets[0x80..0x82].copy_from_slice(&[0x10, 0]);
        octets[0x88..0x8a].copy_from_slice(&0x2020_u16.to_le_bytes());
        octets[0x8c..0x8e].copy_from_slice(&0x0083_u16.to_le_bytes());
        octets[0x92..0x94].copy_from_slice(&0x0042_u16.to_le_bytes());
        octets
    }

    #[test]
    fn speed_width_and_sizes_are_read() {
        let tree = Tree::default();
        let ids = [0x1234, 0xfe77];
        tree.function("0000:03:00.0", ids).config(&config());
        let function = tree.roots().ferrowarps().unwrap().remove(0);
        let link = function.link().unwrap().unwrap();
        assert_eq!(link.now, Rate { gt_per_s: 5.0, lanes: 4 });
        assert_eq!(link.most, Rate { gt_per_s: 8.0, lanes: 8 });
        assert_eq!((link.max_payload, link.max_read_request), (256, 512));
        assert!(link.has_msix && link.is_bus_master);
    }

    #[test]
    fn a_header_alone_has_no_link_and_a_circle_is_an_error() {
        assert_eq!(link(&config()[..64]).unwrap(), None);
        let mut circle = config();
        circle[0x81] = 0x70;
        assert!(link(&circle).is_err());
        let mut low = config();
        low[0x71] = 0x20;
        assert!(link(&low).is_err());
        let mut none = config();
        none[0x80] = 9;
        assert_eq!(link(&none).unwrap(), None);
        // one that the end of the space cuts
        let mut cut = config();
        cut[0x71] = 0xfc;
        cut[0xfc] = 0x10;
        assert!(link(&cut).is_err());
    }
}
