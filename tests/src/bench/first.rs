// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two whole devices on a link of 10 Gb/s: what RDMA Writes of one direction reach, and how long a
//! small one takes.
//!
//! One connection, IPv4, MTU 1,500, CRCs, no markers; host memories of 600 ns a read without
//! stalls; no loss; the window of the configuration (16 KiB), more than a round trip needs.
//!
//! - `first.write.64KiB.goodput_ratio`: 16 Writes of 64 KiB are posted back to back. Payload
//!   octets, over the time from the first octet of preamble on A's wire to the last octet in B's
//!   memory, over the wire's limit: 1,440 octets of payload in 1,538 octets with headers, CRC, FCS,
//!   preamble and gap. The link's delay and the receiver's latency are in the time.
//! - `first.write.64KiB.alone.goodput_ratio`: the same of a single Write on an idle device, but
//!   from the doorbell on: the latency of both devices and of A's memory is in the time.
//! - `first.write.64B.latency_ns`: one Write of 64 octets from a buffer, on an idle device. From
//!   the cycle in which the doorbell is rung to the one after which B's memory holds the last
//!   octet, less the link's delay and less two reads of A's memory: WQE and payload. Time on the
//!   wire is in it.
use super::key::{Bar, Bench, Key, Record};
use crate::device::{clock_ps, config, library, link, of_limit, Message, Plan, Traffic, Wire, RDMA_WRITE};
use ferrowarp_sim::{run_pair_on, MemoryTiming, Pair, Side};
use std::cell::Cell;

const STREAM: &str = "first.write.64KiB.goodput_ratio";
const ALONE: &str = "first.write.64KiB.alone.goodput_ratio";
const LATENCY: &str = "first.write.64B.latency_ns";

/// Octets of the long Writes.
const LONG: usize = 64 << 10;
/// Long Writes posted back to back.
const WRITES: usize = 16;
/// A memory read in nanoseconds, as `MemoryTiming::steady` has it.
const READ_NS: f64 = 600.0;

/// Goodput and latency of Writes between two devices.
pub fn bench() -> Bench {
    let keys = vec![
        Key { name: STREAM.into(), bar: Bar::AtLeast(0.90) },
        Key { name: ALONE.into(), bar: Bar::Informative },
        Key { name: LATENCY.into(), bar: Bar::AtMost(1_850.0) },
    ];
    Bench { name: "first", keys, run }
}

/// When Writes began and when their last octet was in memory, in picoseconds of simulated time.
#[derive(Clone, Copy, Default)]
struct Times {
    doorbell: u64,
    wire: u64,
    placed: u64,
}

/// `count` Writes of `octets` octets from A to B on fresh devices.
fn writes(name: &str, count: usize, octets: usize) -> Result<Times, String> {
    let library = library().map_err(|e| e.to_string())?;
    let times = Cell::new(Times::default());
    run_pair_on(name, &library, link(), 1, |pair| {
        times.set(measure(pair, count, octets)?);
        Ok(())
    });
    Ok(times.get())
}

fn measure(pair: &mut Pair, count: usize, octets: usize) -> Result<Times, String> {
    let c = config();
    let plan = Plan {
        wires: vec![Wire::plain(0, c.mtu as u16, c.window_log2 as u32)],
        numbers: vec![3],
        timing: MemoryTiming::steady(clock_ps()),
        longest: octets,
        budget: count * octets,
    };
    let mut traffic = Traffic::new(pair, plan)?;
    let now = |pair: &Pair| pair.a.cycle() * clock_ps();
    let doorbell = now(pair);
    for _ in 0..count {
        let message = Message::plain(RDMA_WRITE, traffic.hosts[1].inverse(octets));
        traffic.post(pair, 0, 0, message);
    }
    // four times what the wire needs, and the round trips of a small one
    let most = 10_000 + count * octets / 2;
    traffic.until_placed(pair, 1, most as u64)?;
    let placed = now(pair);
    traffic.until_settled(pair, 10_000)?;
    traffic.compare(pair)?;
    Ok(Times { doorbell, wire: pair.link.stats(Side::A).first_ps, placed })
}

fn run(record: &mut Record) -> Result<(), String> {
    let stream = writes("first-stream", WRITES, LONG)?;
    record.put(STREAM, of_limit(WRITES * LONG, stream.placed - stream.wire));
    let alone = writes("first-alone", 1, LONG)?;
    record.put(ALONE, of_limit(LONG, alone.placed - alone.doorbell));
    let small = writes("first-small", 1, 64)?;
    let whole = (small.placed - small.doorbell) as f64 / 1_000.0;
    record.put(LATENCY, whole - link().delay_ns as f64 - 2.0 * READ_NS);
    Ok(())
}
