// SPDX-License-Identifier: MIT OR Apache-2.0
//! The congestion window of a sender, as the wire lets it be known.
use super::past::Past;
use super::INSIDE_PS;

/// NewReno (RFC 5681, RFC 6582) with byte counting (RFC 3465, L = 2) and the initial window of
/// RFC 6928.
///
/// What follows the device and not the letter of RFC 5681 (`hdl/src/tcp/README.md`):
///
/// - A loss makes ssthresh half of cwnd, not of what is in flight.
/// - All octets from the lost one on leave again. So duplicate ACKs do not inflate the window.
/// - The window counts octets beyond SND.UNA, for those that leave again as well.
/// - The time that a connection is idle counts from the last ACK, not from the last segment.
///
/// Each of the first two duplicate ACKs lends a segment to octets that leave for the first time
/// (limited transmit, RFC 3042).
///
/// **A bound.** A window grows only while it holds its sender back (RFC 7661). The wire does not
/// tell whether it does, so this one grows if it may. After a loss the real window may then be in
/// slow start where this one is not, and in two segments at most it is ahead: [`Window::edge`] adds
/// them while cwnd has come to ssthresh. Below ssthresh, and before a loss, nothing is added.
#[derive(Clone, Debug)]
pub(super) struct Window {
    smss: u64,
    cwnd: u64,
    ssthresh: u64,
    /// Octets acknowledged since cwnd has grown, behind slow start.
    count: u64,
    /// In slow start because of an expiry: L is 1 (RFC 3465 section 2.3).
    is_timed: bool,
    /// Nothing was acknowledged since the timer expired.
    stands: bool,
    /// SND.UNA + cwnd, and the same with what the real window may be ahead.
    ends: Past,
    edges: Past,
    /// And with what duplicates lend.
    lent: Past,
}

impl Window {
    /// RFC 6928 section 2, equation 1.
    fn initial(smss: u64) -> u64 {
        (10 * smss).min((2 * smss).max(14_600))
    }

    /// Of a connection whose SND.UNA is `una`, before anything was sent (RFC 6928 section 2).
    pub(super) fn new(smss: u64, una: u64) -> Self {
        let cwnd = Self::initial(smss);
        let ends = Past::new(una + cwnd);
        let (ssthresh, count, is_timed, stands) = (u64::MAX, 0, false, false);
        Self { smss, cwnd, ssthresh, count, is_timed, stands, edges: ends.clone(), lent: ends.clone(), ends }
    }

    /// Octets were acknowledged, from `una` on; `ends` is where the newest segment ends, at most.
    pub(super) fn acknowledged(&mut self, at_ps: u64, una: u64, octets: u64, ends: u64) {
        self.stands = false;
        // two segments more than holds the sender back, so that no growth of a smaller window is
        // missed; what held the sender back a while ago counts until the sender has tried again
        let may_bind = ends + 3 * self.smss > self.ends.least(at_ps.saturating_sub(INSIDE_PS));
        if self.cwnd < self.ssthresh {
            let most = if self.is_timed { self.smss } else { 2 * self.smss };
            self.cwnd += if may_bind { octets.min(most) } else { 0 };
        } else {
            self.is_timed = false;
            if may_bind {
                self.count += octets;
                if self.count >= self.cwnd {
                    self.count -= self.cwnd;
                    self.cwnd += self.smss;
                }
            }
        }
        self.keep(at_ps, una + octets);
    }

    /// Octets are lost: duplicates or a probe say so, or the timer (RFC 5681 section 3.1, equation
    /// 4).
    pub(super) fn lost(&mut self, at_ps: u64, una: u64, by_timer: bool) {
        let half = (self.cwnd / 2).max(2 * self.smss);
        if !(by_timer && self.stands) {
            self.ssthresh = half;
        }
        self.cwnd = if by_timer { self.smss } else { half };
        (self.stands, self.is_timed, self.count) = (by_timer, by_timer, 0);
        self.keep(at_ps, una);
    }

    /// The connection was idle for as long as its timer waits (RFC 5681 section 4.1).
    pub(super) fn rested(&mut self, at_ps: u64, una: u64) {
        let initial = Self::initial(self.smss);
        if self.cwnd > initial {
            self.cwnd = initial;
            (self.stands, self.is_timed, self.count) = (false, false, 0);
        }
        self.keep(at_ps, una);
    }

    fn keep(&mut self, at_ps: u64, una: u64) {
        self.ends.set(at_ps, una + self.cwnd);
        let ahead = if self.cwnd < self.ssthresh { 0 } else { 2 * self.smss };
        self.edges.set(at_ps, una + self.cwnd + ahead);
        self.lent.set(at_ps, una + self.cwnd + ahead);
    }

    /// So many duplicate ACKs lend a segment each.
    pub(super) fn lend(&mut self, at_ps: u64, duplicates: u64) {
        self.lent.set(at_ps, self.edges.now() + duplicates * self.smss);
    }

    /// Where the octets of a segment may end of which its sender has decided since `from_ps`.
    pub(super) fn edge(&self, from_ps: u64, is_again: bool) -> u64 {
        if is_again { &self.edges } else { &self.lent }.greatest(from_ps)
    }
}
