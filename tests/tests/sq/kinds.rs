// SPDX-License-Identifier: MIT OR Apache-2.0
//! Send queue on the emitted Verilog: RDMA Reads, responses, raw octets, Terminate and the end of a
//! stream.
mod refused;
mod terminate;

use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::sq::{
    message, octets, Access, Fault, Manners, Message, Post, Request, Rig, Sge, EMSS, IRD, RAW, RING,
};

/// Statuses of completions.
const LEN_ERR: u64 = 1;
const OP_ERR: u64 = 2;
const PROT_ERR: u64 = 3;
const ACCESS_ERR: u64 = 5;
const GENERAL_ERR: u64 = 10;
/// The name of a work request that fails.
const NAME: u64 = 0x0123_4567_89AB_CDEF;

/// Runs a body once without pauses and once with.
fn case(name: &str, body: impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    for manners in [Manners::steady(), Manners::rough()] {
        once(name, manners, &body);
    }
}

/// Runs a body where nobody acknowledges anything and no Read completes unless the body says so.
fn silent(name: &str, body: impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    once(name, Manners { acks: false, ..Manners::steady() }, &body);
}

fn once(name: &str, manners: Manners, body: &impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    run_case(&format!("sq-{name}"), Top::SqW64, 1, |bench| {
        let mut rig = Rig::new(bench, manners);
        body(bench, &mut rig)
    });
}

/// An RDMA Read of `length` octets into memory of the queue pair.
fn read(bench: &mut Bench, rig: &mut Rig, qp: usize, length: u32) -> Post {
    let local = rig.place(bench, qp, 77, &vec![0; length as usize]);
    let message = Message { opcode: 1, ..message(bench, 1, 0) };
    let sges = vec![Sge { addr: local.addr, length, key: local.key }];
    Post {
        message,
        sges,
        inline: false,
        signaled: true,
        fenced: false,
        wr_id: 0x4EAD_0000 | u64::from(length),
    }
}

#[test]
fn every_kind_of_work_request() {
    case("kinds", |bench, rig| {
        rig.set_up(bench, 3, 5, 700)?;
        for length in [1, 40, 96, 681, 682, 683, 2_000] {
            for opcode in [0, 3, 4, 5, 6] {
                let message = message(bench, opcode, length);
                let post = Post { signaled: true, ..rig.gathered(bench, 3, message, 2) };
                rig.post(bench, 3, &post);
            }
            let post = read(bench, rig, 3, length as u32);
            rig.post(bench, 3, &post);
            let raw = message(bench, RAW, length.min(EMSS));
            let post = Post { signaled: true, ..rig.gathered(bench, 3, raw, 3) };
            rig.post(bench, 3, &post);
            rig.ring(bench, 3);
            rig.finish(bench)?;
        }
        assert!(rig.faults.is_empty() && rig.dones.len() == 7 * 7, "{:?}", rig.faults);
        Ok(())
    });
}

#[test]
fn raw_octets_of_every_length_around_a_beat() {
    case("raw", |bench, rig| {
        rig.set_up(bench, 0, 6, 1_454)?;
        for length in (1..=18).chain([EMSS - 1, EMSS]) {
            let raw = message(bench, RAW, length);
            let post = rig.gathered(bench, 0, raw.clone(), 2);
            rig.post(bench, 0, &post);
            if length <= 96 {
                let post = rig.inlined(bench, raw);
                rig.post(bench, 0, &post);
            }
            let post = rig.random(bench, 0, 50);
            rig.post(bench, 0, &post);
            if rig.room(0) < 3 {
                rig.ring(bench, 0);
                rig.finish(bench)?;
            }
        }
        rig.ring(bench, 0);
        rig.finish(bench).map(drop)
    });
}

#[test]
fn responses_of_every_length_around_a_segment() {
    case("responses", |bench, rig| {
        rig.set_up(bench, 5, 4, 128)?;
        for length in (0..=9).chain(110..=118).chain(224..=232) {
            if rig.qps[5].stream.credit == 0 {
                rig.run(bench, 20_000, |_, rig| rig.qps[5].stream.credit > 0)?;
            }
            let payload = octets(bench, length);
            rig.ask_for(bench, 5, payload);
        }
        rig.finish(bench)?;
        assert!(rig.faults.is_empty() && rig.qps[5].stream.credit == IRD);
        Ok(())
    });
}

#[test]
fn a_response_without_octets_names_no_region() {
    case("nothing", |bench, rig| {
        rig.set_up(bench, 5, 4, 1_454)?;
        let request = Request { sink: (0xDEAD_BEEF, u64::MAX), length: 0, source: (0, u64::MAX) };
        rig.expect_response(5, &request, vec![]);
        rig.request(bench, 5, &request);
        let mut empty = read(bench, rig, 5, 0);
        empty.sges[0].key = 0;
        rig.post(bench, 5, &empty);
        rig.ring(bench, 5);
        rig.finish(bench)?;
        assert!(rig.faults.is_empty() && rig.dones.len() == 1);
        Ok(())
    });
}

#[test]
fn reads_up_to_ord_are_outstanding() {
    for ord in [1, 3] {
        silent("ord", |bench, rig| {
            rig.qps[2].ord = ord;
            rig.set_up(bench, 2, 4, 1_454)?;
            for length in 1..=5 {
                let post = read(bench, rig, 2, length);
                rig.post(bench, 2, &post);
            }
            rig.ring(bench, 2);
            rig.quiet(bench)?;
            assert_eq!(rig.qps[2].expected.len(), 5 - ord as usize);
            // who waits for a Read still answers those of the peer
            let payload = octets(bench, 3_000);
            rig.ask_for(bench, 2, payload);
            rig.run(bench, 5_000, |_, rig| rig.qps[2].stream.responses.is_empty())?;
            for left in (0..5 - ord as usize).rev() {
                rig.finish_read(bench, 2)?;
                assert_eq!(rig.qps[2].expected.len(), left);
            }
            assert_eq!(rig.qps[2].stream.most as u64, ord);
            Ok(())
        });
    }
}

#[test]
fn reads_hold_their_places_in_the_ring_until_they_are_done() {
    silent("held", |bench, rig| {
        rig.qps[2].ord = 255;
        rig.set_up(bench, 2, 5, 1_454)?;
        for length in 1..=RING as u32 + 2 {
            let post = read(bench, rig, 2, length);
            rig.post(bench, 2, &post);
        }
        rig.ring(bench, 2);
        rig.run(bench, 10_000, |_, rig| rig.qps[2].expected.len() == 2)?;
        rig.quiet(bench)?;
        rig.acknowledge(bench, 2, RING)?;
        assert_eq!((rig.dones.len(), rig.qps[2].expected.len()), (0, 2));
        for left in [1, 0, 0] {
            rig.finish_read(bench, 2)?;
            assert_eq!(rig.qps[2].expected.len(), left);
        }
        assert_eq!((rig.dones.len(), rig.qps[2].stream.most), (3, RING));
        Ok(())
    });
}

#[test]
fn completions_keep_the_order_of_the_posts_across_kinds() {
    silent("order", |bench, rig| {
        rig.set_up(bench, 1, 4, 1_454)?;
        let first = read(bench, rig, 1, 100);
        rig.post(bench, 1, &first);
        for opcode in [0, 3] {
            let message = message(bench, opcode, 50);
            let post = Post { signaled: true, wr_id: opcode.into(), ..rig.inlined(bench, message) };
            rig.post(bench, 1, &post);
        }
        let last = read(bench, rig, 1, 200);
        rig.post(bench, 1, &last);
        rig.ring(bench, 1);
        rig.run(bench, 5_000, |_, rig| rig.qps[1].expected.is_empty())?;
        rig.quiet(bench)?;
        // all octets are acknowledged, and nothing completes before the first Read
        rig.acknowledge(bench, 1, 4)?;
        assert_eq!(rig.dones.len(), 0);
        rig.finish_read(bench, 1)?;
        let told: Vec<_> = rig.dones.iter().map(|d| (d.opcode, d.byte_len)).collect();
        assert_eq!(told, [(1, 100), (0, 0), (3, 0)]);
        rig.finish_read(bench, 1)?;
        assert_eq!(rig.dones.last().map(|d| (d.wr_id, d.byte_len)), Some((last.wr_id, 200)));
        Ok(())
    });
}

/// A Read that waits for another one may go on while a response leaves: messages do not interleave.
#[test]
fn a_request_that_may_go_on_waits_for_the_end_of_a_response() {
    silent("beside", |bench, rig| {
        for qp in 0..16 {
            rig.qps[qp].ord = 1;
            rig.set_up(bench, qp, 4, 300)?;
            for length in [100, 200] {
                let post = read(bench, rig, qp, length);
                rig.post(bench, qp, &post);
            }
            rig.ring(bench, qp);
            rig.run(bench, 5_000, |_, rig| rig.qps[qp].expected.len() == 1)?;
            rig.quiet(bench)?;
            let payload = octets(bench, 3_000);
            rig.ask_for(bench, qp, payload);
            // in another step of the response's first turns each time
            let at = bench.cycle() + 5 * qp as u64;
            rig.run(bench, 100, |b, _| b.cycle() >= at)?;
            rig.end_read(bench, qp)?;
            rig.run(bench, 10_000, |_, rig| rig.qps[qp].expected.is_empty())?;
            rig.quiet(bench)?;
            assert!(rig.qps[qp].stream.responses.is_empty());
        }
        Ok(())
    });
}

#[test]
fn a_read_that_is_done_before_its_request_is_acknowledged() {
    silent("early", |bench, rig| {
        rig.set_up(bench, 1, 4, 1_454)?;
        let post = read(bench, rig, 1, 100);
        rig.post(bench, 1, &post);
        rig.ring(bench, 1);
        rig.run(bench, 5_000, |_, rig| rig.qps[1].expected.is_empty())?;
        rig.quiet(bench)?;
        rig.finish_read(bench, 1)?;
        assert_eq!(rig.dones.len(), 0);
        rig.acknowledge(bench, 1, 1)?;
        assert_eq!(rig.dones.len(), 1);
        Ok(())
    });
}

#[test]
fn requests_are_given_back_as_slots_become_free() {
    silent("slots", |bench, rig| {
        rig.set_up(bench, 4, 4, 1_454)?;
        let mut asked = 0;
        while rig.qps[4].stream.credit > 0 {
            let payload = octets(bench, 20);
            rig.ask_for(bench, 4, payload);
            asked += 1;
            rig.run(bench, 5_000, |_, rig| rig.qps[4].stream.responses.is_empty())?;
            rig.quiet(bench)?;
            // as many as the in-flight ring has room for are sent, and are kept until they are
            // acknowledged
            if asked == RING as u32 {
                break;
            }
        }
        // eight may be given back ahead of the acknowledgements
        let kept = RING as u32 - 8;
        assert_eq!((asked, rig.qps[4].stream.credit), (RING as u32, IRD - kept));
        for n in 1..=kept {
            rig.acknowledge(bench, 4, n as usize)?;
            assert_eq!(rig.qps[4].stream.credit, IRD - kept + n);
        }
        rig.acknowledge(bench, 4, RING)?;
        assert_eq!(rig.qps[4].stream.credit, IRD);
        Ok(())
    });
}

#[test]
fn responses_and_work_requests_take_turns() {
    case("turns", |bench, rig| {
        rig.set_up(bench, 9, 5, 300)?;
        for _ in 0..6 {
            let message = message(bench, 3, 900);
            let post = rig.gathered(bench, 9, message, 1);
            rig.post(bench, 9, &post);
        }
        rig.ring(bench, 9);
        for _ in 0..6 {
            let payload = octets(bench, 900);
            rig.ask_for(bench, 9, payload);
        }
        rig.finish(bench)?;
        // opcode of each message in the order in which they ended
        let ends: Vec<_> = rig.sent.iter().filter(|u| u[0] & 0x40 != 0).map(|u| u[1] & 0x0F).collect();
        let first = |opcode| ends.iter().position(|o| *o == opcode).unwrap_or(0);
        let both = first(2).max(first(3));
        let until = ends.len() - ends.iter().rev().take_while(|o| **o == ends[ends.len() - 1]).count();
        assert!(ends[both..until].windows(2).all(|w| w[0] != w[1]), "{ends:?}");
        Ok(())
    });
}

#[test]
fn requests_that_cannot_be_answered() {
    case("refused", |bench, rig| {
        let mut at = 0;
        let mut next = |bench: &mut Bench, rig: &mut Rig, wrong: &dyn Fn(&mut Rig, &mut Request), error| {
            let qp = at % 16;
            at += 1;
            rig.faults.clear();
            rig.set_up(bench, qp, 4, 1_454)?;
            let payload = octets(bench, 3_000);
            rig.ask_for(bench, qp, payload);
            rig.run(bench, 10_000, |_, rig| rig.qps[qp].stream.responses.is_empty())?;
            let local = rig.place(bench, qp, 0, &[1; 3_000]);
            let source = (local.key, local.addr);
            let mut request = Request { sink: (1, 2), length: 3_000, source };
            wrong(rig, &mut request);
            rig.request(bench, qp, &request);
            rig.run(bench, 10_000, |_, rig| !rig.faults.is_empty())?;
            rig.quiet(bench)?;
            let fault = Fault { qp, error, status: ACCESS_ERR, wr_id: None, is_local: false };
            assert_eq!(rig.faults, [fault], "{request:x?}");
            assert_eq!(rig.quotes.pop(), Some(Some(request.quoted(2, 0))), "as it came");
            Ok::<(), String>(())
        };
        next(bench, rig, &|_, r| r.source.0 ^= 1, 0x0100)?;
        next(bench, rig, &|_, r| r.source.0 = 0, 0x0100)?;
        next(bench, rig, &|rig, r| rig.set_domain(r.source.0, 0x777), 0x0103)?;
        let closed = Access { remote_read: false, ..Access::default() };
        next(bench, rig, &|rig, r| rig.set_access(r.source.0, closed), 0x0102)?;
        next(bench, rig, &|_, r| r.source.1 = u64::MAX - 2_999, 0x0104)?;
        next(bench, rig, &|_, r| r.source.1 = r.source.1.wrapping_sub(1), 0x0101)?;
        next(bench, rig, &|_, r| r.length = 0x2_0000, 0x0101)
    });
}
