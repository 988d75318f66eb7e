// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Linux siw does otherwise in each message of a kind. A script notes that and goes on, as if
//! siw had done what the RFC says.
use crate::mpa_model::crc32c;

/// Octets in front of the control field of a Terminate.
const CONTROL: usize = 18;
/// Octets of an FPDU's length, and of its CRC.
const LENGTH: usize = 2;
const CRC: usize = 4;

/// A Terminate whose control field has the bit order of a little-endian machine, as RFC 5040
/// section 4.8 has the field.
pub fn in_bit_order(terminate: &[u8]) -> Vec<u8> {
    let mut mended = terminate.to_vec();
    if let Some([kind, _code, flags, _reserved]) = mended.get_mut(CONTROL..CONTROL + 4) {
        *kind = kind.rotate_left(4);
        *flags = flags.reverse_bits();
    }
    mended
}

/// Whether an FPDU without markers is `due` but for its pad, with a CRC of what is there.
pub fn is_but_pad(seen: &[u8], due: &[u8], ulpdu: usize, has_crc: bool) -> bool {
    let Some(body) = due.len().checked_sub(CRC).filter(|_| seen.len() == due.len()) else { return false };
    let sum = if has_crc { crc32c(&seen[..body]) } else { 0 };
    let said = LENGTH + ulpdu;
    seen[..said] == due[..said] && seen[body..] == sum.to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpa_model::fpdu;

    #[test]
    fn the_fields_of_a_terminate_change_their_places() {
        let mut terminate = vec![0; 22];
        terminate[18..].copy_from_slice(&[0x21, 6, 3, 0]);
        assert_eq!(in_bit_order(&terminate)[18..], [0x12, 6, 0xC0, 0]);
        assert_eq!(in_bit_order(&[0; 20]), [0; 20], "too short to have the field");
    }

    #[test]
    fn a_pad_alone_may_differ() {
        let ulpdu = [7; 19];
        let due = fpdu(&ulpdu, 0, false, true);
        let with = |at: usize, has_crc: bool| {
            let mut seen = due.clone();
            seen[at] ^= 1;
            let sum = if has_crc { crc32c(&seen[..24]) } else { 0 };
            seen[24..].copy_from_slice(&sum.to_le_bytes());
            seen
        };
        assert!(is_but_pad(&due, &due, 19, true));
        assert!(is_but_pad(&with(23, true), &due, 19, true) && is_but_pad(&with(21, false), &due, 19, false));
        assert!(!is_but_pad(&with(20, true), &due, 19, true), "an octet of the ULPDU");
        assert!(!is_but_pad(&with(23, false), &due, 19, true), "a CRC of something else");
        assert!(!is_but_pad(&due[..20], &due, 19, true));
    }
}
