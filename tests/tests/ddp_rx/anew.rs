// SPDX-License-Identifier: MIT OR Apache-2.0
//! A reset in the middle of traffic: nothing of before leaves, and all queue pairs work anew.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Pattern};
use ferrowarp_tests::ddp_model::{tagged, terminate, untagged, Read, Receive, Request, Scatter};
use ferrowarp_tests::ddp_rx::{Pauses, Rx, PAIRS};
use ferrowarp_tests::mr::Region;
use rand::seq::IndexedRandom;
use rand::Rng;

/// STag of the region of a queue pair.
fn stag(qp: u8) -> u32 {
    (1 + u32::from(qp)) << 8 | u32::from(qp)
}

/// First tagged offset of that region.
fn to(qp: u8) -> u64 {
    0xA_0000_0000 + (u64::from(qp) << 16)
}

/// Protection domain of a queue pair.
fn pd(qp: u8) -> u16 {
    50 + u16::from(qp)
}

/// Rows of all queue pairs, at once behind a reset, and later those of their regions.
fn set_up(bench: &mut Bench, rx: &mut Rx) -> Result<(), String> {
    for qp in 0..PAIRS {
        rx.set_up(bench, qp, pd(qp), qp.into())?;
    }
    bench.run_until(1_000, |b| b.get("regions_scrubbed") == 1)?;
    for qp in 0..PAIRS {
        let base = 0x70_0000_0000 + (u64::from(qp) << 20);
        let region = Region {
            to_base: to(qp),
            local_write: true,
            remote_read: true,
            ..Region::writable(base, 1 << 16, pd(qp), qp)
        };
        rx.region(bench, stag(qp) >> 8, region)?;
    }
    Ok(())
}

/// What each queue pair receives: a Write, a Send of two segments, a Request and a Response; some
/// end with a Terminate.
fn traffic(bench: &mut Bench, rx: &mut Rx) -> Result<(), String> {
    let octets: Vec<u8> = (0..300).map(|_| bench.rng().random()).collect();
    for qp in 0..PAIRS {
        let scatter = |i: u64| Scatter { to: to(qp) + 0x1000 * (1 + i), length: 51, key: stag(qp) };
        rx.post(qp, Receive { index: 0x100 + u32::from(qp), scatters: (0..3).map(scatter).collect() });
        rx.read(bench, qp, Read { stag: stag(qp), to: to(qp) + 0x8000, length: 40, got: 0 });
    }
    rx.reads_noted(bench)?;
    for step in 0..6 {
        for qp in 0..PAIRS {
            let request = Request { qp, src_stag: stag(qp), src_to: to(qp), length: 9, ..Request::default() };
            let ulpdu = match step {
                0 => tagged(0, stag(qp), to(qp), true, &octets[..usize::from(qp) * 17 + 1]),
                1 => untagged(3, 0, 1, 0, false, &octets[..90]),
                2 => request.ulpdu(1),
                3 => tagged(2, stag(qp), to(qp) + 0x8000, true, &octets[..40]),
                4 => untagged(5, 0, 1, 90, true, &octets[90..153]),
                _ if qp % 3 == 0 => terminate(&[2, 7, 0, 0]),
                _ => tagged(0, stag(qp), to(qp) + 0x200, true, &octets[..8]),
            };
            rx.send(bench, qp, 0, &ulpdu);
        }
    }
    Ok(())
}

#[test]
fn a_reset_in_the_middle_of_traffic_leaves_nothing_of_before() {
    for seed in seeds(1..7, 1..80) {
        run_case("ddp_rx-reset", Top::DdpRxW64, seed, |bench| {
            let mut pattern = || *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None);
            let pauses = Pauses { idle: pattern(), stall: pattern() };
            let mut rx = Rx::new(bench, pauses)?;
            set_up(bench, &mut rx)?;
            for round in 0..6 {
                traffic(bench, &mut rx)?;
                // completions, events or octets wait inside
                let sinks = rx.told();
                let held = sinks.choose(bench.rng()).copied().filter(|_| round % 2 == 0);
                held.iter().for_each(|&sink| bench.hold_channel_sink(sink, true));
                let cycles = bench.rng().random_range(0..900);
                rx.run(bench, cycles)?;
                held.iter().for_each(|&sink| bench.hold_channel_sink(sink, false));
                rx.reset(bench)?;
                if round % 3 == 0 {
                    // the model expects nothing
                    rx.check(bench)?;
                }
                set_up(bench, &mut rx)?;
            }
            traffic(bench, &mut rx)?;
            rx.check(bench)?;
            assert_eq!((rx.completions.len(), rx.requests.len(), rx.done.len()), (16, 16, 16));
            assert_eq!((rx.first.len(), rx.faults.len()), (16, 6));
            Ok(())
        });
    }
}

#[test]
fn the_first_row_behind_a_reset_is_taken_before_its_stream() {
    run_case("ddp_rx-row-first", Top::DdpRxW64, 1, |bench| {
        let mut rx = Rx::new(bench, Pauses::NONE)?;
        for qp in [0, 7, 15] {
            rx.reset(bench)?;
            assert!(rx.row_first(bench, qp, pd(qp), 1)?, "queue pair {qp}");
        }
        Ok(())
    });
}

#[test]
fn behind_a_reset_a_queue_pair_without_a_row_takes_nothing() {
    run_case("ddp_rx-reset-rows", Top::DdpRxW64, 1, |bench| {
        let mut rx = Rx::new(bench, Pauses::NONE)?;
        set_up(bench, &mut rx)?;
        traffic(bench, &mut rx)?;
        rx.run(bench, 300)?;
        rx.reset(bench)?;
        for qp in 0..PAIRS {
            rx.send(bench, qp, 0, &tagged(0, 0, 0, true, &[]));
            rx.send(bench, qp, 0, &untagged(3, 0, 1, 0, true, &[1; 8]));
            rx.send(bench, qp, 0, &Request { qp, ..Request::default() }.ulpdu(2));
            rx.send(bench, qp, 1, &[]);
        }
        rx.check(bench)?;
        assert!(rx.events.is_empty() && rx.faults.is_empty());
        Ok(())
    });
}
