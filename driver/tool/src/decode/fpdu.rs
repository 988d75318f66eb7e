// SPDX-License-Identifier: MIT OR Apache-2.0
//! One FPDU: its headers field by field, and the verdict on its CRC.
use crc::{Crc, CRC_32_ISCSI};
use ferrowarp::inspect::{fields, Named};
use ferrowarp_abi::codec::{DdpControl, DdpTaggedHdr, DdpUntaggedHdr, FpduHdr, RdmapControl};
use ferrowarp_abi::consts::mpa;
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_abi::table::Layout;
use ferrowarp_abi::terminate::{QuotedDdp, Terminate};
use ferrowarp_abi::wire;
use serde::Serialize;

/// A header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Name of its layout.
    pub layout: &'static str,
    /// Its fields.
    pub fields: Vec<Named>,
}

/// What the CRC of an FPDU is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// That of its octets.
    Good,
    /// Another one.
    Bad,
    /// All zero, as of streams without CRCs.
    Zero,
}

impl Verdict {
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "BAD",
            Self::Zero => "zero: the stream has none",
        }
    }
}

/// An FPDU, or a startup frame, explained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// What it is, in words.
    pub what: String,
    /// Its headers.
    pub parts: Vec<Part>,
    /// Octets behind them.
    pub payload: usize,
    /// Of an FPDU that is all there.
    pub crc: Option<Verdict>,
    /// What else is to be said.
    pub note: Option<String>,
    /// Octets of all of it.
    pub octets: usize,
}

/// A header that is all there, else nothing.
pub(super) fn part(layout: &Layout, octets: &[u8]) -> Option<Part> {
    Some(Part { layout: layout.name, fields: fields(layout, octets)? })
}

/// Octets of the FPDU that begins here, pad and CRC counted; none if not even its length is there.
pub(super) fn length(octets: &[u8]) -> Option<usize> {
    let ulpdu = usize::from(FpduHdr::parse(octets).ok()?.ulpdu_length);
    Some((FpduHdr::LEN + ulpdu).next_multiple_of(4) + usize::from(mpa::CRC_OCTETS))
}

/// The FPDU at the beginning of `octets`, whose markers have been taken out; `covered` is what its
/// CRC covers, if that is more than its octets. Octets that are missing are said to be.
pub fn decode_fpdu(octets: &[u8], covered: Option<&[u8]>) -> Explained {
    let cut = |what: &str| Explained {
        what: format!("the beginning of an FPDU: {what}"),
        parts: part(&wire::mpa::FPDU, octets).into_iter().collect(),
        payload: octets.len(),
        crc: None,
        note: None,
        octets: octets.len(),
    };
    let (Ok(head), Some(whole)) = (FpduHdr::parse(octets), length(octets)) else {
        return cut("its length is cut off");
    };
    let Some(fpdu) = octets.get(..whole) else {
        return cut(&format!("{} of its {whole} octets are there", octets.len()));
    };
    let (body, sum) = fpdu.split_at(whole - usize::from(mpa::CRC_OCTETS));
    let right = Crc::<u32>::new(&CRC_32_ISCSI).checksum(covered.unwrap_or(body)).to_le_bytes();
    let crc = match sum {
        sum if sum == right => Verdict::Good,
        [0, 0, 0, 0] => Verdict::Zero,
        _ => Verdict::Bad,
    };
    let ulpdu = &body[FpduHdr::LEN..FpduHdr::LEN + usize::from(head.ulpdu_length)];
    let mut explained = segment(ulpdu);
    explained.parts.splice(0..0, part(&wire::mpa::FPDU, octets));
    if crc == Verdict::Bad {
        let hex = |octets: &[u8]| octets.iter().map(|o| format!("{o:02x}")).collect::<String>();
        let why = format!("its CRC is {}, that of its octets is {}", hex(sum), hex(&right));
        explained.note = Some(explained.note.map_or(why.clone(), |note| format!("{note}; {why}")));
    }
    Explained { crc: Some(crc), octets: whole, ..explained }
}

/// A DDP segment.
fn segment(ulpdu: &[u8]) -> Explained {
    let nothing = |what: String| Explained {
        what,
        parts: vec![],
        payload: ulpdu.len(),
        crc: None,
        note: None,
        octets: ulpdu.len(),
    };
    let (Ok(control), Ok(rdmap)) =
        (DdpControl::parse(ulpdu), RdmapControl::parse(ulpdu.get(1..).unwrap_or(&[])))
    else {
        return nothing("no DDP segment: its control octets are missing".into());
    };
    let (layout, header) = match control.is_tagged {
        true => (&wire::ddp::TAGGED, DdpTaggedHdr::LEN),
        false => (&wire::ddp::UNTAGGED, DdpUntaggedHdr::LEN),
    };
    let Some(ddp) = part(layout, ulpdu) else {
        return nothing(format!("no DDP segment: its header has {header} octets"));
    };
    let opcode = Opcode::from_bits(rdmap.opcode);
    let name = opcode.map_or(format!("reserved opcode {}", rdmap.opcode), |o| format!("{o:?}"));
    let last = if control.is_last { "last segment" } else { "segment" };
    let rest = &ulpdu[header..];
    let mut parts = vec![ddp];
    parts.extend(part(&wire::rdmap::CONTROL, &ulpdu[1..]));
    let (more, mut payload, mut note) = match opcode {
        Some(Opcode::ReadRequest) => {
            let request = part(&wire::rdmap::READ_REQUEST, rest);
            let left = rest.len().saturating_sub(wire::rdmap::READ_REQUEST.octets);
            (request.into_iter().collect(), left, None)
        }
        Some(Opcode::Terminate) => terminate(rest),
        _ => (vec![], rest.len(), None),
    };
    if more.is_empty() && opcode == Some(Opcode::ReadRequest) {
        payload = rest.len();
        note = Some("its Read Request header is cut off".into());
    }
    let t_agrees = opcode.is_none_or(|o| o.info().tagged == control.is_tagged);
    if !t_agrees {
        note = Some("T does not go with the opcode".into());
    }
    parts.extend(more);
    Explained { what: format!("{name}, {last}"), parts, payload, crc: None, note, octets: ulpdu.len() }
}

/// The header of a Terminate, as far as it is there: what it says in words.
fn terminate(octets: &[u8]) -> (Vec<Part>, usize, Option<String>) {
    let Ok(whole) = Terminate::parse(octets) else {
        return (vec![], octets.len(), Some("its Terminate header is cut off".into()));
    };
    let mut parts: Vec<Part> = part(&wire::rdmap::TERMINATE_CONTROL, octets).into_iter().collect();
    let mut at = wire::rdmap::TERMINATE_CONTROL.octets;
    let mut take = |layout: &Layout| {
        parts.extend(octets.get(at..).and_then(|rest| part(layout, rest)));
        at += layout.octets;
    };
    if whole.control.has_length || whole.control.has_ddp {
        take(&wire::rdmap::TERMINATE_LENGTH);
    }
    match whole.ddp {
        Some(QuotedDdp::Tagged(_)) => take(&wire::ddp::TAGGED),
        Some(QuotedDdp::Untagged(_)) => take(&wire::ddp::UNTAGGED),
        None => {}
    }
    if whole.read_request.is_some() {
        take(&wire::rdmap::READ_REQUEST);
    }
    let note = whole.error().map_or("no document assigns this error".into(), |e| e.info().doc.to_string());
    (parts, octets.len().saturating_sub(at), Some(note))
}
