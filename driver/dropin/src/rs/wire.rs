// SPDX-License-Identifier: MIT OR Apache-2.0
//! What rsockets send each other: the private data of Request and Reply, words of four octets, and
//! entries of tables that the peer writes.
use crate::errno::Errno;
use ferrowarp::{MemoryRegion, Remote, STag, TaggedOffset};

/// Version of the protocol.
const VERSION: u8 = 1;
/// Flag of the private data: words and entries have the most significant octet first.
const BIG_ENDIAN: u8 = 1;
/// Flag of the private data: there is a table of mappings behind the table of buffers.
const HAS_MAPS: u8 = 2;
/// Octets of a word.
pub const WORD: usize = 4;
/// Octets of an entry of the table of buffers.
pub const PLACE: usize = 16;
/// Octets of an entry of the table of mappings.
pub const MAP: usize = 24;
/// Entries of the table of buffers: two halves of a receive buffer are on offer at once.
pub const PLACES: usize = 2;
/// Most entries of the table of mappings: a larger number has another form on the wire.
pub const MOST_MAPS: usize = 128;
/// Octets of the private data.
pub const GREETING: usize = 40;
/// Most octets that one word tells of.
pub const LONGEST: usize = (1 << 29) - 1;
/// The private data, or a word, is none of this protocol.
pub const BAD: Errno = Errno(libc::EPROTO);

/// Memory of the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Tagged offset of the first octet.
    pub to: u64,
    /// STag.
    pub key: u32,
    /// Octets, or entries of a table.
    pub len: u32,
}

/// The `N` octets at a place of a longer array, which has them.
fn part<const N: usize>(octets: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|nth| octets[at + nth])
}

impl Place {
    /// The first `len` entries or octets of a region.
    pub fn of(region: &MemoryRegion, at: usize, len: u32) -> Self {
        Self { to: region.to_base().0 + at as u64, key: region.stag().0, len }
    }

    /// As an entry of a table.
    pub fn to_entry(self) -> [u8; PLACE] {
        let mut octets = [0; PLACE];
        octets[..8].copy_from_slice(&self.to.to_le_bytes());
        octets[8..12].copy_from_slice(&self.key.to_le_bytes());
        octets[12..].copy_from_slice(&self.len.to_le_bytes());
        octets
    }

    /// From an entry of a table.
    pub fn of_entry(octets: &[u8; PLACE]) -> Self {
        Self {
            to: u64::from_le_bytes(part(octets, 0)),
            key: u32::from_le_bytes(part(octets, 8)),
            len: u32::from_le_bytes(part(octets, 12)),
        }
    }

    /// Where an octet of it is. The peer's device judges the place.
    pub fn at(self, offset: u64) -> Remote {
        Remote { stag: STag(self.key), to: TaggedOffset(self.to.wrapping_add(offset)) }
    }

    /// As the private data has it: tagged offset, STag, length, in network order.
    fn to_network(self) -> [u8; PLACE] {
        let Self { to, key, len } = self;
        Self { to: to.swap_bytes(), key: key.swap_bytes(), len: len.swap_bytes() }.to_entry()
    }

    fn of_network(octets: &[u8; PLACE]) -> Self {
        let Self { to, key, len } = Self::of_entry(octets);
        Self { to: to.swap_bytes(), key: key.swap_bytes(), len: len.swap_bytes() }
    }
}

/// The private data of a Request and of a Reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Greeting {
    /// Words of data that the peer may send.
    pub credits: u16,
    /// Entries of the table of mappings, which stands behind the table of buffers.
    pub maps: u8,
    /// The table of buffers; its length counts entries.
    pub table: Place,
    /// The first buffer.
    pub buffer: Place,
}

impl Greeting {
    /// The octets.
    pub fn to_bytes(self) -> [u8; GREETING] {
        let mut octets = [0; GREETING];
        (octets[0], octets[1], octets[7]) = (VERSION, HAS_MAPS, self.maps);
        octets[2..4].copy_from_slice(&self.credits.to_be_bytes());
        octets[8..24].copy_from_slice(&self.table.to_network());
        octets[24..].copy_from_slice(&self.buffer.to_network());
        octets
    }

    /// From a peer. EPROTO: these are no octets of the protocol, or nothing could be sent by them.
    pub fn from_bytes(octets: &[u8]) -> Result<Self, Errno> {
        let octets = octets.first_chunk::<GREETING>().ok_or(BAD)?;
        let greeting = Self {
            credits: u16::from_be_bytes(part(octets, 2)),
            // of a larger table the first entries are used
            maps: if octets[1] & HAS_MAPS == 0 { 0 } else { octets[7].min(MOST_MAPS as u8) },
            table: Place::of_network(&part(octets, 8)),
            buffer: Place::of_network(&part(octets, 24)),
        };
        let is_ours = octets[0] == VERSION && octets[1] & BIG_ENDIAN == 0;
        match is_ours && greeting.credits > 0 && greeting.table.len >= PLACES as u32 {
            true => Ok(greeting),
            false => Err(BAD),
        }
    }
}

/// What a message of four octets says: three bits of kind, 29 bits of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// So many octets were written behind those before.
    Data(u32),
    /// Words of data may be sent up to this number. The table of buffers may have a new entry.
    Credits(u16),
    /// This entry of the table of mappings is new.
    Mapped(u32),
    /// The peer sends nothing more and receives nothing more.
    Disconnect,
    /// The peer lives.
    Alive,
    /// The peer sends no more data.
    Shutdown,
}

impl Word {
    /// As it is sent.
    pub fn to_bytes(self) -> [u8; WORD] {
        let (kind, number) = match self {
            Self::Data(octets) => (0, octets),
            Self::Credits(limit) => (4, u32::from(limit)),
            Self::Mapped(index) => (6, index),
            Self::Disconnect => (7, 0),
            Self::Alive => (7, 1),
            Self::Shutdown => (7, 2),
        };
        (kind << 29 | number & LONGEST as u32).to_le_bytes()
    }

    /// As it came. EPROTO: there is no such word.
    pub fn of(octets: u32) -> Result<Self, Errno> {
        let number = octets & LONGEST as u32;
        Ok(match (octets >> 29, number) {
            (0, octets) => Self::Data(octets),
            // numbers of words wrap at 16 bits; the peer's sum may not
            (4, limit) => Self::Credits(limit as u16),
            (6, index) => Self::Mapped(index),
            (7, 0) => Self::Disconnect,
            (7, 1) => Self::Alive,
            (7, 2) => Self::Shutdown,
            _ => return Err(BAD),
        })
    }
}

/// An entry of the table of mappings: memory of the peer, and the offset that names its first
/// octet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Map {
    /// Offset of the first octet.
    pub offset: u64,
    /// The memory.
    pub place: Place,
}

impl Map {
    /// As an entry of a table.
    pub fn to_entry(self) -> [u8; MAP] {
        let mut octets = [0; MAP];
        octets[..8].copy_from_slice(&self.offset.to_le_bytes());
        octets[8..].copy_from_slice(&self.place.to_entry());
        octets
    }

    /// From an entry of a table.
    pub fn of_entry(octets: &[u8; MAP]) -> Self {
        Self { offset: u64::from_le_bytes(part(octets, 0)), place: Place::of_entry(&part(octets, 8)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: Place = Place { to: 0x0102_0304_0506_0708, key: 0x090A_0B0C, len: 2 };

    fn greeting() -> Greeting {
        Greeting { credits: 0x0180, maps: 5, table: TABLE, buffer: Place { len: 0x1_0000, ..TABLE } }
    }

    #[test]
    fn private_data_is_in_network_order_and_comes_back() {
        let octets = greeting().to_bytes();
        assert_eq!(octets[..8], [1, 2, 1, 0x80, 0, 0, 0, 5]);
        assert_eq!(octets[8..24], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 2]);
        assert_eq!(Greeting::from_bytes(&octets), Ok(greeting()));
    }

    #[test]
    fn private_data_of_another_protocol_is_eproto() {
        let octets = greeting().to_bytes();
        assert_eq!(Greeting::from_bytes(&octets[..39]), Err(BAD), "too short");
        let with = |at: usize, value: u8| {
            let mut octets = octets;
            octets[at] = value;
            Greeting::from_bytes(&octets)
        };
        assert_eq!([with(0, 2), with(1, 3), with(23, 1)], [Err(BAD); 3], "version, order, entries");
        assert_eq!(Greeting::from_bytes(&[octets[..2].to_vec(), vec![0; 38]].concat()), Err(BAD));
        assert_eq!(with(1, 0).unwrap().maps, 0, "without the flag there is no table of mappings");
        assert_eq!(with(7, 0xFF).unwrap().maps, 128);
    }

    #[test]
    fn words_come_back_and_unknown_ones_are_eproto() {
        let words = [Word::Data(4096), Word::Credits(0xFFFF), Word::Mapped(3), Word::Disconnect, Word::Alive];
        for word in words.into_iter().chain([Word::Shutdown]) {
            assert_eq!(Word::of(u32::from_le_bytes(word.to_bytes())), Ok(word));
        }
        assert_eq!(Word::Credits(384).to_bytes(), [0x80, 1, 0, 0x80]);
        let unknown = [1 << 29, 2 << 29, 3 << 29, 5 << 29, 7 << 29 | 3];
        assert_eq!(unknown.map(Word::of), [Err(BAD); 5]);
    }

    #[test]
    fn entries_come_back() {
        let map = Map { offset: 0x1_0000_0000, place: TABLE };
        assert_eq!(Map::of_entry(&map.to_entry()), map);
        assert_eq!(map.to_entry()[8..], TABLE.to_entry());
    }
}
