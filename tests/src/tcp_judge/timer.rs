// SPDX-License-Identifier: MIT OR Apache-2.0
//! The retransmission timer and the probe of a lost tail: when they may expire, and must have.
use super::estimate::Estimate;
use super::{Rules, HEADER_PS, INSIDE_PS, KNOWN_PS, QUEUE_PS};
use std::collections::VecDeque;

/// The timer begins anew, or ends.
#[derive(Clone, Copy, Debug)]
struct Restart {
    at_ps: u64,
    /// Octets in flight then; none: it ends.
    flight: u64,
}

/// Why octets may leave again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expiry {
    /// The timer has expired, and no probe can have been due.
    Timer,
    /// A probe's time is over, and the timer cannot have expired.
    Probe,
    /// One of both.
    Either,
}

/// The timer of one connection (RFC 6298 section 5).
///
/// It begins when octets leave while none are in flight, and anew when SND.UNA moves, with a third
/// duplicate ACK, and with the first octet that leaves again. Each expiry doubles the wait. A
/// measured round trip alone ends the doubling. A segment is measured that leaves for the first
/// time, one at a time, and no longer once octets leave again (Karn).
#[derive(Clone, Debug)]
pub(super) struct Timer {
    rules: Rules,
    estimate: Estimate,
    /// Where the measured segment ends, and when it left.
    measures: Option<(u64, u64)>,
    /// The last ones, the newest at the back.
    restarts: VecDeque<Restart>,
    /// Doublings of the wait, at least and at most.
    doublings: [u32; 2],
    /// Expiries in a row, at most.
    tries: u32,
    /// A round trip was measured since the last probe.
    may_probe: bool,
    /// A window was probed since octets left for the first time.
    persists: bool,
    /// It was told already that this wait is over.
    is_told: bool,
}

impl Timer {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            estimate: Estimate::new(rules),
            measures: None,
            restarts: VecDeque::new(),
            doublings: [0; 2],
            tries: 0,
            may_probe: true,
            persists: false,
            is_told: false,
        }
    }

    fn restart(&mut self, at_ps: u64, flight: u64) {
        while self.restarts.get(1).is_some_and(|r| r.at_ps + QUEUE_PS < at_ps) {
            self.restarts.pop_front();
        }
        self.restarts.push_back(Restart { at_ps, flight });
        self.is_told = false;
    }

    /// A segment leaves for the first time and ends at `end`, with so many octets in flight.
    /// `fires`: octets have to leave again, so that nothing is measured.
    pub(super) fn leaves(&mut self, at_ps: u64, end: u64, flight: u64, is_first: bool, fires: bool) {
        if is_first {
            self.restart(at_ps.saturating_sub(HEADER_PS), flight);
            self.tries = 0;
            if std::mem::take(&mut self.persists) {
                self.doublings[0] = 0;
                self.may_probe = true;
            }
        } else if let Some(last) = self.restarts.back_mut().filter(|r| r.at_ps + KNOWN_PS >= at_ps) {
            // the header may be older than the ACK that restarted
            last.flight = flight;
        }
        if self.measures.is_none() && !fires {
            self.measures = Some((end, at_ps));
        }
    }

    /// The peer's window is probed: each expiry doubles the wait.
    pub(super) fn persist(&mut self) {
        self.persists = true;
        self.doublings[1] += 1;
    }

    /// SND.UNA moves to `una` and leaves so many octets in flight.
    pub(super) fn acknowledged(&mut self, at_ps: u64, una: u64, flight: u64) {
        if let Some((_, left_ps)) = self.measures.filter(|(end, _)| *end <= una) {
            self.estimate.measured(at_ps - left_ps);
            self.measures = None;
            self.doublings = [0; 2];
            self.may_probe = true;
        }
        self.tries = 0;
        self.restart(at_ps, flight);
    }

    /// A third duplicate ACK came.
    pub(super) fn duplicates(&mut self, at_ps: u64, flight: u64) {
        self.measures = None;
        self.restart(at_ps, flight);
    }

    /// Octets begin to leave again, for what `expiry` says or for duplicate ACKs.
    pub(super) fn again(&mut self, at_ps: u64, flight: u64, expiry: Option<Expiry>) {
        self.measures = None;
        match expiry {
            Some(Expiry::Timer) => self.doublings = self.doublings.map(|n| n + 1),
            // it doubles nothing, and the next one needs a measurement
            Some(Expiry::Probe) => self.may_probe = false,
            Some(Expiry::Either) => self.doublings[1] += 1,
            None => {}
        }
        self.tries += u32::from(matches!(expiry, Some(Expiry::Timer | Expiry::Either)));
        self.restart(at_ps.saturating_sub(HEADER_PS), flight);
    }

    /// Why octets may begin to leave again at `at_ps`, decided since `from_ps`, if they may. The
    /// timer may have expired before the ACK that began the wait anew was known.
    pub(super) fn expiry(&self, [from_ps, at_ps]: [u64; 2]) -> Option<Expiry> {
        let rules = self.rules;
        let ends = |wait_ps: u64, is: &dyn Fn(&Restart) -> bool| {
            self.restarts.iter().enumerate().any(|(i, r)| {
                let over_ps = r.at_ps + wait_ps;
                let holds =
                    self.restarts.get(i + 1).is_none_or(|next| over_ps.max(from_ps) <= next.at_ps + KNOWN_PS);
                over_ps <= at_ps && holds && is(r)
            })
        };
        let is_probe = rules.rto_min > 0
            && rules.probe
            && self.may_probe
            && ends(self.estimate.probe_ps(), &|r| r.flight > rules.smss);
        let is_timer =
            rules.rto_min > 0 && ends(self.estimate.least_ps(self.doublings[0]), &|r| r.flight > 0);
        let probe_most_ps = self.estimate.probe_most_ps() + INSIDE_PS;
        let late = self.restarts.back().is_some_and(|r| r.at_ps + probe_most_ps < from_ps);
        match (is_probe, is_timer) {
            (true, false) => Some(Expiry::Probe),
            (true, true) if !late => Some(Expiry::Either),
            (_, true) => Some(Expiry::Timer),
            (false, false) => None,
        }
    }

    /// What the timer says of its times, for a finding.
    pub(super) fn told(&self, at_ps: u64) -> String {
        let since = self.restarts.back().map(|r| at_ps.saturating_sub(r.at_ps) / 1_000);
        let (timer, probe) = (self.estimate.least_ps(self.doublings[0]), self.estimate.probe_ps());
        format!("timer {since:?} ns old; RTO {} ns at least, probe {} ns", timer / 1_000, probe / 1_000)
    }

    /// When the wait is over at the latest, if that time is before `at_ps`; and how long it was. No
    /// expiry counts that may have been the last one of the connection.
    pub(super) fn overdue(&self, at_ps: u64) -> Option<[u64; 2]> {
        let last = self.restarts.back().filter(|r| r.flight > 0)?;
        let most_ps = self.estimate.most_ps(self.doublings[1]);
        let over_ps = last.at_ps + most_ps;
        let counts = self.rules.rto_min > 0 && self.tries + 1 < self.rules.retry_limit && !self.is_told;
        (counts && over_ps < at_ps).then_some([over_ps, most_ps])
    }

    /// All was acknowledged, and a whole wait is over behind that since some time before `from_ps`:
    /// when.
    pub(super) fn rested(&self, from_ps: u64) -> Option<u64> {
        let last = self.restarts.back().filter(|r| r.flight == 0 && self.rules.rto_min > 0)?;
        let over_ps = last.at_ps + self.estimate.most_ps(self.doublings[1]) + INSIDE_PS;
        (over_ps < from_ps).then_some(over_ps)
    }

    /// It was told that this wait is over.
    pub(super) fn tell(&mut self) {
        self.is_told = true;
    }
}
