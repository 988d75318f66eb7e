// SPDX-License-Identifier: MIT OR Apache-2.0
//! The peer of a stream: its segments in order, again from the last acknowledgment if none comes,
//! and frames that change nothing between them.
use super::junk;
use crate::device::Wire;
use crate::tcp_judge::{flag, Segment};
use ferrowarp_sim::link::{Fate, Sent};
use ferrowarp_sim::wire::{Ethernet, Ip, Tcp};
use ferrowarp_sim::Side;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::{Arc, Mutex, PoisonError};

/// Octets that may be on their way: less than the window.
const AHEAD: usize = 10_000;
/// Cycles without an acknowledgment behind which all leaves again.
const AGAIN: u64 = 6_000;
/// Window that the peer offers, scaled by 7: 16 KiB.
const WINDOW: u16 = 0x80;
/// Octets of the longest segment.
const LONGEST: usize = 1_400;

/// What the peer has seen of the device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Its newest acknowledgment.
    pub ack: u32,
    /// The end of what it has sent in order.
    pub end: u32,
}

impl Seen {
    /// Of a connection that begins.
    pub fn of(wire: &Wire) -> Self {
        Self { ack: wire.ends[0].seq_start, end: wire.ends[1].seq_start }
    }
}

/// Takes the frames of B that are for any other station than the one of the connection beside: the
/// peer sees them, A does not.
pub fn hook(beside: [u8; 6], seen: Arc<Mutex<Seen>>) -> impl FnMut(&Sent<'_>) -> Fate + Send + 'static {
    move |sent| {
        if sent.from == Side::A || sent.data[..6] == beside {
            return Fate::Deliver;
        }
        if let Some(segment) = Segment::read(sent.data).filter(|s| s.has(flag::ACK)) {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            if (segment.ack.wrapping_sub(seen.ack) as i32) > 0 {
                seen.ack = segment.ack;
            }
            if segment.seq == seen.end {
                seen.end = seen.end.wrapping_add(segment.length() as u32);
            }
        }
        Fate::Drop
    }
}

/// A peer, and its stream.
pub struct Peer {
    wire: Wire,
    octets: Vec<u8>,
    has_fin: bool,
    rng: ChaCha8Rng,
    /// Cycles between two frames at most, and frames of junk for each segment.
    manners: (u64, u32),
    /// Cycle of the next frame.
    due: u64,
    /// Octets that have left, and those that are acknowledged since which cycle.
    sent: usize,
    acked: (usize, u64),
}

impl Peer {
    /// A peer that is about to speak.
    pub fn new(wire: Wire, octets: Vec<u8>, has_fin: bool, seed: u64, manners: (u64, u32)) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { wire, octets, has_fin, rng, manners, due: 0, sent: 0, acked: (0, 0) }
    }

    /// Octets of the sequence space, the FIN counted.
    fn all(&self) -> usize {
        self.octets.len() + usize::from(self.has_fin)
    }

    /// Octets that the device has acknowledged.
    fn acknowledged(&self, seen: Seen) -> usize {
        seen.ack.wrapping_sub(self.wire.ends[0].seq_start) as usize
    }

    /// All of it is acknowledged.
    pub fn is_taken(&self, seen: Seen) -> bool {
        self.acknowledged(seen) == self.all()
    }

    /// The frame that begins in this cycle, if one does.
    pub fn frame(&mut self, cycle: u64, seen: Seen) -> Option<Vec<u8>> {
        if cycle < self.due {
            return None;
        }
        self.due = cycle + self.rng.random_range(12..=self.manners.0);
        let acked = self.acknowledged(seen);
        if acked != self.acked.0 || acked == self.sent {
            self.acked = (acked, cycle);
        } else if cycle > self.acked.1 + AGAIN {
            self.acked.1 = cycle;
            self.sent = acked;
        }
        let is_odd = self.rng.random_ratio(self.manners.1, self.manners.1 + 1);
        if is_odd || self.sent == self.all() || self.sent >= acked + AHEAD {
            let around = self.around();
            let tcp = self.tcp(acked, seen);
            return Some(junk::frame(&mut self.rng, &around, tcp, (AHEAD + LONGEST) as u32));
        }
        let most = [20, 200, LONGEST][self.rng.random_range(0..3)];
        let most = self.rng.random_range(1..=most);
        let upto = (self.sent + most).min(self.octets.len());
        let mut tcp = self.tcp(self.sent, seen);
        let data = self.octets[self.sent..upto].to_vec();
        self.sent = upto;
        if self.has_fin && upto == self.octets.len() {
            tcp.flags |= flag::FIN;
            self.sent += 1;
        }
        let (ethernet, ip) = self.around();
        Some(ethernet.tcp(&ip, &tcp, &data))
    }

    /// Headers of a segment that is right.
    fn around(&self) -> (Ethernet, Ip) {
        let [us, them] = self.wire.ends;
        let ethernet = Ethernet { destination: them.mac, source: us.mac, vlan: self.wire.vlan, filler: 0 };
        (ethernet, Ip::new(us.ip, them.ip))
    }

    /// TCP header of the octet at `at`.
    fn tcp(&self, at: usize, seen: Seen) -> Tcp {
        let [us, them] = self.wire.ends;
        let seq = us.seq_start.wrapping_add(at as u32);
        let ports = [us.port, them.port];
        Tcp { ports, seq, ack: seen.end, flags: flag::ACK, window: WINDOW, ..Tcp::default() }
    }
}
