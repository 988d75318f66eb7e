// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segments that belong to no connection (RFC 9293 section 3.10.7.1).
use super::segment::Segment;
use ferrowarp_abi::types::SeqNum;

/// The reset that answers `segment`, or `None` for one that is a reset itself.
pub fn answer(segment: &Segment) -> Option<Segment> {
    if segment.rst {
        return None;
    }
    Some(match segment.ack {
        Some(ack) => Segment { seq: ack, rst: true, ..Segment::default() },
        None => Segment { seq: SeqNum(0), ack: Some(segment.end()), rst: true, ..Segment::default() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reset_has_the_numbers_of_the_rfc() {
        let syn = Segment { seq: SeqNum(100), syn: true, ..Segment::default() };
        let got = answer(&syn).unwrap();
        assert_eq!((got.seq, got.ack, got.rst), (SeqNum(0), Some(SeqNum(101)), true));
        let data =
            Segment { seq: SeqNum(7), ack: Some(SeqNum(55)), payload: [1, 2].into(), ..Segment::default() };
        let got = answer(&data).unwrap();
        assert_eq!((got.seq, got.ack, got.rst), (SeqNum(55), None, true));
        assert_eq!(answer(&got), None, "a reset is never answered");
    }
}
