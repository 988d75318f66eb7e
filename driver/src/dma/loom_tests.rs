// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rings between a driver and a device in every order of accesses that the language allows, by
//! `loom`: two slots of two words, three entries, so that each index goes round once. The second
//! word of an entry has its phase.
use super::words::{publish, put, take, Word};
use loom::sync::atomic::{fence, AtomicU64};
use loom::sync::Arc;
use loom::thread;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::Ordering;

/// Slots of a ring.
const SLOTS: usize = 2;
/// Entries that pass.
const ENTRIES: u64 = 3;

impl Word for AtomicU64 {
    fn load(&self, order: Ordering) -> u64 {
        AtomicU64::load(self, order)
    }

    fn store(&self, word: u64, order: Ordering) {
        AtomicU64::store(self, word, order);
    }
}

/// A ring in memory and the doorbell of its other side.
#[derive(Default)]
struct Ring {
    slots: [[AtomicU64; 2]; SLOTS],
    doorbell: AtomicU64,
}

impl Ring {
    fn slot(&self, index: u64) -> &[AtomicU64; 2] {
        &self.slots[index as usize % SLOTS]
    }

    /// As a write to a BAR: what was stored before is visible to who sees it.
    fn ring(&self, index: u64) {
        fence(Ordering::SeqCst);
        self.doorbell.store(index, Ordering::Relaxed);
    }

    /// What the other side was told of.
    fn rung(&self) -> u64 {
        let index = self.doorbell.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        index
    }
}

/// What the last word of an entry is: 1 the first time round.
fn phase(index: u64) -> u64 {
    (index / SLOTS as u64 + 1) % 2
}

/// Runs it with as many switches of threads as find what is wrong, in seconds.
fn explore(body: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(body);
}

/// A device fills a ring (completions, events) and a driver takes from it and gives slots back.
fn filled_by_the_device(store: fn(&[AtomicU64; 2], [u64; 2])) {
    explore(move || {
        let ring = Arc::new(Ring::default());
        let device = {
            let ring = ring.clone();
            thread::spawn(move || {
                for index in 0..ENTRIES {
                    while index - ring.rung() >= SLOTS as u64 {
                        thread::yield_now();
                    }
                    store(ring.slot(index), [10 + index, phase(index)]);
                }
            })
        };
        let mut index = 0;
        while index < ENTRIES {
            let mut entry = [0; 2];
            take(ring.slot(index), |nth, word| entry[nth] = word);
            if entry[1] == phase(index) {
                assert_eq!(entry[0], 10 + index, "an entry is seen before it is whole");
                index += 1;
                ring.ring(index);
            } else {
                thread::yield_now();
            }
        }
        device.join().unwrap();
    });
}

/// A driver fills a ring (sends, receives) and takes a slot again when the completion of what stood
/// there has come.
fn filled_by_the_driver(rings_first: bool) {
    explore(move || {
        let (work, done) = (Arc::new(Ring::default()), Arc::new(Ring::default()));
        let device = {
            let (work, done) = (work.clone(), done.clone());
            thread::spawn(move || {
                for index in 0..ENTRIES {
                    while work.rung() <= index {
                        thread::yield_now();
                    }
                    let mut request = [0; 2];
                    take(work.slot(0), |nth, word| request[nth] = word);
                    assert_eq!(request, [20 + index, 30 + index], "a request is fetched before it is whole");
                    publish(done.slot(index), |nth| [index, phase(index)][nth]);
                }
            })
        };
        for index in 0..ENTRIES {
            if rings_first {
                work.ring(index + 1);
            }
            // one slot: each request overwrites the one before it
            put(work.slot(0), 1, 30 + index);
            put(work.slot(0), 0, 20 + index);
            put(work.slot(0), 2, 0);
            if !rings_first {
                work.ring(index + 1);
            }
            let mut entry = [0; 2];
            loop {
                take(done.slot(index), |nth, word| entry[nth] = word);
                if entry[1] == phase(index) {
                    break;
                }
                thread::yield_now();
            }
            assert_eq!(entry[0], index, "a completion is seen before it is whole");
        }
        device.join().unwrap();
    });
}

#[test]
fn entries_of_a_device_are_seen_whole_or_not_at_all() {
    filled_by_the_device(|slot, entry| publish(slot, |nth| entry[nth]));
}

#[test]
fn requests_of_a_driver_are_fetched_whole_and_slots_are_reused_behind_completions() {
    filled_by_the_driver(false);
}

#[test]
fn an_order_that_is_wrong_is_found() {
    let backwards = |slot: &[AtomicU64; 2], entry: [u64; 2]| {
        slot[1].store(entry[1], Ordering::Release);
        slot[0].store(entry[0], Ordering::Relaxed);
    };
    let relaxed = |slot: &[AtomicU64; 2], entry: [u64; 2]| {
        slot[0].store(entry[0], Ordering::Relaxed);
        slot[1].store(entry[1], Ordering::Relaxed);
    };
    for store in [backwards, relaxed] as [fn(&[AtomicU64; 2], [u64; 2]); 2] {
        catch_unwind(AssertUnwindSafe(|| filled_by_the_device(store))).unwrap_err();
    }
    catch_unwind(AssertUnwindSafe(|| filled_by_the_driver(true))).unwrap_err();
}
