// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP: segments to in-order octets, FPDUs to segments.

mod rx;
mod rx_behind;
mod rx_carry;
mod rx_decide;
mod rx_fence;
mod rx_find;
mod rx_judge;
mod rx_meet;
mod rx_notes;
mod rx_press;
#[allow(missing_docs)] // as above
mod rx_record;
mod rx_route;
mod rx_setup;
mod tx;
mod tx_ack;
mod tx_cc;
mod tx_dups;
mod tx_facts;
mod tx_fields;
mod tx_head;
mod tx_insert;
mod tx_own;
mod tx_pad;
#[allow(missing_docs)] // the derive makes undocumented methods
mod tx_probes;
mod tx_rest;
mod tx_right;
mod tx_row;
mod tx_rto;
mod tx_rtt;
mod tx_seq;
mod tx_sum;
mod tx_token;
mod tx_wake;
mod tx_walk;
mod tx_weave;
mod tx_words;

pub use rx::{net_rx, RX_COUNTED};
pub use rx_route::rx_route;
pub use tx::{tcp_tx, TX_ACK_LATENCY, TX_LATENCY};
pub use tx_cc::Congestion;
pub use tx_rto::timer_kind;

use crate::emit::{emit_joined, Unit};
use crate::params::{net_rx_of, tcp_tx_of};

/// Blocks of this folder that can be synthesised alone; `net_rx_tiny` and `tcp_tx_tiny` are what
/// profile `tiny` has.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "tcp", width, emit };
    vec![
        unit("net_rx_tiny", "net_rx", 64, || {
            emit_joined(
                "net_rx_tiny",
                net_rx_of!(
                    width: 64, bytes_width: 4, lanes: 2, header_beats: 5, conns_log2: 4, conns: 16,
                    table_log2: 7, store_log2: 9, raw_log2: 9,
                )(1 << 16),
            )
        }),
        unit("tcp_tx_tiny", "tcp_tx", 64, || {
            emit_joined(
                "tcp_tx_tiny",
                tcp_tx_of!(conns_log2: 4, conns: 16, segment_log2: 9, raw_log2: 8, words_log2: 8)(
                    16,
                    Congestion::NewReno,
                ),
            )
        }),
    ]
}
