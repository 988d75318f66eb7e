// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hash table on the emitted Verilog, against a `HashMap`: 32 slots with keys of 289 bits, so that
//! buckets collide and fill all the time.
mod rest;

use ferrowarp_hdl::cell::{Answer, HashTable};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, ChanSinkId, ChanSrcId, Item, Pattern};
use ferrowarp_tests::toeplitz::{buckets, SECRET};
use rand::seq::IndexedRandom;
use rand::Rng;
use std::collections::HashMap;

/// Octets of a key; the last has one bit.
const KEY_OCTETS: usize = 37;
const SLOTS: usize = 32;
const LATENCY: u64 = HashTable::<289, 320, 8, 5>::LATENCY;
const MISS: u64 = HashTable::<289, 320, 8, 5>::MISS;
const TRANSFER: u64 = HashTable::<289, 320, 8, 5>::TRANSFER;
const PERIOD: u64 = HashTable::<289, 320, 8, 5>::PERIOD;
/// The bits of a value by which entries are removed.
const SAME: u64 = 0x3F;

type Key = [u8; KEY_OCTETS];

/// An entry of the model: value, and whether it lies in the right half.
#[derive(Copy, Clone)]
struct Held {
    value: u64,
    right: bool,
}

/// The four channels of the table, and what it should hold.
struct Table {
    lookup: ChanSrcId,
    found: ChanSinkId,
    change: ChanSrcId,
    answer: ChanSinkId,
    secret: [u8; SECRET],
    model: HashMap<Key, Held>,
}

impl Table {
    /// A table under a random secret.
    fn new(bench: &mut Bench, idle: Pattern, stall: Pattern) -> Result<Self, String> {
        bench.reset();
        let mut table = Self {
            lookup: bench.channel_source("table_lookup", idle),
            found: bench.channel_sink("table_found", stall),
            change: bench.channel_source("table_change", idle),
            answer: bench.channel_sink("table_answer", stall),
            secret: [0; SECRET],
            model: HashMap::new(),
        };
        table.reset(bench)?;
        Ok(table)
    }

    /// Empties it; from now on under another random secret.
    fn reset(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.secret = bench.rng().random();
        bench.set_bytes("table_secret", &self.secret);
        bench.reset();
        self.model.clear();
        bench.run_until(100, |b| b.get("table_ready") == 1)?;
        // it was taken by then
        bench.set_bytes("table_secret", &[0; SECRET]);
        Ok(())
    }

    fn buckets(&self, key: &Key) -> [u64; 2] {
        buckets(key, &self.secret, 3)
    }

    /// The half that a new key goes to: the bucket with more room, left if equal; none if both hold
    /// two.
    fn half(&self, key: &Key) -> Option<bool> {
        let mine = self.buckets(key);
        let held = [false, true].map(|right| {
            let there = |(k, h): &(&Key, &Held)| {
                h.right == right && self.buckets(k)[usize::from(right)] == mine[usize::from(right)]
            };
            self.model.iter().filter(there).count()
        });
        (held != [2, 2]).then_some(held[1] < held[0])
    }

    fn value(&self, key: &Key) -> Option<u64> {
        self.model.get(key).map(|h| h.value)
    }

    fn offer(&self, bench: &mut Bench, key: &Key) {
        bench.put(self.lookup, Item::new().with_bytes("key", key));
    }

    /// One lookup, from offer to result.
    fn find(&self, bench: &mut Bench, key: &Key) -> Result<Option<u64>, String> {
        self.offer(bench, key);
        bench.run_until(1_000, |b| b.waiting_items(self.found) == 1)?;
        value(&bench.taken(self.found)[0])
    }

    /// Offers an update.
    fn offer_change(&self, bench: &mut Bench, key: &Key, value: u64, remove: bool) {
        let item = Item::new().with_bytes("key", key).with("value", value);
        bench.put(self.change, item.with("remove", u64::from(remove)));
    }

    /// One update, from offer to answer.
    fn change(&self, bench: &mut Bench, key: &Key, value: u64, remove: bool) -> Result<Answer, String> {
        self.offer_change(bench, key, value, remove);
        bench.run_until(1_000, |b| b.waiting_items(self.answer) == 1)?;
        answer(&bench.taken(self.answer)[0])
    }

    /// What an insertion must be answered with; the model follows it.
    fn inserted(&mut self, key: Key, value: u64) -> Answer {
        match (self.model.contains_key(&key), self.half(&key)) {
            (true, _) => Answer::Present,
            (false, None) => Answer::Full,
            (false, Some(right)) => {
                self.model.insert(key, Held { value, right });
                Answer::Done
            }
        }
    }

    /// What a removal must be answered with; the model follows it.
    fn removed(&mut self, value: u64) -> Answer {
        let before = self.model.len();
        self.model.retain(|_, held| (held.value ^ value) & SAME != 0);
        if self.model.len() < before {
            Answer::Done
        } else {
            Answer::Absent
        }
    }

    /// Inserts, holds the answer against the model, and follows it.
    fn insert(&mut self, bench: &mut Bench, key: Key, value: u64) -> Result<Answer, String> {
        let expected = self.inserted(key, value);
        match self.change(bench, &key, value, false)? {
            answer if answer == expected => Ok(answer),
            answer => Err(format!("insert of {key:02x?} answers {answer:?}, not {expected:?}")),
        }
    }

    /// Removes what lies under a value, and holds the answer against the model. The key is without
    /// meaning.
    fn remove(&mut self, bench: &mut Bench, value: u64) -> Result<(), String> {
        let key = random_key(bench);
        let answer = self.change(bench, &key, value, true)?;
        let expected = self.removed(value);
        match answer == expected {
            true => Ok(()),
            false => Err(format!("remove of {value:#x} answers {answer:?}, not {expected:?}")),
        }
    }

    fn check(&self, bench: &mut Bench, key: &Key) -> Result<(), String> {
        match (self.find(bench, key)?, self.value(key)) {
            (found, there) if found == there => Ok(()),
            (found, there) => Err(format!("lookup of {key:02x?} gives {found:?}, not {there:?}")),
        }
    }
}

/// What a result says; no value without a hit.
fn value(item: &Item) -> Result<Option<u64>, String> {
    match (item.u64("hit"), item.u64("value")) {
        (Some(1), value @ Some(_)) => Ok(value),
        (Some(0), Some(0)) => Ok(None),
        other => Err(format!("{other:?} is no result")),
    }
}

/// What an update was answered with.
fn answer(item: &Item) -> Result<Answer, String> {
    let code = item.u64("code").ok_or("no code")?;
    Ok(Answer::ALL[code as usize])
}

fn random_key(bench: &mut Bench) -> Key {
    let mut key: Key = bench.rng().random();
    key[KEY_OCTETS - 1] &= 1;
    key
}

/// Keys of which many are but one bit apart: only a whole comparison tells them apart.
fn keys(bench: &mut Bench, count: usize) -> Vec<Key> {
    let mut keys = vec![random_key(bench)];
    while keys.len() < count {
        let mut key = *keys.choose(bench.rng()).unwrap();
        match bench.rng().random_bool(0.5) {
            true => {
                let bit = bench.rng().random_range(0..289);
                key[bit / 8] ^= 1 << (bit % 8);
            }
            false => key = random_key(bench),
        }
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

#[test]
fn random_operations_agree_with_a_map() {
    for seed in seeds(0..1, 0..4) {
        run_case("table-random", Top::BenchW64, seed, |bench| {
            let mut table = Table::new(bench, Pattern::None, Pattern::None)?;
            let keys = keys(bench, 48);
            let mut full = 0;
            for _ in 0..20_000 {
                let key = *keys.choose(bench.rng()).unwrap();
                match bench.rng().random_range(0..10) {
                    0..4 => {
                        let value = bench.rng().random_range(0..256);
                        full += u64::from(table.insert(bench, key, value)? == Answer::Full);
                    }
                    4..7 => {
                        let value = table.value(&key).unwrap_or(bench.rng().random_range(0..256));
                        // the bits above `SAME` do not count
                        let value = value ^ (bench.rng().random_range(0..4) << 6);
                        table.remove(bench, value)?;
                    }
                    _ => table.check(bench, &key)?,
                }
            }
            assert!(full > 20, "{full} inserts into full buckets");
            for key in &keys {
                table.check(bench, key)?;
            }
            Ok(())
        });
    }
}

#[test]
fn a_full_table_says_so_keeps_all_and_takes_again_after_a_remove() {
    run_case("table-full", Top::BenchW64, 1, |bench| {
        let mut table = Table::new(bench, Pattern::Random, Pattern::Random)?;
        let keys = keys(bench, 400);
        for (i, key) in keys.iter().enumerate() {
            table.insert(bench, *key, i as u64 % 256)?;
        }
        assert_eq!(table.model.len(), SLOTS, "400 keys reach every slot");
        for key in &keys {
            table.check(bench, key)?;
        }
        // the slot that a key leaves is one it can have again
        for key in keys.iter().filter(|k| table.model.contains_key(*k)).copied().collect::<Vec<_>>() {
            let Some(value) = table.value(&key) else { continue };
            table.remove(bench, value)?;
            table.check(bench, &key)?;
            assert_eq!(table.insert(bench, key, value)?, Answer::Done);
            table.check(bench, &key)?;
        }
        Ok(())
    });
}

#[test]
fn reset_empties_the_table_and_takes_another_secret() {
    run_case("table-reset", Top::BenchW64, 1, |bench| {
        let key = random_key(bench);
        let mut table = Table::new(bench, Pattern::None, Pattern::None)?;
        for _ in 0..3 {
            table.reset(bench)?;
            table.check(bench, &key)?;
            table.insert(bench, key, 7)?;
            table.check(bench, &key)?;
        }
        Ok(())
    });
}

#[test]
fn lookups_keep_their_pace_and_an_insertion_waits_for_few_of_them() {
    run_case("table-rate", Top::BenchW64, 1, |bench| {
        let mut table = Table::new(bench, Pattern::None, Pattern::None)?;
        let keys = keys(bench, 40);
        for (i, key) in keys.iter().take(20).enumerate() {
            table.insert(bench, *key, i as u64)?;
        }
        let asked: Vec<Key> = (0..1_000).map(|_| *keys.choose(bench.rng()).unwrap()).collect();
        asked.iter().for_each(|key| table.offer(bench, key));
        bench.run_until(10_000, |b| b.waiting_items(table.found) == asked.len())?;
        let (rx, tx) = (bench.channel_source_rate(table.lookup), bench.channel_sink_rate(table.found));
        // the first one may be a miss, the last one a hit
        assert!(tx.cycles() <= 999 * PERIOD + 1 + LATENCY - MISS, "{} cycles", tx.cycles());
        assert!(tx.first_cycle - rx.first_cycle <= LATENCY - TRANSFER);
        for (key, item) in asked.iter().zip(bench.taken(table.found)) {
            assert_eq!(value(&item)?, table.value(key));
        }
        // and with one update among them
        asked.iter().for_each(|key| table.offer(bench, key));
        let before = bench.cycle();
        let key = random_key(bench);
        table.insert(bench, key, 1)?;
        assert!(bench.cycle() - before < 40, "{} cycles", bench.cycle() - before);
        bench.run_until(10_000, |b| b.waiting_items(table.found) == asked.len())?;
        let last = bench.channel_sink_rate(table.found).last_cycle - before;
        assert!(last < 1_000 * PERIOD + LATENCY + 20, "{last} cycles");
        Ok(())
    });
}

/// Two keys of which one has the tag of the other and lies in the same buckets.
fn twins(table: &Table, bench: &mut Bench) -> (Key, Key) {
    loop {
        let key = random_key(bench);
        let mut twin = key;
        // two bits of one word that fold onto each other, twice
        for _ in 0..2 {
            let bit = 72 * bench.rng().random_range(0..4) + bench.rng().random_range(0..60);
            for bit in [bit, bit + 12] {
                twin[bit / 8] ^= 1 << (bit % 8);
            }
        }
        if twin != key && table.buckets(&key) == table.buckets(&twin) {
            return (key, twin);
        }
    }
}

#[test]
fn a_key_with_the_tag_of_another_one_is_told_apart() {
    for seed in seeds(0..4, 0..20) {
        run_case("table-twins", Top::BenchW64, seed, |bench| {
            let mut table = Table::new(bench, Pattern::None, Pattern::None)?;
            for _ in 0..60 {
                table.reset(bench)?;
                let (key, twin) = twins(&table, bench);
                table.insert(bench, key, 1)?;
                table.check(bench, &twin)?;
                table.insert(bench, twin, 2)?;
                table.insert(bench, twin, 3)?;
                table.check(bench, &key)?;
                table.check(bench, &twin)?;
                for asked in [key, twin, twin, key] {
                    table.offer(bench, &asked);
                }
                bench.run_until(200, |b| b.waiting_items(table.found) == 4)?;
                for (item, expected) in bench.taken(table.found).iter().zip([1, 2, 2, 1]) {
                    assert_eq!(value(item)?, Some(expected));
                }
                table.remove(bench, 1)?;
                table.check(bench, &key)?;
                table.check(bench, &twin)?;
            }
            Ok(())
        });
    }
}
