// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which pages of this process a device sees, and where: the page-interval map of the
//! architecture's D5.
//!
//! A span is an interval of pages at one place of the device's addresses, with its users. Memory
//! that lies inside of the pages of one of them, with the same rights, shares the span, so that
//! regions may nest and a page is pinned once; other memory gets a span of its own, also where it
//! overlaps one. Pages of a span that no user has any more are never shared: the system may have
//! put other ones at their addresses since. A span goes with its last user. Addresses of the device
//! come again when all others were given, and at least a page between two spans belongs to nobody.
use crate::dma::PAGE;
use std::collections::BTreeMap;

/// First address that is given, so that small numbers are refused.
const FIRST_IOVA: u64 = 0x10_0000;

/// Pages, and where the device finds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// Address of the first octet for the device.
    pub(super) iova: u64,
    /// Address of the first octet in this process.
    pub(super) address: u64,
    /// Octets, whole pages.
    pub(super) octets: u64,
    /// The device may write them.
    pub(super) writable: bool,
}

impl Span {
    fn covers(&self, pages: &Span) -> bool {
        let inside = self.address <= pages.address && pages.end() <= self.end();
        inside && self.writable == pages.writable
    }

    /// Addresses for the device, first and last, with the page behind that belongs to the span.
    fn with_page_behind(&self) -> (u64, u64) {
        (self.iova, self.iova + self.octets + PAGE as u64 - 1)
    }

    /// Address in this process behind the last octet. Only sums that fit are made to spans.
    fn end(&self) -> u64 {
        self.address + self.octets
    }
}

/// No addresses are left, in this process or for the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UsedUp;

/// What a memory was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    /// Where the device finds its first octet.
    pub(super) iova: u64,
    /// The span that has to be made visible first; none if there was one already.
    pub(super) fresh: Option<Span>,
}

/// A memory inside of a span.
#[derive(Debug)]
struct User<M> {
    /// Where the device finds its first octet.
    iova: u64,
    /// Its own pages.
    pages: Span,
    keeps: M,
}

/// A span with who uses it.
#[derive(Debug)]
struct Shared<M> {
    span: Span,
    users: Vec<User<M>>,
    /// It was taken from the device before its last user went.
    is_away: bool,
}

/// The map. `M` is what keeps memory alive while the device sees it.
#[derive(Debug)]
pub(super) struct Spans<M> {
    next: u64,
    /// Addresses that cannot be used, first and last.
    reserved: Vec<(u64, u64)>,
    /// By the address for the device.
    spans: BTreeMap<u64, Shared<M>>,
    /// Spans that the device does not see yet, by their addresses.
    hidden: Vec<u64>,
    /// What the device may still see though nobody uses it.
    kept: Vec<M>,
}

impl<M> Spans<M> {
    pub(super) fn new(reserved: Vec<(u64, u64)>) -> Self {
        Self { next: FIRST_IOVA, reserved, spans: BTreeMap::new(), hidden: vec![], kept: vec![] }
    }

    /// Gives `octets` octets of this process from `address` on a place.
    pub(super) fn place(
        &mut self,
        address: u64,
        octets: u64,
        writable: bool,
        user: M,
    ) -> Result<Placed, UsedUp> {
        let page = PAGE as u64;
        let start = address / page * page;
        let end =
            address.checked_add(octets).and_then(|end| end.checked_next_multiple_of(page)).ok_or(UsedUp)?;
        let wanted = Span { iova: 0, address: start, octets: end - start, writable };
        let shares = |users: &[User<M>]| users.iter().any(|user| user.pages.covers(&wanted));
        let is_seen = |shared: &Shared<M>| !shared.is_away && !self.hidden.contains(&shared.span.iova);
        let found = self.spans.values().find(|shared| is_seen(shared) && shares(&shared.users));
        let found = found.map(|shared| shared.span);
        let (span, fresh) = match found {
            Some(span) => (span, None),
            None => {
                let span = Span { iova: self.room(wanted.octets)?, ..wanted };
                self.next = span.iova + span.octets + page;
                (span, Some(span))
            }
        };
        let iova = span.iova + (address - span.address);
        let pages = Span { iova: span.iova + (start - span.address), ..wanted };
        let first = || Shared { span, users: vec![], is_away: false };
        self.spans.entry(span.iova).or_insert_with(first).users.push(User { iova, pages, keeps: user });
        Ok(Placed { iova, fresh })
    }

    /// A place that is free for this many octets, with room for the next page behind it: from
    /// `next` on, or, if nothing is left there, the first of those that came back.
    fn room(&self, octets: u64) -> Result<u64, UsedUp> {
        self.free(self.next, octets).or_else(|| self.free(FIRST_IOVA, octets)).ok_or(UsedUp)
    }

    /// The first place from an address on.
    fn free(&self, from: u64, octets: u64) -> Option<u64> {
        let page = PAGE as u64;
        let mut at = from;
        loop {
            let end = at.checked_add(octets)?.checked_add(page)?;
            // a span has a page behind it that belongs to it
            let before = self.spans.range(..end).next_back().map(|(_, s)| s.span.iova + s.span.octets + page);
            if let Some((_, last)) = self.reserved.iter().find(|(first, last)| *first < end && at <= *last) {
                at = last.checked_add(1)?.checked_next_multiple_of(page)?;
            } else if let Some(behind) = before.filter(|behind| *behind > at) {
                at = behind;
            } else {
                return Some(at);
            }
        }
    }

    /// Takes a place back: who used it, and the span that nobody uses any more. Of several memories
    /// that begin at the same octet it is not known which one goes. The longest one is taken for
    /// it, so that nothing is shared that may be gone.
    pub(super) fn release(&mut self, iova: u64) -> Option<(M, Option<Span>)> {
        let (&start, Shared { span, users, is_away }) = self.spans.range_mut(..=iova).next_back()?;
        let here = users.iter().enumerate().filter(|(_, user)| user.iova == iova);
        let (nth, _) = here.max_by_key(|(_, user)| user.pages.octets)?;
        let (span, user, is_away) = (*span, users.remove(nth), *is_away);
        let last = users.is_empty();
        if last {
            self.spans.remove(&start);
        }
        Some((user.keeps, (last && !is_away).then_some(span)))
    }

    /// As [`Spans::release`] for a device of which nobody knows what it still writes: the span goes
    /// with its first user, whoever else has it. None if it has gone already.
    pub(super) fn cut(&mut self, iova: u64) -> Option<(M, Option<Span>)> {
        let (_, shared) = self.spans.range_mut(..=iova).next_back()?;
        let (span, was_away) = (shared.span, shared.is_away);
        let (user, _) = self.release(iova)?;
        self.mark(&span, true);
        Some((user, (!was_away).then_some(span)))
    }

    /// The device did not give up a span that was cut.
    pub(super) fn keeps_on(&mut self, span: &Span) {
        self.mark(span, false);
    }

    fn mark(&mut self, span: &Span, is_away: bool) {
        if let Some(shared) = self.spans.get_mut(&span.iova) {
            shared.is_away = is_away;
        }
    }

    /// The device does not see a fresh span yet: no other memory shares it.
    pub(super) fn hide(&mut self, span: &Span) {
        self.hidden.push(span.iova);
    }

    /// The device sees a span that was hidden.
    pub(super) fn show(&mut self, span: &Span) {
        self.hidden.retain(|iova| *iova != span.iova);
    }

    /// The device may still see a span that was released: its addresses are not given meanwhile.
    pub(super) fn hold(&mut self, span: &Span) {
        self.reserved.push(span.with_page_behind());
    }

    /// The end of [`Spans::hold`].
    pub(super) fn let_go(&mut self, span: &Span) {
        let place = self.reserved.iter().position(|range| *range == span.with_page_behind());
        place.map(|nth| self.reserved.swap_remove(nth));
    }

    /// A memory whose span could not be taken away: it is kept alive as long as the map, and the
    /// span's addresses do not come again.
    pub(super) fn keep(&mut self, user: M, span: &Span) {
        self.kept.push(user);
        self.reserved.push(span.with_page_behind());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const P: u64 = PAGE as u64;

    #[test]
    fn nested_memory_shares_a_span_and_the_last_user_frees_it() {
        let mut spans = Spans::new(vec![]);
        let outer = spans.place(10 * P + 5, 4 * P, true, 'a').unwrap();
        let span = outer.fresh.unwrap();
        assert_eq!((span.address, span.octets, outer.iova - span.iova), (10 * P, 5 * P, 5));
        let inner = spans.place(12 * P, 100, true, 'b').unwrap();
        assert_eq!((inner.fresh, inner.iova), (None, span.iova + 2 * P));
        // the same octets again have the same place
        assert_eq!(spans.place(12 * P, 50, true, 'c').unwrap().iova, inner.iova);
        assert_eq!(spans.release(outer.iova), Some(('a', None)));
        assert_eq!(spans.release(outer.iova), None);
        assert_eq!(spans.release(inner.iova), Some(('c', None)));
        assert_eq!(spans.release(inner.iova), Some(('b', Some(span))));
    }

    #[test]
    fn a_span_that_is_cut_goes_with_its_first_user() {
        let mut spans = Spans::new(vec![]);
        let all = [(10 * P, 'a'), (10 * P + 50, 'b'), (10 * P + 90, 'c')];
        let [a, b, c] = all.map(|(at, user)| spans.place(at, 10, true, user).unwrap());
        assert_eq!((b.fresh, c.fresh), (None, None));
        assert_eq!(spans.cut(b.iova), Some(('b', a.fresh)));
        assert_ne!(spans.place(10 * P, 10, true, 'd').unwrap().fresh, None, "pages that are away are shared");
        assert_eq!(spans.cut(c.iova), Some(('c', None)));
        spans.keeps_on(&a.fresh.unwrap());
        assert_eq!(spans.cut(a.iova), Some(('a', a.fresh)), "it was not given up before");
        assert_eq!(spans.cut(a.iova), None);
    }

    #[test]
    fn pages_whose_user_is_gone_are_not_shared() {
        let mut spans = Spans::new(vec![]);
        let whole = spans.place(10 * P, 10 * P, true, 'a').unwrap();
        let part = spans.place(12 * P, P, true, 'b').unwrap();
        spans.release(whole.iova).unwrap();
        // the system may have given these addresses other pages since, but for that of `b`
        let again = spans.place(10 * P, 10 * P, true, 'c').unwrap();
        assert_ne!(again.fresh.unwrap().iova, whole.iova);
        assert_eq!(spans.place(12 * P + 7, 9, true, 'd').unwrap().iova, part.iova + 7);
        spans.release(part.iova).unwrap();
        assert_eq!(spans.release(part.iova + 7), Some(('d', whole.fresh)), "its last user takes a span away");
    }

    #[test]
    fn of_memories_that_begin_alike_the_longest_one_counts_as_gone() {
        let mut spans = Spans::new(vec![]);
        let long = spans.place(10 * P, 4 * P, true, ()).unwrap();
        assert_eq!(spans.place(10 * P, P, true, ()).unwrap(), Placed { iova: long.iova, fresh: None });
        assert_eq!(spans.release(long.iova), Some(((), None)));
        assert_eq!(spans.place(10 * P, P, true, ()).unwrap().iova, long.iova);
        assert_ne!(spans.place(10 * P, 2 * P, true, ()).unwrap().iova, long.iova);
    }

    #[test]
    fn other_rights_and_overlaps_get_pages_of_their_own() {
        let mut spans = Spans::new(vec![]);
        let writable = spans.place(10 * P, 2 * P, true, ()).unwrap();
        let readable = spans.place(10 * P, 2 * P, false, ()).unwrap();
        let across = spans.place(11 * P, 2 * P, true, ()).unwrap();
        let all = [writable, readable, across].map(|placed| placed.fresh.unwrap());
        assert_eq!(all.map(|span| span.writable), [true, false, true]);
        for pair in all.windows(2) {
            assert!(pair[1].iova >= pair[0].iova + pair[0].octets + P);
        }
    }

    #[test]
    fn addresses_that_the_iommu_keeps_are_passed_over() {
        let mut spans =
            Spans::new(vec![(FIRST_IOVA + P, FIRST_IOVA + 4 * P - 1), (FIRST_IOVA + 9 * P, u64::MAX)]);
        let first = spans.place(0, P, true, ()).unwrap().iova;
        assert_eq!(first, FIRST_IOVA + 4 * P, "a page behind it is free, too");
        spans.release(first).unwrap();
        assert_eq!(spans.place(0, P, true, ()).unwrap().iova, first + 2 * P);
        assert_eq!(spans.place(0, 3 * P, true, ()), Err(UsedUp));
        assert_eq!(spans.place(u64::MAX - 5, 100, true, ()), Err(UsedUp));
    }

    #[test]
    fn addresses_come_again_when_there_are_no_others() {
        // room for four spans of a page
        let mut spans = Spans::new(vec![(FIRST_IOVA + 8 * P, u64::MAX)]);
        let mut all: Vec<_> = (0..4).map(|n| spans.place(2 * n * P, P, true, ()).unwrap()).collect();
        assert_eq!(spans.place(100 * P, P, true, ()), Err(UsedUp));
        for nth in [2, 0] {
            let gone = all.swap_remove(nth);
            assert_eq!(spans.release(gone.iova), Some(((), gone.fresh)));
            let again = spans.place(100 * P + 2 * nth as u64 * P, P, true, ()).unwrap();
            assert_eq!((again.iova, again.fresh.is_some()), (gone.iova, true));
            assert_eq!(spans.place(200 * P, P, true, ()), Err(UsedUp));
        }
        // two that are neighbours have room for three pages
        let mut spans = Spans::new(vec![(FIRST_IOVA + 8 * P, u64::MAX)]);
        let all: Vec<_> = (0..4).map(|n| spans.place(2 * n * P, P, true, ()).unwrap()).collect();
        all[1..3].iter().for_each(|placed| assert!(spans.release(placed.iova).is_some()));
        assert_eq!(spans.place(0, 4 * P, true, ()), Err(UsedUp));
        assert_eq!(spans.place(50 * P, 3 * P, true, ()).unwrap().iova, all[1].iova);
        // one that could not be taken away stays
        let (_, span) = spans.release(all[3].iova).unwrap();
        spans.keep((), &span.unwrap());
        assert_eq!(spans.place(50 * P, P, true, ()).unwrap().fresh, None);
        assert_eq!(spans.place(70 * P, P, true, ()), Err(UsedUp));
    }

    proptest! {
        /// Whatever is placed and released: every memory is inside a visible span with its rights,
        /// at its own octets, on pages that nobody gave up in between, and spans do not touch.
        #[test]
        fn every_user_sees_its_own_octets(
            steps in prop::collection::vec((0_u64..40 * P, 1_u64..6 * P, any::<bool>(), any::<bool>()), 1..80)
        ) {
            // so few that they come again
            let reserved = vec![(FIRST_IOVA + 50 * P, FIRST_IOVA + 60 * P), (FIRST_IOVA + 200 * P, u64::MAX)];
            let mut spans = Spans::new(reserved);
            let mut visible: BTreeMap<u64, Span> = BTreeMap::new();
            let mut users: Vec<(u64, u64, u64, bool)> = vec![];
            for (address, octets, writable, releases) in steps {
                if releases && !users.is_empty() {
                    let (iova, ..) = users.swap_remove(address as usize % users.len());
                    let (_, gone) = spans.release(iova).unwrap();
                    if let Some(span) = gone {
                        prop_assert_eq!(visible.remove(&span.iova), Some(span));
                    }
                } else {
                    let Ok(placed) = spans.place(address, octets, writable, ()) else { continue };
                    let page = |n: u64| n / P;
                    let lives = users.iter().any(|&(_, at, len, rights)| {
                        let inside = page(at) <= page(address) && page(address + octets - 1) <= page(at + len - 1);
                        inside && rights == writable
                    });
                    prop_assert!(placed.fresh.is_some() || lives, "only what somebody has is shared");
                    visible.extend(placed.fresh.map(|span| (span.iova, span)));
                    users.push((placed.iova, address, octets, writable));
                }
                for &(iova, address, octets, writable) in &users {
                    let (_, span) = visible.range(..=iova).next_back().unwrap();
                    prop_assert_eq!(iova - span.iova, address - span.address);
                    prop_assert!(address + octets <= span.end() && span.writable == writable);
                }
                let all: Vec<_> = visible.values().collect();
                prop_assert!(all.windows(2).all(|p| p[0].iova + p[0].octets + P <= p[1].iova));
            }
            for (iova, ..) in users.drain(..) {
                prop_assert!(spans.release(iova).is_some());
            }
            prop_assert!(spans.spans.is_empty());
        }
    }
}
