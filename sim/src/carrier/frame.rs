// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole frames: what the host writes, and which frames of the device the host takes.
use super::CarrierConfig;
use crate::pcie::lanes;
use ferrowarp_abi::carrier::{CarrierError, Frame, Record, Sender};
use ferrowarp_abi::codec::{CarrierHdr, EthernetHdr};
use ferrowarp_abi::consts::carrier_frame::ETHER_TYPE;
use ferrowarp_abi::host::carrier::{FRAME_MIN, TLP_DWORDS_MAX, TLP_DWORDS_MIN};

/// What came from the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// A TLP, octets in the order of the specification's figures.
    Tlp(Vec<u8>),
    /// The Function Level Reset has ended.
    ResetDone,
}

/// Why a frame is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dropped {
    /// It is none of the carrier.
    Other,
    /// It comes from another station, or goes to one.
    Foreign,
    /// It is of another epoch.
    Stale,
    /// It is none that a device sends.
    Malformed(CarrierError),
}

/// Reads a frame of the epoch. All is checked before anything of the frame counts.
pub(super) fn read<'a>(octets: &'a [u8], config: &CarrierConfig, epoch: u16) -> Result<Frame<'a>, Dropped> {
    let ethernet = EthernetHdr::parse(octets).map_err(|_| Dropped::Other)?;
    if ethernet.ethertype != ETHER_TYPE {
        return Err(Dropped::Other);
    }
    if ethernet.source != config.device || ethernet.destination != config.host {
        return Err(Dropped::Foreign);
    }
    let frame = Frame::parse(octets, Sender::Device).map_err(Dropped::Malformed)?;
    if frame.header.epoch == epoch {
        Ok(frame)
    } else {
        Err(Dropped::Stale)
    }
}

/// What the records of a frame of the device bring.
pub(super) fn came<'a>(frame: &Frame<'a>) -> impl Iterator<Item = Came> + use<'a> {
    frame.records().filter_map(|record| match record {
        Record::Tlp { octets, .. } => Some(Came::Tlp(lanes(octets))),
        Record::ResetDone => Some(Came::ResetDone),
        // the host's own, which no frame of a device has
        Record::Config(_) | Record::Reset => None,
    })
}

/// The octets of a record.
pub(super) fn record(record: &Record<'_>) -> Vec<u8> {
    let mut octets = vec![0; record.size()];
    // there is room, and each field fits its bits
    let written = record.emit(&mut octets);
    debug_assert_eq!(written, Ok(octets.len()));
    octets
}

/// The record of a TLP to the device, and the BARs that the TLP hits.
///
/// # Panics
/// If no frame holds the TLP.
pub(super) fn tlp(octets: &[u8], bar_hit: u8) -> Vec<u8> {
    let whole = octets.len().is_multiple_of(4);
    assert!(
        whole && (TLP_DWORDS_MIN..=TLP_DWORDS_MAX).contains(&(octets.len() / 4)),
        "no frame holds a TLP of {} octets",
        octets.len()
    );
    record(&Record::Tlp { bar_hit, octets: &lanes(octets) })
}

/// A frame of the host: `head` has flags, kind and numbers, the rest is filled in.
pub(super) fn write(head: CarrierHdr, body: &[u8], config: &CarrierConfig) -> Vec<u8> {
    let head = CarrierHdr { destination: config.device, source: config.host, ..head };
    // every field fits its bits
    let mut frame = head.octets().map_or_else(|_| vec![], |octets| octets.to_vec());
    frame.extend_from_slice(body);
    frame.resize(frame.len().max(FRAME_MIN), 0);
    frame
}
