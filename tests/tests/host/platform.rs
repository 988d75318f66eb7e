// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events of the device's own in the event ring: they wait for room at their source, and starve
//! nobody.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, ChanSrcId, Pattern};
use ferrowarp_tests::queue::{doorbell, event, event_item, ring, Posted};

/// Kind of a doorbell that gives entries of the event ring back.
const CONSUMER: u64 = 4;
/// Kinds of the Ethernet link's events.
const LINK_DOWN: u64 = 12;
const LINK_UP: u64 = 13;
/// Where the ring lies.
const BASE: u64 = 1 << 40;
/// Cycles in which all that can be done is done.
const LONG: u64 = 400;

struct Rig {
    rings: ChanSrcId,
    bells: ChanSrcId,
    queues: ChanSrcId,
    own: ChanSrcId,
    written: Posted,
    /// Kind and number of each entry.
    got: Vec<[u64; 2]>,
}

impl Rig {
    fn new(bench: &mut Bench) -> Self {
        let [rings, bells, queues, _, own] =
            ["ring_ring", "ring_db", "ring_from_0", "ring_from_1", "ring_own"]
                .map(|name| bench.channel_source(name, Pattern::None));
        let written = Posted::new(bench, "ring_evt", [Pattern::None; 2]);
        Self { rings, bells, queues, own, written, got: vec![] }
    }

    /// Places a ring of `2^log2` entries.
    fn place(&mut self, bench: &mut Bench, log2: u64) -> Result<(), String> {
        bench.put(self.rings, ring(BASE, log2, true));
        self.steps(bench, LONG)
    }

    fn steps(&mut self, bench: &mut Bench, cycles: u64) -> Result<(), String> {
        for _ in 0..cycles {
            bench.step();
            for (_, entry) in self.written.taken(bench, 16)? {
                self.got.push([entry[0].into(), u64::from(entry[2]) << 8 | u64::from(entry[3])]);
            }
        }
        Ok(())
    }

    fn offer(bench: &mut Bench, source: ChanSrcId, kind: u64, number: u64) {
        bench.put(source, event_item([kind, number, 0, 0]));
    }

    fn free(&self, bench: &mut Bench, to: u32) {
        bench.put(self.bells, doorbell(CONSUMER, false, 0, to));
    }
}

#[test]
fn an_event_of_the_device_waits_for_room_and_takes_no_queues_place() {
    run_case("host-platform-room", Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench);
        // no ring: both wait, that of queue pair 0 in its place
        Rig::offer(bench, rig.own, LINK_UP, 0);
        Rig::offer(bench, rig.queues, event::QP_FATAL, 0);
        rig.steps(bench, LONG)?;
        assert!(!bench.put_all(rig.own), "an event of the device is taken without a ring");
        assert!(bench.put_all(rig.queues), "a queue pair's event waits for software");
        rig.place(bench, 1)?;
        rig.got.sort_unstable();
        assert_eq!(rig.got, [[event::QP_FATAL, 0], [LINK_UP, 0]]);
        // a full ring
        Rig::offer(bench, rig.own, LINK_DOWN, 0);
        Rig::offer(bench, rig.queues, event::QP_FATAL, 0);
        rig.steps(bench, LONG)?;
        assert_eq!((rig.got.len(), bench.put_all(rig.own)), (2, false));
        rig.free(bench, 2);
        rig.steps(bench, LONG)?;
        rig.got[2..].sort_unstable();
        assert_eq!(rig.got[2..], [[event::QP_FATAL, 0], [LINK_DOWN, 0]]);
        Ok(())
    });
}

#[test]
fn events_of_the_device_and_of_queues_take_turns() {
    run_case("host-platform-turns", Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench);
        rig.place(bench, 8)?;
        for n in 0..40 {
            Rig::offer(bench, rig.own, [LINK_UP, LINK_DOWN][n % 2], 0);
            Rig::offer(bench, rig.queues, event::QP_FATAL, n as u64 % 16);
        }
        rig.steps(bench, 2 * LONG)?;
        assert_eq!(rig.got.len(), 80);
        let is_own = |entry: &[u64; 2]| entry[0] >= LINK_DOWN;
        let longest = rig.got.chunk_by(|a, b| is_own(a) == is_own(b)).map(<[_]>::len).max();
        assert!(longest <= Some(2), "one side waits for {longest:?} events: {:?}", rig.got);
        Ok(())
    });
}

#[test]
fn events_that_wait_and_events_of_the_device_take_turns() {
    run_case("host-platform-waits", Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench);
        // without a ring those of queue pairs wait in places of their own
        for n in 0..12 {
            Rig::offer(bench, rig.queues, event::QP_FATAL, n);
            Rig::offer(bench, rig.own, [LINK_UP, LINK_DOWN][n as usize % 2], 0);
        }
        rig.steps(bench, LONG)?;
        rig.place(bench, 8)?;
        rig.steps(bench, LONG)?;
        assert_eq!(rig.got.len(), 24);
        let own: Vec<_> = rig.got.iter().map(|entry| entry[0] >= LINK_DOWN).collect();
        let both = own.iter().rposition(|own| !own).unwrap_or(0);
        assert!(own[..both].windows(2).all(|pair| pair != [true; 2]), "{own:?}");
        Ok(())
    });
}

#[test]
fn events_of_the_device_leave_half_of_the_ring_to_queues() {
    run_case("host-platform-half", Top::QueueW64, 1, |bench| {
        let mut rig = Rig::new(bench);
        rig.place(bench, 4)?;
        for n in 0..20 {
            Rig::offer(bench, rig.own, [LINK_UP, LINK_DOWN][n % 2], 0);
        }
        rig.steps(bench, 2 * LONG)?;
        assert_eq!((rig.got.len(), bench.put_all(rig.own)), (8, false));
        // two of one queue pair: neither takes the place of the other
        for kind in [event::QP_FATAL, event::CONNECTION_LOST] {
            Rig::offer(bench, rig.queues, kind, 3);
        }
        rig.steps(bench, LONG)?;
        assert_eq!(rig.got[8..], [[event::QP_FATAL, 3], [event::CONNECTION_LOST, 3]]);
        Ok(())
    });
}
