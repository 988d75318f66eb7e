// SPDX-License-Identifier: MIT OR Apache-2.0
//! The event ring on the emitted Verilog: order, phases, a full ring and its recovery, bad
//! doorbells.
mod turns;

use ferrowarp_hdl::gen::Event as EventRecord;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, ChanSrcId, Pattern};
use ferrowarp_tests::queue::{doorbell, event, ring, Posted};
use ferrowarp_tests::record::Record;
use rand::seq::IndexedRandom;
use rand::Rng;
use std::collections::BTreeMap;

const CONSUMER: u64 = 4;

/// Kind, number, error, info.
type Event = [u64; 4];

/// The queue that an event is about: completion queue or not, number.
fn place(event: &Event) -> (bool, u64) {
    (event[0] == event::CQ_NOTIFY || event[0] == event::CQ_OVERRUN, event[1])
}

struct Rig {
    part: &'static str,
    first: u32,
    rings: ChanSrcId,
    bells: ChanSrcId,
    /// Completion queues, faults.
    from: [ChanSrcId; 2],
    written: Posted,
    base: u64,
    log2: u32,
    /// Entries that software gave back.
    freed: usize,
    put: BTreeMap<(bool, u64), Vec<Event>>,
    got: Vec<Event>,
    sent: u64,
    held: u64,
    merged: u64,
    refused: u64,
}

impl Rig {
    fn new(bench: &mut Bench, part: &'static str, first: u32, random: bool) -> Self {
        let mut pattern = || match random {
            true => *Pattern::ALL.choose(bench.rng()).unwrap(),
            false => Pattern::None,
        };
        let p = [(); 6].map(|()| pattern());
        let name = |port: &str| format!("{part}_{port}");
        bench.set(&name("own_valid"), 0);
        Self {
            part,
            first,
            rings: bench.channel_source(&name("ring"), p[0]),
            bells: bench.channel_source(&name("db"), p[1]),
            from: [0, 1].map(|i| bench.channel_source(&name(&format!("from_{i}")), p[2 + i])),
            written: Posted::new(bench, &name("evt"), [p[4], p[5]]),
            base: 0,
            log2: 0,
            freed: 0,
            put: BTreeMap::new(),
            got: vec![],
            sent: 0,
            held: 0,
            merged: 0,
            refused: 0,
        }
    }

    fn step(&mut self, bench: &mut Bench) -> Result<(), String> {
        bench.step();
        let get = |port: &str| bench.get(&format!("{}_{port}", self.part));
        self.sent += get("sent");
        self.held += get("held");
        self.merged += get("merged");
        self.refused += get("bad_db");
        for (addr, entry) in self.written.taken(bench, 16)? {
            let index = self.got.len();
            let slot = self.base + 16 * (index as u64 & ((1 << self.log2) - 1));
            let phase = u8::from((index >> self.log2).is_multiple_of(2));
            if addr != slot || entry[15] != phase || index - self.freed >= 1 << self.log2 {
                return Err(format!(
                    "entry {index} at 0x{addr:x}, phase {}, {} freed",
                    entry[15], self.freed
                ));
            }
            let number =
                |at: usize, n: usize| entry[at..at + n].iter().fold(0, |v, &o| v << 8 | u64::from(o));
            if [1, 6, 7, 12, 13, 14].iter().any(|&spare| entry[spare] != 0) {
                return Err(format!("reserved octets in {entry:02x?}"));
            }
            self.got.push([number(0, 1), number(2, 2), number(4, 2), number(8, 4)]);
        }
        Ok(())
    }

    fn steps(&mut self, bench: &mut Bench, cycles: u64) -> Result<(), String> {
        (0..cycles).try_for_each(|_| self.step(bench))
    }

    fn quiet(&mut self, bench: &mut Bench) -> Result<(), String> {
        for _ in 0..20_000 {
            let all = [self.rings, self.bells, self.from[0], self.from[1]];
            if all.iter().all(|&s| bench.put_all(s)) {
                return self.steps(bench, 400);
            }
            self.step(bench)?;
        }
        Err(format!("a source waits\n{}", bench.dump()))
    }

    fn place(&mut self, bench: &mut Bench, log2: u32) -> Result<(), String> {
        self.base = 16 * u64::from(bench.rng().random::<u32>()) + (1 << 40);
        self.log2 = log2;
        self.freed = 0;
        self.got.clear();
        let low = bench.rng().random_range(0..16);
        bench.put(self.rings, ring(self.base + low, log2.into(), true));
        self.quiet(bench)
    }

    fn offer(&mut self, bench: &mut Bench, event: Event) {
        let [kind, number, error, info] = event;
        let record = Record::<EventRecord>::new().with("kind", kind).with("number", number);
        let record = record.with("error", error).with("info", info);
        let record = record.with("phase", bench.rng().random_range(0..2));
        bench.put(self.from[usize::from(!place(&event).0)], record.item());
        self.put.entry(place(&event)).or_default().push(event);
    }

    fn random_event(&mut self, bench: &mut Bench) {
        let rng = bench.rng();
        let kind = *[1, 1, 1, 5, 2, 3, 4].choose(rng).unwrap();
        let event = [kind, rng.random_range(0..16), rng.random::<u16>().into(), rng.random::<u32>().into()];
        self.offer(bench, event);
    }

    fn free(&mut self, bench: &mut Bench, to: usize) {
        self.freed = to;
        bench.put(self.bells, doorbell(CONSUMER, false, 0, self.first.wrapping_add(to as u32)));
    }

    /// Of each queue: a part of what was put, in order, and what came last.
    fn judge(&self) -> Result<(), String> {
        let total: usize = self.put.values().map(Vec::len).sum();
        if self.got.len() as u64 + self.merged != total as u64 || self.sent != self.got.len() as u64 {
            return Err(format!("{} written, {} merged of {total}", self.got.len(), self.merged));
        }
        for (place_of, put) in &self.put {
            let got: Vec<_> = self.got.iter().filter(|e| place(e) == *place_of).collect();
            let mut rest = put.iter();
            if let Some(strange) = got.iter().find(|e| !rest.any(|p| p == **e)) {
                return Err(format!("{strange:?} of {place_of:?} was never put, or not in this order"));
            }
            let last = got.last().ok_or(format!("nothing of {place_of:?}"))?;
            if Some(*last) != put.last() && last[0] != event::CQ_OVERRUN {
                return Err(format!("{last:?} is the last of {place_of:?}, not {:?}", put.last()));
            }
        }
        Ok(())
    }
}

fn random(bench: &mut Bench, part: &'static str, first: u32) -> Result<(), String> {
    let mut rig = Rig::new(bench, part, first, true);
    // before there is a ring, events wait
    (0..bench.rng().random_range(0..40)).for_each(|_| rig.random_event(bench));
    rig.quiet(bench)?;
    let log2 = *[0, 1, 2, 3].choose(bench.rng()).unwrap();
    rig.place(bench, log2)?;
    for _ in 0..400 {
        match bench.rng().random_range(0..10) {
            0..5 => rig.random_event(bench),
            5..7 => {
                let to = bench.rng().random_range(rig.freed..=rig.got.len());
                rig.free(bench, to);
            }
            _ => {}
        }
        let cycles = bench.rng().random_range(0..20);
        rig.steps(bench, cycles)?;
    }
    rig.quiet(bench)?;
    while rig.freed < rig.got.len() {
        let all = rig.got.len();
        rig.free(bench, all);
        rig.quiet(bench)?;
    }
    if rig.held < 5 || rig.merged == 0 || rig.refused > 0 || rig.got.len() < 40 {
        return Err(format!("{} held, {} merged, {} written", rig.held, rig.merged, rig.got.len()));
    }
    rig.judge()
}

#[test]
fn random_events_and_doorbells() {
    for seed in seeds(0..8, 0..300) {
        run_case("queue-events-random", Top::QueueW64, seed, |bench| random(bench, "ring", 0));
    }
}

#[test]
fn indices_wrap_at_two_to_the_32() {
    for seed in seeds(0..4, 0..100) {
        run_case("queue-events-wrap", Top::QueueW64, seed, |bench| random(bench, "ringwrap", 0xFFFF_FFF0));
    }
}

fn plain(name: &str, body: impl Fn(&mut Rig, &mut Bench) -> Result<(), String>) {
    run_case(&format!("queue-events-{name}"), Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench, "ring", 0, false);
        body(&mut rig, bench)
    });
}

#[test]
fn a_full_ring_holds_one_event_a_queue_and_recovers() {
    plain("full", |rig, bench| {
        rig.place(bench, 1)?;
        (0..2).for_each(|n| rig.offer(bench, [event::QP_FATAL, n, 0x1202, 0]));
        rig.quiet(bench)?;
        // one of every queue, then again: nobody waits for software
        for info in [7, 8] {
            (0..16).for_each(|n| rig.offer(bench, [event::QP_ACCESS_ERROR, n, 0x1100, info]));
            (0..16).for_each(|n| rig.offer(bench, [event::CQ_NOTIFY, n, 0, info]));
            rig.quiet(bench)?;
        }
        assert_eq!((rig.got.len(), rig.held, rig.merged), (2, 32, 32));
        // an overrun is not forgotten for a notify that comes after it
        rig.offer(bench, [event::CQ_OVERRUN, 3, 0, 9]);
        rig.offer(bench, [event::CQ_NOTIFY, 3, 0, 10]);
        rig.quiet(bench)?;
        assert_eq!((rig.got.len(), rig.held, rig.merged), (2, 32, 34));
        while rig.freed < rig.got.len() {
            let all = rig.got.len();
            rig.free(bench, all);
            rig.quiet(bench)?;
        }
        assert_eq!(rig.got.len(), 34);
        assert!(rig.got[2..].iter().all(|e| e[3] == if place(e) == (true, 3) { 9 } else { 8 }));
        rig.judge()
    });
}

#[test]
fn an_impossible_doorbell_changes_nothing() {
    plain("doorbells", |rig, bench| {
        bench.put(rig.bells, doorbell(CONSUMER, false, 0, 0));
        rig.quiet(bench)?;
        assert_eq!(rig.refused, 1, "no ring");
        rig.place(bench, 2)?;
        (0..3).for_each(|n| rig.offer(bench, [event::CQ_NOTIFY, n, 0, 1]));
        rig.quiet(bench)?;
        rig.free(bench, 2);
        rig.quiet(bench)?;
        for (i, (kind, number, value)) in
            [(CONSUMER, 0, 4), (CONSUMER, 0, 1), (CONSUMER, 0, u32::MAX), (CONSUMER, 1, 3), (2, 0, 3)]
                .into_iter()
                .enumerate()
        {
            bench.put(rig.bells, doorbell(kind, false, number, value));
            rig.quiet(bench)?;
            assert_eq!(rig.refused, i as u64 + 2, "kind {kind}, number {number}, value {value}");
        }
        (3..9).for_each(|n| rig.offer(bench, [event::CQ_NOTIFY, n, 0, 1]));
        rig.quiet(bench)?;
        assert_eq!((rig.got.len(), rig.held), (6, 3), "room for three more, as the last good one said");
        Ok(())
    });
}

#[test]
fn a_ring_that_is_impossible_is_none() {
    plain("rings", |rig, bench| {
        for (log2, valid) in [(17, true), (255, true), (4, false)] {
            bench.put(rig.rings, ring(4096, log2, valid));
            rig.offer(bench, [event::CQ_NOTIFY, log2 % 16, 0, 1]);
            rig.quiet(bench)?;
        }
        assert_eq!((rig.got.len(), rig.held), (0, 3));
        Ok(())
    });
}

#[test]
fn the_stated_latency_and_pace() {
    plain("pace", |rig, bench| {
        rig.place(bench, 10)?;
        rig.offer(bench, [event::CQ_NOTIFY, 0, 0, 1]);
        let from = bench.cycle();
        rig.quiet(bench)?;
        assert_eq!(rig.written.first(bench) - from, 3, "from the offer of an event to that of its write");
        bench.restart_rates();
        (0..100).for_each(|n| rig.offer(bench, [event::QP_FATAL, n % 16, 0, 0]));
        rig.quiet(bench)?;
        assert_eq!(rig.written.pace(bench), 99 * 5 + 2, "five cycles an event");
        rig.judge()
    });
}
