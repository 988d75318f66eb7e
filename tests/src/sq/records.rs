// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records on the ports of the send queue: fields one after the other, the first in the low bits.
use ferrowarp_sim::Item;

/// The octets of a record from widths in bits and values, of which the low 64 bits count.
pub fn pack(fields: &[(usize, u64)]) -> Vec<u8> {
    let bits: usize = fields.iter().map(|f| f.0).sum();
    let mut octets = vec![0; bits.div_ceil(8)];
    let mut at = 0;
    for &(width, value) in fields {
        for i in (0..width.min(64)).filter(|i| value >> i & 1 == 1) {
            octets[(at + i) / 8] |= 1 << ((at + i) % 8);
        }
        at += width;
    }
    octets
}

/// The fields of the record `item` of a channel, from their widths, at most 64 bits each.
pub fn unpack(item: &Item, widths: &[usize]) -> Result<Vec<u64>, String> {
    let octets = item.bytes("item").ok_or_else(|| format!("no record: {item}"))?;
    let mut at = 0;
    let field = |&width: &usize| {
        let bit = |i: usize| u64::from(octets[(at + i) / 8] >> ((at + i) % 8) & 1);
        let value = (0..width).fold(0, |v, i| v | bit(i) << i);
        at += width;
        value
    };
    Ok(widths.iter().map(field).collect())
}

/// The length of the segment that a fault quotes; the record has 18 bits.
///
/// # Errors
/// Without such a record.
pub fn quoted(item: &Item) -> Result<Option<u64>, String> {
    let octets = item.bytes("quote").ok_or_else(|| format!("no quote: {item}"))?;
    let bits = |at: usize, width: usize| {
        (0..width).fold(0, |v, i| v | u64::from(octets[(at + i) / 8] >> ((at + i) % 8) & 1) << i)
    };
    match (bits(0, 1), bits(1, 1)) {
        (0, _) => Ok(None),
        (_, 0) => Ok(Some(bits(2, 16))),
        _ => Err("the send queue quotes a Terminate".to_string()),
    }
}
