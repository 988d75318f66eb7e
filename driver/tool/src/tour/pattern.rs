// SPDX-License-Identifier: MIT OR Apache-2.0
//! The octets of messages and regions.

/// Seeds of the patterns: the message, what is written, what is read, the region that is
/// invalidated.
pub(super) const SENT: u8 = 0x11;
pub(super) const WRITTEN: u8 = 0x5a;
pub(super) const READ: u8 = 0xa7;
pub(super) const ONCE: u8 = 0x3c;

/// What octet `at` of a region has: every octet of a page differs from its neighbours and from
/// those of the next page, and `seed` gives another region.
fn octet(seed: u8, at: usize) -> u8 {
    (at as u8).wrapping_mul(7).wrapping_add((at >> 8) as u8).wrapping_add((at >> 16) as u8) ^ seed
}

/// The octets of a region.
pub(super) fn pattern(seed: u8, octets: usize) -> Vec<u8> {
    (0..octets).map(|at| octet(seed, at)).collect()
}

/// First octet that is not the pattern's.
pub(super) fn differs(seed: u8, octets: &[u8]) -> Option<usize> {
    octets.iter().enumerate().position(|(at, &got)| got != octet(seed, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_octet_out_of_place_is_found() {
        let mut octets = pattern(WRITTEN, 70_000);
        assert_eq!(differs(WRITTEN, &octets), None);
        assert!(differs(READ, &octets).is_some());
        octets[69_999] ^= 1;
        assert_eq!(differs(WRITTEN, &octets), Some(69_999));
        assert_ne!(pattern(SENT, 256), pattern(SENT, 512)[256..], "pages differ");
    }
}
