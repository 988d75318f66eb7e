// SPDX-License-Identifier: MIT OR Apache-2.0
//! The persist timer of TCP transmit on the emitted Verilog: probes of a window that is closed (RFC
//! 9293 section 3.8.6.1).
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::tcp_tx::{Ask, Fact, Kind, Row, Stage};

/// Least wait beyond the round trip.
const MIN: u64 = 3;
/// Ticks that the first probe waits, behind that in which the wait begins: MIN and the round trip
/// of the handshake.
const WAIT: u64 = MIN + 1;
/// Octets of the ULPDU that waits.
const ULPDU: usize = 100;

/// Runs a body on a stage with connections 0 to 2, whose windows are closed.
fn closed(name: &str, limit: u64, body: impl Fn(&mut Bench, &mut Stage, &[Row; 3]) -> Result<(), String>) {
    run_case(&format!("tcp_tx-persist-{name}"), Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        bench.set("tcp_tx_rto_min", MIN);
        bench.set("tcp_tx_retry_limit", limit);
        let rows = [(); 3].map(|()| Row { wnd: 0, ..Row::random(bench.rng()) });
        for (qp, row) in rows.iter().enumerate() {
            stage.insert(bench, qp, row)?;
        }
        body(bench, &mut stage, &rows)
    });
}

/// A reservation that is refused.
fn refused(bench: &mut Bench, stage: &mut Stage, qp: usize) -> Result<(), String> {
    stage.reserve(bench, qp, ULPDU);
    let grant = stage.grant(bench)?;
    // the timer hears of it
    stage.steps(bench, 10);
    match grant.ok {
        true => Err(format!("connection {qp} has room in a closed window")),
        false => Ok(()),
    }
}

/// A probe: no octets, one before SND.NXT.
fn probe(row: &Row) -> Vec<u8> {
    row.conn.frame(row.nxt.wrapping_sub(1), row.rcv_nxt, &[])
}

/// Frames of `most` ticks, and the tick of each.
fn frames(bench: &mut Bench, stage: &mut Stage, most: u64) -> Result<Vec<(u64, Vec<u8>)>, String> {
    let mut seen = vec![];
    for tick in 1..=most {
        stage.tick(bench);
        seen.extend(stage.left(bench)?.into_iter().map(|f| (tick, f)));
    }
    Ok(seen)
}

#[test]
fn a_closed_window_is_probed_at_growing_intervals() {
    closed("back-off", 200, |bench, stage, rows| {
        assert_eq!(frames(bench, stage, 10)?, [], "nothing waits");
        refused(bench, stage, 1)?;
        let due: Vec<_> = [5, 14, 31, 64].map(|tick| (tick, probe(&rows[1]))).into();
        assert_eq!(frames(bench, stage, 70)?, due);
        assert_eq!(stage.rtos, [], "nothing is unacknowledged");
        Ok(())
    });
}

#[test]
fn an_answer_with_a_closed_window_keeps_the_connection_and_the_interval() {
    closed("answers", 3, |bench, stage, rows| {
        refused(bench, stage, 1)?;
        let mut wait = WAIT;
        for _ in 0..6 {
            assert_eq!(frames(bench, stage, wait)?, []);
            assert_eq!(frames(bench, stage, 1)?, [(1, probe(&rows[1]))]);
            wait *= 2;
            let woken = stage.wakes.len();
            stage.fact(bench, 1, Fact { window: Some(0), ..Fact::default() });
            stage.until(bench, 500, |s, _| s.wakes.len() > woken)?;
            refused(bench, stage, 1)?;
        }
        assert_eq!(bench.waiting_items(stage.lost), 0);
        Ok(())
    });
}

#[test]
fn a_window_that_opens_ends_the_probes() {
    closed("opens", 200, |bench, stage, rows| {
        refused(bench, stage, 1)?;
        assert_eq!(frames(bench, stage, WAIT + 1)?.len(), 1);
        stage.tell(bench, 1, Fact { window: Some(1 << 20), ..Fact::default() })?;
        stage.reserve(bench, 1, ULPDU);
        let grant = stage.grant(bench)?;
        assert!(grant.ok && grant.seq == rows[1].nxt, "{grant:?}");
        stage.segment(bench, 1, grant.seq, vec![5; grant.octets], false);
        assert_eq!(stage.frames(bench, 1)?.len(), 1);
        // the timer is that of what is unacknowledged, with the first wait
        assert_eq!(frames(bench, stage, 14)?, []);
        assert_eq!(stage.rtos.len(), 2, "after 5 and 14 ticks");
        let past = rows[1].nxt.wrapping_add(grant.octets as u32);
        stage.tell(bench, 1, Fact { ack: Some(past), ..Fact::default() })?;
        assert_eq!(frames(bench, stage, 100)?, []);
        assert_eq!(stage.rtos.len(), 2);
        Ok(())
    });
}

#[test]
fn a_window_that_closes_behind_what_was_sent_is_probed_from_there() {
    closed("behind", 200, |bench, stage, rows| {
        stage.tell(bench, 2, Fact { window: Some(1 << 20), ..Fact::default() })?;
        stage.reserve(bench, 2, ULPDU);
        let grant = stage.grant(bench)?;
        stage.segment(bench, 2, grant.seq, vec![5; grant.octets], false);
        stage.frames(bench, 1)?;
        let past = rows[2].nxt.wrapping_add(grant.octets as u32);
        stage.tell(bench, 2, Fact { ack: Some(past), window: Some(0), ..Fact::default() })?;
        refused(bench, stage, 2)?;
        let sent = Row { nxt: past, ..rows[2].clone() };
        // the segment's round trip took no tick
        assert_eq!(frames(bench, stage, 11)?, [(4, probe(&sent)), (11, probe(&sent))]);
        Ok(())
    });
}

#[test]
fn a_peer_that_never_answers_a_probe_is_lost_once() {
    closed("lost", 3, |bench, stage, rows| {
        refused(bench, stage, 0)?;
        bench.expect_items(stage.lost, 1);
        assert_eq!(frames(bench, stage, 60)?, [(5, probe(&rows[0])), (14, probe(&rows[0]))]);
        assert_eq!(bench.waiting_items(stage.lost), 1);
        Ok(())
    });
}

#[test]
fn each_connection_probes_its_own_window() {
    closed("all", 200, |bench, stage, rows| {
        (0..3).try_for_each(|qp| refused(bench, stage, qp))?;
        let mut seen = frames(bench, stage, 5)?;
        let mut due: Vec<_> = rows.iter().map(|row| (5, probe(row))).collect();
        seen.sort();
        due.sort();
        assert_eq!(seen, due);
        // an ACK that is owed is no probe
        stage.fact(bench, 1, Fact { ack_now: true, ..Fact::default() });
        assert_eq!(stage.frames(bench, 1)?, [rows[1].conn.frame(rows[1].nxt, rows[1].rcv_nxt, &[])]);
        // a set-up forgets the wait
        stage.insert(bench, 2, &rows[2])?;
        assert!(frames(bench, stage, 6)?.iter().all(|f| f.1 != probe(&rows[2])));
        Ok(())
    });
}

#[test]
fn a_replay_that_is_acknowledged_meanwhile_starts_no_probes() {
    closed("skips", 3, |bench, stage, rows| {
        stage.tell(bench, 1, Fact { window: Some(1 << 20), ..Fact::default() })?;
        stage.reserve(bench, 1, ULPDU);
        let grant = stage.grant(bench)?;
        stage.segment(bench, 1, grant.seq, vec![5; grant.octets], false);
        stage.frames(bench, 1)?;
        stage.tell(
            bench,
            1,
            Fact { ack: Some(rows[1].nxt.wrapping_add(grant.octets as u32)), ..Fact::default() },
        )?;
        for length in [ULPDU - 50, ULPDU] {
            stage.ask(bench, Ask { qp: 1, length, replay: Some(0), ..Ask::default() });
            assert!(stage.grant(bench)?.skip);
        }
        assert_eq!(frames(bench, stage, 100)?, []);
        assert_eq!(bench.waiting_items(stage.lost), 0);
        Ok(())
    });
}

#[test]
fn a_probe_pays_nothing_that_is_owed() {
    closed("owes", 200, |bench, stage, rows| {
        refused(bench, stage, 1)?;
        (0..WAIT).for_each(|_| stage.tick(bench));
        // a segment is not acknowledged yet when the probe leaves, and is by the second one
        bench.set("tcp_tx_ack_delay", 1_000);
        let at = |octets: u32| rows[1].rcv_nxt.wrapping_add(octets);
        stage.done(bench, 1, at(10));
        let due = rows[1].conn.frame(rows[1].nxt.wrapping_sub(1), at(10), &[]);
        assert_eq!(frames(bench, stage, 1)?, [(1, due)]);
        stage.done(bench, 1, at(20));
        assert_eq!(stage.left(bench)?, [rows[1].conn.frame(rows[1].nxt, at(20), &[])]);
        Ok(())
    });
}

#[test]
fn a_removed_connection_probes_nobody() {
    closed("removed", 200, |bench, stage, _| {
        stage.remove(bench, 1)?;
        stage.ask(bench, Ask { qp: 1, kind: Kind::Fin, control: true, ..Ask::default() });
        stage.grant(bench)?;
        stage.reserve(bench, 1, ULPDU);
        stage.grant(bench)?;
        assert_eq!(frames(bench, stage, 50)?, []);
        Ok(())
    });
}

/// A probe is no resend: the third duplicate behind it fires.
#[test]
fn a_probe_leaves_the_duplicates_alone() {
    closed("dups", 200, |bench, stage, rows| {
        refused(bench, stage, 1)?;
        assert_eq!(frames(bench, stage, WAIT + 1)?.len(), 1);
        stage.fact(bench, 1, Fact { window: Some(1 << 20), ..Fact::default() });
        let nxt = rows[1].nxt;
        for at in [0, 100] {
            stage.segment(bench, 1, nxt.wrapping_add(at), vec![5; 100], false);
            stage.frames(bench, 1)?;
            if at == 0 {
                stage.tell(bench, 1, Fact { ack: Some(nxt.wrapping_add(100)), ..Fact::default() })?;
            }
        }
        (0..3).try_for_each(|_| stage.tell(bench, 1, Fact { dup: true, ..Fact::default() }))?;
        stage.steps(bench, 20);
        assert!(!stage.rtos.is_empty());
        Ok(())
    });
}
