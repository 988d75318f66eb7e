// SPDX-License-Identifier: MIT OR Apache-2.0
//! Profile `10g` as it stands: 64 queue pairs, as many completion queues and 1,024 regions behind
//! an edge of 128 bits. The wire leads back into the device, so that queue pair `2n` speaks with
//! `2n + 1`.
use ferrowarp_abi::codec::{AdminCommand, CqRow, Cqe, Doorbell, EmitError, MrRow, QpRow, Ring, SendWqe, Sge};
use ferrowarp_abi::consts::{
    admin_opcode, admin_row, admin_status, csr, doorbell_kind, event_kind, qp_state, wc_status,
};
use ferrowarp_abi::host::counters;
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcie::RcConfig;
use ferrowarp_sim::{model, run_case_on, Bench, Frame};
use ferrowarp_tests::device::{RecvWork, SendWork, Wire, RDMA_READ, SEND};
use ferrowarp_tests::rnic::{ten, Rnic, CLOCK_PS};
use std::cell::Cell;

const QPS: u16 = 64;
const LAST: u16 = QPS - 1;
/// log2 of the slots of every queue.
const LOG2: u8 = 3;
/// log2 of the slots of the event ring: of each connection's first FPDU, and more.
const EVENTS_LOG2: u8 = 7;
/// Octets of a queue pair's memory: what it sends, what it receives, what it reads.
const OCTETS: u64 = 8_192;
const RECEIVED: u64 = 2_048;
const READ: u64 = 4_096;
const KEY: u8 = 0x5a;
/// Cycles of a tick; a retransmission timer waits for ten.
const TICK: u64 = 2_000;
/// Vector of the last completion queue, and data of its message.
const VECTOR: u32 = 15;
const MESSAGE: u32 = 0x4321;

fn run(name: &str, body: impl Fn(&mut Bench) -> Result<(), String>) {
    let library = model(Top::RnicW64, &ten()).expect("the model of the device is built");
    run_case_on(name, &library, 1, body);
}

fn row<const N: usize>(octets: Result<[u8; N], EmitError>) -> Result<Vec<u8>, String> {
    octets.map(Vec::from).map_err(|e| e.to_string())
}

/// Where a queue pair's things are in host memory. Its region is the last of the sixteen that are
/// there for it.
struct Queues {
    base: u64,
    sq: u64,
    rq: u64,
    cq: u64,
}

fn key(qp: u16) -> STag {
    STag((16 * u32::from(qp) + 15) << 8 | u32::from(KEY))
}

/// What a queue pair sends: one FPDU or two.
fn text(qp: u16) -> Vec<u8> {
    (0..600 + 20 * usize::from(qp)).map(|n| (n * 7 + n / 251 + 31 * usize::from(qp)) as u8).collect()
}

/// Places the event ring.
fn event_ring(bench: &mut Bench, nic: &mut Rnic) -> Result<u64, String> {
    let base = nic.map(bench, 16 << EVENTS_LOG2, true);
    let ring = Ring { base, log2: EVENTS_LOG2, is_valid: true };
    nic.command(bench, admin_opcode::EVENT_RING, 0, &row(ring.octets())?)?;
    Ok(base)
}

/// All there can be: regions, completion queues, queue pairs, connections.
fn set_up(bench: &mut Bench, nic: &mut Rnic) -> Result<Vec<Queues>, String> {
    let mut all = vec![];
    for qp in 0..QPS {
        let q = Queues {
            base: nic.map(bench, OCTETS, true),
            sq: nic.map(bench, 64 << LOG2, false),
            rq: nic.map(bench, 32 << LOG2, false),
            cq: nic.map(bench, 32 << LOG2, true),
        };
        bench.root(nic.root).host.write(q.base, &text(qp)).map_err(|e| e.to_string())?;
        let region = MrRow {
            base: q.base,
            length: OCTETS,
            to_base: TaggedOffset(q.base),
            local_write: true,
            remote_read: true,
            key: KEY,
            is_valid: true,
            // the peer reads what its own stream may name
            pd: qp / 2,
            ..Default::default()
        };
        nic.command(bench, admin_opcode::MR_WRITE, (key(qp).0 >> 8) as u16, &row(region.octets())?)?;
        let cq = CqRow { base: q.cq, log2: LOG2, is_valid: true };
        nic.command(bench, admin_opcode::CQ_WRITE, qp, &row(cq.octets())?)?;
        let pair = QpRow {
            state: qp_state::READY,
            pd: qp / 2,
            send_cq: qp,
            recv_cq: qp,
            sq_base: q.sq,
            rq_base: q.rq,
            sq_log2: LOG2,
            rq_log2: LOG2,
            ird: 8,
            ord: 16,
            ..Default::default()
        };
        nic.command(bench, admin_opcode::QP_WRITE, qp, &row(pair.octets())?)?;
        let conn = Wire::plain(qp / 2, 1_500, 14).row(usize::from(qp % 2));
        nic.command(bench, admin_opcode::CONN_INSERT, qp, &row(conn.octets())?)?;
        all.push(q);
    }
    Ok(all)
}

/// Runs until `done`, while the wire leads back all frames but those that are `lost`.
fn until(
    bench: &mut Bench,
    nic: &Rnic,
    lost: impl Fn(&Frame) -> bool,
    mut done: impl FnMut(&mut Bench) -> Result<bool, String>,
) -> Result<(), String> {
    for _ in 0..4_000 {
        for _ in 0..50 {
            let tick = bench.cycle().is_multiple_of(TICK);
            bench.set("tick_pin", u64::from(tick));
            bench.step();
        }
        for frame in bench.received(nic.tx) {
            if !lost(&frame) {
                bench.send(nic.rx, frame);
            }
        }
        if done(bench)? {
            return Ok(());
        }
    }
    Err(format!("no end: {}", bench.dump()))
}

/// The completions that are in a queue that has not wrapped.
fn completions(bench: &mut Bench, nic: &Rnic, q: &Queues) -> Result<Vec<Cqe>, String> {
    let octets = nic.memory(bench, q.cq, 32 << LOG2)?;
    let all: Result<Vec<_>, _> = octets.chunks(Cqe::LEN).map(Cqe::parse).collect();
    Ok(all.map_err(|e| e.to_string())?.into_iter().take_while(|c| c.phase).collect())
}

/// Writes block `nth` of a send queue.
fn post(bench: &mut Bench, nic: &Rnic, q: &Queues, nth: u64, work: &SendWork) -> Result<(), String> {
    bench.root(nic.root).host.write(q.sq + 64 * nth, &work.slot()).map_err(|e| e.to_string())
}

fn ring(bench: &mut Bench, nic: &Rnic, kind: u8, number: u16, value: u32) -> Result<(), String> {
    nic.ring(bench, Doorbell { kind, number, value, ..Default::default() })
}

/// A Send of its text.
fn sends(qp: u16, q: &Queues) -> SendWork {
    let head = SendWqe { opcode: SEND, is_signaled: true, ..Default::default() };
    let length = ByteCount(text(qp).len() as u32);
    SendWork {
        head,
        gathers: vec![Sge { to: TaggedOffset(q.base), length, key: key(qp) }],
        ..Default::default()
    }
}

/// A Read of the peer's text.
fn reads(qp: u16, all: &[Queues]) -> SendWork {
    let (q, peer) = (&all[usize::from(qp)], &all[usize::from(qp ^ 1)]);
    let head = SendWqe {
        opcode: RDMA_READ,
        is_signaled: true,
        remote_stag: key(qp ^ 1),
        remote_to: TaggedOffset(peer.base),
        ..Default::default()
    };
    let length = ByteCount(text(qp ^ 1).len() as u32);
    SendWork {
        head,
        gathers: vec![Sge { to: TaggedOffset(q.base + READ), length, key: key(qp) }],
        ..Default::default()
    }
}

fn counter(bench: &mut Bench, nic: &Rnic, name: &str) -> Result<u32, String> {
    let place = counters::index(name).ok_or_else(|| format!("no counter `{name}`"))?;
    nic.get(bench, csr::COUNTER + 4 * place as u16)
}

fn of_pair(bench: &mut Bench, nic: &Rnic, qp: u16) -> Result<Vec<u32>, String> {
    (0..8).map(|place| nic.get(bench, csr::QP_COUNTER + 32 * qp + 4 * place)).collect()
}

/// Each queue pair sends its text and reads its peer's, all of them at once.
fn all_speak(bench: &mut Bench, nic: &Rnic, all: &[Queues]) -> Result<(), String> {
    for (qp, q) in (0..).zip(all) {
        for slot in 0..2 {
            let scatters = vec![Sge {
                to: TaggedOffset(q.base + RECEIVED),
                length: ByteCount(RECEIVED as u32),
                key: key(qp),
            }];
            let work = RecvWork { scatters, ..Default::default() };
            bench.root(nic.root).host.write(q.rq + 32 * slot, &work.slot()).map_err(|e| e.to_string())?;
        }
        post(bench, nic, q, 0, &sends(qp, q))?;
        post(bench, nic, q, 1, &reads(qp, all))?;
        ring(bench, nic, doorbell_kind::RQ, qp, 2)?;
    }
    for qp in 0..QPS {
        ring(bench, nic, doorbell_kind::SQ, qp, 2)?;
    }
    until(
        bench,
        nic,
        |_| false,
        |bench| {
            let counts: Result<Vec<_>, _> =
                all.iter().map(|q| completions(bench, nic, q).map(|c| c.len())).collect();
            Ok(counts?.iter().all(|&n| n >= 3))
        },
    )?;
    // the last responses are acknowledged, so that no later frame carries that
    let rest = bench.cycle() + 4 * TICK;
    until(bench, nic, |_| false, |bench| Ok(bench.cycle() >= rest))?;
    for (qp, q) in (0..).zip(all) {
        let theirs = text(qp ^ 1);
        let mut told: Vec<_> = completions(bench, nic, q)?
            .into_iter()
            .map(|c| (c.is_recv, c.index, c.qp, c.status, c.byte_len.0))
            .collect();
        told.sort_unstable();
        let good = wc_status::SUCCESS;
        let wanted = [
            (false, 0, qp, good, 0),
            // of a Read: what came
            (false, 1, qp, good, theirs.len() as u32),
            (true, 0, qp, good, theirs.len() as u32),
        ];
        assert_eq!(told, wanted, "completions of queue pair {qp}");
        for place in [RECEIVED, READ] {
            let got = nic.memory(bench, q.base + place, theirs.len() as u64)?;
            assert!(got == theirs, "queue pair {qp}: octets at {place}");
        }
    }
    Ok(())
}

/// The last queue pair sends once more, its frame is lost once, and its completion queue tells by
/// an event and a message. The events before are those of all first FPDUs.
fn the_last_is_told(bench: &mut Bench, nic: &mut Rnic, all: &[Queues], events: u64) -> Result<(), String> {
    let message = nic.map(bench, 4, true);
    let entry = [&message.to_le_bytes()[..], &MESSAGE.to_le_bytes(), &[0; 4]].concat();
    for (n, half) in entry.chunks(8).enumerate() {
        bench.root(nic.root).bar_write(2, u64::from(16 * VECTOR) + 8 * n as u64, half);
    }
    nic.set(bench, csr::CQ_VECTOR + 4 * LAST, VECTOR);
    assert_eq!(nic.get(bench, csr::CQ_VECTOR + 4 * LAST)?, VECTOR);
    ring(bench, nic, doorbell_kind::CQ_ARM, LAST, 3)?;
    let head = SendWqe { opcode: SEND, is_signaled: true, ..Default::default() };
    let q = &all[usize::from(LAST)];
    post(bench, nic, q, 2, &SendWork { head, inline: Some(vec![0x77; 90]), ..Default::default() })?;
    // a work request of two blocks
    ring(bench, nic, doorbell_kind::SQ, LAST, 4)?;
    let wire = Wire::plain(LAST / 2, 1_500, 14);
    let is_ours =
        |f: &Frame| f.data[29] == LAST as u8 % 2 + 1 && f.data[34..36] == wire.ends[1].port.to_be_bytes();
    let is_lost = Cell::new(false);
    // a segment with octets is longer than a frame of the least size
    let lost = |f: &Frame| is_ours(f) && f.data.len() > 60 && !is_lost.replace(true);
    until(bench, nic, lost, |bench| {
        let came = nic.memory(bench, message, 4)?;
        Ok(came == MESSAGE.to_le_bytes() && completions(bench, nic, &all[usize::from(LAST - 1)])?.len() == 4)
    })?;
    assert!(is_lost.get());
    let told = nic.memory(bench, events, 16 * u64::from(QPS + 1))?;
    let mut told: Vec<_> =
        told.chunks(16).map(|e| (e[0], u16::from_be_bytes([e[2], e[3]]), e[15] & 1)).collect();
    assert_eq!(told.pop(), Some((event_kind::CQ_NOTIFY, LAST, 1)));
    told.sort_unstable();
    assert!(told.into_iter().eq((0..QPS).map(|qp| (event_kind::FIRST_FPDU, qp, 1))), "events of first FPDUs");
    // by docs/registers.md: segments and octets again, duplicate ACKs, timeouts, bad CRCs. The
    // FPDU: length, header, payload, CRC
    let fpdu = (2 + 18 + 90_u32).next_multiple_of(4) + 4;
    assert_eq!(of_pair(bench, nic, LAST)?, [1, fpdu, 0, 1, 0, 0, 0, 0]);
    for qp in [0, 31, LAST - 1] {
        assert_eq!(of_pair(bench, nic, qp)?, [0; 8], "counters of queue pair {qp}");
    }
    Ok(())
}

#[test]
fn all_queue_pairs_work_at_once() {
    run("rnic-queues", |bench| {
        let mut nic = Rnic::new(bench, RcConfig { msix: true, ..RcConfig::steady(CLOCK_PS) });
        nic.ready(bench)?;
        // in units of 10 us, of which a tick of the pin is a hundred
        nic.set(bench, csr::RTO_MIN, 1_000);
        let events = event_ring(bench, &mut nic)?;
        let all = set_up(bench, &mut nic)?;
        all_speak(bench, &nic, &all)?;
        the_last_is_told(bench, &mut nic, &all, events)?;
        for (name, wanted) in [
            ("rdma_in_completed", 65),
            ("rdma_out_reads", 64),
            ("rx_no_room", 0),
            ("qp_stopped", 0),
            ("messages", 1),
        ] {
            assert_eq!(counter(bench, &nic, name)?, wanted, "{name}");
        }
        assert_eq!(nic.get(bench, csr::ERROR_WHAT)?, 0);
        Ok(())
    });
}

#[test]
fn what_lies_behind_the_last_queue_is_refused() {
    run("rnic-queues-beyond", |bench| {
        let nic = Rnic::new(bench, RcConfig::steady(CLOCK_PS));
        nic.ready(bench)?;
        // log2 of vectors, regions, completion queues, queue pairs; the MTU and the window; the
        // widths
        assert_eq!(nic.get(bench, csr::QUEUES)?, 0x040a_0606);
        assert_eq!(nic.get(bench, csr::LIMITS)? & 0xff_ffff, 20 << 16 | 1_500);
        assert_eq!(nic.get(bench, csr::WIDTH)?, 128 << 16 | 64);
        for (opcode, index, octets) in [
            (admin_opcode::QP_WRITE, QPS, QpRow::LEN),
            (admin_opcode::CQ_WRITE, QPS, CqRow::LEN),
            (admin_opcode::MR_WRITE, 1_024, MrRow::LEN),
            (admin_opcode::CONN_REMOVE, QPS, 0),
            (admin_opcode::READ_ROW, QPS, 0),
        ] {
            let command = AdminCommand { opcode, row: admin_row::QP, index };
            let (answer, _) = nic.ask(bench, command, &vec![0; octets])?;
            assert_eq!(answer.status, admin_status::BAD_INDEX, "{command:?}");
            let (answer, _) =
                nic.ask(bench, AdminCommand { index: index - 1, ..command }, &vec![0; octets])?;
            assert_ne!(answer.status, admin_status::BAD_INDEX, "{command:?} for one index less");
        }
        // the last page takes doorbells, of queues that are not there; then pages and numbers that
        // do not belong together
        let bell = |kind, number| Doorbell { kind, number, value: 1, ..Default::default() };
        for (page, doorbell, name) in [
            (63, bell(doorbell_kind::SQ, 63), "db_sq_bad"),
            (63, bell(doorbell_kind::RQ, 63), "db_rq_bad"),
            (63, bell(doorbell_kind::CQ_CONSUMER, 63), "db_cq_bad"),
            (64, bell(doorbell_kind::EVENT_CONSUMER, 0), "db_event_bad"),
            (64, bell(doorbell_kind::RAW_TX_PRODUCER, 0), "db_raw_tx_bad"),
            (63, bell(doorbell_kind::SQ, 62), "db_page"),
            (64, bell(doorbell_kind::SQ, 64), "db_page"),
            (65, bell(doorbell_kind::CQ_ARM, 65), "db_page"),
            (16, bell(doorbell_kind::EVENT_CONSUMER, 0), "db_page"),
        ] {
            let before = counter(bench, &nic, name)?;
            nic.ring_on(bench, page, doorbell)?;
            (0..500).for_each(|_| bench.step());
            assert_eq!(counter(bench, &nic, name)?, before + 1, "{doorbell:?} on page {page}: {name}");
        }
        // the last registers that there are
        nic.set(bench, csr::ERROR_WHAT, 0);
        nic.set(bench, csr::CQ_VECTOR + 4 * LAST, 9);
        assert_eq!(nic.get(bench, csr::CQ_VECTOR + 4 * LAST)?, 9);
        assert_eq!(of_pair(bench, &nic, LAST)?, [0; 8]);
        assert_eq!(nic.get(bench, csr::ERROR_WHAT)?, 0);
        Ok(())
    });
}
