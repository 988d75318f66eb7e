// SPDX-License-Identifier: MIT OR Apache-2.0
//! Send queue on the emitted Verilog: work requests, doorbells and reads that are not possible.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, Pattern};
use ferrowarp_tests::sq::{message, Fault, Manners, Message, Post, Rig, Sge};

/// Statuses of completions.
const LEN_ERR: u64 = 1;
const OP_ERR: u64 = 2;
const PROT_ERR: u64 = 3;
const GENERAL_ERR: u64 = 10;
/// The name that a bad work request has.
const NAME: u64 = 0x0123_4567_89AB_CDEF;
/// Who posts it, and who must not notice.
const BAD: usize = 2;
const GOOD: usize = 5;

/// Runs a body with two queue pairs set up, once without pauses and once with.
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

/// A good work request that is expected to be sent. That of the queue pair that fails gives no
/// completion, since it may be acknowledged too late for one.
fn good(bench: &mut Bench, rig: &mut Rig, qp: usize, length: usize) {
    let message = message(bench, 3, length);
    let post = Post { signaled: qp == GOOD, ..rig.gathered(bench, qp, message, 2) };
    rig.post(bench, qp, &post);
}

/// A slot after a good work request and before another one: only the first is sent, the fault is
/// said once, the other queue pair is served, and the first one works again after it is set up
/// anew.
fn is_refused(bench: &mut Bench, rig: &mut Rig, slot: &[u8], fault: Fault) -> Result<(), String> {
    rig.faults.clear();
    rig.set_up(bench, BAD, 4, 1_454)?;
    good(bench, rig, BAD, 2_000);
    rig.write_slot(bench, BAD, slot);
    let message = message(bench, 3, 50);
    let after = rig.inlined(bench, message).octets();
    rig.write_slot(bench, BAD, &after);
    good(bench, rig, GOOD, 4_000);
    rig.ring(bench, BAD);
    rig.ring(bench, GOOD);
    rig.run(bench, 60_000, |_, rig| rig.is_done() && !rig.faults.is_empty())?;
    // the last one of a queue pair in error is rung, and is not sent
    rig.ring(bench, BAD);
    rig.quiet(bench)?;
    assert_eq!(rig.faults, [fault], "{slot:02x?}");
    rig.set_up(bench, BAD, 4, 1_454)?;
    good(bench, rig, BAD, 100);
    rig.ring(bench, BAD);
    rig.finish(bench)?;
    assert_eq!(rig.faults, [fault], "the same again after {slot:02x?}");
    Ok(())
}

fn fault(status: u64) -> Fault {
    Fault { qp: BAD, error: 0, status, wr_id: Some(NAME), is_local: true }
}

/// A work request of one SGE that is good.
fn single(bench: &mut Bench, rig: &mut Rig, opcode: u8, length: usize) -> Post {
    let message = message(bench, opcode, length);
    Post { wr_id: NAME, signaled: true, ..rig.gathered(bench, BAD, message, 1) }
}

#[test]
fn opcodes_that_are_not_sent() {
    case("opcode", |bench, rig| {
        for opcode in [2, 7, 8, 15, 17, 0x13, 0x20, 0x83] {
            let post = single(bench, rig, opcode, 100);
            is_refused(bench, rig, &post.octets(), fault(OP_ERR))?;
        }
        Ok(())
    });
}

#[test]
fn gathers_and_inline_that_do_not_go_together() {
    case("shape", |bench, rig| {
        let post = single(bench, rig, 3, 40);
        let mut five = post.octets();
        five[2] = 5;
        is_refused(bench, rig, &five, fault(OP_ERR))?;
        let mut many = post.octets();
        many[2] = 0x81;
        is_refused(bench, rig, &many, fault(OP_ERR))?;
        let mut both = post.octets();
        both[1] |= 0x40;
        is_refused(bench, rig, &both, fault(OP_ERR))?;
        let message = message(bench, 0, 97);
        let mut long = Post { wr_id: NAME, ..rig.inlined(bench, message) };
        long.message.payload.truncate(96);
        let mut long = long.octets();
        long[7] = 97;
        is_refused(bench, rig, &long, fault(LEN_ERR))
    });
}

#[test]
fn lengths_that_do_not_add_up() {
    case("sum", |bench, rig| {
        for length in [0_u32, 99, 101, 100 + (1 << 31)] {
            let mut octets = single(bench, rig, 3, 100).octets();
            octets[4..8].copy_from_slice(&length.to_be_bytes());
            is_refused(bench, rig, &octets, fault(LEN_ERR))?;
        }
        let nothing =
            Post { wr_id: NAME, message: Message { opcode: 3, ..Message::default() }, ..Post::default() };
        let mut octets = nothing.octets();
        octets[7] = 5;
        is_refused(bench, rig, &octets, fault(LEN_ERR))?;
        // four times 2^30 and 100 are 100 modulo 2^32
        let key = rig.claim(BAD, 0x100_0000_0000, 1 << 40);
        let mut sges = vec![Sge { addr: 0x100_0000_0000, length: 1 << 30, key }; 4];
        sges[3].length += 100;
        let wraps = Post { wr_id: NAME, sges, ..nothing };
        let mut octets = wraps.octets();
        octets[7] = 100;
        is_refused(bench, rig, &octets, fault(LEN_ERR))
    });
}

#[test]
fn gathers_outside_their_region() {
    case("region", |bench, rig| {
        let post = single(bench, rig, 0, 3_000);
        let size = 0x2000;
        let at = post.sges[0];
        let base = at.addr & !0xFFF;
        let bad = [
            Sge { key: at.key ^ 1, ..at },
            Sge { key: 0, ..at },
            Sge { addr: base - 1, ..at },
            Sge { addr: base + 2 * size - 2_999, ..at },
            Sge { addr: u64::MAX - 5, ..at },
        ];
        for sge in bad {
            let post = Post { sges: vec![sge], ..post.clone() };
            is_refused(bench, rig, &post.octets(), fault(PROT_ERR))?;
        }
        // the last of four counts too, though its octets are in a later FPDU
        let message = message(bench, 0, 6_000);
        let mut post = Post { wr_id: NAME, ..rig.gathered(bench, BAD, message, 4) };
        post.sges[3].key ^= 0x80;
        is_refused(bench, rig, &post.octets(), fault(PROT_ERR))?;
        // a region of another domain
        let other = rig.place(bench, GOOD + 1, 0, &[1; 10]);
        rig.set_domain(other.key, 0x777);
        let mut post = single(bench, rig, 3, 10);
        (post.sges[0].addr, post.sges[0].key) = (other.addr, other.key);
        is_refused(bench, rig, &post.octets(), fault(PROT_ERR))
    });
}

#[test]
fn a_region_revoked_inside_a_message() {
    case("revoked", |bench, rig| {
        let message = message(bench, 0, 40 * 1_440);
        let post = Post { wr_id: NAME, signaled: true, ..rig.gathered(bench, BAD, message, 1) };
        rig.post(bench, BAD, &post);
        good(bench, rig, GOOD, 40_000);
        rig.ring(bench, BAD);
        rig.ring(bench, GOOD);
        rig.run(bench, 100_000, |_, rig| rig.qps[BAD].ulpdus() == 7)?;
        rig.revoke(post.sges[0].key);
        rig.run(bench, 100_000, |_, rig| rig.qps[GOOD].expected.is_empty())?;
        rig.quiet(bench)?;
        assert_eq!(rig.faults, [fault(PROT_ERR)]);
        let sent = 40 - rig.qps[BAD].expected.len();
        // those that were under way, up to three of a queue pair
        assert!((7..=10).contains(&sent) && sent == rig.qps[BAD].ulpdus(), "{sent} ULPDUs");
        assert!(rig.unsent.is_empty());
        rig.abandon(BAD);
        rig.finish(bench).map(drop)
    });
}

#[test]
fn a_wqe_that_cannot_be_read() {
    case("slot", |bench, rig| {
        good(bench, rig, GOOD, 4_000);
        rig.unmap_slots(bench, BAD);
        rig.doorbell(bench, BAD as u64, 1);
        rig.ring(bench, GOOD);
        rig.finish(bench)?;
        rig.run(bench, 20_000, |_, rig| !rig.faults.is_empty())?;
        rig.quiet(bench)?;
        assert_eq!(rig.faults, [Fault { wr_id: None, ..fault(GENERAL_ERR) }]);
        assert_eq!(bench.host(rig.slots).take_refused().len(), 1);
        Ok(())
    });
}

#[test]
fn payload_that_cannot_be_read() {
    case("payload", |bench, rig| {
        let message = message(bench, 0, 20 * 1_440);
        let post = Post { wr_id: NAME, signaled: true, ..rig.gathered(bench, BAD, message, 1) };
        let at = rig.iova(post.sges[0].key, post.sges[0].addr);
        let base = at & !0xFFF;
        // the first 8 KiB are there
        let octets = bench.host(rig.payload).read(base, 0x2000).map_err(|e| e.to_string())?;
        bench.host(rig.payload).unmap(base).map_err(|e| e.to_string())?;
        bench.host(rig.payload).map(base, 0x2000, false).map_err(|e| e.to_string())?;
        bench.host(rig.payload).write(base, &octets).map_err(|e| e.to_string())?;
        rig.post(bench, BAD, &post);
        good(bench, rig, GOOD, 30_000);
        rig.ring(bench, BAD);
        rig.ring(bench, GOOD);
        rig.run(bench, 100_000, |_, rig| rig.qps[GOOD].expected.is_empty() && !rig.faults.is_empty())?;
        rig.quiet(bench)?;
        assert_eq!(rig.faults, [fault(GENERAL_ERR)]);
        assert!(!bench.host(rig.payload).take_refused().is_empty());
        let (sent, unsent) = (20 - rig.qps[BAD].expected.len(), rig.unsent.len());
        let whole = (0x2000 - (at - base) as usize) / 1_440;
        // none behind the one that could not be read leaves, though some were on their way
        assert_eq!((sent, rig.qps[BAD].ulpdus()), (whole, whole));
        assert!((1..=3).contains(&unsent), "{unsent} gave their room back");
        assert!(rig.unsent.iter().all(|u| *u == (BAD, false)));
        rig.abandon(BAD);
        rig.unsent.clear();
        // Terminate and end stand in its place, and leave again with what is before it, not with
        // what never left
        rig.terminate(bench, BAD, &[0, 0, 0, 0]);
        rig.end(bench, BAD);
        rig.finish(bench)?;
        assert_eq!(rig.qps[BAD].ulpdus(), whole + 2);
        let flight = rig.in_flight(BAD);
        rig.expire(bench, BAD)?;
        rig.run(bench, 40_000, |_, rig| rig.again.len() + rig.skips >= flight.len())?;
        rig.quiet(bench)?;
        assert!(rig.again.iter().all(|(qp, from)| *qp == BAD && flight.contains(from)));
        rig.acknowledge(bench, BAD, whole + 2)?;
        // all of it has retired, without a completion: nothing is left to leave again
        let again = rig.again.len();
        rig.expire(bench, BAD)?;
        rig.quiet(bench)?;
        assert_eq!((rig.again.len(), rig.faults.len()), (again, 1));
        // a new connection is a new stream
        rig.set_up(bench, BAD, 4, 1_454)?;
        good(bench, rig, BAD, 3_000);
        rig.ring(bench, BAD);
        rig.finish(bench)?;
        assert!(rig.unsent.is_empty());
        Ok(())
    });
}

#[test]
fn doorbells_that_the_ring_cannot_have() {
    case("doorbell", |bench, rig| {
        let wrong = Fault { wr_id: None, ..fault(OP_ERR) };
        // a ring of 32 blocks
        for (fetched, beyond) in [(0, 33), (0, u32::MAX), (3, u32::MAX), (3, 33), (3, 32_u32.wrapping_neg())]
        {
            rig.faults.clear();
            rig.bad_doorbells = 0;
            rig.set_up(bench, BAD, 4, 1_454)?;
            for _ in 0..fetched {
                good(bench, rig, BAD, 10);
            }
            if fetched > 0 {
                rig.ring(bench, BAD);
                rig.finish(bench)?;
            }
            let value = rig.qps[BAD].producer.wrapping_add(beyond);
            rig.doorbell(bench, BAD as u64, value);
            good(bench, rig, GOOD, 3_000);
            rig.ring(bench, GOOD);
            rig.finish(bench)?;
            assert_eq!((&rig.faults[..], rig.bad_doorbells), (&[wrong][..], 1), "{value} after {fetched}");
        }
        Ok(())
    });
}

#[test]
fn a_full_ring_is_possible() {
    case("whole", |bench, rig| {
        for _ in 0..16 {
            good(bench, rig, BAD, 10);
        }
        rig.ring(bench, BAD);
        rig.finish(bench)?;
        assert_eq!((rig.faults.len(), rig.bad_doorbells), (0, 0));
        Ok(())
    });
}

#[test]
fn doorbells_for_nobody_are_counted() {
    case("nobody", |bench, rig| {
        // not set up, no such queue pair, set up as reset and as error
        rig.write_qp(bench, 8, 4, 0)?;
        rig.write_qp(bench, 9, 4, 2)?;
        for number in [7, 16, 0xFF02, 8, 9] {
            rig.doorbell(bench, number, 1);
        }
        good(bench, rig, GOOD, 3_000);
        rig.ring(bench, GOOD);
        rig.finish(bench)?;
        assert_eq!((rig.faults.len(), rig.bad_doorbells), (0, 5));
        Ok(())
    });
}
