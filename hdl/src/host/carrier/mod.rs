// SPDX-License-Identifier: MIT OR Apache-2.0
//! The carrier: TLPs in Ethernet frames, for a board without PCI Express.

mod bind;
mod demux;
mod judge;
mod order;
mod reader;
#[allow(missing_docs)] // the derive makes undocumented methods
mod ring;
mod sender;
mod stats;
mod store;
mod writer;

use super::pcie::RxGate;
use crate::emit::{emit_joined, Net, Part, Table, Unit};
use crate::stream::Arbiter;
use bind::Bind;
use demux::Demux;
use judge::Judge;
use order::Order;
use reader::Reader;
use ring::Ring;
use sender::Sender;
use stats::Stats;
use store::Store;
use writer::Writer;

/// Blocks of this folder that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    vec![Unit {
        name: "carrier_w64",
        cell: "carrier",
        stage: "host",
        width: 64,
        emit: || emit_joined("carrier_w64", carrier()),
    }]
}

/// Names of the counters, in the order of `index`, and the pulse that each one counts.
pub const COUNTED: [(&str, &str); stats::COUNTERS] = [
    ("sent", "ring.sent"),
    ("sent_again", "ring.again"),
    ("taken", "order.taken"),
    ("out_of_order", "order.out_of_order"),
    ("stale", "bind.stale"),
    ("foreign", "bind.foreign"),
    ("malformed", "bind.was_malformed"),
    ("bad_fcs", "bind.was_spoilt"),
    ("no_room", "order.no_room"),
    ("hellos", "bind.hello"),
    ("unbound", "bind.unbound"),
];

/// The carrier between MAC, wire of the device and PCI Express edge of the device.
///
/// **Ports.** `rx`, `tx`: frames of the MAC. `wire_rx`, `wire_tx`: frames of the device. The ports
/// `pcie_*` have the names of the ports of the device that they join. `address`: MAC address of the
/// device. `silence`, `timeout`: cycles until an unheard host is unbound, and until frames are sent
/// again. `is_bound`, `is_open`: a host is bound; its epoch runs. `index`, `count`: counters.
pub fn carrier() -> Table {
    let parts = vec![
        Part::new("demux", Demux::default),
        Part::new("judge", Judge::default),
        Part::new("bind", Bind::default),
        Part::new("order", Order::default),
        Part::new("store", Store::new),
        Part::new("reader", Reader::default),
        Part::new("gate", RxGate::<64, 4>::default),
        Part::new("writer", Writer::default),
        Part::new("ring", Ring::new),
        Part::new("sender", Sender::default),
        Part::new("arbiter", Arbiter::<2, 64, 4>::default),
        Part::new("stats", Stats::default),
    ];
    let counted = COUNTED.iter().enumerate().map(|(i, (_, pulse))| Net::bit("stats.pulse", i, *pulse));
    Table::new(parts)
        .joins(&[
            // what comes
            ("demux.own", "judge.rx"),
            ("demux.own_valid", "judge.rx_valid"),
            ("judge.row", "store.row"),
            ("judge.row_valid", "store.row_valid"),
            ("judge.bad_fcs", "bind.bad_fcs"),
            ("judge.malformed", "bind.malformed"),
            ("bind.current", "order.current"),
            ("store.full", "order.full"),
            ("order.keep", "store.keep"),
            ("store.tx", "reader.rx"),
            ("store.tx_valid", "reader.rx_valid"),
            ("reader.rx_ready", "store.tx_ready"),
            ("store.empty", "bind.drained[0]"),
            ("reader.idle", "bind.drained[1]"),
            ("reader.resets", "bind.resets"),
            ("bind.resetting", "reader.resetting"),
            ("bind.closing", "reader.closing"),
            // what leaves
            ("gate.tx", "writer.rx"),
            ("bind.reset_done", "writer.reset_done"),
            ("writer.row", "ring.row"),
            ("writer.row_valid", "ring.row_valid"),
            ("writer.close", "ring.close"),
            ("writer.rows", "ring.rows"),
            ("writer.records", "ring.records"),
            ("ring.room", "writer.room"),
            ("bind.current", "ring.told"),
            ("judge.hdr.acknowledged", "ring.acknowledged"),
            ("judge.hdr.nak", "ring.nak"),
            ("ring.offer", "sender.offer"),
            ("ring.number", "sender.number"),
            ("ring.place", "sender.place"),
            ("ring.read_data", "sender.read_data"),
            ("sender.begun", "ring.begun"),
            ("sender.ended", "ring.ended"),
            ("sender.read_enable", "ring.read_enable"),
            ("sender.read_address", "ring.read_address"),
            ("bind.station", "sender.station"),
            ("bind.epoch", "sender.epoch"),
            ("bind.owes_hello", "sender.owes_hello"),
            ("sender.hello_sent", "bind.hello_sent"),
            ("order.urgent", "sender.urgent"),
            ("order.expected", "sender.expected"),
            ("order.nak", "sender.nak"),
            ("sender.told", "order.sent"),
            ("sender.tx", "arbiter.rx_1"),
        ])
        .fans(&[
            ("judge.came", "bind.came store.ended"),
            ("judge.hdr", "bind.hdr order.hdr"),
            ("bind.open", "order.open gate.open writer.open ring.open sender.open"),
        ])
        .nets(counted)
        .exports(&[
            ("demux.rx", "rx"),
            ("arbiter.tx", "tx"),
            ("demux.ether", "wire_rx"),
            ("arbiter.rx_0", "wire_tx"),
            ("reader.tx", "pcie_rx"),
            ("gate.rx", "pcie_tx"),
            ("reader.cfg", "pcie_cfg"),
            ("bind.flr", "pcie_flr"),
            ("bind.flr_done", "pcie_flr_done"),
            ("sender.np_ok", "pcie_np_ok"),
            ("writer.np_room", "pcie_np_room"),
            ("bind.link_up", "link_up"),
            ("bind.address", "address"),
            ("sender.address", "address"),
            ("bind.silence", "silence"),
            ("ring.timeout", "timeout"),
            ("bind.is_bound", "is_bound"),
            ("bind.open", "is_open"),
            ("stats.index", "index"),
            ("stats.count", "count"),
        ])
        .open(&["gate.passing", "arbiter.from"])
}
