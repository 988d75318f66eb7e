// SPDX-License-Identifier: MIT OR Apache-2.0
//! Waits that follow the measured round trip, against plain code.
use super::*;

/// RFC 6298 section 2 in whole units, as [`ferrowarp_hdl::tcp`] rounds them: eight times SRTT, four
/// times RTTVAR.
struct Model {
    srtt: i64,
    var: i64,
}

impl Model {
    fn measured(&mut self, round: i64) {
        let error = round - self.srtt / 8;
        // a unit more is the clock's
        self.var = 3 * self.var / 4 + if error < 0 { -error - 1 } else { error & !1 };
        self.srtt += error;
    }

    fn wait(&self, floor: i64) -> u32 {
        (self.srtt / 8 + self.var.max(floor)) as u32
    }

    /// What a probe waits: RFC 8985 section 7.2, and not less than the round trips vary.
    fn soon(&self, floor: i64) -> u32 {
        let srtt = self.srtt / 8;
        let least = if srtt & 2 == 0 { srtt & !1 | 2 } else { srtt };
        (srtt + self.var.max(least.min(floor))) as u32
    }
}

#[test]
fn the_wait_follows_the_round_trips() {
    with_timers("follows", 255, |bench, stage, _| {
        let floor = 20;
        bench.set("tcp_tx_rto_min", floor as u64);
        let row = Row { rtt: 100, ..Row::random(bench.rng()) };
        stage.insert(bench, 1, &row)?;
        let mut model = Model { srtt: 800, var: 200 };
        let mut at = 0;
        for n in 0..200 {
            let round: u32 = match n % 40 {
                0..20 => bench.rng().random_range(1..300),
                20..30 => bench.rng().random_range(90..92),
                _ => bench.rng().random_range(1..5_000),
            };
            stage.send(bench, (1, &row), at, 100)?;
            // more octets of the same round are not measured
            stage.send(bench, (1, &row), at + 100, 1)?;
            let wait = model.wait(floor);
            if round > wait {
                // Karn: octets that left twice say nothing
                stage.pass(bench, wait);
                assert_eq!(stage.rtos, [], "{n}: a wait of {wait}");
                stage.pass(bench, 1);
                assert_eq!(std::mem::take(&mut stage.rtos).len(), 1, "{n}: behind {wait}");
                stage.again(bench, 1, row.nxt.wrapping_add(at), vec![1; 100], false);
                stage.frames(bench, 1)?;
                stage.acknowledge(bench, (1, &row), at + 101)?;
                // one that is measured, so that the next round begins with no back-off
                stage.send(bench, (1, &row), at + 101, 1)?;
                stage.pass(bench, 7);
                stage.acknowledge(bench, (1, &row), at + 102)?;
                model.measured(7);
                at += 102;
                continue;
            }
            stage.pass(bench, round);
            // the measured one is acknowledged with more
            stage.acknowledge(bench, (1, &row), at + 101)?;
            model.measured(round.into());
            at += 101;
        }
        assert_eq!(stage.rtos, []);
        Ok(())
    });
}

#[test]
fn a_probe_follows_the_round_trips() {
    with_timers("probe-follows", 255, |bench, stage, _| {
        let mut capped = 0;
        for floor in [20, 200, 2_000] {
            bench.set("tcp_tx_rto_min", floor as u64);
            let row = Row { rtt: 100, ..Row::random(bench.rng()) };
            stage.insert(bench, 1, &row)?;
            let mut model = Model { srtt: 800, var: 200 };
            for n in 0..30 {
                let round: u32 = bench.rng().random_range(if n % 10 < 5 { 1..300 } else { 90..92 });
                let round = round.min(model.wait(floor) - 1);
                burst(bench, stage, (1, &row), 20_000 * n)?;
                stage.pass(bench, round);
                stage.acknowledge(bench, (1, &row), 20_000 * n + 1_000)?;
                model.measured(round.into());
                stage.steps(bench, 40);
                stage.acknowledge(bench, (1, &row), 20_000 * n + 1_001)?;
                capped += u32::from(model.soon(floor) == model.wait(floor));
                expires(bench, stage, model.soon(floor));
                stage.acknowledge(bench, (1, &row), 20_000 * (n + 1))?;
            }
        }
        assert!((1..80).contains(&capped), "{capped}");
        Ok(())
    });
}
