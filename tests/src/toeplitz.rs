// SPDX-License-Identifier: MIT OR Apache-2.0
//! The hash of the 4-tuple table in plain code.

/// Octets of the table's secret.
pub const SECRET: usize = 40;

/// Buckets of `key` in the left and in the right half, numbers of `bits` bits. Bit `i` of key and
/// secret is bit `i % 8` of octet `i / 8`. Bit `j` of a bucket, the highest first, is the parity of
/// the key under the window of the secret that starts at bit `2j`, in the right half at `2j + 1`.
pub fn buckets(key: &[u8], secret: &[u8; SECRET], bits: usize) -> [u64; 2] {
    let bit = |octets: &[u8], i: usize| octets[i / 8] >> (i % 8) & 1;
    let reach = 8 * key.len();
    let parity = |start| (0..reach).fold(0, |p, i| p ^ (bit(key, i) & bit(secret, start + i)));
    [0, 1].map(|half| (0..bits).fold(0, |h, j| h << 1 | u64::from(parity(2 * j + half))))
}
