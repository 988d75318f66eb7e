//! The PCI Express edge: DMA ports to and from transaction-layer packets.

mod align;
#[allow(missing_docs)] // the derives make undocumented methods
mod cpl_check;
mod cut;
mod dma_read;
mod head;
mod pack;
#[allow(missing_docs)] // as above
mod ports;
#[allow(missing_docs)] // as above
mod read_answer;
mod read_order;
mod rx_cpl;
mod rx_route;
mod swap;
mod tag_pool;
mod tx_mux;
mod tx_write;

pub use dma_read::DmaRead;
pub use ports::{PcieConfig, ReadFaults};
pub use rx_route::RxRoute;
pub use tx_mux::TxMux;
pub use tx_write::TxWrite;

use crate::emit::{emit, Unit};

/// Blocks of this folder that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "host", width, emit };
    vec![
        unit("pcie_tx_write_w64", "pcie_tx_write", 64, || {
            emit("pcie_tx_write_w64", TxWrite::<64, 4, 128>::new)
        }),
        unit("pcie_tx_write_w128", "pcie_tx_write", 128, || {
            emit("pcie_tx_write_w128", TxWrite::<128, 5, 256>::new)
        }),
        unit("pcie_dma_read_w64", "pcie_dma_read", 64, || {
            emit("pcie_dma_read_w64", DmaRead::<64, 4, 128, 2, 11>::new)
        }),
        unit("pcie_dma_read_w128", "pcie_dma_read", 128, || {
            emit("pcie_dma_read_w128", DmaRead::<128, 5, 256, 4, 10>::new)
        }),
        unit("pcie_tx_mux_w64", "pcie_tx_mux", 64, || emit("pcie_tx_mux_w64", TxMux::<64, 4>::new)),
        unit("pcie_rx_route_w64", "pcie_rx_route", 64, || emit("pcie_rx_route_w64", RxRoute::<64, 4>::new)),
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
        crate::top::Top::PcieDmaW64
            .emit(&crate::config::Config::profile(crate::config::Profile::Tiny))
            .unwrap();
    }
}
