//! The retransmission timer of TCP transmit on the emitted Verilog: when it runs, expires, waits longer, gives up.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::tcp_tx::{Row, Stage};

/// Ticks until the first expiry.
const MIN: u64 = 3;

/// Runs a body on a stage with connections 0 and 2, with timers of [`MIN`] ticks that give up at expiry `limit`.
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
        // 3 ticks, then 6, 12, 24 more
        assert_eq!(expiries(bench, stage, 45), [(3, 0), (9, 0), (21, 0), (45, 0)]);
        // an acknowledgment of a part begins anew, with the shortest wait
        stage.acknowledge(bench, of, 99)?;
        assert_eq!(expiries(bench, stage, 9), [(3, 0), (9, 0)]);
        stage.acknowledge(bench, of, 100)?;
        assert_eq!(expiries(bench, stage, 40), [], "all is acknowledged");
        // what follows does not begin the wait anew
        stage.send(bench, of, 100, 10)?;
        assert_eq!(expiries(bench, stage, 2), []);
        stage.send(bench, of, 110, 10)?;
        assert_eq!(expiries(bench, stage, 1), [(1, 0)]);
        Ok(())
    });
}

#[test]
fn the_wait_has_an_end() {
    with_timers("longest", 255, |bench, stage, rows| {
        bench.set("tcp_tx_rto_min", 1);
        stage.send(bench, (0, &rows[0]), 0, 100)?;
        let seen = expiries(bench, stage, 1 + 2_046 + 2 * 1_024);
        let ticks: Vec<_> = seen.iter().map(|s| s.0).collect();
        let waits: Vec<_> = ticks.windows(2).map(|w| w[1] - w[0]).collect();
        assert_eq!(waits, [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_024, 1_024]);
        Ok(())
    });
}

#[test]
fn each_connection_has_its_own() {
    with_timers("two", 200, |bench, stage, rows| {
        stage.send(bench, (0, &rows[0]), 0, 100)?;
        assert_eq!(expiries(bench, stage, 2), []);
        stage.send(bench, (2, &rows[1]), 0, 50)?;
        assert_eq!(expiries(bench, stage, 3), [(1, 0), (3, 2)]);
        stage.acknowledge(bench, (0, &rows[0]), 100)?;
        assert_eq!(expiries(bench, stage, 6), [(6, 2)]);
        // who is reset, removed or inserted anew has nothing in flight
        stage.reset(bench, 2);
        stage.frames(bench, 1)?;
        stage.send(bench, (0, &rows[0]), 100, 100)?;
        stage.remove(bench, 0)?;
        assert_eq!(expiries(bench, stage, 40), []);
        stage.insert(bench, 2, &rows[1])?;
        assert_eq!(expiries(bench, stage, 40), []);
        Ok(())
    });
}

#[test]
fn after_too_many_in_a_row_the_connection_is_lost_once() {
    with_timers("lost", 3, |bench, stage, rows| {
        let of = (2, &rows[1]);
        stage.send(bench, of, 0, 100)?;
        assert_eq!(expiries(bench, stage, 9), [(3, 2), (9, 2)]);
        // an acknowledgment in time: the count begins anew
        stage.acknowledge(bench, of, 50)?;
        assert_eq!(expiries(bench, stage, 20), [(3, 2), (9, 2)]);
        assert_eq!(bench.waiting_items(stage.lost), 0);
        bench.expect_items(stage.lost, 1);
        assert_eq!(expiries(bench, stage, 100), [], "the third one is no retransmission");
        let lost = bench.taken(stage.lost);
        assert_eq!(lost.len(), 1, "{lost:?}");
        // qp 8, error 16, status 8 (retry_exc_err), is_local, wr_id, has_wr
        assert_eq!(lost[0].bytes("item").map(|b| (b[0], b[1], b[2], b[4] & 1)), Some((2, 0, 0, 1)));
        let status = lost[0].bytes("item").map(|b| b[3]);
        assert_eq!(status, Some(8), "the peer did not answer");
        // later acknowledgments and segments do not bring it back, an insert does
        stage.acknowledge(bench, of, 60)?;
        stage.send(bench, of, 100, 10)?;
        assert_eq!(expiries(bench, stage, 100), []);
        stage.insert(bench, 2, of.1)?;
        stage.send(bench, of, 0, 10)?;
        assert_eq!(expiries(bench, stage, 3), [(3, 2)]);
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
