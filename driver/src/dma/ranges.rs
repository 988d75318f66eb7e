// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which octets of a file are in use: the first place that is large enough is given, and neighbours
//! that come back are one place.
use std::collections::BTreeMap;

/// The map of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges {
    /// Places that came back, first octet and octets. None touches another one, nor the end.
    free: BTreeMap<u64, u64>,
    /// Octets up to the last one in use.
    end: u64,
}

impl Ranges {
    /// The first of so many octets; none if no file is so long.
    pub(super) fn take(&mut self, octets: u64) -> Option<u64> {
        let found = self.free.iter().find(|(_, free)| **free >= octets).map(|(at, free)| (*at, *free));
        let Some((at, free)) = found else {
            let at = self.end;
            self.end = at.checked_add(octets).filter(|&end| i64::try_from(end).is_ok())?;
            return Some(at);
        };
        self.free.remove(&at);
        if free > octets {
            self.free.insert(at + octets, free - octets);
        }
        Some(at)
    }

    /// Octets that `take` gave come back.
    pub(super) fn give(&mut self, at: u64, octets: u64) {
        let (mut first, mut behind) = (at, at + octets);
        if let Some(free) = self.free.remove(&behind) {
            behind += free;
        }
        let left = self.free.range(..at).next_back().map(|(at, free)| (*at, *free));
        if let Some((place, _)) = left.filter(|(place, free)| place + free == at) {
            self.free.remove(&place);
            first = place;
        }
        if behind == self.end {
            self.end = first;
        } else {
            self.free.insert(first, behind - first);
        }
    }

    /// Octets that a file must have for what is in use.
    pub(super) fn end(&self) -> u64 {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_place_that_is_large_enough_is_given() {
        let mut ranges = Ranges::default();
        assert_eq!([2, 5, 1, 3, 1].map(|octets| ranges.take(octets).unwrap()), [0, 2, 7, 8, 11]);
        ranges.give(2, 5);
        ranges.give(8, 3);
        assert_eq!(ranges.take(6), Some(12), "no place has six");
        assert_eq!([3, 3, 2].map(|octets| ranges.take(octets).unwrap()), [2, 8, 5]);
        assert_eq!(ranges.take(1), Some(18));
    }

    #[test]
    fn neighbours_that_come_back_are_one_place() {
        let mut ranges = Ranges::default();
        let places = [(0, 4), (4, 4), (8, 4), (12, 4)];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            places.iter().for_each(|(at, octets)| assert_eq!(ranges.take(*octets), Some(*at)));
            order.iter().for_each(|nth| ranges.give(places[*nth].0, places[*nth].1));
            assert_eq!(ranges.take(12), Some(0), "{order:?}");
            ranges.give(0, 12);
            ranges.give(12, 4);
            assert_eq!(ranges, Ranges::default());
        }
    }

    #[test]
    fn what_no_file_holds_is_refused() {
        let mut ranges = Ranges::default();
        let most = i64::MAX as u64;
        assert_eq!((ranges.take(most + 1), ranges.take(u64::MAX)), (None, None));
        assert_eq!((ranges.take(most), ranges.take(1)), (Some(0), None));
        ranges.give(0, most);
        assert_eq!(ranges.take(1), Some(0));
    }

    /// The first place of a file of so many octets, each of which knows whether it is in use.
    fn plain(file: &[bool], octets: usize) -> Option<usize> {
        file.windows(octets).position(|place| !place.contains(&true))
    }

    proptest! {
        /// Whatever is taken and given: places are those of a plain model, and all of them come
        /// back.
        #[test]
        fn places_are_those_of_a_plain_model(
            steps in prop::collection::vec((1_usize..12, any::<bool>(), any::<usize>()), 1..120)
        ) {
            let mut ranges = Ranges::default();
            let mut file = [false; 2000];
            let mut taken: Vec<(usize, usize)> = vec![];
            for (octets, gives, which) in steps {
                if gives && !taken.is_empty() {
                    let (at, octets) = taken.swap_remove(which % taken.len());
                    ranges.give(at as u64, octets as u64);
                    file[at..at + octets].fill(false);
                } else {
                    let at = plain(&file, octets).unwrap();
                    prop_assert_eq!(ranges.take(octets as u64), Some(at as u64));
                    file[at..at + octets].fill(true);
                    taken.push((at, octets));
                }
                let used = file.iter().rposition(|used| *used).map_or(0, |last| last + 1);
                prop_assert_eq!(ranges.end(), used as u64);
            }
            for (at, octets) in taken.drain(..) {
                ranges.give(at as u64, octets as u64);
            }
            prop_assert_eq!(ranges, Ranges::default());
        }
    }
}
