// SPDX-License-Identifier: MIT OR Apache-2.0
//! Quotes of several queue pairs, and of none.
use super::*;

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
        bench.put(rig.asks, Item::new().with("item", 1));
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
