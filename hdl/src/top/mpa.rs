// SPDX-License-Identifier: MIT OR Apache-2.0
//! The MPA stage of one width.
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::mpa::mpa_rx;

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
    let parts = vec![Part::table("mpa_rx", mpa_rx::<W, K, LN, LK, S, 6, 64, A, CA, WC>(MOST, PATIENCE))];
    emit_beside(top, parts)
}
