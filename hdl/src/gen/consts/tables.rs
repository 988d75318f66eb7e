// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Constants of opcodes and errors.

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

    /// RDMAP: a local fault ends the stream; the type has no codes, we send 0. RFC 5040 section
    /// 4.8.
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
    /// RDMAP: a Read Request's source STag belongs to another stream or protection domain. RFC 5040
    /// section 4.8.
    pub fn rdmap_stag_not_on_stream() -> Const<Bits<16>> {
        Const::of(0x0103)
    }
    /// RDMAP: a Read Request's source offset plus size leaves 64 bits. RFC 5040 section 4.8.
    pub fn rdmap_to_wrap() -> Const<Bits<16>> {
        Const::of(0x0104)
    }
    /// RDMAP: the STag of a Send with Invalidate may not be invalidated (the one we send). RFC 5040
    /// section 4.8.
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
    /// RDMAP: the STag of a Send with Invalidate cannot be invalidated (received from others). RFC
    /// 5040 section 4.8.
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
    /// DDP: a tagged segment's STag is unknown, revoked, or does not allow remote writes. RFC 5041
    /// section 7.2.
    pub fn ddp_invalid_stag() -> Const<Bits<16>> {
        Const::of(0x1100)
    }
    /// DDP: a tagged segment reaches outside its buffer. RFC 5041 section 7.2.
    pub fn ddp_base_bounds() -> Const<Bits<16>> {
        Const::of(0x1101)
    }
    /// DDP: a tagged segment's STag belongs to another stream or protection domain. RFC 5041
    /// section 7.2.
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
