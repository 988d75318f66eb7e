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
mod flaps;
mod impair;
mod mac;
mod outside;
mod pin;
mod state;
pub mod switch;

pub(crate) use agent::LinkEnd;
pub use flaps::{Flaps, NoFlaps};
pub(crate) use impair::LONGEST_HOLD;
pub use impair::{Impair, Odds};
pub(crate) use pin::LinkPin;

use cable::Cable;
use carrier::Carrier;
use mac::Mac;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Octets of preamble and start frame delimiter.
pub const PREAMBLE: u64 = 8;
/// Octets of the frame check sequence.
pub const FCS: u64 = 4;
/// Octets of the gap between frames.
pub const GAP: u64 = 12;
/// Fewest octets of a frame without FCS.
pub const MIN_FRAME: u64 = 60;
/// Picoseconds in a second.
const SECOND_PS: u64 = 1_000_000_000_000;

/// The two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The first device.
    A,
    /// The second device.
    B,
}

impl Side {
    /// Both, in order.
    pub const BOTH: [Side; 2] = [Side::A, Side::B];

    /// The other end.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// Rate and length of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkConfig {
    /// Bits a second on the wire, preamble and gap included.
    pub rate_bps: u64,
    /// Period of the devices' clock in picoseconds.
    pub clock_ps: u64,
    /// Nanoseconds that every frame is under way.
    pub delay_ns: u64,
}

impl LinkConfig {
    /// Picoseconds that `octets` take on the wire.
    pub fn wire_ps(&self, octets: u64) -> u64 {
        let rate = self.rate_bps.max(1);
        match octets.checked_mul(8 * SECOND_PS) {
            Some(bits) => bits / rate,
            // two million octets at once: no frame is so long
            None => (u128::from(octets) * u128::from(8 * SECOND_PS) / u128::from(rate)) as u64,
        }
    }
}

/// How a device broke the rules of its Ethernet port, or why a link cannot be attached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkFault {
    /// `valid` was low inside a frame when the MAC needed the next beat.
    #[error("transmit underrun after {octets} octets of a frame: valid was low while ready was high")]
    Underrun {
        /// Octets that had been sent.
        octets: u64,
    },
    /// The transmitter did not pad.
    #[error("a frame of {octets} octets was sent; the transmitter pads to {MIN_FRAME}")]
    Runt {
        /// Its octets, without FCS.
        octets: u64,
    },
    /// The receiver did not take a beat before the next one arrived.
    #[error("receive overrun: frame {index} to {to:?} was cut after {octets} octets")]
    Overrun {
        /// Number of the frame in its direction, from 0.
        index: u64,
        /// The end that did not take it.
        to: Side,
        /// Octets that it took.
        octets: u64,
    },
    /// The stream cannot carry the rate.
    #[error("{rate_bps} bit/s need more than {width} octets every {clock_ps} ps")]
    TooFast {
        /// Rate of the link.
        rate_bps: u64,
        /// Octets of a beat.
        width: u64,
        /// Clock period.
        clock_ps: u64,
    },
    /// Both streams of a port have one width.
    #[error("the transmit stream has {tx} octets a beat, the receive stream {rx}")]
    Widths {
        /// Octets of the stream out of the device.
        tx: u64,
        /// Octets of the stream into it.
        rx: u64,
    },
}

/// What one end has sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkStats {
    /// Frames sent, bad ones too.
    pub frames: u64,
    /// Their octets, without preamble, FCS and gap.
    pub octets: u64,
    /// Picoseconds of preamble, frame, FCS and gap.
    pub busy_ps: u64,
    /// When the first preamble began.
    pub first_ps: u64,
    /// When the newest one did.
    pub newest_ps: u64,
    /// When the last gap ended.
    pub end_ps: u64,
    /// Frames sent with a bad FCS, because the device said `err`.
    pub sent_bad: u64,
    /// Frames that the hook dropped.
    pub dropped: u64,
    /// Frames that the hook damaged, with a bad FCS or without.
    pub damaged: u64,
    /// Frames that the hook delivered twice.
    pub duplicated: u64,
    /// Frames that the hook held back.
    pub delayed: u64,
    /// Frames that the other end did not take whole.
    pub overruns: u64,
    /// Frames that nobody was there to receive.
    pub unplugged: u64,
    /// Frames that were on the wire while the link was down: lost, or cut at the receiver.
    pub down: u64,
}

/// A frame that was sent, as the hook sees it.
#[derive(Debug, Clone, Copy)]
pub struct Sent<'a> {
    /// The end that sent it.
    pub from: Side,
    /// Its number in this direction, from 0.
    pub index: u64,
    /// When its last beat was handed over, in picoseconds.
    pub at_ps: u64,
    /// Its octets, without FCS.
    pub data: &'a [u8],
}

/// What becomes of a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It arrives.
    Deliver,
    /// It does not.
    Drop,
    /// It arrives with one bit inverted and a bad FCS: `err` with its last beat. Bits count from
    /// octet 0's lowest and wrap at the frame's end.
    Corrupt(u64),
    /// Other octets arrive, and the FCS does not tell.
    Replace(Vec<u8>),
    /// It arrives twice.
    Duplicate,
    /// It arrives so many nanoseconds later, behind frames sent after it.
    Delay(u64),
}

/// A frame as a capture at the sender's port sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// The end that sent it.
    pub from: Side,
    /// When its preamble began, in picoseconds.
    pub began_ps: u64,
    /// When its last octet left, in picoseconds.
    pub at_ps: u64,
    /// Its octets, without FCS.
    pub data: Vec<u8>,
    /// What happened to it, if anything did.
    pub note: Option<String>,
}

/// Decides what becomes of each frame.
pub type Hook = Box<dyn FnMut(&Sent<'_>) -> Fate + Send>;

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
