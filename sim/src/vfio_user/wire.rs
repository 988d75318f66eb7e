// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets of the vfio-user protocol: heads of messages, bodies of commands and of their answers.
//!
//! Numbers are little-endian, as on every host that this server meets (the specification says: the
//! host's order).

/// Octets of a message's head.
pub(super) const HEAD: usize = 16;
/// Most octets of one access to a region, told at negotiation.
pub(super) const MOST_DATA: usize = 4096;
/// Most octets of a message: a head, a fixed body, data; a client's version text is shorter.
pub(super) const MOST_MESSAGE: usize = 8192;
/// Most descriptors beside a message.
pub(super) const MOST_FDS: usize = 8;

/// Commands of the server: the device reads or writes memory for which there is no descriptor.
pub(super) const DMA_READ: u16 = 11;
pub(super) const DMA_WRITE: u16 = 12;

/// `EINVAL`, the answer to a command that is not understood; others come from the function.
pub(super) const EINVAL: i32 = 22;

const FLAG_REPLY: u32 = 1;
const TYPE_MASK: u32 = 0xf;
const FLAG_NO_REPLY: u32 = 1 << 4;
const FLAG_ERROR: u32 = 1 << 5;

/// Commands that a client may give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Command {
    Version = 1,
    DmaMap = 2,
    DmaUnmap = 3,
    GetInfo = 4,
    GetRegionInfo = 5,
    GetIrqInfo = 7,
    SetIrqs = 8,
    RegionRead = 9,
    RegionWrite = 10,
    Reset = 13,
}

impl Command {
    /// The command of a number that this server knows.
    pub(super) fn of(number: u16) -> Option<Self> {
        use Command::*;
        let known = [
            Version,
            DmaMap,
            DmaUnmap,
            GetInfo,
            GetRegionInfo,
            GetIrqInfo,
            SetIrqs,
            RegionRead,
            RegionWrite,
            Reset,
        ];
        known.into_iter().find(|c| *c as u16 == number)
    }

    /// Octets of the body's fixed part.
    pub(super) fn fixed(self) -> usize {
        match self {
            Self::Version => 4,
            Self::DmaMap | Self::GetRegionInfo => 32,
            Self::DmaUnmap => 24,
            Self::GetInfo | Self::GetIrqInfo | Self::RegionRead | Self::RegionWrite => 16,
            Self::SetIrqs => 20,
            Self::Reset => 0,
        }
    }

    /// Octets may follow the fixed part.
    pub(super) fn has_data(self) -> bool {
        matches!(self, Self::Version | Self::SetIrqs | Self::RegionWrite)
    }
}

/// A message's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// Comes back in the answer.
    pub(super) id: u16,
    /// A command's number, perhaps unknown.
    pub(super) command: u16,
    /// Octets of the whole message.
    pub(super) size: u32,
    /// Type and flags.
    pub(super) flags: u32,
}

impl Head {
    /// Reads it.
    pub(super) fn parse(octets: &[u8; HEAD]) -> Self {
        let mut body = Body(octets);
        let [low, high] = [body.u16(), body.u16()];
        Self { id: low, command: high, size: body.u32(), flags: body.u32() }
    }

    /// A command of the client.
    pub(super) fn is_command(self) -> bool {
        self.flags & TYPE_MASK == 0
    }

    /// An answer of the client.
    pub(super) fn is_answer(self) -> bool {
        self.flags & TYPE_MASK == FLAG_REPLY
    }

    /// The answer says no.
    pub(super) fn is_refusal(self) -> bool {
        self.flags & FLAG_ERROR != 0
    }

    /// No answer is wanted.
    pub(super) fn is_silent(self) -> bool {
        self.flags & FLAG_NO_REPLY != 0
    }

    /// The answer: its head, then `body`.
    pub(super) fn answer(self, body: &[u8]) -> Vec<u8> {
        self.reply(FLAG_REPLY, 0, body)
    }

    /// The answer that says no.
    pub(super) fn refusal(self, errno: i32) -> Vec<u8> {
        self.reply(FLAG_REPLY | FLAG_ERROR, errno, &[])
    }

    fn reply(self, flags: u32, errno: i32, body: &[u8]) -> Vec<u8> {
        message([self.id, self.command], flags, errno, body)
    }
}

/// A command of the server, which is to be answered.
pub(super) fn request(id: u16, command: u16, body: &[u8]) -> Vec<u8> {
    message([id, command], 0, 0, body)
}

fn message(which: [u16; 2], flags: u32, errno: i32, body: &[u8]) -> Vec<u8> {
    let words = [(HEAD + body.len()) as u32, flags, errno as u32];
    let mut octets: Vec<u8> = which.into_iter().flat_map(u16::to_le_bytes).collect();
    octets.extend(words.into_iter().flat_map(u32::to_le_bytes));
    octets.extend(body);
    octets
}

/// A body that is read from its front. Octets that are missing read as zero: who reads has looked
/// at the length.
pub(super) struct Body<'a>(pub(super) &'a [u8]);

impl<'a> Body<'a> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut octets = [0; N];
        let there = self.0.len().min(N);
        octets[..there].copy_from_slice(&self.0[..there]);
        self.0 = &self.0[there..];
        octets
    }

    pub(super) fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    pub(super) fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    pub(super) fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.0
    }
}

/// Words of 32 bits, then of 64, as octets.
pub(super) fn body(words: &[u32], long: &[u64]) -> Vec<u8> {
    let words = words.iter().flat_map(|w| w.to_le_bytes());
    words.chain(long.iter().flat_map(|w| w.to_le_bytes())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_and_answered() {
        let octets = [7, 1, 9, 0, 32, 0, 0, 0, 0x10, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
        let head = Head::parse(&octets);
        assert_eq!(head, Head { id: 0x107, command: 9, size: 32, flags: 0x10 });
        assert!(head.is_command() && head.is_silent());
        assert_eq!(head.answer(&[5]), [7, 1, 9, 0, 17, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5]);
        assert_eq!(head.refusal(EINVAL), [7, 1, 9, 0, 16, 0, 0, 0, 0x21, 0, 0, 0, 22, 0, 0, 0]);
        assert!(!Head { flags: 1, ..head }.is_command() && Head { flags: 1, ..head }.is_answer());
        assert!(Head { flags: 0x21, ..head }.is_refusal() && !Head { flags: 2, ..head }.is_answer());
        assert_eq!(request(0x107, DMA_READ, &[5]), [7, 1, 11, 0, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5]);
    }

    #[test]
    fn only_what_is_served_is_a_command() {
        let known: Vec<_> = (0..20).filter(|n| Command::of(*n).is_some()).collect();
        assert_eq!(known, [1, 2, 3, 4, 5, 7, 8, 9, 10, 13]);
    }

    #[test]
    fn a_short_body_reads_as_zero() {
        let mut body = Body(&[1, 2, 3]);
        assert_eq!((body.u16(), body.u32(), body.u64()), (0x201, 3, 0));
        assert!(body.rest().is_empty());
    }
}
