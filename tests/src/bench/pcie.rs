// SPDX-License-Identifier: MIT OR Apache-2.0
//! How near the DMA side of the PCI Express edge comes to its limit: 64 KiB of writes or reads in
//! requests of 4 KiB, generation 2 x4, payloads of 256 octets, read requests of 512, reads of 600
//! ns, no stalls. `tests/tests/pcie/rate.rs` has the same bars, and other links.
//!
//! The limit is the least time that the TLPs which were sent need, headers included: at the edge a
//! beat of its width a cycle, on the link their octets and eight for each TLP. The figure is that
//! time over the time in which link or edge were at work, which is never less.
//! `pcie.read_rcb64_bw_ratio`: reads of which every completion is cut at 64 octets; its limit
//! counts all of their headers.
//!
//! `pcie.doorbell_to_fetch_ns`: the whole device with the edge of `10g`, idle; from the last beat
//! of a doorbell to the first one of the read of its send queue.
use super::key::{Bar, Bench, Key, Record};
use crate::device::config;
use crate::pcie::{Dma, CLOCK_PS, HIGH};
use crate::rnic_posts::first_fetch_ps;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcie::{Flow, RcConfig};
use ferrowarp_sim::{model, run_case, run_case_on, Pattern, Rate};
use std::cell::Cell;

/// Requests of a measurement and their octets: two passes over the region.
const REQUESTS: u64 = 16;
const OCTETS: u64 = 4_096;

/// Keys of profile `10g`, whose edge has 128 bits, and of an edge of 64 bits.
const KEYS: [(Top, &str, &str); 2] = [
    (Top::PcieDmaW128, "pcie.write_bw_ratio", "pcie.read_bw_ratio"),
    (Top::PcieDmaW64, "pcie.w64.write_bw_ratio", "pcie.w64.read_bw_ratio"),
];

/// Share of the limit that writes and reads reach at least, also with completions cut at 64 octets.
pub const BAR: f64 = 0.95;

/// Reads with short completions at 128 bits.
const SHORT: &str = "pcie.read_rcb64_bw_ratio";
/// Latency of a fetch.
const FETCH: &str = "pcie.doorbell_to_fetch_ns";

/// Share of the limit that writes and reads reach.
pub fn bench() -> Bench {
    let key = |name: &str| Key { name: name.into(), bar: Bar::AtLeast(BAR) };
    let keys = KEYS.iter().flat_map(|(_, write, read)| [key(write), key(read)]).chain([key(SHORT)]);
    let fetch = Key { name: FETCH.into(), bar: Bar::AtMost(160.0) };
    Bench { name: "pcie", keys: keys.chain([fetch]).collect(), run }
}

/// The least time of these TLPs over the time that they took, on an edge of so many octets a beat.
/// They are under way from when the link or the edge begins with the first one to when both have
/// done with the last.
fn ratio(config: &RcConfig, edge: u64, flow: Flow, beats: Rate) -> f64 {
    let at_edge = flow.octets.div_ceil(edge) * CLOCK_PS;
    let on_link = config.link_all_ps(flow.tlps, flow.octets);
    let (began, ended) = flow.link_ps;
    let [first, last] = [beats.first_cycle, beats.last_cycle + 1].map(|cycle| cycle * CLOCK_PS);
    at_edge.max(on_link) as f64 / (ended.max(last) - began.min(first)) as f64
}

/// Generation 2 x4, and completions as long as they may be.
pub fn usual() -> RcConfig {
    RcConfig::steady(CLOCK_PS)
}

/// The same with every completion cut at 64 octets.
pub fn short_completions() -> RcConfig {
    RcConfig { rcb: 64, shortest: true, ..usual() }
}

/// The share of the limit that writes, or reads, reach on this link.
pub fn measure(name: &str, top: Top, config: &RcConfig, reads: bool) -> f64 {
    let measured = Cell::new(0.0);
    run_case(name, top, 1, |bench| {
        let mut dma = Dma::new(bench, config.clone(), Pattern::None);
        let addr = |n: u64| HIGH.0 + n * OCTETS % HIGH.1;
        if reads {
            let all: Vec<_> = (0..REQUESTS).map(|n| (addr(n), OCTETS as usize)).collect();
            dma.read_right(bench, &all, 200_000)?;
        } else {
            (0..REQUESTS).for_each(|n| dma.write(bench, addr(n), OCTETS as usize));
            dma.until_written(bench, 200_000)?;
        }
        let (up, down) = bench.link_rates(dma.root);
        let edge = bench.get_bytes("tx_data").len() as u64;
        let root = bench.root(dma.root);
        let (flow, beats) = if reads { (root.down, down) } else { (root.up, up) };
        assert_eq!(flow.payload, REQUESTS * OCTETS);
        measured.set(ratio(config, edge, flow, beats));
        Ok(())
    });
    measured.get()
}

fn run(record: &mut Record) -> Result<(), String> {
    for (top, write, read) in KEYS {
        record.put(write, measure(write, top, &usual(), false));
        record.put(read, measure(read, top, &usual(), true));
    }
    record.put(SHORT, measure(SHORT, Top::PcieDmaW128, &short_completions(), true));
    let library = model(Top::RnicW64, &config()).map_err(|e| e.to_string())?;
    let latency = Cell::new(0);
    run_case_on("bench-first-fetch", &library, 1, |bench| {
        latency.set(first_fetch_ps(bench)?.1);
        Ok(())
    });
    record.put(FETCH, latency.get() as f64 / 1_000.0);
    Ok(())
}
