// SPDX-License-Identifier: MIT OR Apache-2.0
//! What names a region to a peer.
use super::region::MemoryRegion;
use super::types::Remote;
use crate::error::Error;
use ferrowarp_abi::types::{STag, TaggedOffset};

/// A region of the peer: what a Write or a Read needs to know of it. [`MemoryRegion::remote`] makes
/// it at the end that owns the region. Private data or a Send brings its octets to the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteRegion {
    /// The buffer.
    pub stag: STag,
    /// Its first octet.
    pub to: TaggedOffset,
    /// Its octets.
    pub len: usize,
}

impl RemoteRegion {
    /// Octets that name a region.
    pub const OCTETS: usize = 20;

    /// STag, tagged offset and length, each with the most significant octet first.
    pub fn to_bytes(self) -> [u8; Self::OCTETS] {
        let mut octets = [0; Self::OCTETS];
        octets[..4].copy_from_slice(&self.stag.0.to_be_bytes());
        octets[4..12].copy_from_slice(&self.to.0.to_be_bytes());
        octets[12..].copy_from_slice(&(self.len as u64).to_be_bytes());
        octets
    }

    /// The region that these octets name. Whether the peer has such a region, its device decides at
    /// each access.
    ///
    /// Errors: [`Error::NoRegion`] if there are not [`RemoteRegion::OCTETS`] octets.
    pub fn from_bytes(octets: &[u8]) -> Result<Self, Error> {
        let all: &[u8; Self::OCTETS] =
            octets.try_into().map_err(|_| Error::NoRegion { given: octets.len(), due: Self::OCTETS })?;
        let number = |from: usize, to: usize| all[from..to].iter().fold(0, |n, &o| n << 8 | u64::from(o));
        let len = usize::try_from(number(12, 20)).unwrap_or(usize::MAX);
        Ok(Self { stag: STag(number(0, 4) as u32), to: TaggedOffset(number(4, 12)), len })
    }

    /// The place of `len` octets from octet `offset` of the region on.
    ///
    /// Errors: [`Error::Segment`] if they are not in the region.
    pub fn at(&self, offset: usize, len: usize) -> Result<Remote, Error> {
        let end = offset.checked_add(len).filter(|&end| end <= self.len);
        let end = end.and_then(|end| self.to.0.checked_add(end as u64));
        let outside = Error::Segment { at: offset, octets: len, len: self.len };
        end.map(|end| Remote { stag: self.stag, to: TaggedOffset(end - len as u64) }).ok_or(outside)
    }
}

impl MemoryRegion {
    /// What the peer needs to know of all of the region.
    pub fn remote(&self) -> RemoteRegion {
        RemoteRegion { stag: self.stag(), to: self.to_base(), len: self.memory().len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const REGION: RemoteRegion = RemoteRegion { stag: STag(0x0102_0304), to: TaggedOffset(0x1000), len: 100 };

    #[test]
    fn a_region_is_stag_offset_and_length_in_network_order() {
        let octets = [1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 100];
        assert_eq!(REGION.to_bytes(), octets);
        assert_eq!(RemoteRegion::from_bytes(&octets).unwrap(), REGION);
        for wrong in [0, 12, 19, 21] {
            let told = RemoteRegion::from_bytes(&vec![0; wrong]).unwrap_err().to_string();
            assert!(told.contains(&format!("{wrong} octets")) && told.contains("20"), "{told}");
        }
    }

    #[test]
    fn a_place_beyond_the_region_is_refused() {
        let to = |offset, len| REGION.at(offset, len).map(|place| place.to.0).ok();
        assert_eq!(
            [to(0, 100), to(99, 1), to(100, 0), to(40, 8)],
            [0x1000, 0x1063, 0x1064, 0x1028].map(Some)
        );
        assert_eq!([to(0, 101), to(100, 1), to(101, 0), to(usize::MAX, 2)], [None; 4]);
        let told = REGION.at(96, 8).unwrap_err().to_string();
        assert!(told.contains("8 octets at 96") && told.contains("which has 100"), "{told}");
        // a peer may name what no memory is
        let wraps = RemoteRegion { to: TaggedOffset(u64::MAX - 10), ..REGION };
        assert!(wraps.at(0, 10).is_ok() && wraps.at(2, 9).is_err());
    }

    #[test]
    fn an_own_region_names_itself() {
        let scene = crate::verbs::tests::scene();
        let remote = scene.region.remote();
        let named = (remote.stag, remote.to, remote.len);
        assert_eq!(named, (scene.region.stag(), scene.region.to_base(), scene.region.memory().len()));
    }

    proptest! {
        #[test]
        fn any_octets_come_back(octets in any::<[u8; RemoteRegion::OCTETS]>(), at: usize, len: usize) {
            let region = RemoteRegion::from_bytes(&octets).unwrap();
            prop_assert_eq!(region.to_bytes(), octets);
            drop(region.at(at, len));
        }
    }
}
