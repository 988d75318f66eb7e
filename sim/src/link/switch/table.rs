// SPDX-License-Identifier: MIT OR Apache-2.0
//! The addresses that a switch has learned.
use std::collections::HashMap;

/// A learned address.
#[derive(Debug, Clone, Copy)]
struct Place {
    port: usize,
    /// When a frame of it last came, in picoseconds.
    seen_ps: u64,
}

/// Which port each station is behind, by VID and address.
#[derive(Debug)]
pub(super) struct Table {
    places: HashMap<(u16, [u8; 6]), Place>,
    aging_ps: u64,
    most: usize,
}

impl Table {
    /// Room for `most` addresses; one is forgotten when no frame of it has come for `aging_ps`.
    pub(super) fn new(aging_ps: u64, most: usize) -> Self {
        Self { places: HashMap::new(), aging_ps, most }
    }

    /// A frame of `address` came at `port`. A full table forgets old addresses only.
    pub(super) fn learn(&mut self, vid: u16, address: [u8; 6], port: usize, now_ps: u64) {
        let (key, place) = ((vid, address), Place { port, seen_ps: now_ps });
        if !self.places.contains_key(&key) && self.places.len() >= self.most {
            let aging_ps = self.aging_ps;
            self.places.retain(|_, place| place.is_young(now_ps, aging_ps));
        }
        if self.places.contains_key(&key) || self.places.len() < self.most {
            self.places.insert(key, place);
        }
    }

    /// The port of `address`, if it is known.
    pub(super) fn port(&self, vid: u16, address: [u8; 6], now_ps: u64) -> Option<usize> {
        let place = self.places.get(&(vid, address))?;
        place.is_young(now_ps, self.aging_ps).then_some(place.port)
    }
}

impl Place {
    fn is_young(&self, now_ps: u64, aging_ps: u64) -> bool {
        now_ps.saturating_sub(self.seen_ps) < aging_ps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_known_in_its_vlan_until_it_is_old_and_moves_with_its_station() {
        let mut table = Table::new(100, 8);
        table.learn(1, [2; 6], 3, 50);
        assert_eq!(table.port(1, [2; 6], 149), Some(3));
        assert_eq!(table.port(2, [2; 6], 149), None);
        assert_eq!(table.port(1, [2; 6], 150), None);
        table.learn(1, [2; 6], 5, 150);
        assert_eq!(table.port(1, [2; 6], 249), Some(5));
    }

    #[test]
    fn a_full_table_learns_nothing_before_an_address_is_old() {
        let mut table = Table::new(100, 2);
        (1..=3).for_each(|n| table.learn(1, [2 * n; 6], n.into(), 10 * u64::from(n)));
        assert_eq!([2, 4, 6].map(|n| table.port(1, [n; 6], 40)), [Some(1), Some(2), None]);
        // a known one still moves
        table.learn(1, [2; 6], 7, 41);
        // the second one is old by now
        table.learn(1, [6; 6], 3, 120);
        assert_eq!([2, 4, 6].map(|n| table.port(1, [n; 6], 121)), [Some(7), None, Some(3)]);
    }
}
