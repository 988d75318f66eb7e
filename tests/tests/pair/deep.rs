// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices whose queues are full: nothing waits for what waits for it.
use ferrowarp_sim::{run_pair_on, LinkConfig, MemoryTiming};
use ferrowarp_tests::device::{clock_ps, library, link, Message, Plan, Traffic, Wire, RDMA_WRITE, SEND};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// More than an in-flight ring has entries.
const WRITES: usize = 70;
/// Queue pairs of the device.
const ALL: u16 = 16;

fn plan(connections: u16) -> Plan {
    let wires = (0..connections).map(|nth| Wire::plain(nth, 1500, 14)).collect();
    let timing = MemoryTiming::steady(clock_ps());
    Plan { wires, numbers: (0..connections).collect(), timing, longest: 1_000, budget: 100_000 }
}

/// Both ends read and then write more than their rings hold, before either has a Request of the
/// other. A Read leaves its ring when it is answered, so an answer that waited for a place behind a
/// Read would wait for itself.
#[test]
fn reads_are_answered_by_ends_whose_rings_are_full() {
    let library = library().expect("the device's model");
    let far = LinkConfig { delay_ns: 200_000, ..link() };
    run_pair_on("reads_of_full_rings", &library, far, 0, |pair| {
        let mut traffic = Traffic::new(pair, plan(1))?;
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        traffic.post(pair, 0, 0, Message::random(&mut rng, 16, SEND));
        traffic.until_settled(pair, 400_000)?;
        for from in 0..2 {
            let mut payload = vec![0; 100];
            rng.fill_bytes(&mut payload);
            traffic.post_read(pair, from, 0, &payload, [3, 1]);
            for n in 0..WRITES {
                traffic.post(pair, from, 0, Message::plain(RDMA_WRITE, vec![n as u8; 10]));
            }
        }
        traffic.until_settled(pair, 2_000_000)?;
        traffic.compare(pair)
    });
}

#[test]
fn all_connections_fill_their_rings() {
    let library = library().expect("the device's model");
    run_pair_on("all_connections_fill_their_rings", &library, link(), 0, |pair| {
        let mut traffic = Traffic::new(pair, plan(ALL))?;
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        for nth in 0..usize::from(ALL) {
            traffic.post(pair, 0, nth, Message::random(&mut rng, 16, SEND));
        }
        traffic.until_settled(pair, 100_000)?;
        for nth in 0..usize::from(ALL) {
            for from in 0..2 {
                for _ in 0..WRITES / 7 {
                    let mut payload = vec![0; 100];
                    rng.fill_bytes(&mut payload);
                    traffic.post_read(pair, from, nth, &payload, [3, 1]);
                    for n in 0..6 {
                        traffic.post(pair, from, nth, Message::plain(RDMA_WRITE, vec![n; 10]));
                    }
                }
            }
        }
        traffic.until_settled(pair, 2_000_000)?;
        traffic.compare(pair)
    });
}
