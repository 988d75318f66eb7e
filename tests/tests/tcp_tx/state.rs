// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sequence and ACK state of TCP transmit on the emitted Verilog: reservations, windows, wake-ups,
//! ACKs counted.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::mpa_model::fpdu;
use ferrowarp_tests::tcp_tx::{Fact, Grant, Row, Stage};
use rand::Rng;

/// Octets of the FPDU of a ULPDU of `length` octets at `offset` into the stream.
fn total(length: usize, offset: u64, markers: bool) -> usize {
    fpdu(&vec![0; length], offset, markers, true).len()
}

/// A window of exactly `wnd` octets, nothing in flight.
fn row_with_window(bench: &mut Bench, wnd: u32) -> Row {
    Row { wnd, ..Row::random(bench.rng()) }
}

#[test]
fn grants_follow_the_stream() {
    for markers in [false, true] {
        run_case(&format!("tcp_tx-grants-{markers}"), Top::TcpTxW64, 1, |bench| {
            let mut stage = Stage::random(bench);
            // the stream passes the wrap of sequence numbers
            let nxt = 0_u32.wrapping_sub(bench.rng().random_range(1..20_000) & !3);
            let row = Row { markers, crc: !markers, nxt, una: nxt, start: nxt, ..Row::random(bench.rng()) };
            stage.insert(bench, 2, &row)?;
            let mut offset = 0;
            for _ in 0..40 {
                let length = bench.rng().random_range(1..=8000);
                stage.reserve(bench, 2, length);
                let total = total(length, offset, markers);
                let expected = Grant {
                    ok: true,
                    seq: nxt.wrapping_add(offset as u32),
                    phase: offset % 512,
                    octets: total,
                    markers,
                    crc: !markers,
                    skip: false,
                    moved: None,
                    ends: true,
                    sure: false,
                };
                assert_eq!(stage.grant(bench)?, expected, "a ULPDU of {length} octets at {offset}");
                offset += total as u64;
            }
            Ok(())
        });
    }
}

#[test]
fn the_place_in_the_stream_counts_from_seq_start() {
    run_case("tcp_tx-place", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        let nxt: u32 = bench.rng().random();
        for start in [nxt.wrapping_sub(508), nxt.wrapping_sub(40_000), nxt.wrapping_add(512)] {
            let row =
                Row { nxt, una: nxt.wrapping_sub(60), start, markers: true, ..Row::random(bench.rng()) };
            stage.insert(bench, 0, &row)?;
            stage.reserve(bench, 0, 700);
            let phase = u64::from(nxt.wrapping_sub(start)) % 512;
            let got = stage.grant(bench)?;
            assert_eq!((got.seq, got.phase, got.octets), (nxt, phase, total(700, phase, true)));
        }
        Ok(())
    });
}

#[test]
fn impossible_reservations_are_refused_for_good() {
    run_case("tcp_tx-impossible", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        let row = Row { emss: 1460, ..Row::random(bench.rng()) };
        stage.insert(bench, 1, &row)?;
        for (length, ok) in [(0, false), (1454, true), (65_535, false), (64_769, false), (14, true)] {
            stage.reserve(bench, 1, length);
            assert_eq!(stage.grant(bench)?.ok, ok, "{length} octets");
        }
        let skewed = Row { start: row.nxt.wrapping_sub(2), ..row };
        stage.insert(bench, 3, &skewed)?;
        stage.reserve(bench, 3, 14);
        assert_eq!(stage.grant(bench)?, Grant::REFUSED, "an FPDU that begins beside a word of the stream");
        stage.fact(bench, 1, Fact { window: Some(1 << 30), ..Fact::default() });
        stage.steps(bench, 60);
        assert_eq!((stage.counts, stage.wakes.len()), ([4, 0, 0, 0], 0));
        Ok(())
    });
}

#[test]
fn the_window_is_filled_to_its_last_octet_and_opened_by_acks_and_updates() {
    run_case("tcp_tx-window", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::random(bench);
        let row = row_with_window(bench, 300);
        stage.insert(bench, 3, &row)?;
        let una = row.una;
        let ask = |bench: &mut Bench, stage: &mut Stage, length| {
            stage.reserve(bench, 3, length);
            stage.grant(bench).map(|g| g.ok)
        };
        // 94 octets make an FPDU of 100
        assert_eq!([94, 94].map(|n| ask(bench, &mut stage, n)), [Ok(true), Ok(true)]);
        assert_eq!(ask(bench, &mut stage, 95), Ok(false), "104 octets where 100 are left");
        assert_eq!(ask(bench, &mut stage, 94), Ok(true), "exactly the rest");
        assert_eq!(ask(bench, &mut stage, 1), Ok(false), "a full window");
        assert!(stage.wakes.is_empty(), "{:?}", stage.wakes);

        // an ACK for another connection wakes nobody, one for this one does, once
        let tell = |bench: &mut Bench, stage: &mut Stage, qp, ack, window| {
            stage.fact(bench, qp, Fact { ack, window, ..Fact::default() });
            stage.until(bench, 500, |s, b| s.told(b))?;
            stage.steps(bench, 40);
            Ok::<_, String>(std::mem::take(&mut stage.wakes).iter().map(|w| w.1).collect::<Vec<_>>())
        };
        assert_eq!(tell(bench, &mut stage, 1, None, Some(5))?, [0_u64; 0]);
        assert_eq!(tell(bench, &mut stage, 3, Some(una.wrapping_add(8)), None)?, [3]);
        assert_eq!(tell(bench, &mut stage, 3, Some(una.wrapping_add(9)), None)?, [0_u64; 0], "woken twice");
        assert_eq!(ask(bench, &mut stage, 4), Ok(false), "12 octets where 9 are left");
        assert_eq!(tell(bench, &mut stage, 3, None, Some(302))?, [3]);
        assert_eq!(ask(bench, &mut stage, 2), Ok(true), "8 of 11");
        assert_eq!(ask(bench, &mut stage, 1), Ok(false), "8 of 3");
        // the window may shrink below what is in flight: nothing fits, and nothing wraps
        assert_eq!(tell(bench, &mut stage, 3, None, Some(10))?, [3]);
        assert_eq!(ask(bench, &mut stage, 1), Ok(false));
        assert_eq!(tell(bench, &mut stage, 3, Some(una.wrapping_add(308)), Some(8))?, [3]);
        assert_eq!(ask(bench, &mut stage, 1), Ok(true));
        let offsets: Vec<_> = stage.unas.iter().map(|u| (u.1, u.2)).collect();
        assert_eq!(offsets, [(3, 8), (3, 9), (3, 308)]);
        Ok(())
    });
}

#[test]
fn offsets_pass_four_gigabytes() {
    run_case("tcp_tx-offset40", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        let row = Row::random(bench.rng());
        stage.insert(bench, 0, &row)?;
        let mut una = row.una;
        for i in 1..=10_u64 {
            una = una.wrapping_add(0x3FFF_FFFD);
            stage.fact(bench, 0, Fact { ack: Some(una), ..Fact::default() });
            stage.steps(bench, 20);
            assert_eq!(stage.unas.last().map(|u| u.2), Some(i * 0x3FFF_FFFD));
        }
        Ok(())
    });
}

#[test]
fn a_closed_gate_refuses_until_it_opens() {
    run_case("tcp_tx-gate", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        let row = Row { gate: false, ..Row::random(bench.rng()) };
        stage.insert(bench, 1, &row)?;
        stage.reserve(bench, 1, 20);
        assert_eq!(stage.grant(bench)?, Grant::REFUSED);
        stage.insert(bench, 1, &Row { gate: true, ..row })?;
        stage.steps(bench, 5);
        assert_eq!(stage.wakes.iter().map(|w| w.1).collect::<Vec<_>>(), [1]);
        stage.reserve(bench, 1, 20);
        assert!(stage.grant(bench)?.ok);
        stage.remove(bench, 1)?;
        stage.reserve(bench, 1, 20);
        assert_eq!(stage.grant(bench)?, Grant::REFUSED, "of a connection that is gone");
        Ok(())
    });
}

/// A window update meets a reservation at every distance, with the answer taken at once or late: it
/// is granted, or a wake-up follows the refusal.
#[test]
fn no_wake_up_is_lost() {
    run_case("tcp_tx-wake", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        let (mut granted, mut woken, mut waited) = (0, 0, 0);
        for at in 0..40_u64 {
            for hold in [0, 14, 18, 22, 30, 60] {
                let row = row_with_window(bench, 100);
                stage.insert(bench, 2, &row)?;
                stage.steps(bench, 4);
                stage.wakes.clear();
                bench.hold_channel_sink(stage.grants, true);
                stage.reserve(bench, 2, 200);
                let mut answered = None;
                for cycle in 0..100 {
                    if cycle == at {
                        stage.fact(bench, 2, Fact { window: Some(1_000), ..Fact::default() });
                    }
                    bench.hold_channel_sink(stage.grants, cycle < hold);
                    stage.step(bench);
                    if answered.is_none() && bench.waiting_items(stage.grants) == 1 {
                        answered = Some(bench.cycle());
                    }
                }
                let case = format!("fact after {at} cycles, answer held for {hold}");
                let ok = stage.grant(bench)?.ok;
                let wakes: Vec<_> = stage.wakes.iter().map(|w| w.0).collect();
                if ok {
                    granted += 1;
                    assert!(wakes.is_empty(), "{case}: granted, yet woken");
                    continue;
                }
                woken += 1;
                assert_eq!(wakes.len(), 1, "{case}: refused, woken {} times", wakes.len());
                // a pulse that stands in the cycle after the transfer is seen together with it
                assert!(Some(wakes[0]) >= answered, "{case}: woken before the refusal was taken");
                waited += u64::from(Some(wakes[0]) == answered);
                stage.reserve(bench, 2, 200);
                assert!(stage.grant(bench)?.ok, "{case}: still refused");
            }
        }
        // the sweep passes both sides of the decision, and wake-ups that waited for their refusal
        assert!(
            granted > 20 && woken > 20 && waited > 20,
            "{granted} granted, {woken} woken, {waited} waited"
        );
        Ok(())
    });
}
