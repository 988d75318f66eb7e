// SPDX-License-Identifier: MIT OR Apache-2.0
//! Send queue on the emitted Verilog: what is not acknowledged leaves again, as it left first.
mod lost;

use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::sq::{
    message, octets, Fault, Manners, Message, Post, Rig, Sge, BEHIND_RAW, RAW, RAW_BEFORE,
};
use rand::Rng;

/// The stream is lost: answered by a reset, not by a Terminate.
const STREAM_LOST: u64 = 0x2001;
/// Statuses of completions.
const PROT_ERR: u64 = 3;
const LEN_ERR: u64 = 1;
const OP_ERR: u64 = 2;
const GENERAL_ERR: u64 = 10;

/// Runs a body where nobody acknowledges anything unless the body says so.
fn silent(name: &str, body: impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    run_case(&format!("sq-replay-{name}"), Top::SqW64, 1, |bench| {
        let mut rig = Rig::new(bench, Manners { acks: false, ..Manners::steady() });
        body(bench, &mut rig)
    });
}

/// Posts one work request.
fn post(bench: &mut Bench, rig: &mut Rig, qp: usize, opcode: u8, length: usize) -> Post {
    let message = message(bench, opcode, length);
    let post = Post { signaled: true, ..rig.gathered(bench, qp, message, 2) };
    rig.post(bench, qp, &post);
    post
}

/// Posts an RDMA Read.
fn read(bench: &mut Bench, rig: &mut Rig, qp: usize, length: u32) {
    let local = rig.place(bench, qp, 77, &vec![0; length as usize]);
    let message = Message { opcode: 1, ..message(bench, 1, 0) };
    let sges = vec![Sge { addr: local.addr, length, key: local.key }];
    rig.post(bench, qp, &Post { message, sges, inline: false, signaled: true, fenced: false, wr_id: 7 });
}

/// One message of every kind, some in several segments, until all have left.
fn every_kind(bench: &mut Bench, rig: &mut Rig, qp: usize) -> Result<(), String> {
    for (opcode, length) in [(RAW, 500), (0, 2_000), (3, 0), (5, 700), (4, 90), (6, 1_500), (0, 0)] {
        post(bench, rig, qp, opcode, length);
    }
    let inline = message(bench, 3, 40);
    let inline = Post { signaled: true, ..rig.inlined(bench, inline) };
    rig.post(bench, qp, &inline);
    read(bench, rig, qp, 300);
    rig.ring(bench, qp);
    let payload = octets(bench, 1_300);
    rig.ask_for(bench, qp, payload);
    rig.run(bench, 100_000, |_, rig| {
        rig.qps[qp].expected.is_empty() && rig.qps[qp].stream.responses.is_empty()
    })?;
    rig.quiet(bench)
}

/// Runs until this many segments have left again.
fn again(bench: &mut Bench, rig: &mut Rig, count: usize) -> Result<(), String> {
    rig.run(bench, 100_000, |_, rig| rig.again.len() >= count)?;
    rig.quiet(bench)
}

/// Ends the wait of the Read that `every_kind` has posted, and of all acknowledgements.
fn settle(bench: &mut Bench, rig: &mut Rig, qp: usize) -> Result<(), String> {
    rig.finish_read(bench, qp)?;
    let all = rig.qps[qp].ulpdus();
    rig.acknowledge(bench, qp, all)
}

#[test]
fn messages_of_every_kind_leave_again_in_their_order() {
    silent("kinds", |bench, rig| {
        rig.set_up(bench, 3, 5, 600)?;
        every_kind(bench, rig, 3)?;
        let all: Vec<_> = rig.in_flight(3).iter().map(|from| (3, *from)).collect();
        assert!(all.len() > 15);
        for round in 1..=2 {
            rig.expire(bench, 3)?;
            again(bench, rig, round * all.len())?;
        }
        assert_eq!(rig.again, [all.clone(), all].concat());
        // new work goes on as if nothing had been
        post(bench, rig, 3, 3, 900);
        rig.ring(bench, 3);
        rig.run(bench, 50_000, |_, rig| rig.qps[3].expected.is_empty())?;
        settle(bench, rig, 3)?;
        assert_eq!((rig.dones.len(), rig.faults.len()), (10, 0));
        // nothing is in flight: nothing leaves
        rig.again.clear();
        rig.expire(bench, 3)?;
        rig.quiet(bench)?;
        assert!(rig.again.is_empty());
        Ok(())
    });
}

#[test]
fn what_is_acknowledged_does_not_leave_again() {
    silent("acknowledged", |bench, rig| {
        rig.set_up(bench, 3, 5, 600)?;
        every_kind(bench, rig, 3)?;
        for count in 1..=rig.qps[3].ulpdus() {
            rig.acknowledge(bench, 3, count)?;
            let left: Vec<_> = rig.in_flight(3).iter().map(|from| (3, *from)).collect();
            rig.again.clear();
            rig.expire(bench, 3)?;
            again(bench, rig, left.len())?;
            assert_eq!(rig.again, left, "{count} acknowledged");
        }
        // a Read waits for its response behind all this, and so do the messages behind it
        rig.finish_read(bench, 3)?;
        assert_eq!((rig.dones.len(), rig.faults.len()), (9, 0));
        Ok(())
    });
}

/// Messages that are acknowledged may be stuck behind an RDMA Read: what they were made of may be
/// gone.
#[test]
fn an_acknowledged_message_is_not_made_again() {
    silent("stuck", |bench, rig| {
        rig.set_up(bench, 6, 4, 600)?;
        read(bench, rig, 6, 100);
        let gone = post(bench, rig, 6, 0, 800);
        post(bench, rig, 6, 3, 20);
        rig.ring(bench, 6);
        rig.run(bench, 50_000, |_, rig| rig.qps[6].expected.is_empty())?;
        rig.acknowledge(bench, 6, 3)?;
        gone.sges.iter().for_each(|s| rig.revoke(s.key));
        rig.expire(bench, 6)?;
        again(bench, rig, 1)?;
        assert_eq!((rig.again.len(), rig.skips, rig.faults.len()), (1, 0, 0));
        Ok(())
    });
}

#[test]
fn a_half_sent_message_leaves_again_as_far_as_it_was_sent() {
    silent("half", |bench, rig| {
        rig.set_up(bench, 9, 4, 600)?;
        post(bench, rig, 9, 5, 6_000);
        post(bench, rig, 9, 3, 10);
        rig.ring(bench, 9);
        rig.run(bench, 50_000, |_, rig| rig.qps[9].ulpdus() == 4)?;
        rig.closed[9] = true;
        rig.quiet(bench)?;
        let all = rig.in_flight(9);
        assert!((4..10).contains(&all.len()), "{} segments", all.len());
        rig.expire(bench, 9)?;
        again(bench, rig, all.len())?;
        assert_eq!(rig.again.iter().map(|a| a.1).collect::<Vec<_>>(), all);
        rig.open(bench, 9);
        rig.run(bench, 50_000, |_, rig| rig.qps[9].expected.is_empty())?;
        let count = rig.qps[9].ulpdus();
        rig.acknowledge(bench, 9, count)?;
        assert_eq!(rig.dones.len(), 2);
        Ok(())
    });
}

/// Cycles from an expiry to the first segment that leaves again: the request is read, no segment is
/// walked through. A request of three SGEs has a second block.
const FIRST_AGAIN: u64 = 250;
const SECOND_BLOCK: u64 = 60;

/// All segments of a long message but the last have one size: the one that was lost is found
/// without a look at those before.
#[test]
fn a_long_message_goes_on_at_the_segment_that_was_lost() {
    // those of odd numbers have markers
    let plain = [(0, 1, 8, 301), (0, 2, 8, 301), (3, 1, 8, 301), (3, 3, 8, 301), (2, 1, 8, 301)];
    let marked = [
        (0, 1, 9, 301),
        (3, 2, 9, 301),
        (2, 1, 9, 301),
        (0, 1, 9, 500),
        (3, 1, 9, BEHIND_RAW),
        (0, 1, 9, 1_454),
    ];
    for (opcode, sges, qp, mulpdu) in plain.into_iter().chain(marked) {
        silent("long", |bench, rig| {
            rig.set_up(bench, qp, 4, mulpdu)?;
            if mulpdu == BEHIND_RAW {
                post(bench, rig, qp, RAW, RAW_BEFORE);
            }
            post(bench, rig, qp, 3, 50);
            if opcode == 2 {
                let payload = octets(bench, 60_000);
                rig.ask_for(bench, qp, payload);
            } else {
                let message = message(bench, opcode, 60_000);
                let one = Post { signaled: true, ..rig.gathered(bench, qp, message, sges) };
                rig.post(bench, qp, &one);
            }
            rig.ring(bench, qp);
            rig.run(bench, 200_000, |_, rig| {
                rig.qps[qp].expected.is_empty() && rig.qps[qp].stream.responses.is_empty()
            })?;
            rig.quiet(bench)?;
            let count = rig.qps[qp].ulpdus();
            for acknowledged in [2, 3, count / 2, count - 2, count - 1] {
                rig.acknowledge(bench, qp, acknowledged)?;
                let left = rig.in_flight(qp);
                rig.again.clear();
                let from = bench.cycle();
                rig.expire(bench, qp)?;
                rig.run(bench, 10_000, |_, rig| !rig.again.is_empty())?;
                let took = bench.cycle() - from;
                assert_eq!((rig.again[0], rig.skips), ((qp, left[0]), 0), "{acknowledged} of {count}");
                let most = FIRST_AGAIN + if sges > 2 { SECOND_BLOCK } else { 0 };
                assert!(took < most, "{took} cycles, {acknowledged} of {count} acknowledged");
                again(bench, rig, left.len())?;
                assert_eq!(rig.again.iter().map(|a| a.1).collect::<Vec<_>>(), left);
            }
            rig.acknowledge(bench, qp, count)?;
            assert!(rig.faults.is_empty());
            Ok(())
        });
    }
}

#[test]
fn an_expiry_inside_a_replay_begins_it_anew() {
    silent("anew", |bench, rig| {
        rig.set_up(bench, 1, 4, 300)?;
        post(bench, rig, 1, 0, 3_000);
        rig.ring(bench, 1);
        rig.run(bench, 50_000, |_, rig| rig.qps[1].expected.is_empty())?;
        let all = rig.in_flight(1);
        rig.expire(bench, 1)?;
        rig.run(bench, 10_000, |_, rig| rig.again.len() == 3)?;
        rig.expire(bench, 1)?;
        again(bench, rig, 3 + all.len())?;
        let from: Vec<_> = rig.again.iter().map(|a| a.1).collect();
        let second = from.iter().rposition(|f| *f == all[0]).unwrap_or_default();
        assert!((3..=4).contains(&second), "{from:?}");
        assert_eq!(from[second..], all);
        assert_eq!(from[..second], all[..second]);
        Ok(())
    });
}

#[test]
fn terminate_and_end_leave_again_in_error() {
    silent("error", |bench, rig| {
        rig.set_up(bench, 2, 4, 600)?;
        post(bench, rig, 2, 5, 3_000);
        rig.ring(bench, 2);
        rig.run(bench, 50_000, |_, rig| rig.qps[2].ulpdus() == 2)?;
        rig.kill(bench, 2);
        rig.quiet(bench)?;
        rig.abandon(2);
        rig.terminate(bench, 2, &[9; 22]);
        rig.end(bench, 2);
        rig.run(bench, 20_000, |_, rig| {
            rig.qps[2].stream.terminates.is_empty() && rig.qps[2].stream.finished
        })?;
        let all = rig.in_flight(2);
        rig.expire(bench, 2)?;
        again(bench, rig, all.len())?;
        assert_eq!(rig.again.iter().map(|a| a.1).collect::<Vec<_>>(), all);
        assert!(rig.faults.is_empty());
        Ok(())
    });
}

#[test]
fn an_insert_forgets_the_replay() {
    silent("insert", |bench, rig| {
        rig.set_up(bench, 4, 4, 600)?;
        post(bench, rig, 4, 0, 5_000);
        rig.ring(bench, 4);
        rig.run(bench, 50_000, |_, rig| rig.qps[4].expected.is_empty())?;
        rig.expire(bench, 4)?;
        rig.run(bench, 10_000, |_, rig| rig.again.len() == 2)?;
        rig.shut[4] = true;
        rig.quiet(bench)?;
        let count = rig.again.len();
        rig.connect(bench, 4, 700)?;
        rig.shut[4] = false;
        rig.quiet(bench)?;
        assert_eq!(rig.again.len(), count, "a replay of the connection before");
        post(bench, rig, 4, 3, 1_000);
        rig.ring(bench, 4);
        rig.run(bench, 50_000, |_, rig| rig.qps[4].expected.is_empty())?;
        assert!(rig.faults.is_empty());
        Ok(())
    });
}

#[test]
fn random_expiries_change_nothing_that_the_peer_sees() {
    for manners in [Manners::steady(), Manners::rough(), Manners::cut()] {
        run_case("sq-replay-random", Top::SqW64, 2, |bench| {
            let mut rig = Rig::new(bench, manners);
            for qp in 0..5 {
                rig.set_up(bench, qp, 5, 300 + 200 * qp)?;
            }
            for _ in 0..24 {
                for qp in 0..5 {
                    while rig.room(qp) > 20 && bench.rng().random_range(0..4) > 0 {
                        let post = rig.random(bench, qp, 3_000);
                        rig.post(bench, qp, &post);
                    }
                    rig.ring(bench, qp);
                    if rig.qps[qp].stream.credit > 0 {
                        let length = bench.rng().random_range(0..2_000);
                        let payload = octets(bench, length);
                        rig.ask_for(bench, qp, payload);
                    }
                }
                for _ in 0..bench.rng().random_range(1..8) {
                    let qp = bench.rng().random_range(0..5);
                    let until = bench.cycle() + bench.rng().random_range(0..900);
                    rig.run(bench, 1_000, |b, _| b.cycle() >= until)?;
                    rig.expire(bench, qp)?;
                }
            }
            rig.finish(bench)?;
            assert!(rig.faults.is_empty() && rig.again.len() > 20, "{:?}, {}", rig.faults, rig.again.len());
            Ok(())
        });
    }
}
