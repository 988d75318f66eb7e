// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fault unit on the emitted Verilog: the first fault of a queue pair wins, whoever is first
//! and however many.
use ferrowarp_hdl::gen::CapturedError;
use ferrowarp_hdl::record::{Fault as FaultRecord, Quoted};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, ChanSinkId, ChanSrcId, Item, Pattern};
use ferrowarp_tests::cited::{give, Cited, MOST};
use ferrowarp_tests::queue::{event, event_of, status, Completion, QpRow};
use ferrowarp_tests::record::Record;
use rand::seq::IndexedRandom;
use rand::Rng;

const QPS: usize = 16;
const SOURCES: usize = 3;

/// A segment that a fault quotes; all zero if there is none.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Quote {
    is_there: u64,
    is_terminate: u64,
    length: u64,
    /// The first octet; each further one is one more.
    first: u8,
    /// How many words of octets follow the fault, 1 to 9.
    words: usize,
}

impl Quote {
    fn random(bench: &mut Bench) -> Self {
        let rng = bench.rng();
        match rng.random_range(0..3) {
            0 => Self::default(),
            n => Self {
                is_there: 1,
                is_terminate: n - 1,
                length: rng.random::<u16>().into(),
                first: rng.random(),
                words: rng.random_range(1..=MOST / 8),
            },
        }
    }

    /// What its source gives.
    fn octets(&self) -> Vec<u8> {
        (0..8 * self.words as u8).map(|i| self.first.wrapping_add(i)).collect()
    }

    /// What is kept: zeros behind that.
    fn kept(&self) -> Vec<u8> {
        let mut octets = self.octets();
        octets.resize(MOST, 0);
        octets
    }

    fn record(&self) -> Record<Quoted> {
        let record = Record::new().with("is_there", self.is_there);
        record.with("is_terminate", self.is_terminate).with("length", self.length)
    }
}

/// What the read port says; then the segment's octets.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Captured(Record<CapturedError>, Vec<u8>);

impl Captured {
    /// Nothing but errors that came after a row in error.
    fn none(later: u64) -> Self {
        Self(Record::new().with("later", later), vec![0; MOST])
    }
}

/// A fault as its source reports it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Fault {
    /// Only of sources 0 and 1.
    quote: Quote,
    qp: u64,
    error: u64,
    status: u64,
    is_local: u64,
    index: u64,
    has_wr: u64,
}

impl Fault {
    fn random(bench: &mut Bench, qp: usize, source: usize) -> Self {
        let quote = if source < 2 { Quote::random(bench) } else { Quote::default() };
        let rng = bench.rng();
        let is_local = rng.random_range(0..2);
        Self {
            quote,
            qp: qp as u64,
            error: rng.random::<u16>().into(),
            status: rng.random_range(1..=10),
            is_local,
            index: rng.random::<u32>().into(),
            has_wr: is_local & rng.random_range(0..2),
        }
    }

    /// What a completion queue without room makes of a queue pair.
    fn overrun(qp: usize) -> Self {
        let status = status::GENERAL_ERR;
        let quote = Quote::default();
        Self { quote, qp: qp as u64, error: 0, status, is_local: 0, index: 0, has_wr: 0 }
    }

    fn item(&self, source: usize) -> Item {
        let Self { qp, error, status, is_local, index, has_wr, .. } = *self;
        let record = Record::<FaultRecord>::new().with("qp", qp).with("error", error).with("status", status);
        let item = record.with("is_local", is_local).with("index", index).with("has_wr", has_wr).item();
        match source {
            0 | 1 => self.quote.record().field(item, "quote"),
            _ => item,
        }
    }

    /// Zero of a fault that names no work request.
    fn told_index(&self) -> u64 {
        self.index * self.has_wr
    }

    fn completion(&self, cq: u64, is_recv: bool) -> Completion {
        Completion {
            cq,
            index: self.told_index(),
            qp: self.qp,
            status: self.status,
            error: self.error,
            is_recv: is_recv.into(),
            has_wr: self.has_wr,
            ..Completion::default()
        }
    }

    fn event(&self) -> [u64; 4] {
        let kind = match (self.is_local, self.status) {
            (_, status::RETRY_EXC_ERR) => event::CONNECTION_LOST,
            (1, _) => event::QP_REQUEST_ERROR,
            (_, status::LOC_ACCESS_ERR) => event::QP_ACCESS_ERROR,
            _ => event::QP_FATAL,
        };
        [kind, self.qp, self.error, 0]
    }

    /// What the read port says of it.
    fn captured(&self, later: u64) -> Captured {
        let Quote { is_there, is_terminate, length, .. } = self.quote;
        let Self { is_local, has_wr, status, error, .. } = *self;
        let record = Record::new()
            .with("is_captured", 1)
            .with("is_local", is_local)
            .with("has_wr", has_wr)
            .with("has_segment", is_there)
            .with("is_terminate", is_terminate)
            .with("status", status)
            .with("error", error)
            .with("later", later)
            .with("index", self.told_index())
            .with("length", length);
        Captured(record, self.quote.kept())
    }
}

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
        bench.put(self.asks, Item::new().with("qp", qp as u64));
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
        // two cycles a queue pair to look, two to tell, which the last one has still to do
        assert_eq!(bench.cycle() - from, 4 * QPS as u64 - 2);
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

/// A fault of this queue pair with octets to quote.
fn citing(bench: &mut Bench, qp: usize, source: usize) -> Fault {
    loop {
        let fault = Fault::random(bench, qp, source);
        if fault.quote.is_there == 1 {
            return fault;
        }
    }
}

#[test]
fn quotes_of_two_queue_pairs_are_not_mixed() {
    plain("two", |rig, bench| {
        for round in 0..8 {
            // of one source, one behind the other; then of both at once
            let sources = [[0, 0], [1, 1], [0, 1]][round % 3];
            let pairs = [2 * round, 2 * round + 1];
            let faults = [0, 1].map(|i| citing(bench, pairs[i], sources[i]));
            (0..2).for_each(|i| rig.report(bench, sources[i], &faults[i]));
            rig.quiet(bench)?;
            for (qp, fault) in pairs.into_iter().zip(faults) {
                assert_eq!(rig.captured(bench, qp)?, fault.captured(0), "queue pair {qp}");
            }
        }
        Ok(())
    });
}

#[test]
fn a_fault_that_is_not_kept_blocks_nothing_and_spoils_no_quote() {
    plain("second", |rig, bench| {
        rig.row(bench, 9, QpRow::default())?;
        for source in [0, 1] {
            let (qp, next) = (source, 4 + source);
            let first = citing(bench, qp, source);
            rig.report(bench, source, &first);
            // of the same queue pair, of one without a row, and of one that works
            let [again, stray, other] = [qp, 9, next].map(|qp| citing(bench, qp, source));
            [again, stray, other].iter().for_each(|fault| rig.report(bench, source, fault));
            // the other source has one too
            let late = citing(bench, qp, 1 - source);
            (0..60).for_each(|_| rig.step(bench));
            rig.report(bench, 1 - source, &late);
            rig.quiet(bench)?;
            assert_eq!(rig.captured(bench, qp)?, first.captured(2));
            assert_eq!(rig.captured(bench, next)?, other.captured(0));
            assert_eq!(rig.captured(bench, 9)?, Captured::none(0));
        }
        assert_eq!((rig.stopped, rig.late, rig.stray), (4, 4, 2));
        Ok(())
    });
}

#[test]
fn a_new_row_forgets_the_quote() {
    plain("forget", |rig, bench| {
        let first = citing(bench, 6, 0);
        rig.report(bench, 0, &first);
        rig.quiet(bench)?;
        assert_eq!(rig.captured(bench, 6)?, first.captured(0));
        rig.row(bench, 6, QpRow { state: 1, ..QpRow::default() })?;
        assert_eq!(rig.captured(bench, 6)?, Captured::none(0));
        // a fault of a source that quotes nothing
        let bare = Fault::random(bench, 6, 2);
        rig.report(bench, 2, &bare);
        rig.quiet(bench)?;
        assert_eq!(rig.captured(bench, 6)?, bare.captured(0));
        Ok(())
    });
}

#[test]
fn an_answer_that_nobody_takes_holds_no_fault() {
    plain("unread", |rig, bench| {
        let first = citing(bench, 1, 0);
        rig.report(bench, 0, &first);
        rig.quiet(bench)?;
        bench.hold_channel_sink(rig.cited.words, true);
        bench.put(rig.asks, Item::new().with("qp", 1));
        (0..40).for_each(|_| rig.step(bench));
        let faults = [2, 3].map(|qp| citing(bench, qp, qp - 2));
        (0..2).for_each(|i| rig.report(bench, i, &faults[i]));
        rig.quiet(bench)?;
        assert_eq!(rig.stopped, 3);
        bench.hold_channel_sink(rig.cited.words, false);
        rig.quiet(bench)?;
        assert_eq!(rig.answer(bench)?, first.captured(0));
        for (qp, fault) in [2, 3].into_iter().zip(faults) {
            assert_eq!(rig.captured(bench, qp)?, fault.captured(0));
        }
        Ok(())
    });
}
