// SPDX-License-Identifier: MIT OR Apache-2.0
//! A receiver's side of a connection: rules R1 to R5.
use super::segment::{flag, Segment};
use super::sender::shown;
use super::stream::{place, ORIGIN};
use super::{Conn, Found, Rule, Rules};
use std::collections::{BTreeMap, VecDeque};

/// An octet range in order that is not acknowledged.
#[derive(Clone, Copy, Debug)]
struct Owed {
    ends: u64,
    came_ps: u64,
    has_fin: bool,
    /// It was told already that its ACK is late.
    is_told: bool,
}

/// What one end acknowledges, judged by the segments that have come to it.
///
/// RCV.NXT moves with what comes in order alone, as at a receiver that keeps nothing beyond a gap.
/// An end that acknowledges more has kept more: RCV.NXT follows.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    peer_start: u32,
    scale: u8,
    rules: Rules,
    rcv_nxt: u64,
    /// What came without a gap, in any order.
    arrived: u64,
    /// What came beyond a gap: end by begin.
    beyond: BTreeMap<u64, u64>,
    /// The greatest acknowledgment number that left, and the right edge.
    acked: u64,
    edge: u64,
    owed: VecDeque<Owed>,
    /// When the first segment out of order came that no ACK has followed.
    unanswered: Option<u64>,
}

impl Receiver {
    /// Of the end `at` of a connection.
    pub(super) fn new(conn: &Conn, at: usize) -> Self {
        Self {
            peer_start: conn.starts[1 - at],
            scale: conn.scales[at],
            rules: conn.rules[at],
            rcv_nxt: ORIGIN,
            arrived: ORIGIN,
            beyond: BTreeMap::new(),
            acked: ORIGIN,
            edge: ORIGIN + conn.windows[at],
            owed: VecDeque::new(),
            unanswered: None,
        }
    }

    /// A segment has come. Returns whether its ACK counts (RFC 9293 section 3.4, acceptable
    /// segments).
    pub(super) fn comes(&mut self, at_ps: u64, segment: &Segment<'_>) -> bool {
        let at = place(self.peer_start, self.rcv_nxt, segment.seq);
        let (length, next) = (segment.length(), self.rcv_nxt);
        let end = at + length;
        let window = next..self.edge.max(next + 1);
        let is_acceptable = window.contains(&at) || (length > 0 && window.contains(&(end - 1)));
        if length == 0 {
            return is_acceptable;
        }
        self.note(at, end);
        if at > next || end <= next {
            self.unanswered = self.unanswered.or(Some(at_ps));
        } else {
            self.rcv_nxt = end;
            let has_fin = segment.has(flag::FIN);
            self.owed.push_back(Owed { ends: end, came_ps: at_ps, has_fin, is_told: false });
        }
        is_acceptable
    }

    /// Octets have arrived.
    fn note(&mut self, at: u64, end: u64) {
        if at > self.arrived {
            let ends = self.beyond.entry(at).or_insert(end);
            *ends = end.max(*ends);
            return;
        }
        self.arrived = self.arrived.max(end);
        while let Some((at, end)) = self.beyond.first_key_value().map(|(at, end)| (*at, *end)) {
            if at > self.arrived {
                break;
            }
            self.arrived = self.arrived.max(end);
            self.beyond.remove(&at);
        }
    }

    /// A segment leaves.
    pub(super) fn leaves(&mut self, at_ps: u64, segment: &Segment<'_>, found: &mut Found<'_>) {
        if !segment.has(flag::ACK) {
            return;
        }
        let ack = place(self.peer_start, self.acked, segment.ack);
        let edge = ack + (u64::from(segment.window) << self.scale);
        if ack > self.arrived || ack < self.acked {
            let allowed = format!("{} to {}", shown(self.acked), shown(self.arrived));
            found.add(Rule::Acknowledged, at_ps, format!("acknowledges up to {}", shown(ack)), allowed);
        }
        if edge < self.edge {
            let allowed = format!("{} at least", shown(self.edge));
            found.add(Rule::Edge, at_ps, format!("offers a window up to {}", shown(edge)), allowed);
        }
        let ack = ack.min(self.arrived);
        self.acked = self.acked.max(ack);
        self.rcv_nxt = self.rcv_nxt.max(ack);
        self.edge = self.edge.max(edge);
        self.owed.retain(|owed| owed.ends > ack);
        self.unanswered = None;
    }

    /// Time has come to `at_ps`.
    pub(super) fn until(&mut self, at_ps: u64, found: &mut Found<'_>) {
        let answer_ps = self.rules.answer_ps;
        if let Some(came_ps) = self.unanswered.filter(|came_ps| came_ps + answer_ps < at_ps) {
            let seen = format!("no ACK for a segment out of order that came at {} ns", came_ps / 1_000);
            let allowed = format!("{} ns behind it", answer_ps / 1_000);
            found.late(Rule::AtOnce, came_ps + answer_ps, seen, allowed);
            self.unanswered = None;
        }
        for (nth, owed) in self.owed.iter_mut().enumerate().filter(|(_, owed)| !owed.is_told) {
            let Rules { stored_ps, ack_delay_ps, .. } = self.rules;
            let (rule, wait_ps) = match nth {
                _ if owed.has_fin => (Rule::Finished, stored_ps),
                0 => (Rule::Delayed, stored_ps + ack_delay_ps),
                _ => (Rule::Delayed, stored_ps),
            };
            let until_ps = owed.came_ps + wait_ps;
            if until_ps < at_ps {
                owed.is_told = true;
                let (ends, came) = (shown(owed.ends), owed.came_ps / 1_000);
                let seen = format!("no ACK of {ends}, which came at {came} ns as number {nth} without one");
                found.late(rule, until_ps, seen, format!("{} ns behind it", wait_ps / 1_000));
            }
        }
    }
}
