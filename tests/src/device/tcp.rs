// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs of two devices whose frames the judge of TCP has to find right.
use super::ticks::{FIRST_RTO_MIN, TICK};
use super::{clock_ps, Plan, Traffic, Wire};
use crate::tcp_judge::{frames, judge, Changes, Conn, Rules, ANSWER_PS};
use ferrowarp_sim::link::Captured;
use ferrowarp_sim::{Bench, MemoryTiming, Pair};
use std::net::SocketAddr;

/// Picoseconds of a unit of the device's own clock, and of its tick.
const UNIT_PS: u64 = 10_000_000;
const TICK_PS: u64 = 100 * UNIT_PS;
/// From the arrival of a segment to its ACK at most, where the memory is steady, and where it
/// stalls.
const STORED_PS: u64 = 10_000_000;
const ROUGH_PS: u64 = 40_000_000;
/// Frames that wait in the store of frames at most, a write of memory each: how many writes a
/// segment may wait for.
const STORED: u64 = 64;
/// What each other connection adds: its segments may come first.
const OTHER_PS: u64 = 2_000_000;
/// Findings that an error shows.
const SHOWN: usize = 8;

impl Traffic {
    /// Judges both ends of each connection by the frames so far. The link has to capture them from
    /// before [`Traffic::new`] on, and the hook that changes octets stands under `changes`.
    pub fn judge_tcp(&self, pair: &Pair, changes: &Changes) -> Result<(), String> {
        self.judge_captured(pair, pair.link.take_captured(), changes)
    }

    /// The same of frames that were taken. Registers are those of now.
    pub fn judge_captured(
        &self,
        pair: &Pair,
        captured: Vec<Captured>,
        changes: &Changes,
    ) -> Result<(), String> {
        let Plan { wires, timing, .. } = self.plan();
        let alone_ps = if *timing == MemoryTiming::steady(clock_ps()) { STORED_PS } else { ROUGH_PS };
        let alone_ps = alone_ps + STORED * 1_000 * timing.write_ns / timing.write_credits as u64;
        let others_ps = (wires.len() as u64).saturating_sub(1) * OTHER_PS;
        let times = [ANSWER_PS, alone_ps].map(|ps| ps + others_ps);
        let conns: Vec<_> = wires.iter().map(|wire| conn(pair, wire, times)).collect();
        let frames = frames(captured, &pair.link.config(), changes).map_err(|e| e.to_string())?;
        let findings = judge(&frames, &conns, pair.a.cycle() * clock_ps());
        if findings.is_empty() {
            return Ok(());
        }
        let shown: Vec<_> = findings.iter().take(SHOWN).map(|finding| format!("\n  {finding}")).collect();
        Err(format!("{} findings of TCP in {} frames:{}", findings.len(), frames.len(), shown.concat()))
    }
}

fn conn(pair: &Pair, wire: &Wire, [answer_ps, stored_ps]: [u64; 2]) -> Conn {
    let row = [0, 1].map(|at| wire.row(at));
    Conn {
        ends: wire.ends.map(|end| SocketAddr::new(end.ip, end.port)),
        starts: wire.ends.map(|end| end.seq_start),
        windows: [1, 0].map(|peer: usize| row[peer].snd_wnd.0.into()),
        scales: [0, 1].map(|at: usize| row[at].rcv_scale),
        rules: [&pair.a, &pair.b].map(|bench| Rules { answer_ps, stored_ps, ..rules(bench, wire) }),
    }
}

/// By the registers of a device.
fn rules(bench: &Bench, wire: &Wire) -> Rules {
    let recovery = bench.get("recovery");
    let by_pin = bench.get("tick_use_pin") != 0;
    let tick_ps = if by_pin { TICK * clock_ps() } else { TICK_PS };
    // a tick of the pin is a hundred units at once
    let (unit_ps, grain_ps) = if by_pin { (tick_ps / 100, tick_ps) } else { (UNIT_PS, UNIT_PS) };
    Rules {
        smss: wire.emss().into(),
        congestion: recovery & 1 != 0,
        restart: recovery & 8 != 0,
        fast: recovery & 2 != 0,
        probe: recovery & 4 != 0,
        unit_ps,
        grain_ps,
        rto_min: bench.get("rto_min"),
        first_rto_min: FIRST_RTO_MIN,
        retry_limit: bench.get("retry_limit") as u32,
        rtt: wire.row(0).rtt.into(),
        answer_ps: ANSWER_PS,
        stored_ps: STORED_PS,
        // it begins within a unit
        ack_delay_ps: bench.get("ack_delay") * unit_ps + grain_ps,
    }
}
