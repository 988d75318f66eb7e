// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device behind its PCI Express edge with rings, queues and a connection, and how long it
//! takes to fetch what is posted.
use crate::device::{SendWork, Wire};
use crate::rnic::{Rnic, CLOCK_PS};
use ferrowarp_abi::codec::{AdminCommand, CqRow, Doorbell, QpRow, Ring, SendWqe};
use ferrowarp_abi::consts::{admin_opcode, admin_row, doorbell_kind, qp_state, work_opcode};
use ferrowarp_sim::pcie::RcConfig;
use ferrowarp_sim::Bench;

/// The queue pair.
pub const QP: u16 = 5;
/// Its completion queues.
const CQS: [u16; 2] = [3, 4];
/// log2 of the slots of each.
const LOG2: u8 = 4;
/// Data of the message of vector 0.
pub const MESSAGE: u32 = 0x4321;

/// What a test has set up.
pub struct Set {
    /// The device.
    pub nic: Rnic,
    /// Address of the send queue.
    pub sq: u64,
    /// Address of the event ring.
    pub events: u64,
    /// Address of the message of vector 0.
    pub message: u64,
}

/// Interrupts, rings, queues and a connection, all through BAR0 and BAR4.
///
/// # Panics
/// If a row that was written reads as another one.
pub fn set_up(bench: &mut Bench, config: RcConfig) -> Result<Set, String> {
    let mut nic = Rnic::new(bench, config);
    nic.ready(bench)?;
    let message = nic.map(bench, 4, true);
    let entry = [&message.to_le_bytes()[..], &MESSAGE.to_le_bytes(), &[0; 4]].concat();
    bench.root(nic.root).bar_write(2, 0, &entry[..8]);
    bench.root(nic.root).bar_write(2, 8, &entry[8..]);
    let events = nic.map(bench, 16 << LOG2, true);
    let ring = Ring { base: events, log2: LOG2, is_valid: true };
    let octets = |row: Result<_, _>| row.map_err(|e: ferrowarp_abi::codec::EmitError| e.to_string());
    nic.command(bench, admin_opcode::EVENT_RING, 0, &octets(ring.octets().map(Vec::from))?)?;
    for cq in CQS {
        let row = CqRow { base: nic.map(bench, 32 << LOG2, true), log2: LOG2, is_valid: true };
        nic.command(bench, admin_opcode::CQ_WRITE, cq, &octets(row.octets().map(Vec::from))?)?;
    }
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
    let row = octets(row.octets().map(Vec::from))?;
    nic.command(bench, admin_opcode::QP_WRITE, QP, &row)?;
    let (_, read) =
        nic.ask(bench, AdminCommand { opcode: admin_opcode::READ_ROW, row: admin_row::QP, index: QP }, &[])?;
    assert_eq!(read, row);
    let conn = octets(Wire::plain(1, 1_500, 14).row(0).octets().map(Vec::from))?;
    nic.command(bench, admin_opcode::CONN_INSERT, QP, &conn)?;
    Ok(Set { nic, sq, events, message })
}

/// Posts to block 0 of the send queue and rings. Returns the cycles from the transfer of the
/// doorbell's last beat to that of the first beat of a memory read.
///
/// # Panics
/// If the first TLP is none.
pub fn post(bench: &mut Bench, set: &Set, slot: &[u8]) -> Result<u64, String> {
    let root = set.nic.root;
    bench.root(root).host.write(set.sq, slot).map_err(|e| e.to_string())?;
    set.nic.ring(bench, Doorbell { kind: doorbell_kind::SQ, number: QP, value: 1, ..Default::default() })?;
    // where a TLP ends, as each width says it
    let (end, bit) = if bench.has("pcie_rx_is_eof") { ("pcie_rx_is_eof", 4) } else { ("pcie_rx_last", 0) };
    let mut rung = None;
    for _ in 0..2_000 {
        bench.settle();
        if bench.get("pcie_rx_valid") & bench.get(end) >> bit == 1 {
            rung.get_or_insert(bench.cycle());
        }
        // Fmt and Type of the first beat that leaves
        if bench.get("pcie_tx_valid") == 1 {
            let kind = bench.get_bytes("pcie_tx_data")[3];
            let begun = rung.ok_or("a TLP leaves before the doorbell")?;
            assert!(matches!(kind, 0x00 | 0x20), "the first TLP is no read: {kind:#x}");
            return Ok(bench.cycle() + 1 - begun);
        }
        bench.step();
    }
    Err("no read of the send queue".into())
}

/// Picoseconds from the doorbell of a request of a few octets to its fetch, on a device that is
/// idle.
///
/// # Panics
/// As [`set_up`] and [`post`].
pub fn first_fetch_ps(bench: &mut Bench) -> Result<(Set, u64), String> {
    let set = set_up(bench, RcConfig::steady(CLOCK_PS))?;
    (0..500).for_each(|_| bench.step());
    let work = SendWork {
        head: SendWqe { opcode: work_opcode::RAW, is_signaled: true, ..Default::default() },
        inline: Some(vec![1, 2, 3, 4]),
        ..Default::default()
    };
    let cycles = post(bench, &set, &work.slot())?;
    Ok((set, cycles * CLOCK_PS))
}
