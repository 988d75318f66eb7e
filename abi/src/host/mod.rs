//! Tables of the host interface: rows, queue entries, doorbells, admin commands.
//!
//! They are in network order like the wire's: one convention for every layout of the project, and an entry reads in
//! a hexadecimal dump as its table says.

pub mod admin;
pub mod doorbell;
pub mod queue;
pub mod row;

use crate::protocol::{protocol, Protocol};

/// Every layout of the host interface.
pub const PROTOCOLS: &[Protocol] = &[
    protocol!(host::queue, "Queues", [SEND_WQE, RECV_WQE, SGE, CQE, EVENT, RAW_HEAD, RAW_DESCRIPTOR]),
    protocol!(host::doorbell, "Doorbells", [DOORBELL]),
    protocol!(host::row, "Rows", [CONN, QP, CQ, MR]),
    protocol!(host::admin, "Admin port", [COMMAND, ANSWER, CAPTURED, RING]),
];
