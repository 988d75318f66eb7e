// SPDX-License-Identifier: MIT OR Apache-2.0
//! The window that TCP transmit tells on the emitted Verilog, while the store of frames presses it.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::tcp_tx::{Row, Stage, WINDOW_LOG2};
use ferrowarp_tests::tcp_wire::Conn;
use rand::Rng;

/// Octets of the whole window, and of a share of the store.
const WHOLE: u32 = 1 << WINDOW_LOG2;
const SHARE: u32 = 32_768 / 16;

/// Runs a body on a stage with connection 1, whose fields have this shift.
fn with_scale(name: &str, scale: u32, body: impl Fn(&mut Bench, &mut Stage, &Row) -> Result<(), String>) {
    run_case(&format!("tcp_tx-right-{name}-{scale}"), Top::TcpTxW64, scale.into(), |bench| {
        let mut stage = Stage::new(bench);
        let row = Row { rcv_scale: scale, ..Row::random(bench.rng()) };
        stage.insert(bench, 1, &row)?;
        // each segment has its ACK
        bench.set("tcp_tx_ack_delay", 0);
        body(bench, &mut stage, &row)
    });
}

/// Sets what is not offered, and waits until the stage knows.
fn press(bench: &mut Bench, stage: &mut Stage, shares: u64) {
    bench.set("tcp_tx_pressed", shares);
    stage.steps(bench, 4);
}

/// What the one segment that leaves tells of the window, if it acknowledges so many octets and its
/// sums are right.
fn told(bench: &mut Bench, stage: &mut Stage, row: &Row, end: u32) -> Result<u32, String> {
    let frames = stage.frames(bench, 1)?;
    let window = row.conn.window_of(&frames[0]);
    let conn = Conn { window, ..row.conn.clone() };
    assert_eq!(frames[0], conn.frame(row.nxt, row.rcv_nxt.wrapping_add(end), &[]), "window {window}");
    Ok(u32::from(window) << row.rcv_scale)
}

/// The same of a segment that has come up to this octet.
fn done(bench: &mut Bench, stage: &mut Stage, row: &Row, end: u32) -> Result<u32, String> {
    stage.done(bench, 1, row.rcv_nxt.wrapping_add(end));
    told(bench, stage, row, end)
}

/// Octets that are offered while so many shares are pressed.
fn offer(shares: u32) -> u32 {
    match shares {
        0 => WHOLE,
        _ => (16 - shares) * SHARE,
    }
}

/// Octets that a field of this shift tells, if it has to tell so many.
fn rounded(octets: u32, scale: u32) -> u32 {
    octets.div_ceil(1 << scale).min(0xFFFF) << scale
}

/// An ACK of `end` octets tells of `now` octets, while so many are offered and the edge told last
/// is `edge`. The edge that it tells.
fn next_edge(edge: u32, end: u32, offer: u32, now: u32, scale: u32) -> u32 {
    assert_eq!(now, rounded(edge.max(end + offer) - end, scale), "octet {end}");
    assert!(end + now >= edge, "octet {end}: the edge went back by {}", edge - end - now);
    end + now
}

#[test]
fn a_share_less_of_the_window_for_each_that_is_pressed() {
    for scale in [0, 3, 7] {
        with_scale("shares", scale, |bench, stage, row| {
            let mut end = 0;
            for shares in 0..=16 {
                // as much as was told has come, so no edge of before is in the way
                end += WHOLE;
                press(bench, stage, shares.into());
                let octets = done(bench, stage, row, end)?;
                assert_eq!(octets, rounded(offer(shares), scale), "{shares} shares of 16 pressed");
            }
            Ok(())
        });
    }
}

#[test]
fn an_edge_that_was_told_stays_told() {
    for scale in 0..=14 {
        with_scale("edge", scale, |bench, stage, row| {
            let (mut end, mut edge, mut before) = (0, WHOLE, 0);
            for _ in 0..200 {
                let shares = bench.rng().random_range(0..=16);
                press(bench, stage, shares.into());
                // little was told, and there is room again
                if before >= 8 && shares < 8 && edge - end <= 4 * SHARE {
                    let now = told(bench, stage, row, end)?;
                    edge = next_edge(edge, end, offer(shares), now, scale);
                }
                before = shares;
                let step: u32 = bench.rng().random_range(1..=4_000);
                let step = step.min(edge - end);
                if step > 0 {
                    end += step;
                    let now = done(bench, stage, row, end)?;
                    edge = next_edge(edge, end, offer(shares), now, scale);
                }
            }
            Ok(())
        });
    }
}

#[test]
fn a_window_that_was_told_small_is_told_again_when_there_is_room() {
    with_scale("again", 0, |bench, stage, row| {
        press(bench, stage, 16);
        assert_eq!(done(bench, stage, row, WHOLE)?, 0, "nothing is offered");
        // more than half is still pressed
        press(bench, stage, 8);
        assert_eq!(stage.frames(bench, 0)?, Vec::<Vec<u8>>::new(), "half is pressed");
        press(bench, stage, 7);
        assert_eq!(told(bench, stage, row, WHOLE)?, offer(7));
        // once, and not if enough was told
        for shares in [16, 0, 12, 0] {
            press(bench, stage, shares);
            assert_eq!(stage.frames(bench, 0)?, Vec::<Vec<u8>>::new(), "{shares} shares of 16 pressed");
        }
        Ok(())
    });
}

#[test]
fn who_was_never_told_is_told_nothing() {
    run_case("tcp_tx-right-none", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        press(bench, &mut stage, 16);
        press(bench, &mut stage, 0);
        (0..4).for_each(|_| stage.tick(bench));
        assert_eq!(stage.frames(bench, 0)?, Vec::<Vec<u8>>::new());
        Ok(())
    });
}
