// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections at rest in TCP transmit on the emitted Verilog: keepalive (RFC 9293 section 3.8.4),
//! and the retries of each.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::tcp_tx::{Fact, Row, Stage};

/// Least wait beyond the round trip of the handshake, which is a tick.
const MIN: u64 = 3;
/// Ticks until a connection that was set up has rested.
const REST: u32 = MIN as u32 + 2;
/// Parts of the keepalive time.
const PARTS: usize = 128;
/// Ticks from the end of a part to that of the next: two units of 128, and the one under way.
const PART: u32 = 2 * 128 + 1;
/// Retries of connection 1.
const LIMIT: usize = 3;

/// Runs a body on a stage with connections 0 to 2, of which 1 has a keepalive time and a limit of
/// its own.
fn at_rest(name: &str, body: impl Fn(&mut Bench, &mut Stage, &[Row; 3]) -> Result<(), String>) {
    run_case(&format!("tcp_tx-rest-{name}"), Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        bench.set("tcp_tx_rto_min", MIN);
        bench.set("tcp_tx_retry_limit", 5);
        let mut rows = [(); 3].map(|()| Row::random(bench.rng()));
        rows[1] = Row { limit: LIMIT as u8, keepalive: 2, ..rows[1].clone() };
        for (qp, row) in rows.iter().enumerate() {
            stage.insert(bench, qp, row)?;
        }
        body(bench, &mut stage, &rows)
    });
}

/// A question to the peer: no octets, one before SND.NXT.
fn question(row: &Row, nxt: u32) -> Vec<u8> {
    row.conn.frame(nxt.wrapping_sub(1), row.rcv_nxt, &[])
}

/// So many parts pass; how many of them until each frame.
fn frames(bench: &mut Bench, stage: &mut Stage, parts: usize) -> Result<Vec<(usize, Vec<u8>)>, String> {
    let mut seen = vec![];
    for n in 1..=parts {
        stage.pass(bench, PART);
        seen.extend(stage.left(bench)?.into_iter().map(|f| (n, f)));
    }
    Ok(seen)
}

#[test]
fn a_silent_peer_is_asked_behind_the_time_and_lost_behind_the_retries() {
    at_rest("lost", |bench, stage, rows| {
        stage.pass(bench, REST);
        let asks: Vec<_> = (PARTS..PARTS + LIMIT).map(|n| (n, question(&rows[1], rows[1].nxt))).collect();
        assert_eq!(frames(bench, stage, PARTS + LIMIT - 1)?, asks);
        bench.expect_items(stage.lost, 1);
        stage.pass(bench, PART - 1);
        assert_eq!(bench.waiting_items(stage.lost), 0);
        stage.pass(bench, 1);
        assert_eq!(bench.waiting_items(stage.lost), 1);
        assert_eq!(frames(bench, stage, 2 * PARTS)?, [], "nobody is asked any more");
        assert_eq!(stage.rtos, [], "nothing leaves again");
        Ok(())
    });
}

#[test]
fn a_sign_of_life_begins_the_time_anew() {
    for name in ["answer", "octets"] {
        at_rest(name, |bench, stage, rows| {
            let asks = || question(&rows[1], rows[1].nxt);
            stage.pass(bench, REST);
            assert_eq!(frames(bench, stage, PARTS)?, [(PARTS, asks())]);
            for n in 0..4 {
                // out of a question, and between two
                stage.pass(bench, PART / 2);
                match name {
                    "answer" => {
                        stage.tell(bench, 1, Fact { window: Some(rows[1].wnd), ..Fact::default() })?
                    }
                    _ => stage.done(bench, 1, rows[1].rcv_nxt),
                }
                stage.steps(bench, 20);
                if n % 2 == 0 {
                    assert_eq!(frames(bench, stage, PARTS - 1)?, [], "{name}");
                } else {
                    assert_eq!(frames(bench, stage, PARTS)?, [(PARTS, asks())], "{name}");
                }
            }
            assert_eq!(bench.waiting_items(stage.lost), 0);
            Ok(())
        });
    }
}

#[test]
fn octets_in_flight_have_the_timer_of_retransmission_and_the_time_begins_behind_them() {
    at_rest("octets-leave", |bench, stage, rows| {
        let row = &rows[1];
        let mut at = 0;
        // out of a rest, out of a part, out of a question
        for idle in [0, 2, PARTS + 1] {
            stage.pass(bench, REST);
            let asked = frames(bench, stage, idle)?.len();
            // the waits were doubled: a rest takes a part of the time
            assert_eq!(asked, usize::from(idle > PARTS));
            stage.rtos.clear();
            stage.send(bench, (1, row), at, 100)?;
            at += 100;
            for _ in 0..3 * MIN {
                stage.pass(bench, 1);
            }
            assert_eq!(stage.left(bench)?, Vec::<Vec<u8>>::new(), "no question beside octets in flight");
            assert!(!stage.rtos.is_empty(), "idle for {idle} parts");
            stage.acknowledge(bench, (1, row), at)?;
        }
        let asked = frames(bench, stage, PARTS + 1)?;
        assert!(
            matches!(&asked[..], [(PARTS.., frame)] if *frame == question(row, row.nxt.wrapping_add(at)))
        );
        Ok(())
    });
}

#[test]
fn each_connection_has_its_own_retries() {
    at_rest("retries", |bench, stage, rows| {
        bench.expect_items(stage.lost, 2);
        for qp in [0, 1] {
            stage.send(bench, (qp, &rows[qp]), 0, 100)?;
        }
        stage.rtos.clear();
        for _ in 0..400 {
            stage.pass(bench, 1);
        }
        assert_eq!(bench.waiting_items(stage.lost), 2);
        let of = |qp: u64| stage.rtos.iter().filter(|rto| rto.1 == qp).count();
        assert_eq!([of(0), of(1)], [4, LIMIT - 1], "the last expiry is the end");
        Ok(())
    });
}

#[test]
fn a_set_up_and_a_removal_end_the_time() {
    at_rest("removed", |bench, stage, rows| {
        stage.pass(bench, REST);
        assert_eq!(frames(bench, stage, 2)?, []);
        stage.remove(bench, 1)?;
        assert_eq!(frames(bench, stage, PARTS)?, []);
        stage.insert(bench, 1, &Row { keepalive: 0, ..rows[1].clone() })?;
        assert_eq!(frames(bench, stage, PARTS + 1)?, []);
        Ok(())
    });
}
