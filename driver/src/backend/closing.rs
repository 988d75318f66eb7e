// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long the end of an object may wait for its device.
use std::cell::Cell;
use std::time::{Duration, Instant};

/// What all that is to be done at the end of an object has together, if nobody says otherwise.
pub(crate) const END: Duration = Duration::from_secs(1);
/// What each step behind the first has of that in any case: mostly the device has answered all that
/// came before.
const LEAST: Duration = Duration::from_millis(100);

thread_local! {
    /// When the outermost end that is under way in this thread is to be over.
    static UNTIL: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// What a step of an end has that is to be over then.
pub(crate) fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now()).max(LEAST)
}

/// What a step has of the end that is under way in this thread: `most`, if there is none.
pub(crate) fn left_now(most: Duration) -> Duration {
    UNTIL.try_with(Cell::get).ok().flatten().map_or(most, left)
}

/// The end of an object. An object that ends because another one held it shares the time of that
/// one: so this is the last field of an object, which is dropped behind all that the object held.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    is_outermost: bool,
}

impl Closing {
    /// The object ends: when that is to be over. An end has `most` together.
    pub(crate) fn begin(&mut self, most: Duration) -> Instant {
        let fresh = Instant::now() + most;
        // without a place for it each object has its own time
        let outer = UNTIL.try_with(|until| until.replace(Some(until.get().unwrap_or(fresh))));
        self.is_outermost |= matches!(outer, Ok(None));
        outer.ok().flatten().unwrap_or(fresh)
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        if self.is_outermost {
            UNTIL.try_with(|until| until.set(None)).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_object_held_shares_its_time() {
        let (mut outer, mut inner) = (Closing::default(), Closing::default());
        let until = outer.begin(END);
        assert_eq!((inner.begin(END), outer.begin(END)), (until, until));
        drop(inner);
        assert!(left_now(2 * END) <= END && UNTIL.get() == Some(until));
        drop(outer);
        assert_eq!((UNTIL.get(), left_now(2 * END)), (None, 2 * END));
        drop(Closing::default());
        assert!(Closing::default().begin(END) > until);
    }
}
