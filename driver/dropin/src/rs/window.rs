// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the peer has room for: words of data by their number, and octets by places of its buffer.
use super::wire::{Place, BAD, PLACES};
use crate::errno::Errno;
use std::collections::VecDeque;

/// Room of the peer.
#[derive(Debug)]
pub struct Window {
    /// Number of the next word of data.
    next: u16,
    /// Number of the first word that may not be sent.
    limit: u16,
    /// Most words under way: as many as the peer began with.
    most: u16,
    /// Buffers of the peer, the one in use first.
    places: VecDeque<Place>,
}

impl Window {
    /// As the peer's greeting says.
    pub fn new(credits: u16, buffer: Place) -> Self {
        let places = VecDeque::from_iter(Some(buffer).filter(|place| place.len > 0));
        Self { next: 0, limit: credits, most: credits, places }
    }

    /// Whether one word of data more may be sent.
    pub fn has_credit(&self) -> bool {
        self.next != self.limit
    }

    /// A word of data is sent.
    pub fn spend(&mut self) {
        self.next = self.next.wrapping_add(1);
    }

    /// The peer's new limit. EPROTO: it lies behind the old one, or beyond what the peer can hold.
    pub fn extend(&mut self, limit: u16) -> Result<(), Errno> {
        let (more, ahead) = (limit.wrapping_sub(self.limit), limit.wrapping_sub(self.next));
        if more > self.most || ahead > self.most {
            return Err(BAD);
        }
        self.limit = limit;
        Ok(())
    }

    /// One buffer more. EPROTO: the peer has no more than there are entries of its table.
    pub fn offer(&mut self, place: Place) -> Result<(), Errno> {
        if self.places.len() >= PLACES {
            return Err(BAD);
        }
        self.places.push_back(place);
        Ok(())
    }

    /// Octets that fit into the buffer in use.
    pub fn octets(&self) -> usize {
        self.places.front().map_or(0, |place| place.len as usize)
    }

    /// The place of the next `octets` octets, which fit, and which no one gets again.
    pub fn take(&mut self, octets: usize) -> Option<Place> {
        let place = self.places.front_mut()?;
        let (taken, len) = (*place, u32::try_from(octets).ok()?);
        place.len = place.len.checked_sub(len)?;
        place.to = place.to.wrapping_add(u64::from(len));
        if place.len == 0 {
            self.places.pop_front();
        }
        Some(Place { len, ..taken })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFER: Place = Place { to: 1000, key: 7, len: 100 };

    #[test]
    fn credits_end_and_are_given_again_across_the_end_of_16_bits() {
        let mut window = Window::new(3, BUFFER);
        for round in 0..30_000_u32 {
            (0..3).for_each(|_| {
                assert!(window.has_credit());
                window.spend();
            });
            assert!(!window.has_credit());
            assert_eq!(window.extend((3 * (round + 2)) as u16), Ok(()));
        }
    }

    #[test]
    fn credits_that_go_back_or_beyond_the_peers_queue_are_eproto() {
        let mut window = Window::new(8, BUFFER);
        window.spend();
        assert_eq!([window.extend(7), window.extend(10)], [Err(BAD); 2]);
        assert_eq!([window.extend(9), window.extend(9), window.extend(8)], [Ok(()), Ok(()), Err(BAD)]);
    }

    #[test]
    fn buffers_are_used_to_their_end_in_order() {
        let mut window = Window::new(8, BUFFER);
        assert_eq!(window.offer(Place { to: 5000, ..BUFFER }), Ok(()));
        assert_eq!(window.offer(BUFFER), Err(BAD), "no third buffer");
        assert_eq!(window.take(60), Some(Place { len: 60, ..BUFFER }));
        assert_eq!((window.octets(), window.take(41)), (40, None));
        assert_eq!(window.take(40), Some(Place { to: 1060, len: 40, ..BUFFER }));
        assert_eq!(window.take(1).map(|place| place.to), Some(5000));
    }
}
