// SPDX-License-Identifier: MIT OR Apache-2.0
//! The send queue and DDP transmit, which the device and the bench join alike.

/// Between the two: claims of ULPDUs and their payload, words of a slot, faults of reads.
pub(super) const SEND: &[(&str, &str)] = &[
    ("sq.claim", "ddp_tx.claim"),
    ("sq.range", "ddp_tx.range"),
    ("sq.ask", "ddp_tx.ask"),
    ("sq.copy", "ddp_tx.copy"),
    ("sq.slot", "ddp_tx.slot"),
    ("sq.under", "ddp_tx.under"),
    ("sq.fresh", "ddp_tx.fresh"),
    ("ddp_tx.used", "sq.used"),
    ("ddp_tx.over", "sq.over"),
    ("ddp_tx.fault", "sq.read_fault"),
];
