// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPA framing in plain code, for tests: RFC 5044 section 4, CRC from the crate `crc`, nothing from
//! `abi`.
use crc::{Crc, CRC_32_ISCSI};

/// Octets from one marker to the next, marker counted.
const INTERVAL: u64 = 512;

/// CRC32c of some octets.
pub fn crc32c(octets: &[u8]) -> u32 {
    Crc::<u32>::new(&CRC_32_ISCSI).checksum(octets)
}

/// The octets of one FPDU that begins `offset` octets into the stream of full operation; with `crc`
/// off the CRC field is zero.
pub fn fpdu(ulpdu: &[u8], offset: u64, markers: bool, crc: bool) -> Vec<u8> {
    let length = u16::try_from(ulpdu.len()).expect("a ULPDU has at most 65535 octets");
    let mut body = length.to_be_bytes().to_vec();
    body.extend_from_slice(ulpdu);
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend([0; 4]); // the CRC field: it takes part in where markers fall
    let mut out = vec![];
    let mut header_at = 0;
    for (i, word) in body.chunks(4).enumerate() {
        if markers && (offset + out.len() as u64).is_multiple_of(INTERVAL) {
            let pointer = if i == 0 { 0 } else { (out.len() - header_at) as u16 };
            out.extend([0, 0]);
            out.extend(pointer.to_be_bytes());
        }
        if i == 0 {
            header_at = out.len();
        }
        out.extend_from_slice(word);
    }
    let sum_to = out.len() - 4;
    if crc {
        let sum = crc32c(&out[..sum_to]).to_le_bytes();
        out[sum_to..].copy_from_slice(&sum);
    }
    out
}

/// Largest ULPDU that is sure to fit a segment of `emss` octets (RFC 5044 section 4.3), 128
/// to 64768.
pub fn mulpdu(emss: usize, markers: bool) -> usize {
    let room = if markers { 6 + 4 * emss.div_ceil(512) + emss % 4 } else { 6 + emss % 4 };
    (emss - room).clamp(128, 64768)
}

/// Octets from pairs of hexadecimal digits, spaces ignored.
///
/// # Panics
/// On anything else: vectors stand in the source.
pub fn hex(text: &str) -> Vec<u8> {
    let digit =
        |c: char| c.to_digit(16).unwrap_or_else(|| panic!("`{c}` in `{text}` is no hexadecimal digit"));
    let digits: Vec<_> = text.chars().filter(|c| *c != ' ').map(digit).collect();
    assert!(digits.len() % 2 == 0, "`{text}` ends in half an octet");
    digits.chunks(2).map(|d| (d[0] << 4 | d[1]) as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_examples_of_the_notes() {
        let a = hex("414300000000000000000000000100000000").into_iter().chain([0; 24]).collect::<Vec<_>>();
        let wire = fpdu(&a, 0, true, true);
        assert_eq!(wire[..6], hex("00000000002A"));
        assert_eq!(wire[wire.len() - 4..], hex("52239983"));
        let c: Vec<u8> = (0..16).collect();
        let wire = fpdu(&c, 0x1F4, true, true);
        assert_eq!(wire, hex("0010000102030405060708090000000C0A0B0C0D0E0F0000105B1C88"));
        assert_eq!(fpdu(&[0; 506], 0, false, true).len(), 512);
        let e = fpdu(&[0; 506], 0, true, true);
        assert_eq!(e[512..], hex("000001FC1D8BAFDB"));
        assert_eq!(fpdu(&[0xA0, 0xA1, 0xA2], 512, false, true), hex("0003A0A1A20000001B9728DA"));
    }

    #[test]
    fn mulpdu_of_the_notes() {
        for (emss, with, without) in
            [(128, 128, 128), (140, 130, 134), (1460, 1442, 1454), (8960, 8882, 8954), (65495, 64768, 64768)]
        {
            assert_eq!((mulpdu(emss, true), mulpdu(emss, false)), (with, without), "EMSS {emss}");
        }
    }
}
