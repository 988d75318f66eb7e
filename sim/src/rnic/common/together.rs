// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices that share one time, as their owner names them.
use super::fabric::Fabric;
use super::member::Member;
use super::start::start;
use crate::eth::Tick;
use crate::link::switch::Switch;
use crate::link::{Link, Side};
use crate::model::Library;
use crate::rnic::clock::Shared;
use crate::rnic::handle::Rnic;
use crate::rnic::machine::BoardCable;
use crate::rnic::order::RnicError;
use crate::rnic::part::{Make, SEEDS};
use crate::rnic::trace::TraceFiles;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Wall time for which time stands still behind each word between software and a device, if nobody
/// says otherwise.
pub const THINK: Duration = Duration::from_millis(10);

/// A device of a common time.
pub struct CommonDevice {
    /// Its wire, which was made by [`Link::in_blocks`] or [`Link::impaired`].
    pub link: Link,
    /// Its end of the wire: [`Side::A`] if a switch is at the other end.
    pub side: Side,
    /// Where all frames are recorded, in simulated time.
    pub pcap: Option<PathBuf>,
    /// Waveforms of its last cycles, which take the traced twin of the model.
    pub trace: Option<TraceFiles>,
}

/// Devices that share one time.
pub struct CommonConfig {
    /// The model of each of them.
    pub library: Arc<Library>,
    /// Their tick. With wall time they rest when none has anything to do.
    pub tick: Tick,
    /// With a tick of cycles: wall time for which time stands still once nothing can move but by a
    /// timer.
    pub patience: Duration,
    /// With a tick of cycles: wall time for which time stands still behind an order, an answer, a
    /// message, and a short write of a device to memory. Software that goes on within this time
    /// goes on in the same cycle, however fast the machine is.
    pub think: Duration,
    /// The devices.
    pub devices: Vec<CommonDevice>,
    /// What joins their links; none if they share one.
    pub switch: Option<Arc<Mutex<Switch>>>,
}

impl Rnic {
    /// Starts devices that share one time. Returns when all have been through reset. The error is
    /// that of a link whose delay is too short for blocks, of a capture, or of a device. A device
    /// that fails ends all of them.
    pub fn together(config: CommonConfig) -> Result<Vec<Self>, RnicError> {
        Self::joined(config, None)
    }

    /// The same for boards without PCI Express, whose top is the device behind the carrier. The
    /// host reaches each device by frames on a cable as `board`; the links begin at the host's
    /// ends. Accesses wait until the device has answered.
    pub fn boards(config: CommonConfig, board: BoardCable) -> Result<Vec<Self>, RnicError> {
        Self::joined(config, Some(board))
    }

    fn joined(config: CommonConfig, board: Option<BoardCable>) -> Result<Vec<Self>, RnicError> {
        let CommonConfig { mut library, tick, patience, think, devices, switch } = config;
        if devices.iter().any(|device| device.trace.is_some()) {
            library = library.traced()?;
        }
        let least = devices.iter().map(|device| device.link.config()).min_by_key(|link| link.delay_ns);
        let Some(least) = least else { return Ok(vec![]) };
        let mut fabric = Fabric::new(&least, None, switch)?;
        for CommonDevice { link, side, pcap, .. } in &devices {
            fabric.add(link, *side, pcap.as_deref())?;
        }
        let member = |(n, device): (u64, CommonDevice)| {
            let CommonDevice { link, side, trace, .. } = device;
            let seed = SEEDS[(n % 2) as usize] + n / 2;
            let (library, board) = (library.clone(), board.map(|board| board.nth(n)));
            Member::of(Make { library, seed, link, side, tick, trace, recorder: None, board })
        };
        let think = if matches!(tick, Tick::Cycles(_)) { think } else { Duration::ZERO };
        start((0..).zip(devices).map(member).collect(), fabric, [patience, think], &Shared::new()?)
    }
}
