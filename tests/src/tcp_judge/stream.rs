// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places in a stream, and the octets that have left.

/// Place of the first octet: places before it are those of probes of a window.
pub(super) const ORIGIN: u64 = 1 << 32;

/// The place of a sequence number that lies within 2^31 octets of the place `near`.
pub(super) fn place(start: u32, near: u64, number: u32) -> u64 {
    let apart = number.wrapping_sub(start).wrapping_sub(near as u32) as i32;
    near.saturating_add_signed(apart.into())
}

/// What has left of a stream, of which the octets from SND.UNA on are kept.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    /// Place of the first octet that is kept.
    from: u64,
    octets: Vec<u8>,
    /// SND.NXT: behind the last octet, FIN counted.
    pub(super) ends: u64,
}

impl Stream {
    pub(super) fn new() -> Self {
        Self { from: ORIGIN, octets: vec![], ends: ORIGIN }
    }

    /// Octets leave from the place `at` on, and with them a FIN of `fin` octets. Returns the first
    /// place at which another octet left before.
    pub(super) fn leave(&mut self, at: u64, octets: &[u8], fin: u64) -> Option<u64> {
        let kept_to = self.from + self.octets.len() as u64;
        if at > kept_to {
            // what the hole would have held is not known
            self.octets.resize((at - self.from) as usize, 0);
        }
        let skip = self.from.saturating_sub(at).min(octets.len() as u64) as usize;
        let begins = (at + skip as u64 - self.from) as usize;
        let (again, new) = octets[skip..].split_at((octets.len() - skip).min(self.octets.len() - begins));
        let before = &self.octets[begins..begins + again.len()];
        let differs = before.iter().zip(again).position(|(was, is)| was != is);
        let differs = differs.map(|n| at + (skip + n) as u64);
        self.octets.extend_from_slice(new);
        self.ends = self.ends.max(at + octets.len() as u64 + fin);
        differs
    }

    /// Octets before `una` do not leave again: they are forgotten now and then.
    pub(super) fn forget(&mut self, una: u64) {
        let old = (una.saturating_sub(self.from) as usize).min(self.octets.len());
        if old > 1 << 20 {
            self.octets.drain(..old);
            self.from += old as u64;
        }
    }
}
