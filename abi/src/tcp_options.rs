// SPDX-License-Identifier: MIT OR Apache-2.0
//! The options of a TCP header, one after the other.
use crate::codec::{TcpOptHead, TcpOptMss, TcpOptTimestamps, TcpOptWindowScale, TcpSackBlock};
use crate::consts::tcp_option;
use core::fmt;

/// One option.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TcpOption<'a> {
    /// Maximum segment size.
    Mss(TcpOptMss),
    /// Window scale.
    WindowScale(TcpOptWindowScale),
    /// The sender takes SACK options.
    SackPermitted,
    /// Blocks received beyond a gap; whole blocks only.
    Sack(SackBlocks<'a>),
    /// Timestamps.
    Timestamps(TcpOptTimestamps),
    /// An option of another kind, or one of these with a length that is not its own: to be ignored.
    Other {
        /// Its kind.
        kind: u8,
        /// Octets after kind and length.
        body: &'a [u8],
    },
}

/// The length of an option is below 2 or reaches past the header; what follows cannot be read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BadOption {
    /// Offset of the option in the option octets.
    pub offset: usize,
    /// Its kind.
    pub kind: u8,
}

impl fmt::Display for BadOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, kind } = self;
        write!(f, "TCP option of kind {kind} at option octet {offset} has an impossible length: ")?;
        write!(f, "ignore it and all that follow")
    }
}

impl core::error::Error for BadOption {}

/// Iterator over the option octets of a TCP header (from octet 20 to 4 x data offset). Filling is
/// skipped; it ends at the end, at end-of-list, or after a [`BadOption`].
#[derive(Clone, Debug)]
pub struct TcpOptions<'a> {
    octets: &'a [u8],
    at: usize,
}

impl<'a> TcpOptions<'a> {
    /// The options in `octets`.
    pub fn new(octets: &'a [u8]) -> Self {
        Self { octets, at: 0 }
    }
}

impl<'a> Iterator for TcpOptions<'a> {
    type Item = Result<TcpOption<'a>, BadOption>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.octets.get(self.at..)?;
            match *rest.first()? {
                tcp_option::END_OF_LIST => {
                    self.at = self.octets.len();
                    return None;
                }
                tcp_option::NO_OPERATION => self.at += 1,
                kind => {
                    let whole = TcpOptHead::parse(rest).ok().and_then(|h| rest.get(..usize::from(h.length)));
                    let offset = self.at;
                    return Some(match whole {
                        Some(whole) if whole.len() >= TcpOptHead::LEN => {
                            self.at += whole.len();
                            Ok(one(kind, whole))
                        }
                        _ => {
                            self.at = self.octets.len();
                            Err(BadOption { offset, kind })
                        }
                    });
                }
            }
        }
    }
}

/// The option that fills `whole`, of at least two octets.
fn one(kind: u8, whole: &[u8]) -> TcpOption<'_> {
    let body = whole.get(TcpOptHead::LEN..).unwrap_or_default();
    let known = match (kind, whole.len()) {
        (tcp_option::MSS, TcpOptMss::LEN) => TcpOptMss::parse(whole).map(TcpOption::Mss),
        (tcp_option::WINDOW_SCALE, TcpOptWindowScale::LEN) => {
            TcpOptWindowScale::parse(whole).map(TcpOption::WindowScale)
        }
        (tcp_option::SACK_PERMITTED, TcpOptHead::LEN) => Ok(TcpOption::SackPermitted),
        (tcp_option::SACK, n) if n > 2 && (n - 2) % TcpSackBlock::LEN == 0 => {
            Ok(TcpOption::Sack(SackBlocks { octets: body }))
        }
        (tcp_option::TIMESTAMPS, TcpOptTimestamps::LEN) => {
            TcpOptTimestamps::parse(whole).map(TcpOption::Timestamps)
        }
        _ => Ok(TcpOption::Other { kind, body }),
    };
    known.unwrap_or(TcpOption::Other { kind, body })
}

/// Iterator over the blocks of a SACK option.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SackBlocks<'a> {
    octets: &'a [u8],
}

impl Iterator for SackBlocks<'_> {
    type Item = TcpSackBlock;

    fn next(&mut self) -> Option<TcpSackBlock> {
        let block = TcpSackBlock::parse(self.octets).ok()?;
        self.octets = self.octets.get(TcpSackBlock::LEN..)?;
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::types::SeqNum;
    use proptest::prelude::*;
    use std::vec::Vec;

    #[test]
    fn every_kind_is_read() {
        let octets = [
            1, 2, 4, 0x05, 0xB4, 3, 3, 7, 4, 2, 5, 18, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 9, 8, 10,
            0, 0, 0, 6, 0, 0, 0, 7, 30, 3, 0xAA, 2, 3, 9, 0, 2,
        ];
        let all: Vec<_> = TcpOptions::new(&octets).map(Result::unwrap).collect();
        assert_eq!(all[0], TcpOption::Mss(TcpOptMss { mss: 1460, ..Default::default() }));
        assert_eq!(all[1], TcpOption::WindowScale(TcpOptWindowScale { shift: 7, ..Default::default() }));
        assert_eq!(all[2], TcpOption::SackPermitted);
        let TcpOption::Sack(blocks) = all[3] else { panic!("{all:?}") };
        let edges: Vec<_> = blocks.map(|b| (b.left_edge, b.right_edge)).collect();
        assert_eq!(edges, [(SeqNum(1), SeqNum(2)), (SeqNum(5), SeqNum(9))]);
        let stamps = TcpOptTimestamps { ts_value: 6, ts_echo: 7, ..Default::default() };
        assert_eq!(all[4], TcpOption::Timestamps(stamps));
        assert_eq!(all[5], TcpOption::Other { kind: 30, body: &[0xAA] });
        assert_eq!(all[6], TcpOption::Other { kind: 2, body: &[9] }, "an MSS option of three octets");
        assert_eq!(all.len(), 7, "nothing after end-of-list");
    }

    #[test]
    fn an_impossible_length_ends_the_list() {
        for (octets, offset, kind) in
            [(&[1, 2, 1, 0, 0][..], 1, 2), (&[2, 5, 0, 0], 0, 2), (&[1, 1, 8], 2, 8)]
        {
            let all: Vec<_> = TcpOptions::new(octets).collect();
            assert_eq!(all, [Err(BadOption { offset, kind })]);
        }
    }

    proptest! {
        #[test]
        fn any_octets_are_read_to_an_end(octets in proptest::collection::vec(any::<u8>(), 0..41)) {
            prop_assert!(TcpOptions::new(&octets).count() <= octets.len());
        }
    }
}
