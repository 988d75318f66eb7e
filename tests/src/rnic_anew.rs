// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device that reads and writes host memory, and begins anew after a reset: nothing of before
//! leaves it, and all can be there again.
use crate::device::{SendWork, Wire, RDMA_WRITE};
use crate::rnic::Rnic;
use ferrowarp_abi::codec::{CqRow, Doorbell, MrRow, QpRow, Ring, SendWqe, Sge};
use ferrowarp_abi::consts::{admin_opcode, csr, doorbell_kind, qp_state};
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use ferrowarp_sim::{Bench, Frame};

/// Queue pair, completion queues.
pub const QP: u16 = 5;
/// As above.
pub const CQS: [u16; 2] = [3, 4];
/// log2 of the slots of each.
const LOG2: u8 = 4;
/// Region and key of what is gathered.
const REGION: u16 = 7;
const KEY: u8 = 0x5a;
/// Octets of the region.
pub const OCTETS: u64 = 16_384;
/// Writes of one doorbell.
const WRITES: u32 = 4;
/// Cycles of a tick, so that a read times out after 50 of them: 10,000 cycles.
pub const TICK: u64 = 200;
/// Cycles for which the tag of a read without an answer rests at least.
pub const REST: u64 = 2 * 50 * TICK;
/// What a reset may take: the time-out of a read that began late, and of the one behind it.
pub const LONGEST: u64 = 40_000;
/// Cycles for which nothing may happen: later than any completion.
const QUIET: u64 = 40_000;

/// One cycle, with ticks.
pub fn step(bench: &mut Bench) {
    let tick = bench.cycle().is_multiple_of(TICK);
    bench.set("tick_pin", u64::from(tick));
    bench.step();
}

/// Rings, queues, a region and a connection.
pub fn set_up(bench: &mut Bench, nic: &mut Rnic) -> Result<(u64, u64), String> {
    nic.ready(bench)?;
    let ring = |base| Ring { base, log2: LOG2, is_valid: true }.octets().map_err(|e| e.to_string());
    let (events, raw) = (nic.map(bench, 16 << LOG2, true), nic.map(bench, 2048 << LOG2, true));
    nic.command(bench, admin_opcode::EVENT_RING, 0, &ring(events)?)?;
    nic.command(bench, admin_opcode::RAW_RX_RING, 0, &ring(raw)?)?;
    for cq in CQS {
        let row = CqRow { base: nic.map(bench, 32 << LOG2, true), log2: LOG2, is_valid: true };
        nic.command(bench, admin_opcode::CQ_WRITE, cq, &row.octets().map_err(|e| e.to_string())?)?;
    }
    let base = nic.map(bench, OCTETS, false);
    let length = OCTETS;
    let row =
        MrRow { base, length, to_base: TaggedOffset(base), key: KEY, is_valid: true, ..Default::default() };
    nic.command(bench, admin_opcode::MR_WRITE, REGION, &row.octets().map_err(|e| e.to_string())?)?;
    let sq = nic.map(bench, 64 << LOG2, false);
    let row = QpRow {
        state: qp_state::READY,
        send_cq: CQS[0],
        recv_cq: CQS[1],
        sq_base: sq,
        rq_base: nic.map(bench, 32 << LOG2, false),
        sq_log2: LOG2,
        rq_log2: LOG2,
        ..Default::default()
    };
    nic.command(bench, admin_opcode::QP_WRITE, QP, &row.octets().map_err(|e| e.to_string())?)?;
    let row = Wire::plain(1, 1_500, 14).row(0).octets().map_err(|e| e.to_string())?;
    nic.command(bench, admin_opcode::CONN_INSERT, QP, &row)?;
    Ok((sq, base))
}

/// Posts RDMA Writes, and lets frames arrive that go to the raw ring.
pub fn load(bench: &mut Bench, nic: &Rnic, sq: u64, base: u64) -> Result<(), String> {
    let slot = slot(base, 4_000);
    for n in 0..u64::from(WRITES) {
        bench.root(nic.root).host.write(sq + 64 * n, &slot).map_err(|e| e.to_string())?;
    }
    nic.ring(bench, Doorbell { kind: doorbell_kind::SQ, number: QP, value: WRITES, ..Default::default() })?;
    for n in 0..8 {
        // a broadcast of no protocol that hardware knows
        let mut frame = vec![n; 200];
        frame[..6].fill(0xff);
        frame[12..14].copy_from_slice(&[0x88, 0xb5]);
        bench.send(nic.rx, Frame::good(frame));
    }
    Ok(())
}

/// The slot of an RDMA Write of so many octets from an address of the region on.
fn slot(from: u64, octets: u32) -> Vec<u8> {
    let head = SendWqe { opcode: RDMA_WRITE, is_signaled: true, ..Default::default() };
    let key = STag(u32::from(REGION) << 8 | u32::from(KEY));
    let gathers = vec![Sge { to: TaggedOffset(from), length: ByteCount(octets), key }];
    SendWork { head, gathers, ..Default::default() }.slot()
}

/// Posts RDMA Write `nth`, from 0, of so many octets from an address of the region on.
///
/// # Errors
/// If the send queue lies outside the host's memory.
pub fn post(
    bench: &mut Bench,
    nic: &Rnic,
    sq: u64,
    nth: u32,
    (from, octets): (u64, u32),
) -> Result<(), String> {
    let place = sq + 64 * u64::from(nth);
    bench.root(nic.root).host.write(place, &slot(from, octets)).map_err(|e| e.to_string())?;
    nic.ring(bench, Doorbell { kind: doorbell_kind::SQ, number: QP, value: nth + 1, ..Default::default() })
}

/// Nothing leaves the device that was reset, and what was there is gone, and all of it can be there
/// again.
///
/// # Panics
/// If something leaves, or an error is told of a device that is `faultless`.
pub fn begins_anew(bench: &mut Bench, nic: &mut Rnic, faultless: bool) -> Result<(), String> {
    let root = nic.root;
    bench.root(root).requests.clear();
    for _ in 0..QUIET {
        step(bench);
    }
    let sent = bench.root(root).requests.clone();
    assert!(sent.is_empty(), "the device sends {sent:x?} after its reset");
    assert_eq!(bench.root(root).outstanding(), 0);
    bench.received(nic.tx);
    let (sq, base) = set_up(bench, nic)?;
    if faultless {
        assert_eq!(nic.get(bench, csr::ERROR_WHAT)?, 0);
    }
    load(bench, nic, sq, base)?;
    let begun = bench.cycle();
    while bench.waiting(nic.tx) < 4 {
        if bench.cycle() > begun + 20_000 {
            return Err(format!("nothing is sent after the reset: {}", bench.dump()));
        }
        step(bench);
    }
    Ok(())
}
