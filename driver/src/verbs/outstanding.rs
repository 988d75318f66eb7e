//! Work requests that were posted and are not completed. The hardware tells of those that it did; what a queue pair in error
//! leaves is flushed from here.
use super::types::WcOpcode;

/// A work request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posted {
    /// Of the application; nothing for messages of the driver's own.
    pub(crate) wr_id: u64,
    pub(crate) opcode: WcOpcode,
    pub(crate) is_signaled: bool,
    /// A message of the driver's own.
    pub(crate) is_own: bool,
}

/// The requests of one queue, oldest first. Their tags count from 0 for ever, modulo 2^32. Room for all that fit is made
/// once.
#[derive(Debug)]
pub(crate) struct Outstanding {
    /// A power of two of them; the place of a request is its tag modulo that.
    places: Box<[Posted]>,
    /// Tag of the oldest.
    first: u32,
    /// Tag of the next one.
    next: u32,
    most: u32,
    /// Unsignaled ones may be passed over: they retire with a later one.
    skips: bool,
}

/// Why a completion belongs to no request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stray {
    /// No such tag is outstanding.
    Unknown { tag: u64, first: u32, outstanding: u32 },
    /// One that wants a completion of its own would be passed over.
    Skips { tag: u64, first: u32 },
}

impl std::fmt::Display for Stray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown { tag, first, outstanding } => {
                write!(f, "request {tag} is not outstanding; those are {outstanding} from {first} on")
            }
            Self::Skips { tag, first } => write!(f, "request {tag} completes before request {first}"),
        }
    }
}

impl Outstanding {
    pub(crate) fn new(most: u32, skips: bool) -> Self {
        let nothing = Posted { wr_id: 0, opcode: WcOpcode::Send, is_signaled: false, is_own: true };
        let places = vec![nothing; most.next_power_of_two() as usize].into();
        Self { places, first: 0, next: 0, most, skips }
    }

    #[inline(always)]
    fn at(&self, tag: u32) -> &Posted {
        // never empty, and a power of two of them
        &self.places[tag as usize & (self.places.len() - 1)]
    }

    /// How many there are.
    #[inline(always)]
    fn count(&self) -> u32 {
        self.next.wrapping_sub(self.first)
    }

    fn all(&self) -> impl Iterator<Item = &Posted> {
        (0..self.count()).map(|n| self.at(self.first.wrapping_add(n)))
    }

    /// How many it holds.
    pub(crate) fn most(&self) -> u32 {
        self.most
    }

    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.count() >= self.most
    }

    /// Whether one of the application's is there.
    pub(crate) fn has_some(&self) -> bool {
        self.all().any(|posted| !posted.is_own)
    }

    /// Tag of the next request.
    #[inline(always)]
    pub(crate) fn next_tag(&self) -> u64 {
        u64::from(self.next)
    }

    /// Keeps a request; there is room for it.
    #[inline(always)]
    pub(crate) fn push(&mut self, posted: Posted) {
        let at = self.next as usize & (self.places.len() - 1);
        self.places[at] = posted;
        self.next = self.next.wrapping_add(1);
    }

    /// The request of a completion; it and those before it are not outstanding any more.
    #[inline(always)]
    pub(crate) fn complete(&mut self, tag: u64) -> Result<Posted, Stray> {
        let (first, count) = (self.first, self.count());
        let ahead = (tag as u32).wrapping_sub(first);
        if tag > u64::from(u32::MAX) || ahead >= count {
            return Err(Stray::Unknown { tag, first, outstanding: count });
        }
        if ahead > 0 && self.all().take(ahead as usize).any(|p| p.is_signaled || !self.skips) {
            return Err(Stray::Skips { tag, first });
        }
        let posted = *self.at(tag as u32);
        self.first = (tag as u32).wrapping_add(1);
        Ok(posted)
    }

    /// All of them, oldest first; none is outstanding any more.
    pub(crate) fn flush(&mut self) -> Vec<Posted> {
        let all = self.all().copied().collect();
        self.first = self.next;
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted(wr_id: u64, is_signaled: bool) -> Posted {
        Posted { wr_id, opcode: WcOpcode::Send, is_signaled, is_own: false }
    }

    #[test]
    fn unsignaled_requests_retire_with_the_next_signaled_one() {
        let mut sends = Outstanding::new(4, true);
        for (nth, signaled) in [false, true, false, true].into_iter().enumerate() {
            assert_eq!(sends.next_tag(), nth as u64);
            sends.push(posted(100 + nth as u64, signaled));
        }
        assert!(sends.is_full());
        assert_eq!(sends.complete(3), Err(Stray::Skips { tag: 3, first: 0 }));
        assert_eq!(sends.complete(1).unwrap().wr_id, 101);
        assert_eq!(sends.complete(1), Err(Stray::Unknown { tag: 1, first: 2, outstanding: 2 }));
        assert_eq!(sends.complete(1 << 40), Err(Stray::Unknown { tag: 1 << 40, first: 2, outstanding: 2 }));
        assert_eq!(sends.flush().iter().map(|p| p.wr_id).collect::<Vec<_>>(), [102, 103]);
        assert!(sends.flush().is_empty());
        assert_eq!(sends.next_tag(), 4);
    }

    #[test]
    fn receives_complete_one_after_the_other_across_the_wrap() {
        let mut receives = Outstanding::new(2, false);
        (receives.first, receives.next) = (u32::MAX, u32::MAX);
        receives.push(posted(1, true));
        receives.push(posted(2, true));
        assert_eq!(receives.complete(0), Err(Stray::Skips { tag: 0, first: u32::MAX }));
        assert_eq!(receives.complete(u64::from(u32::MAX)).unwrap().wr_id, 1);
        assert_eq!(receives.complete(0).unwrap().wr_id, 2);
    }
}
