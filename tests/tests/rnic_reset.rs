//! Function-level reset of the whole device while it reads and writes host memory: nothing leaves it afterwards, whatever becomes of
//! the reads that were under way, and it works anew.
use ferrowarp_abi::codec::{CqRow, Doorbell, MrRow, QpRow, Ring, SendWqe, Sge};
use ferrowarp_abi::consts::{admin_opcode, csr, doorbell_kind, qp_state};
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use ferrowarp_sim::pcie::{Misdeed, RcConfig};
use ferrowarp_sim::{seeds, Bench, Frame};
use ferrowarp_tests::device::{SendWork, Wire, RDMA_WRITE};
use ferrowarp_tests::rnic::{run_edges, Rnic, CLOCK_PS};
use rand::Rng;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Queue pair, completion queues.
const QP: u16 = 5;
const CQS: [u16; 2] = [3, 4];
/// log2 of the slots of each.
const LOG2: u8 = 4;
/// Region and key of what is gathered, and its octets.
const REGION: u16 = 7;
const KEY: u8 = 0x5a;
const OCTETS: u64 = 16_384;
/// Writes of one doorbell.
const WRITES: u32 = 4;
/// Cycles of a tick, so that a read times out after 50 of them: 10,000 cycles.
const TICK: u64 = 200;
/// Cycles for which the tag of a read without an answer rests at least.
const REST: u64 = 2 * 50 * TICK;
/// What a reset may take: the time-out of a read that began late, and of the one behind it.
const LONGEST: u64 = 40_000;
/// Cycles for which nothing may happen: later than any completion.
const QUIET: u64 = 40_000;

/// One cycle, with ticks.
fn step(bench: &mut Bench) {
    let tick = bench.cycle().is_multiple_of(TICK);
    bench.set("tick_pin", u64::from(tick));
    bench.step();
}

/// Rings, queues, a region and a connection.
fn set_up(bench: &mut Bench, nic: &mut Rnic) -> Result<(u64, u64), String> {
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
    nic.command(bench, admin_opcode::QP_WRITE, QP, &row.octets().map_err(|e| e.to_string())?)?;
    let row = Wire::plain(1, 1_500, 14).row(0).octets().map_err(|e| e.to_string())?;
    nic.command(bench, admin_opcode::CONN_INSERT, QP, &row)?;
    Ok((sq, base))
}

/// Posts RDMA Writes, and lets frames arrive that go to the raw ring.
fn load(bench: &mut Bench, nic: &Rnic, sq: u64, base: u64) -> Result<(), String> {
    let head = SendWqe { opcode: RDMA_WRITE, is_signaled: true, ..Default::default() };
    let key = STag(u32::from(REGION) << 8 | u32::from(KEY));
    let gathers = vec![Sge { iova: base, length: ByteCount(4_000), key }];
    let slot = SendWork { head, gathers, ..Default::default() }.slot();
    for n in 0..u64::from(WRITES) {
        bench.root(nic.root).host.write(sq + 128 * n, &slot).map_err(|e| e.to_string())?;
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

/// Steps until the reset that was asked for is over.
fn until_reset(bench: &mut Bench) -> Result<(), String> {
    let begun = bench.cycle();
    while bench.get("pcie_flr_done") == 0 {
        if bench.cycle() > begun + LONGEST {
            return Err(format!("no end of the reset after {LONGEST} cycles: {}", bench.dump()));
        }
        step(bench);
    }
    bench.set("pcie_flr", 0);
    Ok(())
}

/// Nothing leaves the device that was reset, and what was there is gone, and all of it can be there again.
fn begins_anew(bench: &mut Bench, nic: &mut Rnic, faultless: bool) -> Result<(), String> {
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

#[test]
fn a_reset_waits_for_reads_that_have_no_credits() {
    run_edges("rnic-reset-credits", 1, |bench| {
        let mut nic = Rnic::new(bench, RcConfig::steady(CLOCK_PS));
        let (sq, base) = set_up(bench, &mut nic)?;
        bench.root(nic.root).record = true;
        bench.hold_reads(nic.root, true);
        load(bench, &nic, sq, base)?;
        // longer than a read may take: its time has not begun
        for _ in 0..REST {
            step(bench);
        }
        bench.set("pcie_flr", 1);
        for _ in 0..REST {
            step(bench);
            assert_eq!(bench.get("pcie_flr_done"), 0, "the reset is over, a read is on its way out");
        }
        bench.hold_reads(nic.root, false);
        until_reset(bench)?;
        begins_anew(bench, &mut nic, true)
    });
}

#[test]
fn a_reset_ends_reads_that_have_no_time_out() {
    run_edges("rnic-reset-endless", 1, |bench| {
        let mut nic = Rnic::new(bench, RcConfig { endless: true, ..RcConfig::steady(CLOCK_PS) });
        let (sq, base) = set_up(bench, &mut nic)?;
        bench.root(nic.root).record = true;
        bench.root(nic.root).misbehave(2, Misdeed::Silent(REST + 10 * TICK));
        load(bench, &nic, sq, base)?;
        for _ in 0..REST {
            step(bench);
        }
        assert_eq!(bench.root(nic.root).outstanding(), 1, "no read waits");
        assert_eq!(nic.get(bench, csr::ERROR_WHAT)?, 0, "it is given up");
        bench.set("pcie_flr", 1);
        until_reset(bench)?;
        begins_anew(bench, &mut nic, false)
    });
}

#[test]
fn a_reset_under_load_ends_what_is_under_way_and_begins_nothing() {
    let busy = AtomicUsize::new(0);
    for seed in seeds(0..6, 0..40) {
        run_edges("rnic-reset-load", seed, |bench| {
            let mut nic = Rnic::new(bench, RcConfig::rough(CLOCK_PS));
            let (sq, base) = set_up(bench, &mut nic)?;
            let root = nic.root;
            let misdeed = [None, Some(Misdeed::Silent(REST)), Some(Misdeed::Late(15_000))][seed as usize % 3];
            let ahead = bench.rng().random_range(2..8);
            if let Some(misdeed) = misdeed {
                bench.root(root).misbehave(ahead, misdeed);
            }
            load(bench, &nic, sq, base)?;
            bench.root(root).record = true;
            // the moment: some reads are on their way, that one among them
            let wanted = ahead + bench.rng().random_range(1..12);
            let reads = |bench: &mut Bench| {
                bench.root(root).requests.iter().filter(|request| request.data.is_none()).count() as u64
            };
            let begun = bench.cycle();
            while reads(bench) < wanted {
                if bench.cycle() > begun + 20_000 {
                    return Err(format!("the device reads less often than {wanted} times: {}", bench.dump()));
                }
                step(bench);
            }
            busy.fetch_add(bench.root(root).outstanding(), Ordering::Relaxed);
            bench.set("pcie_flr", 1);
            until_reset(bench)?;
            begins_anew(bench, &mut nic, misdeed.is_none())
        });
    }
    assert!(busy.into_inner() > 0, "no reset met a read that was under way");
}

#[test]
fn time_begins_anew_with_a_reset_and_goes_on_over_a_restart() {
    run_edges("rnic-reset-time", 1, |bench| {
        let nic = Rnic::new(bench, RcConfig::steady(CLOCK_PS));
        nic.ready(bench)?;
        let time = |bench: &mut Bench| -> Result<[u32; 2], String> {
            bench.set("tick_pin", 0);
            Ok([nic.get(bench, csr::TICKS_LOW)?, nic.get(bench, csr::CYCLES_LOW)?])
        };
        for _ in 0..20 * TICK {
            step(bench);
        }
        let before = time(bench)?;
        assert_eq!(before[0], 20);
        nic.set(bench, csr::RESTART, 1);
        for _ in 0..2 * TICK {
            step(bench);
        }
        nic.ready(bench)?;
        let restarted = time(bench)?;
        assert!(restarted[0] >= 20 && restarted[1] > before[1] + 2 * TICK as u32, "{before:?} {restarted:?}");
        bench.set("pcie_flr", 1);
        until_reset(bench)?;
        nic.ready(bench)?;
        let reset = time(bench)?;
        assert!(reset[0] < 4 && reset[1] < before[1], "{restarted:?} {reset:?}");
        Ok(())
    });
}
