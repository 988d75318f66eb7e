// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device with its PCI Express edge: what a board or a simulator has.
use super::timebase::time;
use super::{device, pcie, pcie_bar, platform, stages};
use crate::config::Config;
use crate::emit::{emit_joined, EmitError, Emitted, Net, Part, Table};
use crate::host::pcie::{Flr, Narrow, RxGate, RxRoute, Taps, TxMux, Widen};
use crate::params::{dma_read_of, tx_write_of};
use ferrowarp_abi::host::counters;

/// Between the parts of the edge, and between them and the device.
const JOINS: &[(&str, &str)] = &[
    // TLPs
    ("route.req", "req.req"),
    ("route.cpl", "rd.cpl"),
    ("wr.tx", "mux.post"),
    ("wr.taken", "mux.taken"),
    ("rd.tx", "mux.read"),
    ("mux.gone", "rd.sent"),
    ("mux.gone_valid", "rd.sent_valid"),
    ("mux.gone_lost", "rd.sent_lost"),
    ("flr.begun", "mux.begun"),
    ("flr.cfg_out", "wr.cfg"),
    ("flr.cfg_out", "rd.cfg"),
    ("flr.cfg_out", "mux.cfg"),
    ("flr.cfg_out", "answer.cfg"),
    ("flr.cfg_out", "msix.cfg"),
    // DMA: reads pass the gate of the reset
    ("read.rd_req", "flr.rd_req"),
    ("flr.rd_out", "rd.rd_req"),
    ("read.rd_ans_ready", "flr.ans_ready"),
    ("posted.wr_cmd", "wr.wr_cmd"),
    ("posted.accepted", "flr.accepted"),
    ("posted.left", "flr.left"),
    // events and their messages
    ("events.evt", "msix.evt"),
    ("msix.wr", "posted.c2"),
    // BARs
    ("pages.db", "doorbells.db"),
    ("window.cmd", "admin.rx"),
    ("admin.tx", "window.ans"),
    ("csr.ack_delay", "tcp_tx.ack_delay"),
    ("csr.rto_min", "tcp_tx.rto_min"),
    ("csr.retry_limit", "tcp_tx.retry_limit"),
    ("csr.recovery", "tcp_tx.recovery"),
    ("csr.secret", "net_rx.secret"),
    ("csr.read_timeout", "rd.timeout"),
    ("csr.restart", "flr.restart"),
    ("flr.ready", "csr.ready"),
    ("flr.draining", "csr.draining"),
    ("flr.keep", "msix.keep"),
    ("raw_tx.consumer", "csr.raw_tx_consumer"),
    ("rd.faults", "errors.reads"),
    ("mux.dropped", "errors.dropped"),
    ("time.tick", "rd.tick"),
    ("time.now", "rd.now"),
    ("time.tick", "msix.tick"),
    ("flr.core_reset", "time.core_reset"),
    ("flr.regs_reset", "time.regs_reset"),
    // what queue pairs count
    ("net_rx.fact_item", "qp_counts.fact_item"),
    ("net_rx.fact_valid", "qp_counts.fact_valid"),
    ("tcp_tx.fact_ready", "qp_counts.fact_ready"),
    ("mpa_tx.seg_item", "qp_counts.seg_item"),
    ("mpa_tx.seg_valid", "qp_counts.seg_valid"),
    ("tcp_tx.seg_ready", "qp_counts.seg_ready"),
    ("tcp_tx.timer_qp", "qp_counts.timer_qp"),
    ("tcp_tx.timer_kind", "qp_counts.timer_kind"),
    ("tcp_tx.timer_valid", "qp_counts.timer_valid"),
    ("mpa_rx.fpdu_conn", "qp_counts.fpdu_conn"),
    ("mpa_rx.fpdu_verdict", "qp_counts.fpdu_verdict"),
    ("mpa_rx.fpdu_valid", "qp_counts.fpdu_valid"),
    ("ddp.fpdu_ready", "qp_counts.fpdu_ready"),
    // the wire
    ("filter.tx", "gate.rx"),
    ("gate.tx", "net_rx.rx"),
    ("tcp_tx.tx_valid", "taps.frame_valid"),
    ("tcp_tx.tx_last", "taps.frame_last"),
    ("gate.passing", "flr.passing"),
    ("flr.open", "gate.open"),
    ("tcp_tx.tx_valid", "flr.tx_valid"),
    ("tcp_tx.tx_last", "flr.tx_last"),
];

/// Ports of the device.
const EXPORTS: &[(&str, &str)] = &[
    ("filter.rx", "rx"),
    ("tcp_tx.tx", "tx"),
    ("flr.tx_ready", "tx_ready"),
    ("taps.frame_ready", "tx_ready"),
    ("req.np_ok", "pcie_np_ok"),
    ("mux.tx", "pcie_tx"),
    ("mux.np_room", "pcie_np_room"),
    ("flr.cfg", "pcie_cfg"),
    ("flr.flr", "pcie_flr"),
    ("flr.flr_done", "pcie_flr_done"),
    ("time.pin", "tick_pin"),
    ("time.use_pin", "tick_use_pin"),
];

/// Columns that say that they are empty; the admin port waits for its own.
const SCRUBBED: &[&str] = &["mpa_rx.scrubbed", "net_rx.scrubbed", "ddp.scrubbed", "mr.scrubbed"];

/// Parts that are reset with the device, and those that keep their state over a restart. The
/// others, which stand between the device and the bus, know only the reset of power-up.
const RESET_WITH_DEVICE: &[&str] = &["pages", "window", "msix", "link", "dog", "own", "bus_error"];
const RESET_WITH_REGISTERS: &[&str] = &["csr", "counters", "qp_counts", "errors"];

/// Channels whose items are counted: the counter, who offers, who takes.
const TAPPED: &[(&str, &str, &str)] = &[
    ("tcp_in_segments", "net_rx.seg_valid", "mpa_rx.seg_ready"),
    ("tcp_out_segments", "mpa_tx.seg_valid", "tcp_tx.seg_ready"),
    ("tcp_lost", "tcp_tx.lost_valid", "fault.from_3_ready"),
    ("tcp_in_ended", "ctl.event_valid", "events.from_2_ready"),
    ("rdma_in_fpdus", "mpa_rx.fpdu_valid", "ddp.fpdu_ready"),
    ("rdma_in_completed", "ddp.deliver_valid", "cq.from_0_ready"),
    ("rdma_in_reads", "ddp.rr_valid", "sq.rr_ready"),
    ("rdma_out_completed", "sq.done_valid", "cq.from_1_ready"),
    ("cqes", "cq.cqe_cmd_valid", "posted.c1_cmd_ready"),
];

/// What steps each counter.
const COUNTED: &[(&str, &str)] = &[
    ("rx_fcs", "net_rx.bad[0]"),
    ("rx_too_long", "net_rx.bad[1]"),
    ("rx_no_room", "net_rx.bad[2]"),
    ("rx_malformed", "net_rx.bad[3]"),
    ("rx_ip_checksum", "net_rx.bad[4]"),
    ("rx_tcp_checksum", "net_rx.bad[5]"),
    ("rx_not_acceptable", "net_rx.bad[6]"),
    ("rx_bad_ack", "net_rx.bad[7]"),
    ("rx_gap", "net_rx.bad[8]"),
    ("rx_challenge", "net_rx.bad[9]"),
    ("rx_urgent", "net_rx.bad[10]"),
    ("rx_raw_full", "net_rx.bad[11]"),
    ("rx_strange", "net_rx.bad[12]"),
    ("rx_raw_spared", "net_rx.bad[13]"),
    ("mpa_rx_crc", "mpa_rx.bad[1]"),
    ("mpa_rx_marker", "mpa_rx.bad[2]"),
    ("mpa_rx_length", "mpa_rx.bad[3]"),
    ("mpa_rx_buffer", "mpa_rx.bad[4]"),
    ("mpa_rx_ended", "mpa_rx.bad[5]"),
    ("mpa_rx_stray", "mpa_rx.stray"),
    ("mpa_tx_refused", "mpa_tx.refused"),
    ("mpa_tx_short", "mpa_tx.too_short"),
    ("mpa_tx_long", "mpa_tx.too_long"),
    ("mpa_tx_spoilt", "mpa_tx.spoilt"),
    ("tx_feed_refused", "mpa_tx.feed_refused"),
    ("tx_bad_reserve", "tcp_tx.bad_res"),
    ("tx_spoilt", "tcp_tx.spoilt"),
    ("tx_dropped", "tcp_tx.dropped"),
    ("raw_tx_bad_frame", "tcp_tx.bad_raw"),
    ("db_sq_bad", "sq.bad_db"),
    ("db_rq_bad", "rq.bad_db"),
    ("db_cq_bad", "cq.bad_db"),
    ("cqe_lost", "cq.lost"),
    ("db_event_bad", "events.bad_db"),
    ("events", "events.sent"),
    ("events_held", "events.held"),
    ("events_merged", "events.merged"),
    ("db_unknown", "doorbells.bad"),
    ("raw_rx_full", "raw_rx.full"),
    ("raw_rx_spared", "raw_rx.spared"),
    ("raw_rx_bad", "raw_rx.bad"),
    ("db_raw_rx_bad", "raw_rx.bad_db"),
    ("raw_tx_bad", "raw_tx.bad"),
    ("db_raw_tx_bad", "raw_tx.bad_db"),
    ("qp_stopped", "fault.stopped"),
    ("fault_late", "fault.late"),
    ("fault_stray", "fault.stray"),
    ("tlp_malformed", "errors.pulse[0]"),
    ("tlp_unsupported", "errors.pulse[1]"),
    ("tlp_poisoned", "errors.pulse[2]"),
    ("tlp_length", "errors.pulse[3]"),
    ("tlp_partial", "errors.pulse[4]"),
    ("register_unknown", "errors.pulse[5]"),
    ("register_refused", "errors.pulse[6]"),
    ("db_page", "errors.pulse[7]"),
    ("admin_refused", "errors.pulse[8]"),
    ("cpl_unexpected", "errors.pulse[9]"),
    ("cpl_late", "errors.pulse[10]"),
    ("cpl_unsupported", "errors.pulse[11]"),
    ("cpl_aborted", "errors.pulse[12]"),
    ("cpl_poisoned", "errors.pulse[13]"),
    ("cpl_malformed", "errors.pulse[14]"),
    ("read_expired", "errors.pulse[15]"),
    ("dma_dropped", "errors.pulse[16]"),
    ("messages", "msix.sent"),
    ("link_downs", "link.went_down"),
    ("bus_errors", "bus_error.reported"),
    ("rx_frames", "filter.came"),
    ("rx_filtered", "filter.filtered"),
    ("tx_frames", "taps.frame"),
    ("tcp_timeouts", "tcp_tx.rto_valid"),
    ("rdma_out_reads", "ddp.rdone_valid"),
];

/// The edge at `W` bits: parts that know TLPs, and registers and doorbells. `D` = `2 * W`, `N` =
/// `W / 32`, `A` = 12 - log2 `N`, `NB` = `256 / W`.
fn edge<const W: usize, const K: usize, const D: usize, const N: usize, const A: usize, const NB: usize>(
    config: &Config,
) -> Vec<Part> {
    let mut parts = pcie_bar::parts::<W, K, NB>(config, stages::regions(config));
    parts.extend([
        Part::table("wr", tx_write_of!(width: W, bytes_width: K, double_width: D)()),
        Part::table(
            "rd",
            dma_read_of!(width: W, bytes_width: K, double_width: D, dwords: N, store_log2: A)(),
        ),
        Part::new("mux", TxMux::<W, K>::new),
        Part::new("route", RxRoute::<W, K>::new),
    ]);
    parts
}

/// Between the edge and the 64 bits of the device: frames of posted writes, and answers, which the
/// reset watches where the device takes them.
fn across(edge_bits: usize) -> (Vec<Part>, Vec<Net>) {
    let (mut parts, mut nets) = (vec![], vec![]);
    let (frames, answers) = match edge_bits {
        64 => ("posted.wr", "rd.rd_ans"),
        _ => {
            parts.push(Part::new("widen", Widen::<64, 4, 128, 5>::new));
            parts.push(Part::new("narrow", Narrow::<128, 5, 64, 4>::new));
            nets.extend(stream("posted.wr", "widen.rx"));
            nets.push(Net::join("rd.rd_ans", "narrow.rx"));
            ("widen.tx", "narrow.tx")
        }
    };
    nets.extend(stream(frames, "wr.wr"));
    nets.push(Net::join(answers, "read.rd_ans"));
    nets.extend(
        ["valid", "last", "final"].map(|f| Net::join(format!("{answers}_{f}"), format!("flr.ans_{f}"))),
    );
    nets.push(Net::join(pcie_bar::completions(edge_bits), "mux.cpl"));
    (parts, nets)
}

/// A stream beside which another port begins with the same name.
fn stream(from: &str, to: &str) -> [Net; 6] {
    ["data", "bytes", "last", "err", "valid", "ready"]
        .map(|field| Net::join(format!("{from}_{field}"), format!("{to}_{field}")))
}

/// The device of [`device::device`] and its edge, 64 or 128 bits wide as the configuration has it.
/// Pulses and registers that are ports there are joined here.
pub(super) fn rnic(top: &str, config: &Config) -> Result<Emitted, EmitError> {
    emit_joined(top, table(top, config)?)
}

/// The parts of [`rnic`], joined.
pub(super) fn table(top: &str, config: &Config) -> Result<Table, EmitError> {
    let mut parts = stages::parts(top, config)?;
    let mut nets = device::nets();
    let core: Vec<_> = parts.iter().map(Part::name).collect();
    let (edge_bits, edge) = match config.edge_bits {
        64 => (64, edge::<64, 4, 128, 2, 11, 4>(config)),
        _ => (128, edge::<128, 5, 256, 4, 10, 2>(config)),
    };
    parts.extend(edge);
    parts.extend([
        Part::new("flr", Flr::new),
        Part::new("gate", RxGate::<64, 4>::default),
        Part::new("taps", Taps::<{ TAPPED.len() }>::default),
        time(config),
    ]);
    parts.extend(platform::parts(config));
    nets.extend(platform::nets());
    nets.extend(pcie_bar::nets(edge_bits));
    let (between, joins) = across(edge_bits);
    parts.extend(between);
    nets.extend(joins);
    let (realign, joins, rx) = pcie::received(edge_bits, |port| Net::join("bus_link.broken", port));
    parts.extend(realign);
    nets.extend(joins);
    nets.push(Net::export(rx, "pcie_rx"));
    nets.extend(JOINS.iter().map(|&(a, b)| Net::join(a, b)));
    nets.extend(EXPORTS.iter().map(|&(inner, outer)| Net::export(inner, outer)));
    nets.extend(SCRUBBED.iter().enumerate().map(|(i, &port)| Net::bit("flr.scrubbed", i, port)));
    nets.push(Net::open("rd.outstanding"));
    for part in core.iter().chain(RESET_WITH_DEVICE) {
        nets.push(Net::join("flr.core_reset", format!("{part}.reset")));
    }
    for part in RESET_WITH_REGISTERS {
        nets.push(Net::join("flr.regs_reset", format!("{part}.reset")));
    }
    let mut counted: Vec<_> = COUNTED.iter().map(|&(name, port)| (name, port.to_string())).collect();
    for (i, &(name, valid, ready)) in TAPPED.iter().enumerate() {
        nets.push(Net::bit("taps.valid", i, valid));
        nets.push(Net::bit("taps.ready", i, ready));
        counted.push((name, format!("taps.pulse[{i}]")));
    }
    for (name, port) in counted {
        let Some(place) = counters::index(name) else {
            let why = format!("`{name}` is no counter of the register map");
            return Err(EmitError::Elaboration { top: top.into(), why });
        };
        nets.push(Net::bit("counters.pulse", place, port));
    }
    Ok(Table::new(parts).nets(nets))
}
