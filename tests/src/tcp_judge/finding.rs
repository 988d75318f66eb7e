// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the judge finds.
use ferrowarp_sim::Side;
use std::fmt;
use std::net::SocketAddr;

/// The rules, each with the section that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// S1: octets begin at SND.NXT, or at or behind SND.UNA; they leave no hole.
    Place,
    /// S2: octets that leave again are those that left first.
    Octets,
    /// S3: nothing lies beyond the right edge of the offered window.
    Offered,
    /// S4: nothing lies beyond the congestion window.
    Congestion,
    /// S5: octets leave again for a reason.
    Reason,
    /// S6: what is lost leaves again when the timer expires.
    Mended,
    /// R1: an acknowledged octet has arrived, and the number never goes back.
    Acknowledged,
    /// R2: a segment out of order has its ACK at once.
    AtOnce,
    /// R3: no second segment waits for its ACK, and none waits for longer than the delay.
    Delayed,
    /// R4: the right edge of the offered window never goes back.
    Edge,
    /// R5: a FIN in order is acknowledged.
    Finished,
}

impl Rule {
    /// Short name, RFC and section.
    pub fn section(self) -> &'static str {
        match self {
            Self::Place => "S1, RFC 9293 section 3.4",
            Self::Octets => "S2, RFC 9293 section 3.7",
            Self::Offered => "S3, RFC 9293 section 3.8.6",
            Self::Congestion => "S4, RFC 5681 section 3.1, RFC 3465 section 2, RFC 6928 section 2",
            Self::Reason => "S5, RFC 5681 section 3.2, RFC 6298 section 5, RFC 8985 section 7",
            Self::Mended => "S6, RFC 6298 section 5",
            Self::Acknowledged => "R1, RFC 9293 section 3.4",
            Self::AtOnce => "R2, RFC 5681 section 4.2",
            Self::Delayed => "R3, RFC 5681 section 4.2, RFC 9293 section 3.8.6.3",
            Self::Edge => "R4, RFC 9293 section 3.8.6",
            Self::Finished => "R5, RFC 9293 section 3.10.7.4",
        }
    }
}

/// A rule that an end has broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The end that broke the rule.
    pub side: Side,
    /// This end and its peer.
    pub ends: [SocketAddr; 2],
    /// When: a segment's preamble, or the time by which something had to leave.
    pub at_ps: u64,
    /// Number of the frame from 0, if one shows it.
    pub frame: Option<usize>,
    /// What was seen.
    pub seen: String,
    /// What was allowed.
    pub allowed: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, side, ends: [near, far], at_ps, frame, seen, allowed } = self;
        let ns = at_ps / 1_000;
        write!(f, "{rule:?} ({}): {side:?} {near} to {far}, at {ns} ns", rule.section())?;
        if let Some(frame) = frame {
            write!(f, ", frame {frame}")?;
        }
        write!(f, ": {seen}; allowed: {allowed}")
    }
}
