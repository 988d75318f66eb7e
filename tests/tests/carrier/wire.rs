// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames of the carrier in plain code: octets of headers and records.

pub const DEVICE: [u8; 6] = [0x02, 0x46, 0x57, 0, 0, 1];
pub const HOST: [u8; 6] = [0x02, 0xAA, 0xBB, 0xCC, 0xDD, 0x10];

pub const HELLO: u8 = 1;
pub const DATA: u8 = 2;
pub const ACK: u8 = 3;

pub const NAK: u8 = 1;
pub const NP_OK: u8 = 2;
pub const READY: u8 = 4;
pub const ASK: u8 = 8;

/// A record of a data frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    Tlp { bar_hit: u8, octets: Vec<u8> },
    Config(u32),
    Reset,
    ResetDone,
}

impl Record {
    pub fn octets(&self) -> Vec<u8> {
        let head = |kind, bar_hit, dwords: usize, value: u32| {
            let mut head = vec![kind, bar_hit, (dwords >> 8) as u8, dwords as u8];
            head.extend(value.to_be_bytes());
            head
        };
        match self {
            Self::Tlp { bar_hit, octets } => {
                let mut record = head(1, *bar_hit, octets.len() / 4, 0);
                record.extend(octets);
                record.resize(record.len().next_multiple_of(8), 0);
                record
            }
            Self::Config(value) => head(2, 0, 0, *value),
            Self::Reset => head(3, 0, 0, 0),
            Self::ResetDone => head(4, 0, 0, 0),
        }
    }

    /// The first record that the device sent, and the octets behind.
    fn first(octets: &[u8]) -> Result<(Self, &[u8]), String> {
        let (head, rest) = octets.split_at_checked(8).ok_or("a record has no head")?;
        let dwords = usize::from(head[2]) << 8 | usize::from(head[3]);
        if head[1] != 0 || head[4..] != [0; 4] {
            return Err(format!("head of a record {head:02x?}"));
        }
        match (head[0], dwords) {
            (1, 3..=370) => {
                let (tlp, rest) =
                    rest.split_at_checked(dwords.next_multiple_of(2) * 4).ok_or("a TLP is cut")?;
                let (tlp, pad) = tlp.split_at(dwords * 4);
                if pad.iter().any(|&octet| octet != 0) {
                    return Err(format!("padding {pad:02x?}"));
                }
                Ok((Self::Tlp { bar_hit: 0, octets: tlp.to_vec() }, rest))
            }
            (4, 0) => Ok((Self::ResetDone, rest)),
            _ => Err(format!("head of a record {head:02x?}")),
        }
    }
}

/// Header of a frame, apart from the addresses.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub flags: u8,
    pub kind: u8,
    pub epoch: u16,
    pub sequence: u16,
    pub acknowledged: u16,
    pub records: u16,
}

/// A frame from the host with these octets of records, padded to 60 octets.
pub fn frame(head: Head, records: &[u8]) -> Vec<u8> {
    let mut octets = [DEVICE, HOST].concat();
    octets.extend([0x88, 0xB5, 0x10 | head.flags, head.kind]);
    for number in [head.epoch, head.sequence, head.acknowledged, head.records] {
        octets.extend(number.to_be_bytes());
    }
    octets.extend(records);
    octets.resize(octets.len().max(60), 0);
    octets
}

/// Header and records of a frame of the device.
pub fn parsed(octets: &[u8]) -> Result<(Head, Vec<Record>), String> {
    if !(60..=1_514).contains(&octets.len()) || octets[..12] != [HOST, DEVICE].concat() {
        return Err(format!("{} octets {:02x?}", octets.len(), &octets[..24]));
    }
    if octets[12..14] != [0x88, 0xB5] || octets[14] >> 4 != 1 {
        return Err(format!("EtherType and version {:02x?}", &octets[12..15]));
    }
    let number = |at: usize| u16::from_be_bytes([octets[at], octets[at + 1]]);
    let head = Head {
        flags: octets[14] & 15,
        kind: octets[15],
        epoch: number(16),
        sequence: number(18),
        acknowledged: number(20),
        records: number(22),
    };
    let mut rest = &octets[24..];
    let mut records = vec![];
    for _ in 0..head.records {
        let (record, behind) = Record::first(rest)?;
        records.push(record);
        rest = behind;
    }
    let is_lawful = match head.kind {
        HELLO => head.sequence == 0 && head.acknowledged == 0 && records.is_empty() && head.flags & NAK == 0,
        DATA => !records.is_empty(),
        ACK => head.sequence == 0 && records.is_empty(),
        _ => false,
    };
    if !is_lawful || head.flags & (READY | ASK) != READY || rest.iter().any(|&octet| octet != 0) {
        return Err(format!("{head:?}, {} octets behind", rest.len()));
    }
    if !rest.is_empty() && octets.len() > 60 {
        return Err(format!("{} octets behind the records", rest.len()));
    }
    Ok((head, records))
}
