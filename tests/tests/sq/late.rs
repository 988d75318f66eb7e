// SPDX-License-Identifier: MIT OR Apache-2.0
//! Send queue on the emitted Verilog: payload that is read late, or never, delays its own queue
//! pair only.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::sq::{message, Manners, Post, Rig, Sge};

/// Nanoseconds by which late reads are late: 3,125 cycles.
const LATE_NS: u64 = 20_000;
/// Cycles of that.
const LATE: u64 = 3_125;
/// Octets of the messages of those who are prompt.
const OCTETS: usize = 16 << 10;
const MULPDU: usize = 1_460;

fn case(name: &str, body: impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    run_case(&format!("sq-late-{name}"), Top::SqW64, 1, |bench| {
        let mut rig = Rig::new(bench, Manners::steady());
        body(bench, &mut rig)
    });
}

/// A Write of a queue pair; its payload lies where reads take `ns` nanoseconds more.
fn write(bench: &mut Bench, rig: &mut Rig, qp: usize, octets: usize, ns: Option<u64>) {
    let message = message(bench, 0, octets);
    let post = Post { signaled: true, ..rig.gathered(bench, qp, message, 1) };
    if let Some(ns) = ns {
        bench.host(rig.payload).delay(rig.iova(post.sges[0].key, post.sges[0].addr), octets as u64, ns);
    }
    rig.post(bench, qp, &post);
}

/// A Write out of SGEs of these lengths, each at this place in 512 octets; its reads take `ns`
/// nanoseconds more.
fn scattered(
    bench: &mut Bench,
    rig: &mut Rig,
    qp: usize,
    sges: &[(u64, usize)],
    ns: Option<u64>,
) -> Vec<Sge> {
    let message = message(bench, 0, sges.iter().map(|(_, length)| length).sum());
    let post = Post { signaled: true, ..rig.gathered(bench, qp, message, 1) };
    let mut from = 0;
    let mut list = vec![];
    for &(skew, length) in sges {
        let local = rig.place(bench, qp, skew, &post.message.payload[from..from + length]);
        if let Some(ns) = ns {
            bench.host(rig.payload).delay(rig.iova(local.key, local.addr), length as u64, ns);
        }
        list.push(Sge { addr: local.addr, length: length as u32, key: local.key });
        from += length;
    }
    rig.post(bench, qp, &Post { sges: list.clone(), ..post });
    list
}

/// SGEs of seven pieces, all in one FPDU, and of six.
const SEVEN: [(u64, usize); 4] = [(501, 350), (333, 350), (77, 350), (4_011, 350)];
const SIX: [(u64, usize); 4] = [(501, 350), (100, 350), (77, 350), (4_011, 350)];

/// One SGE each: few pieces an FPDU.
fn plain(bench: &mut Bench, rig: &mut Rig, qp: usize, ns: u64) {
    for _ in 0..2 {
        write(bench, rig, qp, OCTETS, Some(ns));
    }
}

/// An FPDU each, in seven pieces.
fn of_seven(bench: &mut Bench, rig: &mut Rig, qp: usize, ns: u64) {
    (0..60).for_each(|_| drop(scattered(bench, rig, qp, &SEVEN, Some(ns))));
}

/// The same in six.
fn of_six(bench: &mut Bench, rig: &mut Rig, qp: usize, ns: u64) {
    (0..60).for_each(|_| drop(scattered(bench, rig, qp, &SIX, Some(ns))));
}

/// The same, and only the last SGE is late.
fn of_late_ends(bench: &mut Bench, rig: &mut Rig, qp: usize, ns: u64) {
    for _ in 0..60 {
        let sges = scattered(bench, rig, qp, &SIX, None);
        bench.host(rig.payload).delay(rig.iova(sges[3].key, sges[3].addr), 350, ns);
    }
}

/// Late Writes of a queue pair.
type Late = fn(&mut Bench, &mut Rig, usize, u64);

/// Cycles in which prompt queue pairs send two Writes each, beside some whose reads are late.
fn beside(name: &str, late: &[usize], ns: u64, writes: Late) -> u64 {
    let took = std::cell::Cell::new(0);
    case(name, |bench, rig| {
        let prompt: Vec<usize> = (0..16).filter(|qp| *qp < 13).collect();
        for qp in 0..16 {
            rig.set_up(bench, qp, 6, MULPDU)?;
        }
        for &qp in late {
            writes(bench, rig, qp, ns);
            rig.ring(bench, qp);
        }
        // the late ones have all that they can get
        let until = bench.cycle() + 1_500;
        rig.run(bench, 1_600, |b, _| b.cycle() >= until)?;
        for &qp in &prompt {
            for _ in 0..2 {
                write(bench, rig, qp, OCTETS, None);
            }
            rig.ring(bench, qp);
        }
        let are_done =
            |_: &mut Bench, rig: &mut Rig| prompt.iter().all(|qp| rig.qps[*qp].expected.is_empty());
        took.set(rig.run(bench, 400_000, are_done)?);
        for &qp in late {
            assert!(!rig.qps[qp].expected.is_empty(), "queue pair {qp} was not late");
        }
        match ns {
            u64::MAX => late.iter().for_each(|qp| rig.abandon(*qp)),
            _ => drop(rig.finish(bench)?),
        }
        Ok(())
    });
    took.get()
}

#[test]
fn one_late_queue_pair_costs_the_others_nothing() {
    let alone = beside("none", &[], 0, plain);
    for (name, ns, writes) in [
        ("late", LATE_NS, plain as Late),
        ("never", u64::MAX, plain),
        ("pieces-late", LATE_NS, of_seven),
        ("pieces-never", u64::MAX, of_seven),
        ("ends-never", u64::MAX, of_late_ends),
    ] {
        let took = beside(name, &[15], ns, writes);
        assert!(10 * alone >= 9 * took, "{took} cycles beside a queue pair that is {name}, {alone} without");
    }
}

/// Those that are late, not never, send their Writes too, so that the others have a tenth less.
#[test]
fn three_late_queue_pairs_leave_room_for_the_others() {
    let alone = beside("none", &[], 0, plain);
    let three = &[13, 14, 15][..];
    for (name, late, ns, writes, share) in [
        ("three-late", three, LATE_NS, plain as Late, 8),
        ("three-never", three, u64::MAX, plain, 9),
        ("three-pieces-late", three, LATE_NS, of_six, 8),
        ("three-pieces-never", three, u64::MAX, of_six, 9),
        ("three-ends-never", three, u64::MAX, of_late_ends, 9),
        ("two-pieces-never", &three[1..], u64::MAX, of_seven, 9),
    ] {
        let took = beside(name, late, ns, writes);
        assert!(10 * alone >= share * took, "{name}: {took} cycles, {alone} without");
    }
}

/// A queue pair with FPDUs of seven pieces has two at a time.
#[test]
fn many_pieces_alone() {
    case("alone", |bench, rig| {
        rig.set_up(bench, 0, 6, MULPDU)?;
        for _ in 0..40 {
            scattered(bench, rig, 0, &SEVEN, None);
        }
        rig.ring(bench, 0);
        let took = rig.run(bench, 40_000, |_, rig| rig.qps[0].expected.is_empty())?;
        assert!(took <= 40 * 215, "{took} cycles");
        Ok(())
    });
}

/// SGEs of ten pieces, as many as an FPDU of an Ethernet frame of 1,500 octets can have.
const TEN: [(u64, usize); 4] = [(511, 514), (511, 514), (511, 2), (511, 2)];

/// Who finds no place free does not begin to leave: the rest of its payload may be late.
#[test]
fn without_a_place_nobody_holds_the_wire() {
    case("wire", |bench, rig| {
        for qp in 0..4 {
            rig.set_up(bench, qp, 4, MULPDU)?;
        }
        for (qp, ns) in [(0, Some(u64::MAX)), (1, Some(LATE_NS)), (2, None)] {
            let sges = scattered(bench, rig, qp, &TEN, ns);
            if qp == 2 {
                bench.host(rig.payload).delay(rig.iova(sges[3].key, sges[3].addr), 2, u64::MAX);
            }
            rig.ring(bench, qp);
            let until = bench.cycle() + 400;
            rig.run(bench, 500, |b, _| b.cycle() >= until)?;
        }
        write(bench, rig, 3, 100, None);
        rig.ring(bench, 3);
        rig.run(bench, 2 * LATE, |_, rig| [1, 3].iter().all(|qp| rig.qps[*qp].expected.is_empty()))?;
        [0, 2].iter().for_each(|qp| rig.abandon(*qp));
        Ok(())
    });
}

/// The longest ULPDU has 27 pieces, of 28 places. With a greater MULPDU a queue pair waits for
/// another insert.
#[test]
fn as_many_pieces_as_there_can_be() {
    case("jumbo", |bench, rig| {
        for qp in 0..2 {
            rig.set_up(bench, qp, 4, 10_240)?;
            scattered(bench, rig, qp, &[(511, 2_562), (511, 2_562), (511, 2_562), (511, 2_540)], None);
            write(bench, rig, qp, 10_226, Some(LATE_NS));
            write(bench, rig, qp, 1_000, None);
            rig.ring(bench, qp);
        }
        rig.set_up(bench, 2, 4, 10_241)?;
        write(bench, rig, 2, 1_000, None);
        rig.ring(bench, 2);
        rig.run(bench, 100_000, |_, rig| (0..2).all(|qp| rig.qps[qp].expected.is_empty()))?;
        rig.quiet(bench)?;
        assert_eq!((rig.qps[2].ulpdus(), rig.faults.len()), (0, 0));
        rig.abandon(2);
        rig.finish(bench).map(drop)
    });
}

/// A Terminate, or the end, begins when all before it has left: payload that comes late might not
/// come, and give its place away. Nobody else waits.
#[test]
fn an_end_waits_for_late_payload_and_holds_nobody_else() {
    for is_fin in [false, true] {
        case("end", |bench, rig| {
            for qp in 0..2 {
                rig.set_up(bench, qp, 4, MULPDU)?;
            }
            write(bench, rig, 0, 600, Some(LATE_NS));
            rig.ring(bench, 0);
            rig.run(bench, 1_000, |_, rig| rig.order == [0])?;
            if is_fin {
                rig.end(bench, 0);
            } else {
                rig.terminate(bench, 0, &[0; 4]);
            }
            write(bench, rig, 1, OCTETS, None);
            rig.ring(bench, 1);
            rig.run(bench, LATE - 500, |_, rig| rig.qps[1].expected.is_empty())?;
            assert!(rig.order[1..].iter().all(|qp| *qp == 1), "{:?}", rig.order);
            assert_eq!((rig.refusals, rig.qps[0].ulpdus()), (0, 0));
            rig.finish(bench)?;
            assert_eq!((rig.order.iter().filter(|qp| **qp == 0).count(), rig.qps[0].ulpdus()), (2, 2));
            Ok(())
        });
    }
}

/// An end whose queue pair has nothing under way waits for no other, though that one fills the
/// wire.
#[test]
fn an_end_leaves_beside_who_fills_the_wire() {
    for is_fin in [false, true] {
        case("full-wire", |bench, rig| {
            for qp in 0..2 {
                rig.set_up(bench, qp, 4, MULPDU)?;
            }
            write(bench, rig, 1, 12 * OCTETS, None);
            rig.ring(bench, 1);
            rig.run(bench, 10_000, |_, rig| rig.order.len() >= 8)?;
            if is_fin {
                rig.end(bench, 0);
            } else {
                rig.terminate(bench, 0, &[0; 4]);
            }
            // ten frames
            rig.run(bench, 2_000, |_, rig| rig.order.contains(&0))?;
            assert!(!rig.qps[1].expected.is_empty());
            rig.finish(bench).map(drop)
        });
    }
}

/// All are late: each goes on when its answers come.
#[test]
fn all_late() {
    case("all", |bench, rig| {
        for qp in 0..16 {
            rig.set_up(bench, qp, 4, MULPDU)?;
            write(bench, rig, qp, 3_000, Some(LATE_NS));
            rig.ring(bench, qp);
        }
        // 48 FPDUs, a share of eight at a time
        let took = rig.finish(bench)?;
        assert!(took <= 10 * LATE, "{took} cycles");
        Ok(())
    });
}

/// Inline octets, Read Requests and Sends without octets have no payload to wait for, nor do they
/// wait for others'.
#[test]
fn what_needs_no_read_leaves_beside_late_reads() {
    case("inline", |bench, rig| {
        for qp in [3, 4, 5, 9] {
            rig.set_up(bench, qp, 4, MULPDU)?;
        }
        write(bench, rig, 9, OCTETS, Some(u64::MAX));
        rig.ring(bench, 9);
        let until = bench.cycle() + 1_000;
        rig.run(bench, 1_100, |b, _| b.cycle() >= until)?;
        for octets in [1, 50, 96, 0] {
            let inline = message(bench, 3, octets);
            let post = rig.inlined(bench, inline);
            rig.post(bench, 3, &post);
        }
        for length in [100, 200] {
            let post = rig.read_into(4, 0x100 * length, 0x1_0000, length);
            rig.post(bench, 4, &post);
        }
        write(bench, rig, 5, 5_000, None);
        for qp in [3, 4, 5] {
            rig.ring(bench, qp);
        }
        rig.run(bench, 3_000, |_, rig| [3, 4, 5].iter().all(|qp| rig.qps[*qp].expected.is_empty()))?;
        rig.abandon(9);
        Ok(())
    });
}

/// Behind late payload its own queue pair waits, and sends in the order of its work requests.
#[test]
fn the_order_of_a_queue_pair_holds() {
    case("order", |bench, rig| {
        rig.set_up(bench, 2, 4, MULPDU)?;
        for n in 0..6 {
            write(bench, rig, 2, 1_000 + n, usize::is_multiple_of(n, 2).then_some(LATE_NS));
            let inline = message(bench, 3, 60);
            let post = rig.inlined(bench, inline);
            rig.post(bench, 2, &post);
        }
        rig.ring(bench, 2);
        rig.finish(bench).map(drop)
    });
}

/// A Terminate of another queue pair, and the end of its stream, pass late reads; those of the same
/// one do not.
#[test]
fn terminate_and_end_wait_for_their_own_reads_only() {
    case("ends", |bench, rig| {
        for qp in [1, 2] {
            rig.set_up(bench, qp, 4, MULPDU)?;
        }
        write(bench, rig, 1, 1_000, Some(LATE_NS));
        rig.ring(bench, 1);
        let until = bench.cycle() + 400;
        rig.run(bench, 500, |b, _| b.cycle() >= until)?;
        rig.end(bench, 1);
        rig.terminate(bench, 2, &[0, 0, 0, 0]);
        rig.end(bench, 2);
        rig.run(bench, 1_000, |_, rig| rig.qps[2].stream.finished)?;
        assert!(!rig.qps[1].stream.finished);
        rig.finish(bench).map(drop)
    });
}
