// SPDX-License-Identifier: MIT OR Apache-2.0
//! Duplicate ACKs at TCP transmit on the emitted Verilog: the third one makes what is not
//! acknowledged leave again.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench};
use ferrowarp_tests::tcp_tx::{Fact, Row, Stage};
use rand::Rng;

/// A duplicate ACK.
const DUP: Fact = Fact { ack: None, window: None, ack_now: false, dup: true };

/// Nothing leaves again.
const NONE: [u64; 0] = [];

/// Runs a body on a stage with connections 0 and 2, of which no timer runs.
fn with_two(name: &str, seed: u64, body: impl Fn(&mut Bench, &mut Stage, &[Row; 2]) -> Result<(), String>) {
    run_case(&format!("tcp_tx-dups-{name}"), Top::TcpTxW64, seed, |bench| {
        let mut stage = Stage::new(bench);
        bench.set("tcp_tx_retry_limit", 255);
        let rows = [(); 2].map(|()| Row::random(bench.rng()));
        stage.insert(bench, 0, &rows[0])?;
        stage.insert(bench, 2, &rows[1])?;
        body(bench, &mut stage, &rows)
    });
}

/// What stands at `at` leaves again.
fn replayed(bench: &mut Bench, stage: &mut Stage, (qp, row): (usize, &Row), at: u32) -> Result<(), String> {
    stage.again(bench, qp, row.nxt.wrapping_add(at), vec![1; 100], false);
    stage.frames(bench, 1).map(drop)
}

/// All facts were taken and have had their effect; the connections whose octets leave again.
fn resent(bench: &mut Bench, stage: &mut Stage) -> Result<Vec<u64>, String> {
    stage.until(bench, 2_000, |s, b| s.told(b))?;
    // eight wait in a queue, three cycles each
    stage.steps(bench, 40);
    // a pulse may be seen twice where a wait begins
    stage.rtos.dedup();
    Ok(std::mem::take(&mut stage.rtos).iter().map(|r| r.1).collect())
}

/// So many duplicates of a connection one after another; what comes of them.
fn dups(bench: &mut Bench, stage: &mut Stage, qp: usize, count: usize) -> Result<Vec<u64>, String> {
    (0..count).for_each(|_| stage.fact(bench, qp, DUP));
    resent(bench, stage)
}

/// The peer acknowledges everything up to `at` of a connection's stream, which makes nothing leave
/// again.
fn acknowledge(
    bench: &mut Bench,
    stage: &mut Stage,
    (qp, row): (usize, &Row),
    at: u32,
) -> Result<(), String> {
    stage.fact(bench, qp, Fact { ack: Some(row.una.wrapping_add(at)), ..Fact::default() });
    assert_eq!(resent(bench, stage)?, NONE);
    Ok(())
}

#[test]
fn the_third_one_fires_once_for_one_place() {
    with_two("third", 1, |bench, stage, rows| {
        let of = (0, &rows[0]);
        assert_eq!(dups(bench, stage, 0, 9)?, NONE, "nothing is outstanding");
        stage.send(bench, of, 0, 1_000)?;
        assert_eq!(dups(bench, stage, 0, 2)?, NONE);
        assert_eq!(dups(bench, stage, 0, 1)?, [0]);
        assert_eq!(dups(bench, stage, 0, 9)?, NONE, "once for one place");
        // a loss in what left again: the peer stands before it
        acknowledge(bench, stage, of, 400)?;
        assert_eq!(dups(bench, stage, 0, 2)?, NONE);
        acknowledge(bench, stage, of, 500)?;
        assert_eq!(dups(bench, stage, 0, 2)?, NONE, "counted anew");
        assert_eq!(dups(bench, stage, 0, 7)?, [0]);
        replayed(bench, stage, of, 500)?;
        // all of it is there: what comes now are echoes, until the peer is beyond
        stage.send(bench, of, 1_000, 500)?;
        acknowledge(bench, stage, of, 1_000)?;
        assert_eq!(dups(bench, stage, 0, 9)?, NONE);
        acknowledge(bench, stage, of, 1_100)?;
        assert_eq!(dups(bench, stage, 0, 3)?, [0]);
        acknowledge(bench, stage, of, 1_500)?;
        assert_eq!(dups(bench, stage, 0, 9)?, NONE, "nothing is outstanding");
        Ok(())
    });
}

/// What was granted before leaves between the third duplicate and the first octet that leaves
/// again. The echoes have its end.
#[test]
fn echoes_of_what_left_before_the_resend_fire_nothing() {
    with_two("echoes", 1, |bench, stage, rows| {
        let of = (0, &rows[0]);
        stage.send(bench, of, 0, 1_000)?;
        assert_eq!(dups(bench, stage, 0, 3)?, [0]);
        stage.send(bench, of, 1_000, 300)?;
        stage.send(bench, of, 1_300, 300)?;
        replayed(bench, stage, of, 0)?;
        // new octets behind what left again
        stage.send(bench, of, 1_600, 400)?;
        acknowledge(bench, stage, of, 1_600)?;
        assert_eq!(dups(bench, stage, 0, 9)?, NONE);
        acknowledge(bench, stage, of, 1_700)?;
        assert_eq!(dups(bench, stage, 0, 3)?, [0]);
        // nothing left again, and all is there
        acknowledge(bench, stage, of, 2_000)?;
        stage.send(bench, of, 2_000, 100)?;
        acknowledge(bench, stage, of, 2_050)?;
        assert_eq!(dups(bench, stage, 0, 3)?, [0]);
        Ok(())
    });
}

#[test]
fn an_expiry_counts_as_a_resend() {
    with_two("expiry", 1, |bench, stage, rows| {
        let of = (0, &rows[0]);
        bench.set("tcp_tx_rto_min", 2);
        stage.send(bench, of, 0, 1_000)?;
        let tick = |bench: &mut Bench, stage: &mut Stage| {
            stage.tick(bench);
            stage.steps(bench, 40);
            resent(bench, stage)
        };
        let quiet = |bench: &mut Bench, stage: &mut Stage, ticks: u64| -> Result<(), String> {
            for _ in 0..ticks {
                assert_eq!(tick(bench, stage)?, NONE);
            }
            Ok(())
        };
        quiet(bench, stage, 3)?;
        assert_eq!(dups(bench, stage, 0, 2)?, NONE);
        assert_eq!(tick(bench, stage)?, [0], "3 ticks, and the one in which it begins");
        assert_eq!(dups(bench, stage, 0, 2)?, NONE, "counted anew");
        // the third one begins the wait of this time anew, which is 6 ticks, and the expiries go
        // on, behind a probe of 3 ticks
        quiet(bench, stage, 3)?;
        assert_eq!(dups(bench, stage, 0, 1)?, [0]);
        quiet(bench, stage, 3)?;
        assert_eq!(tick(bench, stage)?, [0]);
        assert_eq!(dups(bench, stage, 0, 3)?, NONE, "not counted anew");
        quiet(bench, stage, 6)?;
        assert_eq!(tick(bench, stage)?, [0]);
        quiet(bench, stage, 12)?;
        assert_eq!(tick(bench, stage)?, [0], "12 ticks");
        replayed(bench, stage, of, 0)?;
        stage.send(bench, of, 1_000, 500)?;
        acknowledge(bench, stage, of, 1_000)?;
        assert_eq!(dups(bench, stage, 0, 9)?, NONE, "echoes");
        Ok(())
    });
}

#[test]
fn a_fast_resend_is_no_expiry() {
    with_two("tries", 1, |bench, stage, rows| {
        let of = (0, &rows[0]);
        bench.set("tcp_tx_rto_min", 1);
        bench.set("tcp_tx_retry_limit", 2);
        stage.send(bench, of, 0, 1_000)?;
        for at in 1..6 {
            assert_eq!(dups(bench, stage, 0, 3)?, [0]);
            acknowledge(bench, stage, of, at)?;
        }
        assert_eq!(bench.waiting_items(stage.lost), 0);
        bench.expect_items(stage.lost, 1);
        // 3 ticks, then 6, and one for each
        for _ in 0..11 {
            stage.tick(bench);
            stage.steps(bench, 40);
        }
        assert_eq!(resent(bench, stage)?, [0]);
        assert_eq!(bench.taken(stage.lost).len(), 1);
        assert_eq!(dups(bench, stage, 0, 9)?, NONE, "a lost connection sends nothing");
        Ok(())
    });
}

#[test]
fn a_set_up_clears_all() {
    with_two("set-up", 1, |bench, stage, rows| {
        let of = (0, &rows[0]);
        stage.send(bench, of, 0, 1_000)?;
        assert_eq!(dups(bench, stage, 0, 3)?, [0]);
        stage.send(bench, of, 1_000, 100)?;
        assert_eq!(dups(bench, stage, 0, 2)?, NONE);
        stage.insert(bench, 0, of.1)?;
        stage.send(bench, of, 0, 1_100)?;
        assert_eq!(dups(bench, stage, 0, 2)?, NONE);
        // where the life before has sent again up to
        acknowledge(bench, stage, of, 1_000)?;
        assert_eq!(dups(bench, stage, 0, 3)?, [0]);
        // who is reset or removed sends nothing
        acknowledge(bench, stage, of, 1_001)?;
        stage.reset(bench, 0);
        stage.frames(bench, 1)?;
        assert_eq!(dups(bench, stage, 0, 9)?, NONE);
        stage.remove(bench, 0)?;
        assert_eq!(dups(bench, stage, 0, 9)?, NONE);
        Ok(())
    });
}

#[test]
fn a_duplicate_behind_the_second_wakes_nobody() {
    with_two("wakes", 1, |bench, stage, rows| {
        let of = (2, &rows[1]);
        stage.send(bench, of, 0, 100)?;
        stage.fact(bench, 2, Fact { window: Some(10), ..Fact::default() });
        resent(bench, stage)?;
        stage.reserve(bench, 2, 500);
        assert!(!stage.grant(bench)?.ok);
        stage.wakes.clear();
        // limited transmit: who was refused is woken once, and asks again
        assert!(dups(bench, stage, 2, 1)?.is_empty());
        assert_eq!(std::mem::take(&mut stage.wakes).len(), 1);
        assert_eq!(dups(bench, stage, 2, 4)?, [2]);
        stage.reserve(bench, 2, 500);
        assert!(!stage.grant(bench)?.ok);
        assert!(dups(bench, stage, 2, 2)?.is_empty() && stage.wakes.is_empty());
        stage.fact(bench, 2, Fact { window: Some(5_000), ..Fact::default() });
        resent(bench, stage)?;
        assert_eq!(stage.wakes.len(), 1);
        Ok(())
    });
}

/// Three of connection 0 come while connection 2 sends and connection 1 is inserted.
#[test]
fn none_is_lost_beside_other_events() {
    for seed in seeds(0..8, 0..200) {
        with_two("beside", seed, |bench, stage, rows| {
            stage.send(bench, (0, &rows[0]), 0, 1_000)?;
            let other = Row::random(bench.rng());
            let mut nxt = rows[1].nxt;
            for at in 1..20 {
                for _ in 0..3 {
                    stage.segment(bench, 2, nxt, vec![2], false);
                    nxt = nxt.wrapping_add(1);
                    let pause = bench.rng().random_range(0..12);
                    stage.steps(bench, pause);
                    stage.fact(bench, 0, DUP);
                }
                bench.expect(stage.frames, 3);
                stage.insert(bench, 1, &other)?;
                assert_eq!(resent(bench, stage)?, [0], "round {at}");
                acknowledge(bench, stage, (0, &rows[0]), at)?;
            }
            stage.steps(bench, 500);
            assert_eq!(bench.received(stage.frames).len(), 57);
            Ok(())
        });
    }
}

/// A connection as these rules have it.
#[derive(Clone, Copy)]
struct Model {
    una: u32,
    nxt: u32,
    recover: Option<u32>,
    /// What leaves again has not left: `recover` moves with SND.NXT.
    fired: bool,
    count: u32,
}

impl Model {
    fn outstanding(&self) -> u32 {
        self.nxt.wrapping_sub(self.una)
    }

    /// All leaves again.
    fn resend(&mut self) {
        (self.recover, self.fired) = (Some(self.nxt), true);
    }
}

/// Segments, bursts of acknowledgments and duplicates of both connections in any order, and
/// expiries.
fn mixture(bench: &mut Bench, stage: &mut Stage, rows: &[Row; 2]) -> Result<(), String> {
    // without probes, whose times follow what is measured
    bench.set("tcp_tx_recovery", 2);
    let fresh = |row: &Row| Model { una: row.una, nxt: row.nxt, recover: None, fired: false, count: 0 };
    let mut models = [fresh(&rows[0]), fresh(&rows[1])];
    let mut seen = [0; 2];
    for _ in 0..120 {
        let mut expected = vec![];
        match bench.rng().random_range(0..12) {
            0..3 => {
                let (at, octets) = (bench.rng().random_range(0..2), bench.rng().random_range(1..200));
                let model = &mut models[at];
                stage.segment(bench, 2 * at, model.nxt, vec![3; octets], false);
                stage.frames(bench, 1)?;
                model.nxt = model.nxt.wrapping_add(octets as u32);
                if model.fired {
                    model.recover = Some(model.nxt);
                }
            }
            10 => {
                let at = bench.rng().random_range(0..2);
                stage.again(bench, 2 * at, models[at].una, vec![3; 50], false);
                stage.frames(bench, 1)?;
                models[at].fired = false;
            }
            3 => {
                bench.set("tcp_tx_rto_min", 1);
                // longer than each wait, and as long as deadlines are told from the past
                stage.pass(bench, (1 << 23) - 1);
                bench.set("tcp_tx_rto_min", 0);
                for (at, model) in models.iter_mut().enumerate() {
                    if model.outstanding() > 0 {
                        model.resend();
                        model.count = 0;
                        expected.push(2 * at as u64);
                    }
                }
                seen[1] += expected.len();
            }
            4 if bench.rng().random_bool(0.2) => {
                let at = bench.rng().random_range(0..2);
                stage.insert(bench, 2 * at, &rows[at])?;
                models[at] = fresh(&rows[at]);
            }
            _ => {
                for _ in 0..bench.rng().random_range(1..12) {
                    let at = bench.rng().random_range(0..2);
                    let model = &mut models[at];
                    if model.outstanding() > 0 && bench.rng().random_bool(0.2) {
                        let at_recover = model.recover.map(|r| r.wrapping_sub(model.una));
                        let by = match at_recover {
                            Some(r @ 1..) if r <= model.outstanding() && bench.rng().random_bool(0.5) => r,
                            _ => bench.rng().random_range(1..=model.outstanding()),
                        };
                        model.una = model.una.wrapping_add(by);
                        model.count = if model.recover == Some(model.una) { 3 } else { 0 };
                        model.fired &= model.una != model.nxt;
                        stage.fact(bench, 2 * at, Fact { ack: Some(model.una), ..Fact::default() });
                    } else {
                        if model.outstanding() > 0 && model.count < 3 {
                            model.count += 1;
                            if model.count == 3 {
                                model.resend();
                                expected.push(2 * at as u64);
                                seen[0] += 1;
                            }
                        }
                        stage.fact(bench, 2 * at, DUP);
                    }
                    let pause = bench.rng().random_range(0..4);
                    stage.steps(bench, pause);
                }
            }
        }
        assert_eq!(resent(bench, stage)?, expected);
    }
    assert!(seen[0] > 3, "{seen:?} resends by duplicates and by the timer");
    Ok(())
}

#[test]
fn random_sequences_do_what_the_rules_say() {
    for seed in seeds(0..20, 0..500) {
        with_two("mixture", seed, mixture);
    }
}
