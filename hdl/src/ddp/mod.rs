// SPDX-License-Identifier: MIT OR Apache-2.0
//! DDP (RFC 5041): messages to segments and back, each with the header that places its payload.

mod rx;
mod rx_cite;
mod rx_columns;
mod rx_deliver;
mod rx_dice;
mod rx_events;
mod rx_fault;
mod rx_fence;
mod rx_fill;
mod rx_head;
mod rx_inbound;
mod rx_judge;
mod rx_look;
mod rx_other;
mod rx_outstanding;
mod rx_report;
mod rx_resolve;
mod rx_rest;
mod rx_row;
mod rx_single;
mod rx_token;
mod tx;
mod tx_arrival;
mod tx_await;
mod tx_charge;
mod tx_gather;
mod tx_header;
mod tx_inline;
mod tx_order;
mod tx_owner;
mod tx_pick;
mod tx_places;
mod tx_reorder;
mod tx_slots;
mod tx_span;
mod tx_weld;

pub use rx::ddp_rx;
pub use tx::ddp_tx;
pub use tx_header::TxHeader;
pub use tx_span::TxSpan;

use crate::emit::{emit_joined, Unit};
use crate::params::ddp_rx_of;

/// Blocks of this folder that can be synthesised alone; `ddp_rx_tiny` is what profile `tiny` has:
/// 16 queue pairs.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "ddp", width, emit };
    vec![unit("ddp_rx_tiny", "ddp_rx", 64, || {
        emit_joined(
            "ddp_rx_tiny",
            ddp_rx_of!(
                qps_log2: 4, qps: 16, reads_log2: 8, columns_log2: 6,
            )(),
        )
    })]
}
