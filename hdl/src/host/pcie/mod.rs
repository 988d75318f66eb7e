// SPDX-License-Identifier: MIT OR Apache-2.0
//! The PCI Express edge: DMA ports to and from transaction-layer packets; registers, doorbells and
//! MSI-X in the BARs; reset.

mod admin_window;
mod align;
mod bar_cpl;
#[allow(missing_docs)] // the derives make undocumented methods
mod bar_ports;
mod bus_link;
mod counters;
#[allow(missing_docs)] // as above
mod cpl_check;
mod csr;
mod cut;
mod dma_read;
mod door_pages;
mod error_log;
mod filter_regs;
mod flr;
mod head;
mod msix;
mod msix_table;
mod narrow;
mod pack;
mod platform_regs;
#[allow(missing_docs)] // as above
mod ports;
#[allow(missing_docs)] // as above
mod qp_counters;
#[allow(missing_docs)] // as above
mod read_answer;
mod read_issue;
mod read_order;
mod realign;
mod reg_map;
mod rx_cpl;
mod rx_fields;
mod rx_gate;
mod rx_judge;
mod rx_req;
mod rx_route;
mod rx_take;
mod swap;
mod tag_pool;
mod taps;
mod tx_mux;
mod tx_write;
mod widen;
mod write_split;

pub use admin_window::AdminWindow;
pub use bar_cpl::BarCpl;
pub use bus_link::BusLink;
pub use counters::CounterBank;
pub use csr::{Csr, Sizes};
pub use dma_read::dma_read;
pub use door_pages::DoorPages;
pub use error_log::ErrorLog;
pub use flr::Flr;
pub use msix::Msix;
pub use narrow::Narrow;
pub use ports::{PcieConfig, ReadFaults};
pub use qp_counters::QpCounters;
pub use realign::Realign;
pub use reg_map::{ADMIN, COUNTERS, CSR, MSIX, QP_COUNTS};
pub use rx_gate::RxGate;
pub use rx_req::RxReq;
pub use rx_route::RxRoute;
pub use taps::Taps;
pub use tx_mux::TxMux;
pub use tx_write::tx_write;
pub use widen::Widen;

use crate::emit::{emit, emit_joined, Unit};
use crate::params::{dma_read_of, tx_write_of};

/// Blocks of this folder that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "host", width, emit };
    vec![
        unit("pcie_tx_write_w64", "pcie_tx_write", 64, || {
            emit_joined(
                "pcie_tx_write_w64",
                tx_write_of!(
                    width: 64, bytes_width: 4, double_width: 128,
                )(),
            )
        }),
        unit("pcie_tx_write_w128", "pcie_tx_write", 128, || {
            emit_joined(
                "pcie_tx_write_w128",
                tx_write_of!(
                    width: 128, bytes_width: 5, double_width: 256,
                )(),
            )
        }),
        unit("pcie_dma_read_w64", "pcie_dma_read", 64, || {
            emit_joined(
                "pcie_dma_read_w64",
                dma_read_of!(
                    width: 64, bytes_width: 4, double_width: 128, dwords: 2, store_log2: 11,
                )(),
            )
        }),
        unit("pcie_dma_read_w128", "pcie_dma_read", 128, || {
            emit_joined(
                "pcie_dma_read_w128",
                dma_read_of!(
                    width: 128, bytes_width: 5, double_width: 256, dwords: 4, store_log2: 10,
                )(),
            )
        }),
        unit("pcie_tx_mux_w64", "pcie_tx_mux", 64, || emit("pcie_tx_mux_w64", TxMux::<64, 4>::new)),
        unit("pcie_rx_route_w64", "pcie_rx_route", 64, || emit("pcie_rx_route_w64", RxRoute::<64, 4>::new)),
        unit("pcie_rx_req_w64", "pcie_rx_req", 64, || {
            emit("pcie_rx_req_w64", || RxReq::<64, 4, 4, 5>::new(4))
        }),
        unit("pcie_rx_req_w128", "pcie_rx_req", 128, || {
            emit("pcie_rx_req_w128", || RxReq::<128, 5, 2, 5>::new(4))
        }),
        unit("pcie_widen_w128", "pcie_widen", 128, || emit("pcie_widen_w128", Widen::<64, 4, 128, 5>::new)),
        unit("pcie_narrow_w128", "pcie_narrow", 128, || {
            emit("pcie_narrow_w128", Narrow::<128, 5, 64, 4>::new)
        }),
        unit("pcie_realign_w128", "pcie_realign", 128, || emit("pcie_realign_w128", Realign::new)),
        unit("pcie_bar_cpl_w64", "pcie_bar_cpl", 64, || emit("pcie_bar_cpl_w64", || BarCpl::new(4, 4))),
        unit("pcie_door_pages_w64", "pcie_door_pages", 64, || {
            emit("pcie_door_pages_w64", DoorPages::<4, 6, 16, 64>::new)
        }),
        unit("pcie_counters_w32", "pcie_counters", 32, || {
            emit("pcie_counters_w32", CounterBank::<76, 75, 7>::new)
        }),
        unit("pcie_qp_counters_w32", "pcie_qp_counters", 32, || {
            emit("pcie_qp_counters_w32", QpCounters::<4, 7>::new)
        }),
        unit("pcie_msix_w64", "pcie_msix", 64, || emit("pcie_msix_w64", Msix::<16, 4, 16>::new)),
    ]
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_widths_are_emitted() {
        for unit in super::catalog() {
            let emitted = (unit.emit)().unwrap();
            assert!(emitted.ports.iter().any(|p| p.name == "reset"), "{}", unit.name);
        }
    }
}
