// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device is made of, what it is asked, and what it says.
use super::trace::TraceFiles;
use crate::eth::{EthPort, Tick};
use crate::link::{Flaps, LinkConfig};
use crate::memory::{MapError, Octets};
use crate::model::{Library, ModelError};
use crate::pcie::{BusState, ConfigSpace, RcConfig};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::Arc;
use std::time::Duration;

/// Orders that wait for the thread, and posted writes that wait for the link: who orders more
/// waits, as on a bus without credits.
pub(super) const MOST_ORDERS: usize = 1024;

/// Why a device is not there, or does not do what it is asked.
#[derive(Debug, thiserror::Error)]
pub enum RnicError {
    /// The model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// It has ended.
    #[error("the simulated device has stopped: {0}")]
    Stopped(String),
    /// A link is too short for two threads.
    #[error(
        "a link of {delay_ns} ns is too short for devices that run side by side; give {least_ns} ns or more"
    )]
    Delay {
        /// Its delay in nanoseconds.
        delay_ns: u64,
        /// The least one.
        least_ns: u64,
    },
    /// Memory.
    #[error(transparent)]
    Map(#[from] MapError),
}

/// A device that is to run.
pub struct RnicConfig {
    /// The model: the device with its PCI Express edge.
    pub library: Arc<Library>,
    /// Rate of its wire, and its clock: [`wire`](super::wire) of its configuration.
    pub wire: LinkConfig,
    /// What its wire leads to.
    pub port: Box<dyn EthPort>,
    /// How its link goes down by itself, in simulated time; none: never.
    pub flaps: Option<Flaps>,
    /// Its tick. With wall time it rests when there is nothing to do.
    pub tick: Tick,
    /// With a tick of cycles: wall time for which time stands still once nothing can move but by a
    /// timer, so that the thinking of software takes none. Behind it the device goes on to its next
    /// timer at once.
    pub patience: Duration,
    /// Ticks of a rest are lost while no connection has a timer: its tick counter is behind, and
    /// resting costs less.
    pub forgives: bool,
    /// Where all frames are recorded.
    pub pcap: Option<PathBuf>,
    /// Waveforms of its last cycles, which take the traced twin of the model.
    pub trace: Option<TraceFiles>,
}

/// What has happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct RnicStats {
    /// Cycles of its clock.
    pub cycles: u64,
    /// Those of them that were passed over: nothing could move.
    pub passed_over: u64,
    /// Frames sent.
    pub sent: u64,
    /// Frames received.
    pub received: u64,
    /// Frames that no peer took, or that the link lost by being down.
    pub lost: u64,
    /// Frames sent that the wire to another device lost, as it was told to.
    pub wire_lost: u64,
    /// Times that its link went down.
    pub link_downs: u64,
    /// Accesses to memory that was not there.
    pub refused: u64,
    /// Ranges of memory that it may reach.
    pub mapped: u64,
    /// Faults of a device behind the carrier, which were answered by a reset of the device.
    pub violations: u64,
}

/// What the edge sees of configuration space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) mps: u8,
    pub(super) mrrs: u8,
    pub(super) master: bool,
    pub(super) msix: [bool; 2],
    pub(super) endless: bool,
}

impl Seen {
    pub(super) fn of(space: &ConfigSpace) -> Self {
        Self {
            mps: space.mps(),
            mrrs: space.mrrs(),
            master: space.master(),
            msix: space.msix(),
            endless: space.endless(),
        }
    }

    /// The same root complex with this.
    pub(super) fn put(self, config: &RcConfig) -> RcConfig {
        let Self { mps, mrrs, master, msix: [msix, masked], endless } = self;
        RcConfig { mps, mrrs, master, msix, masked, endless, ..config.clone() }
    }
}

/// What is wanted of the thread.
#[derive(Debug)]
pub(super) enum Order {
    Read { bar: usize, offset: u64, octets: usize, answer: Sender<Vec<u8>> },
    Write { bar: usize, offset: u64, octets: Vec<u8> },
    Map { iova: u64, octets: Arc<dyn Octets>, writable: bool, done: Sender<Result<(), MapError>> },
    Unmap { iova: u64, done: Sender<Result<(), MapError>> },
    Configure(Seen),
    Link(BusState),
    Reset { done: Sender<()> },
    Finish,
}
