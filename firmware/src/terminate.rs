// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Terminate message: its octets from an error that the hardware caught, and an error from
//! received octets (RFC 5040 sections 4.8 and 7.1).
use crate::port::{Captured, CapturedSegment};
use alloc::vec::Vec;
use ferrowarp_abi::codec::{
    DdpControl, DdpTaggedHdr, DdpUntaggedHdr, RdmapControl, ReadRequestHdr, Truncated,
};
use ferrowarp_abi::consts::{ddp, rdmap};
use ferrowarp_abi::error::TermError;
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_abi::terminate::{self, Quote, QuotedDdp};
use ferrowarp_abi::types::{MessageOffset, Msn, QueueNumber, STag};

/// What a peer's Terminate says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// Layer, 4 bits: 0 RDMAP, 1 DDP, 2 MPA.
    pub layer: u8,
    /// Error type, 4 bits.
    pub etype: u8,
    /// Error code.
    pub code: u8,
    /// The error, if a document assigns the numbers.
    pub error: Option<TermError>,
    /// What it quotes of our segment, as far as it is there.
    pub quoted: terminate::Terminate,
}

impl core::fmt::Display for Received {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}/{}/{:02x}: ", self.layer, self.etype, self.code)?;
        f.write_str(self.error.map_or("numbers that no document assigns", |e| e.info().doc))?;
        self.refused().map_or(Ok(()), |refused| write!(f, " It refuses {refused}"))
    }
}

/// The segment of ours that a Terminate quotes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Kind of its message, if the number is one of RDMAP's.
    pub opcode: Option<Opcode>,
    /// Its octets as the peer counts them: some count the DDP header, some do not.
    pub length: Option<u16>,
    /// Its DDP header.
    pub ddp: QuotedDdp,
    /// Of a Read Request: its header. That of one that was answered in part names the octets that
    /// remain.
    pub read_request: Option<ReadRequestHdr>,
}

impl Received {
    /// What the peer refused, if it quotes it.
    pub fn refused(&self) -> Option<Refused> {
        let ddp = self.quoted.ddp?;
        let control = match ddp {
            QuotedDdp::Tagged(header) => header.rsvd_ulp,
            QuotedDdp::Untagged(header) => header.rsvd_ulp,
        };
        let opcode = RdmapControl::parse(&[control]).ok().and_then(|c| Opcode::from_bits(c.opcode));
        let terminate::Terminate { segment_length: length, read_request, .. } = self.quoted;
        Some(Refused { opcode, length, ddp, read_request })
    }
}

impl core::fmt::Display for Refused {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "our {}", self.opcode.map_or("segment of a reserved opcode", |o| o.info().name))?;
        if let Some(length) = self.length {
            write!(f, ", {length} octets")?;
        }
        match self.ddp {
            QuotedDdp::Tagged(h) => write!(f, ", STag {:#010x}, TO {:#x}", h.stag.0, h.tagged_offset.0)?,
            QuotedDdp::Untagged(h) => write!(f, ", MSN {}, MO {}", h.msn.0, h.message_offset.0)?,
        }
        if let Some(read) = &self.read_request {
            let (stag, to) = (read.source_stag.0, read.source_offset.0);
            write!(f, ", {} octets from STag {stag:#010x}, TO {to:#x}", read.size.0)?;
        }
        Ok(())
    }
}

/// Reads the octets after the untagged header. Fails only if not even the first word is there.
pub fn parse(octets: &[u8]) -> Result<Received, Truncated> {
    let quoted = terminate::Terminate::parse(octets)?;
    let control = quoted.control;
    let error = quoted.error();
    Ok(Received { layer: control.layer, etype: control.etype, code: control.code, error, quoted })
}

/// Layer, type and code as an error; numbers that no document assigns become RDMAP's local
/// catastrophic.
pub fn error_of(numbers: u16) -> TermError {
    let [head, code] = numbers.to_be_bytes();
    TermError::from_codes(head >> 4, head & 0xF, code).unwrap_or(TermError::RdmapLocalCatastrophic)
}

/// The ULPDU of the Terminate that tells the peer of `captured`, or `None` if the error is one that
/// never goes on the wire: TCP is lost, or full operation was never reached.
pub fn ulpdu(captured: &Captured) -> Option<Vec<u8>> {
    let error = error_of(captured.error);
    if matches!(error, TermError::MpaConnectionLost | TermError::MpaInvalidStartup) {
        return None;
    }
    compose(error, captured.segment.as_ref())
}

/// The ULPDU that reports an error without a segment.
pub fn bare(error: TermError) -> Option<Vec<u8>> {
    compose(error, None)
}

fn compose(error: TermError, segment: Option<&CapturedSegment>) -> Option<Vec<u8>> {
    let control = RdmapControl { rdmap_version: rdmap::VERSION, opcode: Opcode::Terminate as u8 };
    let head = DdpUntaggedHdr {
        is_tagged: false,
        is_last: true,
        reserved: 0,
        ddp_version: ddp::VERSION,
        rsvd_ulp: control.octets().ok()?[0],
        invalidate_stag: STag(0),
        queue_number: QueueNumber(rdmap::QUEUE_TERMINATE),
        msn: Msn::FIRST,
        message_offset: MessageOffset(0),
    };
    let quote = segment.and_then(|s| quote(error, s));
    let mut body = [0; terminate::MAX_LEN];
    let length = terminate::emit(error, quote.as_ref(), &mut body).ok()?;
    let mut octets = head.octets().ok()?.to_vec();
    octets.extend(body.get(..length)?);
    Some(octets)
}

/// The headers of a segment, as far as they were received whole.
fn quote(error: TermError, segment: &CapturedSegment) -> Option<Quote> {
    let head = segment.head.get(..usize::from(segment.length)).unwrap_or(&segment.head);
    let tagged = DdpControl::parse(head).ok()?.is_tagged;
    if tagged {
        let ddp = QuotedDdp::Tagged(DdpTaggedHdr::parse(head).ok()?);
        return Some(Quote { segment_length: segment.length, ddp, read_request: None });
    }
    let ddp = DdpUntaggedHdr::parse(head).ok()?;
    let opcode = RdmapControl::parse(&[ddp.rsvd_ulp]).ok()?.opcode;
    // A bad version or opcode leaves it open what follows the DDP header
    let known = error != TermError::RdmapInvalidVersion && error != TermError::RdmapUnexpectedOpcode;
    let is_read = opcode == Opcode::ReadRequest as u8 && known;
    let whole = DdpUntaggedHdr::LEN + ReadRequestHdr::LEN;
    let body = head.get(DdpUntaggedHdr::LEN..).filter(|_| is_read && usize::from(segment.length) >= whole);
    let read_request = body.and_then(|body| ReadRequestHdr::parse(body).ok());
    Some(Quote { segment_length: segment.length, ddp: QuotedDdp::Untagged(ddp), read_request })
}
