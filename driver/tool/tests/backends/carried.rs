// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases on boards without PCI Express: TLPs are frames of the carrier, on a cable that does
//! something to these frames.
use crate::simulated::Sockets;
use crate::CASES;
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::carrier::CarrierConfig;
use ferrowarp_sim::eth::Tick;
use ferrowarp_sim::rnic::{line, BoardCable, CommonConfig, CommonDevice, Rnic, PATIENCE};
use ferrowarp_sim::{model, Link, LinkConfig, Side};
use std::num::NonZeroU64;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Cycles of a tick, a fifth of a millisecond: a millisecond of simulation takes long.
const TICK: NonZeroU64 = NonZeroU64::new(6_250).expect("not 0");

/// Nanoseconds between the hosts of both boards: their threads meet every 60 cycles.
const DELAY_NS: u64 = 2_000;

/// Held by the test that runs: boards never rest, and two of them take two cores.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A cable that does to frames of the carrier what the text says. A device that waits for its reads
/// before a reset is silent for 50 ticks, and not gone.
pub fn cable(text: &str) -> BoardCable {
    let short = BoardCable::short(text.parse().expect("what a cable does"));
    BoardCable { carrier: CarrierConfig { gone_ns: 30_000_000, ..short.carrier }, ..short }
}

/// Two boards at 31.25 MHz with such cables, and an Ethernet of 1 Gb/s between their hosts.
pub fn boards(case: &str, cable: BoardCable) -> Sockets {
    let config = Config { clock_khz: 31_250, ..Config::profile(Profile::Tiny) };
    let library = model(Top::CarriedW64, &config).expect("the model of the device");
    let link = Link::in_blocks(LinkConfig { delay_ns: DELAY_NS, ..line(&config) });
    let device = |side| CommonDevice { link: link.clone(), side, pcap: None, trace: None };
    let (tick, devices) = (Tick::Cycles(TICK), Side::BOTH.map(device).into());
    let think = Duration::ZERO;
    let common = CommonConfig { library, tick, patience: PATIENCE, think, devices, switch: None };
    Sockets::start(case, &config, Rnic::boards(common, cable).expect("two boards"))
}

/// Runs the chosen cases, or all with `FERROWARP_FULL=1`. Each fault has sockets of its own name.
fn run(fault: &'static str, text: &'static str, chosen: &[&str]) {
    let is_case = |name: &&str| CASES.iter().any(|(known, _)| known == name);
    assert!(!chosen.is_empty() && chosen.iter().all(is_case), "{chosen:?} are no cases");
    let _turn = turn();
    let is_full = std::env::var("FERROWARP_FULL").is_ok_and(|full| full == "1");
    for (name, case) in CASES.iter().filter(|(name, _)| is_full || chosen.contains(name)) {
        // a panic tells the name of its thread
        let named = format!("{fault}-{name}");
        let tried = std::thread::Builder::new().name(named.clone()).spawn(move || {
            boards(&named, cable(text)).open().tried(case);
        });
        tried.expect("a thread").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }
}

#[test]
fn every_case_passes_on_a_good_cable() {
    run("good", "", &["a_tour_ends_in_a_refusal", "limits_are_told_and_hold"]);
}

#[test]
fn every_case_passes_if_one_frame_in_fifty_is_lost() {
    run("fifty", "loss=0.02,seed=1", &["reads_bring_every_octet", "several_connections_at_once"]);
}

#[test]
fn every_case_passes_if_one_frame_in_three_is_lost() {
    run("three", "loss=0.333,seed=2", &["writes_land_where_they_belong"]);
}

#[test]
fn every_case_passes_if_frames_are_doubled() {
    run("doubled", "duplicate=0.3,seed=3", &["both_sides_at_once"]);
}

#[test]
fn every_case_passes_if_frames_are_swapped() {
    run("swapped", "reorder=0.3,seed=4", &["messages_arrive_in_order_and_in_pieces"]);
}

#[test]
fn every_case_passes_if_frames_are_spoilt() {
    run("spoilt", "corrupt=0.1,seed=5", &["both_sides_at_once"]);
}

#[test]
fn every_case_passes_with_every_fault_at_once() {
    run("all", "loss=0.1,duplicate=0.1,reorder=0.1,corrupt=0.1,seed=6", &["writes_land_where_they_belong"]);
}
