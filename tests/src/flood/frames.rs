// SPDX-License-Identifier: MIT OR Apache-2.0
//! The frames of floods.
use crate::device::{addressed, rewrite, stranger, Wire, WRONG};
use crate::net_rx_frames::{ethernet, ip_packet, Tuple, RST, SYN};
use ferrowarp_sim::link::{FCS, GAP, PREAMBLE};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// What a third station sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flood {
    /// Octets in the peer's name that the peer has not sent: each ACK of them is impossible there,
    /// its answer is old here.
    War,
    /// Segments before and behind the window.
    Outside,
    /// ACKs of octets that were not sent.
    BadAcks,
    /// Segments that leave octets out.
    Gaps,
    /// RST and SYN within the window, not at its beginning.
    Challenges,
    /// UDP for nobody.
    Rubbish,
    /// ARP to all.
    Arp,
    /// FPDUs with wrong CRCs, in order.
    WrongCrcs,
}

/// Octets of wrong FPDUs in a segment: whole ones.
const SEGMENT: usize = 9 * WRONG.len();
/// Window of a connection that is attacked.
const WINDOW: u32 = 1 << 14;

/// Cycles that a frame takes on a wire of 8 octets a cycle.
fn cycles(frame: &[u8]) -> u64 {
    (frame.len() as u64 + PREAMBLE + FCS + GAP).div_ceil(8)
}

/// A flood at a connection, or beside one.
pub struct Source {
    flood: Flood,
    wire: Wire,
    /// Hundredths of the wire that it takes.
    share: u64,
    /// Cycle of the next frame.
    due: u64,
    /// Octets in order so far, by the end that gets them.
    sent: [u32; 2],
}

impl Source {
    /// It takes so many hundredths of the wire to each end.
    pub fn new(flood: Flood, wire: Wire, share: u64) -> Self {
        Self { flood, wire, share, due: 0, sent: [0; 2] }
    }

    /// Frames that begin in this cycle, with the end that gets each.
    pub fn frames(&mut self, rng: &mut ChaCha8Rng, cycle: u64) -> Vec<(usize, Vec<u8>)> {
        if cycle < self.due {
            return vec![];
        }
        let frames = [0, 1].map(|to| (to, self.frame(rng, to)));
        let longest = frames.iter().map(|(_, frame)| cycles(frame)).max().unwrap_or(0);
        self.due = cycle + (longest * 100).div_ceil(self.share);
        frames.into()
    }

    /// The next frame to an end.
    fn frame(&mut self, rng: &mut ChaCha8Rng, to: usize) -> Vec<u8> {
        let (wire, from) = (self.wire, 1 - to);
        let (seq, ack) = (wire.ends[from].seq_start, wire.ends[to].seq_start);
        let some = |rng: &mut ChaCha8Rng, least: usize| vec![0x5A; rng.random_range(least..60)];
        match self.flood {
            Flood::War => {
                let seq = seq.wrapping_add(self.sent[to]);
                self.sent[to] += 1;
                stranger(&wire, from, seq, ack, &[0])
            }
            Flood::Outside => {
                let octets = some(rng, 0);
                let distance = octets.len().max(1) as u32 + rng.random_range(0..3_000);
                let seq = match rng.random() {
                    true => seq.wrapping_sub(distance),
                    false => seq.wrapping_add(2 * WINDOW + distance),
                };
                stranger(&wire, from, seq, ack, &octets)
            }
            Flood::BadAcks => {
                let ack = ack.wrapping_add(rng.random_range(1..1_000_000));
                stranger(&wire, from, seq, ack, &some(rng, 0))
            }
            Flood::Gaps => {
                let seq = seq.wrapping_add(rng.random_range(1..WINDOW / 2));
                stranger(&wire, from, seq, ack, &some(rng, 1))
            }
            Flood::Challenges => {
                let seq = seq.wrapping_add(rng.random_range(1..WINDOW / 2));
                let flag = [RST, SYN][rng.random_range(0..2)];
                let flags = 14 + 20 + 12;
                rewrite(&stranger(&wire, from, seq, ack, &[]), flags, 0x5000 | u16::from(flag))
            }
            Flood::Rubbish => {
                let source = (0..4).map(|_| rng.random()).collect();
                let tuple = Tuple {
                    source,
                    destination: vec![10, 0, 0, to as u8 + 1],
                    source_port: rng.random(),
                    destination_port: rng.random(),
                };
                let packet = ip_packet(&tuple, &[], 17, &[0x55; 20]);
                addressed(ethernet(None, 0x0800, &packet, 0), wire.ends[to].mac)
            }
            Flood::Arp => addressed(ethernet(None, 0x0806, &[rng.random(); 28], 0), [0xFF; 6]),
            Flood::WrongCrcs => {
                let seq = seq.wrapping_add(self.sent[to]);
                self.sent[to] += SEGMENT as u32;
                let octets: Vec<u8> = WRONG.iter().copied().cycle().take(SEGMENT).collect();
                stranger(&wire, from, seq, ack, &octets)
            }
        }
    }
}
