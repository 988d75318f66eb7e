// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a switch counts at each port.
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// Frames of one port since the switch began. Octets are those of frames without preamble, FCS and
/// gap, 802.1Q tags included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PortStats {
    /// Frames with a good FCS that the switch received here.
    pub frames_in: u64,
    /// Their octets.
    pub octets_in: u64,
    /// Frames that came with a bad FCS, or too short for a header. The switch drops them.
    pub bad: u64,
    /// Frames received here that carry no VID of this port. The switch drops them.
    pub wrong_vid: u64,
    /// Frames received here that stay here: the destination is behind this port, or is reserved for
    /// bridges.
    pub filtered: u64,
    /// Frames received here that went to all other ports of their VLAN: the destination is a group,
    /// or is not learned.
    pub flooded: u64,
    /// Frames that left here, lost ones included.
    pub frames_out: u64,
    /// Their octets.
    pub octets_out: u64,
    /// Frames for this port that found its queue full.
    pub dropped: u64,
    /// Frames that left here with ECT turned into CE.
    pub marked: u64,
    /// Most octets that waited in the queue at a time.
    pub deepest: u64,
    /// Frames that the cable of this port lost, both ways.
    pub lost: u64,
    /// Frames that the cable delivered twice, both ways.
    pub duplicated: u64,
    /// Frames in which the cable inverted a bit, both ways.
    pub spoilt: u64,
    /// Frames that the cable held back behind later ones, both ways.
    pub held: u64,
    /// Frames that left here and that no program outside took. Always 0 for the port of a simulated
    /// device.
    pub untaken: u64,
}

/// What the ports had counted at the last exchange that moved a frame, for another thread. Nobody
/// waits for the switch: it is held while all of its devices rest.
#[derive(Debug, Clone)]
pub struct PortWatch(Arc<Mutex<Vec<PortStats>>>);

impl PortWatch {
    /// Of so many ports that have counted nothing.
    pub(super) fn new(ports: usize) -> Self {
        Self(Arc::new(Mutex::new(vec![PortStats::default(); ports])))
    }

    pub(super) fn show(&self, stats: Vec<PortStats>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = stats;
    }

    /// What each port has counted, in their order.
    pub fn stats(&self) -> Vec<PortStats> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
