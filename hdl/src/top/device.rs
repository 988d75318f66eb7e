// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device: every stage, joined.
use super::send::SEND;
use super::stages::parts;
use super::timebase::{time, unreset};
use crate::config::Config;
use crate::emit::{emit_joined, EmitError, Emitted, Net, Table};
use crate::host::step;

/// Streams and channels between two stages, in the order in which octets travel: from the wire to
/// memory, from a work request to the wire, then what the host's side joins.
const JOINS: &[(&str, &str)] = &[
    ("net_rx.seg", "mpa_rx.seg"),
    ("net_rx.tx", "mpa_rx.rx"),
    ("mpa_rx.fpdu_conn", "ddp.fpdu_conn"),
    ("mpa_rx.fpdu_verdict", "ddp.fpdu_verdict"),
    ("mpa_rx.fpdu_length", "ddp.fpdu_length"),
    ("mpa_rx.fpdu_valid", "ddp.fpdu_valid"),
    ("mpa_rx.fpdu_ready", "ddp.fpdu_ready"),
    ("mpa_rx.tx", "ddp.rx"),
    ("ddp.chk", "mr.c0_ask"),
    ("mr.c0_say", "ddp.ans"),
    ("ddp.inv", "mr.inv"),
    ("mr.invd", "ddp.invd"),
    ("net_rx.announced", "mpa_rx.announced"),
    ("ddp_tx.announced", "tcp_tx.announced"),
    ("ctl.waits", "written.ctl_waits"),
    ("net_rx.ctl_valid", "written.ctl_valid"),
    ("cq.rests", "written.cq_rests"),
    ("events.rest", "written.events_rest"),
    ("ddp.rr", "sq.rr"),
    ("sq.ro", "ddp.ro"),
    ("ddp.rdone", "sq.rdone"),
    ("ddp.first", "tcp_tx.open"),
    ("ddp.take_qp", "rq.take_item"),
    ("ddp.take_valid", "rq.take_valid"),
    ("ddp.take_ready", "rq.take_ready"),
    ("rq.there", "mpa_rx.there"),
    ("rq.two", "mpa_rx.two"),
    ("rq.to_come", "mpa_rx.to_come"),
    ("ddp.take_qp", "mpa_rx.took_qp"),
    ("rq.rqe_valid", "mpa_rx.took_valid"),
    ("ddp.rqe_ready", "mpa_rx.took_ready"),
    ("rq.qpw_ready", "mpa_rx.anew"),
    ("net_rx.crowded", "mpa_rx.crowded"),
    ("net_rx.pressed", "tcp_tx.pressed"),
    ("net_rx.waiting", "mpa_rx.waiting"),
    ("mpa_rx.undo", "net_rx.undo"),
    ("mpa_rx.done_conn", "ctl.done_conn"),
    ("mpa_rx.done_ends", "ctl.done_ends"),
    ("mpa_rx.late", "ctl.done_late"),
    ("mpa_rx.done_valid", "ctl.done_valid"),
    ("rq.rqe", "ddp.rqe"),
    ("ddp.place", "posted.c0"),
    ("ddp.deliver", "cq.from_0"),
    ("ddp.fault", "fault.from_0"),
    ("mpa_rx.done", "tcp_tx.done"),
    ("net_rx.fact", "tcp_tx.fact"),
    ("net_rx.ctl", "ctl.ctl"),
    ("net_rx.raw", "raw_rx.rx"),
    ("net_rx.note", "raw_rx.note"),
    ("sq.mr_ask", "mr.c1_ask"),
    ("mr.c1_say", "sq.mr_say"),
    ("sq.res", "tcp_tx.res"),
    ("tcp_tx.grant", "sq.grant"),
    ("ddp_tx.back", "tcp_tx.back"),
    ("tcp_tx.wake", "sq.wake"),
    ("tcp_tx.una", "sq.una"),
    ("tcp_tx.rto_qp", "sq.rto_qp"),
    ("tcp_tx.rto_valid", "sq.rto_valid"),
    ("tcp_tx.pub", "net_rx.pub"),
    ("ddp_tx.fpdu", "mpa_tx.fpdu"),
    ("ddp_tx.tx", "mpa_tx.rx"),
    ("mpa_tx.seg", "tcp_tx.seg"),
    ("mpa_tx.tx", "tcp_tx.rx"),
    ("tcp_tx.lost", "fault.from_3"),
    ("raw_tx.tx", "tcp_tx.raw"),
    ("sq.done", "cq.from_1"),
    ("sq.fault", "fault.from_1"),
    ("rq.bad_item", "fault.from_2_item"),
    ("rq.bad_valid", "fault.from_2_valid"),
    ("rq.bad_ready", "fault.from_2_ready"),
    ("fault.cqe", "cq.from_2"),
    ("cq.over_cq", "fault.over_cq"),
    ("cq.over_valid", "fault.over_valid"),
    ("cq.event", "events.from_0"),
    ("fault.event", "events.from_1"),
    ("ctl.event", "events.from_2"),
    ("ddp.event", "events.from_3"),
    ("sq.event", "events.from_4"),
    ("cq.cqe", "posted.c1"),
    ("raw_rx.raw", "posted.c3"),
    ("sq.wqe", "read.c0"),
    ("ddp_tx.pay", "read.c1"),
    ("rq.rd", "read.c2"),
    ("raw_tx.rd", "read.c3"),
    ("doorbells.sq", "sq.db"),
    ("doorbells.rq", "rq.db"),
    ("doorbells.cq", "cq.db"),
    ("doorbells.ev", "events.db"),
    ("doorbells.raw_rx", "raw_rx.db"),
    ("doorbells.raw_tx", "raw_tx.db"),
    ("time.fine", "tcp_tx.fine"),
    ("time.fine_now", "tcp_tx.fine_now"),
    ("time.renew", "net_rx.renew"),
    ("raw_rx.busy", "net_rx.ring_busy"),
    ("raw_rx.producer", "admin.raw_index"),
    ("raw_tx.consumer", "admin.raw_tx_index"),
    ("net_rx.seen", "admin.seen_rx"),
    ("tcp_tx.seen", "admin.seen_tx"),
    ("cq.usable", "admin.usable"),
    ("net_rx.code", "admin.inserted"),
    ("admin.told", "net_rx.told_item"),
    ("admin.cap_valid", "fault.cap_valid"),
    ("fault.cap_ready", "admin.cap_ready"),
    ("fault.capd", "admin.capd"),
    ("admin.mrr_valid", "mr.mrr_valid"),
    ("mr.mrr_ready", "admin.mrr_ready"),
    ("mr.mrd", "admin.mrd"),
];

/// What stands between two parts with the bus edge: joined here without it.
const ACROSS: &[(&str, &str)] = &[("events.evt", "posted.c2")];

/// Who sees what the admin port offers: its output, then the inputs.
const ROWS: &[(&str, &str)] = &[
    (
        "admin.qp",
        "tcp_tx.ins_qp sq.ins_qp ddp_tx.fresh_qp ddp.ins_qp net_rx.ins_qp mpa_rx.setup_conn net_rx.rem_qp tcp_tx.rem_qp \
         sq.qpw_qp ddp.qpw_qp fault.cap_item net_rx.look_qp tcp_tx.look_qp sq.ctl_qp tcp_tx.rst_qp",
    ),
    ("admin.update", "tcp_tx.ins_update sq.ins_update"),
    ("admin.row_write", "net_rx_row.write tcp_tx_row.write"),
    ("admin.row_at", "net_rx_row.at tcp_tx_row.at"),
    ("admin.row_word", "net_rx_row.word tcp_tx_row.word"),
    ("net_rx_row.row", "net_rx.ins_row"),
    ("tcp_tx_row.row", "tcp_tx.ins_row"),
    ("admin.limits", "sq.ins_limits"),
    ("admin.start", "sq.ins_start"),
    ("admin.setup_seq_start", "mpa_rx.setup_seq_start"),
    ("admin.setup_markers", "mpa_rx.setup_markers"),
    ("admin.setup_crc", "mpa_rx.setup_crc"),
    ("admin.qp_row", "rq.qpw_item.row sq.qpw_row ddp.qpw_row fault.qpw_item.row"),
    ("admin.cq_row", "cq.cqw_item.row"),
    ("admin.mr", "mr.revoke_item mr.mrr_item"),
    ("admin.mr_row", "mr.mrw_item.row"),
    ("admin.slot_fin", "sq.ctl_fin"),
    ("sq.cmd_at", "admin.slot_at"),
    ("admin.slot_word", "sq.cmd_word"),
    ("admin.ring", "events.ring_item raw_rx.ring_item raw_tx.ring_item"),
    ("fault.dead", "ddp.dead rq.dead sq.dead tcp_tx.dead admin.dead"),
    ("posted.accepted", "ddp.posted_accepted written.accepted"),
    ("posted.left", "ddp.posted_left written.left"),
];

/// Numbers of the admin port, and the records whose fields have room for any.
const FITS: &[(&str, &str)] = &[
    ("admin.qp", "rq.qpw_item.qp"),
    ("admin.qp", "fault.qpw_item.qp"),
    ("admin.cq", "cq.cqw_item.cq"),
    ("admin.mr", "mr.mrw_item.index"),
];

/// The stage that takes each step of the admin port.
const STEPS: &[(usize, &str)] = &[
    (step::NET_RX_LOOK, "net_rx.look"),
    (step::TCP_TX_LOOK, "tcp_tx.look"),
    (step::TCP_TX_INSERT, "tcp_tx.ins"),
    (step::SQ_INSERT, "sq.ins"),
    (step::DDP_INSERT, "ddp.ins"),
    (step::MPA_SETUP, "mpa_rx.setup"),
    (step::NET_RX_INSERT, "net_rx.ins"),
    (step::NET_RX_REMOVE, "net_rx.rem"),
    (step::TCP_TX_REMOVE, "tcp_tx.rem"),
    (step::RQ_WRITE, "rq.qpw"),
    (step::SQ_WRITE, "sq.qpw"),
    (step::DDP_WRITE, "ddp.qpw"),
    (step::FAULT_WRITE, "fault.qpw"),
    (step::CQ_WRITE, "cq.cqw"),
    (step::MR_WRITE, "mr.mrw"),
    (step::MR_REVOKE, "mr.revoke"),
    (step::EVENT_RING, "events.ring"),
    (step::RAW_RX_RING, "raw_rx.ring"),
    (step::RAW_TX_RING, "raw_tx.ring"),
    (step::NET_RX_TOLD, "net_rx.told"),
    (step::SQ_CONTROL, "sq.ctl"),
    (step::TCP_TX_RESET, "tcp_tx.rst"),
    (step::MPA_TOKEN, "mpa_rx.tok"),
    (step::DDP_TOKEN, "ddp.tok"),
    (step::SQ_TOKEN, "sq.tok"),
    (step::TCP_TX_TOKEN, "tcp_tx.tok"),
    (step::WRITTEN, "written.tok"),
];

/// Ports of the device. `bad_*` and `count_*` are pulses, one an event, for the counters of the bus
/// edge.
const EXPORTS: &[(&str, &str)] = &[
    ("net_rx.rx", "rx"),
    ("tcp_tx.tx", "tx"),
    ("read.rd", "rd"),
    ("posted.wr", "wr"),
    ("doorbells.db", "db"),
    ("admin.rx", "cmd"),
    ("admin.tx", "ans"),
    ("time.pin", "tick_pin"),
    ("time.use_pin", "tick_use_pin"),
    ("tcp_tx.ack_delay", "ack_delay"),
    ("tcp_tx.rto_min", "rto_min"),
    ("tcp_tx.retry_limit", "retry_limit"),
    ("tcp_tx.recovery", "recovery"),
    ("net_rx.secret", "secret"),
    ("net_rx.bad", "bad_net_rx"),
    ("mpa_rx.bad", "bad_mpa_rx"),
    ("mpa_rx.stray", "bad_mpa_stray"),
    ("mpa_tx.refused", "bad_mpa_refused"),
    ("mpa_tx.too_short", "bad_mpa_short"),
    ("mpa_tx.too_long", "bad_mpa_long"),
    ("mpa_tx.spoilt", "bad_mpa_spoilt"),
    ("mpa_tx.feed_refused", "bad_feed"),
    ("tcp_tx.bad_res", "bad_reserve"),
    ("tcp_tx.spoilt", "bad_segment"),
    ("tcp_tx.dropped", "count_tx_dropped"),
    ("tcp_tx.bad_raw", "bad_raw_frame"),
    ("sq.bad_db", "bad_db_sq"),
    ("rq.bad_db", "bad_db_rq"),
    ("cq.bad_db", "bad_db_cq"),
    ("cq.lost", "count_cqe_lost"),
    ("events.bad_db", "bad_db_event"),
    ("events.sent", "count_events"),
    ("events.held", "count_events_held"),
    ("events.merged", "count_events_merged"),
    ("doorbells.bad", "bad_doorbell"),
    ("raw_rx.full", "count_raw_full"),
    ("raw_rx.spared", "count_raw_spared"),
    ("raw_rx.bad", "bad_raw_rx"),
    ("raw_rx.bad_db", "bad_db_raw_rx"),
    ("raw_tx.bad", "bad_raw_tx"),
    ("raw_tx.bad_db", "bad_db_raw_tx"),
    ("fault.stopped", "count_qp_stopped"),
    ("fault.late", "count_fault_late"),
    ("fault.stray", "count_fault_stray"),
];

/// Outputs that nobody needs: places in the stream.
const OPEN: &[&str] = &["mpa_rx.fpdu_end_seq"];

/// The edge has the other sources of the device's own events, and hands all to the ring.
const OWN_EVENTS: [&str; 3] = ["events.own_item", "events.own_valid", "raw_rx.event_ready"];
const UNHEARD: [&str; 3] = ["events.own_ready", "raw_rx.event_item", "raw_rx.event_valid"];

/// What the bus edge shows of time, what it watches, and what it counts.
const SHOWN: &[&str] = &[
    "time.tick",
    "time.now",
    "time.ticks",
    "time.cycles",
    "mpa_tx.owes",
    "mpa_tx.owed_qp",
    "ddp_tx.owes",
    "ddp_tx.owed_qp",
    "mpa_rx.hold_valid",
    "mpa_rx.hold_ready",
    "mpa_rx.hold_qp",
    "tcp_tx.timer_qp",
    "tcp_tx.timer_kind",
    "tcp_tx.timer_valid",
];

/// Columns that say that their scrub is over, which only the bus edge asks: the admin port waits
/// for its own, the longest.
const SCRUBBED: &[&str] = &["mpa_rx.scrubbed", "net_rx.scrubbed", "ddp.scrubbed", "mr.scrubbed"];

/// What joins them, whatever stands between them and the bus.
pub(super) fn nets() -> Vec<Net> {
    let mut nets: Vec<_> = JOINS.iter().chain(SEND).map(|&(a, b)| Net::join(a, b)).collect();
    for &(from, to) in ROWS {
        nets.extend(to.split_whitespace().map(|to| Net::join(from, to)));
    }
    nets.extend(FITS.iter().map(|&(from, to)| Net::fit(from, to)));
    for &(bit, stage) in STEPS {
        nets.push(Net::bit("admin.valid", bit, format!("{stage}_valid")));
        nets.push(Net::bit("admin.ready", bit, format!("{stage}_ready")));
    }
    // the VLAN of a connection changes in transmit and in receive with one step
    nets.push(Net::bit("admin.valid", step::TCP_TX_INSERT, "net_rx.tag_valid"));
    nets.push(Net::join("tcp_tx.ins_ready", "net_rx.tag_ready"));
    nets.extend(OPEN.iter().map(|&port| Net::open(port)));
    nets
}

/// The device alone: `time` and the stages; its DMA ports, admin port and doorbells are ports of
/// the top.
pub(super) fn table(top: &str, config: &Config) -> Result<Table, EmitError> {
    let mut parts = parts(top, config)?;
    parts.push(time(config));
    let table = Table::new(parts).nets(nets()).joins(ACROSS).exports(EXPORTS).open(SCRUBBED).open(SHOWN);
    Ok(table.ties(&OWN_EVENTS, 0).open(&UNHEARD).nets(unreset()))
}

/// The Verilog of the device alone.
pub(super) fn device(top: &str, config: &Config) -> Result<Emitted, EmitError> {
    emit_joined(top, table(top, config)?)
}
