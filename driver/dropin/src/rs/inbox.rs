// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the peer has written: the ring of the receive buffer, its words of data, and what the peer
//! is to be told of room.
use super::wire::BAD;
use crate::errno::Errno;
use std::collections::VecDeque;

/// A receive buffer of two halves, each of which is on offer to the peer, or used.
#[derive(Debug)]
pub struct Inbox {
    half: usize,
    /// Words of data that the peer may have under way.
    depth: u16,
    /// Octet that is read next.
    at: usize,
    /// Octets of words that were not read whole.
    words: VecDeque<usize>,
    /// Octets that were not read.
    unread: usize,
    /// Octets that the peer may write.
    offered: usize,
    /// Octets that were read and are not on offer.
    free: usize,
    /// First octet of the half that is offered next.
    next: usize,
    /// Number of words that were read.
    read: u16,
    /// The same, when the peer was told last.
    told: u16,
}

/// What the peer is to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// First octet of a half that is on offer from now on.
    pub half: Option<usize>,
    /// Number of the first word of data that may not be sent.
    pub limit: u16,
}

impl Inbox {
    /// Of two halves of `half` octets, the first of which is on offer.
    pub fn new(half: usize, depth: u16) -> Self {
        let (at, words, unread, read, told) = Default::default();
        Self { half, depth, at, words, unread, offered: half, free: half, next: half, read, told }
    }

    /// A word of data came. EPROTO: the peer had no credit, or no room for the octets.
    pub fn arrived(&mut self, octets: usize) -> Result<(), Errno> {
        if octets > self.offered || self.words.len() >= usize::from(self.depth) {
            return Err(BAD);
        }
        if octets == 0 {
            self.spent();
            return Ok(());
        }
        self.offered -= octets;
        self.unread += octets;
        self.words.push_back(octets);
        Ok(())
    }

    /// A word that needed a credit is done with.
    pub fn spent(&mut self) {
        self.read = self.read.wrapping_add(1);
    }

    /// Octets that were not read.
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// Where the next octets are, up to `most` of those `ahead` of the reader: first octet and
    /// count; none of what is there.
    pub fn piece(&self, ahead: usize, most: usize) -> (usize, usize) {
        let at = (self.at + ahead) % (2 * self.half);
        (at, most.min(self.unread.saturating_sub(ahead)).min(2 * self.half - at))
    }

    /// So many octets are read.
    pub fn take(&mut self, octets: usize) {
        let mut left = octets.min(self.unread);
        self.at = (self.at + left) % (2 * self.half);
        self.unread -= left;
        self.free += left;
        while let Some(word) = self.words.front_mut().filter(|_| left > 0) {
            let part = left.min(*word);
            *word -= part;
            left -= part;
            if *word == 0 {
                self.words.pop_front();
                self.spent();
            }
        }
    }

    /// What the peer is to be told now: that a half is free, or half of its credits are back.
    pub fn due(&self) -> Option<Due> {
        let half = Some(self.next).filter(|_| self.free >= self.half);
        let back = self.read.wrapping_sub(self.told);
        let limit = self.read.wrapping_add(self.depth);
        (half.is_some() || back >= (self.depth / 2).max(1)).then_some(Due { half, limit })
    }

    /// The peer is told.
    pub fn told(&mut self, due: Due) {
        self.told = due.limit.wrapping_sub(self.depth);
        if due.half.is_some() {
            self.free -= self.half;
            self.offered += self.half;
            self.next = (self.next + self.half) % (2 * self.half);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_that_was_read_is_offered_again_and_octets_come_in_order_across_the_end() {
        let mut inbox = Inbox::new(100, 8);
        assert_eq!(inbox.due(), Some(Due { half: Some(100), limit: 8 }), "the second half, at first");
        inbox.told(inbox.due().unwrap());
        for first in [100, 60, 40] {
            assert_eq!(inbox.arrived(first), Ok(()));
        }
        assert_eq!(inbox.arrived(1), Err(BAD), "both halves are full");
        assert_eq!((inbox.piece(0, 150), inbox.piece(150, 150)), ((0, 150), (150, 50)));
        inbox.take(150);
        assert_eq!(inbox.due(), Some(Due { half: Some(0), limit: 9 }));
        inbox.told(inbox.due().unwrap());
        assert_eq!((inbox.arrived(30), inbox.unread()), (Ok(()), 80));
        assert_eq!((inbox.piece(0, 80), inbox.piece(50, 80)), ((150, 50), (0, 30)));
    }

    #[test]
    fn credits_go_back_when_half_of_them_are_used() {
        let mut inbox = Inbox::new(1 << 20, 4);
        inbox.told(inbox.due().unwrap());
        for _ in 0..4 {
            assert_eq!(inbox.arrived(1), Ok(()));
        }
        assert_eq!(inbox.arrived(1), Err(BAD), "a fifth word has no credit");
        inbox.take(1);
        assert_eq!(inbox.due(), None);
        inbox.take(1);
        assert_eq!(inbox.due(), Some(Due { half: None, limit: 6 }));
        inbox.told(inbox.due().unwrap());
        assert_eq!(inbox.due(), None);
    }

    #[test]
    fn a_word_without_octets_gives_its_credit_back() {
        let mut inbox = Inbox::new(64, 2);
        inbox.told(inbox.due().unwrap());
        assert_eq!((inbox.arrived(0), inbox.unread()), (Ok(()), 0));
        assert_eq!(inbox.due(), Some(Due { half: None, limit: 3 }));
    }
}
