// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work requests that were posted and are not completed. The hardware tells of those that it did;
//! what a queue pair in error leaves is flushed from here.
//!
//! Who posts holds the lock of the queue, who completes and flushes that of the completion queue:
//! neither waits for the other.
use super::cells::{Cell, Cells, Real};
use super::types::WcOpcode;
use std::sync::atomic::Ordering;

/// A work request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posted {
    /// Of the application; nothing for messages of the driver's own.
    pub(crate) wr_id: u64,
    pub(crate) opcode: WcOpcode,
    pub(crate) is_signaled: bool,
    /// A message of the driver's own.
    pub(crate) is_own: bool,
    /// A slot of its completion queue is kept for it.
    pub(crate) has_slot: bool,
}

/// The place of a request, which one thread writes and another one reads behind the index.
#[derive(Debug, Default)]
struct Place<C: Cells> {
    wr_id: C::Long,
    /// Of its first block in the ring.
    index: C::Word,
    what: C::Byte,
}

/// What a request is: its opcode in two bits, and what is true of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct What(u8);

const OPCODE: u8 = 3;
const UNSIGNALED: u8 = 4;
const OWN: u8 = 8;
const NO_SLOT: u8 = 16;

impl What {
    #[inline(always)]
    fn of(posted: Posted) -> Self {
        let Posted { opcode, is_signaled, is_own, has_slot, .. } = posted;
        let bit = |is, bit| if is { bit } else { 0 };
        Self(opcode as u8 | bit(!is_signaled, UNSIGNALED) | bit(is_own, OWN) | bit(!has_slot, NO_SLOT))
    }

    #[inline(always)]
    pub(crate) fn opcode(self) -> WcOpcode {
        match self.0 & OPCODE {
            0 => WcOpcode::Send,
            1 => WcOpcode::Write,
            2 => WcOpcode::Read,
            _ => WcOpcode::Receive,
        }
    }

    /// It brings octets: a Read or a receive.
    #[inline(always)]
    pub(crate) fn takes(self) -> bool {
        self.0 & 2 != 0
    }

    /// It is a Read, of the application or the driver's own.
    pub(crate) fn is_read(self) -> bool {
        self.0 & OPCODE == WcOpcode::Read as u8
    }

    fn is_signaled(self) -> bool {
        self.0 & UNSIGNALED == 0
    }

    #[inline(always)]
    pub(crate) fn is_own(self) -> bool {
        self.0 & OWN != 0
    }

    /// It is the application's, and has a slot: what completes, if nothing goes wrong.
    #[inline(always)]
    pub(crate) fn is_plain(self) -> bool {
        self.0 & !OPCODE == 0
    }

    /// Slots that are kept for it, one or none.
    pub(crate) fn slots(self) -> u32 {
        u32::from(self.0 & NO_SLOT == 0)
    }
}

impl<C: Cells> Place<C> {
    #[inline(always)]
    fn put(&self, index: u32, posted: Posted) {
        self.index.store(index, Ordering::Relaxed);
        self.wr_id.store(posted.wr_id, Ordering::Relaxed);
        self.what.store(What::of(posted).0, Ordering::Relaxed);
    }

    #[inline(always)]
    fn get(&self) -> (u64, What) {
        (self.wr_id.load(Ordering::Relaxed), What(self.what.load(Ordering::Relaxed)))
    }

    #[inline(always)]
    fn index(&self) -> u32 {
        self.index.load(Ordering::Relaxed)
    }
}

/// The requests of one queue, oldest first. Their numbers count from 0, modulo 2^32. Room for all
/// that fit is made once.
///
/// The device names a request by the index of its first block in the ring, which its place has.
/// Requests without blocks come behind all that have some, and have the index of the ring's next
/// block.
#[derive(Debug)]
pub(crate) struct Outstanding<C: Cells = Real> {
    /// A power of two of them; the place of a request is its number modulo that.
    places: Box<[Place<C>]>,
    mask: u32,
    /// Number of the oldest, which only who completes moves.
    first: C::Word,
    /// Number of the next one, which only who posts moves.
    next: C::Word,
    most: u32,
}

/// Why a completion belongs to no request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stray {
    /// None with this index is outstanding; index of the oldest that is.
    Unknown { index: u32, first: Option<u32>, outstanding: u32 },
    /// One that wants a completion of its own would be passed over.
    Skips { index: u32, first: u32 },
}

impl std::fmt::Display for Stray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown { index, first: None, .. } => {
                write!(f, "request {index} is not outstanding; none is")
            }
            Self::Unknown { index, first: Some(first), outstanding } => {
                write!(f, "request {index} is not outstanding; {outstanding} are, the oldest is {first}")
            }
            Self::Skips { index, first } => write!(f, "request {index} completes before request {first}"),
        }
    }
}

impl<C: Cells> Outstanding<C> {
    pub(crate) fn new(most: u32) -> Self {
        let places = most.next_power_of_two();
        Self {
            mask: places - 1,
            places: (0..places).map(|_| Place::default()).collect(),
            first: C::Word::default(),
            next: C::Word::default(),
            most,
        }
    }

    #[inline(always)]
    fn at(&self, number: u32) -> &Place<C> {
        // never empty, and a power of two of them
        &self.places[(number & self.mask) as usize]
    }

    /// Number of the oldest one, and how many there are, no more than there are places.
    fn now(&self) -> (u32, u32) {
        let first = self.first.load(Ordering::Acquire);
        let count = self.next.load(Ordering::Acquire).wrapping_sub(first);
        // as many places as 32 bits tell
        (first, count.min(self.places.len() as u32))
    }

    fn held(&self) -> impl Iterator<Item = &Place<C>> + '_ {
        let (first, count) = self.now();
        (0..count).map(move |n| self.at(first.wrapping_add(n)))
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, What)> + '_ {
        self.held().map(Place::get)
    }

    /// How many it holds.
    pub(crate) fn most(&self) -> u32 {
        self.most
    }

    /// Whether one of the application's is there.
    pub(crate) fn has_some(&self) -> bool {
        self.all().any(|(_, what)| !what.is_own())
    }

    /// How many of them have a slot.
    pub(crate) fn slots(&self) -> u32 {
        self.all().map(|(_, what)| what.slots()).sum()
    }

    /// Number of the next request, if there is room for it. For who posts.
    #[inline(always)]
    pub(crate) fn room(&self) -> Option<u32> {
        let next = self.next.load(Ordering::Relaxed);
        let count = next.wrapping_sub(self.first.load(Ordering::Acquire));
        (count < self.most).then_some(next)
    }

    /// Keeps a request with the number that [`Outstanding::room`] gave and the index of its first
    /// block. For who posts.
    #[inline(always)]
    pub(crate) fn push(&self, number: u32, index: u32, posted: Posted) {
        self.at(number).put(index, posted);
        self.next.store(number.wrapping_add(1), Ordering::Release);
    }

    /// The request of a completion; it and those before it are not outstanding any more. None if
    /// there is none, of which [`Outstanding::stray`] says why. For who completes.
    #[inline(always)]
    pub(crate) fn complete(&self, index: u32) -> Option<(u64, What)> {
        let mut number = self.first.load(Ordering::Relaxed);
        let next = self.next.load(Ordering::Acquire);
        if number == next {
            return None;
        }
        let mut place = self.at(number);
        // most often it is the oldest
        if place.index() != index {
            number = self.behind(number, next, index)?;
            place = self.at(number);
        }
        let found = place.get();
        self.first.store(number.wrapping_add(1), Ordering::Release);
        Some(found)
    }

    /// Number of the request with this index, if none from `first` up to it wants a completion of
    /// its own: unsignaled ones retire with a later one.
    fn behind(&self, first: u32, next: u32, index: u32) -> Option<u32> {
        let mut number = first;
        while number != next {
            let place = self.at(number);
            if place.index() == index {
                return Some(number);
            }
            if place.get().1.is_signaled() {
                return None;
            }
            number = number.wrapping_add(1);
        }
        None
    }

    /// Why a completion belongs to no request.
    #[cold]
    pub(crate) fn stray(&self, index: u32) -> Stray {
        let all: Vec<_> = self.held().map(Place::index).collect();
        match all.first() {
            Some(&first) if all.contains(&index) => Stray::Skips { index, first },
            first => Stray::Unknown { index, first: first.copied(), outstanding: all.len() as u32 },
        }
    }

    /// All of them, oldest first; none is outstanding any more. For who completes.
    pub(crate) fn flush(&self) -> Vec<(u64, What)> {
        let (first, count) = self.now();
        let all = (0..count).map(|n| self.at(first.wrapping_add(n)).get()).collect();
        self.first.store(first.wrapping_add(count), Ordering::Release);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    fn posted(wr_id: u64, is_signaled: bool) -> Posted {
        Posted { wr_id, opcode: WcOpcode::Send, is_signaled, is_own: false, has_slot: is_signaled }
    }

    /// The application's name of the request that completes.
    fn complete(out: &Outstanding, index: u32) -> Result<u64, Stray> {
        out.complete(index).map(|(wr_id, _)| wr_id).ok_or_else(|| out.stray(index))
    }

    #[test]
    fn unsignaled_requests_retire_with_the_next_signaled_one() {
        let sends: Outstanding = Outstanding::new(4);
        for (nth, signaled) in (0..).zip([false, true, false, true]) {
            assert_eq!(sends.room(), Some(nth));
            sends.push(nth, nth, posted(100 + u64::from(nth), signaled));
        }
        assert_eq!((sends.room(), sends.slots()), (None, 2));
        assert_eq!(complete(&sends, 3), Err(Stray::Skips { index: 3, first: 0 }));
        assert_eq!(complete(&sends, 1), Ok(101));
        for index in [1, 1 << 31] {
            let unknown = Stray::Unknown { index, first: Some(2), outstanding: 2 };
            assert_eq!(complete(&sends, index), Err(unknown));
        }
        assert_eq!(sends.flush().iter().map(|(wr_id, _)| *wr_id).collect::<Vec<_>>(), [102, 103]);
        assert!(sends.flush().is_empty());
        assert_eq!(sends.stray(2), Stray::Unknown { index: 2, first: None, outstanding: 0 });
        assert_eq!((sends.room(), sends.slots()), (Some(4), 0));
    }

    #[test]
    fn receives_complete_one_after_the_other_and_their_numbers_wrap() {
        let [first, next] = [(); 2].map(|()| AtomicU32::new(u32::MAX));
        let receives: Outstanding = Outstanding { first, next, ..Outstanding::new(2) };
        receives.push(u32::MAX, 7, posted(1, true));
        receives.push(0, 8, posted(2, true));
        assert_eq!(receives.room(), None);
        for index in [0, 6, 8, 9] {
            assert_eq!(receives.complete(index), None);
        }
        assert_eq!(receives.complete(7).unwrap().0, 1);
        assert_eq!(receives.complete(7), None);
        assert_eq!(receives.complete(8).unwrap().0, 2);
        assert_eq!(receives.room(), Some(1));
    }

    /// Requests of one and two blocks, across the end of what 32 bits count.
    #[test]
    fn a_completion_names_the_first_block_of_its_request() {
        let sends: Outstanding = Outstanding::new(8);
        let mut index = u32::MAX - 4;
        let requests = [(1, true), (2, false), (2, false), (1, true), (2, true), (1, false), (2, true)];
        let indices = requests.map(|(blocks, is_signaled)| {
            let number = sends.room().unwrap();
            sends.push(number, index, posted(number.into(), is_signaled));
            let mine = index;
            index = index.wrapping_add(blocks);
            mine
        });
        assert_eq!(indices[4..], [1, 3, 4]);
        let oldest = indices[0];
        assert_eq!(complete(&sends, indices[3]), Err(Stray::Skips { index: indices[3], first: oldest }));
        assert_eq!(complete(&sends, oldest), Ok(0));
        // the second block of a request names nothing
        for index in [oldest, indices[1].wrapping_add(1), indices[4].wrapping_add(1), index] {
            let unknown = Stray::Unknown { index, first: Some(indices[1]), outstanding: 6 };
            assert_eq!(complete(&sends, index), Err(unknown));
        }
        assert_eq!(complete(&sends, indices[3]), Ok(3));
        assert_eq!(complete(&sends, indices[6]), Err(Stray::Skips { index: 4, first: 1 }));
        assert_eq!([4, 6].map(|n| complete(&sends, indices[n])), [Ok(4), Ok(6)]);
        assert_eq!((sends.room(), sends.flush()), (Some(7), vec![]));
    }

    #[test]
    fn a_request_is_what_was_posted() {
        for opcode in [WcOpcode::Send, WcOpcode::Write, WcOpcode::Read, WcOpcode::Receive] {
            for bits in 0..8 {
                let [is_signaled, is_own, has_slot] = [1, 2, 4].map(|bit| bits & bit != 0);
                let what = What::of(Posted { wr_id: 0, opcode, is_signaled, is_own, has_slot });
                let told = (what.opcode(), what.is_signaled(), what.is_own(), what.slots());
                assert_eq!(told, (opcode, is_signaled, is_own, has_slot.into()));
                assert_eq!(what.takes(), matches!(opcode, WcOpcode::Read | WcOpcode::Receive));
            }
        }
    }
}
