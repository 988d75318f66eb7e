// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole Terminate header: its first word and the parts that the flags announce.
use crate::codec::{
    DdpControl, DdpTaggedHdr, DdpUntaggedHdr, EmitError, ReadRequestHdr, TerminateControl, TerminateLength,
    Truncated,
};
use crate::error::TermError;

/// A DDP header quoted to the peer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum QuotedDdp {
    /// Of a tagged segment.
    Tagged(DdpTaggedHdr),
    /// Of an untagged segment.
    Untagged(DdpUntaggedHdr),
}

/// What the Terminate quotes of the segment that caused it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Octets of the DDP segment, its header included.
    pub segment_length: u16,
    /// Its DDP header.
    pub ddp: QuotedDdp,
    /// Its Read Request header, if it is a Read Request.
    pub read_request: Option<ReadRequestHdr>,
}

/// A Terminate message as its receiver sees it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Terminate {
    /// Layer, type, code and the flags as received.
    pub control: TerminateControl,
    /// Segment length, if M is set and it is there.
    pub segment_length: Option<u16>,
    /// Quoted DDP header, if D is set and it is there.
    pub ddp: Option<QuotedDdp>,
    /// Quoted Read Request header, if R is set and it is there.
    pub read_request: Option<ReadRequestHdr>,
}

/// Octets of the longest Terminate header.
pub const MAX_LEN: usize =
    TerminateControl::LEN + TerminateLength::LEN + DdpUntaggedHdr::LEN + ReadRequestHdr::LEN;

impl Terminate {
    /// Reads the octets after the untagged header, as far as they go: deployed peers announce parts
    /// that they do not send (RDMAP-4.8-63). Fails only if the first word is not there.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let control = TerminateControl::parse(octets)?;
        let mut whole = Self { control, segment_length: None, ddp: None, read_request: None };
        let mut rest = octets.get(TerminateControl::LEN..).unwrap_or_default();
        if control.has_length || control.has_ddp {
            let Ok(length) = TerminateLength::parse(rest) else { return Ok(whole) };
            whole.segment_length = control.has_length.then_some(length.segment_length);
            rest = rest.get(TerminateLength::LEN..).unwrap_or_default();
        }
        if control.has_ddp {
            let Ok((ddp, len)) = QuotedDdp::parse(rest) else { return Ok(whole) };
            whole.ddp = Some(ddp);
            rest = rest.get(len..).unwrap_or_default();
        }
        if control.has_rdmap {
            whole.read_request = ReadRequestHdr::parse(rest).ok();
        }
        Ok(whole)
    }

    /// The error named, or `None` if no document assigns the numbers.
    pub fn error(&self) -> Option<TermError> {
        TermError::from_codes(self.control.layer, self.control.etype, self.control.code)
    }
}

impl QuotedDdp {
    /// The header that its own T bit says, and its octets.
    fn parse(octets: &[u8]) -> Result<(Self, usize), Truncated> {
        if DdpControl::parse(octets)?.is_tagged {
            return Ok((Self::Tagged(DdpTaggedHdr::parse(octets)?), DdpTaggedHdr::LEN));
        }
        Ok((Self::Untagged(DdpUntaggedHdr::parse(octets)?), DdpUntaggedHdr::LEN))
    }

    fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        match self {
            QuotedDdp::Tagged(h) => h.emit(out),
            QuotedDdp::Untagged(h) => h.emit(out),
        }
    }
}

/// Writes the Terminate header that reports `error` into `out`; returns its octets.
///
/// `quote` is what is known of the offending segment. The table of errors decides what of it is
/// quoted; parts that are not quoted are left out, not filled with zeros.
pub fn emit(error: TermError, quote: Option<&Quote>, out: &mut [u8]) -> Result<usize, EmitError> {
    let info = error.info();
    let quote = quote.filter(|_| info.ddp != crate::error::QuoteDdp::Never);
    let read_request = quote.and_then(|q| q.read_request).filter(|_| info.read_request);
    let control = TerminateControl {
        layer: info.layer,
        etype: info.etype,
        code: info.code,
        has_length: quote.is_some(),
        has_ddp: quote.is_some(),
        has_rdmap: read_request.is_some(),
    };
    let mut whole = [0; MAX_LEN];
    let mut len = control.emit(&mut whole)?;
    if let Some(quote) = quote {
        len += TerminateLength { segment_length: quote.segment_length }.emit(&mut whole[len..])?;
        len += quote.ddp.emit(&mut whole[len..])?;
    }
    if let Some(request) = read_request {
        len += request.emit(&mut whole[len..])?;
    }
    let have = out.len();
    let room = out.get_mut(..len).ok_or(EmitError::NoRoom { need: len, have })?;
    room.copy_from_slice(&whole[..len]);
    Ok(len)
}
