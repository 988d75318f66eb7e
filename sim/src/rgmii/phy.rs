// SPDX-License-Identifier: MIT OR Apache-2.0
//! A PHY between the octets of the wire and whole frames.
use crc::{Crc, CRC_32_ISO_HDLC};
use std::collections::VecDeque;

/// In front of each frame.
const PREAMBLE: [u8; 8] = [0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xD5];
/// Shortest frame without FCS.
const SHORTEST: usize = 60;
/// Octet times between frames.
const GAP: usize = 12;
/// What the wire says between frames, at both edges: full duplex, 125 MHz, link (RGMII 2.0 section
/// 3.4.1); and without link.
const STATUS: [u8; 2] = [0x44, 0xDD];
const FCS: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// What stands on the wire for one octet time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol {
    /// The octet; between frames the status of the link.
    pub octet: u8,
    /// An octet of a frame.
    pub carrier: bool,
    /// RX_ER or TX_ER.
    pub fault: bool,
}

/// A PHY with a cable.
#[derive(Debug, Default)]
pub struct Phy {
    /// The link is up.
    pub is_up: bool,
    to_board: VecDeque<Symbol>,
    coming: Vec<u8>,
    is_faulty: bool,
    from_board: VecDeque<Vec<u8>>,
    bad: u64,
}

impl Phy {
    /// Sends a frame without FCS to the board, behind those before. Short frames are padded.
    pub fn send(&mut self, frame: &[u8]) {
        let mut octets = frame.to_vec();
        octets.resize(octets.len().max(SHORTEST), 0);
        octets.extend(FCS.checksum(&octets).to_le_bytes());
        let carried = |octet| Symbol { octet, carrier: true, fault: false };
        self.to_board.extend(PREAMBLE.into_iter().chain(octets).map(carried));
        self.to_board.extend([self.idle(); GAP]);
    }

    /// The frame before has left for the board.
    pub fn is_free(&self) -> bool {
        self.to_board.is_empty()
    }

    /// Takes the next good frame of the board, without FCS.
    pub fn receive(&mut self) -> Option<Vec<u8>> {
        self.from_board.pop_front()
    }

    /// Frames of the board with a wrong preamble or FCS, or with TX_ER.
    pub fn bad(&self) -> u64 {
        self.bad
    }

    /// What goes to the board.
    pub(super) fn next(&mut self) -> Symbol {
        self.to_board.pop_front().unwrap_or(self.idle())
    }

    /// What comes from the board. Without link nothing comes.
    pub(super) fn take(&mut self, symbol: Symbol) {
        if !self.is_up {
            (self.coming, self.is_faulty) = Default::default();
        } else if symbol.carrier {
            self.coming.push(symbol.octet);
            self.is_faulty |= symbol.fault;
        } else if !self.coming.is_empty() {
            let (octets, is_faulty) = (std::mem::take(&mut self.coming), std::mem::take(&mut self.is_faulty));
            match good(&octets).filter(|_| !is_faulty) {
                Some(frame) => self.from_board.push_back(frame.to_vec()),
                None => self.bad += 1,
            }
        }
    }

    fn idle(&self) -> Symbol {
        Symbol { octet: STATUS[usize::from(self.is_up)], carrier: false, fault: false }
    }
}

/// The frame behind a whole preamble and in front of a good FCS.
fn good(octets: &[u8]) -> Option<&[u8]> {
    let octets = octets.strip_prefix(&PREAMBLE)?;
    let (frame, fcs) = octets.split_at_checked(octets.len().checked_sub(4)?)?;
    (FCS.checksum(frame).to_le_bytes() == fcs).then_some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_pass_a_loop_and_a_spoilt_one_is_counted() {
        let mut phy = Phy { is_up: true, ..Phy::default() };
        let frames = [vec![7; 60], vec![1; 20], vec![3; 1_514]];
        frames.iter().for_each(|frame| phy.send(frame));
        for n in 0..3_000 {
            let symbol = phy.next();
            assert!(symbol.carrier || symbol.octet == 0xDD, "octet {n}");
            phy.take(Symbol { octet: symbol.octet ^ u8::from(n == 90), ..symbol });
        }
        assert!(phy.is_free());
        let came: Vec<_> = std::iter::from_fn(|| phy.receive()).collect();
        assert_eq!((came, phy.bad()), (vec![frames[0].clone(), frames[2].clone()], 1));
    }
}
