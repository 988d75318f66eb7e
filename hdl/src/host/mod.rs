// SPDX-License-Identifier: MIT OR Apache-2.0
//! The host's side: admin port, DMA ports, doorbells, rings in host memory.

mod admin;
mod admin_overlay;
mod admin_plan;
mod admin_reply;
mod admin_rows;
mod admin_steps;
mod admin_take;
mod admin_which;
mod bus_error;
pub mod carrier;
mod doorbells;
mod link_state;
pub mod pcie;
#[allow(missing_docs)] // the derives make undocumented methods
mod ports;
mod posted;
mod posted_core;
mod raw_event;
mod raw_rx;
mod raw_tx;
mod read_core;
mod read_port;
mod ring_place;
mod row_tap;
pub mod step;
#[allow(missing_docs)] // the derive makes undocumented methods
mod timebase;
mod watchdog;
mod written;

pub use admin::Admin;
pub use admin_overlay::AdminOverlay;
pub use admin_plan::AdminPlan;
pub use admin_reply::AdminReply;
pub use admin_rows::AdminRows;
pub use admin_steps::AdminSteps;
pub use admin_take::AdminTake;
pub use admin_which::AdminWhich;
pub use bus_error::BusError;
pub use doorbells::Doorbells;
pub use link_state::LinkState;
pub use ports::{ReadSink, ReadSource, WriteSink, WriteSource};
pub use posted::PostedFifo;
pub use raw_rx::RawRx;
pub use raw_tx::RawTx;
pub use read_port::ReadPort;
pub use row_tap::{ConnTap, RowTap};
pub use timebase::{TimeState, Timebase};
pub use watchdog::{Watchdog, LIMIT};
pub use written::Written;

use crate::emit::{emit, Unit};
use crate::params::{admin_of, doorbells_of};

/// Blocks of this stage that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, emit| Unit { name, cell, stage: "host", width: 64, emit };
    let mut units = vec![
        unit("host_admin_w64", "host_admin", || {
            emit("host_admin_w64", || {
                <admin_of!(
                    qps_log2: 4, qps: 16, cqs_log2: 4, cqs: 16, regions_log2: 6, words_log2: 9,
                )>::new(2_048)
            })
        }),
        unit("host_read_w64", "host_read", || emit("host_read_w64", ReadPort::default)),
        unit("host_posted_w64", "host_posted", || emit("host_posted_w64", PostedFifo::default)),
        unit("host_doorbells_w64", "host_doorbells", || {
            emit("host_doorbells_w64", <doorbells_of!(qps_log2: 4, cqs_log2: 4)>::new)
        }),
        unit("host_raw_rx_w64", "host_raw_rx", || emit("host_raw_rx_w64", RawRx::new)),
        unit("host_raw_tx_w64", "host_raw_tx", || emit("host_raw_tx_w64", RawTx::new)),
    ];
    units.extend(carrier::catalog());
    units.extend(pcie::catalog());
    units
}
