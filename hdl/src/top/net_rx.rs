// SPDX-License-Identifier: MIT OR Apache-2.0
//! The network receive stage.
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::params::net_rx_of;

/// The stage for four connections at 64 bits. Its window of 4,096 octets is less than a jumbo
/// frame, so that octets to the right of it can be met; frames of up to 16 KiB are stored, raw ones
/// of up to 8 KiB.
pub(super) fn net_rx(top: &str) -> Result<Emitted, EmitError> {
    let parts = vec![Part::table(
        "net_rx",
        net_rx_of!(
            width: 64, bytes_width: 4, lanes: 2, header_beats: 5, conns_log2: 2, conns: 4,
            table_log2: 5, store_log2: 11, raw_log2: 10,
        )(4_096),
    )];
    emit_beside(top, parts)
}
