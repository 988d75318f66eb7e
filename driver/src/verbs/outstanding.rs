//! Work requests that were posted and are not completed. The hardware tells of those that it did; what a queue pair in error
//! leaves is flushed from here.
use super::types::WcOpcode;
use std::collections::VecDeque;

/// A work request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posted {
    /// Of the application; none for messages of the driver's own.
    pub(crate) wr_id: Option<u64>,
    pub(crate) opcode: WcOpcode,
    pub(crate) is_signaled: bool,
}

/// The requests of one queue, oldest first. Their tags count from 0 for ever, modulo 2^32.
#[derive(Debug)]
pub(crate) struct Outstanding {
    posted: VecDeque<Posted>,
    /// Tag of the oldest.
    first: u32,
    most: usize,
    /// Unsignaled ones may be passed over: they retire with a later one.
    skips: bool,
}

/// Why a completion belongs to no request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stray {
    /// No such tag is outstanding.
    Unknown { tag: u64, first: u32, outstanding: usize },
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
    pub(crate) fn new(most: usize, skips: bool) -> Self {
        Self { posted: VecDeque::with_capacity(most), first: 0, most, skips }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.posted.len() >= self.most
    }

    /// Whether one of the application's is there.
    pub(crate) fn has_some(&self) -> bool {
        self.posted.iter().any(|posted| posted.wr_id.is_some())
    }

    /// Tag of the next request.
    pub(crate) fn next_tag(&self) -> u64 {
        u64::from(self.first.wrapping_add(self.posted.len() as u32))
    }

    pub(crate) fn push(&mut self, posted: Posted) {
        self.posted.push_back(posted);
    }

    /// The request of a completion; it and those before it are not outstanding any more.
    pub(crate) fn complete(&mut self, tag: u64) -> Result<Posted, Stray> {
        let first = self.first;
        let unknown = || Stray::Unknown { tag, first, outstanding: self.posted.len() };
        let ahead = u32::try_from(tag).map_err(|_| unknown())?.wrapping_sub(first) as usize;
        let posted = *self.posted.get(ahead).ok_or_else(unknown)?;
        if self.posted.iter().take(ahead).any(|p| p.is_signaled || !self.skips) {
            return Err(Stray::Skips { tag, first });
        }
        self.posted.drain(..=ahead);
        self.first = first.wrapping_add(ahead as u32 + 1);
        Ok(posted)
    }

    /// All of them, oldest first; none is outstanding any more.
    pub(crate) fn flush(&mut self) -> Vec<Posted> {
        self.first = self.first.wrapping_add(self.posted.len() as u32);
        self.posted.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted(wr_id: u64, is_signaled: bool) -> Posted {
        Posted { wr_id: Some(wr_id), opcode: WcOpcode::Send, is_signaled }
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
        assert_eq!(sends.complete(1).unwrap().wr_id, Some(101));
        assert_eq!(sends.complete(1), Err(Stray::Unknown { tag: 1, first: 2, outstanding: 2 }));
        assert_eq!(sends.complete(1 << 40), Err(Stray::Unknown { tag: 1 << 40, first: 2, outstanding: 2 }));
        assert_eq!(sends.flush().iter().map(|p| p.wr_id).collect::<Vec<_>>(), [Some(102), Some(103)]);
        assert!(sends.flush().is_empty());
        assert_eq!(sends.next_tag(), 4);
    }

    #[test]
    fn receives_complete_one_after_the_other_across_the_wrap() {
        let mut receives = Outstanding::new(2, false);
        receives.first = u32::MAX;
        receives.push(posted(1, true));
        receives.push(posted(2, true));
        assert_eq!(receives.complete(0), Err(Stray::Skips { tag: 0, first: u32::MAX }));
        assert_eq!(receives.complete(u64::from(u32::MAX)).unwrap().wr_id, Some(1));
        assert_eq!(receives.complete(0).unwrap().wr_id, Some(2));
    }
}
