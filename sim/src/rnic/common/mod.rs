// SPDX-License-Identifier: MIT OR Apache-2.0
//! One time for devices that share a wire: each has a thread, and all run through the same block of
//! cycles.
//!
//! A block is no longer than the least delay of the links, so nothing that is sent in a block
//! arrives in the same block: the order in which the threads run changes nothing. At the end of a
//! block all threads meet (`meeting`). The last one to come exchanges frames (`fabric`) and decides
//! what all do next (`conductor`): run, look at orders while time stands, or pass over cycles in
//! which nothing can move. `member` is a thread's part.

mod capture;
mod conductor;
mod fabric;
mod meeting;
mod member;
mod turn;

pub(super) use fabric::Fabric;
pub(super) use member::Member;

use super::clock::Shared;
use super::machine::{text_of, wire, LOOK_EVERY};
use super::order::RnicError;
use super::pair::SEEDS;
use super::part::{self, Make, Part};
use super::trace::TraceFiles;
use super::{locked, Rnic};
use crate::eth::Tick;
use crate::link::switch::Switch;
use crate::link::{Link, LinkConfig, Side};
use crate::model::Library;
use conductor::Conductor;
use meeting::Meeting;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Nanoseconds that a frame is under way on a link, if nobody says otherwise: 100 m of fibre.
pub const DELAY_NS: u64 = 500;
/// Longest block: orders wait for its end.
const MOST_BLOCK: u64 = 256;
/// Wall time for which time stands still behind each word between software and a device, if nobody
/// says otherwise.
pub const THINK: Duration = Duration::from_millis(10);

/// A link of so many kHz of the devices' clock, 10 Gb/s, with [`DELAY_NS`].
pub fn line(clock_khz: u64) -> LinkConfig {
    LinkConfig { delay_ns: DELAY_NS, ..wire(clock_khz) }
}

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
            Member::of(Make { library: library.clone(), seed, link, side, tick, trace, recorder: None })
        };
        let think = if matches!(tick, Tick::Cycles(_)) { think } else { Duration::ZERO };
        start((0..).zip(devices).map(member).collect(), fabric, [patience, think], &Shared::new()?)
    }
}

/// Cycles of a block; the error is that of a delay in which a device does not look at its orders.
fn block(link: &LinkConfig) -> Result<u64, RnicError> {
    let cycles = (link.delay_ns * 1_000 / link.clock_ps.max(1)).min(MOST_BLOCK);
    match cycles - cycles % LOOK_EVERY {
        0 => {
            let least_ns = (LOOK_EVERY * link.clock_ps).div_ceil(1_000);
            Err(RnicError::Delay { delay_ns: link.delay_ns, least_ns })
        }
        cycles => Ok(cycles),
    }
}

/// Starts a thread for each device; their clock is `shared`. `waits` is wall time for which time
/// stands still: when nothing moves, and behind each word of software or to software.
pub(super) fn start(
    members: Vec<Member>,
    fabric: Fabric,
    waits: [Duration; 2],
    shared: &Arc<Shared>,
) -> Result<Vec<Rnic>, RnicError> {
    let tick = members.first().map_or(0, Member::tick);
    let conductor = Conductor::new(fabric, waits, tick, shared.clone());
    let meeting = Arc::new(Meeting::new(members.len(), conductor));
    let (ready, begun) = channel();
    let mut rnics = vec![];
    for (number, member) in members.into_iter().enumerate() {
        let (rnic, part) = part::end(shared);
        let (theirs, wake, ready) = (meeting.clone(), shared.wake.clone(), ready.clone());
        let body = move || {
            let run = AssertUnwindSafe(|| member.run(&theirs, (number, &part, &wake), ready));
            // a bench ends by unwinding; what it was is only dropped afterwards
            let why = match catch_unwind(run) {
                Ok(Ok(())) => return,
                Ok(Err(why)) => why,
                Err(panic) => text_of(&*panic),
            };
            theirs.fail(&why);
        };
        let thread = std::thread::Builder::new().name("ferrowarp-sim".into()).spawn(body);
        if let Err(why) = thread {
            let why = format!("no thread for the simulation: {why}");
            meeting.fail(&why);
            return Err(RnicError::Stopped(why));
        }
        rnics.push(rnic);
    }
    drop(ready);
    for rnic in &rnics {
        begun.recv().map_err(|_| rnic.stopped())?;
    }
    Ok(rnics)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_as_long_as_the_delay_and_no_longer_than_orders_may_wait() {
        let of = |delay_ns| block(&LinkConfig { delay_ns, ..line(156_250) });
        // 78 cycles, in steps of four
        assert_eq!(of(DELAY_NS).ok(), Some(76));
        assert_eq!(of(1_000_000).ok(), Some(MOST_BLOCK));
        assert_eq!(of(103).ok(), Some(16));
        let told = of(25).map_err(|why| why.to_string()).unwrap_err();
        assert!(told.contains("25 ns") && told.contains("26 ns"), "{told}");
    }
}
