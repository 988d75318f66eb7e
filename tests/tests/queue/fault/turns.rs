// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which fault is next: sources take turns, and each completion queue has queue pairs of its own.
use super::told::Quote;
use super::*;

#[test]
fn an_overrun_of_each_completion_queue_stops_its_queue_pair_alone() {
    plain("each", |rig, bench| {
        for qp in 0..QPS {
            let cq = qp as u64;
            rig.row(bench, qp, QpRow { state: 1, send_cq: cq, recv_cq: cq, ..QpRow::default() })?;
        }
        let mut dead = 0;
        for cq in 0..QPS as u64 {
            rig.over(bench, cq);
            rig.quiet(bench)?;
            dead |= 1 << cq;
            assert_eq!(bench.get("fault_dead"), dead, "completion queue {cq}");
        }
        Ok(())
    });
}

#[test]
fn sources_that_offer_at_once_take_turns() {
    const SOURCES: usize = 3;
    plain("turns", |rig, bench| {
        for qp in 0..2 * SOURCES {
            let source = qp % SOURCES;
            let fault = Fault { quote: Quote::default(), ..Fault::random(bench, qp, source) };
            rig.report(bench, source, &fault);
        }
        rig.quiet(bench)?;
        let (_, events) = rig.told(bench);
        let sources: Vec<_> = events.iter().map(|event| event[1] as usize % SOURCES).collect();
        assert_eq!(sources.len(), 2 * SOURCES);
        for turn in sources.chunks(SOURCES) {
            assert!((0..SOURCES).all(|source| turn.contains(&source)), "{sources:?}");
        }
        Ok(())
    });
}
