// SPDX-License-Identifier: MIT OR Apache-2.0
//! The send queue and DDP transmit alone.
use super::send::SEND;
use crate::emit::{emit_beside, EmitError, Emitted, Part, Table};
use crate::params::{ddp_tx_of, sq_of};

/// Ports of the bench: those of both parts under the name that the device's other stages see.
const EXPORTS: &[(&str, &str)] = &[
    ("sq.dead", "dead"),
    ("sq.qpw", "qpw"),
    ("sq.ins", "ins"),
    ("ddp_tx.fresh_qp", "ins_qp"),
    ("sq.db", "db"),
    ("sq.bad_db", "bad_db"),
    ("sq.rr", "rr"),
    ("sq.ro", "ro"),
    ("sq.rdone", "rdone"),
    ("sq.ctl", "ctl"),
    ("sq.cmd", "cmd"),
    ("sq.wqe", "wqe"),
    ("ddp_tx.pay", "pay"),
    ("sq.mr", "mr"),
    ("sq.res", "res"),
    ("sq.grant", "grant"),
    ("sq.wake", "wake"),
    ("sq.tok", "tok"),
    ("ddp_tx.tx", "tx"),
    ("ddp_tx.back", "back"),
    ("ddp_tx.announced", "announced"),
    ("ddp_tx.owes", "owes"),
    ("ddp_tx.owed_qp", "owed_qp"),
    ("ddp_tx.fpdu", "fpdu"),
    ("sq.una", "una"),
    ("sq.rto", "rto"),
    ("sq.done", "done"),
    ("sq.event", "event"),
    ("sq.fault", "fault"),
];

/// 16 queue pairs with 14 work requests in flight each, beside responses: few enough that both fill
/// up in a test.
pub(super) fn sq(top: &str) -> Result<Emitted, EmitError> {
    let parts = vec![
        Part::table(
            "sq",
            sq_of!(
                qps_log2: 4, qps: 16, words_log2: 8, reads_log2: 10, inflight_log2: 5,
                index_width: 6, inflights_log2: 9,
            )(),
        ),
        Part::table("ddp_tx", ddp_tx_of!(qps_log2: 4, qps: 16, words_log2: 8)()),
    ];
    let both = Table::new(parts).joins(SEND).exports(EXPORTS);
    emit_beside(top, vec![Part::table("sq", both)])
}
