// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the cable of a port does to frames, one way.
use super::stats::PortStats;
use super::PortFrame;
use crate::eth::Wire;
use crate::link::{Fate, Impair, Sent, Side, LONGEST_HOLD};

/// One way of a cable.
pub(super) struct Harm {
    impair: Impair,
    delay_ps: u64,
    /// Frames so far.
    index: u64,
}

impl Harm {
    /// The way from the far end to the switch if `is_in`, else the way back. Each has random
    /// numbers of its own.
    pub(super) fn new(wire: &Wire, is_in: bool) -> Self {
        let seed = if is_in { wire.seed() } else { wire.seed() ^ 1 << 63 };
        let delay_ps = u64::try_from(wire.delay().as_nanos()).unwrap_or(u64::MAX).saturating_mul(1_000);
        Self { impair: Impair::new(seed, wire.odds(LONGEST_HOLD)), delay_ps, index: 0 }
    }

    /// What comes out of a frame: none, one or two.
    pub(super) fn pass(&mut self, mut frame: PortFrame, stats: &mut PortStats) -> [Option<PortFrame>; 2] {
        let sent = Sent { from: Side::A, index: self.index, at_ps: frame.at_ps, data: &frame.data };
        let fate = self.impair.fate(&sent);
        self.index += 1;
        frame.at_ps = frame.at_ps.saturating_add(self.delay_ps);
        match fate {
            Fate::Drop => {
                stats.lost += 1;
                return [None, None];
            }
            Fate::Duplicate => {
                stats.duplicated += 1;
                return [Some(frame.clone()), Some(frame)];
            }
            Fate::Delay(ns) => {
                stats.held += 1;
                frame.at_ps = frame.at_ps.saturating_add(ns * 1_000);
            }
            Fate::Corrupt(bit) => {
                stats.spoilt += 1;
                frame.is_bad = true;
                // a frame without octets has none to spoil
                if let Some(octet) = frame.data.get_mut((bit / 8) as usize) {
                    *octet ^= 1 << (bit % 8);
                }
            }
            Fate::Deliver | Fate::Replace(_) => {}
        }
        [Some(frame), None]
    }
}
