// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants for kernels, a module a group. A bare `const` named in a kernel becomes an undeclared Verilog
//! name; so each function makes a field of the block: `ipv4: Const<Bits<16>>` set by `ether_type::ipv4()`.

/// EtherTypes.
pub mod ether_type {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// IPv4. RFC 894.
    pub fn ipv4() -> Const<Bits<16>> {
        Const::of(0x0800)
    }
    /// ARP. RFC 826.
    pub fn arp() -> Const<Bits<16>> {
        Const::of(0x0806)
    }
    /// A VLAN tag follows. IEEE 802.1Q section 9.5.
    pub fn vlan() -> Const<Bits<16>> {
        Const::of(0x8100)
    }
    /// IPv6. RFC 2464 section 3.
    pub fn ipv6() -> Const<Bits<16>> {
        Const::of(0x86DD)
    }
}

/// Protocol numbers of IP.
pub mod ip_protocol {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// ICMP. RFC 792.
    pub fn icmp() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// TCP. RFC 9293 section 3.1.
    pub fn tcp() -> Const<Bits<8>> {
        Const::of(6)
    }
    /// ICMPv6. RFC 4443 section 1.
    pub fn icmpv6() -> Const<Bits<8>> {
        Const::of(58)
    }
}

/// TCP's flags as masks of octet 13 of its header.
pub mod tcp_flag {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// No more data from the sender. RFC 9293 section 3.1.
    pub fn fin() -> Const<Bits<8>> {
        Const::of(0x01)
    }
    /// Synchronise sequence numbers. RFC 9293 section 3.1.
    pub fn syn() -> Const<Bits<8>> {
        Const::of(0x02)
    }
    /// Reset the connection. RFC 9293 section 3.1.
    pub fn rst() -> Const<Bits<8>> {
        Const::of(0x04)
    }
    /// Push. RFC 9293 section 3.1.
    pub fn psh() -> Const<Bits<8>> {
        Const::of(0x08)
    }
    /// The acknowledgment number counts. RFC 9293 section 3.1.
    pub fn ack() -> Const<Bits<8>> {
        Const::of(0x10)
    }
    /// The urgent pointer counts. RFC 9293 section 3.1.
    pub fn urg() -> Const<Bits<8>> {
        Const::of(0x20)
    }
    /// ECN echo. RFC 3168 section 6.1.
    pub fn ece() -> Const<Bits<8>> {
        Const::of(0x40)
    }
    /// Congestion window reduced. RFC 3168 section 6.1.
    pub fn cwr() -> Const<Bits<8>> {
        Const::of(0x80)
    }
}

/// Kinds of TCP options.
pub mod tcp_option {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// One octet; nothing follows. RFC 9293 section 3.2.
    pub fn end_of_list() -> Const<Bits<8>> {
        Const::of(0)
    }
    /// One octet of filling. RFC 9293 section 3.2.
    pub fn no_operation() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Maximum segment size. RFC 9293 section 3.2.
    pub fn mss() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// Window scale. RFC 7323 section 2.2.
    pub fn window_scale() -> Const<Bits<8>> {
        Const::of(3)
    }
    /// The sender takes SACK options. RFC 2018 section 2.
    pub fn sack_permitted() -> Const<Bits<8>> {
        Const::of(4)
    }
    /// Blocks received beyond a gap. RFC 2018 section 3.
    pub fn sack() -> Const<Bits<8>> {
        Const::of(5)
    }
    /// Timestamps. RFC 7323 section 3.2.
    pub fn timestamps() -> Const<Bits<8>> {
        Const::of(8)
    }
}

/// Numbers that TCP fixes.
pub mod tcp_limit {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Largest window scale that counts. RFC 7323 section 2.3.
    pub fn window_shift_max() -> Const<Bits<8>> {
        Const::of(14)
    }
    /// MSS over IPv4 without the option. RFC 9293 section 3.7.1.
    pub fn mss_default_ipv4() -> Const<Bits<16>> {
        Const::of(536)
    }
    /// MSS over IPv6 without the option. RFC 9293 section 3.7.1.
    pub fn mss_default_ipv6() -> Const<Bits<16>> {
        Const::of(1220)
    }
}

/// MPA.
pub mod mpa {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;
    use rust_hdl::prelude::ToBits;

    /// Key of a Request frame: the octets `MPA ID Req Frame`. RFC 5044 section 7.1.1.
    pub fn key_request() -> Const<Bits<128>> {
        Const::new(0x4D504120494420526571204672616D65_u128.to_bits())
    }
    /// Key of a Reply frame: the octets `MPA ID Rep Frame`. RFC 5044 section 7.1.1.
    pub fn key_reply() -> Const<Bits<128>> {
        Const::new(0x4D504120494420526570204672616D65_u128.to_bits())
    }
    /// Revision of a plain startup frame. RFC 5044 section 7.1.1.
    pub fn revision() -> Const<Bits<8>> {
        Const::of(1)
    }
    /// Lowest revision of the enhanced setup. RFC 6581 section 6.
    pub fn revision_enhanced() -> Const<Bits<8>> {
        Const::of(2)
    }
    /// Most octets of private data. RFC 5044 section 7.1.1.
    pub fn private_data_max() -> Const<Bits<16>> {
        Const::of(512)
    }
    /// Most octets of private data after the enhanced words. RFC 6581 section 9.
    pub fn private_data_max_enhanced() -> Const<Bits<16>> {
        Const::of(508)
    }
    /// Largest Read depth that can be negotiated. RFC 6581 section 9.1.
    pub fn depth_max() -> Const<Bits<14>> {
        Const::of(0x3FFE)
    }
    /// In place of a Read depth: leave yours as it is. RFC 6581 section 9.1.
    pub fn depth_not_negotiated() -> Const<Bits<14>> {
        Const::of(0x3FFF)
    }
    /// Octets from marker to marker, one included. RFC 5044 section 4.3.
    pub fn marker_interval() -> Const<Bits<16>> {
        Const::of(512)
    }
    /// Bits of a marker's pointer that count. RFC 5044 section 4.2.
    pub fn fpdu_pointer_mask() -> Const<Bits<16>> {
        Const::of(0xFFFC)
    }
    /// Octets of the CRC at the end of every FPDU. RFC 5044 section 4.1.
    pub fn crc_octets() -> Const<Bits<16>> {
        Const::of(4)
    }
    /// Least MULPDU, whatever the EMSS. RFC 5044 section 4.5.
    pub fn mulpdu_min() -> Const<Bits<16>> {
        Const::of(128)
    }
    /// Greatest MULPDU, whatever the EMSS. RFC 5044 section 4.5.
    pub fn mulpdu_max() -> Const<Bits<16>> {
        Const::of(64768)
    }
}

/// CRC32c as MPA uses it: octets enter least significant bit first; the value is sent least significant octet
/// first.
pub mod crc32c {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Most significant bit first. RFC 3385, RFC 5044 section 4.4.
    pub fn polynomial() -> Const<Bits<32>> {
        Const::of(0x1EDC6F41)
    }
    /// Least significant bit first. RFC 5044 section 4.4.
    pub fn polynomial_reflected() -> Const<Bits<32>> {
        Const::of(0x82F63B78)
    }
    /// Register before the first octet. RFC 5044 section 4.4.
    pub fn init() -> Const<Bits<32>> {
        Const::of(0xFFFFFFFF)
    }
    /// The value is the register xor this. RFC 5044 section 4.4.
    pub fn xor_out() -> Const<Bits<32>> {
        Const::of(0xFFFFFFFF)
    }
    /// Register, before `xor_out`, after data and their right CRC. RFC 5044 section 4.4.
    pub fn residue() -> Const<Bits<32>> {
        Const::of(0xB798B438)
    }
}

/// DDP.
pub mod ddp {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// DV of every segment. RFC 5041 section 4.1.
    pub fn version() -> Const<Bits<2>> {
        Const::of(1)
    }
    /// MSN of the first message of a queue. RFC 5041 section 4.3.
    pub fn msn_first() -> Const<Bits<32>> {
        Const::of(1)
    }
}

/// RDMAP.
pub mod rdmap {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// RV of every message of this RFC. RFC 5040 section 4.1.
    pub fn version() -> Const<Bits<2>> {
        Const::of(1)
    }
    /// RV of a peer of the RDMA Consortium. RFC 5040 section 4.1.
    pub fn version_rdmac() -> Const<Bits<2>> {
        Const::of(0)
    }
    /// Untagged queue of the four Sends. RFC 5040 section 4.1.
    pub fn queue_send() -> Const<Bits<32>> {
        Const::of(0)
    }
    /// Untagged queue of Read Requests. RFC 5040 section 4.1.
    pub fn queue_read_request() -> Const<Bits<32>> {
        Const::of(1)
    }
    /// Untagged queue of the Terminate. RFC 5040 section 4.1.
    pub fn queue_terminate() -> Const<Bits<32>> {
        Const::of(2)
    }
}

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
    /// Make an event for the next completion; the value is the consumer index. Ferrowarp.
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
    /// An acknowledgement that firmware saw during hand-over. Ferrowarp.
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
    /// Makes a memory region invalid. Ferrowarp.
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
    /// Sends the slot that follows (a `SendWqe` with inline octets: Terminate or FIN), also for a queue pair
    /// in error. Ferrowarp.
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

/// RDMAP opcodes.
pub mod opcode {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// RDMA Write. RFC 5040 section 4.1.
    pub fn rdma_write() -> Const<Bits<4>> {
        Const::of(0)
    }
    /// RDMA Read Request. RFC 5040 section 4.1.
    pub fn read_request() -> Const<Bits<4>> {
        Const::of(1)
    }
    /// RDMA Read Response. RFC 5040 section 4.1.
    pub fn read_response() -> Const<Bits<4>> {
        Const::of(2)
    }
    /// Send. RFC 5040 section 4.1.
    pub fn send() -> Const<Bits<4>> {
        Const::of(3)
    }
    /// Send with Invalidate. RFC 5040 section 4.1.
    pub fn send_invalidate() -> Const<Bits<4>> {
        Const::of(4)
    }
    /// Send with Solicited Event. RFC 5040 section 4.1.
    pub fn send_solicited() -> Const<Bits<4>> {
        Const::of(5)
    }
    /// Send with Solicited Event and Invalidate. RFC 5040 section 4.1.
    pub fn send_solicited_invalidate() -> Const<Bits<4>> {
        Const::of(6)
    }
    /// Terminate. RFC 5040 section 4.1.
    pub fn terminate() -> Const<Bits<4>> {
        Const::of(7)
    }
}

/// Sets of opcodes: bit n tells whether opcode n is in it.
pub mod opcode_set {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// Opcodes that are not reserved. RFC 5040 section 4.1.
    pub fn known() -> Const<Bits<16>> {
        Const::of(0x00FF)
    }
    /// Opcodes of tagged messages. RFC 5040 section 4.1.
    pub fn tagged() -> Const<Bits<16>> {
        Const::of(0x0005)
    }
    /// Opcodes of untagged queue 0. RFC 5040 section 4.1.
    pub fn on_queue_send() -> Const<Bits<16>> {
        Const::of(0x0078)
    }
    /// Opcodes of untagged queue 1. RFC 5040 section 4.1.
    pub fn on_queue_read_request() -> Const<Bits<16>> {
        Const::of(0x0002)
    }
    /// Opcodes of untagged queue 2. RFC 5040 section 4.1.
    pub fn on_queue_terminate() -> Const<Bits<16>> {
        Const::of(0x0080)
    }
    /// Opcodes whose Invalidate STag field names an STag. RFC 5040 section 4.1.
    pub fn invalidates() -> Const<Bits<16>> {
        Const::of(0x0050)
    }
    /// Opcodes with solicited event. RFC 5040 section 4.1.
    pub fn solicited() -> Const<Bits<16>> {
        Const::of(0x0060)
    }
    /// Opcodes that carry payload of the consumer. RFC 5040 section 4.1.
    pub fn payload() -> Const<Bits<16>> {
        Const::of(0x007D)
    }
}

/// Errors as layer (4 bits), type (4 bits), code (8 bits): the first 16 bits of a Terminate header.
pub mod term_error {
    use crate::cell::Const;
    use rust_hdl::prelude::Bits;

    /// RDMAP: a local fault ends the stream; the type has no codes, we send 0. RFC 5040 section 4.8.
    pub fn rdmap_local_catastrophic() -> Const<Bits<16>> {
        Const::of(0x0000)
    }
    /// RDMAP: a Read Request names an STag that is not valid. RFC 5040 section 4.8.
    pub fn rdmap_invalid_stag() -> Const<Bits<16>> {
        Const::of(0x0100)
    }
    /// RDMAP: a Read Request reaches outside its source buffer. RFC 5040 section 4.8.
    pub fn rdmap_base_bounds() -> Const<Bits<16>> {
        Const::of(0x0101)
    }
    /// RDMAP: a Read Request's source buffer does not allow remote reads. RFC 5040 section 4.8.
    pub fn rdmap_access_rights() -> Const<Bits<16>> {
        Const::of(0x0102)
    }
    /// RDMAP: a Read Request's source STag belongs to another stream or protection domain. RFC 5040 section
    /// 4.8.
    pub fn rdmap_stag_not_on_stream() -> Const<Bits<16>> {
        Const::of(0x0103)
    }
    /// RDMAP: a Read Request's source offset plus size leaves 64 bits. RFC 5040 section 4.8.
    pub fn rdmap_to_wrap() -> Const<Bits<16>> {
        Const::of(0x0104)
    }
    /// RDMAP: the STag of a Send with Invalidate may not be invalidated (the one we send). RFC 5040 section
    /// 4.8.
    pub fn rdmap_protection_cannot_invalidate() -> Const<Bits<16>> {
        Const::of(0x0109)
    }
    /// RDMAP: a remote protection error without a code of its own. RFC 5040 section 4.8.
    pub fn rdmap_protection_unspecified() -> Const<Bits<16>> {
        Const::of(0x01FF)
    }
    /// RDMAP: the version is not that of the stream. RFC 5040 section 4.8.
    pub fn rdmap_invalid_version() -> Const<Bits<16>> {
        Const::of(0x0205)
    }
    /// RDMAP: the opcode is reserved or does not go with T and QN. RFC 5040 section 4.8.
    pub fn rdmap_unexpected_opcode() -> Const<Bits<16>> {
        Const::of(0x0206)
    }
    /// RDMAP: a fault confined to this stream. RFC 5040 section 4.8.
    pub fn rdmap_catastrophic_stream() -> Const<Bits<16>> {
        Const::of(0x0207)
    }
    /// RDMAP: a fault of the whole device. RFC 5040 section 4.8.
    pub fn rdmap_catastrophic_global() -> Const<Bits<16>> {
        Const::of(0x0208)
    }
    /// RDMAP: the STag of a Send with Invalidate cannot be invalidated (received from others). RFC 5040
    /// section 4.8.
    pub fn rdmap_operation_cannot_invalidate() -> Const<Bits<16>> {
        Const::of(0x0209)
    }
    /// RDMAP: a remote operation error without a code of its own. RFC 5040 section 4.8.
    pub fn rdmap_operation_unspecified() -> Const<Bits<16>> {
        Const::of(0x02FF)
    }
    /// DDP: a local fault ends the stream. RFC 5041 section 7.2.
    pub fn ddp_local_catastrophic() -> Const<Bits<16>> {
        Const::of(0x1000)
    }
    /// DDP: a tagged segment's STag is unknown, revoked, or does not allow remote writes. RFC 5041 section
    /// 7.2.
    pub fn ddp_invalid_stag() -> Const<Bits<16>> {
        Const::of(0x1100)
    }
    /// DDP: a tagged segment reaches outside its buffer. RFC 5041 section 7.2.
    pub fn ddp_base_bounds() -> Const<Bits<16>> {
        Const::of(0x1101)
    }
    /// DDP: a tagged segment's STag belongs to another stream or protection domain. RFC 5041 section 7.2.
    pub fn ddp_stag_not_on_stream() -> Const<Bits<16>> {
        Const::of(0x1102)
    }
    /// DDP: a tagged segment's offset plus length leaves 64 bits. RFC 5041 section 7.2.
    pub fn ddp_to_wrap() -> Const<Bits<16>> {
        Const::of(0x1103)
    }
    /// DDP: a tagged segment's version is not 1. RFC 5041 section 7.2.
    pub fn ddp_tagged_version() -> Const<Bits<16>> {
        Const::of(0x1104)
    }
    /// DDP: no untagged queue has this number. RFC 5041 section 7.2.
    pub fn ddp_invalid_qn() -> Const<Bits<16>> {
        Const::of(0x1201)
    }
    /// DDP: the MSN lies beyond the posted buffers. RFC 5041 section 7.2.
    pub fn ddp_no_buffer() -> Const<Bits<16>> {
        Const::of(0x1202)
    }
    /// DDP: the MSN is of a completed message or can never be assigned. RFC 5041 section 7.2.
    pub fn ddp_msn_range() -> Const<Bits<16>> {
        Const::of(0x1203)
    }
    /// DDP: the message offset lies outside the buffer. RFC 5041 section 7.2.
    pub fn ddp_invalid_mo() -> Const<Bits<16>> {
        Const::of(0x1204)
    }
    /// DDP: the message is longer than its buffer. RFC 5041 section 7.2.
    pub fn ddp_too_long() -> Const<Bits<16>> {
        Const::of(0x1205)
    }
    /// DDP: an untagged segment's version is not 1. RFC 5041 section 7.2.
    pub fn ddp_untagged_version() -> Const<Bits<16>> {
        Const::of(0x1206)
    }
    /// MPA: TCP closed or was lost; local only, no Terminate can be sent. RFC 5044 section 8.
    pub fn mpa_connection_lost() -> Const<Bits<16>> {
        Const::of(0x2001)
    }
    /// MPA: an FPDU's CRC is wrong. RFC 5044 section 8.
    pub fn mpa_crc() -> Const<Bits<16>> {
        Const::of(0x2002)
    }
    /// MPA: a marker disagrees with the FPDU's length. RFC 5044 section 8.
    pub fn mpa_marker() -> Const<Bits<16>> {
        Const::of(0x2003)
    }
    /// MPA: a Request or Reply frame is not valid; local only, TCP is closed. RFC 5044 section 8.
    pub fn mpa_invalid_startup() -> Const<Bits<16>> {
        Const::of(0x2004)
    }
    /// MPA: a local fault, also an FPDU longer than we can hold. RFC 6581 section 8.
    pub fn mpa_local_catastrophic() -> Const<Bits<16>> {
        Const::of(0x2005)
    }
    /// MPA: the peer needs more inbound Reads than we can hold. RFC 6581 section 8.
    pub fn mpa_insufficient_ird() -> Const<Bits<16>> {
        Const::of(0x2006)
    }
    /// MPA: no ready-to-receive option in common. RFC 6581 section 8.
    pub fn mpa_no_rtr_option() -> Const<Bits<16>> {
        Const::of(0x2007)
    }
}
