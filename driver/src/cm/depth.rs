// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many Reads may be under way, as an end of a connection asks for them.
use crate::error::Error;

/// Reads under way at once in one direction, as this side asks for them: 0 to what the device holds
/// ([`ird`](crate::backend::Capabilities::ird), [`ord`](crate::backend::Capabilities::ord)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedDepth {
    /// What the device's URL says (`ird=`, `ord=`); without that so many, as far as the device
    /// holds them.
    Default(u16),
    /// So many; the peer is told (RFC 6581 section 9.1).
    Reads(u16),
    /// So many; the peer is told nothing (0x3FFF, RFC 6581 section 9.1). The applications agree by
    /// themselves.
    Untold(u16),
}

impl From<u16> for WantedDepth {
    fn from(reads: u16) -> Self {
        Self::Reads(reads)
    }
}

impl WantedDepth {
    /// Reads, and whether the peer is told. `of_url` is what the URL says, `most` what the device
    /// holds.
    pub(super) fn resolved(
        self,
        name: &'static str,
        of_url: Option<Self>,
        most: u16,
    ) -> Result<(u16, bool), Error> {
        let (reads, is_told) = match (self, of_url) {
            (Self::Default(_), Some(Self::Untold(reads))) | (Self::Untold(reads), _) => (reads, false),
            (Self::Default(_), Some(Self::Reads(reads))) | (Self::Reads(reads), _) => (reads, true),
            (Self::Default(reads), _) => (reads.min(most), true),
        };
        match reads > most {
            true => Err(Error::ReadDepth { name, asked: reads, most }),
            false => Ok((reads, is_told)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_depth_is_the_callers_then_the_urls_then_the_default() {
        use WantedDepth::{Default, Reads, Untold};
        let resolved = |own: WantedDepth, of_url| own.resolved("ord", of_url, 16).map_err(|e| e.to_string());
        assert_eq!(resolved(Reads(3), Some(Untold(4))), Ok((3, true)));
        assert_eq!(resolved(Untold(3), Some(Reads(4))), Ok((3, false)));
        assert_eq!(resolved(Default(8), Some(Reads(4))), Ok((4, true)));
        assert_eq!(resolved(Default(8), Some(Untold(4))), Ok((4, false)));
        assert_eq!(resolved(Default(8), None), Ok((8, true)));
        assert_eq!(resolved(Default(99), None), Ok((16, true)), "a default is as much as there is");
        for asked in [Reads(17), Untold(17)] {
            let told = resolved(asked, None).unwrap_err();
            assert!(told.contains("an `ord` of 17 Reads") && told.contains("0 to 16"), "{told}");
        }
    }
}
