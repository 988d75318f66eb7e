// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tags of IEEE 802.1Q in a frame.
use super::config::Vlan;
use crate::link::MIN_FRAME;

/// EtherType of a customer's tag, the one that ports put and remove.
const C_TAG: u16 = 0x8100;
/// EtherType of a provider's tag.
const S_TAG: u16 = 0x88A8;
/// Octets of both addresses.
const ADDRESSES: usize = 12;
/// Octets of a tag.
const TAG: usize = 4;
/// The bits of the tag's control information that hold the VID.
const VID: u16 = 0x0FFF;

/// A frame inside the switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inside {
    /// Its octets without the tag.
    pub(super) data: Vec<u8>,
    /// Priority, drop eligibility and VID.
    tci: u16,
}

fn word(frame: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*frame.get(at)?, *frame.get(at + 1)?]))
}

/// The EtherType behind all tags, and where its payload begins.
pub(super) fn ether_type_at(frame: &[u8]) -> Option<(u16, usize)> {
    let mut at = ADDRESSES;
    loop {
        match word(frame, at)? {
            C_TAG | S_TAG => at += TAG,
            ether_type => return Some((ether_type, at + 2)),
        }
    }
}

impl Inside {
    /// The frame as it came at a port of this kind; none if it has no VID of the port.
    pub(super) fn new(mut data: Vec<u8>, vlan: &Vlan) -> Option<Self> {
        let mut tci = 0;
        if word(&data, ADDRESSES) == Some(C_TAG) {
            tci = word(&data, ADDRESSES + 2)?;
            data.drain(ADDRESSES..ADDRESSES + TAG);
        }
        // VID 0 says that the tag has a priority only
        if let (Vlan::Access(vid), 0) = (vlan, tci & VID) {
            tci |= vid;
        }
        vlan.has(tci & VID).then_some(Self { data, tci })
    }

    /// Destination and source. A frame has both: who gives it here has looked at its length.
    pub(super) fn addresses(&self) -> [[u8; 6]; 2] {
        let mut both = [[0; 6]; 2];
        both.as_flattened_mut().iter_mut().zip(&self.data).for_each(|(to, from)| *to = *from);
        both
    }

    /// The VLAN that it is in.
    pub(super) fn vid(&self) -> u16 {
        self.tci & VID
    }

    /// The frame as it leaves a port of this kind: with the tag at a trunk, else without, and never
    /// too short.
    pub(super) fn leaves(&self, vlan: &Vlan) -> Vec<u8> {
        let mut data = self.data.clone();
        if let Vlan::Trunk(_) = vlan {
            let tag = [C_TAG.to_be_bytes(), self.tci.to_be_bytes()].concat();
            data.splice(ADDRESSES..ADDRESSES, tag);
        }
        data.resize(data.len().max(MIN_FRAME as usize), 0);
        data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(tag: &[u8]) -> Vec<u8> {
        [&[1; 6], &[2; 6], tag, &[8, 0], &[7; 50]].concat()
    }

    #[test]
    fn a_tag_is_put_at_trunks_and_removed_at_access_ports_with_its_priority_kept() {
        let (access, trunk) = (Vlan::Access(0x123), Vlan::Trunk([5, 0x123].into()));
        let inside = Inside::new(frame(&[]), &access).unwrap();
        assert_eq!((inside.vid(), inside.leaves(&trunk)), (0x123, frame(&[0x81, 0, 0x01, 0x23])));
        // of a priority alone
        let inside = Inside::new(frame(&[0x81, 0, 0xB0, 0]), &access).unwrap();
        assert_eq!(inside.leaves(&trunk), frame(&[0x81, 0, 0xB1, 0x23]));
        let inside = Inside::new(frame(&[0x81, 0, 0x60, 5]), &trunk).unwrap();
        assert_eq!(inside.leaves(&trunk), frame(&[0x81, 0, 0x60, 5]));
        assert_eq!(inside.leaves(&Vlan::Access(5)), frame(&[]));
        // the shortest frame of a trunk would be too short without the tag
        let short = frame(&[0x81, 0, 0, 5])[..60].to_vec();
        let left = Inside::new(short, &trunk).unwrap().leaves(&Vlan::Access(5));
        assert_eq!(left, [&frame(&[])[..56], &[0; 4]].concat());
    }

    #[test]
    fn a_vid_that_is_none_of_the_port_s_does_not_come_in() {
        let trunk = Vlan::Trunk([5].into());
        assert_eq!(Inside::new(frame(&[0x81, 0, 0, 6]), &trunk), None);
        assert_eq!(Inside::new(frame(&[0x81, 0, 0, 6]), &Vlan::Access(5)), None);
        // a trunk has no VLAN for frames that name none
        assert_eq!(Inside::new(frame(&[]), &trunk), None);
        assert_eq!(Inside::new(frame(&[0x81, 0, 0xE0, 0]), &trunk), None);
        // half a tag
        assert_eq!(Inside::new([&[2; 12][..], &[0x81, 0, 0]].concat(), &trunk), None);
    }
}
