// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPA (RFC 5044): octet streams to FPDUs and back.

mod rx;
mod rx_check;
mod rx_frame;
mod rx_front;
mod rx_hold;
mod rx_join;
mod rx_look;
mod rx_out;
mod rx_room;
mod rx_row;
mod rx_store;
mod rx_token;
mod tx;
mod tx_feed;
mod tx_mark;
mod tx_pack;
mod tx_seal;
mod tx_split;

pub use rx::mpa_rx;
pub use rx_row::verdict;
pub use tx::{mpa_fpdu, mpa_tx, TX_LATENCY};
pub use tx_feed::TxFeed;

use crate::emit::{emit_joined, Unit};
use crate::params::{mpa_fpdu_of, mpa_rx_of};

/// Blocks of this folder that can be synthesised alone; `mpa_rx_tiny` is what profile `tiny` has:
/// 16 connections and buffers for EMSS 1460.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "mpa", width, emit };
    vec![
        unit("mpa_rx_tiny", "mpa_rx", 64, || {
            emit_joined(
                "mpa_rx_tiny",
                mpa_rx_of!(
                    width: 64, bytes_width: 4, lanes: 2, lane_width: 2, lanes_log2: 1,
                    conns_log2: 4, conns: 16, buffer_log2: 8, buffers_log2: 12, carry: 96,
                )(1480, 188),
            )
        }),
        unit("mpa_tx_w64", "mpa_tx", 64, || {
            emit_joined("mpa_tx_w64", mpa_fpdu_of!(width: 64, bytes_width: 4)())
        }),
        unit("mpa_tx_w512", "mpa_tx", 512, || {
            emit_joined("mpa_tx_w512", mpa_fpdu_of!(width: 512, bytes_width: 7)())
        }),
    ]
}
