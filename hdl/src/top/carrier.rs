// SPDX-License-Identifier: MIT OR Apache-2.0
//! The carrier alone, and the device behind the carrier.
use super::rnic;
use crate::config::Config;
use crate::emit::{emit_joined, EmitError, Emitted, Part, Table};
use crate::host::carrier::carrier as table;

/// The carrier, its ports as the table names them.
pub(super) fn carrier(top: &str) -> Result<Emitted, EmitError> {
    emit_joined(top, table())
}

/// The device of [`rnic::rnic`] with the carrier in place of a PCI Express block: one stream of
/// frames each way.
///
/// # Errors
/// Refuses an edge of 128 bits: the carrier has 64.
pub(super) fn carried(top: &str, config: &Config) -> Result<Emitted, EmitError> {
    if config.edge_bits != 64 {
        let why = format!("the carrier has 64 bits, edge_bits is {}: use 64", config.edge_bits);
        return Err(EmitError::Elaboration { top: top.into(), why });
    }
    let parts = vec![Part::table("rnic", rnic::table(top, config)?), Part::table("carrier", table())];
    let joined = Table::new(parts)
        .joins(&[
            ("carrier.wire_rx", "rnic.rx"),
            ("rnic.tx", "carrier.wire_tx"),
            ("carrier.pcie_rx", "rnic.pcie_rx"),
            ("rnic.pcie_tx", "carrier.pcie_tx"),
            ("carrier.pcie_cfg", "rnic.pcie_cfg"),
            ("carrier.pcie_flr", "rnic.pcie_flr"),
            ("rnic.pcie_flr_done", "carrier.pcie_flr_done"),
            ("rnic.pcie_np_ok", "carrier.pcie_np_ok"),
            ("carrier.pcie_np_room", "rnic.pcie_np_room"),
        ])
        .ties(&["rnic.pcie_link_up"], 1)
        .ties(&["rnic.pcie_hot_reset", "rnic.pcie_error"], 0)
        .exports(&[
            ("carrier.rx", "rx"),
            ("carrier.tx", "tx"),
            ("carrier.link_up", "eth_link_up"),
            ("rnic.eth_link_up", "eth_link_up"),
            ("rnic.tick_pin", "tick_pin"),
            ("rnic.tick_use_pin", "tick_use_pin"),
            ("carrier.address", "carrier_address"),
            ("carrier.silence", "carrier_silence"),
            ("carrier.timeout", "carrier_timeout"),
            ("carrier.is_bound", "carrier_bound"),
            ("carrier.is_open", "carrier_open"),
            ("carrier.index", "carrier_index"),
            ("carrier.count", "carrier_count"),
        ]);
    emit_joined(top, joined)
}
