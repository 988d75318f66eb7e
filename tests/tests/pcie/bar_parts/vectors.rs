// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each vector of MSI-X, against a model in plain code by docs/registers.md.
use super::interrupts::{event, Interrupts, ENABLED, MASKED};
use super::*;
use rand::seq::SliceRandom;

const VECTORS: usize = 16;
const CQS: usize = 32;
/// Registers and the pending bits.
const CQ_VECTOR: u64 = 0x100;
const MODERATION: u64 = 0x600;
const PENDING: u64 = 0x800;
/// Where the tests' events are written.
const RING: u64 = 0x7000;
/// Kind of an event of a completion queue.
const OF_CQ: u8 = 1;

/// A message: address and octets.
type Message = (u64, Vec<u8>);

/// What the vectors hold and owe.
struct Model {
    /// Dwords of the table.
    table: [u32; 4 * VECTORS],
    gaps: [u32; VECTORS],
    /// Ticks until the next message may leave.
    left: [u32; VECTORS],
    pending: [bool; VECTORS],
    cqs: [usize; CQS],
    /// MSI-X is enabled, and the function is not masked.
    on: bool,
    /// Vector of the last message.
    turn: usize,
}

impl Model {
    /// After reset. Address and data of an entry have no value yet.
    fn new() -> Self {
        let mut table = [0; 4 * VECTORS];
        table.chunks_mut(4).for_each(|entry| entry[3] = 1);
        Self {
            table,
            gaps: [0; VECTORS],
            left: [0; VECTORS],
            pending: [false; VECTORS],
            cqs: [0; CQS],
            on: false,
            turn: 0,
        }
    }

    fn message(&self, vector: usize) -> Message {
        let [low, high, data] = [0, 1, 2].map(|dword| self.table[4 * vector + dword]);
        (u64::from(high) << 32 | u64::from(low), data.to_le_bytes().to_vec())
    }

    fn tick(&mut self) {
        self.left.iter_mut().for_each(|left| *left = left.saturating_sub(1));
    }

    /// Messages that leave now: first that of the next vector behind the last message's.
    fn messages(&mut self) -> Vec<Message> {
        let mut all = vec![];
        let free = |m: &Self, v: usize| m.on && m.pending[v] && m.table[4 * v + 3] & 1 == 0 && m.left[v] == 0;
        while let Some(v) = (1..=VECTORS).map(|n| (self.turn + n) % VECTORS).find(|&v| free(self, v)) {
            (self.pending[v], self.left[v], self.turn) = (false, self.gaps[v], v);
            all.push(self.message(v));
        }
        all
    }

    fn pending(&self) -> u32 {
        (0..VECTORS).map(|v| u32::from(self.pending[v]) << v).sum()
    }
}

/// The device, and what it must do.
struct Pair {
    host: Host,
    lines: Interrupts,
    model: Model,
}

impl Pair {
    fn new(bench: &mut Bench) -> Self {
        let host = Host::new(bench, Pattern::None, Pattern::None);
        Self { host, lines: Interrupts::new(bench, Pattern::None), model: Model::new() }
    }

    /// Writes one or two dwords of the table.
    fn write_table(&mut self, bench: &mut Bench, dword: usize, values: &[u32]) -> Result<(), String> {
        for (at, value) in (dword..).zip(values) {
            self.model.table[at] = value & [!3, u32::MAX, u32::MAX, 1][at % 4];
        }
        let octets: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.host.put(bench, BAR4, 4 * dword as u64, &octets)
    }

    /// Gives all entries other random addresses and data, in a random order.
    fn fill(&mut self, bench: &mut Bench) -> Result<(), String> {
        let mut places: Vec<_> = (0..4 * VECTORS).filter(|dword| dword % 4 != 3).collect();
        places.shuffle(bench.rng());
        for dword in places {
            let value = bench.rng().random();
            self.write_table(bench, dword, &[value])?;
        }
        Ok(())
    }

    fn mask(&mut self, bench: &mut Bench, vector: usize, masked: bool) -> Result<(), String> {
        let others = bench.rng().random::<u32>() & !1;
        self.write_table(bench, 4 * vector + 3, &[others | u32::from(masked)])
    }

    fn moderate(&mut self, bench: &mut Bench, vector: usize, ticks: u32) -> Result<(), String> {
        self.model.gaps[vector] = ticks;
        self.host.set(bench, MODERATION + 4 * vector as u64, ticks)
    }

    /// Gives a completion queue a vector.
    fn route(&mut self, bench: &mut Bench, cq: usize, vector: usize) -> Result<(), String> {
        self.model.cqs[cq] = vector;
        self.host.set(bench, CQ_VECTOR + 4 * cq as u64, vector as u32)
    }

    fn enable(&mut self, bench: &mut Bench, cfg: u64) {
        self.model.on = cfg == ENABLED;
        bench.set("msix_cfg", cfg | u64::from(DEVICE));
    }

    /// Events one behind the other.
    fn events(&mut self, bench: &mut Bench, cqs: &[usize]) -> Result<(), String> {
        for &cq in cqs {
            self.lines.event(bench, OF_CQ, cq as u16);
            self.model.pending[self.model.cqs[cq]] = true;
        }
        bench.run_until(2_000, |b| b.sent_all(self.lines.events))?;
        Ok(())
    }

    fn tick(&mut self, bench: &mut Bench) {
        bench.set("msix_tick", 1);
        bench.step();
        bench.set("msix_tick", 0);
        self.model.tick();
    }

    /// Messages since the last call, and the pending bits, are those of the model; events that were
    /// written between them are left out.
    fn compare(&mut self, bench: &mut Bench, what: &str) -> Result<(), String> {
        let written: Vec<_> =
            self.lines.writes(bench).into_iter().filter(|(addr, _)| *addr != RING).collect();
        assert_eq!(written, self.model.messages(), "messages: {what}");
        let pending = self.host.ask(bench, BAR4, PENDING, 2)?;
        assert_eq!(pending, [self.model.pending(), 0], "pending bits: {what}");
        Ok(())
    }

    /// Every entry, interval and vector of a completion queue reads as the model has it. `whole`:
    /// address and data of the entries too.
    fn read_back(&mut self, bench: &mut Bench, whole: bool) -> Result<(), String> {
        for (dword, must) in self.model.table.into_iter().enumerate() {
            let is = self.host.ask(bench, BAR4, 4 * dword as u64, 1)?;
            assert!(is == [must] || !(whole || dword % 4 == 3), "dword {dword}: {is:x?}, not {must:x}");
        }
        for (v, must) in self.model.gaps.into_iter().enumerate() {
            assert_eq!(self.host.get(bench, MODERATION + 4 * v as u64)?, must, "interval of {v}");
        }
        for (cq, must) in self.model.cqs.into_iter().enumerate() {
            assert_eq!(self.host.get(bench, CQ_VECTOR + 4 * cq as u64)?, must as u32, "vector of {cq}");
        }
        Ok(())
    }

    /// Every vector has its completion queue, and is not masked.
    fn open_all(&mut self, bench: &mut Bench) -> Result<(), String> {
        for vector in 0..VECTORS {
            self.route(bench, vector, vector)?;
            self.mask(bench, vector, false)?;
        }
        Ok(())
    }
}

#[test]
fn every_vector_is_masked_and_free_after_reset() {
    run_case("pcie-bar-vectors-reset", Top::PcieBarW64, 1, |bench| {
        let mut pair = Pair::new(bench);
        for round in 0..3 {
            pair.read_back(bench, false)?;
            pair.fill(bench)?;
            (0..VECTORS).try_for_each(|v| pair.route(bench, v, v))?;
            pair.enable(bench, ENABLED);
            pair.events(bench, &(0..VECTORS).collect::<Vec<_>>())?;
            pair.compare(bench, "all vectors are masked")?;
            // each vector sends without a tick, then counts a long interval
            for v in 0..VECTORS {
                pair.moderate(bench, v, 0xff)?;
                pair.mask(bench, v, false)?;
                pair.compare(bench, "one was unmasked")?;
            }
            pair.events(bench, &[3, 9])?;
            pair.compare(bench, "intervals are under way")?;
            pair.read_back(bench, true)?;
            // a reset ends pending messages; a reset without `keep` resets the registers too
            bench.set("keep", u64::from(round == 1));
            bench.reset();
            bench.set("keep", 0);
            (pair.model.pending, pair.model.turn) = ([false; VECTORS], 0);
            if round == 1 {
                pair.compare(bench, "registers were kept")?;
                pair.read_back(bench, true)?;
                pair.events(bench, &[5])?;
                pair.compare(bench, "intervals were kept")?;
                bench.reset();
            }
            pair.model = Model::new();
            pair.enable(bench, 0);
        }
        Ok(())
    });
}

#[test]
fn every_entry_is_read_as_written() {
    for seed in seeds(0..2, 0..20) {
        run_widths("pcie-bar-vectors-entries", seed, |bench| {
            let mut pair = Pair::new(bench);
            pair.fill(bench)?;
            pair.read_back(bench, true)?;
            for _ in 0..60 {
                let pairs = bench.rng().random_range(1..=2);
                let dword = bench.rng().random_range(0..4 * VECTORS / pairs) * pairs;
                let values: Vec<u32> = (0..pairs).map(|_| bench.rng().random()).collect();
                pair.write_table(bench, dword, &values)?;
                let (v, ticks) = (bench.rng().random_range(0..VECTORS), bench.rng().random_range(0..256));
                pair.moderate(bench, v, ticks)?;
                let (cq, v) = (bench.rng().random_range(0..CQS), bench.rng().random_range(0..VECTORS));
                pair.route(bench, cq, v)?;
            }
            pair.read_back(bench, true)?;
            for dword in (0..4 * VECTORS).step_by(2) {
                let both = pair.host.ask(bench, BAR4, 4 * dword as u64, 2)?;
                assert_eq!(both, pair.model.table[dword..dword + 2], "dwords from {dword}");
            }
            Ok(())
        });
    }
}

#[test]
fn every_completion_queue_has_its_vector() {
    run_case("pcie-bar-vectors-queues", Top::PcieBarW64, 1, |bench| {
        let mut pair = Pair::new(bench);
        pair.fill(bench)?;
        (0..VECTORS).try_for_each(|v| pair.mask(bench, v, false))?;
        pair.enable(bench, ENABLED);
        let mut order: Vec<_> = (0..CQS).collect();
        order.shuffle(bench.rng());
        for given in order {
            // a queue without a vector tells of vector 0
            pair.events(bench, &[given])?;
            pair.compare(bench, "no vector is given")?;
            let vector = bench.rng().random_range(0..VECTORS);
            pair.route(bench, given, vector)?;
            pair.events(bench, &[given])?;
            pair.compare(bench, "one was given")?;
        }
        for cq in 0..CQS {
            pair.events(bench, &[cq])?;
            let message = pair.model.message(pair.model.cqs[cq]);
            assert_eq!(pair.lines.writes(bench), [(RING, event(OF_CQ, cq as u16)), message]);
            pair.model.messages();
        }
        pair.read_back(bench, true)
    });
}

#[test]
fn vectors_that_wait_send_in_turn() {
    run_case("pcie-bar-vectors-turn", Top::PcieBarW64, 1, |bench| {
        let mut pair = Pair::new(bench);
        pair.fill(bench)?;
        pair.open_all(bench)?;
        // the vector of the last message, and those that wait behind it
        let mut cases: Vec<_> = (0..VECTORS).map(|last| (last, (0..VECTORS).collect::<Vec<_>>())).collect();
        cases.extend((0..VECTORS).map(|first| (VECTORS - 1, (first..VECTORS).collect())));
        for _ in 0..16 {
            let mut waiting: Vec<_> = (0..VECTORS).collect();
            waiting.shuffle(bench.rng());
            waiting.truncate(bench.rng().random_range(1..=VECTORS));
            cases.push((bench.rng().random_range(0..VECTORS), waiting));
        }
        for (last, waiting) in cases {
            pair.enable(bench, ENABLED);
            pair.events(bench, &[last])?;
            pair.compare(bench, "one alone")?;
            pair.enable(bench, ENABLED | MASKED);
            for cq in waiting {
                pair.events(bench, &[cq])?;
                let is = pair.host.ask(bench, BAR4, PENDING, 1)?;
                assert_eq!(is, [pair.model.pending()], "pending behind an event of {cq}");
            }
            pair.compare(bench, "the function is masked")?;
            pair.enable(bench, ENABLED);
            pair.compare(bench, "the function is unmasked")?;
        }
        Ok(())
    });
}

#[test]
fn every_interval_is_counted() {
    run_case("pcie-bar-vectors-intervals", Top::PcieBarW64, 1, |bench| {
        let mut pair = Pair::new(bench);
        pair.fill(bench)?;
        pair.open_all(bench)?;
        pair.enable(bench, ENABLED);
        let mut intervals: Vec<u32> = (1..=VECTORS as u32).collect();
        (intervals[3], intervals[5]) = (0xff, 0);
        intervals.shuffle(bench.rng());
        for (v, &ticks) in intervals.iter().enumerate() {
            pair.moderate(bench, v, ticks)?;
        }
        // all at once
        let ring = |pair: &mut Pair, bench: &mut Bench| {
            pair.enable(bench, ENABLED | MASKED);
            pair.events(bench, &(0..VECTORS).collect::<Vec<_>>())?;
            (0..20).for_each(|_| bench.step());
            pair.enable(bench, ENABLED);
            Ok::<_, String>(())
        };
        ring(&mut pair, bench)?;
        pair.compare(bench, "the first events")?;
        for ticks in 0..=0xff {
            // two events within an interval are told by one message at its end
            if ticks < 2 || ticks == 20 {
                ring(&mut pair, bench)?;
            }
            pair.compare(bench, &format!("{ticks} ticks have passed"))?;
            pair.tick(bench);
        }
        pair.compare(bench, "all ticks have passed")
    });
}

#[test]
fn vectors_do_as_the_model_does() {
    for seed in seeds(0..2, 0..30) {
        run_case("pcie-bar-vectors-walk", Top::PcieBarW64, seed, |bench| {
            let mut pair = Pair::new(bench);
            pair.fill(bench)?;
            for step in 0..300 {
                let vector = bench.rng().random_range(0..VECTORS);
                let cq = bench.rng().random_range(0..CQS);
                match bench.rng().random_range(0..16) {
                    0 => pair.route(bench, cq, vector)?,
                    1 => {
                        let ticks = bench.rng().random_range(0..6);
                        pair.moderate(bench, vector, ticks)?;
                    }
                    2 => {
                        let cfg = [ENABLED, ENABLED, ENABLED, ENABLED | MASKED, 0];
                        let choice = bench.rng().random_range(0..cfg.len());
                        pair.enable(bench, cfg[choice]);
                    }
                    3 => pair.mask(bench, vector, true)?,
                    4..7 => pair.mask(bench, vector, false)?,
                    7..11 => pair.tick(bench),
                    _ => pair.events(bench, &[cq])?,
                }
                pair.compare(bench, &format!("step {step}"))?;
            }
            Ok(())
        });
    }
}
