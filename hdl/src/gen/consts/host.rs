// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants of the host interface.

/// How a work request ended; each has the meaning that rdma-core gives it.
pub mod wc_status {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Done. Ferrowarp.
    pub fn success() -> Const<Bits<8>> {
        Const::of(0)
    }
    /// A message is longer than the receive. Ferrowarp.
    pub fn loc_len_err() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// The work request is not possible. Ferrowarp.
    pub fn loc_qp_op_err() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// An SGE lies outside the regions of its protection domain. Ferrowarp.
    pub fn loc_prot_err() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// The queue pair was in error before it was begun. Ferrowarp.
    pub fn wr_flush_err() -> Const<Bits<8>> {
        Const::of(4)
    }
    /// A region does not allow what the peer asked of it. Ferrowarp.
    pub fn loc_access_err() -> Const<Bits<8>> {
        Const::of(5)
    }
    /// The peer refused access. Ferrowarp.
    pub fn rem_access_err() -> Const<Bits<8>> {
        Const::of(6)
    }
    /// The peer could not do it. Ferrowarp.
    pub fn rem_op_err() -> Const<Bits<8>> {
        Const::of(7)
    }
    /// The peer did not answer. Ferrowarp.
    pub fn retry_exc_err() -> Const<Bits<8>> {
        Const::of(8)
    }
    /// The queue pair stopped for a fault of the stream. Ferrowarp.
    pub fn fatal_err() -> Const<Bits<8>> {
        Const::of(9)
    }
    /// None of the others. Ferrowarp.
    pub fn general_err() -> Const<Bits<8>> {
        Const::of(10)
    }
}

/// What an event says.
pub mod event_kind {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// An armed completion queue has a new entry. Ferrowarp.
    pub fn cq_notify() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// A queue pair stopped for a fault of the stream. Ferrowarp.
    pub fn qp_fatal() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// A queue pair stopped for one of its own work requests. Ferrowarp.
    pub fn qp_request_error() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// A queue pair stopped because its peer asked for what it may not. Ferrowarp.
    pub fn qp_access_error() -> Const<Bits<8>> {
        Const::of(4)
    }
    /// A completion queue had no room; its queue pairs stop. Ferrowarp.
    pub fn cq_overrun() -> Const<Bits<8>> {
        Const::of(5)
    }
    /// The first good FPDU of a connection came. Ferrowarp.
    pub fn first_fpdu() -> Const<Bits<8>> {
        Const::of(6)
    }
    /// The peer closed its side in order. Ferrowarp.
    pub fn peer_fin() -> Const<Bits<8>> {
        Const::of(7)
    }
    /// A valid reset came. Ferrowarp.
    pub fn peer_reset() -> Const<Bits<8>> {
        Const::of(8)
    }
    /// A Terminate came; `info` is its control field, layer in the four highest bits. Ferrowarp.
    pub fn peer_terminate() -> Const<Bits<8>> {
        Const::of(9)
    }
    /// The peer acknowledged nothing for the whole retry limit. Ferrowarp.
    pub fn connection_lost() -> Const<Bits<8>> {
        Const::of(10)
    }
    /// The peer acknowledged the end of our side of the stream. Ferrowarp.
    pub fn fin_acked() -> Const<Bits<8>> {
        Const::of(11)
    }
    /// The Ethernet link went down; `number` is 0. Ferrowarp.
    pub fn link_down() -> Const<Bits<8>> {
        Const::of(12)
    }
    /// The Ethernet link came up; `number` is 0. Ferrowarp.
    pub fn link_up() -> Const<Bits<8>> {
        Const::of(13)
    }
    /// Nothing moved for the ticks of `watchdog`; `info` is one of `stall`, `number` the queue pair
    /// of `receive` and `transmit`. Ferrowarp.
    pub fn stalled() -> Const<Bits<8>> {
        Const::of(14)
    }
    /// The PCI Express block has reported an error of our requests to the host. Ferrowarp.
    pub fn bus_error() -> Const<Bits<8>> {
        Const::of(15)
    }
    /// The peer sent octets behind its FIN; they are dropped. Once a connection. Ferrowarp.
    pub fn octets_after_fin() -> Const<Bits<8>> {
        Const::of(16)
    }
    /// A frame stands in the raw receive ring, which was armed; `number` is 0. Ferrowarp.
    pub fn raw_rx() -> Const<Bits<8>> {
        Const::of(17)
    }
}

/// What has stalled, for `info` of the event `stalled`; its bit in the register `stalled` is one
/// less.
pub mod stall {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// A command of the admin port has no answer. Ferrowarp.
    pub fn admin() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// An FPDU that came is not placed or delivered. Ferrowarp.
    pub fn receive() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// An FPDU that is to leave, or its octets, do not come to TCP. Ferrowarp.
    pub fn transmit() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// The Ethernet port takes no frame. Ferrowarp.
    pub fn frame() -> Const<Bits<8>> {
        Const::of(4)
    }
}

/// Opcodes of a send work request that are no RDMAP message; beyond the four bits of RDMAP's.
pub mod work_opcode {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Octets for the stream as they are, in one segment: MPA's Reply. Ferrowarp.
    pub fn raw() -> Const<Bits<8>> {
        Const::of(16)
    }
    /// The end of our side of the stream. No payload. Ferrowarp.
    pub fn fin() -> Const<Bits<8>> {
        Const::of(17)
    }
    /// Place of: a region of ours, `local_stag`, ends. Refused: not built. Ferrowarp.
    pub fn invalidate() -> Const<Bits<8>> {
        Const::of(18)
    }
    /// Place of: a memory window gets the key `local_stag`. Refused: not built. Ferrowarp.
    pub fn bind() -> Const<Bits<8>> {
        Const::of(19)
    }
    /// Place of: the first SGE names a page list for the region `local_stag`. Refused: not built.
    /// Ferrowarp.
    pub fn register() -> Const<Bits<8>> {
        Const::of(20)
    }
}

/// What a doorbell tells.
pub mod doorbell_kind {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Producer index of a send queue. Ferrowarp.
    pub fn sq() -> Const<Bits<8>> {
        Const::of(0)
    }
    /// Producer index of a receive queue. Ferrowarp.
    pub fn rq() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Consumer index of a completion queue. Ferrowarp.
    pub fn cq_consumer() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// Make an event for the oldest completion that was neither taken nor told of; the value is the
    /// consumer index. Ferrowarp.
    pub fn cq_arm() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// Consumer index of the event ring. Ferrowarp.
    pub fn event_consumer() -> Const<Bits<8>> {
        Const::of(4)
    }
    /// Consumer index of the raw receive ring. Ferrowarp.
    pub fn raw_rx_consumer() -> Const<Bits<8>> {
        Const::of(5)
    }
    /// Producer index of the raw transmit ring. Ferrowarp.
    pub fn raw_tx_producer() -> Const<Bits<8>> {
        Const::of(6)
    }
    /// Make one event `raw_rx` when the producer index of the raw receive ring differs from the
    /// value. Ferrowarp.
    pub fn raw_rx_arm() -> Const<Bits<8>> {
        Const::of(7)
    }
}

/// State of a queue pair.
pub mod qp_state {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Does nothing. Ferrowarp.
    pub fn reset() -> Const<Bits<8>> {
        Const::of(0)
    }
    /// Works. Ferrowarp.
    pub fn ready() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Stopped. Ferrowarp.
    pub fn error() -> Const<Bits<8>> {
        Const::of(2)
    }
}

/// Read depths that hardware can hold; `qp_write` refuses more.
pub mod read_limit {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Read Requests of a peer that a queue pair answers at once. Ferrowarp.
    pub fn ird() -> Const<Bits<8>> {
        Const::of(8)
    }
    /// Read Requests of ours that a queue pair has under way at once. Ferrowarp.
    pub fn ord() -> Const<Bits<8>> {
        Const::of(16)
    }
}

/// Why a frame came to the raw receive ring.
pub mod raw_reason {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Neither IPv4 nor IPv6: ARP and others. Ferrowarp.
    pub fn not_ip() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// IP, but not TCP. Ferrowarp.
    pub fn not_tcp() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// A fragment of an IP packet. Ferrowarp.
    pub fn fragment() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// IPv6 with extension headers. Ferrowarp.
    pub fn ip_extension() -> Const<Bits<8>> {
        Const::of(4)
    }
    /// TCP of no connection in the table. Ferrowarp.
    pub fn no_connection() -> Const<Bits<8>> {
        Const::of(5)
    }
    /// SYN, FIN or RST of a connection in the table. Ferrowarp.
    pub fn connection() -> Const<Bits<8>> {
        Const::of(6)
    }
}

/// Commands of the admin port.
pub mod admin_opcode {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Answered, does nothing. Ferrowarp.
    pub fn nothing() -> Const<Bits<8>> {
        Const::of(0)
    }
    /// Writes a connection row and makes it visible. Ferrowarp.
    pub fn conn_insert() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Takes a connection out. Ferrowarp.
    pub fn conn_remove() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// The newest acknowledgement and window that firmware saw during hand-over. Ferrowarp.
    pub fn conn_ack() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// Writes the fields of a connection row that may change while it lives. Ferrowarp.
    pub fn conn_update() -> Const<Bits<8>> {
        Const::of(4)
    }
    /// Writes a memory region row. Ferrowarp.
    pub fn mr_write() -> Const<Bits<8>> {
        Const::of(5)
    }
    /// Makes a memory region invalid; answered when the device reaches its memory no more.
    /// Ferrowarp.
    pub fn mr_revoke() -> Const<Bits<8>> {
        Const::of(6)
    }
    /// Writes a queue pair row. Ferrowarp.
    pub fn qp_write() -> Const<Bits<8>> {
        Const::of(7)
    }
    /// Writes a completion queue row. Ferrowarp.
    pub fn cq_write() -> Const<Bits<8>> {
        Const::of(8)
    }
    /// Reads a row. Ferrowarp.
    pub fn read_row() -> Const<Bits<8>> {
        Const::of(9)
    }
    /// Places the event ring. Ferrowarp.
    pub fn event_ring() -> Const<Bits<8>> {
        Const::of(10)
    }
    /// Places the raw receive ring. Ferrowarp.
    pub fn raw_rx_ring() -> Const<Bits<8>> {
        Const::of(11)
    }
    /// Places the raw transmit ring. Ferrowarp.
    pub fn raw_tx_ring() -> Const<Bits<8>> {
        Const::of(12)
    }
    /// Sends the slot that follows (a `SendWqe` with inline octets: Terminate or FIN), also for a
    /// queue pair in error. Ferrowarp.
    pub fn conn_control() -> Const<Bits<8>> {
        Const::of(13)
    }
    /// Sends a RST and nothing more of the connection. Ferrowarp.
    pub fn conn_reset() -> Const<Bits<8>> {
        Const::of(14)
    }
}

/// What `read_row` reads.
pub mod admin_row {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Connection row. Ferrowarp.
    pub fn conn() -> Const<Bits<8>> {
        Const::of(0)
    }
    /// Queue pair row. Ferrowarp.
    pub fn qp() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Completion queue row. Ferrowarp.
    pub fn cq() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// Memory region row. Ferrowarp.
    pub fn mr() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// First error of a queue pair. Ferrowarp.
    pub fn captured() -> Const<Bits<8>> {
        Const::of(4)
    }
    /// Consumer index of the raw transmit ring: the answer's `value`, no row follows. Ferrowarp.
    pub fn raw_tx() -> Const<Bits<8>> {
        Const::of(5)
    }
    /// What transmit knows of a connection's path. Ferrowarp.
    pub fn path() -> Const<Bits<8>> {
        Const::of(6)
    }
}

/// How a command ended.
pub mod admin_status {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Done. Ferrowarp.
    pub fn done() -> Const<Bits<8>> {
        Const::of(0)
    }
    /// No such command. Ferrowarp.
    pub fn bad_opcode() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// No such row. Ferrowarp.
    pub fn bad_index() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// A field of the row is impossible, or the row is too short. Ferrowarp.
    pub fn bad_row() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// The 4-tuple is in the table already. Ferrowarp.
    pub fn present() -> Const<Bits<8>> {
        Const::of(4)
    }
    /// No place in the table for the 4-tuple. Ferrowarp.
    pub fn full() -> Const<Bits<8>> {
        Const::of(5)
    }
    /// The row is not in use. Ferrowarp.
    pub fn absent() -> Const<Bits<8>> {
        Const::of(6)
    }
    /// MULPDU is below 128, or its FPDU does not fit into EMSS. Ferrowarp.
    pub fn bad_mulpdu() -> Const<Bits<8>> {
        Const::of(7)
    }
    /// A completion queue of the row is not there, or has overrun. Ferrowarp.
    pub fn bad_cq() -> Const<Bits<8>> {
        Const::of(8)
    }
}

/// Of every frame of the carrier.
pub mod carrier_frame {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// EtherType for local experiments. IEEE 802 section 9.2.4.
    pub fn ether_type() -> Const<Bits<16>> {
        Const::of(0x88B5)
    }
    /// Version of the layout. Ferrowarp.
    pub fn version() -> Const<Bits<4>> {
        Const::of(1)
    }
}

/// What a frame of the carrier is.
pub mod carrier_kind {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Begins an epoch (host), or answers that the device is ready (device). Ferrowarp.
    pub fn hello() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Records. Ferrowarp.
    pub fn data() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// Acknowledges; nothing else. Ferrowarp.
    pub fn ack() -> Const<Bits<8>> {
        Const::of(3)
    }
}

/// What a record is.
pub mod carrier_record {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// A TLP. Ferrowarp.
    pub fn tlp() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Configuration of the function (host). Ferrowarp.
    pub fn config() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// Function Level Reset (host). Ferrowarp.
    pub fn reset() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// The Function Level Reset has ended (device). Ferrowarp.
    pub fn reset_done() -> Const<Bits<8>> {
        Const::of(4)
    }
}
