// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a cell of the grid is made of.
use crate::device::{config, End, Wire};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How many of a million frames are lost, doubled, spoilt with a good FCS, with a bad FCS.
const LOSS: [u32; 4] = [0, 1_000, 10_000, 50_000];
const TWICE: [u32; 2] = [0, 10_000];
const SPOILT: [(u32, u32); 3] = [(0, 0), (10_000, 0), (0, 10_000)];
/// How many of a million frames are held back, and by how many of the longest frames at most.
const HELD: [(u32, u64); 4] = [(0, 0), (10_000, 1), (10_000, 8), (50_000, 8)];
/// Nanoseconds of the wire's length, where it is not that of other tests.
const LONG_NS: u64 = 20_000;
const MTU: [u16; 2] = [576, 1_500];
const CONNECTIONS: [usize; 3] = [1, 4, 16];

/// Values of all factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factors {
    /// Of a million frames: lost, doubled, one bit inverted under a good FCS, under a bad FCS.
    pub loss: u32,
    pub twice: u32,
    pub flipped: u32,
    pub corrupt: u32,
    /// Of a million frames held back, and by how many frames at most.
    pub held: u32,
    pub depth: u64,
    /// Length of the wire; none: as in other tests.
    pub delay_ns: Option<u64>,
    pub mtu: u16,
    pub connections: usize,
    pub has_markers: bool,
    pub is_ipv6: bool,
    pub has_vlan: bool,
    /// Memories answer late, in parts and out of order.
    pub is_rough: bool,
}

impl Factors {
    /// Numbers of values, in the order of [`Factors::of`].
    pub const SIZES: [usize; 11] = [4, 4, 3, 3, 2, 2, 2, 2, 2, 2, 2];

    /// The factors of a row.
    pub fn of(row: &[usize]) -> Self {
        let at = |n: usize| row.get(n).copied().unwrap_or(0);
        let (held, depth) = HELD[at(1)];
        let (flipped, corrupt) = SPOILT[at(2)];
        Self {
            loss: LOSS[at(0)],
            held,
            depth,
            flipped,
            corrupt,
            connections: CONNECTIONS[at(3)],
            twice: TWICE[at(4)],
            delay_ns: (at(5) == 1).then_some(LONG_NS),
            mtu: MTU[at(6)],
            has_markers: at(7) == 1,
            is_ipv6: at(8) == 1,
            has_vlan: at(9) == 1,
            is_rough: at(10) == 1,
        }
    }

    /// Connection `nth` of a run.
    pub fn wire(&self, rng: &mut ChaCha8Rng, seed: u64, nth: usize) -> Wire {
        let ip = |n: u8| match self.is_ipv6 {
            true => IpAddr::V6(Ipv6Addr::new(0xFD00, 0, 0, seed as u16, 0, 0, nth as u16, u16::from(n))),
            false => IpAddr::V4(Ipv4Addr::new(10, seed as u8, nth as u8, n)),
        };
        let mut end = |n: u8| End {
            mac: [2, 0, 0, seed as u8, 0, n],
            ip: ip(n),
            port: 20_000 + nth as u16,
            seq_start: if rng.random_bool(0.5) {
                u32::MAX - rng.random_range(0..20_000)
            } else {
                rng.random()
            },
            wants_markers: self.has_markers,
        };
        let ends = [end(1), end(2)];
        let vlan = self.has_vlan.then(|| rng.random_range(1..4_095));
        Wire { ends, vlan, crc: true, mtu: self.mtu, window_log2: config().window_log2 as u32 }
    }
}

impl fmt::Display for Factors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |ppm: u32| f64::from(ppm) / 10_000.0;
        write!(f, "loss {} %, held {} % by {} frames", percent(self.loss), percent(self.held), self.depth)?;
        write!(f, ", twice {} %, flipped {} %", percent(self.twice), percent(self.flipped))?;
        write!(
            f,
            ", bad FCS {} %, wire {} us",
            percent(self.corrupt),
            self.delay_ns.map_or(0.5, |ns| ns as f64 / 1e3)
        )?;
        write!(
            f,
            ", MTU {}, {} connections of IPv{}",
            self.mtu,
            self.connections,
            if self.is_ipv6 { 6 } else { 4 }
        )?;
        for (is, what) in
            [(self.has_vlan, "VLAN"), (self.has_markers, "markers"), (self.is_rough, "rough memory")]
        {
            if is {
                write!(f, ", {what}")?;
            }
        }
        Ok(())
    }
}
