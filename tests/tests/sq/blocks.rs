// SPDX-License-Identifier: MIT OR Apache-2.0
//! Send queue on the emitted Verilog: work requests of one and of two blocks, what their heads may
//! not say, and fences.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, Pattern};
use ferrowarp_tests::sq::{message, octets, Fault, Manners, Post, Rig};
use std::cell::Cell;

/// Status of completions: the work request is not possible.
const OP_ERR: u64 = 2;
/// The name of a bad work request.
const NAME: u64 = 0x0123_4567_89AB_CDEF;
/// Who posts it, and who must not notice.
const BAD: usize = 2;
const GOOD: usize = 5;

/// Runs a body, once without pauses and once with.
fn case(name: &str, body: impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    for manners in [Manners::steady(), Manners { stalls: Pattern::Random, ..Manners::rough() }] {
        run_case(&format!("sq-{name}"), Top::SqW64, 1, |bench| {
            let mut rig = Rig::new(bench, manners);
            rig.set_up(bench, BAD, 4, 1_454)?;
            rig.set_up(bench, GOOD, 4, 1_454)?;
            body(bench, &mut rig)
        });
    }
}

/// A Send with so many octets in its blocks: up to 32 take one.
fn inlined(bench: &mut Bench, rig: &mut Rig, octets: usize) -> Post {
    let message = message(bench, 3, octets);
    Post { signaled: true, wr_id: NAME, ..rig.inlined(bench, message) }
}

/// A Send out of so many gathers: up to two take one block.
fn gathered(bench: &mut Bench, rig: &mut Rig, qp: usize, gathers: usize) -> Post {
    let message = message(bench, 3, 700);
    Post { signaled: true, wr_id: NAME, ..rig.gathered(bench, qp, message, gathers) }
}

/// A queue pair that has sent a request stops with the one in `slot`, whose name the fault has;
/// what is rung behind does not leave, and the other queue pair goes on.
fn is_refused(bench: &mut Bench, rig: &mut Rig, slot: &[u8]) -> Result<(), String> {
    rig.faults.clear();
    rig.set_up(bench, BAD, 4, 1_454)?;
    let first = Post { signaled: false, ..gathered(bench, rig, BAD, 3) };
    rig.post(bench, BAD, &first);
    rig.write_slot(bench, BAD, slot);
    rig.ring(bench, BAD);
    let other = gathered(bench, rig, GOOD, 3);
    rig.post(bench, GOOD, &other);
    rig.ring(bench, GOOD);
    rig.run(bench, 60_000, |_, rig| rig.is_done() && !rig.faults.is_empty())?;
    let behind = inlined(bench, rig, 5).octets();
    rig.write_slot(bench, BAD, &behind);
    rig.ring(bench, BAD);
    rig.quiet(bench)?;
    let fault = Fault { qp: BAD, error: 0, status: OP_ERR, wr_id: Some(NAME), is_local: true };
    assert_eq!(rig.faults, [fault], "{slot:02x?}");
    Ok(())
}

#[test]
fn blocks_that_are_not_what_the_head_needs() {
    case("lies", |bench, rig| {
        for (inline, gathers, blocks) in [
            (0, 2, 0),
            (0, 2, 3),
            (0, 1, 0xFF),
            (0, 3, 1),
            (0, 4, 1),
            (33, 0, 1),
            (96, 0, 0),
            (96, 0, 3),
            (4, 0, 0),
        ] {
            let post = match gathers {
                0 => inlined(bench, rig, inline),
                _ => gathered(bench, rig, BAD, gathers),
            };
            let mut octets = post.octets();
            octets[3] = blocks;
            is_refused(bench, rig, &octets)?;
        }
        Ok(())
    });
}

/// The doorbell covers the first block of two.
#[test]
fn a_second_block_that_was_not_rung() {
    case("unrung", |bench, rig| {
        for octets in [gathered(bench, rig, BAD, 4).octets(), inlined(bench, rig, 50).octets()] {
            is_refused(bench, rig, &octets[..64])?;
        }
        Ok(())
    });
}

#[test]
fn flags_and_opcodes_that_are_not_built() {
    case("unbuilt", |bench, rig| {
        for flag in 0..5 {
            let mut octets = inlined(bench, rig, 20).octets();
            octets[1] |= 1 << flag;
            is_refused(bench, rig, &octets)?;
        }
        // RFC 7306: immediate data and atomics; then invalidate, bind and register of our own
        for opcode in [8, 9, 10, 11, 18, 19, 20] {
            let mut octets = inlined(bench, rig, 20).octets();
            octets[0] = opcode;
            is_refused(bench, rig, &octets)?;
        }
        Ok(())
    });
}

/// More blocks than needed are possible: the second one is not looked at.
#[test]
fn a_small_request_in_two_blocks() {
    case("wide", |bench, rig| {
        let post = inlined(bench, rig, 20);
        let mut octets = post.octets();
        octets[3] = 2;
        octets.resize(128, 0xFF);
        rig.post(bench, GOOD, &post);
        // written over, with a block more
        let q = &mut rig.qps[GOOD];
        q.producer = q.producer.wrapping_sub(1);
        rig.write_slot(bench, GOOD, &octets);
        rig.ring(bench, GOOD);
        rig.finish(bench).map(drop)
    });
}

/// A ring of four blocks: each request of two begins at each place, the last one too. What is
/// fetched together is not always what belongs together.
#[test]
fn requests_across_the_end_of_the_ring() {
    case("wrap", |bench, rig| {
        rig.set_up(bench, GOOD, 1, 1_454)?;
        for n in 0..60 {
            let post = match n % 7 {
                0 | 1 | 4 => gathered(bench, rig, GOOD, 4),
                2 => inlined(bench, rig, 96),
                3 => inlined(bench, rig, 32),
                5 => gathered(bench, rig, GOOD, 2),
                _ => gathered(bench, rig, GOOD, 1),
            };
            rig.post(bench, GOOD, &Post { wr_id: n, ..post });
            if n % 2 == 1 || rig.room(GOOD) == 0 {
                rig.ring(bench, GOOD);
                rig.finish(bench)?;
            }
        }
        assert_eq!(rig.dones.len(), 60);
        Ok(())
    });
}

/// Each block more is one read more, unless the request before had two blocks, too.
#[test]
fn the_second_block_is_read_with_the_first_behind_such_a_request() {
    let took = |gathers: usize| {
        let took = Cell::new(0);
        run_case("sq-ahead", Top::SqW64, 1, |bench| {
            let mut rig = Rig::new(bench, Manners::steady());
            rig.set_up(bench, GOOD, 5, 1_454)?;
            for _ in 0..20 {
                let post = gathered(bench, &mut rig, GOOD, gathers);
                rig.post(bench, GOOD, &post);
            }
            rig.ring(bench, GOOD);
            took.set(rig.finish(bench)?);
            Ok(())
        });
        took.get()
    };
    let (one, two) = (took(2), took(3));
    // a range more an FPDU, and one read more in all; each read takes 100 cycles
    assert!(two < one + 20 * 40 + 150, "{two} cycles for two blocks, {one} for one");
}

/// A fenced request leaves when all RDMA Reads before it have completed, and those behind it with
/// it. Responses go on.
#[test]
fn a_fence_waits_for_reads() {
    run_case("sq-fence", Top::SqW64, 1, |bench| {
        let rig = &mut Rig::new(bench, Manners { acks: false, ..Manners::steady() });
        rig.set_up(bench, GOOD, 4, 1_454)?;
        for length in [100, 101] {
            let read = rig.read_into(GOOD, 0x4200, 0x9_0000_0000, length);
            rig.post(bench, GOOD, &read);
        }
        for fenced in [false, true, false] {
            let post = Post { fenced, ..gathered(bench, rig, GOOD, 1) };
            rig.post(bench, GOOD, &post);
        }
        rig.ring(bench, GOOD);
        for _ in 0..2 {
            rig.run(bench, 20_000, |_, rig| rig.qps[GOOD].expected.len() == 2)?;
            let payload = octets(bench, 3_000);
            rig.ask_for(bench, GOOD, payload);
            rig.run(bench, 5_000, |_, rig| rig.qps[GOOD].stream.responses.is_empty())?;
            rig.quiet(bench)?;
            assert_eq!(rig.qps[GOOD].expected.len(), 2, "the fence holds");
            rig.finish_read(bench, GOOD)?;
        }
        rig.finish(bench)?;
        // nothing to wait for
        let post = Post { fenced: true, ..gathered(bench, rig, GOOD, 1) };
        rig.post(bench, GOOD, &post);
        rig.ring(bench, GOOD);
        rig.finish(bench).map(drop)
    });
}
