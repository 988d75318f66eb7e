//! Receive queues on the emitted Verilog: random interleavings against a model, bad slots, bad doorbells.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, ChanSinkId, ChanSrcId, Item, Pattern};
use ferrowarp_tests::queue::{doorbell, of_item, status, Manner, QpRow, Slots};
use rand::seq::IndexedRandom;
use rand::Rng;
use std::collections::VecDeque;

/// Kind of a receive queue's doorbell.
const RQ: u64 = 1;
/// Queue pairs of the bench.
const QPS: usize = 16;

/// A work request as it stands in host memory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    num_sge: u8,
    /// IOVA, length, key.
    sges: [(u64, u32, u32); 3],
    manner: Manner,
}

impl Request {
    fn random(bench: &mut Bench, bad: u32) -> Self {
        let rng = bench.rng();
        let mut request = Self {
            num_sge: rng.random_range(0..=3),
            sges: [(); 3].map(|()| rng.random()),
            manner: Manner::Good,
        };
        if rng.random_range(0..100) < bad {
            match rng.random_range(0..5) {
                0 => request.num_sge = *[4, 5, 7, 8, 128, 255].choose(rng).unwrap(),
                1 => request.manner = Manner::Failed,
                2 => request.manner = Manner::Short,
                3 => request.manner = Manner::Ragged,
                _ => request.manner = Manner::Long,
            }
        }
        request
    }

    /// The slot: big-endian fields, random octets where nothing is said.
    fn slot(&self, bench: &mut Bench) -> Vec<u8> {
        let mut slot: Vec<u8> = (0..16).map(|_| bench.rng().random()).collect();
        slot[8] = self.num_sge;
        for (iova, length, key) in self.sges {
            slot.extend(iova.to_be_bytes());
            slot.extend(length.to_be_bytes());
            slot.extend(key.to_be_bytes());
        }
        slot
    }

    fn is_bad(&self) -> bool {
        self.manner != Manner::Good || self.num_sge > 3
    }
}

/// What a take was told.
struct Answer {
    found: bool,
    bad: bool,
    index: u64,
    request: Request,
}

impl Answer {
    fn of(item: &Item) -> Self {
        let widths = [1, 32, 2, 64, 32, 32, 64, 32, 32, 64, 32, 32, 1];
        let [found, index, n, a0, l0, k0, a1, l1, k1, a2, l2, k2, bad] = of_item(item, widths);
        let sge = |a, l, k| (a, l as u32, k as u32);
        let sges = [sge(a0, l0, k0), sge(a1, l1, k1), sge(a2, l2, k2)];
        let request = Request { num_sge: n as u8, sges, manner: Manner::Good };
        Self { found: found == 1, bad: bad == 1, index, request }
    }
}

/// A queue pair as software sees it.
#[derive(Clone, Default)]
struct Qp {
    base: u64,
    log2: u32,
    /// Index of the first request that was not taken.
    taken: u32,
    /// Index after the last one written.
    written: u32,
    /// Those between.
    queue: VecDeque<Request>,
}

/// A doorbell or take under way, in the order of its channel.
struct Rig {
    part: &'static str,
    first: u32,
    rows: ChanSrcId,
    bells: ChanSrcId,
    takes: ChanSrcId,
    rqes: ChanSinkId,
    bads: ChanSinkId,
    slots: Slots,
    qps: Vec<Qp>,
    /// Queue pair and index of every doorbell put.
    rung: Vec<(usize, u32)>,
    /// Queue pair of every take put, and whether its request was in the store before.
    asked: VecDeque<(usize, bool)>,
    found: u64,
    empty: u64,
    spoilt: u64,
    pulses: u64,
}

impl Rig {
    fn new(bench: &mut Bench, part: &'static str, first: u32, pattern: Pattern) -> Self {
        let name = |port: &str| format!("{part}_{port}");
        Self {
            part,
            first,
            rows: bench.channel_source(&name("qpw"), pattern),
            bells: bench.channel_source(&name("db"), pattern),
            takes: bench.channel_source(&name("take"), pattern),
            rqes: bench.channel_sink(&name("rqe"), pattern),
            bads: bench.channel_sink(&name("bad"), pattern),
            slots: Slots::new(bench, &name("rd"), pattern),
            qps: vec![Qp::default(); QPS],
            rung: vec![],
            asked: VecDeque::new(),
            found: 0,
            empty: 0,
            spoilt: 0,
            pulses: 0,
        }
    }

    fn step(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.slots.step(bench)?;
        bench.step();
        self.pulses += bench.get(&format!("{}_bad_db", self.part));
        for answer in bench.taken(self.rqes) {
            self.judge(bench, &Answer::of(&answer))?;
        }
        Ok(())
    }

    fn steps(&mut self, bench: &mut Bench, cycles: u64) -> Result<(), String> {
        (0..cycles).try_for_each(|_| self.step(bench))
    }

    fn until(
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

    /// Writes a row with a ring of its own.
    fn setup(&mut self, bench: &mut Bench, qp: usize, log2: u32, state: u64) -> Result<(), String> {
        let base = (1 << 40) * (qp as u64 + 1) + 64 * u64::from(bench.rng().random::<u32>());
        let low = bench.rng().random_range(0..64);
        self.qps[qp] = Qp { base, log2, taken: self.first, written: self.first, queue: VecDeque::new() };
        let row = QpRow { state, rq_base: base + low, rq_log2: log2.into(), ..QpRow::default() };
        bench.put(self.rows, row.of(qp as u64));
        self.until(bench, "row", |r, b| b.put_all(r.rows))
    }

    fn room(&self, qp: usize) -> u32 {
        (1 << self.qps[qp].log2) - self.qps[qp].queue.len() as u32
    }

    /// Writes `count` requests and rings for them.
    fn post(&mut self, bench: &mut Bench, qp: usize, count: u32, bad: u32) {
        for _ in 0..count {
            let request = Request::random(bench, bad);
            let q = &mut self.qps[qp];
            let addr = q.base + 64 * u64::from(q.written & ((1 << q.log2) - 1));
            q.written = q.written.wrapping_add(1);
            q.queue.push_back(request.clone());
            let octets = request.slot(bench);
            self.slots.put(addr, octets, request.manner);
        }
        self.rung.push((qp, self.qps[qp].written));
        bench.put(self.bells, doorbell(RQ, false, qp as u64, self.qps[qp].written));
    }

    fn take(&mut self, bench: &mut Bench, qp: usize) {
        let before = self.asked.iter().filter(|(q, _)| *q == qp).count();
        self.asked.push_back((qp, self.stored(bench, qp) > before));
        bench.put(self.takes, Item::new().with("qp", qp as u64));
    }

    /// Requests of a queue pair in the store.
    fn stored(&self, bench: &Bench, qp: usize) -> usize {
        let bit = |port: &str| bench.get(&format!("{}_{port}", self.part)) >> qp & 1;
        (bit("there") + bit("two")) as usize
    }

    /// Requests that were rung, and will be in the store.
    fn to_come(&self, bench: &Bench, qp: usize) -> bool {
        bench.get(&format!("{}_to_come", self.part)) >> qp & 1 == 1
    }

    /// Takes all that was rung of a queue pair, and once more.
    fn take_all(&mut self, bench: &mut Bench, qp: usize) -> Result<(), String> {
        for _ in 0..self.qps[qp].queue.len() {
            self.until(bench, "a request in the store", |r, b| r.asked.is_empty() && r.stored(b, qp) > 0)?;
            self.take(bench, qp);
        }
        self.until(bench, "the last", |r, _| r.asked.is_empty())?;
        if self.stored(bench, qp) > 0 || self.to_come(bench, qp) {
            return Err(format!("queue pair {qp} has more than was rung"));
        }
        self.take(bench, qp);
        self.quiet(bench)
    }

    fn judge(&mut self, bench: &Bench, answer: &Answer) -> Result<(), String> {
        let (qp, is_sure) = self.asked.pop_front().ok_or("an answer that nobody asked for")?;
        let most = self.rung.iter().rev().find(|(q, _)| *q == qp);
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
        q.taken = q.taken.wrapping_add(1);
        let wanted = q.queue.pop_front().ok_or(format!("{at}: found what was never written"))?;
        if answer.index != u64::from(taken) {
            return Err(format!("{at}: the answer has index {}", answer.index));
        }
        if answer.bad != wanted.is_bad() {
            return Err(format!("{at}: bad is {}, of {wanted:?}", answer.bad));
        }
        self.spoilt += u64::from(answer.bad);
        if !answer.bad && answer.request != wanted {
            return Err(format!("{at}: {:?} instead of {wanted:?}", answer.request));
        }
        Ok(())
    }

    fn quiet(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.until(bench, "quiet", |r, b| b.put_all(r.bells) && r.asked.is_empty() && !r.slots.open(b))?;
        self.steps(bench, 40)
    }
}

/// Random rings, doorbells, takes and rows on all queue pairs.
fn random(bench: &mut Bench, part: &'static str, first: u32) -> Result<(), String> {
    let pattern = *Pattern::ALL.choose(bench.rng()).unwrap();
    let mut rig = Rig::new(bench, part, first, pattern);
    rig.slots.slowest = *[2, 40, 300].choose(bench.rng()).unwrap();
    for qp in 0..QPS {
        let log2 = *[0, 1, 2, 3, 5].choose(bench.rng()).unwrap();
        rig.setup(bench, qp, log2, 1)?;
    }
    for _ in 0..600 {
        let qp = bench.rng().random_range(0..QPS);
        match bench.rng().random_range(0..100) {
            0..45 if rig.room(qp) > 0 => {
                let count = bench.rng().random_range(1..=rig.room(qp));
                rig.post(bench, qp, count, 10);
            }
            45..90 => {
                // one take of two waits for its request, as who takes does
                if bench.rng().random() && rig.qps[qp].queue.len() > rig.asked.len() {
                    rig.until(bench, "a request in the store", |r, b| {
                        r.stored(b, qp) > 0 || !r.asked.is_empty() || !b.put_all(r.bells)
                    })?;
                }
                rig.take(bench, qp);
            }
            90 => {
                // with reads under way, which the row has to wait for
                let settled = rig.asked.iter().all(|(q, _)| *q != qp) && bench.put_all(rig.bells);
                if settled {
                    let log2 = bench.rng().random_range(0..4);
                    rig.setup(bench, qp, log2, 1)?;
                    rig.rung.iter_mut().filter(|(q, _)| *q == qp).for_each(|(_, index)| *index = first);
                }
            }
            _ => {}
        }
        let cycles = bench.rng().random_range(0..30);
        rig.steps(bench, cycles)?;
    }
    rig.quiet(bench)?;
    for qp in 0..QPS {
        rig.take_all(bench, qp)?;
    }
    let left: usize = rig.qps.iter().map(|q| q.queue.len()).sum();
    if left > 0 || rig.pulses > 0 || bench.waiting_items(rig.bads) > 0 {
        return Err(format!("{left} requests left, {} doorbells refused", rig.pulses));
    }
    if rig.found < 100 || rig.empty < 16 || rig.spoilt == 0 || rig.slots.overlapped == 0 {
        return Err(format!("found {}, empty {}, bad {}: too few", rig.found, rig.empty, rig.spoilt));
    }
    Ok(())
}

#[test]
fn random_interleavings() {
    for seed in seeds(0..12, 0..300) {
        run_case("queue-rq-random", Top::QueueW64, seed, |bench| random(bench, "rq", 0));
    }
}

#[test]
fn indices_wrap_at_two_to_the_32() {
    for seed in seeds(0..6, 0..100) {
        run_case("queue-rq-wrap", Top::QueueW64, seed, |bench| random(bench, "rqwrap", 0xFFFF_FFF0));
    }
}

/// Rings `value` on `qp`; whether it was refused, and the queue pair that was to stop.
fn ring(rig: &mut Rig, bench: &mut Bench, qp: u64, value: u32) -> Result<(u64, Option<u64>), String> {
    let before = rig.pulses;
    bench.put(rig.bells, doorbell(RQ, false, qp, value));
    rig.rung.push((usize::MAX, 0));
    rig.steps(bench, 30)?;
    let faults = bench.taken(rig.bads);
    let fault = faults.first().map(|f| of_item(f, [8, 16, 8, 1, 32, 1]));
    if let Some([_, error, why, is_local, _, has_wr]) = fault {
        assert_eq!((error, why, is_local, has_wr), (0, status::LOC_QP_OP_ERR, 1, 0));
    }
    assert!(faults.len() < 2);
    Ok((rig.pulses - before, fault.map(|f| f[0])))
}

#[test]
fn an_impossible_doorbell_changes_nothing_and_stops_its_queue_pair() {
    run_case("queue-rq-doorbells", Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench, "rq", 0, Pattern::None);
        rig.setup(bench, 3, 2, 1)?;
        // no such queue pair; one that was never set up
        assert_eq!(ring(&mut rig, bench, 16, 1)?, (1, None));
        assert_eq!(ring(&mut rig, bench, 0x8003, 1)?, (1, None));
        assert_eq!(ring(&mut rig, bench, 4, 1)?, (1, None));
        // beyond the ring, with nothing and with something in it
        assert_eq!(ring(&mut rig, bench, 3, 5)?, (1, Some(3)));
        assert_eq!(ring(&mut rig, bench, 3, 0x8000_0000)?, (1, Some(3)));
        assert_eq!(ring(&mut rig, bench, 3, u32::MAX)?, (1, Some(3)));
        rig.post(bench, 3, 2, 0);
        rig.steps(bench, 300)?;
        rig.take(bench, 3);
        rig.quiet(bench)?;
        assert_eq!(ring(&mut rig, bench, 3, 6)?, (1, Some(3)), "five from the first not taken");
        assert_eq!(ring(&mut rig, bench, 3, 1)?, (1, Some(3)), "less than what was rung");
        assert_eq!(ring(&mut rig, bench, 3, 0)?, (1, Some(3)), "less than what was taken");
        assert_eq!(ring(&mut rig, bench, 3, 2)?, (0, None), "the same again");
        // nothing was changed by all that
        rig.post(bench, 3, 3, 0);
        rig.quiet(bench)?;
        rig.take_all(bench, 3)?;
        assert_eq!((rig.found, rig.empty), (5, 1));
        Ok(())
    });
}

#[test]
fn a_ring_that_is_impossible_or_not_ready_takes_no_doorbell() {
    run_case("queue-rq-rows", Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench, "rq", 0, Pattern::None);
        for (log2, state) in [(16, 1), (255, 1), (2, 0), (2, 2), (2, 3)] {
            let row = QpRow { state, rq_base: 64, rq_log2: log2, ..QpRow::default() };
            bench.put(rig.rows, row.of(7));
            rig.steps(bench, 60)?;
            assert_eq!(ring(&mut rig, bench, 7, 1)?, (1, None), "log2 {log2}, state {state}");
            rig.take(bench, 7);
            rig.quiet(bench)?;
        }
        assert_eq!(rig.empty, 5);
        Ok(())
    });
}

#[test]
fn a_dead_queue_pair_takes_no_doorbell_and_says_nothing() {
    run_case("queue-rq-dead", Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench, "rq", 0, Pattern::None);
        rig.setup(bench, 5, 3, 1)?;
        rig.setup(bench, 6, 3, 1)?;
        bench.set("rq_dead", 1 << 5);
        assert_eq!(ring(&mut rig, bench, 5, 1)?, (0, None));
        assert_eq!(ring(&mut rig, bench, 5, 100)?, (0, None));
        rig.take(bench, 5);
        rig.post(bench, 6, 8, 0);
        rig.quiet(bench)?;
        rig.take_all(bench, 6)?;
        assert_eq!((rig.found, rig.empty), (8, 2), "another one works on");
        bench.set("rq_dead", 0);
        rig.setup(bench, 5, 3, 1)?;
        rig.post(bench, 5, 8, 0);
        rig.quiet(bench)?;
        rig.take_all(bench, 5)?;
        assert_eq!((rig.found, rig.empty), (16, 3));
        Ok(())
    });
}

#[test]
fn a_take_is_answered_at_once_whatever_is_being_read() {
    run_case("queue-rq-wait", Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench, "rq", 0, Pattern::None);
        rig.setup(bench, 1, 4, 1)?;
        rig.setup(bench, 2, 4, 1)?;
        rig.slots.slowest = 1;
        rig.post(bench, 1, 3, 0);
        rig.quiet(bench)?;
        assert_eq!((rig.stored(bench, 1), rig.to_come(bench, 1)), (2, true), "two places");
        // a read that is never answered while it is looked at
        rig.slots.slowest = u64::MAX / 2;
        rig.post(bench, 2, 2, 0);
        rig.steps(bench, 20)?;
        assert_eq!((rig.stored(bench, 2), rig.to_come(bench, 2)), (0, true));
        rig.take(bench, 2);
        (0..2).for_each(|_| rig.take(bench, 1));
        rig.steps(bench, 60)?;
        assert_eq!((rig.found, rig.empty), (2, 1));
        assert_eq!((rig.stored(bench, 1), rig.to_come(bench, 1)), (0, true));
        // of a queue pair in error nothing comes any more
        bench.set("rq_dead", 1 << 2);
        rig.steps(bench, 2)?;
        assert!(!rig.to_come(bench, 2));
        bench.set("rq_dead", 0);
        rig.slots.hurry();
        rig.quiet(bench)?;
        assert_eq!((rig.stored(bench, 2), rig.to_come(bench, 2)), (2, false));
        rig.take_all(bench, 2)?;
        rig.take_all(bench, 1)?;
        assert_eq!((rig.found, rig.empty), (5, 3));
        Ok(())
    });
}

#[test]
fn the_stated_latency_and_pace() {
    run_case("queue-rq-latency", Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench, "rq", 0, Pattern::None);
        rig.slots.slowest = 1;
        for qp in 0..QPS {
            rig.setup(bench, qp, 1, 1)?;
            rig.post(bench, qp, 2, 0);
        }
        rig.quiet(bench)?;
        let mut last = 0;
        for qp in 0..QPS {
            rig.take(bench, qp);
            last = bench.cycle();
        }
        rig.until(bench, "one", |r, _| r.found == 1)?;
        let first = bench.channel_sink_rate(rig.rqes).first_cycle;
        assert_eq!(first - last, 11, "from the offer of a take to its answer");
        rig.quiet(bench)?;
        let rate = bench.channel_sink_rate(rig.rqes);
        assert_eq!((rate.last_cycle - rate.first_cycle) / (QPS as u64 - 1), 12, "cycles a take");
        Ok(())
    });
}
