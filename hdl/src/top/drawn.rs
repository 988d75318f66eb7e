// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables of which a README has a picture.
use super::device;
use crate::config::{Config, Profile};
use crate::ddp::{ddp_rx, ddp_tx};
use crate::emit::{EmitError, Table};
use crate::host::pcie::{dma_read, tx_write};
use crate::mpa::{mpa_rx, mpa_tx};
use crate::mr::mr_table;
use crate::sq::sq;
use crate::tcp::{net_rx, rx_route, tcp_tx, Congestion};

/// A table with a picture.
pub struct Drawn {
    /// Folder of the README, from the root of the repository.
    pub folder: &'static str,
    /// File name of the picture, without `.svg`.
    pub name: &'static str,
    /// What the picture shows.
    pub title: &'static str,
    /// The table, as profile `tiny` has it.
    pub table: Table,
}

/// Every table with a picture.
///
/// # Errors
/// What the device refuses.
pub fn drawn() -> Result<Vec<Drawn>, EmitError> {
    let of = |folder, name, title, table| Drawn { folder, name, title, table };
    let tiny = Config::profile(Profile::Tiny);
    Ok(vec![
        of("hdl", "device", "The device: every stage, joined", device::table("device", &tiny)?),
        of("hdl/src/tcp", "rx", "Receive: `net_rx`", net_rx::<64, 4, 2, 5, 4, 16, 7, 9, 9>(1 << 16)),
        of("hdl/src/tcp", "rx_route", "Routing of stored frames: `rx_route`", rx_route::<64, 4, 9>()),
        of("hdl/src/tcp", "tx", "Transmit: `tcp_tx`", tcp_tx::<4, 16, 9, 8, 8>(16, Congestion::NewReno)),
        of("hdl/src/sq", "stage", "The send queue: `sq`", sq::<4, 16, 8, 10, 6, 7, 10>()),
        of("hdl/src/mpa", "rx", "Receive: `mpa_rx`", mpa_rx::<64, 4, 2, 2, 1, 4, 16, 8, 12, 96>(1480, 188)),
        of("hdl/src/mpa", "tx", "Transmit: `mpa_tx`", mpa_tx::<64, 4>()),
        of("hdl/src/mr", "table", "Memory regions: `mr_table`", mr_table::<8>()),
        of("hdl/src/ddp", "rx", "Receive: `ddp_rx`", ddp_rx::<4, 16, 8, 6>()),
        of("hdl/src/ddp", "tx", "Transmit: `ddp_tx`", ddp_tx::<4, 16, 8>()),
        of("hdl/src/host/pcie", "tx_write", "Posted writes: `tx_write`", tx_write::<64, 4, 128>()),
        of("hdl/src/host/pcie", "dma_read", "Reads: `dma_read`", dma_read::<64, 4, 128, 2, 11>()),
    ])
}
