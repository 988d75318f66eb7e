// SPDX-License-Identifier: MIT OR Apache-2.0
//! FPDUs that leave in several segments on the emitted Verilog of TCP transmit: a smaller EMSS, a
//! small window, a replay.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::tcp_tx::{Ask, Fact, Grant, Kind, Row, Stage};
use rand::Rng;

/// Octets of an FPDU without markers.
fn framed(length: usize) -> usize {
    (2 + length).next_multiple_of(4) + 4
}

/// The answer to a reservation.
fn answer(bench: &mut Bench, stage: &mut Stage, ask: Ask) -> Result<Grant, String> {
    stage.ask(bench, ask);
    stage.grant(bench)
}

/// Asks for all segments of an FPDU, one after the other.
fn pieces(bench: &mut Bench, stage: &mut Stage, first: Ask) -> Result<Vec<Grant>, String> {
    let mut got: Vec<Grant> = vec![];
    while got.last().is_none_or(|g| !g.ends) {
        let from = got.iter().map(|g| g.octets).sum::<usize>();
        let replay = first.replay.map(|offset| offset + from as u64);
        let most = first.most.map(|most| most - from);
        let grant = answer(bench, stage, Ask { from, replay, most, ..first })?;
        if !grant.ok {
            return Err(format!("refused behind {from} octets: {grant:?}"));
        }
        got.push(grant);
    }
    Ok(got)
}

/// A connection whose congestion window bounds nothing.
fn wide(bench: &mut Bench, emss: u16) -> Result<(Stage, Row), String> {
    let mut stage = Stage::new(bench);
    bench.set("tcp_tx_recovery", 0);
    let row = Row { emss, ..Row::random(bench.rng()) };
    stage.insert(bench, 1, &row)?;
    Ok((stage, row))
}

#[test]
fn an_fpdu_longer_than_emss_leaves_in_several_segments() {
    run_case("tcp_tx-pieces-emss", Top::TcpTxW64, 1, |bench| {
        let (mut stage, row) = wide(bench, 536)?;
        for _ in 0..20 {
            let (emss, markers) = (bench.rng().random_range(48..1_460), bench.rng().random());
            let row = Row { emss, markers, ..row.clone() };
            stage.insert(bench, 1, &row)?;
            let mut at = 0;
            for _ in 0..5 {
                let length = bench.rng().random_range(1..4_000);
                let got = pieces(bench, &mut stage, Ask { qp: 1, length, ..Ask::default() })?;
                let (last, whole) = got.split_last().ok_or("none")?;
                // whole words, behind which an FPDU may stand
                assert!(whole.iter().all(|g| g.octets == usize::from(emss) & !3), "{got:?}");
                assert!(last.octets <= usize::from(emss));
                let phase = (u64::from(row.nxt.wrapping_sub(row.start)) + at as u64) % 512;
                for grant in &got {
                    assert_eq!((grant.seq, grant.phase), (row.nxt.wrapping_add(at as u32), phase), "{got:?}");
                    at += grant.octets;
                }
                if !markers {
                    assert_eq!(got.iter().map(|g| g.octets).sum::<usize>(), framed(length));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn a_smaller_emss_cuts_what_leaves_again() {
    run_case("tcp_tx-pieces-update", Top::TcpTxW64, 1, |bench| {
        let (mut stage, row) = wide(bench, 1_460)?;
        let fpdu = Ask { qp: 1, length: 1_440, ..Ask::default() };
        let octets = framed(1_440);
        for _ in 0..2 {
            let grant = answer(bench, &mut stage, fpdu)?;
            assert_eq!((grant.ok, grant.octets, grant.ends), (true, octets, true));
            stage.segment(bench, 1, grant.seq, vec![5; octets], false);
        }
        stage.frames(bench, 2)?;
        stage.update(bench, 1, &Row { emss: 536, ..row.clone() })?;
        let place = |g: &Grant| g.seq.wrapping_sub(row.nxt) as usize;
        let again = Ask { replay: Some(octets as u64), most: Some(octets), ..fpdu };
        let got = pieces(bench, &mut stage, again)?;
        let seen: Vec<_> = got.iter().map(|g| (place(g) - octets, g.octets)).collect();
        assert_eq!(seen, [(0, 536), (536, 536), (1_072, octets - 1_072)]);
        // of an FPDU of which less has left, no more leaves again
        let part = Ask { most: Some(600), ..again };
        let seen: Vec<_> = pieces(bench, &mut stage, part)?.iter().map(|g| g.octets).collect();
        assert_eq!(seen, [536, 64]);
        // what the peer has is skipped, segment by segment
        let past = row.nxt.wrapping_add(octets as u32 + 536);
        stage.tell(bench, 1, Fact { ack: Some(past), ..Fact::default() })?;
        assert!(answer(bench, &mut stage, again)?.skip);
        let next = Ask { replay: again.replay.map(|r| r + 536), from: 536, most: Some(octets - 536), ..fpdu };
        assert!(answer(bench, &mut stage, next)?.ok);
        Ok(())
    });
}

/// Raw octets are judged before they come here. A smaller EMSS must not stop those that have left.
#[test]
fn raw_octets_leave_again_as_they_left() {
    run_case("tcp_tx-pieces-raw", Top::TcpTxW64, 1, |bench| {
        let (mut stage, row) = wide(bench, 1_460)?;
        let raw = Ask { qp: 1, length: 600, kind: Kind::Raw, ..Ask::default() };
        assert!(answer(bench, &mut stage, raw)?.ok);
        stage.raw_octets(bench, 1, row.nxt, vec![3; 600], false);
        stage.frames(bench, 1)?;
        stage.update(bench, 1, &Row { emss: 536, ..row.clone() })?;
        let again = Ask { replay: Some(0), ..raw };
        let grant = answer(bench, &mut stage, again)?;
        assert_eq!((grant.ok, grant.octets, grant.ends), (true, 600, true));
        stage.tell(bench, 1, Fact { ack: Some(row.nxt.wrapping_add(600)), ..Fact::default() })?;
        assert!(answer(bench, &mut stage, again)?.skip);
        Ok(())
    });
}

/// Least wait beyond the round trip, in ticks.
const MIN: u64 = 3;

#[test]
fn a_window_below_one_fpdu_makes_progress_by_the_persist_timer() {
    run_case("tcp_tx-pieces-window", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        bench.set("tcp_tx_rto_min", MIN);
        bench.set("tcp_tx_retry_limit", 3);
        // of which a segment takes whole words
        let row = Row { wnd: 898, emss: 1_460, ..Row::random(bench.rng()) };
        stage.insert(bench, 1, &row)?;
        let fpdu = Ask { qp: 1, length: 1_440, ..Ask::default() };
        let mut past = row.nxt;
        for round in 0..5 {
            let woken = stage.wakes.len();
            assert_eq!(answer(bench, &mut stage, fpdu)?, Grant::REFUSED, "round {round}");
            stage.steps(bench, 10);
            assert_eq!(stage.wakes.len(), woken, "nobody tries again before the timer expires");
            // a measured round trip makes the wait no longer than in the first round
            for _ in 0..2 * MIN + 2 {
                stage.tick(bench);
                stage.steps(bench, 40);
            }
            assert!(stage.wakes.len() > woken, "round {round}");
            let first = answer(bench, &mut stage, fpdu)?;
            assert_eq!((first.ok, first.seq, first.octets, first.ends), (true, past, 896, false));
            stage.segment(bench, 1, first.seq, vec![5; 896], false);
            stage.steps(bench, 600);
            let rest = Ask { from: 896, ..fpdu };
            assert_eq!(answer(bench, &mut stage, rest)?, Grant::REFUSED, "the window is full");
            past = past.wrapping_add(896);
            stage.tell(bench, 1, Fact { ack: Some(past), window: Some(898), ..Fact::default() })?;
            let rest = answer(bench, &mut stage, rest)?;
            assert_eq!((rest.ok, rest.seq, rest.octets, rest.ends), (true, past, framed(1_440) - 896, true));
            stage.segment(bench, 1, rest.seq, vec![6; rest.octets], false);
            stage.steps(bench, 600);
            past = past.wrapping_add(rest.octets as u32);
            stage.tell(bench, 1, Fact { ack: Some(past), window: Some(898), ..Fact::default() })?;
            stage.left(bench)?;
        }
        assert_eq!(bench.waiting_items(stage.lost), 0);
        Ok(())
    });
}

#[test]
fn a_window_as_good_as_closed_gets_no_octet_and_a_silent_peer_is_given_up() {
    run_case("tcp_tx-pieces-closed", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        bench.set("tcp_tx_rto_min", MIN);
        bench.set("tcp_tx_retry_limit", 3);
        let windows = [0, 3, 511];
        for (qp, wnd) in windows.into_iter().enumerate() {
            let row = Row { wnd, emss: 1_460, ..Row::random(bench.rng()) };
            stage.insert(bench, qp, &row)?;
            let fpdu = Ask { qp, length: 1_000, ..Ask::default() };
            assert_eq!(answer(bench, &mut stage, fpdu)?, Grant::REFUSED);
        }
        bench.expect_items(stage.lost, windows.len() as u64);
        for _ in 0..100 {
            stage.tick(bench);
            stage.steps(bench, 40);
        }
        assert_eq!((stage.wakes.len(), bench.waiting_items(stage.lost)), (0, windows.len()));
        Ok(())
    });
}
