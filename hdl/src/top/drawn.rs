// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables of which a README has a picture.
use super::device;
use crate::config::{Config, Profile};
use crate::emit::{EmitError, Table};
use crate::mpa::mpa_tx;
use crate::params::{
    ddp_rx_of, ddp_tx_of, dma_read_of, mpa_fpdu_of, mpa_rx_of, mr_of, net_rx_of, rx_route_of, sq_of,
    tcp_tx_of, tx_write_of,
};
use crate::tcp::Congestion;

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
        of(
            "hdl/src/tcp",
            "rx",
            "Receive: `net_rx`",
            net_rx_of!(
                width: 64, bytes_width: 4, lanes: 2, header_beats: 5, conns_log2: 4, conns: 16,
                table_log2: 7, store_log2: 9, raw_log2: 9,
            )(1 << 16),
        ),
        of(
            "hdl/src/tcp",
            "rx_route",
            "Routing of stored frames: `rx_route`",
            rx_route_of!(width: 64, bytes_width: 4, raw_log2: 9)(),
        ),
        of(
            "hdl/src/tcp",
            "tx",
            "Transmit: `tcp_tx`",
            tcp_tx_of!(conns_log2: 4, conns: 16, segment_log2: 9, raw_log2: 8, words_log2: 8)(
                16,
                Congestion::NewReno,
            ),
        ),
        of(
            "hdl/src/sq",
            "stage",
            "The send queue: `sq`",
            sq_of!(
                qps_log2: 4, qps: 16, words_log2: 8, reads_log2: 10, inflight_log2: 6,
                index_width: 7, inflights_log2: 10,
            )(),
        ),
        of(
            "hdl/src/mpa",
            "rx",
            "Receive: `mpa_rx`",
            mpa_rx_of!(
                width: 64, bytes_width: 4, lanes: 2, lane_width: 2, lanes_log2: 1, conns_log2: 4,
                conns: 16, buffer_log2: 8, buffers_log2: 12, carry: 96,
            )(1480, 188),
        ),
        of("hdl/src/mpa", "tx", "Transmit: `mpa_tx`", mpa_tx()),
        of(
            "hdl/src/mpa",
            "tx_fpdu",
            "Transmit, one FPDU: `mpa_fpdu`",
            mpa_fpdu_of!(width: 64, bytes_width: 4)(),
        ),
        of("hdl/src/mr", "table", "Memory regions: `mr_table`", mr_of!(regions_log2: 8)()),
        of(
            "hdl/src/ddp",
            "rx",
            "Receive: `ddp_rx`",
            ddp_rx_of!(qps_log2: 4, qps: 16, reads_log2: 8, columns_log2: 6)(),
        ),
        of(
            "hdl/src/ddp",
            "tx",
            "Transmit: `ddp_tx`",
            ddp_tx_of!(
                qps_log2: 4, qps: 16, words_log2: 8,
            )(),
        ),
        of(
            "hdl/src/host/pcie",
            "tx_write",
            "Posted writes: `tx_write`",
            tx_write_of!(width: 64, bytes_width: 4, double_width: 128)(),
        ),
        of(
            "hdl/src/host/pcie",
            "dma_read",
            "Reads: `dma_read`",
            dma_read_of!(width: 64, bytes_width: 4, double_width: 128, dwords: 2, store_log2: 11)(),
        ),
    ])
}
