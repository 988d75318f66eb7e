// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fault unit on the emitted Verilog: the first fault of a queue pair wins, whoever is first
//! and however many.
mod quotes;
mod told;
mod turns;

use ferrowarp_hdl::gen::CapturedError;
use ferrowarp_hdl::record::{Fault as FaultRecord, Quoted};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, ChanSinkId, ChanSrcId, Item, Pattern};
use ferrowarp_tests::cited::{give, Cited, MOST};
use ferrowarp_tests::queue::{event, event_of, status, Completion, QpRow};
use ferrowarp_tests::record::Record;
use rand::seq::IndexedRandom;
use rand::Rng;
use told::{Captured, Fault};

const QPS: usize = 16;
const SOURCES: usize = 3;

struct Rig {
    rows: ChanSrcId,
    from: [ChanSrcId; SOURCES],
    /// Of the two sources that quote.
    words: [ChanSrcId; 2],
    asks: ChanSrcId,
    answers: ChanSinkId,
    cited: Cited,
    cqes: ChanSinkId,
    events: ChanSinkId,
    stopped: u64,
    late: u64,
    stray: u64,
}

impl Rig {
    fn new(bench: &mut Bench, random: bool) -> Self {
        let mut pattern = || match random {
            true => *Pattern::ALL.choose(bench.rng()).unwrap(),
            false => Pattern::None,
        };
        let p = [(); 11].map(|()| pattern());
        Self {
            rows: bench.channel_source("fault_qpw", p[0]),
            from: [0, 1, 2].map(|i| bench.channel_source(&format!("fault_from_{i}"), p[1 + i])),
            words: [0, 1].map(|i| bench.channel_source(&format!("fault_from_{i}_words"), p[8 + i])),
            asks: bench.channel_source("fault_cap", p[4]),
            answers: bench.channel_sink("fault_capd", p[5]),
            cited: Cited::new(bench, "fault_capd_words", p[10]),
            cqes: bench.channel_sink("fault_cqe", p[6]),
            events: bench.channel_sink("fault_event", p[7]),
            stopped: 0,
            late: 0,
            stray: 0,
        }
    }

    /// A fault, and what it quotes.
    fn report(&self, bench: &mut Bench, source: usize, fault: &Fault) {
        bench.put(self.from[source], fault.item(source));
        if let (Some(&words), 1) = (self.words.get(source), fault.quote.is_there) {
            give(bench, words, &fault.quote.octets());
        }
    }

    fn step(&mut self, bench: &mut Bench) {
        bench.step();
        self.stopped += bench.get("fault_stopped");
        self.late += bench.get("fault_late");
        self.stray += bench.get("fault_stray");
    }

    /// What shows that something still moves.
    fn marks(&self, bench: &Bench) -> [u64; 5] {
        let waiting = |sink| bench.waiting_items(sink) as u64;
        [self.stopped, self.late, self.stray, waiting(self.cqes), waiting(self.events)]
    }

    /// Steps until all was taken and, for longer than walks for all completion queues, nothing
    /// moved.
    fn quiet(&mut self, bench: &mut Bench) -> Result<(), String> {
        let (mut marks, mut still) = (self.marks(bench), 0);
        for _ in 0..50_000 {
            let idle = bench.put_all(self.rows)
                && bench.put_all(self.asks)
                && self.from.iter().chain(&self.words).all(|&f| bench.put_all(f))
                && marks == self.marks(bench);
            still = if idle { still + 1 } else { 0 };
            marks = self.marks(bench);
            if still > 600 {
                return Ok(());
            }
            self.step(bench);
        }
        Err(format!("not quiet\n{}", bench.dump()))
    }

    fn row(&mut self, bench: &mut Bench, qp: usize, row: QpRow) -> Result<(), String> {
        bench.put(self.rows, row.of(qp as u64));
        self.quiet(bench)
    }

    fn captured(&mut self, bench: &mut Bench, qp: usize) -> Result<Captured, String> {
        bench.put(self.asks, Item::new().with("item", qp as u64));
        self.quiet(bench)?;
        self.answer(bench)
    }

    /// The one answer that has come.
    fn answer(&mut self, bench: &mut Bench) -> Result<Captured, String> {
        self.cited.pump(bench)?;
        match (bench.taken(self.answers).as_slice(), self.cited.take(), self.cited.is_empty()) {
            ([one], Some(octets), true) => Ok(Captured(Record::of_item(one), octets)),
            (all, octets, _) => Err(format!("{} answers to one question, with {octets:x?}", all.len())),
        }
    }

    fn told(&mut self, bench: &mut Bench) -> (Vec<Completion>, Vec<[u64; 4]>) {
        let cqes = bench.taken(self.cqes).iter().map(Completion::of).collect();
        (cqes, bench.taken(self.events).iter().map(event_of).collect())
    }

    /// One pulse of a completion queue without room.
    fn over(&mut self, bench: &mut Bench, cq: u64) {
        bench.set("fault_over_cq", cq);
        bench.set("fault_over_valid", 1);
        self.step(bench);
        bench.set("fault_over_valid", 0);
        bench.set("fault_over_cq", bench_number(cq));
    }
}

/// Another number, so that nobody reads it without its pulse.
fn bench_number(cq: u64) -> u64 {
    (cq + 5) % 16
}

/// Faults of all sources at once, overruns between them; then every queue pair is judged.
fn round(rig: &mut Rig, bench: &mut Bench) -> Result<(), String> {
    let (stopped, late, stray) = (rig.stopped, rig.late, rig.stray);
    let mut rows = vec![];
    for qp in 0..QPS {
        let state = *[1, 1, 1, 1, 0, 2].choose(bench.rng()).unwrap();
        let cq = |bench: &mut Bench| bench.rng().random_range(0..6);
        let row = QpRow { state, send_cq: cq(bench), recv_cq: cq(bench), ..QpRow::default() };
        rig.row(bench, qp, row)?;
        rows.push(row);
    }
    let mut reported: Vec<Vec<Fault>> = vec![vec![]; SOURCES];
    for _ in 0..bench.rng().random_range(5..60) {
        let source = bench.rng().random_range(0..SOURCES);
        let qp = bench.rng().random_range(0..QPS);
        let fault = Fault::random(bench, qp, source);
        rig.report(bench, source, &fault);
        reported[source].push(fault);
    }
    let overs: Vec<u64> =
        (0..bench.rng().random_range(0..3)).map(|_| bench.rng().random_range(0..6)).collect();
    for &cq in &overs {
        (0..bench.rng().random_range(0..100)).for_each(|_| rig.step(bench));
        rig.over(bench, cq);
    }
    rig.quiet(bench)?;
    let (cqes, events) = rig.told(bench);
    let dead = bench.get("fault_dead");
    let mut expected = [0; 3];
    for (qp, row) in rows.iter().enumerate() {
        let of_qp = |all: &Vec<Fault>| all.iter().filter(|f| f.qp == qp as u64).copied().collect::<Vec<_>>();
        let mine: Vec<Vec<Fault>> = reported.iter().map(of_qp).collect();
        let count: usize = mine.iter().map(Vec::len).sum();
        let cqes: Vec<_> = cqes.iter().filter(|c| c.qp == qp as u64).collect();
        let events: Vec<_> = events.iter().filter(|e| e[1] == qp as u64).collect();
        let captured = rig.captured(bench, qp)?;
        let is_dead = dead >> qp & 1 == 1;
        let over = overs.iter().find(|&&cq| row.send_cq == cq || row.recv_cq == cq);
        if row.state != 1 {
            let later = if row.state == 2 { count as u64 } else { 0 };
            expected[if row.state == 2 { 1 } else { 2 }] += count as u64;
            if (cqes.len(), events.len(), is_dead) != (0, 0, row.state == 2)
                || captured != Captured::none(later)
            {
                return Err(format!("qp {qp} of state {}: {captured:?}, {cqes:?}", row.state));
            }
            continue;
        }
        // who can have been the first: the first of each source, and the overrun
        let firsts = mine.iter().filter_map(|all| all.first().copied()).map(|f| {
            let is_recv = f.is_local == 0;
            (f, f.completion(if is_recv { row.recv_cq } else { row.send_cq }, is_recv), count as u64 - 1)
        });
        let walked = overs.iter().filter(|&&cq| row.send_cq == cq || row.recv_cq == cq).map(|&cq| {
            let f = Fault::overrun(qp);
            let is_recv = row.recv_cq != cq;
            (f, f.completion(if is_recv { row.recv_cq } else { row.send_cq }, is_recv), count as u64)
        });
        let fits = |(f, c, later): &(Fault, Completion, u64)| {
            cqes.as_slice() == [c] && events.as_slice() == [&f.event()] && captured == f.captured(*later)
        };
        let possible: Vec<_> = firsts.chain(walked).collect();
        if count == 0 && over.is_none() {
            if is_dead || !cqes.is_empty() || !events.is_empty() || captured != Captured::none(0) {
                return Err(format!("qp {qp} stopped for nothing: {captured:?}"));
            }
            continue;
        }
        expected[0] += 1;
        match possible.iter().find(|p| fits(p)) {
            Some((_, _, later)) if is_dead => expected[1] += later,
            _ => {
                return Err(format!(
                "qp {qp}, {row:?}: dead {is_dead}, {cqes:?}, {events:?}, {captured:?}; possible {possible:?}"
            ))
            }
        }
    }
    let counted = [rig.stopped - stopped, rig.late - late, rig.stray - stray];
    match counted == expected {
        true => Ok(()),
        false => Err(format!("stopped, late, stray: counted {counted:?}, expected {expected:?}")),
    }
}

#[test]
fn the_first_fault_wins_whoever_is_first() {
    for seed in seeds(0..8, 0..60) {
        run_case("queue-fault-random", Top::QueueW64, seed, |bench| {
            let mut rig = Rig::new(bench, true);
            bench.set("fault_over_valid", 0);
            (0..3).try_for_each(|_| round(&mut rig, bench))
        });
    }
}

fn plain(name: &str, body: impl Fn(&mut Rig, &mut Bench) -> Result<(), String>) {
    run_case(&format!("queue-fault-{name}"), Top::QueueW64, 1, |bench| {
        bench.set("fault_over_valid", 0);
        let mut rig = Rig::new(bench, false);
        for qp in 0..QPS {
            rig.row(bench, qp, QpRow { state: 1, send_cq: 2, recv_cq: 3, ..QpRow::default() })?;
        }
        body(&mut rig, bench)
    });
}

#[test]
fn dead_shows_before_the_fault_is_answered() {
    plain("before", |rig, bench| {
        for qp in 0..QPS {
            let source = qp % SOURCES;
            let fault = Fault::random(bench, qp, source);
            rig.report(bench, source, &fault);
            let port = format!("fault_from_{}_ready", qp % SOURCES);
            let mut answered = 0;
            for _ in 0..40 {
                bench.settle();
                if bench.get(&port) == 1 {
                    answered += 1;
                    assert_eq!(bench.get("fault_dead") >> qp & 1, 1, "qp {qp}");
                }
                rig.step(bench);
            }
            assert_eq!(answered, 1);
        }
        Ok(())
    });
}

#[test]
fn a_row_heals_and_a_row_in_error_kills() {
    plain("rows", |rig, bench| {
        let fault = Fault { status: status::LOC_ACCESS_ERR, is_local: 0, ..Fault::random(bench, 4, 0) };
        rig.report(bench, 0, &fault);
        rig.quiet(bench)?;
        assert_eq!(bench.get("fault_dead"), 1 << 4);
        let (cqes, events) = rig.told(bench);
        assert_eq!((cqes, events), (vec![fault.completion(3, true)], vec![fault.event()]));
        rig.row(bench, 4, QpRow { state: 1, send_cq: 9, recv_cq: 8, ..QpRow::default() })?;
        assert_eq!((bench.get("fault_dead"), rig.captured(bench, 4)?), (0, Captured::none(0)));
        let own = Fault { is_local: 1, has_wr: 1, ..fault };
        rig.report(bench, 1, &own);
        rig.quiet(bench)?;
        let (cqes, events) = rig.told(bench);
        assert_eq!((cqes, events), (vec![own.completion(9, false)], vec![own.event()]));
        rig.row(bench, 7, QpRow { state: 2, ..QpRow::default() })?;
        assert_eq!(bench.get("fault_dead"), 1 << 4 | 1 << 7);
        rig.row(bench, 7, QpRow::default())?;
        assert_eq!(bench.get("fault_dead"), 1 << 4);
        Ok(())
    });
}

#[test]
fn faults_wait_no_longer_than_a_walk_with_all_queue_pairs() {
    plain("walk", |rig, bench| {
        rig.over(bench, 3);
        let from = bench.cycle();
        while rig.stopped < QPS as u64 {
            rig.step(bench);
            assert!(bench.cycle() - from < 200, "{} of {QPS} stopped", rig.stopped);
        }
        // two cycles to begin; two a queue pair to look, two to tell, which the last one has still
        // to do
        assert_eq!(bench.cycle() - from, 4 * QPS as u64);
        let (cqes, events) = rig.told(bench);
        rig.quiet(bench)?;
        let (more, _) = rig.told(bench);
        assert_eq!(cqes.len() + more.len(), QPS);
        assert!(
            cqes.iter().chain(&more).all(|c| (c.cq, c.is_recv) == (2, 0)),
            "not to the queue without room"
        );
        assert!(events.iter().all(|e| e[0] == event::QP_FATAL));
        Ok(())
    });
}

#[test]
fn a_held_completion_queue_holds_no_pulse_back() {
    plain("held", |rig, bench| {
        bench.hold_channel_sink(rig.cqes, true);
        let fault = Fault::random(bench, 0, 2);
        rig.report(bench, 2, &fault);
        (0..20).for_each(|_| rig.step(bench));
        // more overruns than can be told one after the other, while nothing moves
        (0..16).for_each(|cq| rig.over(bench, cq));
        assert_eq!(rig.stopped, 1);
        bench.hold_channel_sink(rig.cqes, false);
        rig.quiet(bench)?;
        assert_eq!((rig.stopped, bench.get("fault_dead")), (QPS as u64, 0xFFFF));
        Ok(())
    });
}
