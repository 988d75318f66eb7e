// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be emitted and simulated.

mod bench;
mod carrier;
mod ddp_rx;
mod device;
mod drawn;
mod host;
mod mac;
mod mpa;
mod net_rx;
mod pcie;
mod pcie_bar;
mod platform;
mod queue;
mod rnic;
mod send;
mod sq;
mod stages;
mod tcp_tx;
mod timebase;

pub use drawn::{drawn, Drawn};

use crate::config::Config;
use crate::emit::{EmitError, Emitted};
use bench::bench;
use carrier::{carried, carrier};
use ddp_rx::ddp_rx;
use device::device;
use host::host;
use mac::mac;
use mpa::mpa;
use net_rx::net_rx;
use pcie::pcie_dma;
use pcie_bar::pcie_bar;
use queue::queue;
use rnic::rnic;
use sq::sq;
use tcp_tx::tcp_tx;

/// A top that Verilator can be given. Few of them, since each is a model to be built: cells and
/// stages of one width stand side by side in one bench top.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Top {
    /// Cells at 64 bits.
    BenchW64,
    /// Cells at 256 bits.
    BenchW256,
    /// Cells at 512 bits.
    BenchW512,
    /// MPA at 64 bits, 64 connections.
    MpaW64,
    /// MPA at 256 bits, 64 connections.
    MpaW256,
    /// MPA at 512 bits, 64 connections.
    MpaW512,
    /// Network receive at 64 bits, 4 connections.
    NetRxW64,
    /// TCP transmit at 64 bits, 4 connections, and its feed.
    TcpTxW64,
    /// DDP receive and the memory regions at 64 bits, 16 queue pairs.
    DdpRxW64,
    /// The host's side, 16 queue pairs and 32 completion queues.
    HostW64,
    /// Queues, events and faults: 16 queue pairs, 16 completion queues.
    QueueW64,
    /// Send queue at 64 bits, 16 queue pairs.
    SqW64,
    /// The BAR side of the PCI Express edge at 64 bits.
    PcieBarW64,
    /// The whole device at 64 bits.
    DeviceW64,
    /// The DMA side of the PCI Express edge at 64 bits.
    PcieDmaW64,
    /// The whole device at 64 bits behind its PCI Express edge, which has the width that the
    /// configuration says.
    RnicW64,
    /// The DMA side of the PCI Express edge at 128 bits.
    PcieDmaW128,
    /// The MAC and the FIFO between two clocks.
    MacW64,
    /// The BAR side of the PCI Express edge at 128 bits, and the cells between that width and the
    /// device's.
    PcieBarW128,
    /// The carrier of TLPs in Ethernet frames.
    CarrierW64,
    /// The whole device of 64 bits behind the carrier, with an edge of 64 bits.
    CarriedW64,
}

impl Top {
    /// All tops.
    pub const ALL: &[Top] = &[
        Top::BenchW64,
        Top::BenchW256,
        Top::BenchW512,
        Top::MpaW64,
        Top::MpaW256,
        Top::MpaW512,
        Top::NetRxW64,
        Top::TcpTxW64,
        Top::DdpRxW64,
        Top::HostW64,
        Top::QueueW64,
        Top::SqW64,
        Top::PcieBarW64,
        Top::DeviceW64,
        Top::PcieDmaW64,
        Top::RnicW64,
        Top::PcieDmaW128,
        Top::PcieBarW128,
        Top::MacW64,
        Top::CarrierW64,
        Top::CarriedW64,
    ];

    /// Module name.
    pub fn name(self) -> &'static str {
        match self {
            Top::BenchW64 => "bench_w64",
            Top::BenchW256 => "bench_w256",
            Top::BenchW512 => "bench_w512",
            Top::MpaW64 => "mpa_w64",
            Top::MpaW256 => "mpa_w256",
            Top::MpaW512 => "mpa_w512",
            Top::NetRxW64 => "net_rx_w64",
            Top::TcpTxW64 => "tcp_tx_w64",
            Top::DdpRxW64 => "ddp_rx_w64",
            Top::HostW64 => "host_w64",
            Top::QueueW64 => "queue_w64",
            Top::SqW64 => "sq_w64",
            Top::PcieBarW64 => "pcie_bar_w64",
            Top::DeviceW64 => "device_w64",
            Top::PcieDmaW64 => "pcie_dma_w64",
            Top::RnicW64 => "rnic_w64",
            Top::PcieDmaW128 => "pcie_dma_w128",
            Top::PcieBarW128 => "pcie_bar_w128",
            Top::MacW64 => "mac_w64",
            Top::CarrierW64 => "carrier_w64",
            Top::CarriedW64 => "carried_w64",
        }
    }

    /// The top of a whole configuration: the device, or as long as it is not built from these
    /// numbers the bench of its width.
    pub fn of(config: &Config) -> Result<Top, EmitError> {
        config.check()?;
        Ok(match config.data_bits {
            64 if stages::unsupported(config).is_none() => Top::RnicW64,
            64 => Top::BenchW64,
            256 => Top::BenchW256,
            _ => Top::BenchW512,
        })
    }

    /// Elaborates this top and emits its Verilog.
    pub fn emit(self, config: &Config) -> Result<Emitted, EmitError> {
        config.check()?;
        match self {
            Top::BenchW64 => bench::<64, 4, 2, 3, 3, 5, 7>(self.name()),
            Top::BenchW256 => bench::<256, 6, 1, 1, 1, 2, 2>(self.name()),
            Top::BenchW512 => bench::<512, 7, 1, 1, 1, 1, 1>(self.name()),
            Top::MpaW64 => mpa::<64, 4, 2, 2, 1, 11, 17, 96>(self.name()),
            Top::MpaW256 => mpa::<256, 6, 8, 4, 3, 9, 15, 288>(self.name()),
            Top::MpaW512 => mpa::<512, 7, 16, 5, 4, 8, 14, 544>(self.name()),
            Top::NetRxW64 => net_rx(self.name()),
            Top::TcpTxW64 => tcp_tx(self.name(), config),
            Top::DdpRxW64 => ddp_rx(self.name()),
            Top::HostW64 => host(self.name()),
            Top::QueueW64 => queue(self.name()),
            Top::SqW64 => sq(self.name()),
            Top::PcieBarW64 => pcie_bar::<64, 4, 4>(self.name(), config),
            Top::PcieBarW128 => pcie_bar::<128, 5, 2>(self.name(), config),
            Top::MacW64 => mac(self.name()),
            Top::CarrierW64 => carrier(self.name()),
            Top::CarriedW64 => carried(self.name(), config),
            Top::DeviceW64 => device(self.name(), config),
            Top::RnicW64 => rnic(self.name(), config),
            Top::PcieDmaW64 => pcie_dma::<64, 4, 128, 2, 11>(self.name(), config),
            Top::PcieDmaW128 => pcie_dma::<128, 5, 256, 4, 10>(self.name(), config),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Profile;

    #[test]
    fn the_device_has_an_edge_of_64_or_128_bits() {
        let of = |edge_bits| Top::of(&Config { edge_bits, ..Config::profile(Profile::Tiny) }).unwrap();
        assert_eq!([64, 128, 256].map(of), [Top::RnicW64, Top::RnicW64, Top::BenchW64]);
        let ten = Config::profile(Profile::TenG);
        let emitted = Top::of(&ten).unwrap().emit(&ten).unwrap();
        let width = |name: &str| emitted.ports.iter().find(|p| p.name == name).map(|p| p.width);
        assert_eq!(["pcie_rx_data", "pcie_tx_data", "rx_data"].map(width), [Some(128), Some(128), Some(64)]);
    }

    #[test]
    fn every_top_is_emitted_with_plain_names() {
        let config = Config::profile(Profile::Tiny);
        for &top in Top::ALL {
            let e = top.emit(&config).unwrap();
            assert!(!e.verilog.contains('$'));
            assert!(e.ports.iter().any(|p| p.name == "reset"));
        }
    }
}
