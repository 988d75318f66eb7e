// SPDX-License-Identifier: MIT OR Apache-2.0
//! The token of a region that is revoked, or of a queue pair that ends: its answer means that what
//! came before it is out of the device and told.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Pattern};
use ferrowarp_tests::ddp_model::{tagged, terminate, untagged, Read, Receive, Request, Scatter};
use ferrowarp_tests::ddp_rx::{one, Pauses, Rx, OURS, OURS_TO, PD, QP, STAG, TO};
use rand::seq::IndexedRandom;
use rand::Rng;

/// Cycles after which a token that waits for nothing is answered.
const SOON: u64 = 250;

/// A Read Request of nothing.
fn request(qp: u8, msn: u32) -> Vec<u8> {
    Request { qp, ..Request::default() }.ulpdu(msn)
}

/// All that came and was checked is told; the token is answered behind it.
fn answered(bench: &mut Bench, rx: &mut Rx) -> Result<(), String> {
    assert!(rx.token_within(bench, SOON)?, "no answer");
    rx.check(bench)
}

#[test]
fn a_token_passes_a_stage_without_work() {
    one("token-idle", |bench, rx| {
        for _ in 0..3 {
            rx.offer_token(bench)?;
            assert!(rx.token_within(bench, 20)?, "no answer");
            assert!(!rx.token_within(bench, 50)?, "an answer without a token");
        }
        Ok(())
    });
}

#[test]
fn a_token_stays_behind_what_cannot_leave() {
    one("token-held", |bench, rx| {
        for (i, sink) in rx.told().into_iter().enumerate() {
            rx.set_up(bench, QP, PD, 9)?;
            rx.post_at(i as u32, 0, 64);
            bench.hold_channel_sink(sink, true);
            rx.send(bench, QP, 0, &tagged(0, STAG, TO, true, &[i as u8; 20]));
            rx.send(bench, QP, 0, &untagged(3, 0, 1, 0, true, &[i as u8; 48]));
            rx.send(bench, QP, 0, &request(QP, 1));
            rx.send(bench, QP, 0, &tagged(15, STAG, TO, true, &[1]));
            rx.offer_token(bench)?;
            assert!(!rx.token_within(bench, SOON)?, "sink {i}: answered before it was told");
            bench.hold_channel_sink(sink, false);
            answered(bench, rx)?;
        }
        Ok(())
    });
}

#[test]
fn a_token_stays_behind_octets_that_are_not_out_of_the_device() {
    one("token-octets", |bench, rx| {
        bench.hold_sink(rx.place, true);
        (0..4).for_each(|i| rx.send(bench, QP, 0, &tagged(0, STAG, TO + 100 * i, true, &[1; 90])));
        rx.offer_token(bench)?;
        assert!(!rx.token_within(bench, SOON)?, "octets are still inside");
        rx.stuck = 8;
        bench.hold_sink(rx.place, false);
        assert!(!rx.token_within(bench, SOON)?, "posted writes have not left");
        assert_eq!(rx.placed.len(), 4);
        // nothing is held meanwhile, and nothing that comes later is waited for
        (4..8).for_each(|i| rx.send(bench, QP, 0, &tagged(0, STAG, TO + 100 * i, true, &[2; 90])));
        assert!(!rx.token_within(bench, SOON)?, "posted writes have not left");
        assert_eq!(rx.placed.len(), 8);
        rx.stuck = 4;
        assert!(rx.token_within(bench, 10)?, "what came later is waited for");
        rx.stuck = 0;
        rx.check(bench)
    });
}

/// A segment of any kind, good or not, of queue pair `qp`; it may stop the queue pair.
fn any(bench: &mut Bench, rx: &mut Rx, qp: u8, msns: &mut [u32; 2], read_to: &mut u64) -> Vec<u8> {
    let length = *[1, 8, 65, 900].choose(bench.rng()).unwrap_or(&1);
    let data: Vec<u8> = (0..length).map(|_| bench.rng().random()).collect();
    match bench.rng().random_range(0..60) {
        0 => terminate(&[2, 7, 0, 0]),
        1 => tagged(0, STAG ^ 1, TO, true, &data),
        2..20 => tagged(0, STAG, TO + bench.rng().random_range(0..3_000), true, &data),
        20..24 => tagged(0, 0, 0, true, &[]),
        24..42 => {
            msns[0] += 1;
            let scatter = |i| Scatter { to: OURS_TO + place_of(msns[0], i), length: 301, key: OURS };
            let scatters = (0..3).map(scatter).collect();
            rx.post(qp, Receive { index: msns[0], scatters });
            untagged(3, 0, msns[0], 0, true, &data)
        }
        42..50 => {
            let stag = OURS;
            rx.read(bench, qp, Read { stag, to: *read_to, length, got: 0 });
            *read_to += u64::from(length);
            tagged(2, stag, *read_to - u64::from(length), true, &data)
        }
        _ => {
            msns[1] += 1;
            request(qp, msns[1])
        }
    }
}

/// Where scatter `i` of a receive begins: no octet is that of another one.
fn place_of(msn: u32, i: u64) -> u64 {
    0x1_0000 + 0x400 * (3 * u64::from(msn % 64) + i)
}

#[test]
fn behind_a_token_all_that_came_before_it_is_told() {
    for seed in seeds(1..9, 1..120) {
        run_case("ddp_rx-token-any", Top::DdpRxW64, seed, |bench| {
            let mut pattern = || *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None);
            let pauses = Pauses { idle: pattern(), stall: pattern() };
            let mut rx = Rx::new(bench, pauses)?;
            rx.set_up_one(bench)?;
            for _ in 0..8 {
                rx.set_up(bench, QP, PD, 9)?;
                let (mut msns, mut read_to) = ([0; 2], OURS_TO);
                let count = bench.rng().random_range(0..9);
                for _ in 0..count {
                    let ulpdu = any(bench, &mut rx, QP, &mut msns, &mut read_to);
                    rx.reads_noted(bench)?;
                    rx.send(bench, QP, 0, &ulpdu);
                }
                rx.offer_token(bench)?;
                let most = 400 + 4_000;
                assert!(rx.token_within(bench, most)?, "no answer: {}", bench.dump());
                let came = (rx.handed_over(), rx.completions.len(), rx.requests.len(), rx.faults.len());
                let done = (rx.done.len(), rx.events.len());
                rx.check(bench)?;
                let now = (rx.handed_over(), rx.completions.len(), rx.requests.len(), rx.faults.len());
                assert_eq!(came, now, "told behind the token");
                assert_eq!(done, (rx.done.len(), rx.events.len()), "told behind the token");
            }
            Ok(())
        });
    }
}

#[test]
fn behind_the_token_of_a_revoked_region_no_octet_of_it_is_written() {
    for seed in seeds(1..13, 1..120) {
        run_case("ddp_rx-token-revoke", Top::DdpRxW64, seed, |bench| {
            let stall = *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None);
            let mut rx = Rx::new(bench, Pauses { idle: Pattern::None, stall })?;
            rx.set_up_one(bench)?;
            for i in 0..40 {
                rx.send(bench, QP, 0, &tagged(0, STAG, TO + 90 * i, true, &[seed as u8; 64]));
            }
            let before = bench.rng().random_range(10..150);
            rx.run(bench, before)?;
            rx.regions.revoke(bench, STAG >> 8)?;
            bench.set("ddp_tok_valid", 1);
            assert!(rx.token_within(bench, 4_000)?, "no answer");
            rx.run(bench, 1)?;
            let placed = rx.placed.len();
            rx.run(bench, 1_500)?;
            assert_eq!(rx.placed.len(), placed, "written behind the answer");
            let faults: Vec<_> = rx.faults.iter().map(|f| (f.qp, f.error)).collect();
            assert_eq!(faults, [(QP, 0x1100)]);
            Ok(())
        });
    }
}
