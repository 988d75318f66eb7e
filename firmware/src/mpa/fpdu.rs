// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one FPDU that firmware sends itself: the Terminate of an initiator whose negotiation failed,
//! before any hardware knows the connection (RFC 6581 section 9.3).
use alloc::vec::Vec;
use ferrowarp_abi::consts::mpa;

const CRC32C: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI);

/// The first FPDU of a stream, around `ulpdu`.
///
/// With `markers` it begins with the marker due at stream offset 0, which its CRC covers; `ulpdu`
/// is below 498 octets, so no second one is due. Without `crc` the field is zero.
pub fn first(ulpdu: &[u8], markers: bool, crc: bool) -> Vec<u8> {
    let mut octets = Vec::new();
    if markers {
        octets.extend([0; 4]);
    }
    octets.extend((ulpdu.len() as u16).to_be_bytes());
    octets.extend(ulpdu);
    octets.resize(octets.len().next_multiple_of(4), 0);
    let sum = if crc { CRC32C.checksum(&octets) } else { 0 };
    octets.extend(sum.to_le_bytes());
    octets
}

/// MULPDU of an EMSS (RFC 5044 section 4.5); `markers` as received from the peer.
pub fn mulpdu(emss: u16, markers: bool) -> u16 {
    let emss = u32::from(emss);
    let markers = if markers { 4 * emss.div_ceil(u32::from(mpa::MARKER_INTERVAL)) } else { 0 };
    let mulpdu = emss.saturating_sub(6 + markers + emss % 4);
    mulpdu.clamp(u32::from(mpa::MULPDU_MIN), u32::from(mpa::MULPDU_MAX)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table of `mpa-rfc5044-notes.md` section 3.
    #[test]
    fn mulpdu_of_the_table() {
        let emss = [100, 128, 136, 140, 536, 1220, 1448, 1460, 1461, 8948, 8960, 65495];
        let with = [128, 128, 128, 130, 522, 1202, 1430, 1442, 1442, 8870, 8882, 64768];
        let without = [128, 128, 130, 134, 530, 1214, 1442, 1454, 1454, 8942, 8954, 64768];
        assert_eq!(emss.map(|e| mulpdu(e, true)), with);
        assert_eq!(emss.map(|e| mulpdu(e, false)), without);
    }
}
