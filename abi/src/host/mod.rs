// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables of the host interface: rows, queue entries, doorbells, admin commands.
//!
//! They are in network order like the wire's: one convention for every layout of the project, and
//! an entry reads in a hexadecimal dump as its table says.

pub mod admin;
pub mod carrier;
pub mod completion;
pub mod conn_row;
pub mod counters;
pub mod csr;
pub mod doorbell;
pub mod raw;
pub mod row;
pub mod work;

use crate::protocol::{protocol, Protocol};

/// Every layout of the host interface.
pub const PROTOCOLS: &[Protocol] = &[
    protocol!(host::work, "Work requests", [SEND_WQE, RECV_WQE, SGE]),
    protocol!(host::completion, "Completions and events", [CQE, EVENT]),
    protocol!(host::raw, "Raw rings", [RAW_HEAD, RAW_DESCRIPTOR]),
    protocol!(host::doorbell, "Doorbells", [DOORBELL]),
    protocol!(host::conn_row, "Connection row", [CONN]),
    protocol!(host::row, "Rows of queues and memory", [QP, CQ, MR]),
    protocol!(host::admin, "Admin port", [COMMAND, CONN_ACK, ANSWER, CAPTURED, PATH, RING]),
    protocol!(host::carrier, "Carrier", [HEADER, RECORD, CONFIG]),
];
