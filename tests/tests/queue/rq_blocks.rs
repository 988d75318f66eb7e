// SPDX-License-Identifier: MIT OR Apache-2.0
//! Receive requests of one and two blocks on the emitted Verilog: what is wrong with them, reads
//! that fail, the ring's end.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, Pattern};
use ferrowarp_tests::queue::rq::{Request, Rig};
use ferrowarp_tests::queue::Manner;

/// A queue pair of each test, and one beside it.
const QP: usize = 3;
const OTHER: usize = 9;

fn case(name: &str, body: impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    run_case(&format!("queue-rq-{name}"), Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench, "rq", 0, Pattern::None);
        rig.blocks.slowest = 5;
        body(bench, &mut rig)
    });
}

/// A request, then a good one; both are taken; whether the first was bad, and its blocks.
fn first_of_two(bench: &mut Bench, rig: &mut Rig, request: &Request) -> Result<(bool, u32), String> {
    rig.setup(bench, QP, 3, 1)?;
    rig.post_one(bench, QP, request);
    let good = Request::good(bench, 3, 2);
    rig.post_one(bench, QP, &good);
    rig.until(bench, "the first", |r, b| r.stored(b, QP) > 0)?;
    let spoilt = rig.spoilt;
    rig.take(bench, QP);
    rig.until(bench, "its answer", |r, _| r.asked.is_empty())?;
    let first = (rig.spoilt > spoilt, rig.qps[QP].taken);
    rig.take_all(bench, QP)?;
    Ok(first)
}

#[test]
fn a_head_and_its_blocks_fit_or_the_request_is_bad() {
    case("fit", |bench, rig| {
        for num_sge in 0..=5 {
            for blocks in [0, 1, 2, 3, 4, 0x12, 0x81, 0xFF] {
                let request = Request::good(bench, num_sge, blocks);
                let fits = blocks == 1 && num_sge <= 1 || blocks == 2 && num_sge <= 3;
                let taken = if blocks == 2 { 2 } else { 1 };
                assert_eq!(
                    first_of_two(bench, rig, &request)?,
                    (!fits, taken),
                    "{num_sge} SGEs in {blocks} blocks"
                );
            }
        }
        Ok(())
    });
}

#[test]
fn each_flag_is_refused() {
    case("flags", |bench, rig| {
        for bit in 0..16 {
            for blocks in [1, 2] {
                let request = Request { flags: 1 << bit, ..Request::good(bench, 1, blocks) };
                assert_eq!(first_of_two(bench, rig, &request)?, (true, blocks.into()), "flag {bit}");
            }
        }
        Ok(())
    });
}

#[test]
fn a_read_that_fails_spoils_its_request_alone() {
    case("failed", |bench, rig| {
        use Manner::{Failed, Good, Long, Ragged, Short};
        for manner in [Failed, Short, Ragged, Long] {
            let second = Request { manners: [Good, manner], ..Request::good(bench, 3, 2) };
            assert_eq!(first_of_two(bench, rig, &second)?, (true, 2), "{manner:?}");
            let whole = Request { manners: [manner, Good], ..Request::good(bench, 1, 1) };
            assert_eq!(first_of_two(bench, rig, &whole)?, (true, 1), "{manner:?}");
            // of a head that did not come whole nobody knows the blocks
            let first = Request { manners: [manner, Good], ..Request::good(bench, 3, 2) };
            assert_eq!(first_of_two(bench, rig, &first)?, (true, 1), "{manner:?}");
        }
        assert_eq!(rig.pulses, 0);
        Ok(())
    });
}

#[test]
fn a_second_block_that_was_not_rung_spoils_its_request() {
    case("unrung", |bench, rig| {
        for log2 in [0, 1, 4] {
            rig.setup(bench, QP, log2, 1)?;
            rig.setup(bench, OTHER, 4, 1)?;
            let half = Request::good(bench, 2, 2);
            if log2 == 4 {
                let whole = Request::good(bench, 2, 2);
                rig.post_one(bench, QP, &whole);
            }
            rig.write(bench, QP, &half, 1);
            rig.bell(bench, QP);
            rig.post(bench, OTHER, 12, 0);
            rig.quiet(bench)?;
            assert!(!rig.to_come(bench, QP), "it waits for no doorbell");
            let (spoilt, first) = (rig.spoilt, rig.qps[QP].written - 1);
            rig.take_all(bench, QP)?;
            // the model compares the index: that of the first block
            assert_eq!((rig.spoilt, rig.qps[QP].taken), (spoilt + 1, first + 1));
            // whoever reports the fault stops the queue pair; others go on, and a row begins anew
            bench.set("rq_dead", 1 << QP);
            rig.take_all(bench, OTHER)?;
            rig.setup(bench, QP, 2, 1)?;
            bench.set("rq_dead", 0);
            let whole = Request::good(bench, 3, 2);
            rig.post_one(bench, QP, &whole);
            rig.take_all(bench, QP)?;
            assert_eq!(rig.spoilt, spoilt + 1);
        }
        Ok(())
    });
}

#[test]
fn a_second_block_may_be_rung_while_the_first_is_read() {
    case("later", |bench, rig| {
        rig.setup(bench, QP, 1, 1)?;
        rig.blocks.slowest = u64::MAX / 2;
        let request = Request::good(bench, 3, 2);
        rig.write(bench, QP, &request, 1);
        rig.bell(bench, QP);
        rig.steps(bench, 30)?;
        assert_eq!((rig.stored(bench, QP), rig.to_come(bench, QP)), (0, true));
        // the same blocks, now rung as one request
        rig.blocks.hurry();
        rig.ring_rest(bench, QP);
        rig.quiet(bench)?;
        assert_eq!((rig.stored(bench, QP), rig.to_come(bench, QP)), (1, false));
        rig.take_all(bench, QP)?;
        assert_eq!((rig.spoilt, rig.wide[0]), (0, 1));
        Ok(())
    });
}

#[test]
fn a_queue_pair_that_dies_between_two_blocks_can_be_written_anew() {
    case("dies", |bench, rig| {
        // at each moment of both reads
        for wait in 0..40 {
            rig.setup(bench, QP, 2, 1)?;
            rig.blocks.slowest = 12;
            let request = Request::good(bench, 3, 2);
            rig.post_one(bench, QP, &request);
            rig.steps(bench, wait)?;
            bench.set("rq_dead", 1 << QP);
            rig.steps(bench, 1)?;
            assert!(!rig.to_come(bench, QP));
            rig.setup(bench, QP, 1, 1)?;
            bench.set("rq_dead", 0);
            rig.steps(bench, 2)?;
            assert_eq!((rig.stored(bench, QP), rig.to_come(bench, QP)), (0, false), "after {wait}");
            let request = Request::good(bench, 1, 1);
            rig.post_one(bench, QP, &request);
            rig.take_all(bench, QP)?;
        }
        assert_eq!((rig.found, rig.spoilt), (40, 0));
        Ok(())
    });
}

#[test]
fn a_second_block_lies_behind_the_first_also_across_the_end_of_the_ring() {
    case("end", |bench, rig| {
        for log2 in 1..=4_u32 {
            rig.setup(bench, QP, log2, 1)?;
            let single = Request::good(bench, 1, 1);
            rig.post_one(bench, QP, &single);
            rig.take_all(bench, QP)?;
            let (from, across) = (rig.blocks.read.len(), rig.wide[1]);
            for _ in 0..1 << log2 {
                let request = Request::good(bench, 3, 2);
                rig.post_one(bench, QP, &request);
                rig.take_all(bench, QP)?;
            }
            let expected: Vec<_> = (1..=2 << log2).map(|i| rig.qps[QP].addr(i)).collect();
            assert_eq!(rig.blocks.read[from..], expected[..], "ring of 2^{log2} blocks");
            assert_eq!(rig.wide[1], across + 2);
        }
        assert_eq!(rig.spoilt, 0);
        Ok(())
    });
}

#[test]
fn a_request_of_two_blocks_lies_across_the_wrap_of_indices() {
    run_case("queue-rq-wrap-blocks", Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench, "rqwrap", 0xFFFF_FFF0, Pattern::None);
        for (qp, singles) in [(0, 1), (1, 0), (2, 3)] {
            rig.setup(bench, qp, 3, 1)?;
            rig.post_single(bench, qp, singles);
            rig.take_all(bench, qp)?;
            for _ in 0..10 {
                let request = Request::good(bench, 2, 2);
                rig.post_one(bench, qp, &request);
                rig.take_all(bench, qp)?;
            }
            assert_eq!(rig.qps[qp].taken, 4 + singles as u32);
        }
        assert_eq!((rig.spoilt, rig.pulses), (0, 0));
        Ok(())
    });
}

#[test]
fn what_is_answered_behind_a_reset_is_nobodys() {
    case("reset", |bench, rig| {
        rig.setup(bench, QP, 3, 1)?;
        rig.blocks.slowest = u64::MAX / 2;
        let request = Request::good(bench, 3, 2);
        rig.post_one(bench, QP, &request);
        rig.steps(bench, 30)?;
        bench.reset();
        rig.steps(bench, 60)?;
        rig.blocks.hurry();
        rig.steps(bench, 60)?;
        assert_eq!((rig.stored(bench, QP), rig.to_come(bench, QP)), (0, false));
        rig.setup(bench, QP, 3, 1)?;
        rig.post(bench, QP, 8, 0);
        rig.take_all(bench, QP)?;
        assert_eq!(rig.spoilt, 0);
        Ok(())
    });
}

#[test]
fn the_stated_time_from_a_doorbell_to_the_store() {
    run_case("queue-rq-prefetch", Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench, "rq", 0, Pattern::None);
        rig.blocks.slowest = 1;
        rig.blocks.whole = true;
        let mut took = [0; 2];
        for blocks in [1, 2] {
            rig.setup(bench, QP, 2, 1)?;
            let request = Request::good(bench, 1, blocks);
            rig.post_one(bench, QP, &request);
            let from = bench.cycle();
            rig.until(bench, "the request", |r, b| r.stored(b, QP) == 1)?;
            took[usize::from(blocks) - 1] = bench.cycle() - from;
            rig.take_all(bench, QP)?;
        }
        assert_eq!(took, [11, 20]);
        Ok(())
    });
}
