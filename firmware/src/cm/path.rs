// SPDX-License-Identifier: MIT OR Apache-2.0
//! Path MTU of a connection that the hardware has: which word of a router becomes a command, and
//! when a larger one is tried (RFC 1191 section 6.3, RFC 8201 section 4).
//!
//! The hardware ignores a packet that is not in flight and does not say so. So firmware cannot know
//! which word was taken, and the same one may be said again: rarely, for anybody can send it.
use crate::config::Timing;
use crate::time::{is_due, Ticks};

/// Ever smaller sizes that are passed on before a wait.
const STEPS: u32 = 4;

/// What is known of a path.
#[derive(Clone, Debug)]
pub struct Path {
    /// EMSS of a path without a narrow link, in octets.
    full: u16,
    /// Smallest EMSS that the hardware was told.
    least: u16,
    /// Commands of this wait.
    steps: u32,
    /// Until then only smaller sizes are passed on.
    again: Ticks,
    /// The wait that begins next, and the first one.
    wait: u64,
    first_wait: u64,
    /// When the full size is tried.
    rise: Option<Ticks>,
    /// Ticks from a lowering until then.
    patience: u64,
}

impl Path {
    /// Of a row with an EMSS of `emss` octets; `full` are possible.
    pub fn new(full: u16, emss: u16, timing: &Timing, now: Ticks) -> Self {
        let (first_wait, patience) = (timing.rto_initial, timing.path_mtu);
        let rise = (emss < full).then_some(now.after(patience));
        Self { full, least: emss, steps: 0, again: now, wait: first_wait, first_wait, rise, patience }
    }

    /// A router says that segments of `emss` octets fit. The EMSS for the hardware, if it is to be
    /// told.
    pub fn narrows(&mut self, emss: u16, now: Ticks) -> Option<u16> {
        if now >= self.again {
            self.steps = 0;
        }
        let is_less = emss < self.least;
        if emss >= self.full || self.steps > 0 && !is_less || self.steps >= STEPS {
            return None;
        }
        if self.steps == 0 {
            self.again = now.after(self.wait);
            self.wait = self.wait.saturating_mul(2).min(self.patience);
        }
        self.steps += 1;
        if is_less {
            self.least = emss;
            self.rise = Some(now.after(self.patience));
        }
        Some(self.least)
    }

    /// When to call [`Path::rises`] next.
    pub fn due(&self) -> Option<Ticks> {
        self.rise
    }

    /// The EMSS that is tried, if it is time to.
    pub fn rises(&mut self, now: Ticks) -> Option<u16> {
        if !is_due(self.rise, now) {
            return None;
        }
        (self.least, self.rise) = (self.full, None);
        (self.steps, self.again, self.wait) = (0, now, self.first_wait);
        Some(self.full)
    }
}
