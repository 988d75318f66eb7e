// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a link is up: a function of simulated time, the same for both ends.
use super::flaps::{Drawn, Flaps};
use std::collections::BTreeMap;

/// The states of a link over time, which is in picoseconds. A link is up until something else is
/// said.
#[derive(Debug, Clone, Default)]
pub(super) struct Carrier {
    /// What the link is from each of these times on.
    changes: BTreeMap<u64, bool>,
    /// Who draws further changes, as far as somebody asks.
    drawn: Option<Drawn>,
}

impl Carrier {
    /// The link is up, or down, from `at_ps` until the next change.
    pub(super) fn set(&mut self, at_ps: u64, is_up: bool) {
        self.changes.insert(at_ps, is_up);
    }

    /// The link goes down and comes up by itself from `at_ps` on.
    pub(super) fn flap(&mut self, at_ps: u64, flaps: &Flaps) {
        self.drawn = Some(Drawn::new(at_ps, flaps));
    }

    /// Since when the link is up at `at_ps`; none while the link is down.
    pub(super) fn up_since(&mut self, at_ps: u64) -> Option<u64> {
        self.reach(at_ps);
        if self.changes.is_empty() {
            return Some(0);
        }
        let mut since = 0;
        for (&change_ps, &is_up) in self.changes.range(..=at_ps).rev() {
            if !is_up {
                return (since > 0).then_some(since);
            }
            since = change_ps;
        }
        Some(0)
    }

    /// The link is up from the first of these times to the second one.
    pub(super) fn holds(&mut self, from_ps: u64, to_ps: u64) -> bool {
        self.up_since(to_ps).is_some_and(|since| since <= from_ps)
    }

    /// The first time behind `at_ps` at which the link may change.
    pub(super) fn next_change(&mut self, at_ps: u64) -> Option<u64> {
        self.reach(at_ps);
        let known = self.changes.range(at_ps + 1..).next().map(|(&change_ps, _)| change_ps);
        known.into_iter().chain(self.drawn.as_ref().map(Drawn::next_ps)).min()
    }

    /// How often the link went down by `at_ps`.
    pub(super) fn downs(&mut self, at_ps: u64) -> u64 {
        self.reach(at_ps);
        let states = self.changes.range(..=at_ps).map(|(_, &is_up)| is_up);
        states.fold((0, true), |(downs, was_up), is_up| (downs + u64::from(was_up && !is_up), is_up)).0
    }

    /// All changes up to `at_ps` are known.
    fn reach(&mut self, at_ps: u64) {
        let Some(drawn) = &mut self.drawn else { return };
        while drawn.next_ps() <= at_ps {
            self.changes.extend(drawn.draw());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_what_was_said_last() {
        let mut carrier = Carrier::default();
        assert_eq!((carrier.up_since(7), carrier.next_change(0), carrier.downs(9)), (Some(0), None, 0));
        for (at_ps, is_up) in [(100, false), (150, false), (200, true), (250, true), (300, false)] {
            carrier.set(at_ps, is_up);
        }
        let since = [99, 100, 199, 200, 260, 299, 300].map(|at_ps| carrier.up_since(at_ps));
        assert_eq!(since, [Some(0), None, None, Some(200), Some(200), Some(200), None]);
        assert_eq!([0, 99, 100, 250, 300].map(|at_ps| carrier.downs(at_ps)), [0, 0, 1, 1, 2]);
        assert_eq!(
            [0, 100, 299, 300].map(|at_ps| carrier.next_change(at_ps)),
            [Some(100), Some(150), Some(300), None]
        );
        assert!(carrier.holds(10, 99) && carrier.holds(200, 299));
        assert!(!carrier.holds(99, 100) && !carrier.holds(99, 210) && !carrier.holds(150, 160));
    }

    #[test]
    fn flaps_are_the_same_in_whatever_order_times_are_asked_for() {
        let flaps: Flaps = "every=50,down=1-20,seed=3".parse().unwrap();
        let of = |order: &mut dyn Iterator<Item = u64>| {
            let mut carrier = Carrier::default();
            carrier.flap(1_000, &flaps);
            let mut seen: Vec<_> = order.map(|us| (us, carrier.up_since(us * 1_000_000))).collect();
            seen.sort_unstable();
            (seen, carrier.downs(1_000_000_000))
        };
        let (seen, downs) = of(&mut (0..1_000));
        assert_eq!(of(&mut (0..1_000).rev()), (seen.clone(), downs));
        let down = seen.iter().filter(|(_, since)| since.is_none()).count();
        assert!((10..30).contains(&downs) && (20..400).contains(&down), "{downs} flaps, {down} us down");
    }
}
