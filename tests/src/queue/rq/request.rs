// SPDX-License-Identifier: MIT OR Apache-2.0
//! A receive as software writes it into its blocks.
use crate::queue::Manner;
use ferrowarp_sim::Bench;
use rand::seq::IndexedRandom;
use rand::Rng;

/// Tagged offset, length, key.
pub type Sge = (u64, u32, u32);

/// A work request as software writes it.
#[derive(Clone, Debug)]
pub struct Request {
    /// Octet 0.
    pub num_sge: u8,
    /// Octet 1; with 2 a second block is written.
    pub blocks: u8,
    /// Octets 2 and 3.
    pub flags: u16,
    /// SGEs; the second and third stand in the second block.
    pub sges: [Sge; 3],
    /// How reads of its blocks are answered.
    pub manners: [Manner; 2],
}

impl Request {
    /// A good one of so many SGEs in so many blocks.
    pub fn good(bench: &mut Bench, num_sge: u8, blocks: u8) -> Self {
        let sges = [(); 3].map(|()| bench.rng().random());
        Self { num_sge, blocks, flags: 0, sges, manners: [Manner::Good; 2] }
    }

    /// One that fits into so many blocks, `bad` of a hundred of them spoilt.
    pub fn random(bench: &mut Bench, most: usize, bad: u32) -> Self {
        let blocks = bench.rng().random_range(1..=most.min(2)) as u8;
        let num_sge = bench.rng().random_range(0..=if blocks == 2 { 3 } else { 1 });
        let mut request = Self::good(bench, num_sge, blocks);
        let rng = bench.rng();
        if rng.random_range(0..100) < bad {
            let manner = *[Manner::Failed, Manner::Short, Manner::Ragged, Manner::Long].choose(rng).unwrap();
            match rng.random_range(0..5) {
                0 => request.num_sge = *[4, 5, 7, 8, 128, 255].choose(rng).unwrap(),
                1 if blocks == 1 => request.num_sge = rng.random_range(2..=3),
                1 => request.manners[1] = manner,
                2 if blocks == 1 => request.blocks = *[0, 3, 4, 18, 129, 255].choose(rng).unwrap(),
                2 => request.flags = 1 << rng.random_range(0..16),
                3 => request.flags = rng.random_range(1..=u16::MAX),
                _ => request.manners[0] = manner,
            }
        }
        request
    }

    /// Its blocks: big-endian fields, random octets where nothing is said.
    pub(super) fn parts(&self, bench: &mut Bench) -> Vec<Part> {
        let mut octets: Vec<u8> = (0..16).map(|_| bench.rng().random()).collect();
        octets[0] = self.num_sge;
        octets[1] = self.blocks;
        octets[2..4].copy_from_slice(&self.flags.to_be_bytes());
        for (to, length, key) in self.sges {
            octets.extend(to.to_be_bytes());
            octets.extend(length.to_be_bytes());
            octets.extend(key.to_be_bytes());
        }
        let mut parts: Vec<_> = octets.chunks(32).map(<[u8]>::to_vec).zip(self.manners).collect();
        parts.truncate(if self.blocks == 2 { 2 } else { 1 });
        // who takes the second block for a head finds a request of one block
        if let Some((octets, _)) = parts.get_mut(1) {
            octets[1] &= 0xFD;
        }
        parts
    }
}

/// A block, and how a read of it is answered.
pub(super) type Part = (Vec<u8>, Manner);
