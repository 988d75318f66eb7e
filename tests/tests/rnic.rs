//! The whole device behind its PCI Express edge: admin commands, doorbells, interrupts and resets by TLPs.
use ferrowarp_abi::codec::{AdminCommand, CqRow, Doorbell, QpRow, Ring, SendWqe};
use ferrowarp_abi::consts::{admin_opcode, admin_row, csr, doorbell_kind, qp_state, work_opcode};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcie::RcConfig;
use ferrowarp_sim::{model, run_case_on, Bench, Library};
use ferrowarp_tests::device::{config, SendWork, Wire};
use ferrowarp_tests::rnic::{Rnic, CLOCK_PS};
use std::sync::Arc;

/// Queue pair, completion queues.
const QP: u16 = 5;
const CQS: [u16; 2] = [3, 4];
/// log2 of the slots of each.
const LOG2: u8 = 4;
/// Address and data of the message of vector 0.
const MESSAGE: u32 = 0x4321;

fn library() -> Arc<Library> {
    model(Top::RnicW64, &config()).expect("the model of the device is built")
}

/// What a test has set up.
struct Set {
    nic: Rnic,
    sq: u64,
    events: u64,
    message: u64,
}

/// Interrupts, rings, queues and a connection, all through BAR0 and BAR4.
fn set_up(bench: &mut Bench, config: RcConfig) -> Result<Set, String> {
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
    let sq = nic.map(bench, 128 << LOG2, false);
    let row = QpRow {
        state: qp_state::READY,
        send_cq: CQS[0],
        recv_cq: CQS[1],
        sq_base: sq,
        rq_base: nic.map(bench, 64 << LOG2, false),
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

/// Posts to slot 0 of the send queue and rings. Returns the cycles from the transfer of the doorbell's last beat to that of the
/// first beat of a memory read.
fn post(bench: &mut Bench, set: &Set, slot: &[u8]) -> Result<u64, String> {
    let root = set.nic.root;
    bench.root(root).host.write(set.sq, slot).map_err(|e| e.to_string())?;
    set.nic.ring(bench, Doorbell { kind: doorbell_kind::SQ, number: QP, value: 1, ..Default::default() })?;
    let mut rung = None;
    for _ in 0..2_000 {
        bench.settle();
        if bench.get("pcie_rx_valid") & bench.get("pcie_rx_last") == 1 {
            rung.get_or_insert(bench.cycle());
        }
        // Fmt and Type of the first beat that leaves
        if bench.get("pcie_tx_valid") == 1 {
            let kind = bench.get("pcie_tx_data") >> 24 & 0xff;
            let begun = rung.ok_or("a TLP leaves before the doorbell")?;
            assert!(matches!(kind, 0x00 | 0x20), "the first TLP is no read: {kind:#x}");
            return Ok(bench.cycle() + 1 - begun);
        }
        bench.step();
    }
    Err("no read of the send queue".into())
}

#[test]
fn the_first_fetch_follows_the_doorbell_in_time() {
    run_case_on("rnic-first-fetch", &library(), 1, |bench| {
        let set = set_up(bench, RcConfig::steady(CLOCK_PS))?;
        (0..500).for_each(|_| bench.step());
        let work = SendWork {
            head: SendWqe { opcode: work_opcode::RAW, is_signaled: true, wr_id: 7, ..Default::default() },
            inline: Some(vec![1, 2, 3, 4]),
            ..Default::default()
        };
        let cycles = post(bench, &set, &work.slot())?;
        assert!(cycles * CLOCK_PS <= 160_000, "doorbell to first SQ fetch: {cycles} cycles");
        bench.expect(set.nic.tx, 1);
        bench.run_until(5_000, |b| b.waiting(set.nic.tx) > 0)?;
        let frame = bench.received(set.nic.tx).remove(0);
        assert_eq!(&frame.data[54..58], [1, 2, 3, 4]);
        Ok(())
    });
}

/// The place of a counter.
fn counter(name: &str) -> u16 {
    ferrowarp_abi::host::counters::index(name).map_or(0, |i| csr::COUNTER + 4 * i as u16)
}

#[test]
fn what_leaves_and_leaves_again_is_counted() {
    run_case_on("rnic-counters", &library(), 1, |bench| {
        let set = set_up(bench, RcConfig::steady(CLOCK_PS))?;
        set.nic.set(bench, csr::RTO_MIN, 2);
        let work = SendWork {
            head: SendWqe { opcode: work_opcode::RAW, is_signaled: true, wr_id: 7, ..Default::default() },
            inline: Some(vec![1, 2, 3, 4]),
            ..Default::default()
        };
        post(bench, &set, &work.slot())?;
        bench.expect(set.nic.tx, 2);
        // nobody acknowledges
        let mut frames = vec![];
        for tick in 0..8 {
            bench.set("tick_pin", 1);
            bench.step();
            bench.set("tick_pin", 0);
            (0..400).for_each(|_| bench.step());
            frames.extend(bench.received(set.nic.tx));
            if frames.len() == 2 {
                break;
            }
            assert!(tick < 7, "{} frames left", frames.len());
        }
        assert_eq!(frames[0].data[54..58], frames[1].data[54..58]);
        for (name, wanted) in [
            ("tx_frames", 2),
            ("tcp_out_segments", 2),
            ("tcp_timeouts", 1),
            ("tcp_lost", 0),
            ("rx_frames", 0),
            ("rdma_in_fpdus", 0),
        ] {
            assert_eq!(set.nic.get(bench, counter(name))?, wanted, "{name}");
        }
        // by docs/registers.md: segments and octets again, duplicate ACKs, timeouts, bad CRCs
        for (qp, wanted) in [(QP, [1, 4, 0, 1, 0]), (QP + 1, [0; 5])] {
            for (place, wanted) in wanted.into_iter().enumerate() {
                let at = csr::QP_COUNTER + 32 * qp + 4 * place as u16;
                assert_eq!(set.nic.get(bench, at)?, wanted, "queue pair {qp}, place {place}");
            }
        }
        Ok(())
    });
}

#[test]
fn a_bad_request_stops_its_queue_pair_by_an_event_and_its_message() {
    run_case_on("rnic-message", &library(), 1, |bench| {
        let set = set_up(bench, RcConfig { msix: true, ..RcConfig::steady(CLOCK_PS) })?;
        // opcode 15 is none
        let mut slot = vec![0; 128];
        slot[0] = 15;
        post(bench, &set, &slot)?;
        let (root, message) = (set.nic.root, set.message);
        bench.run_until(20_000, |b| {
            let came = b.root(root).host.read(message, 4);
            came.is_ok_and(|octets| octets == MESSAGE.to_le_bytes())
        })?;
        // the event is in memory before its message
        let event = set.nic.memory(bench, set.events, 16)?;
        assert_eq!((event[0], &event[2..4], event[15] & 1), (3, &QP.to_be_bytes()[..], 1), "{event:02x?}");
        for name in ["events", "messages", "qp_stopped"] {
            assert_eq!(set.nic.get(bench, counter(name))?, 1, "{name}");
        }
        assert_eq!(set.nic.get(bench, csr::ERROR_WHAT)?, 0);
        Ok(())
    });
}

#[test]
fn a_reset_begins_anew_and_answers_all_the_time() {
    run_case_on("rnic-flr", &library(), 1, |bench| {
        let set = set_up(bench, RcConfig::steady(CLOCK_PS))?;
        set.nic.set(bench, csr::RTO_MIN, 77);
        assert_eq!(set.nic.get(bench, csr::RTO_MIN)?, 77);
        let row = AdminCommand { opcode: admin_opcode::READ_ROW, row: admin_row::QP, index: QP };
        for (flr, rto_min) in [(false, 77), (true, 10)] {
            if flr {
                bench.set("pcie_flr", 1);
                bench.run_until(5_000, |b| b.get("pcie_flr_done") == 1)?;
                bench.set("pcie_flr", 0);
            } else {
                set.nic.set(bench, csr::RESTART, 1);
                let mut states = vec![];
                for _ in 0..100 {
                    states.push(set.nic.get(bench, csr::STATUS)?);
                }
                assert!(states.contains(&2) && states.contains(&0), "{states:?}");
            }
            set.nic.ready(bench)?;
            assert_eq!(set.nic.get(bench, csr::RTO_MIN)?, rto_min);
            let (_, read) = set.nic.ask(bench, row, &[])?;
            assert!(read.iter().all(|&o| o == 0), "a row outlives the reset: {read:02x?}");
        }
        Ok(())
    });
}
