// SPDX-License-Identifier: MIT OR Apache-2.0
//! Send queue on the emitted Verilog: where the end of a stream stands among the work requests.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::sq::{message, octets, Manners, Post, Rig};

/// The queue pair, log2 of its slots, and a MULPDU that makes several segments of a message.
const QP: usize = 6;
const SLOTS: u32 = 5;
const MULPDU: usize = 300;
/// Messages, and octets of each.
const MESSAGES: usize = 12;
const OCTETS: usize = 1_000;

fn case(name: &str, manners: &[Manners], body: impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    for &manners in manners {
        run_case(&format!("sq-{name}"), Top::SqW64, 1, |bench| {
            let mut rig = Rig::new(bench, manners);
            rig.set_up(bench, QP, SLOTS, MULPDU)?;
            body(bench, &mut rig)
        });
    }
}

/// Sends in front of the end, which is asked for before the first of them has left.
#[test]
fn the_end_leaves_behind_all_that_was_rung() {
    case("end-behind", &[Manners::steady(), Manners::rough()], |bench, rig| {
        for _ in 0..MESSAGES {
            let message = message(bench, 3, OCTETS);
            let post = rig.gathered(bench, QP, message, 1);
            rig.post(bench, QP, &post);
        }
        rig.ring(bench, QP);
        rig.run(bench, 20_000, |_, rig| rig.qps[QP].ulpdus() == 2)?;
        rig.end(bench, QP);
        rig.finish(bench)?;
        assert!(rig.qps[QP].stream.finished && rig.qps[QP].expected.is_empty());
        Ok(())
    });
}

/// Reads that wait for the responses of others are in front of the end, too.
#[test]
fn the_end_waits_for_reads_that_wait() {
    case("end-reads", &[Manners { acks: false, ..Manners::steady() }], |bench, rig| {
        let (ord, reads) = (rig.qps[QP].ord as usize, 6);
        for length in 1..=reads {
            let post = rig.read_into(QP, 0x100 * length, 0x1_0000, length);
            rig.post(bench, QP, &post);
        }
        rig.ring(bench, QP);
        rig.run(bench, 20_000, |_, rig| rig.qps[QP].ulpdus() == ord)?;
        rig.end(bench, QP);
        rig.quiet(bench)?;
        assert!(rig.qps[QP].ulpdus() == ord && !rig.qps[QP].stream.finished);
        rig.finish_read(bench, QP)?;
        assert!(rig.qps[QP].ulpdus() == ord + 1 && !rig.qps[QP].stream.finished);
        rig.finish_read(bench, QP)?;
        assert!(rig.qps[QP].ulpdus() == reads as usize + 1 && rig.qps[QP].stream.finished);
        Ok(())
    });
}

/// The peer's Reads do not hold the end: an end that waited for them would wait for the peer.
#[test]
fn the_end_does_not_wait_for_responses() {
    case("end-responses", &[Manners::steady()], |bench, rig| {
        let payload = octets(bench, 5_000);
        for _ in 0..4 {
            rig.ask_for(bench, QP, payload.clone());
        }
        rig.run(bench, 20_000, |_, rig| rig.qps[QP].ulpdus() == 2)?;
        rig.end(bench, QP);
        // its item comes behind those of the response that was begun
        rig.run(bench, 3_000, |_, rig| rig.qps[QP].stream.finished)?;
        rig.quiet(bench)?;
        assert!(!rig.qps[QP].stream.responses.is_empty());
        Ok(())
    });
}

/// A queue pair in error, some of whose FPDU has left while there is no room for the rest.
fn half(bench: &mut Bench, rig: &mut Rig) -> Result<Post, String> {
    let message = message(bench, 3, OCTETS);
    let post = rig.gathered(bench, QP, message, 1);
    rig.post(bench, QP, &post);
    rig.ring(bench, QP);
    rig.run(bench, 20_000, |_, rig| rig.is_half(QP))?;
    rig.closed[QP] = true;
    rig.quiet(bench)?;
    assert!(rig.is_half(QP));
    rig.kill(bench, QP);
    Ok(post)
}

/// Within an FPDU that has left in part nobody could read a Terminate. So the rest leaves first, in
/// error too.
#[test]
fn a_terminate_leaves_behind_the_rest_of_an_fpdu() {
    case("end-half", &[Manners { cut: 100, ..Manners::steady() }], |bench, rig| {
        half(bench, rig)?;
        let words = octets(bench, 20);
        // the neighbour that gives no room would also say where something else stands within the
        // FPDU
        rig.closed[QP] = false;
        rig.terminate(bench, QP, &words);
        rig.run(bench, 20_000, |_, rig| rig.qps[QP].stream.terminates.is_empty())?;
        rig.abandon(QP);
        rig.finish(bench)?;
        assert!(!rig.is_half(QP));
        Ok(())
    });
}

/// The same in error without room: the rest is tried once, then the Terminate stands in its place.
#[test]
fn a_terminate_does_not_wait_for_the_rest_of_an_fpdu_without_room() {
    case("end-no-room", &[Manners { cut: 100, ..Manners::steady() }], |bench, rig| {
        half(bench, rig)?;
        let (words, before) = (octets(bench, 20), rig.refusals);
        rig.terminate(bench, QP, &words);
        let why = rig.run(bench, 20_000, |_, _| false).err().unwrap_or_default();
        assert!(why.starts_with("not what follows"), "{why}");
        assert_eq!(rig.refusals, before + 1);
        Ok(())
    });
}

/// The rest cannot be read any more: the Terminate stands in its place.
#[test]
fn a_terminate_stands_in_the_place_of_the_rest_that_cannot_be_read() {
    case("end-unread", &[Manners { cut: 100, acks: false, ..Manners::steady() }], |bench, rig| {
        let post = half(bench, rig)?;
        let left = rig.qps[QP].ulpdus();
        let base = rig.iova(post.sges[0].key, post.sges[0].addr) & !0xFFF;
        bench.host(rig.payload).unmap(base).map_err(|e| e.to_string())?;
        rig.open(bench, QP);
        rig.run(bench, 20_000, |_, rig| !rig.faults.is_empty())?;
        rig.quiet(bench)?;
        assert_eq!(rig.qps[QP].ulpdus(), left);
        assert!(!rig.unsent.is_empty() && rig.unsent.iter().all(|u| *u == (QP, false)));
        assert!(!bench.host(rig.payload).take_refused().is_empty());
        let words = octets(bench, 20);
        rig.terminate(bench, QP, &words);
        rig.run(bench, 20_000, |_, rig| rig.qps[QP].stream.terminates.is_empty())?;
        rig.quiet(bench)?;
        assert!(rig.qps[QP].ulpdus() > left);
        rig.abandon(QP);
        rig.unsent.clear();
        Ok(())
    });
}
