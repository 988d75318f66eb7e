// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices, of which one has a host memory slower than the wire: its windows follow the room of
//! its store of frames, so that it drops none of the peer's.
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{model, run_pair_on, MemoryTiming, Pair};
use ferrowarp_tests::device::{clock_ps, config, link, units, Message, Plan, Traffic, Wire, RDMA_WRITE};
use ferrowarp_tests::proves::proves;
use ferrowarp_tests::tcp_judge::Changes;
use std::cell::Cell;

/// Octets of a Write.
const OCTETS: usize = 65_536;
/// Bit of `bad_net_rx`: a frame that found no room.
const NO_ROOM: u32 = 2;

/// The register `recovery` without probes of a lost tail. The round trip grows many times over
/// while the store fills, so that a probe repeats what is not lost. Repeated octets need room that
/// no window has promised.
const NO_PROBE: u64 = 0b1011;

/// A memory that takes one write each 2 us, and the write's own time.
fn slow() -> MemoryTiming {
    MemoryTiming { write_ns: 2_000, write_credits: 1, ..MemoryTiming::steady(clock_ps()) }
}

/// Steps until all is complete; how many frames found no room at the end that receives.
fn dropped(traffic: &mut Traffic, pair: &mut Pair, most: u64) -> Result<u64, String> {
    let mut dropped = 0;
    for cycle in 0..most {
        traffic.step(pair);
        dropped += pair.b.get("bad_net_rx") >> NO_ROOM & 1;
        if cycle % 64 == 0 {
            traffic.look(pair)?;
            if traffic.settled() {
                return Ok(dropped);
            }
        }
    }
    Err(format!("not over after {most} cycles, {dropped} frames found no room"))
}

/// Frames of connections that send `writes` Writes each at once. Windows of 1 MiB, which are 32
/// times the store.
fn drops(connections: u16, writes: u8) -> u64 {
    let own = Config { window_log2: 20, ..config() };
    let library = model(Top::DeviceW64, &own).expect("the device's model");
    let drops = Cell::new(0);
    run_pair_on("press", &library, link(), connections.into(), |pair| {
        let wires = (0..connections).map(|nth| Wire::plain(nth, own.mtu as u16, 20)).collect();
        let numbers = (0..connections).map(|nth| nth + 1).collect();
        let budget = OCTETS * usize::from(writes) * usize::from(connections);
        let plan = Plan { wires, numbers, timing: slow(), longest: OCTETS, budget };
        pair.link.capture();
        let mut traffic = Traffic::new(pair, plan)?;
        for bench in [&mut pair.a, &mut pair.b] {
            bench.set("rto_min", units(6));
            bench.set("recovery", NO_PROBE);
        }
        for nth in 0..connections {
            for n in 0..writes {
                traffic.post(pair, 0, nth.into(), Message::plain(RDMA_WRITE, vec![n; OCTETS]));
            }
        }
        drops.set(dropped(&mut traffic, pair, 1_000_000)?);
        // what is acknowledged waits for the memory
        (0..30_000).for_each(|_| traffic.step(pair));
        traffic.judge_tcp(pair, &Changes::default())?;
        traffic.compare(pair)
    });
    drops.get()
}

/// The wire brings more than three octets while the memory takes one. Two connections begin at
/// once, with an initial window each.
#[test]
fn a_slow_memory_makes_no_drop() {
    let _proof = proves("DDP-A-06");
    for (connections, writes) in [(1, 4), (2, 2)] {
        assert_eq!(drops(connections, writes), 0, "frames of {connections} connections");
    }
}
