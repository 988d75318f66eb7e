// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ethernet: from the port of the MAC to packets.

mod rx;
#[allow(missing_docs)] // the derives make undocumented methods
mod rx_filter;
mod rx_guard;
#[allow(missing_docs)] // as above
mod rx_record;

pub use rx::EthRx;
pub use rx_filter::{RxAccept, RxFilter, RxMac, MACS};
pub use rx_guard::RxGuard;
pub use rx_record::{kind, EthFrame};

use crate::emit::{emit, Unit};

/// Blocks of this folder that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "eth", width, emit };
    vec![
        unit("eth_filter_w64", "eth_filter", 64, || emit("eth_filter_w64", RxFilter::<64, 4>::new)),
        unit("eth_guard_w64", "eth_guard", 64, || emit("eth_guard_w64", || RxGuard::<64, 4>::new(1 << 11))),
        unit("eth_rx_w64", "eth_rx", 64, || emit("eth_rx_w64", EthRx::<64, 4>::new)),
    ]
}
