// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices without recovery: a retransmission timer of 10 ms brings back what was lost.
//!
//! The timer of the device doubles its wait with each expiry until a round trip is measured. Here
//! the wait is fixed. So ticks come from the pin: one a millisecond while something moves, faster
//! and faster while both devices stand. From the ACK that moved last to the first octet that leaves
//! again 10 ms count, whatever the wait took. Nothing is evaluated that long.
use crate::device::clock_ps;
use ferrowarp_sim::link::{Fate, Sent};
use ferrowarp_sim::{Pair, Side};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The wait.
const WAIT_PS: u64 = 10_000_000_000;
/// In units of the register.
const WAIT_UNITS: u64 = 1_000;
/// Cycles without a transfer at both devices after which nothing moves: a frame that is under way
/// takes 800.
const STILL: u64 = 2_000;

/// What the wire has shown of Writes from A.
#[derive(Default)]
struct Seen {
    /// Acknowledgment number of B, and when this number came first.
    ack: [u8; 4],
    moved_ps: u64,
    /// Both devices stand.
    stands: bool,
    /// What the waits would have taken beyond what was simulated.
    more_ps: i64,
}

/// Time of two devices without recovery.
pub(super) struct Fixed {
    seen: Arc<Mutex<Seen>>,
    /// Ticks since both devices stand, and cycle of the next one.
    ticks: u64,
    next: u64,
}

impl Fixed {
    /// Nothing but the timer.
    pub(super) fn new(pair: &mut Pair) -> Self {
        for bench in [&mut pair.a, &mut pair.b] {
            bench.set("tick_use_pin", 1);
            bench.set("rto_min", WAIT_UNITS);
            bench.set("recovery", 0);
        }
        Self { seen: Arc::default(), ticks: 0, next: 0 }
    }

    /// A hook that sees each frame, then asks `hook` what becomes of the frame.
    pub(super) fn watch(
        &self,
        mut hook: impl FnMut(&Sent<'_>) -> Fate + Send + 'static,
    ) -> impl FnMut(&Sent<'_>) -> Fate + Send + 'static {
        let seen = Arc::clone(&self.seen);
        move |sent| {
            note(&mut locked(&seen), sent);
            hook(sent)
        }
    }

    /// What the waits would have taken beyond what was simulated.
    pub(super) fn more_ps(&self) -> u64 {
        u64::try_from(locked(&self.seen).more_ps).unwrap_or(0)
    }

    /// One clock cycle.
    pub(super) fn step(&mut self, pair: &mut Pair) {
        let cycle = pair.a.cycle();
        let stands = pair.a.still_for().min(pair.b.still_for()) >= STILL;
        if stands && self.next == 0 {
            (self.ticks, self.next) = (0, cycle);
            locked(&self.seen).stands = true;
        } else if !stands {
            self.next = 0;
        }
        let tick = match self.next {
            0 => cycle.is_multiple_of(1_000_000_000 / clock_ps()),
            next => cycle == next,
        };
        if stands && tick {
            self.ticks += 1;
            // a resend leaves some hundred cycles behind its expiry, and the next wait is twice as
            // long
            self.next = cycle
                + match self.ticks {
                    0..100 => 64,
                    100..1_000 => 8,
                    _ => 1,
                };
        }
        pair.a.set("tick_pin", u64::from(tick));
        pair.b.set("tick_pin", u64::from(tick));
        pair.step();
    }
}

/// Notes a frame of IPv4 without options.
fn note(seen: &mut Seen, sent: &Sent<'_>) {
    match sent.from {
        Side::B if sent.data.get(42..46).is_some_and(|ack| ack != seen.ack) => {
            seen.ack.copy_from_slice(&sent.data[42..46]);
            seen.moved_ps = sent.at_ps;
            // what follows is no resend
            seen.stands = false;
        }
        Side::A if seen.stands => {
            seen.stands = false;
            seen.more_ps += WAIT_PS as i64 - (sent.at_ps - seen.moved_ps) as i64;
        }
        _ => {}
    }
}

fn locked(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
