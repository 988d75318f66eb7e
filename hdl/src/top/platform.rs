// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is around the device, joined: its links, errors of the bus, what waits for too long, and
//! the events of all these.
use crate::config::Config;
use crate::emit::{Net, Part};
use crate::host::pcie::BusLink;
use crate::host::{BusError, LinkState, Watchdog};
use crate::queue::OwnEvents;

/// Between these parts, and between them and the others.
const JOINS: &[(&str, &str)] = &[
    // events, in turn
    ("link.event", "own.from_0"),
    ("dog.event", "own.from_1"),
    ("bus_error.event", "own.from_2"),
    ("raw_rx.event", "own.from_3"),
    ("own.event", "events.own"),
    // the links
    ("link.is_up", "csr.link_up"),
    ("bus_link.lost", "flr.lost"),
    ("bus_link.resets", "csr.bus_resets"),
    // what waits for too long
    ("csr.watchdog", "dog.limit"),
    ("dog.stalled", "csr.stalled"),
    ("time.tick", "dog.tick"),
    ("window.busy", "dog.asked"),
    ("mpa_rx.fpdu_conn", "dog.rx_qp"),
    ("mpa_rx.hold_qp", "dog.take_qp"),
    ("mpa_tx.owes", "dog.owes"),
    ("mpa_tx.owed_qp", "dog.tx_qp"),
    ("ddp_tx.owes", "dog.sq_owes"),
    ("ddp_tx.owed_qp", "dog.sq_qp"),
    ("tcp_tx.tx_valid", "dog.frame_valid"),
];

/// Ports of the device.
const EXPORTS: &[(&str, &str)] = &[
    ("link.pin", "eth_link_up"),
    ("dog.frame_ready", "tx_ready"),
    ("bus_link.up", "pcie_link_up"),
    ("bus_link.hot_reset", "pcie_hot_reset"),
    ("bus_error.pin", "pcie_error"),
];

/// Channels that the watchdog looks at: who offers, who takes.
const WATCHED: &[(&str, &str)] = &[
    ("mpa_rx.fpdu_valid", "ddp.fpdu_ready"),
    ("mpa_rx.tx_valid", "ddp.rx_ready"),
    ("ddp.place_cmd_valid", "posted.c0_cmd_ready"),
    ("ddp.place_valid", "posted.c0_ready"),
    ("ddp.deliver_valid", "cq.from_0_ready"),
    ("mpa_rx.hold_valid", "mpa_rx.hold_ready"),
    ("ddp_tx.fpdu_valid", "mpa_tx.fpdu_ready"),
    ("ddp_tx.tx_valid", "mpa_tx.rx_ready"),
];

/// The parts.
pub(super) fn parts(config: &Config) -> Vec<Part> {
    let dog = match config.qps {
        16 => Part::new("dog", Watchdog::<4>::new),
        _ => Part::new("dog", Watchdog::<6>::new),
    };
    vec![
        Part::new("link", LinkState::new),
        Part::new("bus_link", BusLink::new),
        Part::new("bus_error", BusError::new),
        Part::new("own", OwnEvents::<4>::new),
        dog,
    ]
}

/// What joins them.
pub(super) fn nets() -> Vec<Net> {
    let mut nets: Vec<_> = JOINS.iter().map(|&(a, b)| Net::join(a, b)).collect();
    nets.extend(EXPORTS.iter().map(|&(inner, outer)| Net::export(inner, outer)));
    for (i, &(valid, ready)) in WATCHED.iter().enumerate() {
        nets.push(Net::bit("dog.valid", i, valid));
        nets.push(Net::bit("dog.ready", i, ready));
    }
    nets
}
