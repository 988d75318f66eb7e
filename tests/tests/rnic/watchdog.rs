// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole device behind its edge tells of what has waited for too long, once a stall.
use ferrowarp_abi::codec::{AdminCommand, CqRow, Doorbell, Event, MrRow, Ring, SendWqe, Sge};
use ferrowarp_abi::consts::{admin_opcode, csr, doorbell_kind, work_opcode};
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use ferrowarp_sim::pcie::{Misdeed, RcConfig};
use ferrowarp_sim::{Bench, Frame};
use ferrowarp_tests::device::{stranger, SendWork, Wire, RDMA_WRITE};
use ferrowarp_tests::mpa_model::fpdu;
use ferrowarp_tests::rnic::{run_edges, CLOCK_PS};
use ferrowarp_tests::rnic_posts::{set_up, Set, QP};

/// Registers and kinds by number, as docs/registers.md and docs/abi.md have them.
const WATCHDOG: u16 = 0x094;
const STALLED: u16 = 0x098;
const EVENT: u8 = 14;
/// What stalls: the event's `info`, whose bit in the register is one less.
const ADMIN: u32 = 1;
const RECEIVE: u32 = 2;
const TRANSMIT: u32 = 3;
const FRAME: u32 = 4;
/// Cycles of a tick, and ticks until a stall is told.
const TICK: u64 = 200;
const LIMIT: u64 = 20;
/// Cycles of a stall, from which on it is told, and a read that lasts longer.
const LONG: u64 = (LIMIT + 2) * TICK + 1_000;
const LATE: u64 = 2 * LONG;
/// Region and key of what is gathered, and its octets.
const REGION: u16 = 7;
const KEY: u8 = 0x5a;
const OCTETS: u64 = 4_000;
/// Slots of the event ring; the device's own events may use half.
const SLOTS: u32 = 16;

/// Cycles with ticks.
fn run(bench: &mut Bench, cycles: u64) {
    for _ in 0..cycles {
        let tick = bench.cycle().is_multiple_of(TICK);
        bench.set("tick_pin", u64::from(tick));
        bench.step();
    }
    bench.set("tick_pin", 0);
}

/// Queue pair and `info` of the stalls among the events.
fn stalls(bench: &mut Bench, set: &Set) -> Result<Vec<(u16, u32)>, String> {
    let mut told = vec![];
    for n in 0..SLOTS {
        let octets = set.nic.memory(bench, set.events + 16 * u64::from(n), 16)?;
        let event = Event::parse(&octets).map_err(|e| e.to_string())?;
        if event.phase && event.kind == EVENT {
            told.push((event.number, event.info));
        }
    }
    Ok(told)
}

fn endless() -> RcConfig {
    RcConfig { endless: true, ..RcConfig::steady(CLOCK_PS) }
}

/// A device that tells of stalls of `limit` ticks.
fn watched(bench: &mut Bench, config: RcConfig, limit: u64) -> Result<Set, String> {
    let set = set_up(bench, config)?;
    set.nic.set(bench, WATCHDOG, limit as u32);
    run(bench, 10 * TICK);
    Ok(set)
}

/// What is gathered from host memory.
fn gather(bench: &mut Bench, set: &mut Set) -> Result<Sge, String> {
    let base = set.nic.map(bench, OCTETS, false);
    let (to_base, length) = (TaggedOffset(base), OCTETS);
    let row = MrRow { base, length, to_base, key: KEY, is_valid: true, ..Default::default() };
    let row = row.octets().map_err(|e| e.to_string())?;
    set.nic.command(bench, admin_opcode::MR_WRITE, REGION, &row)?;
    let key = STag(u32::from(REGION) << 8 | u32::from(KEY));
    Ok(Sge { to: to_base, length: ByteCount(OCTETS as u32), key })
}

/// Posts the first `count` of as many equal requests.
fn post(bench: &mut Bench, set: &Set, work: &SendWork, count: u32) -> Result<(), String> {
    let slot = work.slot();
    for n in 0..u64::from(count) {
        bench.root(set.nic.root).host.write(set.sq + 64 * n, &slot).map_err(|e| e.to_string())?;
    }
    set.nic.ring(bench, Doorbell { kind: doorbell_kind::SQ, number: QP, value: count, ..Default::default() })
}

/// A request whose four octets are in its slot.
fn inline() -> SendWork {
    let head = SendWqe { opcode: work_opcode::RAW, is_signaled: true, ..Default::default() };
    SendWork { head, inline: Some(vec![1, 2, 3, 4]), ..Default::default() }
}

/// The peer's `nth` Send of no payload arrives, and a receive is posted for it.
fn receive(bench: &mut Bench, set: &Set, nth: u32) -> Result<(), String> {
    let value = nth + 1;
    set.nic.ring(bench, Doorbell { kind: doorbell_kind::RQ, number: QP, value, ..Default::default() })?;
    let wire = Wire::plain(1, 1_500, 14);
    let ulpdu = [&[0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0][..], &value.to_be_bytes(), &[0; 4]].concat();
    let octets = fpdu(&ulpdu, 0, false, true);
    let [ours, peer] = wire.ends;
    let seq = peer.seq_start + nth * octets.len() as u32;
    bench.send(set.nic.rx, Frame::good(stranger(&wire, 1, seq, ours.seq_start, &octets)));
    Ok(())
}

#[test]
fn a_receive_whose_fetch_is_late_is_told_once_a_stall() {
    run_edges("rnic-watchdog-receive", 1, |bench| {
        let set = watched(bench, endless(), LIMIT)?;
        for nth in 0..2 {
            let told = vec![(QP, RECEIVE); nth as usize];
            bench.root(set.nic.root).misbehave(0, Misdeed::Late(LATE));
            receive(bench, &set, nth)?;
            run(bench, (LIMIT - 2) * TICK);
            assert_eq!(stalls(bench, &set)?, told, "a stall is told too soon");
            run(bench, LONG - (LIMIT - 2) * TICK);
            let told = vec![(QP, RECEIVE); nth as usize + 1];
            assert_eq!(stalls(bench, &set)?, told, "stall {nth}");
            assert_eq!(set.nic.get(bench, STALLED)?, 1 << (RECEIVE - 1));
            run(bench, LONG);
            assert_eq!(stalls(bench, &set)?, told, "a stall is told twice");
            // the fetch is answered
            run(bench, LATE);
            assert_eq!((set.nic.get(bench, STALLED)?, stalls(bench, &set)?), (0, told));
        }
        Ok(())
    });
}

#[test]
fn an_fpdu_whose_payload_is_never_read_is_told_with_its_queue_pair() {
    run_edges("rnic-watchdog-transmit", 1, |bench| {
        let mut set = watched(bench, endless(), LIMIT)?;
        let gathers = vec![gather(bench, &mut set)?];
        // the request is read, then its payload
        bench.root(set.nic.root).misbehave(1, Misdeed::Silent(10 * LONG));
        let head = SendWqe { opcode: RDMA_WRITE, is_signaled: true, ..Default::default() };
        post(bench, &set, &SendWork { head, gathers, ..Default::default() }, 1)?;
        run(bench, LONG);
        assert_eq!(bench.root(set.nic.root).outstanding(), 1, "no read waits");
        assert_eq!(set.nic.get(bench, STALLED)?, 1 << (TRANSMIT - 1));
        assert_eq!(stalls(bench, &set)?, [(QP, TRANSMIT)]);
        Ok(())
    });
}

#[test]
fn a_wire_that_takes_no_frame_is_told_and_only_while_the_watchdog_is_on() {
    for limit in [0, LIMIT] {
        run_edges(&format!("rnic-watchdog-frame-{limit}"), 1, |bench| {
            let set = watched(bench, endless(), limit)?;
            bench.hold_sink(set.nic.tx, true);
            post(bench, &set, &inline(), 1)?;
            run(bench, 2 * LONG);
            let (told, now) = match limit {
                0 => (vec![], 0),
                _ => (vec![(0, FRAME)], 1 << (FRAME - 1)),
            };
            assert_eq!((stalls(bench, &set)?, set.nic.get(bench, STALLED)?), (told, now));
            bench.hold_sink(set.nic.tx, false);
            run(bench, 10 * TICK);
            assert_eq!(set.nic.get(bench, STALLED)?, 0);
            Ok(())
        });
    }
}

#[test]
fn a_command_behind_a_host_that_takes_no_write_is_told_when_it_does() {
    run_edges("rnic-watchdog-admin", 1, |bench| {
        let mut set = watched(bench, endless(), LIMIT)?;
        let ring = Ring { base: set.nic.map(bench, 2048 << 4, true), log2: 4, is_valid: true };
        let ring = ring.octets().map_err(|e| e.to_string())?;
        set.nic.command(bench, admin_opcode::RAW_RX_RING, 0, &ring)?;
        bench.hold_link(set.nic.root, true);
        // frames for the raw ring, which do not get there
        for _ in 0..8 {
            let mut frame = vec![0; 1_400];
            frame[..6].fill(0xff);
            frame[12..14].copy_from_slice(&[0x88, 0xb5]);
            bench.send(set.nic.rx, Frame::good(frame));
        }
        run(bench, 20 * TICK);
        let row = CqRow { base: set.events, log2: 4, is_valid: false }.octets().map_err(|e| e.to_string())?;
        let head = AdminCommand { opcode: admin_opcode::CQ_WRITE, index: 9, ..Default::default() };
        let octets = [&head.octets().map_err(|e| e.to_string())?[..], &row].concat();
        for (n, word) in octets.chunks(8).enumerate() {
            bench.root(set.nic.root).bar_write(0, u64::from(csr::ADMIN_COMMAND) + 8 * n as u64, word);
        }
        set.nic.set(bench, csr::ADMIN_GO, octets.len() as u32);
        run(bench, 3 * LONG);
        assert_eq!(stalls(bench, &set)?, [], "an event passes what is held");
        bench.hold_link(set.nic.root, false);
        run(bench, 10 * TICK);
        assert_eq!((stalls(bench, &set)?, set.nic.get(bench, STALLED)?), (vec![(0, ADMIN)], 0));
        Ok(())
    });
}

#[test]
fn a_stall_that_is_over_is_told_when_there_is_room_for_its_event() {
    run_edges("rnic-watchdog-room", 1, |bench| {
        let set = watched(bench, endless(), LIMIT)?;
        // events of the link use all that the device's own events may
        for n in 0..SLOTS {
            bench.set("eth_link_up", u64::from(n % 2 == 0));
            run(bench, TICK);
        }
        for count in 1..=2 {
            bench.hold_sink(set.nic.tx, true);
            post(bench, &set, &inline(), count)?;
            run(bench, LONG);
            bench.hold_sink(set.nic.tx, false);
            run(bench, 10 * TICK);
        }
        assert_eq!((stalls(bench, &set)?, set.nic.get(bench, STALLED)?), (vec![], 0));
        let (kind, value) = (doorbell_kind::EVENT_CONSUMER, SLOTS / 2);
        set.nic.ring(bench, Doorbell { kind, value, ..Default::default() })?;
        run(bench, 10 * TICK);
        assert_eq!(stalls(bench, &set)?, [(0, FRAME)]);
        Ok(())
    });
}

#[test]
fn a_device_that_is_busy_and_well_tells_nothing() {
    run_edges("rnic-watchdog-well", 1, |bench| {
        let mut set = watched(bench, RcConfig::rough(CLOCK_PS), LIMIT)?;
        let gathers = vec![gather(bench, &mut set)?];
        let head = SendWqe { opcode: RDMA_WRITE, is_signaled: true, ..Default::default() };
        post(bench, &set, &SendWork { head, gathers, ..Default::default() }, 10)?;
        // more than the window takes: the queue pair waits for the peer, the device for nobody
        for nth in 0..60 {
            receive(bench, &set, nth % 12)?;
            run(bench, 4 * TICK);
        }
        assert_eq!((stalls(bench, &set)?, set.nic.get(bench, STALLED)?), (vec![], 0));
        assert!(bench.waiting(set.nic.tx) > 10, "nothing is sent");
        Ok(())
    });
}
