// SPDX-License-Identifier: MIT OR Apache-2.0
//! The retransmission timer of TCP transmit on the emitted Verilog: when it runs, expires, waits
//! longer, gives up.
mod round_trips;

use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::tcp_tx::{Fact, Row, Stage};
use rand::Rng;

/// Least wait beyond the round trip, which the handshake has shown to be [`Row::rtt`], 1.
const MIN: u64 = 3;

/// Octets, of which no segment of this stage has more.
const SEGMENT: u32 = 1 << 14;

/// Runs a body on a stage with connections 0 and 2, with timers that wait 4 ticks and give up at
/// expiry `limit`. The tick in which a timer begins does not count.
fn with_timers(
    name: &str,
    limit: u64,
    body: impl Fn(&mut Bench, &mut Stage, &[Row; 2]) -> Result<(), String>,
) {
    run_case(&format!("tcp_tx-rto-{name}"), Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        bench.set("tcp_tx_rto_min", MIN);
        bench.set("tcp_tx_retry_limit", limit);
        let rows = [(); 2].map(|()| Row::random(bench.rng()));
        stage.insert(bench, 0, &rows[0])?;
        stage.insert(bench, 2, &rows[1])?;
        body(bench, &mut stage, &rows)
    });
}

/// The expiries of `most` ticks: at which of them, and the connection.
fn expiries(bench: &mut Bench, stage: &mut Stage, most: u64) -> Vec<(u64, u64)> {
    let mut seen = vec![];
    for tick in 1..=most {
        stage.tick(bench);
        stage.steps(bench, 40);
        seen.extend(std::mem::take(&mut stage.rtos).iter().map(|r| (tick, r.1)));
    }
    seen
}

#[test]
fn it_runs_while_octets_are_unacknowledged_and_waits_twice_as_long_each_time() {
    with_timers("back-off", 200, |bench, stage, rows| {
        let of = (0, &rows[0]);
        assert_eq!(expiries(bench, stage, 20), [], "nothing is in flight");
        stage.send(bench, of, 0, 100)?;
        // 4 ticks, then 8, 16 more, and one for each
        assert_eq!(expiries(bench, stage, 31), [(5, 0), (14, 0), (31, 0)]);
        // an acknowledgment of a part begins anew, and waits no less
        stage.acknowledge(bench, of, 99)?;
        assert_eq!(expiries(bench, stage, 33), [(33, 0)]);
        stage.acknowledge(bench, of, 100)?;
        assert_eq!(expiries(bench, stage, 100), [], "all is acknowledged");
        Ok(())
    });
}

#[test]
fn a_fresh_round_trip_alone_makes_the_wait_short_again() {
    with_timers("fresh", 200, |bench, stage, rows| {
        let of = (0, &rows[0]);
        stage.send(bench, of, 0, 100)?;
        assert_eq!(expiries(bench, stage, 14), [(5, 0), (14, 0)]);
        // what follows before these octets leave again will leave again, too
        stage.send(bench, of, 100, 10)?;
        stage.again(bench, 0, rows[0].nxt, vec![1; 100], false);
        stage.frames(bench, 1)?;
        stage.acknowledge(bench, of, 110)?;
        stage.send(bench, of, 110, 10)?;
        assert_eq!(expiries(bench, stage, 16), []);
        assert_eq!(expiries(bench, stage, 1), [(1, 0)]);
        stage.again(bench, 0, rows[0].nxt.wrapping_add(110), vec![1; 10], false);
        stage.frames(bench, 1)?;
        stage.acknowledge(bench, of, 120)?;
        // this one leaves once
        stage.send(bench, of, 120, 10)?;
        stage.acknowledge(bench, of, 130)?;
        stage.send(bench, of, 130, 10)?;
        // its round trip took no tick, and RTTVAR is less than the least wait
        assert_eq!(expiries(bench, stage, 4), [(4, 0)]);
        Ok(())
    });
}

#[test]
fn what_follows_does_not_begin_the_wait_anew() {
    with_timers("goes-on", 200, |bench, stage, rows| {
        let of = (0, &rows[0]);
        stage.send(bench, of, 0, 10)?;
        assert_eq!(expiries(bench, stage, 4), []);
        stage.send(bench, of, 10, 10)?;
        assert_eq!(expiries(bench, stage, 1), [(1, 0)]);
        Ok(())
    });
}

/// A timer of `wait` units expires, or a probe's time is over.
fn expires(bench: &mut Bench, stage: &mut Stage, wait: u32) {
    // what was acknowledged has had its effect
    stage.steps(bench, 40);
    stage.pass(bench, wait);
    assert_eq!(stage.rtos, [], "in the last unit of {wait}");
    stage.pass(bench, 1);
    assert_eq!(std::mem::take(&mut stage.rtos).len(), 1, "behind {wait} units");
}

/// Twenty segments of 1,000 octets leave.
fn burst(bench: &mut Bench, stage: &mut Stage, of: (usize, &Row), from: u32) -> Result<(), String> {
    (0..20).try_for_each(|n| stage.send(bench, of, from + 1_000 * n, 1_000))
}

/// A probe comes if more than a segment is in flight behind an acknowledgment. It is no expiry: the
/// next wait is no longer, and it counts for no limit.
#[test]
fn a_probe_comes_before_the_timer() {
    with_timers("probe", 2, |bench, stage, rows| {
        let of = (0, &rows[0]);
        bench.set("tcp_tx_rto_min", 80);
        stage.insert(bench, 0, of.1)?;
        burst(bench, stage, of, 0)?;
        // the round trip is measured: less than a unit
        stage.acknowledge(bench, of, 1_000)?;
        expires(bench, stage, 2);
        expires(bench, stage, 80);
        // one probe until a round trip is measured
        stage.acknowledge(bench, of, 20_000 - SEGMENT - 1)?;
        expires(bench, stage, 160);
        stage.acknowledge(bench, of, 20_000)?;
        assert_eq!(expiries(bench, stage, 1_000), []);
        // an octet more than a segment may have, and as many
        for (at, more) in [(20_000, 1), (40_001, 0)] {
            burst(bench, stage, of, at)?;
            stage.acknowledge(bench, of, at + 1_000)?;
            stage.steps(bench, 40);
            stage.acknowledge(bench, of, at + 20_000 - SEGMENT - more)?;
            if more == 1 {
                expires(bench, stage, 2);
            }
            expires(bench, stage, 80);
            stage.send(bench, of, at + 20_000, 1)?;
            stage.acknowledge(bench, of, at + 20_001)?;
        }
        bench.set("tcp_tx_recovery", 3);
        burst(bench, stage, of, 60_002)?;
        stage.acknowledge(bench, of, 61_002)?;
        expires(bench, stage, 80);
        Ok(())
    });
}

/// What leaves again has its wait from then on.
#[test]
fn the_wait_of_a_resend_begins_when_it_leaves() {
    with_timers("again", 200, |bench, stage, rows| {
        let of = (0, &rows[0]);
        stage.send(bench, of, 0, 100)?;
        stage.send(bench, of, 100, 100)?;
        expires(bench, stage, 4);
        stage.pass(bench, 5);
        for at in [0, 100] {
            stage.again(bench, 0, rows[0].nxt.wrapping_add(at), vec![1; 100], false);
            stage.frames(bench, 1)?;
            if at == 0 {
                stage.pass(bench, 3);
            }
        }
        expires(bench, stage, 5);
        Ok(())
    });
}

/// A connection without a round trip of its handshake has none of the one before it.
#[test]
fn a_set_up_forgets_what_a_probe_waited() {
    with_timers("probe-set", 200, |bench, stage, _| {
        bench.set("tcp_tx_rto_min", 200);
        let known = Row { rtt: 7, ..Row::random(bench.rng()) };
        stage.insert(bench, 1, &known)?;
        let row = Row { rtt: 0, ..known };
        stage.insert(bench, 1, &row)?;
        burst(bench, stage, (1, &row), 0)?;
        for _ in 0..3 {
            stage.fact(bench, 1, Fact { dup: true, ..Fact::default() });
        }
        stage.steps(bench, 100);
        assert_eq!(std::mem::take(&mut stage.rtos).len(), 1);
        expires(bench, stage, 100_000);
        Ok(())
    });
}

/// The path becomes a hundred times as long, and bursts follow each other without a pause.
#[test]
fn probes_of_a_longer_path_do_not_prevent_its_measurement() {
    with_timers("probe-longer", 200, |bench, stage, _| {
        bench.set("tcp_tx_rto_min", 20);
        let row = Row { rtt: 5, ..Row::random(bench.rng()) };
        let of = (1, &row);
        stage.insert(bench, 1, &row)?;
        burst(bench, stage, of, 0)?;
        let mut fired = [0; 12];
        for n in 1..12 {
            burst(bench, stage, of, 20_000 * n)?;
            for _ in 0..10 {
                stage.pass(bench, 50);
                if !std::mem::take(&mut stage.rtos).is_empty() {
                    fired[n as usize] += 1;
                    stage.again(bench, 1, row.nxt.wrapping_add(20_000 * (n - 1)), vec![1; 1_000], false);
                    stage.frames(bench, 1)?;
                }
            }
            stage.acknowledge(bench, of, 20_000 * n)?;
            stage.steps(bench, 40);
        }
        assert!(fired[1] > 0 && fired[5..] == [0; 7], "{fired:?} expiries and probes");
        Ok(())
    });
}

#[test]
fn the_wait_has_an_end() {
    with_timers("longest", 255, |bench, stage, _| {
        bench.set("tcp_tx_rto_min", 1);
        let row = Row { rtt: u16::MAX, ..Row::random(bench.rng()) };
        stage.insert(bench, 1, &row)?;
        stage.send(bench, (1, &row), 0, 100)?;
        // SRTT and four times half of it; between 42 s and 84 s at last
        let first = 3 * u32::from(u16::MAX);
        for wait in [1, 2, 4, 8, 16, 32, 32, 32].map(|n| n * first) {
            stage.pass(bench, wait);
            assert_eq!(stage.rtos, [], "in the last unit of {wait}");
            stage.pass(bench, 1);
            assert_eq!(std::mem::take(&mut stage.rtos).len(), 1, "behind {wait} units");
        }
        Ok(())
    });
}

#[test]
fn without_a_round_trip_it_waits_a_second() {
    with_timers("first", 255, |bench, stage, _| {
        let row = Row { rtt: 0, ..Row::random(bench.rng()) };
        stage.insert(bench, 1, &row)?;
        stage.send(bench, (1, &row), 0, 100)?;
        stage.pass(bench, 100_000);
        assert_eq!(stage.rtos, []);
        stage.pass(bench, 1);
        assert_eq!(stage.rtos.len(), 1);
        Ok(())
    });
}

#[test]
fn each_connection_has_its_own() {
    with_timers("two", 200, |bench, stage, rows| {
        stage.send(bench, (0, &rows[0]), 0, 100)?;
        assert_eq!(expiries(bench, stage, 4), []);
        stage.send(bench, (2, &rows[1]), 0, 50)?;
        assert_eq!(expiries(bench, stage, 5), [(1, 0), (5, 2)]);
        stage.acknowledge(bench, (0, &rows[0]), 100)?;
        assert_eq!(expiries(bench, stage, 9), [(9, 2)]);
        // who is reset, removed or inserted anew has nothing in flight
        stage.reset(bench, 2);
        stage.frames(bench, 1)?;
        stage.send(bench, (0, &rows[0]), 100, 100)?;
        stage.remove(bench, 0)?;
        assert_eq!(expiries(bench, stage, 60), []);
        stage.insert(bench, 2, &rows[1])?;
        assert_eq!(expiries(bench, stage, 60), []);
        Ok(())
    });
}

#[test]
fn after_too_many_in_a_row_the_connection_is_lost_once() {
    with_timers("lost", 3, |bench, stage, rows| {
        let of = (2, &rows[1]);
        stage.send(bench, of, 0, 100)?;
        assert_eq!(expiries(bench, stage, 14), [(5, 2), (14, 2)]);
        // an acknowledgment in time: the count begins anew
        stage.acknowledge(bench, of, 50)?;
        assert_eq!(expiries(bench, stage, 60), [(17, 2), (50, 2)]);
        assert_eq!(bench.waiting_items(stage.lost), 0);
        bench.expect_items(stage.lost, 1);
        assert_eq!(expiries(bench, stage, 200), [], "the third one is no retransmission");
        let lost = bench.taken(stage.lost);
        assert_eq!(lost.len(), 1, "{lost:?}");
        // qp 8, error 16, status 8 (retry_exc_err), is_local, index, has_wr
        assert_eq!(lost[0].bytes("item").map(|b| (b[0], b[1], b[2], b[4] & 1)), Some((2, 0, 0, 1)));
        let status = lost[0].bytes("item").map(|b| b[3]);
        assert_eq!(status, Some(8), "the peer did not answer");
        // later acknowledgments and segments do not bring it back, an insert does
        stage.acknowledge(bench, of, 60)?;
        stage.send(bench, of, 100, 10)?;
        assert_eq!(expiries(bench, stage, 200), []);
        stage.insert(bench, 2, of.1)?;
        stage.send(bench, of, 0, 10)?;
        assert_eq!(expiries(bench, stage, 5), [(5, 2)]);
        Ok(())
    });
}

#[test]
fn no_time_means_no_timer() {
    with_timers("off", 1, |bench, stage, rows| {
        bench.set("tcp_tx_rto_min", 0);
        stage.send(bench, (0, &rows[0]), 0, 100)?;
        assert_eq!(expiries(bench, stage, 50), []);
        assert_eq!(bench.waiting_items(stage.lost), 0);
        Ok(())
    });
}
