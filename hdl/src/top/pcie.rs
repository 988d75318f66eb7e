// SPDX-License-Identifier: MIT OR Apache-2.0
//! The DMA side of the PCI Express edge, joined as the device joins it, between DMA ports and TLP
//! streams that a bench drives.
use super::timebase::{driven, time};
use crate::config::Config;
use crate::emit::{emit_joined, EmitError, Emitted, Net, Part, Table};
use crate::host::pcie::{Realign, RxRoute, TxMux};
use crate::params::{dma_read_of, tx_write_of};

/// Streams and channels between the parts.
const JOINS: &[(&str, &str)] = &[
    ("wr.tx", "mux.post"),
    ("wr.taken", "mux.taken"),
    ("rd.tx", "mux.read"),
    ("mux.gone", "rd.sent"),
    ("mux.gone_valid", "rd.sent_valid"),
    ("mux.gone_lost", "rd.sent_lost"),
    ("route.cpl", "rd.cpl"),
    ("time.tick", "rd.tick"),
    ("time.now", "rd.now"),
];

/// Ports of the top.
const EXPORTS: &[(&str, &str)] = &[
    ("wr.wr", "wr"),
    ("rd.rd", "rd"),
    ("rd.timeout", "timeout"),
    ("rd.faults", "faults"),
    ("rd.outstanding", "outstanding"),
    ("mux.cpl", "cpl"),
    ("mux.begun", "begun"),
    ("mux.np_room", "np_room"),
    ("mux.dropped", "dropped"),
    ("mux.tx", "tx"),
    ("route.req", "req"),
];

/// What TLPs come by: at 128 bits they may begin in the middle of a beat. `lost` is the net of a
/// port that hears of the link's loss.
pub(super) fn received(
    edge_bits: usize,
    lost: impl Fn(&str) -> Net,
) -> (Option<Part>, Vec<Net>, &'static str) {
    let mut nets = vec![lost("route.lost")];
    match edge_bits {
        64 => (None, nets, "route.rx"),
        _ => {
            nets.extend([lost("realign.lost"), Net::join("realign.tx", "route.rx")]);
            (Some(Part::new("realign", Realign::new)), nets, "realign.rx")
        }
    }
}

/// Its parts at `W` bits.
pub(super) fn pcie_dma<const W: usize, const K: usize, const D: usize, const N: usize, const A: usize>(
    top: &str,
    config: &Config,
) -> Result<Emitted, EmitError> {
    let mut parts = vec![
        Part::table("wr", tx_write_of!(width: W, bytes_width: K, double_width: D)()),
        Part::table(
            "rd",
            dma_read_of!(width: W, bytes_width: K, double_width: D, dwords: N, store_log2: A)(),
        ),
        Part::new("mux", TxMux::<W, K>::new),
        Part::new("route", RxRoute::<W, K>::new),
        time(config),
    ];
    let mut nets: Vec<_> = JOINS.iter().map(|&(a, b)| Net::join(a, b)).collect();
    nets.extend(EXPORTS.iter().map(|&(inner, outer)| Net::export(inner, outer)));
    nets.extend(driven());
    nets.extend(["time.ticks", "time.cycles"].map(Net::open));
    let (realign, joins, rx) = received(W, |port| Net::export(port, "lost"));
    parts.extend(realign);
    nets.extend(joins);
    nets.push(Net::export(rx, "rx"));
    nets.extend(["wr.cfg", "rd.cfg", "mux.cfg"].map(|port| Net::export(port, "cfg")));
    emit_joined(top, Table::new(parts).nets(nets))
}
