// SPDX-License-Identifier: MIT OR Apache-2.0
//! What duplicate ACKs and probes do to the window.
use super::*;

/// Each of the first two duplicates lends a segment of new octets (RFC 3042), and wakes who waits
/// for one.
#[test]
fn the_first_two_duplicates_lend_a_segment_each() {
    run_case("tcp_tx-cc-limited", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::random(bench);
        let mut sender = Sender::new(bench, &mut stage, 1_000, 1 << 30)?;
        sender.fill(bench, &mut stage)?;
        for lent in 1..=2 {
            stage.wakes.clear();
            sender.duplicate(bench, &mut stage);
            assert_eq!(stage.wakes.len(), 1, "duplicate {lent}");
            assert!(!sender.ask(bench, &mut stage, 1_001)?);
            assert!(sender.ask(bench, &mut stage, 1_000)?);
            assert!(!sender.ask(bench, &mut stage, 1)?);
            assert_eq!(sender.flight(), 10_000 + 1_000 * lent);
        }
        // octets that leave again get no loan
        sender.again(bench, &mut stage, 11_000, 1_000)?;
        assert!(!sender.ask(bench, &mut stage, 1)?);
        stage.wakes.clear();
        sender.duplicate(bench, &mut stage);
        assert!(stage.wakes.is_empty() && stage.rtos.len() == 1, "the third is a loss");
        sender.model.lost(false);
        (sender.fired, sender.repairs, sender.quiet) = (true, true, [sender.nxt, sender.una]);
        assert!(!sender.ask(bench, &mut stage, 1)?);
        // behind a new acknowledgment duplicates count anew; without duplicates that count none
        // lends
        let all = sender.flight();
        sender.acknowledge(bench, &mut stage, all);
        sender.fill(bench, &mut stage)?;
        bench.set("tcp_tx_recovery", 1);
        stage.wakes.clear();
        stage.fact(bench, QP, Fact { dup: true, ..Fact::default() });
        stage.steps(bench, 20);
        assert!(stage.wakes.is_empty());
        assert!(!sender.ask(bench, &mut stage, 1)?);
        Ok(())
    });
}

/// To the window a probe of a lost tail is as good as duplicates, and the timer behind it is the
/// timer.
#[test]
fn a_probe_halves_the_window() {
    run_case("tcp_tx-cc-probe", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::random(bench);
        let mut sender = Sender::new(bench, &mut stage, 1_000, 1 << 30)?;
        bench.set("tcp_tx_recovery", 7);
        sender.fill(bench, &mut stage)?;
        for _ in 0..5 {
            sender.acknowledge(bench, &mut stage, 2_000);
            sender.fill(bench, &mut stage)?;
        }
        assert_eq!(sender.flight(), 20_000);
        sender.acknowledge(bench, &mut stage, 1_000);
        let before = sender.model.cwnd;
        stage.pass(bench, 20);
        assert_eq!(std::mem::take(&mut stage.rtos).len(), 1);
        sender.model.lost(false);
        assert_eq!(sender.model.cwnd, before / 2);
        (sender.fired, sender.repairs, sender.quiet[0]) = (true, true, sender.nxt);
        let all = sender.flight();
        sender.acknowledge(bench, &mut stage, all);
        sender.fill(bench, &mut stage)?;
        sender.expire(bench, &mut stage);
        assert_eq!(sender.model.cwnd, 1_000);
        assert!(!sender.ask(bench, &mut stage, 1)?);
        Ok(())
    });
}
