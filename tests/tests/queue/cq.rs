// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion queues on the emitted Verilog: random interleavings, phases, arm races, overrun, bad
//! doorbells.
mod arms;

use ferrowarp_hdl::record::CqWrite;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, ChanSinkId, ChanSrcId, Item, Pattern};
use ferrowarp_tests::queue::{doorbell, event, event_of, status, Completion, Posted};
use ferrowarp_tests::record::Record;
use rand::seq::IndexedRandom;
use rand::Rng;
use std::collections::VecDeque;

const CONSUMER: u64 = 2;
const ARM: u64 = 3;
/// Completion queues of the bench.
const CQS: usize = 16;

/// A completion queue as software sees it. Indices count from 0, whatever the hardware's first one
/// is.
#[derive(Clone, Default)]
struct Queue {
    base: u64,
    log2: u32,
    /// Completions put, by client, that were not written.
    under_way: usize,
    /// What was written.
    entries: Vec<Completion>,
    /// Entries that the last doorbell gave back.
    freed: usize,
    /// Armed at this index, for solicited ones only or for any.
    armed: Option<(usize, bool)>,
    events: usize,
}

struct Rig {
    part: &'static str,
    first: u32,
    rows: ChanSrcId,
    bells: ChanSrcId,
    clients: [ChanSrcId; 3],
    events: ChanSinkId,
    written: Posted,
    put: [VecDeque<Completion>; 3],
    queues: Vec<Queue>,
    overs: Vec<u64>,
    told: Vec<[u64; 4]>,
    lost: u64,
    refused: u64,
    next_wr: u64,
}

impl Rig {
    fn new(bench: &mut Bench, part: &'static str, first: u32, random: bool) -> Self {
        let mut pattern = || match random {
            true => *Pattern::ALL.choose(bench.rng()).unwrap(),
            false => Pattern::None,
        };
        let patterns = [(); 9].map(|()| pattern());
        let name = |port: &str| format!("{part}_{port}");
        Self {
            part,
            first,
            rows: bench.channel_source(&name("cqw"), patterns[0]),
            bells: bench.channel_source(&name("db"), patterns[1]),
            clients: [0, 1, 2].map(|i| bench.channel_source(&name(&format!("from_{i}")), patterns[2 + i])),
            events: bench.channel_sink(&name("event"), patterns[5]),
            written: Posted::new(bench, &name("cqe"), [patterns[6], patterns[7]]),
            put: Default::default(),
            queues: vec![Queue::default(); CQS],
            overs: vec![],
            told: vec![],
            lost: 0,
            refused: 0,
            next_wr: 1,
        }
    }

    fn step(&mut self, bench: &mut Bench) -> Result<(), String> {
        bench.step();
        let get = |port: &str| bench.get(&format!("{}_{port}", self.part));
        self.lost += get("lost");
        self.refused += get("bad_db");
        if get("over_valid") == 1 {
            self.overs.push(get("over_cq"));
        }
        for (addr, entry) in self.written.taken(bench, 32)? {
            self.entry(addr, &entry).map_err(|why| format!("cycle {}: {why}", bench.cycle()))?;
        }
        for item in bench.taken(self.events) {
            let event = event_of(&item);
            self.told.push(event);
            self.event(event).map_err(|why| format!("cycle {}: {why}", bench.cycle()))?;
        }
        Ok(())
    }

    fn steps(&mut self, bench: &mut Bench, cycles: u64) -> Result<(), String> {
        (0..cycles).try_for_each(|_| self.step(bench))
    }

    /// The entry is the next one of one client, at the next slot, with the right phase.
    fn entry(&mut self, addr: u64, octets: &[u8]) -> Result<(), String> {
        let of = |q: &Queue| addr >= q.base && addr < q.base + (32 << q.log2);
        let cq = self.queues.iter().position(of).ok_or(format!("a write to 0x{addr:x}"))?;
        let q = &mut self.queues[cq];
        let index = q.entries.len();
        let slot = q.base + 32 * (index as u64 & ((1 << q.log2) - 1));
        if addr != slot {
            return Err(format!("cq {cq}: entry {index} at 0x{addr:x}, not at 0x{slot:x}"));
        }
        if index - q.freed >= 1 << q.log2 {
            return Err(format!("cq {cq}: entry {index} overwrites one that was not given back"));
        }
        let phase = u8::from((index >> q.log2).is_multiple_of(2));
        let fits = |put: &VecDeque<Completion>| {
            put.front().is_some_and(|c| c.cq == cq as u64 && c.entry(phase) == octets)
        };
        let client = self.put.iter().position(fits);
        let client = client.ok_or(format!("cq {cq}: entry {index} is {octets:02x?}, of no client"))?;
        q.entries.extend(self.put[client].pop_front());
        q.under_way -= 1;
        Ok(())
    }

    /// A notify follows an arm and an entry that it was armed for, which was handed over.
    fn event(&mut self, [kind, number, error, info]: [u64; 4]) -> Result<(), String> {
        if kind == event::CQ_OVERRUN {
            return Ok(());
        }
        let q = &mut self.queues[number as usize];
        let producer = (info as u32).wrapping_sub(self.first) as usize;
        let (from, solicited) =
            q.armed.take().ok_or(format!("cq {number}: an event, but it was not armed"))?;
        q.events += 1;
        if kind != event::CQ_NOTIFY || error != 0 || producer > q.entries.len() {
            return Err(format!("cq {number}: event {kind}, {error}, {producer} of {}", q.entries.len()));
        }
        match q.entries[from.min(producer)..producer].iter().any(|c| c.wakes() || !solicited) {
            true => Ok(()),
            false => Err(format!("cq {number}: an event for [{from}, {producer}), where nothing wakes")),
        }
    }

    fn row(cq: u64, base: u64, log2: u64, valid: u64) -> Item {
        let row = Record::<CqWrite>::new().with("cq", cq).with("row.base", base);
        row.with("row.log2", log2).with("row.is_valid", valid).item()
    }

    fn setup(&mut self, bench: &mut Bench, cq: usize, log2: u32) -> Result<(), String> {
        let base = (1 << 40) * (cq as u64 + 1) + 32 * u64::from(bench.rng().random::<u32>());
        let low = bench.rng().random_range(0..32);
        self.queues[cq] = Queue { base, log2, ..Queue::default() };
        bench.put(self.rows, Self::row(cq as u64, base + low, log2.into(), 1));
        self.quiet(bench)
    }

    fn quiet(&mut self, bench: &mut Bench) -> Result<(), String> {
        for _ in 0..20_000 {
            let idle = bench.put_all(self.bells)
                && bench.put_all(self.rows)
                && self.clients.iter().all(|&c| bench.put_all(c));
            if idle {
                return self.steps(bench, 150);
            }
            self.step(bench)?;
        }
        Err(format!("not quiet\n{}", bench.dump()))
    }

    /// A completion of random fields for `cq`.
    fn complete(&mut self, bench: &mut Bench, cq: usize, client: usize) {
        let rng = bench.rng();
        let good = rng.random_range(0..10) > 0;
        let completion = Completion {
            cq: cq as u64,
            index: u64::from(rng.random::<u8>()) << 24 | self.next_wr,
            byte_len: rng.random::<u32>().into(),
            qp: rng.random::<u16>().into(),
            status: if good { 0 } else { rng.random_range(1..=10) },
            opcode: rng.random_range(0..8),
            invalidated_stag: rng.random::<u32>().into(),
            error: rng.random::<u16>().into(),
            is_recv: rng.random_range(0..2),
            is_solicited: u64::from(rng.random_range(0..4) == 0),
            has_invalidate: rng.random_range(0..2),
            has_wr: rng.random_range(0..2),
        };
        self.next_wr += 1;
        bench.put(self.clients[client], completion.item());
        self.put[client].push_back(completion);
        self.queues[cq].under_way += 1;
    }

    fn bell(&mut self, bench: &mut Bench, kind: u64, solicited: bool, cq: usize, index: usize) {
        let value = self.first.wrapping_add(index as u32);
        bench.put(self.bells, doorbell(kind, solicited, cq as u64, value));
    }
}

/// Random completions, doorbells and arms on all queues; software always makes room in time.
fn random(bench: &mut Bench, part: &'static str, first: u32) -> Result<(), String> {
    let mut rig = Rig::new(bench, part, first, true);
    for cq in 0..CQS {
        let log2 = *[0, 1, 2, 3].choose(bench.rng()).unwrap();
        rig.setup(bench, cq, log2)?;
    }
    let mut arms = 0;
    for _ in 0..700 {
        let cq = bench.rng().random_range(0..CQS);
        let settled = bench.put_all(rig.bells);
        let q = &rig.queues[cq];
        let (seen, freed, armed) = (q.entries.len(), q.freed, q.armed.is_some());
        match bench.rng().random_range(0..100) {
            0..60 if settled && q.under_way + seen - freed < 1 << q.log2 => {
                let client = bench.rng().random_range(0..3);
                rig.complete(bench, cq, client);
            }
            60..80 => {
                let to = bench.rng().random_range(freed..=seen);
                rig.queues[cq].freed = to;
                rig.bell(bench, CONSUMER, false, cq, to);
            }
            80..95 if !armed => {
                let solicited = bench.rng().random_range(0..2) == 1;
                rig.queues[cq].freed = seen;
                rig.queues[cq].armed = Some((seen, solicited));
                rig.bell(bench, ARM, solicited, cq, seen);
                arms += 1;
            }
            _ => {}
        }
        let cycles = bench.rng().random_range(0..12);
        rig.steps(bench, cycles)?;
    }
    rig.quiet(bench)?;
    if let Some(c) = rig.put.iter().flatten().next() {
        return Err(format!("never written: {c:?}"));
    }
    for (cq, q) in rig.queues.iter().enumerate() {
        if let Some((from, solicited)) = q.armed {
            if q.entries[from..].iter().any(|c| c.wakes() || !solicited) {
                return Err(format!("cq {cq}: no event for [{from}, {})", q.entries.len()));
            }
        }
    }
    let events: usize = rig.queues.iter().map(|q| q.events).sum();
    if (rig.lost, rig.refused, rig.overs.len()) != (0, 0, 0) || events < 10 || arms < 20 {
        return Err(format!("{} lost, {} refused, {events} events of {arms} arms", rig.lost, rig.refused));
    }
    Ok(())
}

#[test]
fn random_interleavings() {
    for seed in seeds(0..10, 0..300) {
        run_case("queue-cq-random", Top::QueueW64, seed, |bench| random(bench, "cq", 0));
    }
}

#[test]
fn indices_wrap_at_two_to_the_32() {
    for seed in seeds(0..5, 0..100) {
        run_case("queue-cq-wrap", Top::QueueW64, seed, |bench| random(bench, "cqwrap", 0xFFFF_FFF0));
    }
}

/// A rig with a queue of 4 entries, number 5.
fn small(name: &str, body: impl Fn(&mut Rig, &mut Bench) -> Result<(), String>) {
    run_case(&format!("queue-cq-{name}"), Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench, "cq", 0, false);
        rig.setup(bench, 5, 2)?;
        body(&mut rig, bench)
    });
}

#[test]
fn without_room_nothing_is_written_and_other_queues_go_on() {
    small("overrun", |rig, bench| {
        rig.setup(bench, 6, 3)?;
        (0..7).for_each(|i| rig.complete(bench, 5, i % 3));
        rig.quiet(bench)?;
        assert_eq!((rig.queues[5].entries.len(), rig.lost, rig.overs.as_slice()), (4, 3, [5; 3].as_slice()));
        assert_eq!(rig.told, [[event::CQ_OVERRUN, 5, 0, 4]], "one event");
        assert_eq!(bench.get("cq_usable"), 1 << 6);
        // room that comes too late does not heal it
        rig.bell(bench, CONSUMER, false, 5, 4);
        rig.put.iter_mut().for_each(VecDeque::clear);
        rig.complete(bench, 5, 0);
        rig.quiet(bench)?;
        assert_eq!((rig.queues[5].entries.len(), rig.lost, rig.told.len()), (4, 4, 1));
        rig.put.iter_mut().for_each(VecDeque::clear);
        (0..8).for_each(|i| rig.complete(bench, 6, i % 3));
        rig.quiet(bench)?;
        assert_eq!(rig.queues[6].entries.len(), 8);
        // a new row does; the phase begins anew
        rig.setup(bench, 5, 2)?;
        (0..4).for_each(|_| rig.complete(bench, 5, 1));
        rig.quiet(bench)?;
        assert_eq!((rig.queues[5].entries.len(), rig.lost, rig.refused), (4, 4, 0));
        Ok(())
    });
}

#[test]
fn an_armed_queue_without_room_tells_only_the_overrun() {
    small("armed-overrun", |rig, bench| {
        (0..4).for_each(|_| rig.complete(bench, 5, 0));
        rig.quiet(bench)?;
        rig.queues[5].armed = Some((4, false));
        rig.bell(bench, ARM, false, 5, 4);
        rig.quiet(bench)?;
        rig.queues[5].freed = 4;
        (0..4).for_each(|_| rig.complete(bench, 5, 2));
        rig.quiet(bench)?;
        assert_eq!(rig.told, [[event::CQ_NOTIFY, 5, 0, 5]], "one event for one arm");
        rig.complete(bench, 5, 2);
        rig.quiet(bench)?;
        assert_eq!(rig.told[1..], [[event::CQ_OVERRUN, 5, 0, 8]]);
        Ok(())
    });
}

#[test]
fn a_completion_for_no_queue_is_lost() {
    small("none", |rig, bench| {
        for cq in [16, 0x8005, 0xFFFF] {
            bench.put(rig.clients[0], Completion { cq, ..Completion::default() }.item());
        }
        rig.quiet(bench)?;
        assert_eq!((rig.lost, rig.overs.len(), rig.told.len()), (3, 0, 0), "no such number");
        bench.put(rig.clients[1], Completion { cq: 9, ..Completion::default() }.item());
        rig.quiet(bench)?;
        assert_eq!((rig.lost, rig.overs.as_slice()), (4, [9].as_slice()), "no row");
        assert_eq!(rig.told, [[event::CQ_OVERRUN, 9, 0, 0]]);
        for (log2, valid) in [(17, 1), (255, 1), (2, 0)] {
            bench.put(rig.rows, Rig::row(9, 64, log2, valid));
            rig.quiet(bench)?;
            bench.put(rig.clients[1], Completion { cq: 9, ..Completion::default() }.item());
            rig.quiet(bench)?;
        }
        assert_eq!((rig.lost, rig.told.len()), (7, 4));
        Ok(())
    });
}

#[test]
fn a_held_posted_fifo_holds_the_event_too() {
    small("held", |rig, bench| {
        rig.queues[5].armed = Some((0, false));
        rig.bell(bench, ARM, false, 5, 0);
        rig.quiet(bench)?;
        rig.written.hold(bench, true);
        rig.complete(bench, 5, 0);
        rig.steps(bench, 100)?;
        assert_eq!((rig.told.len(), rig.queues[5].entries.len()), (0, 0));
        rig.written.hold(bench, false);
        rig.quiet(bench)?;
        assert_eq!((rig.told.len(), rig.queues[5].entries.len()), (1, 1));
        Ok(())
    });
}

#[test]
fn the_stated_latency_and_pace() {
    small("pace", |rig, bench| {
        rig.setup(bench, 5, 8)?;
        rig.complete(bench, 5, 0);
        let from = bench.cycle();
        rig.quiet(bench)?;
        assert_eq!(rig.written.first(bench) - from, 2, "from the offer of a completion to that of its write");
        bench.restart_rates();
        (0..90).for_each(|i| rig.complete(bench, 5, i % 3));
        rig.quiet(bench)?;
        assert_eq!(rig.written.pace(bench), 89 * 6 + 4, "six cycles a completion");
        let order: Vec<_> = rig.queues[5].entries[1..].iter().map(|c| c.index & 0xFF_FFFF).collect();
        let turn = |w: &[u64]| (w[1] % 3) == (w[0] + 1) % 3;
        assert!(order.windows(2).all(turn), "clients that always offer are served in turn: {order:?}");
        Ok(())
    });
}
