// SPDX-License-Identifier: MIT OR Apache-2.0
//! ACKs of TCP transmit on the emitted Verilog: which, when, how many, and what a data segment
//! carries.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::tcp_tx::{Fact, Row, Stage};
use rand::Rng;

/// Runs a body on a stage with connections 0 to 3.
fn with_connections(name: &str, body: impl Fn(&mut Bench, &mut Stage, &[Row]) -> Result<(), String>) {
    run_case(&format!("tcp_tx-ack-{name}"), Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        let rows = [(); 4].map(|()| Row::random(bench.rng()));
        for (qp, row) in rows.iter().enumerate() {
            stage.insert(bench, qp, row)?;
        }
        body(bench, &mut stage, &rows)
    });
}

/// The frames of ACKs of a connection that has sent nothing.
fn acks(row: &Row, numbers: &[u32]) -> Vec<Vec<u8>> {
    numbers.iter().map(|n| row.conn.frame(row.nxt, row.rcv_nxt.wrapping_add(*n), &[])).collect()
}

/// `done` for segments that end at these octets, some time between two.
fn done(bench: &mut Bench, stage: &mut Stage, qp: usize, row: &Row, ends: &[u32]) {
    for end in ends {
        stage.done(bench, qp, row.rcv_nxt.wrapping_add(*end));
        stage.steps(bench, 40);
    }
}

const NOW: Fact = Fact { ack: None, window: None, ack_now: true, dup: false };

#[test]
fn every_second_segment_at_once_and_the_odd_one_after_the_delay() {
    with_connections("second", |bench, stage, rows| {
        for n in 0..8 {
            let row = Row { rcv_nxt: bench.rng().random(), ..rows[1].clone() };
            stage.insert(bench, 1, &row)?;
            let ends: Vec<u32> = (1..=n).map(|i| i * 1460).collect();
            done(bench, stage, 1, &row, &ends);
            let second: Vec<u32> = ends.iter().skip(1).step_by(2).copied().collect();
            assert_eq!(stage.frames(bench, second.len())?, acks(&row, &second), "{n} segments");
            // the wait is two ticks: after the first one nothing leaves
            stage.tick(bench);
            assert_eq!(stage.frames(bench, 0)?, acks(&row, &[]), "{n} segments, one tick");
            stage.tick(bench);
            let odd = if n % 2 == 1 { vec![n * 1460] } else { vec![] };
            assert_eq!(stage.frames(bench, odd.len())?, acks(&row, &odd), "{n} segments, two ticks");
            (0..5).for_each(|_| stage.tick(bench));
            assert_eq!(stage.frames(bench, 0)?, acks(&row, &[]), "{n} segments, later ticks");
        }
        Ok(())
    });
}

#[test]
fn the_ack_of_a_fin_waits_for_nothing() {
    with_connections("fin", |bench, stage, rows| {
        for owed in 0..2 {
            let row = Row { rcv_nxt: bench.rng().random(), ..rows[1].clone() };
            stage.insert(bench, 1, &row)?;
            done(bench, stage, 1, &row, &[10][..owed]);
            bench.set("tcp_tx_done_ends", 1);
            done(bench, stage, 1, &row, &[11]);
            bench.set("tcp_tx_done_ends", 0);
            assert_eq!(stage.frames(bench, 1)?, acks(&row, &[11]), "{owed} owed before it");
            (0..5).for_each(|_| stage.tick(bench));
            assert_eq!(stage.frames(bench, 0)?, acks(&row, &[]), "{owed} owed before it, later ticks");
        }
        Ok(())
    });
}

#[test]
fn the_delay_is_a_register_and_may_be_zero() {
    with_connections("delay", |bench, stage, rows| {
        bench.set("tcp_tx_ack_delay", 0);
        done(bench, stage, 0, &rows[0], &[10, 20, 30]);
        assert_eq!(stage.frames(bench, 3)?, acks(&rows[0], &[10, 20, 30]));
        for delay in [1, 7, 300] {
            bench.set("tcp_tx_ack_delay", delay);
            let end = 40 + delay as u32;
            done(bench, stage, 0, &rows[0], &[end]);
            for _ in 1..delay {
                stage.tick(bench);
                stage.steps(bench, 10);
            }
            assert_eq!(stage.frames(bench, 0)?, acks(&rows[0], &[]), "before {delay} ticks");
            stage.tick(bench);
            assert_eq!(stage.frames(bench, 1)?, acks(&rows[0], &[end]), "after {delay} ticks");
        }
        Ok(())
    });
}

#[test]
fn segments_without_octets_owe_nothing() {
    with_connections("nothing", |bench, stage, rows| {
        done(bench, stage, 2, &rows[2], &[0, 0, 0]);
        (0..5).for_each(|_| stage.tick(bench));
        assert_eq!(stage.frames(bench, 0)?, acks(&rows[2], &[]));
        // RCV.ACK stayed
        stage.fact(bench, 2, NOW);
        assert_eq!(stage.frames(bench, 1)?, acks(&rows[2], &[0]));
        Ok(())
    });
}

#[test]
fn each_fact_gets_an_ack_of_its_own() {
    with_connections("each", |bench, stage, rows| {
        // no faster than ACKs leave
        for i in 0..70 {
            stage.fact(bench, [0, 0, 3][i % 3], NOW);
            stage.steps(bench, 40);
        }
        let frames = stage.frames(bench, 70)?;
        let of = |qp: usize| frames.iter().filter(|f| **f == acks(&rows[qp], &[0])[0]).count();
        assert_eq!((of(0), of(3)), (47, 23));
        // what a fact asked for does not pay for data, but it carries the number
        stage.done(bench, 0, rows[0].rcv_nxt.wrapping_add(9));
        (0..3).for_each(|_| stage.fact(bench, 0, NOW));
        assert_eq!(stage.frames(bench, 3)?, acks(&rows[0], &[9, 9, 9]));
        (0..4).for_each(|_| stage.tick(bench));
        assert_eq!(stage.frames(bench, 0)?, acks(&rows[0], &[]), "the delayed ACK was carried");
        Ok(())
    });
}

/// However many facts of one connection come while no ACK leaves, those of another are taken.
#[test]
fn behind_a_mac_that_stands_still_a_connection_owes_three_acks_and_holds_no_other() {
    with_connections("still", |bench, stage, rows| {
        bench.hold_sink(stage.frames, true);
        for _ in 0..1_000 {
            stage.fact(bench, 1, NOW);
        }
        stage.fact(bench, 2, NOW);
        stage.steps(bench, 6_000);
        assert!(stage.told(bench), "a fact waits");
        bench.hold_sink(stage.frames, false);
        // what was on its way to the MAC, and what is owed behind that
        stage.steps(bench, 2_000);
        let frames = bench.received(stage.frames);
        let of = |qp: usize| frames.iter().filter(|f| f.data == acks(&rows[qp], &[0])[0]).count();
        assert_eq!(of(2), 1);
        assert!((3..100).contains(&of(1)), "{} ACKs of connection 1", of(1));
        assert_eq!(frames.len(), of(1) + of(2));
        Ok(())
    });
}

#[test]
fn done_is_taken_in_every_cycle() {
    with_connections("burst", |bench, stage, rows| {
        // facts, ticks and data go on while `done` comes without pause
        for i in 1..=400_u32 {
            let qp = bench.rng().random_range(0..4);
            if i % 16 == 0 {
                stage.fact(bench, qp, Fact { window: Some(9), ..Fact::default() });
            }
            stage.ticks(bench, i % 8 == 0);
            stage.done(bench, qp, rows[qp].rcv_nxt.wrapping_add(i));
        }
        stage.ticks(bench, false);
        let ends: Vec<u32> = (0..4).map(|qp| rows[qp].rcv_nxt.wrapping_add(500 + qp as u32)).collect();
        (0..4).for_each(|qp| stage.done(bench, qp, ends[qp]));
        (0..4).for_each(|_| stage.tick(bench));
        stage.steps(bench, 2_000);
        let frames = bench.received(stage.frames);
        for (qp, row) in rows.iter().enumerate() {
            // at least the last number of each connection has left, and nothing is owed any more
            let last = row.conn.frame(row.nxt, ends[qp], &[]);
            assert_eq!(frames.iter().filter(|f| f.data == last).count(), 1, "connection {qp}");
        }
        Ok(())
    });
}

#[test]
fn data_carries_the_newest_number_and_pays_what_is_owed() {
    with_connections("piggyback", |bench, stage, rows| {
        let row = &rows[2];
        let mut seq = row.nxt;
        let mut old = row.rcv_nxt;
        for owed in [1, 2, 3] {
            // behind a MAC that stands still: data, the ACK of a fact, then it is data's turn
            bench.hold_sink(stage.frames, true);
            stage.segment(bench, 2, seq, vec![7; 5_000], false);
            stage.steps(bench, 700);
            stage.fact(bench, 2, NOW);
            stage.steps(bench, 40);
            let before = row.rcv_nxt.wrapping_add(owed * 100);
            for i in 1..=owed {
                stage.done(bench, 2, before.wrapping_add(i));
            }
            stage.segment(bench, 2, seq.wrapping_add(5_000), vec![8; 100], false);
            stage.steps(bench, 60);
            bench.hold_sink(stage.frames, false);
            let frames = stage.frames(bench, 3)?;
            let newest = before.wrapping_add(owed);
            let next = seq.wrapping_add(5_000);
            assert_eq!(frames[1], row.conn.frame(next, old, &[]), "{owed} owed");
            assert_eq!(frames[2], row.conn.frame(next, newest, &[8; 100]), "{owed} owed");
            seq = seq.wrapping_add(5_100);
            old = newest;
            (0..4).for_each(|_| stage.tick(bench));
            assert_eq!(stage.frames(bench, 0)?, acks(row, &[]), "{owed} owed and carried, yet an ACK left");
        }
        Ok(())
    });
}

#[test]
fn an_insert_may_owe_an_ack_and_a_removal_forgets() {
    with_connections("insert", |bench, stage, rows| {
        let row = Row { ack_now: true, ..Row::random(bench.rng()) };
        stage.insert(bench, 3, &row)?;
        assert_eq!(stage.frames(bench, 1)?, acks(&row, &[0]));
        stage.done(bench, 1, rows[1].rcv_nxt.wrapping_add(50));
        stage.remove(bench, 1)?;
        (0..5).for_each(|_| stage.tick(bench));
        assert_eq!(stage.frames(bench, 0)?, acks(&row, &[]), "ACK of a connection that is gone");
        Ok(())
    });
}

/// What was granted has its place in the stream: dropping it would leave a hole in front of a
/// Terminate.
#[test]
fn a_connection_in_error_sends_what_was_granted_and_gets_no_more() {
    with_connections("dead", |bench, stage, rows| {
        bench.set("tcp_tx_dead", 0b0010);
        let mut seqs: Vec<_> = rows.iter().map(|r| r.nxt).collect();
        let mut expected = vec![];
        for i in 0..24 {
            let qp = [1, 0, 1, 2, 3, 1][i % 6];
            let payload = vec![i as u8; 1 + 97 * i];
            stage.segment(bench, qp, seqs[qp], payload.clone(), false);
            expected.push(rows[qp].conn.frame(seqs[qp], rows[qp].rcv_nxt, &payload));
            seqs[qp] = seqs[qp].wrapping_add(payload.len() as u32);
        }
        assert_eq!(stage.frames(bench, expected.len())?, expected);
        stage.fact(bench, 1, NOW);
        assert_eq!(stage.frames(bench, 1)?, [rows[1].conn.frame(seqs[1], rows[1].rcv_nxt, &[])]);
        assert_eq!(stage.counts, [0; 4]);
        stage.reserve(bench, 1, 20);
        assert!(!stage.grant(bench)?.ok);
        Ok(())
    });
}

/// Who mends a loss has few segments in flight, so none of the next ones waits for a second one.
#[test]
fn behind_a_fact_fifteen_segments_have_their_acks_at_once() {
    with_connections("quick", |bench, stage, rows| {
        stage.fact(bench, 2, NOW);
        stage.fact(bench, 2, NOW);
        assert_eq!(stage.frames(bench, 2)?, acks(&rows[2], &[0, 0]));
        let ends: Vec<u32> = (1..=18).map(|i| i * 1460).collect();
        done(bench, stage, 2, &rows[2], &ends);
        let at_once = [&ends[..15], &ends[16..17]].concat();
        assert_eq!(stage.frames(bench, 16)?, acks(&rows[2], &at_once));
        // a fact of another connection is none of this one
        done(bench, stage, 1, &rows[1], &ends[..1]);
        assert_eq!(stage.frames(bench, 0)?, acks(&rows[1], &[]));
        // a new connection begins as if nothing had been
        stage.fact(bench, 2, NOW);
        assert_eq!(stage.frames(bench, 1)?.len(), 1);
        let row = Row { rcv_nxt: bench.rng().random(), ..rows[2].clone() };
        stage.insert(bench, 2, &row)?;
        done(bench, stage, 2, &row, &ends[..1]);
        assert_eq!(stage.frames(bench, 0)?, acks(&row, &[]));
        Ok(())
    });
}
