// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole frames of the carrier: header, records and padding, judged before anything acts on them
//! (docs/carrier.md). The device judges the frames that it receives by the same rules.
use crate::codec::{CarrierConfig, CarrierHdr, CarrierRecord, EmitError};
use crate::consts::{carrier_frame, carrier_kind, carrier_record};
use crate::host::carrier::{FRAME_MAX, FRAME_MIN, TLP_DWORDS_MAX, TLP_DWORDS_MIN};
use crate::types::MacAddr;
use core::fmt;

/// Who sent a frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The host's daemon.
    Host,
    /// The device.
    Device,
}

/// One record of a data frame.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// A TLP.
    Tlp {
        /// BARs that a request to the device hits: bit 0 BAR0, bit 1 BAR2, bit 2 BAR4. Else 0.
        bar_hit: u8,
        /// Its dwords, least significant octet first: a multiple of 4 octets.
        octets: &'a [u8],
    },
    /// Configuration of the function, from the host.
    Config(CarrierConfig),
    /// Function Level Reset, from the host.
    Reset,
    /// The Function Level Reset has ended, from the device.
    ResetDone,
}

/// Why a frame is dropped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CarrierError {
    /// Fewer octets than [`FRAME_MIN`], or more than [`FRAME_MAX`].
    Length(usize),
    /// Another EtherType.
    EtherType(u16),
    /// The source address is a group's.
    Source(MacAddr),
    /// Another version.
    Version(u8),
    /// No kind of frame.
    Kind(u8),
    /// A flag that the kind of frame, or this sender, does not have; octet 14 of the frame.
    Flags(u8),
    /// Sequence number or acknowledgment in a kind of frame that has none.
    Number(u16),
    /// A data frame without records, or another kind with records.
    Records(u16),
    /// A record is not possible: its index, and what is wrong.
    Record(usize, RecordError),
    /// Octets behind the last record, although the frame is longer than [`FRAME_MIN`].
    Trailing(usize),
}

/// What is wrong with a record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RecordError {
    /// The frame ends inside the record.
    Cut,
    /// No kind of record, or none of this sender's.
    Kind(u8),
    /// A BAR that does not exist, or a BAR where none is.
    BarHit(u8),
    /// Dwords that no TLP of a frame has, or dwords where none are.
    Dwords(u16),
    /// A value that the kind of record does not have.
    Value(u32),
}

impl fmt::Display for CarrierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(n) => write!(f, "{n} octets; a carrier frame has {FRAME_MIN} to {FRAME_MAX}")?,
            Self::EtherType(t) => write!(f, "EtherType {t:#06x} is not the carrier's")?,
            Self::Source(a) => write!(f, "source address {:02x?} is a group's", a.0)?,
            Self::Version(v) => write!(f, "version {v}; this end knows {}", carrier_frame::VERSION)?,
            Self::Kind(k) => write!(f, "kind {k} is no kind of frame")?,
            Self::Flags(o) => write!(f, "octet 14 is {o:#04x}: a flag that this frame cannot have")?,
            Self::Number(n) => write!(f, "number {n} in a kind of frame that has none")?,
            Self::Records(n) => write!(f, "{n} records in a kind of frame that cannot have this many")?,
            Self::Record(i, what) => write!(f, "record {i}: {what}")?,
            Self::Trailing(n) => write!(f, "{n} octets behind the last record")?,
        }
        write!(f, "; drop the frame")
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut => write!(f, "the frame ends inside the record"),
            Self::Kind(k) => write!(f, "kind {k} is no record of this sender"),
            Self::BarHit(b) => write!(f, "bar_hit {b:#04x} is not possible here"),
            Self::Dwords(n) => write!(f, "{n} dwords are not possible here"),
            Self::Value(v) => write!(f, "value {v:#010x} is not possible here"),
        }
    }
}

impl core::error::Error for CarrierError {}
impl core::error::Error for RecordError {}

/// A frame of the carrier whose header and records are possible.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its header. Addresses, epoch and numbers are the caller's to judge.
    pub header: CarrierHdr,
    sender: Sender,
    records: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Reads and judges a frame without FCS that `sender` sent.
    pub fn parse(octets: &'a [u8], sender: Sender) -> Result<Self, CarrierError> {
        let header = match CarrierHdr::parse(octets) {
            Ok(header) if (FRAME_MIN..=FRAME_MAX).contains(&octets.len()) => header,
            _ => return Err(CarrierError::Length(octets.len())),
        };
        judge(&header, sender, octets[14])?;
        let records = &octets[CarrierHdr::LEN..];
        let mut rest = records;
        for i in 0..usize::from(header.records) {
            let (_, len) = Record::parse(rest, sender).map_err(|why| CarrierError::Record(i, why))?;
            rest = &rest[len..];
        }
        if !rest.is_empty() && octets.len() > FRAME_MIN {
            return Err(CarrierError::Trailing(rest.len()));
        }
        Ok(Self { header, sender, records })
    }

    /// The records, in order.
    pub fn records(&self) -> impl Iterator<Item = Record<'a>> {
        let (sender, mut rest) = (self.sender, self.records);
        (0..self.header.records).map_while(move |_| {
            let (record, len) = Record::parse(rest, sender).ok()?;
            rest = &rest[len..];
            Some(record)
        })
    }
}

/// Judges all of a header but addresses, epoch and window.
fn judge(header: &CarrierHdr, sender: Sender, octet: u8) -> Result<(), CarrierError> {
    if header.ether_type != carrier_frame::ETHER_TYPE {
        return Err(CarrierError::EtherType(header.ether_type));
    }
    if header.source.0[0] & 1 == 1 {
        return Err(CarrierError::Source(header.source));
    }
    if header.version != carrier_frame::VERSION {
        return Err(CarrierError::Version(header.version));
    }
    let (hello, data) = match header.kind {
        carrier_kind::HELLO => (true, false),
        carrier_kind::DATA => (false, true),
        carrier_kind::ACK => (false, false),
        other => return Err(CarrierError::Kind(other)),
    };
    let good = match sender {
        Sender::Host => !(header.ready || header.np_ok || header.ask && data),
        Sender::Device => header.ready && !header.ask,
    };
    if !good || (hello && (header.ask || header.nak)) {
        return Err(CarrierError::Flags(octet));
    }
    if !data && header.sequence_number != 0 {
        return Err(CarrierError::Number(header.sequence_number));
    }
    if hello && header.acknowledged != 0 {
        return Err(CarrierError::Number(header.acknowledged));
    }
    if data == (header.records == 0) {
        return Err(CarrierError::Records(header.records));
    }
    Ok(())
}

impl<'a> Record<'a> {
    /// The first record of `octets`, and the octets that it takes with its padding.
    pub fn parse(octets: &'a [u8], sender: Sender) -> Result<(Self, usize), RecordError> {
        let head = CarrierRecord::parse(octets).map_err(|_| RecordError::Cut)?;
        let dwords = usize::from(head.dwords);
        let (bars, is_tlp) = match (head.kind, sender) {
            (carrier_record::TLP, Sender::Host) => (7, true),
            (carrier_record::TLP, Sender::Device) => (0, true),
            (carrier_record::CONFIG | carrier_record::RESET, Sender::Host) => (0, false),
            (carrier_record::RESET_DONE, Sender::Device) => (0, false),
            (other, _) => return Err(RecordError::Kind(other)),
        };
        if head.bar_hit > bars {
            return Err(RecordError::BarHit(head.bar_hit));
        }
        let possible = if is_tlp { (TLP_DWORDS_MIN..=TLP_DWORDS_MAX).contains(&dwords) } else { dwords == 0 };
        if !possible {
            return Err(RecordError::Dwords(head.dwords));
        }
        let config = CarrierConfig::parse(&head.value.to_be_bytes()).map_err(|_| RecordError::Cut)?;
        let possible = match head.kind {
            carrier_record::CONFIG => head.value >> 26 == 0 && config.mps <= 3,
            _ => head.value == 0,
        };
        if !possible {
            return Err(RecordError::Value(head.value));
        }
        let record = match head.kind {
            carrier_record::TLP => {
                let end = CarrierRecord::LEN + dwords.next_multiple_of(2) * 4;
                let tlp = octets.get(CarrierRecord::LEN..end).ok_or(RecordError::Cut)?;
                return Ok((Self::Tlp { bar_hit: head.bar_hit, octets: &tlp[..dwords * 4] }, end));
            }
            carrier_record::CONFIG => Self::Config(config),
            carrier_record::RESET => Self::Reset,
            _ => Self::ResetDone,
        };
        Ok((record, CarrierRecord::LEN))
    }

    /// Octets that the record takes in a frame.
    pub fn size(&self) -> usize {
        match self {
            Self::Tlp { octets, .. } => CarrierRecord::LEN + octets.len().next_multiple_of(8),
            _ => CarrierRecord::LEN,
        }
    }

    /// Writes the record at the start of `out`; returns the octets that it takes.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        let (size, have) = (self.size(), out.len());
        let out = out.get_mut(..size).ok_or(EmitError::NoRoom { need: size, have })?;
        let mut head = CarrierRecord::default();
        match *self {
            Self::Tlp { bar_hit, octets } => {
                head.kind = carrier_record::TLP;
                head.bar_hit = bar_hit;
                let (value, bits) = ((octets.len() / 4) as u128, 16);
                let wide = EmitError::TooWide { field: "CarrierRecord.dwords", value, bits };
                head.dwords = u16::try_from(octets.len() / 4).map_err(|_| wide)?;
                let (tlp, pad) = out[CarrierRecord::LEN..].split_at_mut(octets.len());
                tlp.copy_from_slice(octets);
                pad.fill(0);
            }
            Self::Config(config) => {
                head.kind = carrier_record::CONFIG;
                head.value = u32::from_be_bytes(config.octets()?);
            }
            Self::Reset => head.kind = carrier_record::RESET,
            Self::ResetDone => head.kind = carrier_record::RESET_DONE,
        }
        head.emit(out)?;
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    fn frame(header: CarrierHdr, records: &[Record<'_>]) -> Vec<u8> {
        let mut octets = vec![0; FRAME_MAX];
        let mut end = CarrierHdr::LEN;
        header.emit(&mut octets).unwrap();
        for record in records {
            end += record.emit(&mut octets[end..]).unwrap();
        }
        octets.truncate(end.max(FRAME_MIN));
        octets
    }

    fn data(records: u16) -> CarrierHdr {
        CarrierHdr { kind: carrier_kind::DATA, epoch: 7, records, ..CarrierHdr::default() }
    }

    const TLP: Record<'_> = Record::Tlp { bar_hit: 1, octets: &[0xA5; 20] };

    #[test]
    fn records_come_back_in_order() {
        let config = CarrierConfig { mps: 1, mrrs: 2, id: 0x100, master: true, ..CarrierConfig::default() };
        let records = [TLP, Record::Reset, Record::Config(config), TLP];
        let octets = frame(data(4), &records);
        assert_eq!(octets.len(), 24 + 32 + 8 + 8 + 32);
        let parsed = Frame::parse(&octets, Sender::Host).unwrap();
        assert_eq!(parsed.records().collect::<Vec<_>>(), records);
    }

    #[test]
    fn the_octets_of_a_header_are_those_of_the_table() {
        let header = CarrierHdr {
            nak: true,
            ready: true,
            kind: carrier_kind::ACK,
            epoch: 0x0102,
            acknowledged: 0x0304,
            ..CarrierHdr::default()
        };
        assert_eq!(header.octets().unwrap()[12..], [0x88, 0xB5, 0x15, 3, 1, 2, 0, 0, 3, 4, 0, 0]);
    }

    #[test]
    fn a_bad_frame_is_refused_with_what_is_wrong() {
        let refused = |octets: &[u8]| Frame::parse(octets, Sender::Host).unwrap_err();
        let changed = |at: usize, to: u8| {
            let mut octets = frame(data(2), &[TLP, Record::Reset]);
            octets[at] = to;
            refused(&octets)
        };
        assert_eq!(changed(12, 8), CarrierError::EtherType(0x08B5));
        assert_eq!(changed(6, 1), CarrierError::Source(MacAddr([1, 0, 0, 0, 0, 0])));
        assert_eq!(changed(14, 0x20), CarrierError::Version(2));
        assert_eq!(changed(14, 0x18), CarrierError::Flags(0x18));
        assert_eq!(changed(14, 0x12), CarrierError::Flags(0x12));
        assert_eq!(changed(15, 9), CarrierError::Kind(9));
        assert_eq!(changed(15, carrier_kind::ACK), CarrierError::Records(2));
        assert_eq!(changed(23, 3), CarrierError::Record(2, RecordError::Cut));
        assert_eq!(changed(23, 1), CarrierError::Trailing(8));
        assert_eq!(changed(24, 4), CarrierError::Record(0, RecordError::Kind(4)));
        assert_eq!(changed(25, 8), CarrierError::Record(0, RecordError::BarHit(8)));
        assert_eq!(changed(27, 2), CarrierError::Record(0, RecordError::Dwords(2)));
        assert_eq!(changed(28, 1), CarrierError::Record(0, RecordError::Value(0x0100_0000)));
        assert_eq!(changed(57, 1), CarrierError::Record(1, RecordError::BarHit(1)));
        assert_eq!(refused(&[0; 23]), CarrierError::Length(23));
        assert_eq!(refused(&[0; 1515]), CarrierError::Length(1515));
    }

    #[test]
    fn no_octets_make_the_reader_panic() {
        let whole = frame(data(2), &[TLP, Record::Reset]);
        for cut in 0..whole.len() {
            assert!(Frame::parse(&whole[..cut], Sender::Host).is_err(), "{cut}");
        }
        for at in 0..whole.len() {
            for value in 0..=255 {
                let mut octets = whole.clone();
                octets[at] = value;
                if let Ok(frame) = Frame::parse(&octets, Sender::Device) {
                    assert_eq!(frame.records().count(), usize::from(frame.header.records));
                }
            }
        }
    }
}
