// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices with a wire between them and a clock that can be held.
//!
//! While the clock is held, software costs no simulated time, and all that it orders reaches the
//! devices in the same cycle: what is measured between two holds is the same in every run.
use super::clock::{Clock, Shared};
use super::common::{self, Fabric, Member};
use super::handle::Rnic;
use super::idle::PATIENCE;
use super::lockstep::Both;
use super::machine::BoardCable;
use super::order::RnicError;
use super::part::{self, Make, SEEDS};
use super::recording::Recorder;
use super::threads::text_of;
use crate::eth::Tick;
use crate::link::{Link, LinkConfig, Side};
use crate::model::Library;
use std::num::NonZeroU64;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::time::Duration;

/// Two devices with a wire between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairConfig {
    /// Cycles of a tick.
    pub tick: NonZeroU64,
    /// Nanoseconds that a frame is under way. Without delay the devices are always in lock step.
    pub delay_ns: u64,
    /// One thread steps both, cycle by cycle. Otherwise each has a thread, and they run in blocks
    /// of the delay.
    pub lock_step: bool,
    /// Wall time for which time stands still once only software or a timer goes on; as
    /// [`CommonConfig::patience`](super::CommonConfig).
    pub patience: Duration,
    /// What comes to the first device is written down: [`Clock::recorded`].
    pub records: bool,
    /// The cable of each device on a board without PCI Express, whose top is the device behind the
    /// carrier.
    pub boards: [Option<BoardCable>; 2],
}

impl PairConfig {
    /// In lock step, a tick of so many cycles, no delay.
    pub fn of(tick: NonZeroU64) -> Self {
        Self { tick, delay_ns: 0, lock_step: true, patience: PATIENCE, records: false, boards: [None; 2] }
    }

    /// In blocks, a tick of so many cycles, [`DELAY_NS`](super::DELAY_NS).
    pub fn in_blocks(tick: NonZeroU64) -> Self {
        Self { delay_ns: super::DELAY_NS, lock_step: false, ..Self::of(tick) }
    }
}

impl Rnic {
    /// Starts two devices on one clock, each of its model. Rate and clock are those of `wire`, the
    /// delay is that of `config`. Returns when both have been through reset. The error is that of a
    /// delay that is too short for blocks, or of a thread that cannot be made.
    pub fn pair(
        libraries: [&Arc<Library>; 2],
        wire: LinkConfig,
        config: PairConfig,
    ) -> Result<([Self; 2], Clock), RnicError> {
        let PairConfig { tick, delay_ns, patience, records, boards, .. } = config;
        let line = LinkConfig { delay_ns, ..wire };
        // judged frames take as long in lock step
        let link = if delay_ns == 0 { Link::new(line) } else { Link::in_blocks(line) };
        let recorder = records.then(|| Recorder::of(tick.get()));
        if records {
            link.capture();
        }
        let make = Side::BOTH.map(|side| Make {
            library: libraries[side as usize].clone(),
            seed: SEEDS[side as usize],
            link: link.clone(),
            side,
            tick: Tick::Cycles(tick),
            trace: None,
            recorder: recorder.clone().filter(|_| side == Side::A),
            board: boards[side as usize],
        });
        let shared = Shared::new()?;
        let rnics = if config.lock_step || delay_ns == 0 {
            Self::step_both(make, patience, &shared)?
        } else {
            let fabric = Fabric::new(&line, recorder.clone(), None)?;
            let [a, b] = make.map(Member::of);
            let mut rnics =
                common::start(vec![a, b], fabric, [patience, Duration::ZERO], &shared)?.into_iter();
            match (rnics.next(), rnics.next()) {
                (Some(a), Some(b)) => [a, b],
                _ => return Err(RnicError::Stopped("a device of two is missing".into())),
            }
        };
        Ok((rnics, Clock { shared, link, recorder }))
    }

    /// Both in one thread.
    fn step_both(make: [Make; 2], patience: Duration, shared: &Arc<Shared>) -> Result<[Self; 2], RnicError> {
        let [(a, of_a), (b, of_b)] = [part::end(shared), part::end(shared)];
        let (parts, theirs) = ([of_a, of_b], shared.clone());
        let (ready, begun) = channel();
        let body = move || {
            // a bench ends by unwinding; what it was is only dropped afterwards
            let why =
                match catch_unwind(AssertUnwindSafe(|| Both { make, patience }.run(&theirs, &parts, &ready)))
                {
                    Ok(Ok(())) => None,
                    Ok(Err(why)) => Some(why),
                    Err(panic) => Some(text_of(&*panic)),
                };
            if let Some(why) = why {
                theirs.fail(&why);
            }
            drop(ready);
            theirs.end();
        };
        let thread = std::thread::Builder::new().name("ferrowarp-sim".into()).spawn(body);
        thread.map_err(|e| RnicError::Stopped(format!("no thread for the simulation: {e}")))?;
        begun.recv().map_err(|_| a.stopped())?;
        Ok([a, b])
    }
}
