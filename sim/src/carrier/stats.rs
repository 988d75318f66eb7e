// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the host's end counts.

/// Frames and events since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct CarrierStats {
    /// Data frames sent for the first time.
    pub sent: u64,
    /// Data frames sent again.
    pub sent_again: u64,
    /// Data frames taken.
    pub taken: u64,
    /// Data frames dropped because an earlier one is missing.
    pub out_of_order: u64,
    /// Data frames dropped because they were taken before.
    pub duplicates: u64,
    /// Frames of another epoch.
    pub stale: u64,
    /// Frames of the carrier from or to another station.
    pub foreign: u64,
    /// Frames of the device that are no frames of the carrier.
    pub malformed: u64,
    /// Acknowledgments of what was not sent, or of what was acknowledged.
    pub strange_acks: u64,
    /// Gaps that were reported to the device.
    pub naks_sent: u64,
    /// Gaps that the device reported.
    pub naks: u64,
    /// Times that the replay timer expired.
    pub replays: u64,
    /// Hellos sent.
    pub hellos: u64,
    /// Epochs begun.
    pub epochs: u64,
    /// Epochs that the device answered.
    pub answered: u64,
    /// Times that the device was silent for too long.
    pub gone: u64,
    /// Faults of the device: TLPs that break a rule of PCI Express, answers that did not come.
    pub violations: u64,
}
