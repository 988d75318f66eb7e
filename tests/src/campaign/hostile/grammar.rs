// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream of a hostile peer: FPDUs that an RNIC could send, with fields overridden.
use super::unit::{Stream, Unit};
use super::victim::{Kind, Victim, KINDS};
use crate::ddp_model::{invalidating, tagged, terminate, untagged, Request};
use crate::mpa_model::fpdu;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

/// Verdicts of MPA on an FPDU.
const GOOD: u64 = 0;
const CRC: u64 = 1;
const LENGTH: u64 = 3;
const ENDED: u64 = 5;
/// Octets of the shortest ULPDU that MPA gives on, of the longest here, and of the headers that
/// overrides hit.
const LEAST: usize = 14;
const MOST: usize = 1_300;
const HEADER: usize = 18;
/// Read Requests of a stream at most: fewer than the queue pair has places.
const REQUESTS: u32 = 6;

/// What the peer has said so far, if all of it was right.
#[derive(Default)]
struct Said {
    msn: u32,
    mo: usize,
    requests: u32,
    /// STags that it has asked to read. If it took one back now, the Response might be cut or not.
    read: BTreeSet<u32>,
}

/// A stream of these places. Each place has draws of its own, so that others stay as they are
/// without it.
pub fn stream(rng: &mut ChaCha8Rng, victim: &Victim, places: &[usize], seed: u64, odds: u32) -> Stream {
    let mut stream = Stream { has_fin: rng.random_ratio(1, 3), ..Stream::default() };
    let (mut said, cuts) = (Said { msn: 1, ..Said::default() }, rng.random_ratio(1, 6));
    for &place in places {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ (place as u64 + 1) << 48 ^ 0x5EED);
        let mut ulpdu = said.ulpdu(&mut rng, victim);
        if rng.random_ratio(1, odds) {
            override_one(&mut rng, &mut ulpdu);
        }
        let mut verdict = if ulpdu.len() < LEAST { LENGTH } else { GOOD };
        let mut octets = fpdu(&ulpdu, stream.octets.len() as u64, false, true);
        if rng.random_ratio(1, 4 * odds) {
            // behind the length: that one would move the end of the FPDU
            let at = rng.random_range(2..octets.len());
            octets[at] ^= 1 << rng.random_range(0..8);
            verdict = verdict.max(CRC);
        }
        stream.octets.extend(octets);
        stream.units.push(Unit { verdict, ulpdu });
    }
    if stream.has_fin && cuts {
        stream.octets.extend(&fpdu(&[7; 40], 0, false, true)[..rng.random_range(1..44)]);
        stream.units.push(Unit { verdict: ENDED, ulpdu: vec![] });
    }
    stream
}

impl Said {
    /// The next ULPDU of an RNIC that asks for things it may ask for, or nearly.
    fn ulpdu(&mut self, rng: &mut ChaCha8Rng, victim: &Victim) -> Vec<u8> {
        let most = [20, 200, MOST][rng.random_range(0..3)];
        let mut payload = vec![0; rng.random_range(0..most)];
        rng.fill_bytes(&mut payload);
        match rng.random_range(0..20) {
            0..=8 => {
                let (stag, to) = aim(rng, victim, payload.len() as u64);
                tagged(0, stag, to, rng.random_ratio(2, 3), &payload)
            }
            9..=15 => self.send(rng, victim, &payload),
            16..=18 if self.requests < REQUESTS => {
                self.requests += 1;
                let length = rng.random_range(0..3_000);
                let (src_stag, src_to) = aim(rng, victim, length);
                self.read.insert(src_stag);
                let (sink_stag, sink_to) = (rng.random(), rng.random());
                let length = length as u32;
                Request { sink_stag, sink_to, length, src_stag, src_to, qp: 0 }.ulpdu(self.requests)
            }
            // a response that nobody asked for, or a Terminate
            _ if rng.random_ratio(1, 6) => {
                let (stag, to) = aim(rng, victim, payload.len() as u64);
                tagged(2, stag, to, true, &payload)
            }
            _ if rng.random_ratio(1, 6) => {
                let mut header = vec![0; rng.random_range(0..60)];
                rng.fill_bytes(&mut header);
                terminate(&header)
            }
            _ => self.send(rng, victim, &payload[..payload.len().min(60)]),
        }
    }

    /// The next segment of a Send.
    fn send(&mut self, rng: &mut ChaCha8Rng, victim: &Victim, payload: &[u8]) -> Vec<u8> {
        let payload = &payload[..payload.len().min(300)];
        let is_last = rng.random_ratio(3, 4);
        let (msn, mo) = (self.msn, self.mo as u32);
        if is_last {
            (self.msn, self.mo) = (msn + 1, 0);
        } else {
            self.mo += payload.len();
        }
        match rng.random_range(0..12) {
            0 => {
                let kind = if rng.random_ratio(1, 2) {
                    Kind::Bound
                } else {
                    KINDS[rng.random_range(0..KINDS.len())]
                };
                let (opcode, stag) = ([4, 6][rng.random_range(0..2)], victim.stag(kind));
                match self.read.contains(&stag) {
                    true => untagged(3, 0, msn, mo, is_last, payload),
                    false => invalidating(opcode, stag, msn, mo, is_last, payload),
                }
            }
            n => untagged(if n < 4 { 5 } else { 3 }, 0, msn, mo, is_last, payload),
        }
    }
}

/// STag and offset of an access to so many octets: most often one that is allowed.
fn aim(rng: &mut ChaCha8Rng, victim: &Victim, octets: u64) -> (u32, u64) {
    let kind = match rng.random_range(0..40) {
        0 => KINDS[rng.random_range(0..KINDS.len())],
        1..=8 => Kind::Bound,
        _ => Kind::Open,
    };
    let region = victim.region(kind);
    let room = region.length - octets.min(region.length);
    let to = match rng.random_range(0..40) {
        // the last octets, one too far, one too early, nowhere
        0..=3 => region.to_base + room,
        4 => region.to_base.wrapping_add(room + 1),
        5 => region.to_base.wrapping_sub(1),
        6 => rng.random(),
        _ => region.to_base + rng.random_range(0..=room),
    };
    (victim.stag(kind), to)
}

/// Changes a ULPDU in one way.
fn override_one(rng: &mut ChaCha8Rng, ulpdu: &mut Vec<u8>) {
    let header = ulpdu.len().min(HEADER);
    match rng.random_range(0..8) {
        // a bit of the header
        0..=2 => ulpdu[rng.random_range(0..header)] ^= 1u8 << rng.random_range(0..8),
        // an octet of it
        3 => ulpdu[rng.random_range(0..header)] = rng.random(),
        // the versions, the kind, the opcode
        4 => ulpdu[0] ^= 1 << rng.random_range(0..8),
        5 => ulpdu[1] = ulpdu[1] & 0xF0 | rng.random_range(0..16),
        // its end
        6 => ulpdu.truncate(rng.random_range(1..=ulpdu.len().min(40))),
        _ => rng.fill_bytes(&mut ulpdu[..header]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_override_leaves_an_octet_at_least() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for n in 0..2_000 {
            let mut ulpdu = vec![0x41; 14 + n % 40];
            override_one(&mut rng, &mut ulpdu);
            assert!(!ulpdu.is_empty());
        }
    }
}
