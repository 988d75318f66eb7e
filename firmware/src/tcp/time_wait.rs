// SPDX-License-Identifier: MIT OR Apache-2.0
//! TIME-WAIT: connections that are closed, whose last octets may still be on their way (RFC 9293
//! section 3.6).
use super::segment::{Segment, Tuple};
use crate::time::Ticks;
use alloc::collections::VecDeque;
use ferrowarp_abi::types::SeqNum;

/// What is remembered of a closed connection.
#[derive(Copy, Clone, Debug)]
struct Closed {
    tuple: Tuple,
    snd_nxt: SeqNum,
    rcv_nxt: SeqNum,
    until: Ticks,
    /// It answers nothing before: anybody can ask for answers.
    quiet: Ticks,
}

/// What a segment of a remembered connection asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Send this.
    Answer(Segment),
    /// Nothing.
    Ignore,
    /// A new connection begins: the old one is forgotten (RFC 9293 section 3.10.7.4, TIME-WAIT and
    /// SYN).
    Reopen,
}

/// All of them, oldest first.
#[derive(Debug)]
pub struct TimeWait {
    closed: VecDeque<Closed>,
    most: usize,
    length: u64,
    pause: u64,
}

impl TimeWait {
    /// Room for `most`, each for `length` ticks; from one answer of it to the next there are
    /// `pause` ticks or more.
    pub fn new(most: usize, length: u64, pause: u64) -> Self {
        Self { closed: VecDeque::new(), most, length, pause }
    }

    /// Remembers a connection; the oldest gives way if there is no room.
    pub fn insert(&mut self, tuple: Tuple, snd_nxt: SeqNum, rcv_nxt: SeqNum, now: Ticks) {
        self.closed.retain(|c| c.tuple != tuple);
        if self.closed.len() >= self.most {
            self.closed.pop_front();
        }
        if self.most > 0 {
            let until = now.after(self.length);
            self.closed.push_back(Closed { tuple, snd_nxt, rcv_nxt, until, quiet: now });
        }
    }

    /// Whether the ends are remembered.
    pub fn contains(&self, tuple: &Tuple) -> bool {
        self.closed.iter().any(|c| c.tuple == *tuple)
    }

    /// How many are remembered.
    pub fn len(&self) -> usize {
        self.closed.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.closed.is_empty()
    }

    /// Forgets those whose time is over.
    pub fn expire(&mut self, now: Ticks) {
        self.closed.retain(|c| c.until > now);
    }

    /// When the next one is forgotten.
    pub fn due(&self) -> Option<Ticks> {
        self.closed.iter().map(|c| c.until).min()
    }

    /// Looks at a segment; `None` if its ends are not remembered. Resets are ignored (RFC 1337).
    pub fn segment(&mut self, tuple: &Tuple, segment: &Segment, now: Ticks) -> Option<Verdict> {
        let place = self.closed.iter().position(|c| c.tuple == *tuple)?;
        let (length, pause) = (self.length, self.pause);
        let closed = self.closed.get_mut(place)?;
        if segment.rst {
            return Some(Verdict::Ignore);
        }
        if segment.syn && segment.ack.is_none() && closed.rcv_nxt.is_before(segment.seq) {
            self.closed.remove(place);
            return Some(Verdict::Reopen);
        }
        if segment.is_empty() && segment.seq == closed.rcv_nxt {
            return Some(Verdict::Ignore);
        }
        if segment.fin {
            closed.until = now.after(length);
        }
        if now < closed.quiet {
            return Some(Verdict::Ignore);
        }
        closed.quiet = now.after(pause);
        let ack = Some(closed.rcv_nxt);
        Some(Verdict::Answer(Segment { seq: closed.snd_nxt, ack, ..Segment::default() }))
    }
}
