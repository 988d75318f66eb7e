// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of the hardware as numbers: the first field is the lowest bits.

/// The octets of a record, little-endian, from its fields, each a value and its bits.
///
/// # Panics
/// If a value does not fit its bits.
pub fn pack(fields: &[(u64, usize)]) -> Vec<u8> {
    let bits: usize = fields.iter().map(|f| f.1).sum();
    let mut octets = vec![0; bits.div_ceil(8)];
    let mut at = 0;
    for &(value, width) in fields {
        assert!(width <= 64 && (width == 64 || value >> width == 0), "{value:#x} does not fit {width} bits");
        for i in 0..width {
            octets[(at + i) / 8] |= ((value >> i & 1) as u8) << ((at + i) % 8);
        }
        at += width;
    }
    octets
}

/// The fields of a record from its octets; octets that are not there are 0.
pub fn unpack<const N: usize>(octets: &[u8], widths: [usize; N]) -> [u64; N] {
    let mut at = 0;
    widths.map(|width| {
        let bit = |i: usize| octets.get(i / 8).map_or(0, |o| u64::from(o >> (i % 8) & 1));
        let value = (0..width).fold(0, |n, i| n | bit(at + i) << i);
        at += width;
        value
    })
}
