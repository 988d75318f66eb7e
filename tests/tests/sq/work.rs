// SPDX-License-Identifier: MIT OR Apache-2.0
//! Send queue on the emitted Verilog: doorbell to ULPDUs, acknowledged octets to completions,
//! against plain code.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{metrics, run_case, seeds, Bench};
use ferrowarp_tests::sq::{message, octets, Manners, Message, Post, Rig, Sge, QPS, RING};
use rand::Rng;

/// FPDUs that a queue pair has under way at most.
const SLOTS: usize = 3;

/// Runs a body once with `manners`.
fn case(name: &str, manners: Manners, body: impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    run_case(&format!("sq-{name}"), Top::SqW64, 1, |bench| {
        let mut rig = Rig::new(bench, manners);
        body(bench, &mut rig)
    });
}

#[test]
fn one_write_goes_from_doorbell_to_ulpdu_and_completion() {
    case("first", Manners::steady(), |bench, rig| {
        rig.set_up(bench, 3, 4, 1_454)?;
        let message = message(bench, 0, 100);
        let mut post = rig.gathered(bench, 3, message, 1);
        post.signaled = true;
        rig.post(bench, 3, &post);
        rig.ring(bench, 3);
        rig.finish(bench)?;
        assert_eq!(rig.dones.len(), 1);
        Ok(())
    });
}

#[test]
fn every_length_around_a_beat_and_a_segment() {
    case("lengths", Manners::steady(), |bench, rig| {
        rig.set_up(bench, 0, 4, 256)?;
        for length in (0..=20).chain(225..=260).chain(476..=488) {
            for opcode in [0, 3] {
                let message = message(bench, opcode, length);
                let post = rig.gathered(bench, 0, message, usize::from(length > 0));
                rig.post(bench, 0, &post);
            }
            if rig.room(0) < 2 {
                rig.ring(bench, 0);
                rig.finish(bench)?;
            }
        }
        rig.ring(bench, 0);
        rig.finish(bench).map(drop)
    });
}

#[test]
fn every_inline_length() {
    case("inline", Manners::rough(), |bench, rig| {
        rig.set_up(bench, 7, 5, 1_454)?;
        for length in 0..=96 {
            let message = message(bench, if usize::is_multiple_of(length, 2) { 0 } else { 3 }, length);
            let post = rig.inlined(bench, message);
            rig.post(bench, 7, &post);
            if rig.room(7) == 0 || length == 96 {
                rig.ring(bench, 7);
                rig.finish(bench)?;
            }
        }
        Ok(())
    });
}

#[test]
fn gathers_of_odd_octets_at_every_alignment() {
    case("alignments", Manners::steady(), |bench, rig| {
        rig.set_up(bench, 1, 3, 1_454)?;
        for skew in 0..8_u64 {
            for first in [1_u32, 7, 505, 520] {
                let message = message(bench, 5, 1_500);
                let rest = message.payload.len() as u32 - first;
                let a = rig.place(bench, 1, 505 + skew, &message.payload[..first as usize]);
                let b = rig.place(bench, 1, skew, &message.payload[first as usize..]);
                let sge = |local: ferrowarp_tests::sq::Local, length| Sge {
                    addr: local.addr,
                    length,
                    key: local.key,
                };
                let nothing = Sge { length: 0, ..sge(b, 0) };
                let sges = vec![sge(a, first), nothing, sge(b, rest)];
                rig.post(
                    bench,
                    1,
                    &Post { message, sges, inline: false, signaled: true, fenced: false, wr_id: skew },
                );
                rig.ring(bench, 1);
                rig.finish(bench)?;
            }
        }
        Ok(())
    });
}

/// A message of one FPDU has its ranges from the first look at its SGEs: octets, order and end are
/// right wherever an SGE is empty.
#[test]
fn gathers_of_one_segment_with_nothing_in_between() {
    case("gathered", Manners::rough(), |bench, rig| {
        rig.set_up(bench, 4, 3, 1_454)?;
        for shape in 1..16_u32 {
            for full in [[1_u32, 9, 2, 30], [300, 511, 7, 600]] {
                let lengths: Vec<u32> =
                    (0..4).map(|i| if shape >> i & 1 == 1 { full[i] } else { 0 }).collect();
                let message = message(bench, 3, lengths.iter().sum::<u32>() as usize);
                let mut at = 0;
                let mut sges = Vec::new();
                for (i, &length) in lengths.iter().enumerate() {
                    let octets = &message.payload[at..at + length as usize];
                    let local = rig.place(bench, 4, 505 + i as u64, if length > 0 { octets } else { &[0] });
                    sges.push(Sge { addr: local.addr, length, key: local.key });
                    at += length as usize;
                }
                rig.post(
                    bench,
                    4,
                    &Post {
                        message,
                        sges,
                        inline: false,
                        signaled: true,
                        fenced: false,
                        wr_id: shape.into(),
                    },
                );
                rig.ring(bench, 4);
                rig.finish(bench)?;
            }
        }
        Ok(())
    });
}

/// Some queue pairs, some rounds of random work requests on each of them.
fn mixed(bench: &mut Bench, manners: Manners) -> Result<(), String> {
    let mut rig = Rig::new(bench, manners);
    let qps: Vec<usize> = (0..QPS).filter(|_| bench.rng().random_range(0..3) == 0).chain([5]).collect();
    for &qp in &qps {
        let log2 = bench.rng().random_range(1..=6);
        let mulpdu =
            *[128, 131, 522, 1_442, 1_454, 8_954].get(bench.rng().random_range(0..6)).unwrap_or(&128);
        rig.set_up(bench, qp, log2, mulpdu)?;
    }
    let mut left: Vec<usize> = qps.iter().map(|_| bench.rng().random_range(1..12)).collect();
    while left.iter().any(|n| *n > 0) {
        for (i, &qp) in qps.iter().enumerate() {
            let n = bench.rng().random_range(0..=left[i].min(rig.room(qp)));
            for _ in 0..n {
                let post = rig.random(bench, qp, 12_000);
                rig.post(bench, qp, &post);
            }
            left[i] -= n;
            if rig.qps[qp].stream.credit > 0 && bench.rng().random() {
                let length = bench.rng().random_range(0..6_000);
                let payload = octets(bench, length);
                rig.ask_for(bench, qp, payload);
            }
            if n > 0 {
                rig.ring(bench, qp);
            }
        }
        let until = bench.cycle() + bench.rng().random_range(0..2_000_u64);
        rig.run(bench, 3_000, |b, _| b.cycle() >= until)?;
    }
    rig.finish(bench)?;
    // some say good-bye, one way or the other
    for qp in (0..QPS).filter(|qp| qps.contains(qp)) {
        if bench.rng().random() {
            let length = bench.rng().random_range(4..=52);
            let words = octets(bench, length);
            rig.terminate(bench, qp, &words);
        }
        if bench.rng().random() {
            rig.end(bench, qp);
        }
    }
    rig.finish(bench)?;
    if rig.faults.is_empty() && rig.unsent.is_empty() && rig.bad_doorbells == 0 {
        return Ok(());
    }
    Err(format!("good work gave {:?}, {} ULPDUs never left", rig.faults, rig.unsent.len()))
}

#[test]
fn random_work_of_several_queue_pairs() {
    for seed in seeds(0..10, 0..400) {
        run_case("sq-mixed", Top::SqW64, seed, |bench| mixed(bench, Manners::steady()));
    }
}

#[test]
fn random_work_where_everything_pauses() {
    for seed in seeds(0..10, 0..400) {
        run_case("sq-rough", Top::SqW64, seed, |bench| mixed(bench, Manners::cut()));
    }
}

#[test]
fn a_message_of_100_kib() {
    case("long", Manners::cut(), |bench, rig| {
        rig.set_up(bench, 2, 2, 1_454)?;
        for opcode in [0, 3] {
            let message = message(bench, opcode, 100 << 10);
            let post = rig.gathered(bench, 2, message, 4);
            rig.post(bench, 2, &post);
        }
        rig.ring(bench, 2);
        rig.finish(bench).map(drop)
    });
}

#[test]
fn queue_pairs_take_turns() {
    for seed in 1..=12 {
        run_case("sq-fair", Top::SqW64, seed, |bench| {
            let mut rig = Rig::new(bench, Manners::steady());
            fair(bench, &mut rig)
        });
    }
}

/// Three queue pairs with a message each; the order of their FPDUs.
fn fair(bench: &mut Bench, rig: &mut Rig) -> Result<(), String> {
    let qps = [1, 4, 9];
    for qp in qps {
        rig.set_up(bench, qp, 3, 522)?;
        let message = message(bench, 0, 508 * 30);
        let post = rig.gathered(bench, qp, message, 1);
        rig.post(bench, qp, &post);
        rig.ring(bench, qp);
    }
    rig.finish(bench)?;
    // from when the last one has begun until the first one is done
    let first = |qp| rig.order.iter().position(|q| *q == qp).unwrap_or(0);
    let last = |qp| rig.order.iter().rposition(|q| *q == qp).unwrap_or(0);
    let from = qps.map(first).into_iter().max().unwrap_or(0);
    let to = qps.map(last).into_iter().min().unwrap_or(0);
    assert!(to - from > 60, "{:?}", rig.order);
    // who waits for its payload is passed over; who has more pieces waits more often, and has fewer
    // slots
    let mut sent = [0_usize; 3];
    for qp in &rig.order[..=to] {
        qps.iter().zip(&mut sent).filter(|(q, _)| *q == qp).for_each(|(_, n)| *n += 1);
        let (most, least) = (sent.iter().max(), sent.iter().min());
        assert!(most <= least.map(|n| n + 2 * SLOTS).as_ref(), "{sent:?} of {:?}", rig.order);
    }
    Ok(())
}

#[test]
fn a_queue_pair_without_room_waits_and_holds_nobody() {
    case("closed", Manners::steady(), |bench, rig| {
        for qp in [0, 1] {
            rig.set_up(bench, qp, 3, 1_454)?;
            let message = message(bench, 3, 5_000);
            let post = rig.gathered(bench, qp, message, 2);
            rig.post(bench, qp, &post);
        }
        rig.closed[0] = true;
        rig.ring(bench, 0);
        rig.ring(bench, 1);
        rig.run(bench, 20_000, |_, rig| rig.qps[1].expected.is_empty())?;
        rig.quiet(bench)?;
        // asked once, then silent until there is room
        assert_eq!((rig.refusals, rig.qps[0].expected.len()), (1, 4));
        rig.open(bench, 0);
        rig.finish(bench)?;
        assert_eq!(rig.refusals, 1);
        Ok(())
    });
}

#[test]
fn a_full_in_flight_ring_waits_for_an_acknowledgement() {
    case("full", Manners { acks: false, ..Manners::steady() }, |bench, rig| {
        rig.set_up(bench, 6, 6, 1_454)?;
        for i in 0..RING as u64 + 5 {
            let message = message(bench, 3, 10);
            let post = Post { signaled: i.is_multiple_of(3), wr_id: i, ..rig.inlined(bench, message) };
            rig.post(bench, 6, &post);
        }
        rig.ring(bench, 6);
        rig.run(bench, 20_000, |_, rig| rig.qps[6].expected.len() <= 5)?;
        rig.quiet(bench)?;
        assert_eq!((rig.qps[6].expected.len(), rig.dones.len()), (5, 0));
        rig.acknowledge(bench, 6, 2)?;
        assert_eq!((rig.qps[6].expected.len(), rig.dones.len()), (3, 1));
        rig.acknowledge(bench, 6, RING + 2)?;
        rig.finish(bench)?;
        rig.acknowledge(bench, 6, RING + 5)?;
        let named: Vec<_> = rig.dones.iter().map(|d| d.wr_id).collect();
        let asked: Vec<_> = (0..RING as u64 + 5).step_by(3).collect();
        assert_eq!(named, asked);
        // what was said already is not said again
        rig.acknowledge(bench, 6, RING + 5)?;
        assert_eq!(rig.dones.len(), asked.len());
        Ok(())
    });
}

#[test]
fn an_inserted_connection_begins_anew() {
    case("anew", Manners { acks: false, ..Manners::steady() }, |bench, rig| {
        // ready before its connection: it waits for the insert
        rig.write_qp(bench, 4, 3, 1)?;
        rig.qps[4].producer = 0;
        for life in 0..3 {
            let mulpdu = 300 + 100 * life;
            if life > 0 {
                rig.write_qp(bench, 4, 3, 1)?;
            }
            rig.connect(bench, 4, mulpdu)?;
            for _ in 0..3 {
                let payload = octets(bench, 700);
                let post = rig.gathered(bench, 4, Message { opcode: 3, payload, ..Message::default() }, 1);
                rig.post(bench, 4, &Post { signaled: true, ..post });
            }
            rig.ring(bench, 4);
            rig.finish(bench)?;
        }
        assert_eq!(rig.dones.len(), 0);
        let all = rig.qps[4].ulpdus();
        rig.acknowledge(bench, 4, all)?;
        assert_eq!(rig.dones.len(), 3, "of the last life only");
        Ok(())
    });
}

/// ULPDU beats a cycle between the first and the last one, memory answering after 100 cycles.
fn rate(name: &str, qps: &[usize], length: usize, messages: usize) -> f64 {
    let rate = std::cell::Cell::new(0.0);
    case(name, Manners::steady(), |bench, rig| {
        for &qp in qps {
            rig.set_up(bench, qp, 4, 1_460)?;
            for _ in 0..messages {
                let message = message(bench, 0, length);
                let post = rig.gathered(bench, qp, message, 1);
                rig.post(bench, qp, &post);
            }
        }
        bench.restart_rates();
        for &qp in qps {
            rig.ring(bench, qp);
        }
        rig.finish(bench)?;
        rate.set(bench.sink_rate(rig.tx).beats_per_cycle());
        metrics::record(&format!("sq.tx.{name}.beats_per_cycle"), rate.get()).map_err(|e| e.to_string())
    });
    rate.get()
}

#[test]
fn full_rate_with_100_cycles_of_read_latency() {
    assert!(rate("one_qp", &[0], 64 << 10, 2) >= 0.97);
    assert!(rate("eight_qps", &[0, 1, 2, 3, 4, 5, 6, 7], 16 << 10, 2) >= 0.97);
}

#[test]
fn latency_of_a_short_write() {
    case("latency", Manners::steady(), |bench, rig| {
        rig.set_up(bench, 0, 4, 1_454)?;
        let message = message(bench, 0, 64);
        let post = rig.gathered(bench, 0, message, 1);
        rig.post(bench, 0, &post);
        rig.ring(bench, 0);
        let seen = |port: &'static str| move |b: &mut Bench, _: &mut Rig| b.get(port) == 1;
        let offered = rig.run(bench, 100, seen("sq_wqe_req_valid"))?;
        rig.run(bench, 200, seen("sq_wqe_ans_valid"))?;
        let turn = rig.run(bench, 200, seen("sq_pay_req_valid"))?;
        rig.run(bench, 200, |b, _| b.get("sq_pay_ans_valid") == 1)?;
        let payload = rig.run(bench, 200, |b, rig| b.sink_rate(rig.tx).beats == 10)?;
        rig.finish(bench)?;
        // eight beats of the WQE and eight of the payload count too
        assert!(offered <= 8 && turn <= 36 && payload <= 25, "{offered}, {turn}, {payload} cycles");
        Ok(())
    });
}
