// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work requests drawn at random.
use super::{Message, Post, Rig, Sge, EMSS, RAW};
use ferrowarp_sim::Bench;
use rand::seq::IndexedRandom;
use rand::Rng;

/// Opcodes of work requests.
pub const OPCODES: [u8; 7] = [0, 1, 3, 4, 5, 6, RAW];

/// Random octets.
pub fn octets(bench: &mut Bench, length: usize) -> Vec<u8> {
    (0..length).map(|_| bench.rng().random()).collect()
}

/// A message of random octets, STag and TO; one TO in four wraps within a few KiB.
pub fn message(bench: &mut Bench, opcode: u8, length: usize) -> Message {
    let stag = bench.rng().random();
    let to = match bench.rng().random_range(0..4) {
        0 => u64::MAX - bench.rng().random_range(0..4_000),
        _ => bench.rng().random(),
    };
    Message { opcode, stag, to, payload: octets(bench, length) }
}

impl Rig {
    /// A work request for `message` out of `gathers` SGEs of random lengths, each at a random
    /// place.
    pub fn gathered(&mut self, bench: &mut Bench, qp: usize, message: Message, gathers: usize) -> Post {
        let length = message.payload.len();
        let mut cuts: Vec<_> = (1..gathers).map(|_| bench.rng().random_range(0..=length)).collect();
        cuts.push(length);
        cuts.sort_unstable();
        let mut from = 0;
        let mut sges = vec![];
        for to in cuts.into_iter().take(gathers) {
            let skew = bench.rng().random_range(0..4_096);
            let local = self.place(bench, qp, skew, &message.payload[from..to]);
            sges.push(Sge { addr: local.addr, length: (to - from) as u32, key: local.key });
            from = to;
        }
        let (signaled, wr_id) = (bench.rng().random(), bench.rng().random());
        Post { message, sges, inline: false, signaled, fenced: false, wr_id }
    }

    /// A work request with its payload in the slot.
    pub fn inlined(&mut self, bench: &mut Bench, message: Message) -> Post {
        let (signaled, wr_id) = (bench.rng().random(), bench.rng().random());
        Post { message, sges: vec![], inline: true, signaled, fenced: false, wr_id }
    }

    /// A work request of any kind with up to `most` octets, half of them short; one of four is
    /// fenced.
    pub fn random(&mut self, bench: &mut Bench, qp: usize, most: usize) -> Post {
        Post { fenced: bench.rng().random_range(0..4) == 0, ..self.any(bench, qp, most) }
    }

    fn any(&mut self, bench: &mut Bench, qp: usize, most: usize) -> Post {
        let opcode = *OPCODES.choose(bench.rng()).unwrap_or(&0);
        let length = match bench.rng().random_range(0..8) {
            0 => 0,
            1..5 => bench.rng().random_range(0..=200),
            _ => bench.rng().random_range(0..=most),
        };
        if opcode == 1 {
            let local = self.place(bench, qp, 5, &vec![0; length]);
            let message = message(bench, opcode, 0);
            let sges = vec![Sge { addr: local.addr, length: length as u32, key: local.key }];
            let (signaled, wr_id) = (bench.rng().random(), bench.rng().random());
            return Post { message, sges, inline: false, signaled, fenced: false, wr_id };
        }
        let length = if opcode == RAW { length.clamp(1, EMSS) } else { length };
        let message = message(bench, opcode, length);
        if length <= 96 && bench.rng().random() {
            return self.inlined(bench, message);
        }
        let gathers = bench.rng().random_range(u8::from(length > 0).into()..=4);
        self.gathered(bench, qp, message, gathers)
    }
}
