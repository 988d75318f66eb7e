// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tags and marks of a frame, octet by octet.

/// Control information of the tag, 0 without one, and the frame without the tag.
pub fn without_tag(data: &[u8]) -> (u16, Vec<u8>) {
    if data[12] == 0x81 && data[13] == 0 {
        return (u16::from(data[14]) * 256 + u16::from(data[15]), [&data[..12], &data[16..]].concat());
    }
    (0, data.to_vec())
}

/// The frame with a tag, or without one and padded.
pub fn with_tag(plain: &[u8], control: Option<u16>) -> Vec<u8> {
    let mut data = match control {
        Some(c) => [&plain[..12], &[0x81, 0, (c / 256) as u8, (c % 256) as u8], &plain[12..]].concat(),
        None => plain.to_vec(),
    };
    while data.len() < 60 {
        data.push(0);
    }
    data
}

/// Sets CE where the sender says ECT. The header of IPv4 gets a checksum made from all its words,
/// which must have been right before.
pub fn mark(data: &mut [u8]) -> bool {
    let mut at = 12;
    while matches!(data[at..at + 2], [0x81, 0] | [0x88, 0xA8]) {
        at += 4;
    }
    let kind = [data[at], data[at + 1]];
    let ip = &mut data[at + 2..];
    match kind {
        [0x08, 0] => {
            if matches!(ip[1] % 4, 0 | 3) {
                return false;
            }
            ip[1] = ip[1] / 4 * 4 + 3;
            let header = usize::from(ip[0] % 16) * 4;
            let sum = checksum(&ip[..header]);
            ip[10..12].copy_from_slice(&sum);
            true
        }
        [0x86, 0xDD] => {
            // bits 2 and 3 of the second octet, counted from the left
            let bits = ip[1] / 16 % 4;
            if bits == 0 || bits == 3 {
                return false;
            }
            ip[1] += (3 - bits) * 16;
            true
        }
        _ => false,
    }
}

/// Checksum of a header of IPv4, in which octets 10 and 11 do not count.
pub fn checksum(header: &[u8]) -> [u8; 2] {
    let mut sum = 0;
    for i in (0..header.len()).step_by(2).filter(|i| *i != 10) {
        sum += u32::from(header[i]) * 256 + u32::from(header[i + 1]);
    }
    while sum > 0xFFFF {
        sum = sum % 0x10000 + sum / 0x10000;
    }
    let sum = 0xFFFF - sum;
    [(sum / 256) as u8, (sum % 256) as u8]
}
