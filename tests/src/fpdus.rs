// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of captured connections, taken apart in plain code (RFC 5044 sections 4.2 to 4.4): each
//! marker, pointer and CRC is judged. Nothing here is from `abi`, or from the code that makes FPDUs
//! for tests.
use crate::fw::wire::Seg;
use crate::mpa_model::crc32c;
use std::net::SocketAddr;

/// Octets from one marker to the next, and of a marker.
const INTERVAL: usize = 512;
const MARKER: usize = 4;
/// M of a startup frame.
const M: u8 = 0x80;
/// Octets before the private data of a startup frame.
const STARTUP: usize = 20;

/// One direction of a connection, from the octet behind the SYN to the FIN or the last octet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream(Vec<u8>);

/// What full operation of a direction has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taken {
    /// ULPDUs in their order.
    pub ulpdus: Vec<Vec<u8>>,
    /// Markers before a header, inside of an FPDU, right before a CRC.
    pub markers: [usize; 3],
}

impl Stream {
    /// The octets that `from` has sent. Octets that came twice are the same.
    ///
    /// # Panics
    /// If there is no SYN, or octets are missing or differ.
    pub fn of(segments: &[Seg], from: SocketAddr) -> Self {
        let ours = || segments.iter().filter(|seg| seg.from == from);
        let first = ours().find(|seg| seg.syn).expect("a SYN").seq.wrapping_add(1);
        let mut octets: Vec<Option<u8>> = vec![];
        for seg in ours().filter(|seg| !seg.syn && !seg.data.is_empty()) {
            let at = seg.seq.wrapping_sub(first) as usize;
            octets.resize(octets.len().max(at + seg.data.len()), None);
            for (place, octet) in octets[at..].iter_mut().zip(&seg.data) {
                assert!(
                    place.is_none_or(|was| was == *octet),
                    "octets of {from} differ when they come again"
                );
                *place = Some(*octet);
            }
        }
        Self(octets.into_iter().map(|octet| octet.expect("no hole in a stream")).collect())
    }

    /// Its first `raw` octets, and the stream from its startup frame on.
    pub fn behind(&self, raw: usize) -> (&[u8], Self) {
        let (before, rest) = self.0.split_at(raw);
        (before, Self(rest.to_vec()))
    }

    /// Its startup frame, which it begins with.
    pub fn startup(&self) -> &[u8] {
        &self.0[..STARTUP + (usize::from(self.0[18]) << 8 | usize::from(self.0[19]))]
    }

    /// Full operation: what is right behind the startup frame.
    pub fn operation(&self) -> &[u8] {
        &self.0[self.startup().len()..]
    }

    /// Whether its startup frame asks for markers in the other direction.
    pub fn asks_markers(&self) -> bool {
        self.0[16] & M != 0
    }

    /// Takes full operation apart; `markers` is what the other side asked for.
    pub fn taken(&self, markers: bool) -> Result<Taken, String> {
        taken(self.operation(), markers)
    }
}

fn number(octets: &[u8]) -> usize {
    octets.iter().fold(0, |number, octet| number << 8 | usize::from(*octet))
}

/// Takes FPDUs with CRCs apart. A marker is due at each multiple of `INTERVAL`.
pub fn taken(octets: &[u8], markers: bool) -> Result<Taken, String> {
    let is_marker = |at: usize| markers && at % INTERVAL < MARKER;
    // where the octets stand that are no markers
    let plain: Vec<usize> = (0..octets.len()).filter(|at| !is_marker(*at)).collect();
    let due = || (0..octets.len()).step_by(INTERVAL).filter(|_| markers);
    if due().any(|at| at + MARKER > octets.len()) {
        return Err("the stream ends within a marker".into());
    }
    let (mut taken, mut next, mut judged) = (Taken::default(), 0, 0);
    while next < plain.len() {
        let place = |n: usize| plain.get(next + n).copied().ok_or(format!("half an FPDU at {}", plain[next]));
        let header = place(0)?;
        let length = number(&[octets[header], octets[place(1)?]]);
        let body = (2 + length).next_multiple_of(4);
        let (crc, last) = (place(body)?, place(body + 3)?);
        let leads =
            header >= MARKER && is_marker(header - MARKER) && (header - MARKER).is_multiple_of(INTERVAL);
        let start = if leads { header - MARKER } else { header };
        for at in due().filter(|at| (start..=last).contains(at)) {
            let (reserved, pointer) = (number(&octets[at..at + 2]), number(&octets[at + 2..at + 4]));
            let wanted = at.saturating_sub(header);
            if (reserved, pointer) != (0, wanted) {
                return Err(format!(
                    "the marker at {at} is {reserved:#x} {pointer}, an FPDU begins {wanted} before"
                ));
            }
            taken.markers[if at < header {
                0
            } else if at + MARKER == crc {
                2
            } else {
                1
            }] += 1;
            judged += 1;
        }
        let field: Vec<u8> = (crc..crc + 4).map(|at| octets[at]).collect();
        if field != crc32c(&octets[start..crc]).to_le_bytes() {
            return Err(format!("the CRC of the FPDU at {header} is wrong"));
        }
        let pad = (2 + length..body).map(place).collect::<Result<Vec<_>, _>>()?;
        if pad.iter().any(|at| octets[*at] != 0) {
            return Err(format!("the pad of the FPDU at {header} is not zero"));
        }
        let ulpdu = (2..2 + length).map(|n| place(n).map(|at| octets[at]));
        taken.ulpdus.push(ulpdu.collect::<Result<_, _>>()?);
        next += body + 4;
    }
    match due().count() == judged {
        true => Ok(taken),
        false => Err("a marker stands behind the last FPDU".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpa_model::{fpdu, hex};

    /// FPDUs of such ULPDUs, one behind the other.
    fn made(lengths: &[usize], markers: bool) -> Vec<u8> {
        lengths.iter().fold(vec![], |mut octets, &length| {
            let ulpdu: Vec<u8> = (0..length).map(|n| n as u8 | 1).collect();
            octets.extend(fpdu(&ulpdu, octets.len() as u64, markers, true));
            octets
        })
    }

    #[test]
    fn what_is_right_is_taken() {
        let lengths = [502, 1, 506, 1_442, 16, 0, 1_442, 500];
        for markers in [false, true] {
            let octets = made(&lengths, markers);
            let taken = taken(&octets, markers).unwrap();
            assert_eq!(taken.ulpdus.iter().map(Vec::len).collect::<Vec<_>>(), lengths);
            let count: usize = taken.markers.iter().sum();
            assert_eq!(count, if markers { octets.len().div_ceil(512) } else { 0 });
        }
        // the first FPDU of RFC 5044's figure 5, and a marker right before a CRC
        let first = hex("00000000002A4143").into_iter().chain([0; 11]).chain([1]).chain([0; 28]);
        let first: Vec<u8> = first.chain(hex("52239983")).collect();
        assert_eq!(taken(&first, true).unwrap().markers, [1, 0, 0]);
        assert_eq!(taken(&made(&[506], true), true).unwrap().markers, [1, 0, 1]);
    }

    #[test]
    fn each_octet_that_is_wrong_is_found() {
        let right = made(&[502, 1, 506, 700], true);
        for at in 0..right.len() {
            let mut wrong = right.clone();
            wrong[at] ^= 4;
            assert!(taken(&wrong, true).is_err(), "octet {at}");
        }
        assert!(taken(&right, false).is_err(), "with markers that nobody asked for");
        assert!(taken(&made(&[502, 700], false), true).is_err(), "without those that somebody asked for");
        let last: Vec<u8> = made(&[502], true).into_iter().chain([0; 4]).collect();
        assert_eq!(last.len(), 516);
        assert!(taken(&last, true).unwrap_err().contains("behind the last FPDU"));
    }
}
