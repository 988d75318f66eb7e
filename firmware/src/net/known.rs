// SPDX-License-Identifier: MIT OR Apache-2.0
//! A next hop whose station is known: when it is checked, and what moves it (RFC 4861 section 7.3).
use super::ask::Heard;
use crate::time::Ticks;
use ferrowarp_abi::types::MacAddr;

/// Questions to everybody until a next hop counts as unreachable.
pub(super) const QUESTIONS: u32 = 3;

/// Questions to the station that is known until everybody is asked: with those, a move is followed
/// within 3 s.
const PROBES: u32 = 2;

/// The hop.
#[derive(Clone, Debug)]
pub(super) struct Known {
    mac: MacAddr,
    /// Its own word: not that of a proxy, which the owner overrides (RFC 4861 section 7.2.8).
    firm: bool,
    /// When it was answered or last checked.
    since: Ticks,
    /// When to check it, or to ask again.
    next: Ticks,
    step: Step,
}

/// How far a check is, and how many questions it sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Step {
    /// None is under way.
    Settled,
    /// Its station is asked.
    Probing(u32),
    /// Everybody is asked.
    Asking(u32),
}

impl Known {
    /// Just answered, or said; to be checked at `next`.
    pub(super) fn new(mac: MacAddr, firm: bool, now: Ticks, next: Ticks) -> Self {
        Self { mac, firm, since: now, next, step: Step::Settled }
    }

    /// Its station.
    pub(super) fn mac(&self) -> MacAddr {
        self.mac
    }

    /// When there is something to do.
    pub(super) fn due(&self) -> Ticks {
        self.next
    }

    /// The check is over; what is known is believed for `lifetime` ticks.
    pub(super) fn settle(&mut self, now: Ticks, lifetime: u64) {
        *self = Self::new(self.mac, self.firm, now, now.after(lifetime));
    }

    /// Whether a check begins now.
    pub(super) fn begins_check(&mut self, now: Ticks) -> bool {
        let begins = self.step == Step::Settled && self.next <= now;
        if begins {
            (self.step, self.since) = (Step::Probing(0), now);
        }
        begins
    }

    /// Whether a question of a check is due.
    pub(super) fn asks(&self, now: Ticks) -> bool {
        self.step != Step::Settled && self.next <= now
    }

    /// Whether what is said moves the hop. If not, it may end a check, or be the reason for one.
    pub(super) fn is_moved_by(&mut self, heard: &Heard, now: Ticks, interval: u64, lifetime: u64) -> bool {
        let same = heard.station.is_none_or(|station| station == self.mac);
        match self.step {
            Step::Settled if same => false,
            Step::Settled => {
                let fresh = heard.answers && now <= self.since.after(interval);
                if fresh && heard.overrides && !self.firm {
                    return true;
                }
                // checks are half an interval apart or more: a flood of rumours costs two questions
                // a second
                self.next = self.next.min(self.since.after(interval / 2)).max(now);
                false
            }
            _ if same => {
                if heard.answers {
                    self.firm |= heard.overrides;
                    self.settle(now, lifetime);
                }
                false
            }
            Step::Probing(_) => false,
            Step::Asking(_) => heard.answers,
        }
    }

    /// The question that is due: to a station, or to everybody. The error: nobody answered any.
    pub(super) fn question(&mut self, now: Ticks, interval: u64) -> Result<Option<MacAddr>, ()> {
        self.next = now.after(interval);
        match self.step {
            Step::Probing(n) if n < PROBES => {
                self.step = Step::Probing(n + 1);
                Ok(Some(self.mac))
            }
            Step::Asking(n) if n >= QUESTIONS => Err(()),
            Step::Asking(n) => {
                self.step = Step::Asking(n + 1);
                Ok(None)
            }
            _ => {
                self.step = Step::Asking(1);
                Ok(None)
            }
        }
    }
}
