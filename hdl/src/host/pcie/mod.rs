//! The PCI Express edge: DMA ports to and from transaction-layer packets.

#[allow(missing_docs)] // the derives make undocumented methods
mod ports;

pub use ports::{PcieConfig, ReadFaults};
