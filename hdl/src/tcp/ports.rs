//! Records that TCP exchanges with the stages around it, and its receive with its transmit side.
use rust_hdl::prelude::*;

/// What a segment that was received means for the transmit side; one item a segment that has anything to say,
/// in the order of the segments (D12).
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxFact {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// `ack` is new: SND.UNA < ACK <= SND.NXT.
    pub has_ack: Bit,
    /// Acknowledgment number.
    pub ack: Bits<32>,
    /// `window` replaces SND.WND.
    pub has_window: Bit,
    /// Window in octets, the peer's scale applied.
    pub window: Bits<32>,
    /// One ACK is owed for this segment alone, at once.
    pub ack_now: Bit,
    /// Duplicate ACK as RFC 5681 defines it.
    pub is_dup: Bit,
}

/// What the owner of a connection is told of. Segments that call for a challenge ACK are counted and answered, no
/// more: a stranger can send them at will.
pub mod ctl_kind {
    /// RST with SEQ = RCV.NXT: the peer has reset the connection.
    pub const RST: usize = 1;
    /// FIN in order: the peer has closed its side.
    pub const FIN: usize = 2;
}

/// An event of a connection.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RxCtl {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// One of [`ctl_kind`].
    pub kind: Bits<3>,
}

/// What goes with a frame of the raw stream.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct RawNote {
    /// Octets of the frame, without FCS.
    pub length: Bits<16>,
    /// One of `raw_reason`.
    pub reason: Bits<8>,
}

/// Answer to a reservation of stream octets for one FPDU.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Grant {
    /// Room was there and is reserved; otherwise the rest has no meaning.
    pub ok: Bit,
    /// Sequence number of the FPDU's first octet.
    pub seq: Bits<32>,
    /// Stream offset of that octet from SeqStart, modulo 512.
    pub phase: Bits<9>,
    /// Octets of the FPDU in the stream, markers counted.
    pub total: Bits<16>,
    /// Markers are inserted.
    pub markers: Bit,
    /// The CRC field is filled.
    pub crc: Bit,
}

/// What goes with the ULPDU of one FPDU: to MPA, that makes the FPDU, and to TCP, that makes its segment.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct TxFpdu {
    /// Queue pair, which is the connection.
    pub qp: Bits<8>,
    /// ULPDU_Length in octets.
    pub length: Bits<16>,
    /// Of the [`Grant`]: sequence number of the FPDU's first octet.
    pub seq: Bits<32>,
    /// Of the grant: stream offset of that octet from SeqStart, modulo 512.
    pub phase: Bits<9>,
    /// Of the grant: octets of the FPDU in the stream, markers counted.
    pub total: Bits<16>,
    /// Of the grant: markers are inserted.
    pub markers: Bit,
    /// Of the grant: the CRC field is filled.
    pub crc: Bit,
}
