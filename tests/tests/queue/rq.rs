// SPDX-License-Identifier: MIT OR Apache-2.0
//! Receive queues on the emitted Verilog: random interleavings against a model, doorbells, rows,
//! latency.
use ferrowarp_hdl::record::Fault;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Pattern};
use ferrowarp_tests::queue::rq::{Rig, QPS, RQ};
use ferrowarp_tests::queue::{doorbell, status, QpRow};
use ferrowarp_tests::record::Record;
use rand::seq::IndexedRandom;
use rand::Rng;

/// Random rings, doorbells, takes and rows on all queue pairs.
fn random(bench: &mut Bench, part: &'static str, first: u32) -> Result<(), String> {
    let pattern = *Pattern::ALL.choose(bench.rng()).unwrap();
    let mut rig = Rig::new(bench, part, first, pattern);
    rig.blocks.slowest = *[2, 40, 300].choose(bench.rng()).unwrap();
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
                if bench.rng().random() && !rig.is_empty(qp) {
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
                    rig.bells_put.iter_mut().filter(|(q, _)| *q == qp).for_each(|(_, index)| *index = first);
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
    if rig.pulses > 0 || bench.waiting_items(rig.bads) > 0 {
        return Err(format!("{} doorbells refused", rig.pulses));
    }
    let [wide, across] = rig.wide;
    if rig.found < 100 || rig.empty < 16 || rig.spoilt == 0 || wide < 20 || across == 0 {
        let (found, empty, spoilt) = (rig.found, rig.empty, rig.spoilt);
        return Err(format!(
            "{found} found, {empty} not, {spoilt} bad, {wide} of two blocks, {across} across"
        ));
    }
    if rig.blocks.overlapped == 0 {
        return Err("reads never met".into());
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
    rig.bells_put.push((usize::MAX, 0));
    rig.steps(bench, 30)?;
    let faults = bench.taken(rig.bads);
    let fault = faults.first().map(Record::<Fault>::of_item);
    if let Some(fault) = &fault {
        let told = ["error", "status", "is_local", "has_wr"].map(|field| fault.get(field));
        assert_eq!(told, [0, status::LOC_QP_OP_ERR, 1, 0]);
    }
    assert!(faults.len() < 2);
    Ok((rig.pulses - before, fault.map(|fault| fault.get("qp"))))
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
        rig.post_single(bench, 3, 2);
        rig.steps(bench, 300)?;
        rig.take(bench, 3);
        rig.quiet(bench)?;
        assert_eq!(ring(&mut rig, bench, 3, 6)?, (1, Some(3)), "five from the first not taken");
        assert_eq!(ring(&mut rig, bench, 3, 1)?, (1, Some(3)), "less than what was rung");
        assert_eq!(ring(&mut rig, bench, 3, 0)?, (1, Some(3)), "less than what was taken");
        assert_eq!(ring(&mut rig, bench, 3, 2)?, (0, None), "the same again");
        // nothing was changed by all that
        rig.post_single(bench, 3, 3);
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
            let row = QpRow { state, rq_base: 32, rq_log2: log2, ..QpRow::default() };
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
        rig.post_single(bench, 6, 8);
        rig.quiet(bench)?;
        rig.take_all(bench, 6)?;
        assert_eq!((rig.found, rig.empty), (8, 2), "another one works on");
        bench.set("rq_dead", 0);
        rig.setup(bench, 5, 3, 1)?;
        rig.post_single(bench, 5, 8);
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
        rig.blocks.slowest = 1;
        rig.post_single(bench, 1, 3);
        rig.quiet(bench)?;
        assert_eq!((rig.stored(bench, 1), rig.to_come(bench, 1)), (2, true), "two places");
        // a read that is never answered while it is looked at
        rig.blocks.slowest = u64::MAX / 2;
        rig.post_single(bench, 2, 2);
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
        rig.blocks.hurry();
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
        rig.blocks.slowest = 1;
        for qp in 0..QPS {
            rig.setup(bench, qp, 1, 1)?;
            rig.post_single(bench, qp, 2);
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
