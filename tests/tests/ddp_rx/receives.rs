// SPDX-License-Identifier: MIT OR Apache-2.0
//! Receives of several scatters on several queue pairs at once, on emitted Verilog against the
//! model.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Pattern};
use ferrowarp_tests::ddp_model::{status, untagged, Receive, Scatter};
use ferrowarp_tests::ddp_rx::{quiet, Pauses, Rx};
use ferrowarp_tests::mr::Region;
use rand::seq::IndexedRandom;
use rand::Rng;
use std::collections::VecDeque;

/// Octets of a region.
const SPAN: u64 = 1 << 20;

fn base(qp: u8) -> u64 {
    (u64::from(qp) + 1) << 32
}

/// First tagged offset of that region.
fn first_to(qp: u8) -> u64 {
    (0x77 - u64::from(qp)) << 40 | 0xFFFF_F00D
}

fn key(qp: u8) -> u32 {
    (u32::from(qp) + 1) << 8 | 0x61
}

/// Rows and the region of a queue pair's receives.
fn set_up(bench: &mut Bench, rx: &mut Rx, qp: u8) -> Result<(), String> {
    let pd = 70 + u16::from(qp);
    rx.set_up(bench, qp, pd, qp.into())?;
    let region = Region { to_base: first_to(qp), ..Region::writable(base(qp), SPAN, pd, key(qp) as u8) };
    rx.region(bench, key(qp) >> 8, Region { local_write: true, remote_write: false, ..region })
}

/// A receive of these scatters, from `at` in the region on, with gaps between them.
fn receive(qp: u8, index: u32, mut at: u64, lengths: &[u32]) -> Receive {
    let scatters = lengths.iter().map(|&length| {
        let to = first_to(qp) + at;
        at += u64::from(length) + 7;
        Scatter { to, length, key: key(qp) }
    });
    Receive { index, scatters: scatters.collect() }
}

/// The segments of a message of random octets, `cut` long each.
fn sends(bench: &mut Bench, msn: u32, length: u32, cut: u32) -> Vec<Vec<u8>> {
    let data: Vec<u8> = (0..length).map(|_| bench.rng().random()).collect();
    let count = length.div_ceil(cut);
    let piece = |i: u32| &data[(i * cut) as usize..((i + 1) * cut).min(length) as usize];
    (0..count).map(|i| untagged(3, 0, msn, i * cut, i + 1 == count, piece(i))).collect()
}

/// The receives of a queue pair that are completed, by index.
fn filled(rx: &Rx, qp: u8) -> Vec<u32> {
    rx.completions.iter().filter(|c| c.0.qp == qp).map(|c| c.0.index).collect()
}

#[test]
fn small_segments_of_several_queue_pairs_in_turn() {
    for seed in seeds(1..7, 1..120) {
        run_case("ddp_rx-scatters-in-turn", Top::DdpRxW64, seed, |bench| {
            let mut pattern = || *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None);
            let pauses = Pauses { idle: pattern(), stall: pattern() };
            let mut rx = Rx::new(bench, pauses)?;
            let mut queues = vec![];
            for qp in [0, 1, 6, 9, 15] {
                set_up(bench, &mut rx, qp)?;
                let (mut indices, mut queue) = (vec![], VecDeque::new());
                for msn in 1..=5 {
                    let mut odd = || *[0, 1, 3, 17, 33, 65, 127].choose(bench.rng()).unwrap_or(&1);
                    let lengths = [odd(), odd(), odd() + 1];
                    let index = bench.rng().random();
                    indices.push(index);
                    rx.post(qp, receive(qp, index, 1_000 * u64::from(msn), &lengths));
                    let cut = *[1, 5, 9, 31, 64].choose(bench.rng()).unwrap_or(&8);
                    queue.extend(sends(bench, msn, lengths.iter().sum(), cut.max(4)));
                }
                queues.push((qp, indices, queue));
            }
            while queues.iter().any(|q| !q.2.is_empty()) {
                for (qp, _, queue) in &mut queues {
                    if let Some(ulpdu) = queue.pop_front() {
                        rx.send(bench, *qp, 0, &ulpdu);
                    }
                }
            }
            rx.check(bench)?;
            assert!(rx.faults.is_empty(), "{:?}", rx.faults);
            for (qp, indices, _) in &queues {
                assert_eq!(&filled(&rx, *qp), indices, "queue pair {qp}");
            }
            Ok(())
        });
    }
}

#[test]
fn a_receive_taken_anew_while_others_are_in_the_middle_of_theirs() {
    quiet("retaken", |bench, rx| {
        for qp in [2, 9, 13] {
            set_up(bench, rx, qp)?;
            rx.post(qp, receive(qp, 0x100 + u32::from(qp), 0, &[13, 27, 41]));
        }
        let mut queues = [2, 13].map(|qp| (qp, VecDeque::from(sends(bench, 1, 81, 9))));
        let mut step = |bench: &mut Bench, rx: &mut Rx, n: usize| {
            for _ in 0..n {
                for (qp, queue) in &mut queues {
                    queue.pop_front().iter().for_each(|ulpdu| rx.send(bench, *qp, 0, ulpdu));
                }
            }
        };
        let lost = sends(bench, 1, 81, 9);
        for ulpdu in &lost[..3] {
            step(bench, rx, 1);
            rx.send(bench, 9, 0, ulpdu);
        }
        rx.check(bench)?;
        // the others stand in their second scatter; this one forgets its message and takes another
        // receive
        set_up(bench, rx, 9)?;
        rx.post(9, receive(9, 0x900, 4_000, &[7, 1, 55]));
        for ulpdu in sends(bench, 1, 63, 21) {
            rx.send(bench, 9, 0, &ulpdu);
            step(bench, rx, 1);
        }
        step(bench, rx, 3);
        rx.check(bench)?;
        assert_eq!((filled(rx, 2), filled(rx, 9), filled(rx, 13)), (vec![0x102], vec![0x900], vec![0x10D]));
        Ok(())
    });
}

#[test]
fn a_fault_names_the_receive_of_its_own_message() {
    quiet("named", |bench, rx| {
        for qp in [4, 5, 6, 7] {
            set_up(bench, rx, qp)?;
            let mut taken = receive(qp, 0x200 + u32::from(qp), 0, &[11, 23, 31]);
            if qp == 4 {
                taken.scatters[2].key = 0;
            }
            rx.post(qp, taken);
        }
        let mut queues = [4, 5, 6, 7].map(|qp| (qp, sends(bench, 1, 65, 10)));
        // a gap in the numbers, beyond the end, and beyond it in the first segment
        queues[1].1[4] = untagged(3, 0, 2, 40, false, &[1; 10]);
        queues[2].1[5] = untagged(3, 0, 1, 50, true, &[1; 16]);
        queues[3].1[0] = untagged(3, 0, 1, 0, true, &[1; 66]);
        for i in 0..7 {
            for (qp, ulpdus) in &queues {
                rx.send(bench, *qp, 0, &ulpdus[i]);
            }
        }
        rx.check(bench)?;
        let mut faults: Vec<_> = rx.faults.iter().map(|f| (f.qp, f.error, f.status, f.index)).collect();
        faults.sort_by_key(|f| f.0);
        let expected = [
            (4, 0x1000, status::PROTECTION, Some(0x204)),
            (5, 0x1202, status::FATAL, Some(0x205)),
            (6, 0x1205, status::LENGTH, Some(0x206)),
            (7, 0x1205, status::LENGTH, Some(0x207)),
        ];
        assert_eq!(faults, expected);
        Ok(())
    });
}

/// Cycles a segment of `payload` octets of one long message into these scatters.
fn cycles(bench: &mut Bench, rx: &mut Rx, msn: u32, payload: u32, lengths: &[u32]) -> Result<f64, String> {
    rx.post(1, receive(1, msn, 0, lengths));
    let ulpdus = sends(bench, msn, lengths.iter().sum(), payload);
    bench.restart_rates();
    ulpdus.iter().for_each(|ulpdu| rx.send(bench, 1, 0, ulpdu));
    rx.check(bench)?;
    Ok(bench.sink_rate(rx.place).cycles() as f64 / ulpdus.len() as f64)
}

#[test]
fn segments_inside_a_message_flow_as_fast_as_their_octets() {
    quiet("rate-receives", |bench, rx| {
        set_up(bench, rx, 1)?;
        let each = cycles(bench, rx, 1, 8, &[8 * 200])?;
        assert!(each <= 6.1, "{each} cycles for a segment of 8 octets");
        let each = cycles(bench, rx, 2, 64, &[64 * 40])?;
        assert!(each <= 11.1, "{each} cycles for a segment of 64 octets");
        let each = cycles(bench, rx, 3, 64, &[64 * 20 + 32, 64 * 20 + 16, 64 * 20 + 16])?;
        assert!(each <= 11.3, "{each} cycles for a segment of 64 octets in three scatters");
        Ok(())
    });
}
