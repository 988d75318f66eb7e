// SPDX-License-Identifier: MIT OR Apache-2.0
//! Doorbells of a completion queue: consumer indices and arms.
use super::*;

#[test]
fn an_impossible_doorbell_changes_nothing() {
    small("doorbells", |rig, bench| {
        (0..3).for_each(|_| rig.complete(bench, 5, 0));
        rig.quiet(bench)?;
        rig.bell(bench, CONSUMER, false, 5, 2);
        rig.quiet(bench)?;
        let behind = 1;
        let bad = [
            (CONSUMER, 5, 4, "beyond the producer"),
            (CONSUMER, 5, behind, "behind itself"),
            (CONSUMER, 5, usize::MAX, "far behind"),
            (ARM, 5, 4, "an arm beyond the producer"),
            (ARM, 5, behind, "an arm behind the consumer"),
            (CONSUMER, 16, 0, "no such queue"),
            (ARM, 0x4005, 2, "no such queue"),
            (CONSUMER, 7, 0, "no row"),
            (ARM, 7, 0, "no row"),
            (1, 5, 3, "another kind"),
            (4, 5, 3, "another kind"),
        ];
        for (i, (kind, cq, index, why)) in bad.into_iter().enumerate() {
            rig.bell(bench, kind, false, cq, index);
            rig.quiet(bench)?;
            assert_eq!((rig.refused, rig.told.len()), (i as u64 + 1, 0), "{why}");
        }
        rig.queues[5].freed = 2;
        (0..3).for_each(|_| rig.complete(bench, 5, 0));
        rig.quiet(bench)?;
        assert_eq!(
            (rig.lost, rig.queues[5].entries.len()),
            (0, 6),
            "room for three, as the last good one said"
        );
        rig.complete(bench, 5, 0);
        rig.quiet(bench)?;
        assert_eq!(rig.lost, 1);
        Ok(())
    });
}

#[test]
fn what_an_arm_waits_for() {
    small("arm", |rig, bench| {
        let plain = |index| Completion { cq: 5, index, ..Completion::default() };
        let put = |rig: &mut Rig, bench: &mut Bench, c: Completion| {
            bench.put(rig.clients[0], c.item());
            rig.put[0].push_back(c);
            rig.queues[5].under_way += 1;
        };
        let arm = |rig: &mut Rig, bench: &mut Bench, solicited, index| {
            rig.queues[5].armed = Some((index, solicited));
            rig.queues[5].freed = index;
            rig.bell(bench, ARM, solicited, 5, index);
            rig.quiet(bench)
        };
        arm(rig, bench, true, 0)?;
        put(rig, bench, plain(1));
        rig.quiet(bench)?;
        assert_eq!(rig.told.len(), 0, "not solicited");
        put(rig, bench, Completion { is_solicited: 1, ..plain(2) });
        put(rig, bench, Completion { is_solicited: 1, ..plain(3) });
        rig.quiet(bench)?;
        assert_eq!(rig.told, [[event::CQ_NOTIFY, 5, 0, 2]], "solicited; once");
        // armed too late: what it waits for is there
        arm(rig, bench, true, 2)?;
        assert_eq!(rig.told.len(), 2, "entry 2 was solicited");
        put(rig, bench, plain(4));
        rig.quiet(bench)?;
        arm(rig, bench, true, 3)?;
        assert_eq!(rig.told.len(), 2, "entry 3 was not");
        put(rig, bench, Completion { status: status::FATAL_ERR, ..plain(5) });
        rig.quiet(bench)?;
        assert_eq!(rig.told.len(), 3, "an error");
        arm(rig, bench, false, 4)?;
        assert_eq!(rig.told.len(), 4, "any entry");
        arm(rig, bench, false, 5)?;
        assert_eq!(rig.told.len(), 4);
        // the weaker wish does not replace the stronger one
        rig.bell(bench, ARM, true, 5, 5);
        put(rig, bench, plain(6));
        rig.quiet(bench)?;
        assert_eq!(rig.told.len(), 5);
        Ok(())
    });
}

#[test]
fn an_event_tells_of_one_entry() {
    small("one-entry", |rig, bench| {
        let put = |rig: &mut Rig, bench: &mut Bench, solicited, index| {
            let c = Completion { cq: 5, index, is_solicited: solicited, ..Completion::default() };
            bench.put(rig.clients[0], c.item());
            rig.put[0].push_back(c);
            rig.queues[5].under_way += 1;
            rig.quiet(bench)
        };
        let arm = |rig: &mut Rig, bench: &mut Bench, solicited, freed| {
            rig.queues[5].armed = Some((freed, solicited));
            rig.queues[5].freed = freed;
            rig.bell(bench, ARM, solicited, 5, freed);
            rig.quiet(bench)
        };
        arm(rig, bench, false, 0)?;
        put(rig, bench, 0, 1)?;
        assert_eq!(rig.told.len(), 1);
        // software has not taken the entry, but was told of it
        arm(rig, bench, false, 0)?;
        assert_eq!(rig.told.len(), 1, "an entry makes one event");
        put(rig, bench, 0, 2)?;
        assert_eq!(rig.told.len(), 2, "the next entry");
        // two entries come between the event and the arm: an event each
        put(rig, bench, 0, 3)?;
        put(rig, bench, 0, 4)?;
        arm(rig, bench, false, 0)?;
        assert_eq!(rig.told.len(), 3);
        arm(rig, bench, false, 0)?;
        assert_eq!(rig.told.len(), 4);
        arm(rig, bench, false, 0)?;
        assert_eq!(rig.told.len(), 4, "all four were told of");
        // some of them are taken, and one more comes
        rig.bell(bench, CONSUMER, false, 5, 3);
        rig.queues[5].freed = 3;
        rig.quiet(bench)?;
        put(rig, bench, 1, 5)?;
        assert_eq!(rig.told.len(), 5);
        arm(rig, bench, true, 4)?;
        assert_eq!(rig.told.len(), 5, "the solicited one was told of");
        put(rig, bench, 1, 6)?;
        assert_eq!(rig.told.len(), 6);
        // taken by a consumer index beyond what was told of
        put(rig, bench, 0, 7)?;
        rig.bell(bench, CONSUMER, false, 5, 7);
        arm(rig, bench, false, 7)?;
        assert_eq!(rig.told.len(), 6, "nothing is there");
        put(rig, bench, 0, 8)?;
        assert_eq!(rig.told.len(), 7);
        // a solicited entry that comes unasked is told of once for either wish
        put(rig, bench, 1, 9)?;
        for (solicited, events) in [(false, 8), (true, 9), (true, 9)] {
            arm(rig, bench, solicited, 8)?;
            assert_eq!(rig.told.len(), events);
        }
        arm(rig, bench, false, 8)?;
        assert_eq!(rig.told.len(), 9, "no entry is left to tell of");
        put(rig, bench, 0, 10)?;
        assert_eq!((rig.told.len(), rig.refused), (10, 0));
        Ok(())
    });
}
