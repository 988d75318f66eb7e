// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places of a queue, counted where they are promised.
use crate::prelude::*;

/// Counts the places of a queue from the decision that an item will need one, long before the item
/// comes, until the item is taken from the queue. So nothing ever waits in front of the queue.
///
/// Transfers of two channels in, a level out. `N` bits count the places.
#[block(clock)]
pub struct Credit<const N: usize> {
    /// Synchronous reset: all places are free.
    pub reset: Signal<In, Bit>,
    /// What will need a place is offered.
    pub take_valid: Signal<In, Bit>,
    /// A place is promised; with `take_valid`, only while `some` was high.
    pub take_ready: Signal<In, Bit>,
    /// The queue offers an item.
    pub free_valid: Signal<In, Bit>,
    /// The item is taken; with `free_valid`.
    pub free_ready: Signal<In, Bit>,
    /// Pulse: a place has become free.
    pub freed: Signal<Out, Bit>,
    /// More places than the margin are free; from a register.
    pub some: Signal<Out, Bit>,
    places: Reg<Bits<N>>,
    margin: Const<Bits<N>>,
}

impl<const N: usize> Credit<N> {
    /// All `places` are free. `margin` of them are for items that are promised a place before the
    /// change of `some` is seen.
    pub fn new(places: usize, margin: usize) -> Self {
        assert!(margin < places && places < 1 << N, "{places} places, {margin} as a margin, {N} bits");
        Self { places: Reg::new((places as u64).into()), margin: Const::of(margin), ..Default::default() }
    }
}

#[kernel]
impl<const N: usize> Logic for Credit<N> {
    fn update(&mut self) {
        regs!(places);
        let takes: Bit = self.take_valid.val() && self.take_ready.val();
        let frees: Bit = self.free_valid.val() && self.free_ready.val();
        if takes && !frees {
            self.places.d.next = self.places.q.val() - 1;
        } else if frees && !takes {
            self.places.d.next = self.places.q.val() + 1;
        }
        self.freed.next = frees;
        self.some.next = self.places.q.val() > self.margin.val();
    }
}

#[cfg(test)]
mod tests {
    use super::Credit;
    use crate::prelude::*;

    /// One cycle; `some` and `freed` before its edge.
    fn cycle(c: &mut Credit<3>, reset: bool, take: (bool, bool), free: (bool, bool)) -> (bool, bool) {
        c.reset.next = reset;
        (c.take_valid.next, c.take_ready.next) = take;
        (c.free_valid.next, c.free_ready.next) = free;
        assert!(simulate(c, 50));
        let seen = (c.some.val(), c.freed.val());
        c.clock.next = true.into();
        assert!(simulate(c, 50));
        c.clock.next = false.into();
        assert!(simulate(c, 50));
        seen
    }

    #[test]
    fn a_margin_stays_when_some_falls_and_places_come_back() {
        let (yes, no, offer, wait) = ((true, true), (false, false), (true, false), (false, true));
        let mut c = Credit::<3>::new(4, 2);
        c.connect_all();
        cycle(&mut c, true, no, no);
        // two of four places are above the margin; an offer alone and a wait alone count nothing
        assert_eq!(cycle(&mut c, false, yes, offer), (true, false));
        assert_eq!(cycle(&mut c, false, offer, wait), (true, false));
        assert_eq!(cycle(&mut c, false, wait, no), (true, false));
        assert_eq!(cycle(&mut c, false, yes, no), (true, false));
        // a place that goes while one comes leaves the count
        assert_eq!(cycle(&mut c, false, yes, yes), (false, true));
        assert_eq!(cycle(&mut c, false, no, yes), (false, true));
        assert_eq!(cycle(&mut c, false, no, no), (true, false));
    }

    #[test]
    #[should_panic(expected = "4 places, 4 as a margin")]
    fn a_margin_leaves_a_place() {
        Credit::<3>::new(4, 4);
    }
}
