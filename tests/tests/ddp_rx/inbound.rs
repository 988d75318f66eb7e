// SPDX-License-Identifier: MIT OR Apache-2.0
//! Read Requests under way, of all queue pairs: as many as the IRD of each, whatever the counts of
//! the rest are.
use ferrowarp_sim::Bench;
use ferrowarp_tests::ddp_model::Request;
use ferrowarp_tests::ddp_rx::{quiet, Rx, PAIRS};
use rand::seq::SliceRandom;
use rand::Rng;

/// Protection domain and completion queue of all queue pairs; no region is named.
const PD: u16 = 3;

/// Streams of all queue pairs; the IRD of queue pair `qp` is `ird(qp)`.
fn begin(bench: &mut Bench, rx: &mut Rx, ird: impl Fn(u8) -> u8) -> Result<Peers, String> {
    for qp in 0..PAIRS {
        rx.ird = ird(qp);
        rx.set_up(bench, qp, PD, PD)?;
    }
    Ok(Peers { msn: vec![1; usize::from(PAIRS)] })
}

/// MSNs of the next Read Requests.
struct Peers {
    msn: Vec<u32>,
}

impl Peers {
    /// Sends a Read Request of nothing: no region is looked at.
    fn ask(&mut self, bench: &mut Bench, rx: &mut Rx, qp: u8) {
        let msn = &mut self.msn[usize::from(qp)];
        let request = Request { qp, sink_stag: *msn, sink_to: u64::from(qp), ..Request::default() };
        rx.send(bench, qp, 0, &request.ulpdu(*msn));
        *msn += 1;
    }
}

/// Read Requests of a queue pair that came out.
fn came(rx: &Rx, qp: u8) -> usize {
    rx.requests.iter().filter(|r| r.0.qp == qp).count()
}

/// The queue pairs in a random order.
fn shuffled(bench: &mut Bench) -> Vec<u8> {
    let mut pairs: Vec<_> = (0..PAIRS).collect();
    pairs.shuffle(bench.rng());
    pairs
}

#[test]
fn each_queue_pair_takes_requests_up_to_its_ird_and_refuses_one_more() {
    quiet("inbound-full", |bench, rx| {
        for round in 0..4 {
            let ird = |qp| 1 + (qp + 3 * round) % 8;
            let mut peers = begin(bench, rx, ird)?;
            rx.requests.clear();
            rx.model.requests.clear();
            // in turns: those with a small IRD are full first
            for i in 1..=8 {
                for qp in shuffled(bench) {
                    if ird(qp) >= i {
                        peers.ask(bench, rx, qp);
                    }
                }
            }
            rx.check(bench)?;
            assert_eq!(rx.faults.len(), 16 * usize::from(round), "all are inside their IRD");
            for qp in 0..PAIRS {
                assert_eq!(came(rx, qp), usize::from(ird(qp)), "queue pair {qp}");
            }
            shuffled(bench).into_iter().for_each(|qp| peers.ask(bench, rx, qp));
            rx.check(bench)?;
            let refused = &rx.faults[16 * usize::from(round)..];
            assert_eq!(refused.len(), 16);
            assert!(refused.iter().all(|f| f.error == 0x1202), "{refused:x?}");
        }
        Ok(())
    });
}

#[test]
fn an_answer_makes_room_for_one_request_of_its_own_queue_pair() {
    quiet("inbound-free", |bench, rx| {
        for freed in 0..PAIRS {
            let ird = |qp| 1 + (qp + freed) % 4;
            let mut peers = begin(bench, rx, ird)?;
            let faults = rx.faults.len();
            for qp in 0..PAIRS {
                (0..ird(qp)).for_each(|_| peers.ask(bench, rx, qp));
            }
            rx.check(bench)?;
            // all answers of one queue pair, and two of none
            for _ in 0..ird(freed) + 2 {
                rx.free(bench, freed)?;
            }
            (0..ird(freed)).for_each(|_| peers.ask(bench, rx, freed));
            rx.check(bench)?;
            assert_eq!(rx.faults.len(), faults, "queue pair {freed} has no room");
            (0..PAIRS).for_each(|qp| peers.ask(bench, rx, qp));
            rx.check(bench)?;
            assert_eq!(rx.faults.len(), faults + 16, "queue pair {freed} made room for another one");
        }
        Ok(())
    });
}

#[test]
fn counts_stay_right_while_requests_and_answers_meet() {
    quiet("inbound-meet", |bench, rx| {
        let ird = |qp: u8| 3 + (5 * qp) % 6;
        let mut peers = begin(bench, rx, ird)?;
        // two under way for each queue pair: then one may come and one go in any order
        for qp in (0..PAIRS).chain(0..PAIRS) {
            peers.ask(bench, rx, qp);
        }
        rx.check(bench)?;
        for _ in 0..30 {
            let (ups, downs) = (shuffled(bench), shuffled(bench));
            for (up, down) in ups.into_iter().zip(downs) {
                // some of the answers fall into the cycle in which a Request of the same queue pair
                // is counted
                let down = if bench.rng().random_bool(0.5) { up } else { down };
                let under_way = |rx: &Rx, qp| rx.model.pairs[&qp].in_use;
                if under_way(rx, up) > 2 || under_way(rx, down) < 2 {
                    continue;
                }
                peers.ask(bench, rx, up);
                let pause = bench.rng().random_range(0..24);
                rx.run(bench, pause)?;
                rx.free(bench, down)?;
                rx.run(bench, 24)?;
            }
        }
        rx.check(bench)?;
        assert!(rx.faults.is_empty() && rx.requests.len() > 100, "{} Requests", rx.requests.len());
        // the model knows how many are under way: just as many as are missing fit
        for qp in shuffled(bench) {
            (rx.model.pairs[&qp].in_use..ird(qp)).for_each(|_| peers.ask(bench, rx, qp));
        }
        rx.check(bench)?;
        assert!(rx.faults.is_empty(), "{:x?}", rx.faults);
        shuffled(bench).into_iter().for_each(|qp| peers.ask(bench, rx, qp));
        rx.check(bench)?;
        assert_eq!(rx.faults.len(), 16);
        Ok(())
    });
}

#[test]
fn a_stream_that_begins_anew_has_no_request_under_way_and_the_rest_keep_theirs() {
    quiet("inbound-anew", |bench, rx| {
        let mut peers = begin(bench, rx, |_| 4)?;
        for qp in 0..PAIRS {
            (0..4).for_each(|_| peers.ask(bench, rx, qp));
        }
        rx.check(bench)?;
        for qp in shuffled(bench).into_iter().take(8) {
            rx.set_up(bench, qp, PD, PD)?;
            peers.msn[usize::from(qp)] = 1;
            (0..4).for_each(|_| peers.ask(bench, rx, qp));
            rx.check(bench)?;
        }
        assert!(rx.faults.is_empty(), "{:x?}", rx.faults);
        (0..PAIRS).for_each(|qp| peers.ask(bench, rx, qp));
        rx.check(bench)?;
        assert_eq!(rx.faults.len(), 16);
        Ok(())
    });
}
