// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events that wait and new ones take turns.
use super::*;

/// Events that wait before there is a ring.
const WAIT: usize = 4;
/// Events that are offered together with the ring.
const NEW: usize = 16;

#[test]
fn events_that_wait_are_written_between_new_ones() {
    plain("between", |rig, bench| {
        (0..WAIT as u64).for_each(|n| rig.offer(bench, [event::QP_FATAL, n, 0x1202, 0]));
        rig.quiet(bench)?;
        assert_eq!((rig.got.len(), rig.held), (0, WAIT as u64));
        (rig.base, rig.log2) = (1 << 40, 5);
        bench.put(rig.rings, ring(rig.base, rig.log2.into(), true));
        (0..NEW as u64).for_each(|n| rig.offer(bench, [event::CQ_NOTIFY, n, 0, 1]));
        rig.quiet(bench)?;
        assert_eq!(rig.got.len(), WAIT + NEW);
        let last = rig.got.iter().rposition(|event| event[0] == event::QP_FATAL);
        assert!(last <= Some(2 * WAIT), "the last that waited is entry {last:?}");
        rig.judge()
    });
}
