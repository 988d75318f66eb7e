// SPDX-License-Identifier: MIT OR Apache-2.0
//! The TCP transmit stage with few connections, and what feeds it.
use crate::config::Config;
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::mpa::TxFeed;
use crate::params::tcp_tx_of;

/// The stage for 4 connections and segments up to 16 KiB, not joined to its feed; the advertised
/// window is the configuration's.
pub(super) fn tcp_tx(top: &str, config: &Config) -> Result<Emitted, EmitError> {
    let window_log2 = config.window_log2 as usize;
    let congestion = config.congestion_control();
    let parts = vec![
        Part::table(
            "tcp_tx",
            tcp_tx_of!(conns_log2: 2, conns: 4, segment_log2: 11, raw_log2: 8, words_log2: 6)(
                window_log2,
                congestion,
            ),
        ),
        Part::new("feed", TxFeed::default),
    ];
    emit_beside(top, parts)
}
