// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's end of the carrier against a device's end in plain code.

mod bus;
mod cable;
mod daemon;
mod epochs;
mod hostile;
mod mirror;
mod order;

/// Memory requests and completions as octets of the specification's figures, written by hand.
mod tlps {
    /// A write of one dword.
    pub fn write(address: u32, value: u32) -> Vec<u8> {
        let head = [0x40, 0, 0, 1, 0, 0, 0, 0x0F];
        [&head[..], &address.to_be_bytes(), &value.to_le_bytes()].concat()
    }

    /// A write of so many dwords of a value.
    pub fn long_write(address: u32, value: u8, dwords: u8) -> Vec<u8> {
        let head = [0x40, 0, 0, dwords, 0x03, 0, 0, if dwords == 1 { 0x0F } else { 0xFF }];
        [&head[..], &address.to_be_bytes(), &vec![value; 4 * usize::from(dwords)]].concat()
    }

    /// A read of one dword.
    pub fn read(address: u32, requester: u16, tag: u8) -> Vec<u8> {
        let [high, low] = requester.to_be_bytes();
        [&[0, 0, 0, 1, high, low, tag, 0x0F], &address.to_be_bytes()[..]].concat()
    }

    /// The completion of a read of one dword by the function 0x0300.
    pub fn completion(tag: u8, lower: u8, value: u32) -> Vec<u8> {
        [&[0x4A, 0, 0, 1, 0x03, 0, 0, 4, 0, 0, tag, lower], &value.to_le_bytes()[..]].concat()
    }

    /// The octets of a stream: each dword with its last octet first, or back.
    pub fn stream(tlp: &[u8]) -> Vec<u8> {
        tlp.chunks(4).flat_map(|dword| dword.iter().rev().copied()).collect()
    }
}
