// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants of the host interface.

/// How a work request ended; each has the meaning that rdma-core gives it.
pub mod wc_status {
    /// Done. Ferrowarp.
    pub const SUCCESS: u8 = 0;
    /// A message is longer than the receive. Ferrowarp.
    pub const LOC_LEN_ERR: u8 = 1;
    /// The work request is not possible. Ferrowarp.
    pub const LOC_QP_OP_ERR: u8 = 2;
    /// An SGE lies outside the regions of its protection domain. Ferrowarp.
    pub const LOC_PROT_ERR: u8 = 3;
    /// The queue pair was in error before it was begun. Ferrowarp.
    pub const WR_FLUSH_ERR: u8 = 4;
    /// A region does not allow what the peer asked of it. Ferrowarp.
    pub const LOC_ACCESS_ERR: u8 = 5;
    /// The peer refused access. Ferrowarp.
    pub const REM_ACCESS_ERR: u8 = 6;
    /// The peer could not do it. Ferrowarp.
    pub const REM_OP_ERR: u8 = 7;
    /// The peer did not answer. Ferrowarp.
    pub const RETRY_EXC_ERR: u8 = 8;
    /// The queue pair stopped for a fault of the stream. Ferrowarp.
    pub const FATAL_ERR: u8 = 9;
    /// None of the others. Ferrowarp.
    pub const GENERAL_ERR: u8 = 10;
}

/// What an event says.
pub mod event_kind {
    /// An armed completion queue has a new entry. Ferrowarp.
    pub const CQ_NOTIFY: u8 = 1;
    /// A queue pair stopped for a fault of the stream. Ferrowarp.
    pub const QP_FATAL: u8 = 2;
    /// A queue pair stopped for one of its own work requests. Ferrowarp.
    pub const QP_REQUEST_ERROR: u8 = 3;
    /// A queue pair stopped because its peer asked for what it may not. Ferrowarp.
    pub const QP_ACCESS_ERROR: u8 = 4;
    /// A completion queue had no room; its queue pairs stop. Ferrowarp.
    pub const CQ_OVERRUN: u8 = 5;
    /// The first good FPDU of a connection came. Ferrowarp.
    pub const FIRST_FPDU: u8 = 6;
    /// The peer closed its side in order. Ferrowarp.
    pub const PEER_FIN: u8 = 7;
    /// A valid reset came. Ferrowarp.
    pub const PEER_RESET: u8 = 8;
    /// A Terminate came; `info` is its control field, layer in the four highest bits. Ferrowarp.
    pub const PEER_TERMINATE: u8 = 9;
    /// The peer acknowledged nothing for the whole retry limit. Ferrowarp.
    pub const CONNECTION_LOST: u8 = 10;
    /// The peer acknowledged the end of our side of the stream. Ferrowarp.
    pub const FIN_ACKED: u8 = 11;
    /// The Ethernet link went down; `number` is 0. Ferrowarp.
    pub const LINK_DOWN: u8 = 12;
    /// The Ethernet link came up; `number` is 0. Ferrowarp.
    pub const LINK_UP: u8 = 13;
    /// Nothing moved for the ticks of `watchdog`; `info` is one of `stall`, `number` the queue pair
    /// of `receive` and `transmit`. Ferrowarp.
    pub const STALLED: u8 = 14;
    /// The PCI Express block has reported an error of our requests to the host. Ferrowarp.
    pub const BUS_ERROR: u8 = 15;
    /// The peer sent octets behind its FIN; they are dropped. Once a connection. Ferrowarp.
    pub const OCTETS_AFTER_FIN: u8 = 16;
    /// A frame stands in the raw receive ring, which was armed; `number` is 0. Ferrowarp.
    pub const RAW_RX: u8 = 17;
}

/// What has stalled, for `info` of the event `stalled`; its bit in the register `stalled` is one
/// less.
pub mod stall {
    /// A command of the admin port has no answer. Ferrowarp.
    pub const ADMIN: u8 = 1;
    /// An FPDU that came is not placed or delivered. Ferrowarp.
    pub const RECEIVE: u8 = 2;
    /// An FPDU that is to leave, or its octets, do not come to TCP. Ferrowarp.
    pub const TRANSMIT: u8 = 3;
    /// The Ethernet port takes no frame. Ferrowarp.
    pub const FRAME: u8 = 4;
}

/// Opcodes of a send work request that are no RDMAP message; beyond the four bits of RDMAP's.
pub mod work_opcode {
    /// Octets for the stream as they are, in one segment: MPA's Reply. Ferrowarp.
    pub const RAW: u8 = 16;
    /// The end of our side of the stream. No payload. Ferrowarp.
    pub const FIN: u8 = 17;
    /// Place of: a region of ours, `local_stag`, ends. Refused: not built. Ferrowarp.
    pub const INVALIDATE: u8 = 18;
    /// Place of: a memory window gets the key `local_stag`. Refused: not built. Ferrowarp.
    pub const BIND: u8 = 19;
    /// Place of: the first SGE names a page list for the region `local_stag`. Refused: not built.
    /// Ferrowarp.
    pub const REGISTER: u8 = 20;
}

/// What a doorbell tells.
pub mod doorbell_kind {
    /// Producer index of a send queue. Ferrowarp.
    pub const SQ: u8 = 0;
    /// Producer index of a receive queue. Ferrowarp.
    pub const RQ: u8 = 1;
    /// Consumer index of a completion queue. Ferrowarp.
    pub const CQ_CONSUMER: u8 = 2;
    /// Make an event for the oldest completion that was neither taken nor told of; the value is the
    /// consumer index. Ferrowarp.
    pub const CQ_ARM: u8 = 3;
    /// Consumer index of the event ring. Ferrowarp.
    pub const EVENT_CONSUMER: u8 = 4;
    /// Consumer index of the raw receive ring. Ferrowarp.
    pub const RAW_RX_CONSUMER: u8 = 5;
    /// Producer index of the raw transmit ring. Ferrowarp.
    pub const RAW_TX_PRODUCER: u8 = 6;
    /// Make one event `raw_rx` when the producer index of the raw receive ring differs from the
    /// value. Ferrowarp.
    pub const RAW_RX_ARM: u8 = 7;
}

/// State of a queue pair.
pub mod qp_state {
    /// Does nothing. Ferrowarp.
    pub const RESET: u8 = 0;
    /// Works. Ferrowarp.
    pub const READY: u8 = 1;
    /// Stopped. Ferrowarp.
    pub const ERROR: u8 = 2;
}

/// Read depths that hardware can hold; `qp_write` refuses more.
pub mod read_limit {
    /// Read Requests of a peer that a queue pair answers at once. Ferrowarp.
    pub const IRD: u8 = 8;
    /// Read Requests of ours that a queue pair has under way at once. Ferrowarp.
    pub const ORD: u8 = 16;
}

/// Why a frame came to the raw receive ring.
pub mod raw_reason {
    /// Neither IPv4 nor IPv6: ARP and others. Ferrowarp.
    pub const NOT_IP: u8 = 1;
    /// IP, but not TCP. Ferrowarp.
    pub const NOT_TCP: u8 = 2;
    /// A fragment of an IP packet. Ferrowarp.
    pub const FRAGMENT: u8 = 3;
    /// IPv6 with extension headers. Ferrowarp.
    pub const IP_EXTENSION: u8 = 4;
    /// TCP of no connection in the table. Ferrowarp.
    pub const NO_CONNECTION: u8 = 5;
    /// SYN, FIN or RST of a connection in the table. Ferrowarp.
    pub const CONNECTION: u8 = 6;
}

/// Commands of the admin port.
pub mod admin_opcode {
    /// Answered, does nothing. Ferrowarp.
    pub const NOTHING: u8 = 0;
    /// Writes a connection row and makes it visible. Ferrowarp.
    pub const CONN_INSERT: u8 = 1;
    /// Takes a connection out. Ferrowarp.
    pub const CONN_REMOVE: u8 = 2;
    /// The newest acknowledgement and window that firmware saw during hand-over. Ferrowarp.
    pub const CONN_ACK: u8 = 3;
    /// Writes the fields of a connection row that may change while it lives. Ferrowarp.
    pub const CONN_UPDATE: u8 = 4;
    /// Writes a memory region row. Ferrowarp.
    pub const MR_WRITE: u8 = 5;
    /// Makes a memory region invalid; answered when the device reaches its memory no more.
    /// Ferrowarp.
    pub const MR_REVOKE: u8 = 6;
    /// Writes a queue pair row. Ferrowarp.
    pub const QP_WRITE: u8 = 7;
    /// Writes a completion queue row. Ferrowarp.
    pub const CQ_WRITE: u8 = 8;
    /// Reads a row. Ferrowarp.
    pub const READ_ROW: u8 = 9;
    /// Places the event ring. Ferrowarp.
    pub const EVENT_RING: u8 = 10;
    /// Places the raw receive ring. Ferrowarp.
    pub const RAW_RX_RING: u8 = 11;
    /// Places the raw transmit ring. Ferrowarp.
    pub const RAW_TX_RING: u8 = 12;
    /// Sends the slot that follows (a `SendWqe` with inline octets: Terminate or FIN), also for a
    /// queue pair in error. Ferrowarp.
    pub const CONN_CONTROL: u8 = 13;
    /// Sends a RST and nothing more of the connection. Ferrowarp.
    pub const CONN_RESET: u8 = 14;
}

/// What `read_row` reads.
pub mod admin_row {
    /// Connection row. Ferrowarp.
    pub const CONN: u8 = 0;
    /// Queue pair row. Ferrowarp.
    pub const QP: u8 = 1;
    /// Completion queue row. Ferrowarp.
    pub const CQ: u8 = 2;
    /// Memory region row. Ferrowarp.
    pub const MR: u8 = 3;
    /// First error of a queue pair. Ferrowarp.
    pub const CAPTURED: u8 = 4;
    /// Consumer index of the raw transmit ring: the answer's `value`, no row follows. Ferrowarp.
    pub const RAW_TX: u8 = 5;
    /// What transmit knows of a connection's path. Ferrowarp.
    pub const PATH: u8 = 6;
}

/// How a command ended.
pub mod admin_status {
    /// Done. Ferrowarp.
    pub const DONE: u8 = 0;
    /// No such command. Ferrowarp.
    pub const BAD_OPCODE: u8 = 1;
    /// No such row. Ferrowarp.
    pub const BAD_INDEX: u8 = 2;
    /// A field of the row is impossible, or the row is too short. Ferrowarp.
    pub const BAD_ROW: u8 = 3;
    /// The 4-tuple is in the table already. Ferrowarp.
    pub const PRESENT: u8 = 4;
    /// No place in the table for the 4-tuple. Ferrowarp.
    pub const FULL: u8 = 5;
    /// The row is not in use. Ferrowarp.
    pub const ABSENT: u8 = 6;
    /// MULPDU is below 128, or its FPDU does not fit into EMSS. Ferrowarp.
    pub const BAD_MULPDU: u8 = 7;
    /// A completion queue of the row is not there, or has overrun. Ferrowarp.
    pub const BAD_CQ: u8 = 8;
}

/// Of every frame of the carrier.
pub mod carrier_frame {
    /// EtherType for local experiments. IEEE 802 section 9.2.4.
    pub const ETHER_TYPE: u16 = 0x88B5;
    /// Version of the layout. Ferrowarp.
    pub const VERSION: u8 = 1;
}

/// What a frame of the carrier is.
pub mod carrier_kind {
    /// Begins an epoch (host), or answers that the device is ready (device). Ferrowarp.
    pub const HELLO: u8 = 1;
    /// Records. Ferrowarp.
    pub const DATA: u8 = 2;
    /// Acknowledges; nothing else. Ferrowarp.
    pub const ACK: u8 = 3;
}

/// What a record is.
pub mod carrier_record {
    /// A TLP. Ferrowarp.
    pub const TLP: u8 = 1;
    /// Configuration of the function (host). Ferrowarp.
    pub const CONFIG: u8 = 2;
    /// Function Level Reset (host). Ferrowarp.
    pub const RESET: u8 = 3;
    /// The Function Level Reset has ended (device). Ferrowarp.
    pub const RESET_DONE: u8 = 4;
}
