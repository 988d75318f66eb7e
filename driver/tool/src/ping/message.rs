// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a ping is made of: the message of 16 octets, the text.
use super::error::PingError;
use super::limits::ADVERT_OCTETS;
use ferrowarp::{Remote, STag, TaggedOffset};

/// A buffer that the client names: address, STag, octets, each with its most significant octet
/// first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advert {
    /// Where it is.
    pub remote: Remote,
    /// Its octets.
    pub size: u32,
}

impl Advert {
    /// The message.
    pub fn octets(&self) -> [u8; ADVERT_OCTETS] {
        let all =
            u128::from(self.remote.to.0) << 64 | u128::from(self.remote.stag.0) << 32 | u128::from(self.size);
        all.to_be_bytes()
    }

    /// From a message. Any octets are one; whether the buffer can be is seen later.
    pub fn parse(octets: [u8; ADVERT_OCTETS]) -> Self {
        let all = u128::from_be_bytes(octets);
        let remote = Remote { stag: STag((all >> 32) as u32), to: TaggedOffset((all >> 64) as u64) };
        Self { remote, size: all as u32 }
    }

    /// Its octets, if they are at most `most` and at least one.
    pub(crate) fn within(&self, most: usize) -> Result<usize, PingError> {
        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        match size {
            1.. if size <= most => Ok(size),
            _ => Err(PingError::Advert { size: self.size, most }),
        }
    }
}

/// First and last of the characters that follow the number: `A` to `z`.
const FIRST: u8 = 65;
const LAST: u8 = 122;

/// The text of ping number `ping`: its name, then the characters in turn, beginning one later in
/// each ping, and a NUL as the last octet and nowhere else.
pub fn pattern(ping: u32, size: usize) -> Vec<u8> {
    let span = u32::from(LAST - FIRST) + 1;
    let head = format!("rdma-ping-{ping}: ");
    let turn = |n: usize| FIRST + ((ping % span + (n % span as usize) as u32) % span) as u8;
    let mut text: Vec<u8> = head.bytes().chain((0..size).map(turn)).take(size).collect();
    if let Some(last) = text.last_mut() {
        *last = 0;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_address_key_and_size_in_network_order() {
        let octets = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 100];
        let advert = Advert::parse(octets);
        assert_eq!(advert.remote.to.0, 0x0102_0304_0506_0708);
        assert_eq!((advert.remote.stag.0, advert.size), (0x090A_0B0C, 100));
        assert_eq!(advert.octets(), octets);
        assert_eq!(advert.within(100), Ok(100));
        assert_eq!(advert.within(99), Err(PingError::Advert { size: 100, most: 99 }));
        assert!(Advert { size: 0, ..advert }.within(99).is_err());
    }

    /// The two first lines that `rping -v` prints, and the place where the characters begin again.
    #[test]
    fn the_text_is_that_of_rping() {
        assert_eq!(pattern(0, 32), b"rdma-ping-0: ABCDEFGHIJKLMNOPQR\0");
        assert_eq!(pattern(1, 32), b"rdma-ping-1: BCDEFGHIJKLMNOPQRS\0");
        assert_eq!(pattern(58, 32), b"rdma-ping-58: ABCDEFGHIJKLMNOPQ\0");
        assert_eq!(pattern(57, 32), b"rdma-ping-57: zABCDEFGHIJKLMNOP\0");
        let long = pattern(0, 100);
        assert_eq!(&long[13 + 57..13 + 60], b"zAB");
        assert_eq!((long.len(), long.iter().filter(|&&o| o == 0).count()), (100, 1));
    }
}
