// SPDX-License-Identifier: MIT OR Apache-2.0
//! Transaction-layer packets as octets: the order of the base specification's figures, octet 0
//! being Fmt and Type.
use std::fmt;

/// Fmt and Type (table 2-3), with the bits of a header of four dwords and of data.
pub(crate) mod kind {
    pub(crate) const MRD: u8 = 0x00;
    pub(crate) const MWR: u8 = 0x40;
    pub(crate) const FOUR: u8 = 0x20;
    pub(crate) const DATA: u8 = 0x40;
    pub(crate) const CPL: u8 = 0x0A;
    pub(crate) const CPLD: u8 = 0x4A;
}

/// Completion Status (table 2-34).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Successful Completion.
    Successful,
    /// Unsupported Request.
    Unsupported,
    /// Completer Abort.
    Aborted,
    /// Anything else.
    Other(u8),
}

impl Status {
    /// Its three bits.
    pub fn bits(self) -> u8 {
        match self {
            Self::Successful => 0,
            Self::Unsupported => 1,
            Self::Aborted => 4,
            Self::Other(bits) => bits & 7,
        }
    }

    pub(crate) fn of(bits: u8) -> Self {
        match bits & 7 {
            0 => Self::Successful,
            1 => Self::Unsupported,
            4 => Self::Aborted,
            other => Self::Other(other),
        }
    }
}

/// A memory request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Requester ID.
    pub requester: u16,
    /// Tag.
    pub tag: u8,
    /// Address of the first dword.
    pub addr: u64,
    /// Dwords, 1 to 1024.
    pub dwords: u32,
    /// First DW Byte Enable.
    pub first_be: u8,
    /// Last DW Byte Enable.
    pub last_be: u8,
    /// Payload of a write; a read has none.
    pub data: Option<Vec<u8>>,
}

impl Request {
    /// The octets from the first enabled one to the last enabled one: first address and how many
    /// (tables 2-32, 2-33). A request that enables none counts as one octet.
    pub fn span(&self) -> (u64, u64) {
        let before = |be: u8| u64::from((be & 0xF).trailing_zeros().min(3));
        let behind = |be: u8| u64::from(((be & 0xF) << 4).leading_zeros().min(3));
        let skipped = if self.first_be == 0 { 0 } else { before(self.first_be) };
        let missing = match (self.dwords, self.first_be) {
            (1, 0) => 3,
            (1, be) => behind(be),
            _ => behind(self.last_be),
        };
        (self.addr + skipped, 4 * u64::from(self.dwords) - skipped - missing)
    }

    /// How many octets of the payload are enabled from octet `at` on.
    pub fn run(&self, at: usize) -> usize {
        // only the first dword and the last one may be enabled in part
        let last = 4 * self.dwords.saturating_sub(1) as usize;
        let mut to = at;
        while to < last + 4 && self.enables(to) {
            to = if to.is_multiple_of(4) && (4..last).contains(&to) { last } else { to + 1 };
        }
        to - at
    }

    /// Whether octet `at` of the payload is enabled.
    pub fn enables(&self, at: usize) -> bool {
        let be = match at / 4 {
            0 => self.first_be,
            d if d as u32 + 1 == self.dwords => self.last_be,
            _ => 0xF,
        };
        be >> (at % 4) & 1 == 1
    }

    /// A request for octets at any address, as a host's processor or a device makes it: contiguous
    /// byte enables, four dwords only if the address needs them.
    pub fn new(requester: u16, tag: u8, addr: u64, length: u64, data: Option<&[u8]>) -> Self {
        let (skipped, end) = (addr % 4, addr % 4 + length);
        let dwords = end.div_ceil(4) as u32;
        let (from, upto) = (0xF << skipped & 0xF, 0xF >> ((4 - end % 4) % 4));
        let (first_be, last_be) = if dwords == 1 { (from & upto, 0) } else { (from, upto) };
        let data = data.map(|octets| {
            let mut padded = vec![0; 4 * dwords as usize];
            padded[skipped as usize..][..octets.len()].copy_from_slice(octets);
            padded
        });
        Self { requester, tag, addr: addr - skipped, dwords, first_be, last_be, data }
    }

    /// The TLP.
    pub fn octets(&self) -> Vec<u8> {
        let four = self.addr >> 32 != 0;
        let base = if self.data.is_some() { kind::MWR } else { kind::MRD };
        let mut tlp = dword0(if four { base | kind::FOUR } else { base }, self.dwords, false);
        tlp.extend(self.requester.to_be_bytes());
        tlp.extend([self.tag, self.last_be << 4 | self.first_be]);
        let addr = self.addr.to_be_bytes();
        tlp.extend(if four { &addr[..] } else { &addr[4..] });
        tlp.extend_from_slice(self.data.as_deref().unwrap_or_default());
        tlp
    }
}

/// A completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Completer ID.
    pub completer: u16,
    /// Status.
    pub status: Status,
    /// Byte Count, 1 to 4096.
    pub count: u32,
    /// Requester ID.
    pub requester: u16,
    /// Tag.
    pub tag: u8,
    /// Lower Address, 7 bits.
    pub lower: u8,
    /// The payload is poisoned.
    pub poisoned: bool,
    /// Payload: none is a Cpl.
    pub data: Option<Vec<u8>>,
}

impl Completion {
    /// The TLP.
    pub fn octets(&self) -> Vec<u8> {
        let kind = if self.data.is_some() { kind::CPLD } else { kind::CPL };
        let dwords = self.data.as_ref().map_or(0, |d| d.len() as u32 / 4);
        let mut tlp = dword0(kind, dwords, self.poisoned);
        tlp.extend(self.completer.to_be_bytes());
        tlp.extend((u16::from(self.status.bits()) << 13 | (self.count & 0xFFF) as u16).to_be_bytes());
        tlp.extend(self.requester.to_be_bytes());
        tlp.extend([self.tag, self.lower & 0x7F]);
        tlp.extend_from_slice(self.data.as_deref().unwrap_or_default());
        tlp
    }
}

/// Dword 0: traffic class, attributes, digest and address type are 0; a length of 1024 is said
/// as 0.
fn dword0(kind: u8, dwords: u32, poisoned: bool) -> Vec<u8> {
    vec![kind, 0, u8::from(poisoned) << 6 | (dwords >> 8 & 3) as u8, dwords as u8]
}

/// A TLP between its octets in order and the lanes of a stream: a dword is a number there, its
/// first octet the high one.
pub(crate) fn lanes(tlp: &[u8]) -> Vec<u8> {
    let mut lanes = tlp.to_vec();
    lanes.chunks_mut(4).for_each(<[u8]>::reverse);
    lanes
}

/// The tag of a memory read.
pub(crate) fn is_non_posted(tlp: &[u8]) -> Option<u8> {
    let is_read = tlp.first().is_some_and(|fmt_type| fmt_type & !kind::FOUR == kind::MRD);
    tlp.get(6).copied().filter(|_| is_read)
}

/// The tag of a completion behind which its request has no further one.
pub(crate) fn is_last_completion(tlp: &[u8]) -> Option<u8> {
    let [fmt_type, _, _, _, _, _, status, count, _, _, tag, lower, ref data @ ..] = *tlp else { return None };
    let left = match u16::from_be_bytes([status & 0xF, count]) {
        0 => 4096,
        left => usize::from(left),
    };
    let ends = status >> 5 != 0 || left + usize::from(lower & 3) <= data.len();
    match fmt_type {
        kind::CPL => Some(tag),
        kind::CPLD if ends => Some(tag),
        _ => None,
    }
}

/// A TLP as a dump shows it: a line of four dwords each.
pub(crate) struct Dump<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Dump<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, line) in self.0.chunks(16).enumerate().take(10) {
            write!(f, "\n    {:04x}:", 16 * at)?;
            for dword in line.chunks(4) {
                write!(f, " ")?;
                dword.iter().try_for_each(|octet| write!(f, "{octet:02x}"))?;
            }
        }
        write!(f, "\n    {} octets", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 2-33 of the base specification: byte enables of one dword, byte count, and the lower
    /// address of table 2-32.
    #[test]
    fn spans_are_those_of_the_tables() {
        let table = [
            (0b0000, 1, 0),
            (0b0001, 1, 0),
            (0b0010, 1, 1),
            (0b0011, 2, 0),
            (0b0100, 1, 2),
            (0b0101, 3, 0),
            (0b0110, 2, 1),
            (0b0111, 3, 0),
            (0b1000, 1, 3),
            (0b1001, 4, 0),
            (0b1010, 3, 1),
            (0b1011, 4, 0),
            (0b1100, 2, 2),
            (0b1101, 4, 0),
            (0b1110, 3, 1),
            (0b1111, 4, 0),
        ];
        for (first_be, count, lower) in table {
            let read =
                Request { requester: 0, tag: 0, addr: 0x100, dwords: 1, first_be, last_be: 0, data: None };
            assert_eq!(read.span(), (0x100 + lower, count), "{first_be:04b}");
        }
        let long = |first_be, last_be| {
            Request { requester: 0, tag: 0, addr: 0x100, dwords: 3, first_be, last_be, data: None }.span()
        };
        assert_eq!(long(0b1111, 0b1111), (0x100, 12));
        assert_eq!(long(0b1000, 0b0001), (0x103, 6));
        assert_eq!(long(0b1100, 0b0111), (0x102, 9));
    }

    #[test]
    fn a_request_for_octets_has_that_span() {
        for addr in 0x1000..0x1004 {
            for length in 1..20 {
                let request = Request::new(1, 2, addr, length, None);
                assert_eq!(request.span(), (addr, length));
            }
        }
    }

    #[test]
    fn requests_and_the_completions_that_end_them_are_told_by_their_tags() {
        let tlps = |cpl: Completion| is_last_completion(&cpl.octets());
        assert_eq!(is_non_posted(&Request::new(1, 9, 0x1_0000_0000, 8, None).octets()), Some(9));
        assert_eq!(is_non_posted(&Request::new(1, 9, 0x1000, 4, Some(&[1; 4])).octets()), None);
        let (completer, status, requester, tag, lower, poisoned) = (1, Status::Successful, 2, 7, 2, false);
        let cpl =
            |count, data| Completion { completer, status, count, requester, tag, lower, poisoned, data };
        assert_eq!(tlps(cpl(6, Some(vec![0; 8]))), Some(7));
        assert_eq!(tlps(cpl(7, Some(vec![0; 8]))), None);
        assert_eq!(tlps(cpl(4096, Some(vec![0; 128]))), None);
        assert_eq!(tlps(cpl(6, None)), Some(7));
        assert_eq!((is_non_posted(&[]), is_last_completion(&[0x4A; 11])), (None, None));
    }

    /// Written down by hand from the header figures of 2.2.7 and 2.2.9.
    #[test]
    fn octets_are_those_of_the_figures() {
        let write = Request::new(0x0108, 0x11, 0x1_2345_6789, 2, Some(&[0xAA, 0xBB]));
        let want =
            [0x60, 0, 0, 1, 0x01, 0x08, 0x11, 0x06, 0, 0, 0, 1, 0x23, 0x45, 0x67, 0x88, 0, 0xAA, 0xBB, 0];
        assert_eq!(write.octets(), want);
        let read = Request::new(0x0108, 0x1F, 0x8000_0000, 4096, None);
        assert_eq!(read.octets(), [0x00, 0, 0, 0, 0x01, 0x08, 0x1F, 0xFF, 0x80, 0, 0, 0]);
        let cpl = Completion {
            completer: 0x0010,
            status: Status::Aborted,
            count: 4096,
            requester: 0x0108,
            tag: 5,
            lower: 0x7C,
            poisoned: false,
            data: None,
        };
        assert_eq!(cpl.octets(), [0x0A, 0, 0, 0, 0, 0x10, 0x80, 0, 0x01, 0x08, 5, 0x7C]);
        assert_eq!(lanes(&cpl.octets())[..8], [0, 0, 0, 0x0A, 0, 0x80, 0x10, 0]);
    }
}
