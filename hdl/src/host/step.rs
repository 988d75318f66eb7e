// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stages that a command visits, as bits of [`super::AdminPlan::steps`]; they are visited in
//! ascending order.
/// What receive knows of a connection: `conn_insert` and `conn_update` ask first whether there
/// is one.
pub const NET_RX_LOOK: usize = 0;
/// What transmit knows of it.
pub const TCP_TX_LOOK: usize = 1;
/// `conn_insert` writes the transmit side first and makes the 4-tuple visible last.
pub const TCP_TX_INSERT: usize = 2;
/// Send queue: MULPDU, stream offsets.
pub const SQ_INSERT: usize = 3;
/// DDP: message numbers.
pub const DDP_INSERT: usize = 4;
/// MPA: SeqStart, markers, CRC.
pub const MPA_SETUP: usize = 5;
/// Receive: the 4-tuple.
pub const NET_RX_INSERT: usize = 6;
/// `conn_remove` takes the 4-tuple out first.
pub const NET_RX_REMOVE: usize = 7;
/// Then the transmit side.
pub const TCP_TX_REMOVE: usize = 8;
/// `qp_write` writes `fault` last, which lets the queue pair live again.
pub const RQ_WRITE: usize = 9;
/// Send queue.
pub const SQ_WRITE: usize = 10;
/// DDP: protection domain and completion queue.
pub const DDP_WRITE: usize = 11;
/// State.
pub const FAULT_WRITE: usize = 12;
/// Completion queue row.
pub const CQ_WRITE: usize = 13;
/// Memory region row.
pub const MR_WRITE: usize = 14;
/// Memory region made invalid.
pub const MR_REVOKE: usize = 15;
/// Place of the event ring.
pub const EVENT_RING: usize = 16;
/// Place of the raw receive ring.
pub const RAW_RX_RING: usize = 17;
/// Place of the raw transmit ring.
pub const RAW_TX_RING: usize = 18;
/// Acknowledgement and window seen by firmware.
pub const NET_RX_TOLD: usize = 19;
/// Slot of a Terminate or of the end of the stream.
pub const SQ_CONTROL: usize = 20;
/// Reset of a connection.
pub const TCP_TX_RESET: usize = 21;
/// Behind the end of a queue pair or connection, and before a captured error is read: what TCP
/// had announced is out of MPA.
pub const MPA_TOKEN: usize = 22;
/// Behind that, or `MR_REVOKE`: what was judged before is placed and told.
pub const DDP_TOKEN: usize = 23;
/// Behind that: nothing is being read any more that was begun before.
pub const SQ_TOKEN: usize = 24;
/// Behind that: no segment of a connection that ends is on its way to the wire.
pub const TCP_TX_TOKEN: usize = 25;
/// Behind those, or the place of a ring: what was told is on the bus.
pub const WRITTEN: usize = 26;
/// Number of steps.
pub const COUNT: usize = 27;
