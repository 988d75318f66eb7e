// SPDX-License-Identifier: MIT OR Apache-2.0
//! Initial sequence numbers (RFC 6528) and ports of active opens (RFC 6056 section 3.3.3), both
//! from a keyed hash of the ends, so that nobody without the key can guess them.
use super::segment::Tuple;
use crate::time::Ticks;
use core::hash::{Hash, Hasher};
use core::net::SocketAddr;
use ferrowarp_abi::types::SeqNum;
use siphasher::sip::SipHasher24;

/// The key; given by the caller, never shown.
#[derive(Clone)]
pub struct Secret([u8; 16]);

impl core::fmt::Debug for Secret {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// From 128 random bits.
    pub const fn new(key: [u8; 16]) -> Self {
        Self(key)
    }

    /// ISN = M + F(ends, key); M counts 4 us, as RFC 9293 section 3.4.1 has it.
    pub fn isn(&self, tuple: &Tuple, now: Ticks, tick_us: u32) -> SeqNum {
        let clock = now.0.wrapping_mul(u64::from(tick_us)) / 4;
        SeqNum((clock as u32).wrapping_add(self.hash(tuple) as u32))
    }

    /// Where the search for a free port begins.
    pub fn port_offset(&self, remote: SocketAddr, count: u64) -> u64 {
        self.hash(&(remote, 0x706F_7274_u32)).wrapping_add(count)
    }

    /// 24 bits that depend on the ends, on the peer's sequence number, and on a moment and a value
    /// of the caller's.
    pub fn cookie(&self, tuple: &Tuple, irs: SeqNum, moment: u64, value: u8) -> u32 {
        self.hash(&(tuple, irs.0, moment, value, 0x636F_6F6B_u32)) as u32 & 0x00FF_FFFF
    }

    fn hash(&self, what: &impl Hash) -> u64 {
        let mut hasher = SipHasher24::new_with_key(&self.0);
        what.hash(&mut hasher);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuple(port: u16) -> Tuple {
        Tuple { local: ([10, 0, 0, 1], port).into(), remote: ([10, 0, 0, 2], 9).into() }
    }

    #[test]
    fn it_advances_with_time_and_depends_on_ends_and_key() {
        let (one, two) = (Secret::new([1; 16]), Secret::new([2; 16]));
        let start = one.isn(&tuple(7), Ticks(0), 1_000);
        assert_eq!(one.isn(&tuple(7), Ticks(8), 1_000).since(start), 2_000, "8 ms are 2,000 steps of 4 us");
        assert_ne!(one.isn(&tuple(8), Ticks(0), 1_000), start);
        assert_ne!(two.isn(&tuple(7), Ticks(0), 1_000), start);
    }
}
