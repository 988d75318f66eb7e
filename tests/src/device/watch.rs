// SPDX-License-Identifier: MIT OR Apache-2.0
//! What leaves on the bad connection of a scene: the TCP headers of its frames, in plain code on
//! their octets.
use super::FrameHook;
use ferrowarp_sim::link::{Fate, Sent};
use ferrowarp_sim::Side;
use std::sync::{Arc, Mutex, PoisonError};

/// TCP flags.
pub mod flag {
    /// The sender has no more octets.
    pub const FIN: u8 = 1;
    /// The connection is void.
    pub const RST: u8 = 4;
}

/// One frame of TCP over IPv4 without VLAN and options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Who sent it: 0 is A.
    pub from: usize,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgment number.
    pub ack: u32,
    /// Flags, see [`flag`].
    pub flags: u8,
    /// Octets of payload.
    pub octets: u32,
}

impl Segment {
    /// 14 octets of Ethernet, 20 of IPv4, 20 of TCP.
    fn read(from: usize, frame: &[u8]) -> Self {
        let word = |at: usize| u32::from_be_bytes([frame[at], frame[at + 1], frame[at + 2], frame[at + 3]]);
        let total = u32::from(u16::from_be_bytes([frame[16], frame[17]]));
        Self { from, seq: word(38), ack: word(42), flags: frame[47], octets: total - 40 }
    }

    /// Sequence number after it.
    pub fn after(&self) -> u32 {
        self.seq.wrapping_add(self.octets + u32::from(self.flags & flag::FIN))
    }
}

/// The segments of a connection in the order in which they left.
#[derive(Clone, Default)]
pub struct Watch(Arc<Mutex<Vec<Segment>>>);

impl Watch {
    /// A hook that notes each frame as it was sent, then asks `hook` what becomes of it.
    pub fn over(&self, mut hook: FrameHook) -> FrameHook {
        let segments = Arc::clone(&self.0);
        Box::new(move |sent: &Sent<'_>| -> Fate {
            let from = usize::from(sent.from == Side::B);
            let mut segments = segments.lock().unwrap_or_else(PoisonError::into_inner);
            segments.push(Segment::read(from, sent.data));
            hook(sent)
        })
    }

    /// What left so far.
    pub fn segments(&self) -> Vec<Segment> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Both ends closed: each sent one FIN, which the other one acknowledged, and none a reset. The
    /// error says what is missing.
    pub fn closed(&self) -> Result<(), String> {
        let segments = self.segments();
        if let Some(reset) = segments.iter().find(|s| s.flags & flag::RST != 0) {
            return Err(format!("a reset: {reset:x?}"));
        }
        for from in 0..2 {
            let mut fins: Vec<_> =
                segments.iter().filter(|s| s.from == from && s.flags & flag::FIN != 0).collect();
            // it may have left again
            fins.dedup_by_key(|s| s.after());
            let [fin] = fins[..] else {
                return Err(format!("{} FINs of {}", fins.len(), ["A", "B"][from]));
            };
            let last = segments.iter().rfind(|s| s.from != from).map(|s| s.ack);
            if last != Some(fin.after()) {
                return Err(format!("{fin:x?} and then the last acknowledgment is {last:x?}"));
            }
        }
        Ok(())
    }
}
