// SPDX-License-Identifier: MIT OR Apache-2.0
//! Behind a fault: the queue pair in error takes, drops and acknowledges what still comes, so that
//! a Terminate and both FINs pass and the connection ends without a reset (architecture, section 2
//! item 7).
use ferrowarp_abi::consts::{event_kind, work_opcode};
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::{run_pair_on, Side};
use ferrowarp_tests::device::{library, link, rewrite, same, FrameHook, Scene, Watch, QPS, TO_BASE};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Octets of A's Writes; there are enough of them to fill the window, were it not acknowledged.
const OCTETS: usize = 1_300;
const WRITES: usize = 24;
/// RDMAP opcode of Terminate, and octets of one: control, header and DDP segment length of a tagged
/// segment.
const TERMINATE: u8 = 7;
const TERMINATE_OCTETS: usize = 22;
/// Where a segment's payload begins: 14 octets of Ethernet, 20 of IPv4, 20 of TCP.
const PAYLOAD: usize = 14 + 20 + 20;
/// Cycles in which A's Writes leave, and in which what is on its way arrives, delayed ACKs too.
const ALL: u64 = 12_000;
const QUIET: u64 = 4_000;

/// Changes the first of A's long segments.
fn change_once(change: impl Fn(&[u8]) -> Vec<u8> + Send + 'static) -> FrameHook {
    let is_done = Arc::new(AtomicBool::new(false));
    Box::new(move |sent| match sent.from == Side::A && sent.data.len() > OCTETS {
        true if !is_done.swap(true, Ordering::Relaxed) => Fate::Replace(change(sent.data)),
        _ => Fate::Deliver,
    })
}

/// A writes `WRITES` times to `stag` and closes; B finds `error` in the first Write, sends a
/// Terminate and closes. All is acknowledged at both ends, and B's memory is as it was.
fn drained(name: &str, hook: impl Fn() -> FrameHook, wrong_stag: bool, error: u16) {
    let library = library().expect("the device's model");
    run_pair_on(name, &library, link(), 0, |pair| {
        let watch = Watch::default();
        let mut scene = Scene::new(pair, watch.over(hook()))?;
        let mut stag = scene.traffic.hosts[1].stag();
        stag.0 ^= if wrong_stag { 0x10_00 } else { 0 };
        let end = TO_BASE + scene.traffic.hosts[1].expected.len() as u64;
        for _ in 0..WRITES {
            scene.write(pair, stag, end - OCTETS as u64, OCTETS);
        }
        (0..ALL).for_each(|_| scene.traffic.step(pair));
        scene.control(pair, 0, work_opcode::FIN, vec![])?;
        (0..QUIET).for_each(|_| scene.traffic.step(pair));
        scene.control(pair, 1, TERMINATE, vec![0; TERMINATE_OCTETS])?;
        scene.control(pair, 1, work_opcode::FIN, vec![])?;
        (0..QUIET).for_each(|_| scene.traffic.step(pair));
        scene.traffic.look(pair)?;

        watch.closed()?;
        let sent: u32 = watch.segments().iter().filter(|s| s.from == 0).map(|s| s.octets).sum();
        let whole = (WRITES * OCTETS) as u32;
        if sent < whole {
            return Err(format!("A sent {sent} octets of {whole}: {:x?}", watch.segments()));
        }
        scene.traffic.compare(pair)?;
        let failed: Vec<_> = scene.traffic.failed.iter().map(|(at, _, cqe)| (*at, cqe.qp)).collect();
        same(
            "both",
            "hosts and queue pairs of completions with errors",
            failed,
            vec![(0, QPS[0]), (1, QPS[0])],
        )?;
        same("B", "the error of its completion", scene.traffic.failed[1].2.error, error)?;
        for at in 0..2 {
            let events = scene.events(pair, at);
            let count = |kind| events.iter().filter(|e| (e.kind, e.number) == (kind, QPS[0])).count();
            same(["A", "B"][at], "events of the peer's FIN", count(event_kind::PEER_FIN), 1)?;
            same(["A", "B"][at], "events of our FIN's ACK", count(event_kind::FIN_ACKED), 1)?;
        }
        Ok(())
    });
}

fn deliver() -> FrameHook {
    Box::new(|_| Fate::Deliver)
}

#[test]
fn behind_a_write_that_ddp_refuses() {
    drained("drained_stag", deliver, true, 0x1100);
}

/// MPA stops, but knows where the next FPDU begins.
#[test]
fn behind_a_bad_crc() {
    let flip = |data: &[u8]| {
        let at = PAYLOAD + 100;
        rewrite(data, at, u16::from_be_bytes([data[at], data[at + 1]]) ^ 0x0100)
    };
    drained("drained_crc", move || change_once(flip), false, 0x2002);
}

/// MPA has lost the framing: nothing tells where the next FPDU begins.
#[test]
fn behind_an_impossible_ulpdu_length() {
    let shorten = |data: &[u8]| rewrite(data, PAYLOAD, 3);
    drained("drained_length", move || change_once(shorten), false, 0x02FF);
}
