// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a test says to the transmit stage, and what the stage answers.
use crate::record::Record;
use ferrowarp_hdl::record::Grant as GrantRecord;
use ferrowarp_sim::Item;

/// What a received segment says.
#[derive(Copy, Clone, Debug, Default)]
pub struct Fact {
    /// New acknowledgment number.
    pub ack: Option<u32>,
    /// New window in octets.
    pub window: Option<u32>,
    /// It is answered by an ACK of its own.
    pub ack_now: bool,
    /// It is a duplicate ACK.
    pub dup: bool,
}

/// What a segment carries, as `seg_kind` numbers it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// One FPDU.
    #[default]
    Fpdu,
    /// Octets as they are.
    Raw,
    /// FIN.
    Fin,
}

/// A reservation.
#[derive(Copy, Clone, Debug, Default)]
pub struct Ask {
    /// Connection.
    pub qp: usize,
    /// Octets of a ULPDU, or raw ones.
    pub length: usize,
    /// What it is for.
    pub kind: Kind,
    /// It may leave although the queue pair is in error.
    pub control: bool,
    /// The segment leaves again, from this offset into the stream.
    pub replay: Option<u64>,
    /// Octets of the FPDU before the segment.
    pub from: usize,
    /// It has no more octets than these.
    pub most: Option<usize>,
}

/// Answer to a reservation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Room is reserved; without, the rest is 0 here.
    pub ok: bool,
    /// Sequence number of the first octet.
    pub seq: u32,
    /// Stream offset of the FPDU's first octet modulo 512.
    pub phase: u64,
    /// Octets of the segment.
    pub octets: usize,
    /// With markers.
    pub markers: bool,
    /// With CRC.
    pub crc: bool,
    /// All of it is acknowledged, or never left.
    pub skip: bool,
    /// Its stream offset, if it stands in the place of what could not be read.
    pub moved: Option<u64>,
    /// The FPDU ends there.
    pub ends: bool,
    /// Room was given back before.
    pub sure: bool,
}

impl Grant {
    /// A refusal.
    pub const REFUSED: Self = Self {
        ok: false,
        seq: 0,
        phase: 0,
        octets: 0,
        markers: false,
        crc: false,
        skip: false,
        moved: None,
        ends: false,
        sure: false,
    };
    /// The answer to a replay of what is acknowledged.
    pub const SKIP: Self = Self { skip: true, ..Self::REFUSED };
}

/// The answer in an item of the channel.
pub(super) fn grant_of(item: &Item) -> Grant {
    let record = Record::<GrantRecord>::of_item(item);
    let granted = Grant {
        ok: record.is("ok"),
        seq: record.get("seq") as u32,
        phase: record.get("phase"),
        octets: record.get("octets") as usize,
        markers: record.is("markers"),
        crc: record.is("crc"),
        skip: record.is("skip"),
        moved: record.is("moved").then(|| record.get("at")),
        ends: record.is("ends"),
        sure: record.is("sure"),
    };
    match granted {
        Grant { ok: true, .. } => granted,
        Grant { skip: true, .. } => Grant::SKIP,
        _ => Grant::REFUSED,
    }
}
