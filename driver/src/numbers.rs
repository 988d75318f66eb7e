// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers of the device's objects: which are in use, and which wait until nothing is told of their
//! last owner any more.
use crate::backend::END;
use crate::error::Error;
use crate::signal::Signal;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Time between two looks for a number that has rested.
const LOOK: Duration = Duration::from_micros(200);

/// How often the connection manager has found the event ring empty. Events of before a command are
/// in the ring when the command is answered. A look may be under way then, so after two more looks
/// none of these events is left.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    passed: AtomicU64,
    ended: OnceLock<Error>,
    /// Wakes the connection manager's thread.
    bell: OnceLock<Arc<Signal>>,
}

impl Rounds {
    /// Who looks at the ring sleeps until this is raised.
    pub(crate) fn begin(&self, bell: &Arc<Signal>) {
        // a device has one connection manager
        drop(self.bell.set(bell.clone()));
    }

    /// The ring is empty.
    pub(crate) fn pass(&self) {
        self.passed.fetch_add(1, Ordering::SeqCst);
    }

    /// Somebody waits for a round, or has left an event.
    pub(crate) fn hurry(&self) {
        if let Some(bell) = self.bell.get() {
            bell.raise();
        }
    }

    /// Nobody looks any more, for this.
    pub(crate) fn end(&self, why: Error) {
        // the first reason stays
        drop(self.ended.set(why));
    }

    fn now(&self) -> u64 {
        self.passed.load(Ordering::SeqCst)
    }
}

/// Where a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing is told of it.
    Free,
    Taken,
    /// It was given back in this round: events of its last owner may be in the ring.
    Rests(u64),
}

/// Numbers of one kind.
#[derive(Debug)]
pub(crate) struct Numbers {
    what: &'static str,
    first: usize,
    /// Events name such an object.
    has_events: bool,
    places: Mutex<Vec<Place>>,
}

impl Numbers {
    /// Numbers from `first` to `most - 1`.
    pub(crate) fn new(what: &'static str, first: usize, most: usize, has_events: bool) -> Self {
        let place = |n| if n < first { Place::Taken } else { Place::Free };
        Self { what, first, has_events, places: Mutex::new((0..most).map(place).collect()) }
    }

    /// The least that is free. If others rest alone, the first that has rested is waited for, for a
    /// second at most, and only while somebody looks at the event ring.
    pub(crate) fn take(&self, rounds: &Rounds) -> Result<u16, Error> {
        let end = Instant::now() + END;
        loop {
            let mut places = self.places.lock();
            let (most, now) = (places.len(), rounds.now());
            let is_free = |place: &Place| match place {
                Place::Free => true,
                Place::Taken => false,
                Place::Rests(since) => now >= since + 2,
            };
            let free = places.iter().position(is_free).and_then(|n| Some((n, u16::try_from(n).ok()?)));
            if let Some((place, number)) = free {
                places[place] = Place::Taken;
                return Ok(number);
            }
            let rests = places.iter().any(|place| matches!(place, Place::Rests(_)));
            drop(places);
            if let Some(why) = rounds.ended.get().filter(|_| rests) {
                return Err(why.clone());
            }
            if !rests || Instant::now() > end {
                return Err(Error::Exhausted { what: self.what, most });
            }
            rounds.hurry();
            std::thread::sleep(LOOK);
        }
    }

    /// How many are in use, those that are never given left out.
    pub(crate) fn used(&self) -> usize {
        let places = self.places.lock();
        places.iter().skip(self.first).filter(|place| **place == Place::Taken).count()
    }

    /// A number may be given again, if events name such an object behind two rounds.
    pub(crate) fn give_back(&self, number: u16, rounds: &Rounds) {
        let mut places = self.places.lock();
        if let Some(place) = places.get_mut(usize::from(number)) {
            *place = if self.has_events { Place::Rests(rounds.now()) } else { Place::Free };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_rests_until_the_ring_was_found_empty_behind_it() {
        let (rounds, numbers) = (Rounds::default(), Numbers::new("queue pairs", 0, 2, true));
        let take = || numbers.take(&rounds).unwrap();
        assert_eq!((take(), take()), (0, 1));
        numbers.give_back(0, &rounds);
        assert_eq!(numbers.used(), 1);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| numbers.take(&rounds));
            // the look that is under way may have found the ring empty before the number came back
            rounds.pass();
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waits.is_finished());
            rounds.pass();
            assert_eq!(waits.join().unwrap().unwrap(), 0);
        });
        let none = numbers.take(&rounds).unwrap_err();
        assert!(matches!(none, Error::Exhausted { what: "queue pairs", most: 2 }), "{none}");
        // nobody will find the ring empty
        numbers.give_back(0, &rounds);
        rounds.end(Error::Stopped("the test ended it".into()));
        let ended = numbers.take(&rounds).unwrap_err();
        assert!(matches!(ended, Error::Stopped(_)), "{ended}");
        // of what no event names the number comes again at once
        let numbers = Numbers::new("protection domains", 1, 2, false);
        let take = || numbers.take(&rounds).unwrap();
        assert_eq!(take(), 1);
        numbers.give_back(1, &rounds);
        assert_eq!(take(), 1);
    }
}
