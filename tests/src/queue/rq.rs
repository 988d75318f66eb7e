// SPDX-License-Identifier: MIT OR Apache-2.0
//! A receive queue on its ports beside a model that reads the same blocks.
mod request;

use super::{doorbell, Blocks, Manner, QpRow};
use crate::record::Record;
use ferrowarp_hdl::record::Rqe;
use ferrowarp_sim::{Bench, ChanSinkId, ChanSrcId, Item, Pattern};
use rand::Rng;
use request::Part;
pub use request::{Request, Sge};
use std::collections::VecDeque;

/// Kind of a receive queue's doorbell.
pub const RQ: u64 = 1;
/// Queue pairs of the bench.
pub const QPS: usize = 16;

/// What a take must be told.
struct Wanted {
    is_bad: bool,
    num_sge: u64,
    /// Those that its blocks have room for.
    sges: Vec<Sge>,
}

impl Wanted {
    /// The request at the front of what was rung, which leaves; the number of blocks that left.
    fn pop(rung: &mut VecDeque<Part>) -> Option<(Self, u32)> {
        let (mut octets, manner) = rung.pop_front()?;
        let mut is_bad = manner != Manner::Good;
        let mut taken = 1;
        if !is_bad && octets[1] == 2 {
            match rung.pop_front() {
                Some((more, manner)) => {
                    octets.extend(more);
                    is_bad = manner != Manner::Good;
                    taken = 2;
                }
                None => is_bad = true,
            }
        }
        let number = |at: usize, n: usize| octets[at..at + n].iter().fold(0, |v, &o| v << 8 | u64::from(o));
        let room = if taken == 2 { 3 } else { 1 };
        is_bad |= octets[0] > room || !matches!(octets[1], 1 | 2) || number(2, 2) != 0;
        let sge = |at| (number(at, 8), number(at + 8, 4) as u32, number(at + 12, 4) as u32);
        let sges = (0..usize::from(room)).map(|i| sge(16 + 16 * i)).collect();
        Some((Self { is_bad, num_sge: octets[0].into(), sges }, taken))
    }
}

/// What a take was told.
struct Answer {
    found: bool,
    bad: bool,
    index: u64,
    num_sge: u64,
    sges: [Sge; 3],
}

impl Answer {
    fn of(item: &Item) -> Self {
        let rqe = Record::<Rqe>::of_item(item);
        let sges = [0, 1, 2].map(|n| {
            let [to, length, key] = ["to", "length", "key"].map(|field| rqe.get(&format!("sge{n}.{field}")));
            (to, length as u32, key as u32)
        });
        let (index, num_sge) = (rqe.get("index"), rqe.get("num_sge"));
        Self { found: rqe.is("found"), bad: rqe.is("bad"), index, num_sge, sges }
    }
}

/// A queue pair as software sees it.
#[derive(Clone, Default)]
pub struct Qp {
    base: u64,
    log2: u32,
    /// Index of the first block that was not taken.
    pub taken: u32,
    /// Index after the last one rung.
    pub written: u32,
    /// Blocks between.
    rung: VecDeque<Part>,
}

impl Qp {
    /// Address of a block.
    pub fn addr(&self, index: u32) -> u64 {
        self.base + 32 * u64::from(index & ((1 << self.log2) - 1))
    }
}

/// The ports of a receive queue, and the model.
pub struct Rig {
    part: &'static str,
    first: u32,
    /// Rows.
    pub rows: ChanSrcId,
    /// Doorbells.
    pub bells: ChanSrcId,
    takes: ChanSrcId,
    /// Answers to takes.
    pub rqes: ChanSinkId,
    /// Faults.
    pub bads: ChanSinkId,
    /// Host memory.
    pub blocks: Blocks,
    /// Queue pairs.
    pub qps: Vec<Qp>,
    /// Queue pair and index of every doorbell put.
    pub bells_put: Vec<(usize, u32)>,
    /// Queue pair of every take put, and whether its request was in the store before.
    pub asked: VecDeque<(usize, bool)>,
    /// Takes that found a request.
    pub found: u64,
    /// Of them those of two blocks, and of them those across the end of their ring.
    pub wide: [u64; 2],
    /// Takes that found none.
    pub empty: u64,
    /// Bad requests.
    pub spoilt: u64,
    /// Doorbells refused.
    pub pulses: u64,
}

impl Rig {
    /// The part of this name, whose indices begin at `first`.
    pub fn new(bench: &mut Bench, part: &'static str, first: u32, pattern: Pattern) -> Self {
        let name = |port: &str| format!("{part}_{port}");
        Self {
            part,
            first,
            rows: bench.channel_source(&name("qpw"), pattern),
            bells: bench.channel_source(&name("db"), pattern),
            takes: bench.channel_source(&name("take"), pattern),
            rqes: bench.channel_sink(&name("rqe"), pattern),
            bads: bench.channel_sink(&name("bad"), pattern),
            blocks: Blocks::new(bench, &name("rd"), pattern),
            qps: vec![Qp::default(); QPS],
            bells_put: vec![],
            asked: VecDeque::new(),
            found: 0,
            wide: [0; 2],
            empty: 0,
            spoilt: 0,
            pulses: 0,
        }
    }

    /// One cycle.
    pub fn step(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.blocks.step(bench)?;
        bench.step();
        self.pulses += bench.get(&format!("{}_bad_db", self.part));
        for answer in bench.taken(self.rqes) {
            self.judge(bench, &Answer::of(&answer))?;
        }
        Ok(())
    }

    /// So many cycles.
    pub fn steps(&mut self, bench: &mut Bench, cycles: u64) -> Result<(), String> {
        (0..cycles).try_for_each(|_| self.step(bench))
    }

    /// Until this holds.
    pub fn until(
        &mut self,
        bench: &mut Bench,
        what: &str,
        done: impl Fn(&Self, &Bench) -> bool,
    ) -> Result<(), String> {
        for _ in 0..100_000 {
            if done(self, bench) {
                return Ok(());
            }
            self.step(bench)?;
        }
        Err(format!("{what}: not in 100000 cycles\n{}", bench.dump()))
    }

    /// Offers a row with a ring of its own.
    pub fn offer_row(&mut self, bench: &mut Bench, qp: usize, log2: u32, state: u64) {
        let base = (1 << 40) * (qp as u64 + 1) + 32 * u64::from(bench.rng().random::<u32>());
        let low = bench.rng().random_range(0..32);
        self.qps[qp] = Qp { base, log2, taken: self.first, written: self.first, rung: VecDeque::new() };
        let row = QpRow { state, rq_base: base + low, rq_log2: log2.into(), ..QpRow::default() };
        bench.put(self.rows, row.of(qp as u64));
    }

    /// Writes a row with a ring of its own.
    pub fn setup(&mut self, bench: &mut Bench, qp: usize, log2: u32, state: u64) -> Result<(), String> {
        self.offer_row(bench, qp, log2, state);
        self.until(bench, "row", |r, b| b.put_all(r.rows))
    }

    /// Free blocks of a ring.
    pub fn room(&self, qp: usize) -> usize {
        (1 << self.qps[qp].log2) - self.qps[qp].rung.len()
    }

    /// No block of a ring was rung and not taken.
    pub fn is_empty(&self, qp: usize) -> bool {
        self.qps[qp].rung.is_empty()
    }

    /// Writes a request behind what was rung, and counts `count` of its blocks as rung.
    pub fn write(&mut self, bench: &mut Bench, qp: usize, request: &Request, count: u32) {
        let parts = request.parts(bench);
        let q = &mut self.qps[qp];
        for (i, (octets, manner)) in (0..).zip(parts) {
            self.blocks.put(q.addr(q.written.wrapping_add(i)), octets.clone(), manner);
            if i < count {
                q.rung.push_back((octets, manner));
            }
        }
        q.written = q.written.wrapping_add(count);
    }

    /// Rings for what was written.
    pub fn bell(&mut self, bench: &mut Bench, qp: usize) {
        let value = self.qps[qp].written;
        self.bells_put.push((qp, value));
        bench.put(self.bells, doorbell(RQ, false, qp as u64, value));
    }

    /// Rings for the block in memory behind what was rung.
    pub fn ring_rest(&mut self, bench: &mut Bench, qp: usize) {
        let q = &mut self.qps[qp];
        q.rung.extend(self.blocks.at(q.addr(q.written)));
        q.written = q.written.wrapping_add(1);
        self.bell(bench, qp);
    }

    /// Writes a request and rings for it.
    pub fn post_one(&mut self, bench: &mut Bench, qp: usize, request: &Request) {
        self.write(bench, qp, request, if request.blocks == 2 { 2 } else { 1 });
        self.bell(bench, qp);
    }

    /// Writes requests of `count` blocks in all, `bad` of a hundred of them spoilt, and rings once.
    pub fn post(&mut self, bench: &mut Bench, qp: usize, count: usize, bad: u32) {
        let mut left = count;
        while left > 0 {
            let request = Request::random(bench, left, bad);
            let blocks = if request.blocks == 2 { 2 } else { 1 };
            self.write(bench, qp, &request, blocks);
            left -= blocks as usize;
        }
        self.bell(bench, qp);
    }

    /// Writes good requests of one block each, and rings once.
    pub fn post_single(&mut self, bench: &mut Bench, qp: usize, count: usize) {
        for _ in 0..count {
            let request = Request::random(bench, 1, 0);
            self.write(bench, qp, &request, 1);
        }
        self.bell(bench, qp);
    }

    /// Offers a take.
    pub fn take(&mut self, bench: &mut Bench, qp: usize) {
        let before = self.asked.iter().filter(|(q, _)| *q == qp).count();
        self.asked.push_back((qp, self.stored(bench, qp) > before));
        bench.put(self.takes, Item::new().with("item", qp as u64));
    }

    /// Requests of a queue pair in the store.
    pub fn stored(&self, bench: &Bench, qp: usize) -> usize {
        let bit = |port: &str| bench.get(&format!("{}_{port}", self.part)) >> qp & 1;
        (bit("there") + bit("two")) as usize
    }

    /// Requests that were rung, and will be in the store.
    pub fn to_come(&self, bench: &Bench, qp: usize) -> bool {
        bench.get(&format!("{}_to_come", self.part)) >> qp & 1 == 1
    }

    /// Takes all that was rung of a queue pair, and once more.
    pub fn take_all(&mut self, bench: &mut Bench, qp: usize) -> Result<(), String> {
        while !self.is_empty(qp) {
            self.until(bench, "a request in the store", |r, b| r.stored(b, qp) > 0)?;
            self.take(bench, qp);
            self.until(bench, "an answer", |r, _| r.asked.is_empty())?;
        }
        if self.stored(bench, qp) > 0 || self.to_come(bench, qp) {
            return Err(format!("queue pair {qp} has more than was rung"));
        }
        self.take(bench, qp);
        self.quiet(bench)
    }

    fn judge(&mut self, bench: &Bench, answer: &Answer) -> Result<(), String> {
        let (qp, is_sure) = self.asked.pop_front().ok_or("an answer that nobody asked for")?;
        let most = self.bells_put.iter().rev().find(|(q, _)| *q == qp);
        let q = &mut self.qps[qp];
        let at = format!("cycle {}, qp {qp}, index {}", bench.cycle(), q.taken);
        let (most, taken) = (most.map_or(q.taken, |(_, index)| *index), q.taken);
        if !answer.found {
            self.empty += 1;
            return match is_sure {
                true => Err(format!("{at}: nothing found of what was in the store")),
                false => Ok(()),
            };
        }
        if most == taken {
            return Err(format!("{at}: found what was never rung"));
        }
        self.found += 1;
        let (wanted, blocks) =
            Wanted::pop(&mut q.rung).ok_or(format!("{at}: found what was never written"))?;
        q.taken = taken.wrapping_add(blocks);
        if blocks == 2 {
            self.wide[0] += 1;
            self.wide[1] += u64::from(q.addr(taken.wrapping_add(1)) == q.base);
        }
        if answer.index != u64::from(taken) {
            return Err(format!("{at}: the answer has index {}", answer.index));
        }
        if answer.bad != wanted.is_bad {
            return Err(format!("{at}: bad is {}, of {} SGEs", answer.bad, wanted.num_sge));
        }
        self.spoilt += u64::from(answer.bad);
        let told = (answer.num_sge, &answer.sges[..wanted.sges.len()]);
        if !answer.bad && told != (wanted.num_sge, &wanted.sges[..]) {
            return Err(format!("{at}: {told:x?} instead of {:x?}", wanted.sges));
        }
        Ok(())
    }

    /// Until all that was offered is done.
    pub fn quiet(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.until(bench, "quiet", |r, b| b.put_all(r.bells) && r.asked.is_empty() && !r.blocks.open(b))?;
        self.steps(bench, 40)
    }
}
