// SPDX-License-Identifier: MIT OR Apache-2.0
//! An Ethernet link between two devices, with the MACs at both ends: it takes and gives MAC-client
//! streams (padded frames without FCS) and plays preamble, FCS, gap, rate and delay.
//! `sim/README.md` has the rules.
//!
//! A [`Link`] is a handle that both benches share: [`Bench::ethernet`](crate::Bench::ethernet) puts
//! one end on the ports of a device, in one bench or in the two benches of a [`Pair`](crate::Pair).
//! The sending side is `mac`, the flight and the receiving side are `cable`, `agent` stands on the
//! ports, `carrier` is when the link is up. A [`switch`] joins several links.

mod agent;
mod beat;
mod cable;
mod carrier;
mod config;
mod flaps;
mod frame;
mod impair;
mod mac;
mod outside;
mod pin;
mod state;
pub mod switch;

pub(crate) use agent::LinkEnd;
pub use config::{LinkConfig, Side, FCS, GAP, MIN_FRAME, PREAMBLE};
pub use flaps::{Flaps, NoFlaps};
pub use frame::{Captured, Fate, Hook, LinkFault, LinkStats, Sent};
pub(crate) use impair::LONGEST_HOLD;
pub use impair::{Impair, Odds};
pub(crate) use pin::LinkPin;

use cable::Cable;
use carrier::Carrier;
use mac::Mac;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What both ends share.
struct Shared {
    config: LinkConfig,
    macs: [Mac; 2],
    /// By the end that sends.
    cables: [Cable; 2],
    carrier: Carrier,
    hook: Option<Hook>,
    /// With their times in picoseconds and the ends that noticed them.
    faults: Vec<(u64, Side, LinkFault)>,
    captured: Option<Vec<Captured>>,
}

/// A handle on a link; clones are the same link.
#[derive(Clone)]
pub struct Link(Arc<Mutex<Shared>>);

impl Link {
    /// A link without frames, hook or capture, for two ends that step together.
    pub fn new(config: LinkConfig) -> Self {
        Self::of(config, false)
    }

    /// The same for two ends that run side by side in blocks no longer than the delay of the link.
    ///
    /// A beat arrives at least a delay after the sender has handed the beat over, so in a later
    /// block: the order in which the ends run through a block changes nothing. A frame that a hook
    /// judges begins to arrive a delay after its last beat, for the same reason.
    pub fn in_blocks(config: LinkConfig) -> Self {
        Self::of(config, true)
    }

    fn of(config: LinkConfig, in_blocks: bool) -> Self {
        let macs = Side::BOTH.map(|_| Mac::new(config));
        let cables = Side::BOTH.map(|from| Cable::new(config, from.other(), in_blocks));
        let (carrier, hook, faults, captured) = Default::default();
        Self(Arc::new(Mutex::new(Shared { config, macs, cables, carrier, hook, faults, captured })))
    }

    /// A hook that decides on each frame. Frames are judged when they are whole: with a hook one
    /// begins to arrive at the earliest when its last beat was sent, without one after the delay.
    pub fn set_hook(&self, hook: impl FnMut(&Sent<'_>) -> Fate + Send + 'static) {
        self.lock().hook = Some(Box::new(hook));
    }

    /// A frame of a third station comes to the end `to` from `at_ps` on, as soon as the wire to it
    /// is free. The hook does not see it, nor does a capture.
    pub fn inject(&self, to: Side, at_ps: u64, data: Vec<u8>) {
        self.lock().cables[to.other() as usize].inject(at_ps, data);
    }

    /// While paused the MAC at `side` begins no frame, as after a PAUSE of IEEE 802.3 annex 31B;
    /// one under way ends.
    pub fn pause(&self, side: Side, paused: bool) {
        self.lock().macs[side as usize].paused = paused;
    }

    /// Keeps every frame from now on for [`Link::take_captured`].
    pub fn capture(&self) {
        self.lock().captured.get_or_insert_default();
    }

    /// Takes what was captured: frames of both ends in the order in which their last octets left,
    /// those of [`Side::A`] first.
    pub fn take_captured(&self) -> Vec<Captured> {
        let mut captured = self.lock().captured.as_mut().map(std::mem::take).unwrap_or_default();
        captured.sort_by_key(|frame| (frame.at_ps, frame.from));
        captured
    }

    /// What one end has sent so far.
    pub fn stats(&self, from: Side) -> LinkStats {
        self.lock().cables[from as usize].stats
    }

    /// Takes the faults so far, which are overruns: others end the case at once. A case that leaves
    /// any fails. They are in the order of time, those of [`Side::A`] first.
    pub fn take_faults(&self) -> Vec<LinkFault> {
        let mut faults = std::mem::take(&mut self.lock().faults);
        faults.sort_by_key(|(at_ps, side, _)| (*at_ps, *side));
        faults.into_iter().map(|(.., fault)| fault).collect()
    }

    /// The other handle is on the same link.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Rate and length.
    pub fn config(&self) -> LinkConfig {
        self.lock().config
    }

    /// A test that panicked while it held the lock has failed already.
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
