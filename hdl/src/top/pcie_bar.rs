// SPDX-License-Identifier: MIT OR Apache-2.0
//! The BAR side of the PCI Express edge: its parts and how they are joined, and a bench top of it
//! alone.
use super::timebase::{driven, time};
use crate::config::Config;
use crate::emit::{emit_joined, EmitError, Emitted, Net, Part, Table};
use crate::eth::RxFilter;
use crate::host::pcie::{
    AdminWindow, BarCpl, CounterBank, Csr, DoorPages, ErrorLog, Msix, Narrow, QpCounters, RxReq, Sizes,
    Widen, ADMIN, COUNTERS, CSR, MSIX, QP_COUNTS,
};
use ferrowarp_abi::consts::bar;

/// Counters of the device.
const COUNTED: usize = ferrowarp_abi::host::counters::COUNTERS.len();
/// Vectors of MSI-X.
const VECTORS: usize = bar::VECTORS as usize;

/// Channels between two parts.
const JOINS: &[(&str, &str)] = &[
    ("req.owed", "answer.owed"),
    ("req.bell", "pages.bell"),
    ("req.bell_valid", "pages.bell_valid"),
    ("req.fault", "errors.request"),
    ("req.fault_valid", "errors.request_valid"),
    ("answer.fault", "errors.answer"),
    ("window.bad", "errors.admin"),
    ("errors.first", "csr.first"),
    ("csr.clear", "errors.clear"),
    ("req.put", "csr.put"),
    ("req.put", "window.put"),
    ("req.put", "msix.put"),
    ("answer.ask", "csr.ask"),
    ("answer.ask", "counters.ask"),
    ("answer.ask", "window.ask"),
    ("answer.ask", "msix.ask"),
    ("msix.message", "answer.message"),
    ("answer.ask", "qp_counts.ask"),
    ("time.ticks", "csr.ticks"),
    ("time.cycles", "csr.cycles"),
    ("csr.accept", "filter.accept"),
    ("csr.macs", "filter.macs"),
];

/// Parts that have registers, by their place in the map; those of counters are only read.
const OWNERS: &[(usize, &str, bool)] = &[
    (CSR, "csr", true),
    (COUNTERS, "counters", false),
    (ADMIN, "window", true),
    (MSIX, "msix", true),
    (QP_COUNTS, "qp_counts", false),
];

/// The parts for `2^$c` queue pairs and `2^$q` completion queues, at least as many: a page for each
/// number.
macro_rules! parts {
    ($c:literal, $q:literal, $config:expr, $mrs_log2:expr) => {{
        let vectors = VECTORS.ilog2() as usize;
        let sizes = Sizes { qps: $c, cqs: $q, mrs: $mrs_log2, vectors, counters: COUNTED };
        let config = $config.clone();
        vec![
            Part::new("req", || RxReq::<W, K, NB, { $q + 1 }>::new($c)),
            Part::new("answer", || BarCpl::new($c, $q)),
            Part::new("pages", DoorPages::<$q, { $q + 2 }, { 1 << $q }, { 4 << $q }>::new),
            Part::new("errors", ErrorLog::new),
            Part::new("window", AdminWindow::default),
            Part::new("csr", move || Csr::new(&config, sizes)),
            Part::new("counters", CounterBank::<COUNTED, { COUNTED - 1 }, 7>::new),
            Part::new("msix", Msix::<VECTORS, $q, { 1 << $q }>::new),
            Part::new("qp_counts", QpCounters::<$c, { $c + 3 }>::new),
            Part::new("filter", RxFilter::<64, 4>::new),
        ]
    }};
}

/// The parts at an edge of `W` bits; `NB` = `256 / W`. `mrs_log2` = log2 of memory regions.
pub(super) fn parts<const W: usize, const K: usize, const NB: usize>(
    config: &Config,
    mrs_log2: usize,
) -> Vec<Part> {
    let mut parts = match (config.qps, config.cqs) {
        (16, 16) => parts!(4, 4, config, mrs_log2),
        (16, _) => parts!(4, 5, config, mrs_log2),
        _ => parts!(6, 6, config, mrs_log2),
    };
    if W == 128 {
        parts.push(Part::new("cpl_widen", Widen::<64, 4, 128, 5>::new));
    }
    parts
}

/// The stream of completions at the edge's width.
pub(super) fn completions(edge_bits: usize) -> &'static str {
    match edge_bits {
        64 => "answer.cpl",
        _ => "cpl_widen.tx",
    }
}

/// What joins them.
pub(super) fn nets(edge_bits: usize) -> Vec<Net> {
    let mut nets: Vec<_> = JOINS.iter().map(|&(a, b)| Net::join(a, b)).collect();
    for &(bit, part, writes) in OWNERS {
        if writes {
            nets.push(Net::bit("req.put_to", bit, format!("{part}.put_valid")));
        }
        nets.push(Net::bit("answer.ask_to", bit, format!("{part}.ask_valid")));
        nets.push(Net::join(format!("{part}.say"), format!("answer.say_{bit}")));
        nets.push(Net::join(format!("{part}.say_valid"), format!("answer.say_valid_{bit}")));
    }
    if edge_bits != 64 {
        nets.push(Net::join("answer.cpl", "cpl_widen.rx"));
    }
    nets
}

/// Ports of the bench.
const EXPORTS: &[(&str, &str)] = &[
    ("req.req", "req"),
    ("req.np_ok", "np_ok"),
    ("answer.cfg", "cfg"),
    ("msix.cfg", "msix_cfg"),
    ("pages.db", "db"),
    ("window.cmd", "cmd"),
    ("window.ans", "ans"),
    ("window.busy", "busy"),
    ("errors.reads", "read_faults"),
    ("errors.dropped", "dropped"),
    ("errors.pulse", "errors"),
    ("counters.pulse", "pulse"),
    ("csr.ready", "status_ready"),
    ("csr.draining", "draining"),
    ("csr.link_up", "link_up"),
    ("csr.stalled", "stalled"),
    ("csr.watchdog", "watchdog"),
    ("csr.bus_resets", "bus_resets"),
    ("csr.raw_tx_consumer", "raw_tx_consumer"),
    ("csr.restart", "restart"),
    ("csr.ack_delay", "ack_delay"),
    ("csr.rto_min", "rto_min"),
    ("csr.retry_limit", "retry_limit"),
    ("csr.recovery", "recovery"),
    ("csr.read_timeout", "read_timeout"),
    ("csr.secret", "secret"),
    ("msix.tick", "msix_tick"),
    ("msix.keep", "keep"),
    ("msix.evt", "evt"),
    ("msix.wr", "wr"),
    ("msix.sent", "sent"),
    ("qp_counts.fact", "fact"),
    ("qp_counts.seg", "seg"),
    ("qp_counts.timer", "timer"),
    ("qp_counts.fpdu", "fpdu"),
    ("filter.rx", "frames"),
    ("filter.tx", "received"),
    ("filter.came", "came"),
    ("filter.filtered", "filtered"),
];

/// The BAR side alone at `W` bits. At 128 the cells that meet the device's 64 bits stand beside it.
pub(super) fn pcie_bar<const W: usize, const K: usize, const NB: usize>(
    top: &str,
    config: &Config,
) -> Result<Emitted, EmitError> {
    let config = Config { edge_bits: W as u64, ..config.clone() };
    let (mut parts, mut nets) = (parts::<W, K, NB>(&config, 8), nets(W));
    nets.extend(EXPORTS.iter().map(|&(inner, outer)| Net::export(inner, outer)));
    nets.push(Net::export(completions(W), "cpl"));
    parts.push(time(&config));
    nets.extend(driven());
    nets.extend(["time.tick", "time.now"].map(Net::open));
    if W == 128 {
        parts.push(Part::new("frames", Widen::<64, 4, 128, 5>::new));
        parts.push(Part::new("answers", Narrow::<128, 5, 64, 4>::new));
        for (part, cell) in [("frames", "widen"), ("answers", "narrow")] {
            nets.extend(
                ["rx", "tx"].map(|end| Net::export(format!("{part}.{end}"), format!("{cell}_{end}"))),
            );
        }
    }
    emit_joined(top, Table::new(parts).nets(nets))
}
