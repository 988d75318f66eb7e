// SPDX-License-Identifier: MIT OR Apache-2.0
//! The MPA stage of one width.
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::params::mpa_rx_of;

/// Longest FPDU in octets that the receive buffers take: EMSS 8960 and some.
const MOST: usize = 9216;
/// Cycles that a Send which waits for its receive may delay others.
const PATIENCE: usize = 40;

/// The stage for 64 connections; parameters as in [`mpa_rx`].
pub(super) fn mpa<
    const W: usize,
    const K: usize,
    const LN: usize,
    const LK: usize,
    const S: usize,
    const A: usize,
    const CA: usize,
    const WC: usize,
>(
    top: &str,
) -> Result<Emitted, EmitError> {
    let parts = vec![Part::table(
        "mpa_rx",
        mpa_rx_of!(
            width: W, bytes_width: K, lanes: LN, lane_width: LK, lanes_log2: S, conns_log2: 6,
            conns: 64, buffer_log2: A, buffers_log2: CA, carry: WC,
        )(MOST, PATIENCE),
    )];
    emit_beside(top, parts)
}
