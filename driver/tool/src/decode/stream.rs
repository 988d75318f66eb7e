// SPDX-License-Identifier: MIT OR Apache-2.0
//! One direction of a connection: startup frame, FPDUs, markers.
use super::fpdu::{decode_fpdu, length, part, Explained};
use ferrowarp_abi::codec::{FpduHdr, MpaStartupHdr};
use ferrowarp_abi::consts::mpa;
use ferrowarp_abi::wire;
use serde::Serialize;

/// Something in a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Which stream.
    pub flow: String,
    /// Where it begins in it, in octets.
    pub at: usize,
    /// What it is.
    #[serde(flatten)]
    pub explained: Explained,
}

/// The startup frame at the beginning of a stream, if there is one, and its octets.
pub(super) fn startup(flow: &str, octets: &[u8]) -> Option<(Step, MpaStartupHdr)> {
    let head = MpaStartupHdr::parse(octets).ok()?;
    let what = match head.key {
        mpa::KEY_REQUEST => "MPA Request",
        mpa::KEY_REPLY => "MPA Reply",
        _ => return None,
    };
    let mut parts: Vec<_> = part(&wire::mpa::STARTUP, octets).into_iter().collect();
    let private = usize::from(head.private_data_length);
    let mut data = private;
    if head.enhanced && private >= wire::mpa::DEPTHS.octets {
        parts.extend(part(&wire::mpa::DEPTHS, &octets[MpaStartupHdr::LEN..]));
        data -= wire::mpa::DEPTHS.octets;
    }
    let octets = MpaStartupHdr::LEN + private;
    let explained = Explained { what: what.into(), parts, payload: data, crc: None, note: None, octets };
    Some((Step { flow: flow.into(), at: 0, explained }, head))
}

/// FPDUs without markers, one behind the other.
pub(super) fn fpdus(flow: &str, octets: &[u8]) -> Vec<Step> {
    let mut steps = vec![];
    let mut at = 0;
    while at < octets.len() {
        let explained = decode_fpdu(&octets[at..], None);
        let step = explained.octets;
        steps.push(Step { flow: flow.into(), at, explained });
        at += step;
    }
    steps
}

/// FPDUs with a marker at every multiple of 512 octets from the beginning of `octets` on, which is
/// where full operation begins; `begins` is where that is in the stream.
pub(super) fn marked_fpdus(flow: &str, octets: &[u8], begins: usize) -> Vec<Step> {
    let (interval, marker) = (usize::from(mpa::MARKER_INTERVAL), wire::mpa::MARKER.octets);
    // where octet `n` of what is no marker stands in the stream
    let stands = |n: usize| n + (n / (interval - marker) + 1) * marker;
    let is_marker = |at: usize| at % interval < marker;
    let plain: Vec<u8> =
        octets.iter().enumerate().filter(|(at, _)| !is_marker(*at)).map(|(_, octet)| *octet).collect();
    let mut steps = vec![];
    let mut at = 0;
    while at < plain.len() {
        let whole = length(&plain[at..]).unwrap_or(plain.len() - at).min(plain.len() - at);
        // a marker at the place of the length field stands before it and is the FPDU's
        let first = match stands(at) {
            place if place % interval == marker => place - marker,
            place => place,
        };
        let crc = usize::from(mpa::CRC_OCTETS);
        let covered = (whole > FpduHdr::LEN + crc).then(|| {
            let last = stands(at + whole - crc - 1);
            // as is one between the pad and the CRC
            let behind = if is_marker(last + 1) { last + 1 + marker } else { last + 1 };
            &octets[first..behind.min(octets.len())]
        });
        let explained = decode_fpdu(&plain[at..], covered);
        steps.push(Step { flow: flow.into(), at: begins + first, explained });
        at += whole;
    }
    steps
}
