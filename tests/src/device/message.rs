// SPDX-License-Identifier: MIT OR Apache-2.0
//! A message before it is posted: what it carries and how both memories hold it.
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// RDMAP opcode of an RDMA Write (RFC 5040 section 4.3).
pub const RDMA_WRITE: u8 = 0;
/// RDMAP opcode of a Read Request.
pub const RDMA_READ: u8 = 1;
/// RDMAP opcode of a Send.
pub const SEND: u8 = 3;
/// RDMAP opcode of a Send with Solicited Event.
pub const SEND_SOLICITED: u8 = 5;

/// A buffer of a host's region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Octets of the region that stay unused before it.
    pub gap: usize,
    /// Its own.
    pub octets: usize,
}

/// A Write or a Send.
#[derive(Clone, Debug)]
pub struct Message {
    /// One of the opcodes above.
    pub opcode: u8,
    /// What it carries.
    pub payload: Vec<u8>,
    /// The payload stands in the WQE; there are no gathers then.
    pub inline: bool,
    /// Buffers at the sender, together as long as the payload.
    pub gathers: Vec<Part>,
    /// Buffers at the receiver, together at least as long as the payload; a Write has one.
    pub scatters: Vec<Part>,
    /// The sender gets a completion.
    pub is_signaled: bool,
}

impl Message {
    /// One buffer at each end, aligned as the buffers before it left it, with a completion for the
    /// sender.
    pub fn plain(opcode: u8, payload: Vec<u8>) -> Self {
        let whole = vec![Part { gap: 0, octets: payload.len() }];
        Self { opcode, payload, inline: false, gathers: whole.clone(), scatters: whole, is_signaled: true }
    }

    /// Random payload of `octets` octets in random buffers, or inline if it is short enough.
    pub fn random(rng: &mut ChaCha8Rng, octets: usize, opcode: u8) -> Self {
        let payload = (0..octets).map(|_| rng.random()).collect();
        let inline = octets <= 96 && rng.random_bool(0.3);
        let gathers = if inline { vec![] } else { parts(rng, octets, 4) };
        let is_signaled = rng.random_bool(0.7);
        let scatters = if opcode == RDMA_WRITE {
            vec![Part { gap: rng.random_range(0..9), octets }]
        } else {
            let spare = [0, 0, 7][rng.random_range(0..3_usize)];
            parts(rng, octets + spare, 3)
        };
        Self { opcode, payload, inline, gathers, scatters, is_signaled }
    }
}

/// A random size: mostly small, up to `longest`.
pub fn random_size(rng: &mut ChaCha8Rng, longest: usize) -> usize {
    match rng.random_range(0..10) {
        0 => 0,
        1..=4 => rng.random_range(1..=longest.min(200)),
        5..=8 => rng.random_range(1..=longest.min(5_000)),
        _ => rng.random_range(1..=longest),
    }
}

/// `octets` cut into `1..=most` parts with small gaps before them.
fn parts(rng: &mut ChaCha8Rng, octets: usize, most: usize) -> Vec<Part> {
    let mut cuts: Vec<_> = (1..rng.random_range(1..=most)).map(|_| rng.random_range(0..=octets)).collect();
    cuts.extend([0, octets]);
    cuts.sort_unstable();
    cuts.windows(2).map(|w| Part { gap: rng.random_range(0..9), octets: w[1] - w[0] }).collect()
}
