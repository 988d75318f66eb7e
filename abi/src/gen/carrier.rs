// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `cargo xtask gen` from the tables in abi/src. Do not edit: change the table.
//! Codecs of Carrier.
use crate::codec::{fit, head, put, EmitError, Truncated};
use crate::table::Layout;
use crate::types::MacAddr;

/// Head of every frame of the carrier: the Ethernet header and ten octets. `records` records
/// follow, then padding to 60 octets.
///
/// 24 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct CarrierHdr {
    /// MAC address of the receiver; never a group.
    pub destination: MacAddr,
    /// MAC address of the sender.
    pub source: MacAddr,
    /// `carrier_frame::ETHER_TYPE`.
    pub ether_type: u16,
    /// `carrier_frame::VERSION`. 4 bits.
    pub version: u8,
    /// An ack that wants an answer (host): the device answers by an ack.
    pub ask: bool,
    /// The device runs in this epoch (device): always in its frames.
    pub ready: bool,
    /// The device takes non-posted requests (device).
    pub np_ok: bool,
    /// `acknowledged` is missing, later frames came: send again from there.
    pub nak: bool,
    /// What the frame is, one of `carrier_kind`.
    pub kind: u8,
    /// Epoch, drawn by the host for each hello.
    pub epoch: u16,
    /// Data: number of the frame, from 0 in each epoch. Else 0.
    pub sequence_number: u16,
    /// Number of the next data frame that the sender of this one expects.
    pub acknowledged: u16,
    /// Data: records that follow, 1 or more. Else 0.
    pub records: u16,
}

impl Default for CarrierHdr {
    fn default() -> Self {
        Self {
            destination: MacAddr::from_bits(0),
            source: MacAddr::from_bits(0),
            ether_type: 34997,
            version: 1,
            ask: false,
            ready: false,
            np_ok: false,
            nak: false,
            kind: 0,
            epoch: 0,
            sequence_number: 0,
            acknowledged: 0,
            records: 0,
        }
    }
}

impl CarrierHdr {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::carrier::HEADER;

    /// Octets.
    pub const LEN: usize = 24;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<24>("CarrierHdr", octets)?;
        let w14 = o[14];
        Ok(Self {
            destination: MacAddr::from_bits(u64::from_be_bytes([0, 0, o[0], o[1], o[2], o[3], o[4], o[5]])),
            source: MacAddr::from_bits(u64::from_be_bytes([0, 0, o[6], o[7], o[8], o[9], o[10], o[11]])),
            ether_type: u16::from_be_bytes([o[12], o[13]]),
            version: w14 >> 4,
            ask: w14 & 0x8 != 0,
            ready: w14 & 0x4 != 0,
            np_ok: w14 & 0x2 != 0,
            nak: w14 & 0x1 != 0,
            kind: o[15],
            epoch: u16::from_be_bytes([o[16], o[17]]),
            sequence_number: u16::from_be_bytes([o[18], o[19]]),
            acknowledged: u16::from_be_bytes([o[20], o[21]]),
            records: u16::from_be_bytes([o[22], o[23]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 24], EmitError> {
        let mut o = [0; 24];
        let w0: u64 = self.destination.to_bits();
        o[0..6].copy_from_slice(&w0.to_be_bytes()[2..]);
        let w6: u64 = self.source.to_bits();
        o[6..12].copy_from_slice(&w6.to_be_bytes()[2..]);
        let w12: u16 = self.ether_type;
        o[12..14].copy_from_slice(&w12.to_be_bytes());
        o[14] = (fit("CarrierHdr.version", self.version, 4)? << 4)
            | (u8::from(self.ask) << 3)
            | (u8::from(self.ready) << 2)
            | (u8::from(self.np_ok) << 1)
            | u8::from(self.nak);
        o[15] = self.kind;
        let w16: u16 = self.epoch;
        o[16..18].copy_from_slice(&w16.to_be_bytes());
        let w18: u16 = self.sequence_number;
        o[18..20].copy_from_slice(&w18.to_be_bytes());
        let w20: u16 = self.acknowledged;
        o[20..22].copy_from_slice(&w20.to_be_bytes());
        let w22: u16 = self.records;
        o[22..24].copy_from_slice(&w22.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 13] {
        [
            ("destination", u128::from(self.destination.to_bits())),
            ("source", u128::from(self.source.to_bits())),
            ("ether_type", u128::from(self.ether_type)),
            ("version", u128::from(self.version)),
            ("ask", u128::from(self.ask)),
            ("ready", u128::from(self.ready)),
            ("np_ok", u128::from(self.np_ok)),
            ("nak", u128::from(self.nak)),
            ("kind", u128::from(self.kind)),
            ("epoch", u128::from(self.epoch)),
            ("sequence_number", u128::from(self.sequence_number)),
            ("acknowledged", u128::from(self.acknowledged)),
            ("records", u128::from(self.records)),
        ]
    }
}

/// Head of a record of a data frame. Behind the head of a TLP its dwords follow, least significant
/// octet first, padded with zeros to a multiple of 8 octets.
///
/// 8 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CarrierRecord {
    /// What the record is, one of `carrier_record`.
    pub kind: u8,
    /// TLP to the device: bit 0 BAR0, bit 1 BAR2, bit 2 BAR4. Else 0.
    pub bar_hit: u8,
    /// TLP: its dwords, 3 to 370. Else 0.
    pub dwords: u16,
    /// Config: bits of `CarrierConfig`. Else 0.
    pub value: u32,
}

impl CarrierRecord {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::carrier::RECORD;

    /// Octets.
    pub const LEN: usize = 8;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<8>("CarrierRecord", octets)?;
        Ok(Self {
            kind: o[0],
            bar_hit: o[1],
            dwords: u16::from_be_bytes([o[2], o[3]]),
            value: u32::from_be_bytes([o[4], o[5], o[6], o[7]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 8], EmitError> {
        let mut o = [0; 8];
        o[0] = self.kind;
        o[1] = self.bar_hit;
        let w2: u16 = self.dwords;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        let w4: u32 = self.value;
        o[4..8].copy_from_slice(&w4.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 4] {
        [
            ("kind", u128::from(self.kind)),
            ("bar_hit", u128::from(self.bar_hit)),
            ("dwords", u128::from(self.dwords)),
            ("value", u128::from(self.value)),
        ]
    }
}

/// Value of a config record: what the PCI Express block would tell of the function's configuration
/// space. The bits are those of the port `pcie_cfg` of the device.
///
/// 4 octets, Ferrowarp.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CarrierConfig {
    /// Completion Timeout Disable.
    pub endless: bool,
    /// MSI-X Function Mask.
    pub masked: bool,
    /// MSI-X Enable.
    pub msix: bool,
    /// Bus Master Enable.
    pub master: bool,
    /// Max_Read_Request_Size: 128 octets times two to this. 3 bits.
    pub mrrs: u8,
    /// Max_Payload_Size: 128 octets times two to this, at most 3. 3 bits.
    pub mps: u8,
    /// Requester ID: bus, device, function.
    pub id: u16,
}

impl CarrierConfig {
    /// The table that this codec was written from.
    pub const LAYOUT: Layout = crate::host::carrier::CONFIG;

    /// Octets.
    pub const LEN: usize = 4;

    /// Reads the first [`Self::LEN`] octets; reserved bits are ignored.
    pub fn parse(octets: &[u8]) -> Result<Self, Truncated> {
        let o = head::<4>("CarrierConfig", octets)?;
        let w0 = o[0];
        let w1 = o[1];
        Ok(Self {
            endless: w0 & 0x2 != 0,
            masked: w0 & 0x1 != 0,
            msix: w1 & 0x80 != 0,
            master: w1 & 0x40 != 0,
            mrrs: (w1 >> 3) & 0x7,
            mps: w1 & 0x7,
            id: u16::from_be_bytes([o[2], o[3]]),
        })
    }

    /// The octets; reserved bits are zero.
    pub fn octets(&self) -> Result<[u8; 4], EmitError> {
        let mut o = [0; 4];
        o[0] = (u8::from(self.endless) << 1) | u8::from(self.masked);
        o[1] = (u8::from(self.msix) << 7)
            | (u8::from(self.master) << 6)
            | (fit("CarrierConfig.mrrs", self.mrrs, 3)? << 3)
            | fit("CarrierConfig.mps", self.mps, 3)?;
        let w2: u16 = self.id;
        o[2..4].copy_from_slice(&w2.to_be_bytes());
        Ok(o)
    }

    /// Writes [`Self::LEN`] octets at the start of `out` and returns their number.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, EmitError> {
        put(out, self.octets()?)
    }

    /// Names and numbers of all members, for printing.
    pub fn values(&self) -> [(&'static str, u128); 7] {
        [
            ("endless", u128::from(self.endless)),
            ("masked", u128::from(self.masked)),
            ("msix", u128::from(self.msix)),
            ("master", u128::from(self.master)),
            ("mrrs", u128::from(self.mrrs)),
            ("mps", u128::from(self.mps)),
            ("id", u128::from(self.id)),
        ]
    }
}
