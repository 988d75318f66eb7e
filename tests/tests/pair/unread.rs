// SPDX-License-Identifier: MIT OR Apache-2.0
//! A gather whose memory cannot be read: what was sent before it arrives, nothing behind it does,
//! and the stream ends in order with a Terminate in its place; if it had left before, nothing helps
//! but a reset (design decision D2).
use ferrowarp_abi::codec::{MrRow, SendWqe, Sge};
use ferrowarp_abi::consts::{admin_opcode, event_kind, wc_status, work_opcode};
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::{run_pair_on, Pair, Side};
use ferrowarp_tests::device::{
    flag, library, link, same, units, Blame, FrameHook, Scene, Watch, BAD, QPS, RDMA_WRITE, TO_BASE,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// A region of A of which only the first octets are memory: its STag, its octets, those that are
/// there.
const STAG: STag = STag(21 << 8 | 0x31);
const LENGTH: u32 = 10_000;
const THERE: usize = 4_096;
/// Payload of a segment, of which two lie in what is there.
const SEGMENT: usize = 1_440;
const WHOLE: usize = THERE / SEGMENT * SEGMENT;
/// Name of the request that cannot be read.
const NAME: u64 = 555;
/// RDMAP opcode of Terminate, and octets of one.
const TERMINATE: u8 = 7;
const TERMINATE_OCTETS: usize = 4;
/// Ticks, of 1,000 cycles, until a segment leaves again the first time, and attempts.
const RTO: u64 = 3;
const RETRIES: u64 = 10;
/// Cycles in which all that is on its way arrives, expiries too.
const QUIET: u64 = 12_000;
/// Between the address of the region and its tagged offset.
const FROM: u64 = 0x77_0000_0000;

fn steps(scene: &Scene, pair: &mut Pair) {
    (0..QUIET).for_each(|_| scene.traffic.step(pair));
}

/// Maps the region of A and registers all of it; the address.
fn register(scene: &mut Scene, pair: &mut Pair) -> Result<u64, String> {
    let host = &mut scene.traffic.hosts[0];
    let base = host.nic.map(&mut pair.a, THERE as u64, 0, false);
    let octets: Vec<u8> = (0..THERE).map(|i| (i * 7 + i / 256) as u8).collect();
    pair.a.host(host.nic.memory).write(base, &octets).map_err(|e| e.to_string())?;
    let row = MrRow {
        base,
        length: LENGTH.into(),
        to_base: TaggedOffset(FROM + base),
        pd: host.qps[BAD].row.pd,
        is_valid: true,
        key: STAG.0 as u8,
        ..Default::default()
    };
    let row = row.octets().map_err(|e| e.to_string())?;
    host.nic.command(&mut pair.a, admin_opcode::MR_WRITE, (STAG.0 >> 8) as u16, &row);
    scene.commanded(pair)?;
    Ok(base)
}

/// A's Write of the region's first octets to the end of B's.
fn write(scene: &mut Scene, pair: &mut Pair, base: u64, octets: u32) -> Result<usize, String> {
    let host = &scene.traffic.hosts[1];
    let at = host.expected.len() - LENGTH as usize;
    let (remote_stag, remote_to) = (host.stag(), TaggedOffset(TO_BASE + at as u64));
    let length = ByteCount(octets);
    let gather = Sge { to: TaggedOffset(FROM + base), length, key: STAG };
    let head =
        SendWqe { opcode: RDMA_WRITE, num_sge: 1, length, remote_stag, remote_to, ..Default::default() };
    scene.slot(pair, NAME, head, &gather.octets().map_err(|e| e.to_string())?)?;
    Ok(at)
}

/// What A says.
fn blame(error: u16) -> Option<Blame> {
    let (status, event) = (wc_status::GENERAL_ERR, event_kind::QP_REQUEST_ERROR);
    let wr_id = Some(NAME);
    Some(Blame { host: 0, status, error, wr_id, is_local: true, is_recv: false, event, overrun: None })
}

/// Of A's long segments the one with this number is lost.
fn lose(number: usize) -> FrameHook {
    let seen = Arc::new(AtomicUsize::new(0));
    Box::new(move |sent| match sent.from == Side::A && sent.data.len() > SEGMENT {
        true if seen.fetch_add(1, Ordering::Relaxed) == number => Fate::Drop,
        _ => Fate::Deliver,
    })
}

/// The first transmission fails; the frame `lost` of those before it has to leave again, which it
/// does before or behind the Terminate.
fn unread(name: &str, lost: usize, waits: bool) {
    let library = library().expect("the device's model");
    run_pair_on(name, &library, link(), 0, |pair| {
        let watch = Watch::default();
        let mut scene = Scene::new(pair, watch.over(lose(lost)))?;
        let base = register(&mut scene, pair)?;
        for bench in [&mut pair.a, &mut pair.b] {
            bench.set("rto_min", units(RTO));
            bench.set("retry_limit", RETRIES);
        }
        let at = write(&mut scene, pair, base, LENGTH)?;
        // nothing of what stands behind it arrives
        let stag = scene.traffic.hosts[1].stag();
        scene.write(pair, stag, TO_BASE + at as u64 + 100, 203);
        if waits {
            steps(&scene, pair);
        } else {
            (0..2_500).for_each(|_| scene.traffic.step(pair));
        }
        scene.control(pair, 0, TERMINATE, vec![0; TERMINATE_OCTETS])?;
        scene.control(pair, 0, work_opcode::FIN, vec![])?;
        steps(&scene, pair);
        scene.control(pair, 1, work_opcode::FIN, vec![])?;
        steps(&scene, pair);
        scene.traffic.look(pair)?;

        watch.closed()?;
        let octets = pair.a.host(scene.traffic.hosts[0].nic.memory).read(base, WHOLE as u64);
        let octets = octets.map_err(|e| e.to_string())?;
        scene.traffic.hosts[1].expected[at..at + WHOLE].copy_from_slice(&octets);
        scene.traffic.compare(pair)?;
        let refused = pair.a.host(scene.traffic.hosts[0].nic.memory).take_refused();
        same("A", "reads refused", refused.is_empty(), false)?;
        let failed: Vec<_> =
            scene.traffic.failed.iter().map(|(at, _, c)| (*at, c.qp, c.status, c.wr_id)).collect();
        let ours = (0, QPS[BAD], wc_status::GENERAL_ERR, NAME);
        same("both", "first completion with an error", failed.first(), Some(&ours))?;
        same("both", "completions with errors", failed.len(), 2)?;
        let kinds: Vec<_> = scene.events(pair, 1).iter().map(|e| e.kind).collect();
        for kind in [event_kind::PEER_TERMINATE, event_kind::PEER_FIN] {
            same("B", "events of one kind", kinds.iter().filter(|k| **k == kind).count(), 1)?;
        }
        Ok(())
    });
}

#[test]
fn a_terminate_stands_in_the_place_of_what_could_not_be_read() {
    unread("unread", usize::MAX, true);
}

#[test]
fn what_left_before_it_leaves_again() {
    unread("unread_lost", 1, true);
    unread("unread_lost_late", 0, false);
}

#[test]
fn what_cannot_leave_again_ends_in_a_reset() {
    let library = library().expect("the device's model");
    run_pair_on("unread_again", &library, link(), 0, |pair| {
        let watch = Watch::default();
        let mut scene = Scene::new(pair, watch.over(lose(0)))?;
        let base = register(&mut scene, pair)?;
        pair.a.set("rto_min", units(RTO));
        pair.a.set("retry_limit", RETRIES);
        write(&mut scene, pair, base, SEGMENT as u32)?;
        (0..1_500).for_each(|_| scene.traffic.step(pair));
        let sent = watch.segments().len();
        let memory = scene.traffic.hosts[0].nic.memory;
        pair.a.host(memory).unmap(base).map_err(|e| e.to_string())?;
        steps(&scene, pair);
        scene.traffic.look(pair)?;
        same("A", "reads refused", pair.a.host(memory).take_refused().is_empty(), false)?;
        same("A", "segments sent again", watch.segments().len(), sent)?;
        // the error of a connection that is lost: firmware answers it with a reset
        scene.check(pair, blame(0x2001))?;
        scene.traffic.hosts[0].nic.command(&mut pair.a, admin_opcode::CONN_RESET, QPS[BAD], &[]);
        scene.commanded(pair)?;
        (0..100).for_each(|_| scene.traffic.step(pair));
        let last = watch.segments().last().map(|s| (s.from, s.flags & flag::RST));
        same("A", "the last segment's sender and RST", last, Some((0, flag::RST)))
    });
}
