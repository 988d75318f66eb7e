// SPDX-License-Identifier: MIT OR Apache-2.0
//! IP: from packets to segments.

mod rx;
mod rx_head;
#[allow(missing_docs)] // the derive makes undocumented methods
mod rx_record;

pub use rx::IpRx;
pub use rx_record::RxPacket;

use crate::emit::{emit, Unit};

/// Blocks of this folder that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "ip", width, emit };
    vec![unit("ip_rx_w64", "ip_rx", 64, || emit("ip_rx_w64", IpRx::<64, 4, 2, 5>::new))]
}
