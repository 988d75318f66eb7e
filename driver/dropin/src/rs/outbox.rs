// SPDX-License-Identifier: MIT OR Apache-2.0
//! The send buffer: a ring whose octets leave in order, and are free in order.

/// The ring.
#[derive(Debug)]
pub struct Outbox {
    size: usize,
    /// First free octet.
    at: usize,
    /// Octets that the device may still read.
    used: usize,
}

impl Outbox {
    /// Of so many octets, all free.
    pub fn new(size: usize) -> Self {
        Self { size, at: 0, used: 0 }
    }

    /// Free octets in one piece.
    pub fn room(&self) -> usize {
        (self.size - self.used).min(self.size - self.at)
    }

    /// Whether a reasonable part is free.
    pub fn is_roomy(&self) -> bool {
        self.size - self.used >= (self.size / 2).min(2048)
    }

    /// Takes octets, of which there are as many in one piece: where the first one is.
    pub fn take(&mut self, octets: usize) -> usize {
        let at = self.at;
        self.used += octets;
        self.at = (at + octets) % self.size;
        at
    }

    /// The oldest octets have left.
    pub fn left(&mut self, octets: usize) {
        self.used -= octets.min(self.used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_taken_in_pieces_and_free_when_they_have_left() {
        let mut outbox = Outbox::new(100);
        assert_eq!((outbox.take(70), outbox.room()), (0, 30));
        assert_eq!((outbox.take(30), outbox.room(), outbox.is_roomy()), (70, 0, false));
        outbox.left(70);
        assert_eq!((outbox.room(), outbox.is_roomy()), (70, true));
        assert_eq!((outbox.take(60), outbox.room()), (0, 10));
    }
}
