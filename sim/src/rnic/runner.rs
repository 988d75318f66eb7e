// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread of a device that runs by itself.
use super::idle::Idle;
use super::machine::{Machine, LOOK_EVERY};
use super::messages::Messages;
use super::order::{Order, RnicConfig, RnicStats};
use super::threads::{locked, text_of};
use crate::eth::Tick;
use std::os::fd::OwnedFd;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};

/// What the thread begins with.
pub(super) struct Runner {
    config: RnicConfig,
    messages: Arc<Messages>,
    /// Readable when an order has come.
    wake: Arc<OwnedFd>,
    failure: Arc<Mutex<Option<String>>>,
    stats: Arc<Mutex<RnicStats>>,
}

impl Runner {
    pub(super) fn new(
        config: RnicConfig,
        messages: Arc<Messages>,
        wake: Arc<OwnedFd>,
        failure: Arc<Mutex<Option<String>>>,
        stats: Arc<Mutex<RnicStats>>,
    ) -> Self {
        Self { config, messages, wake, failure, stats }
    }

    /// Until it is told to finish, or something fails. `ready` is told when it has begun.
    pub(super) fn run(self, inbox: &Receiver<Order>, ready: &Sender<()>) {
        let failure = self.failure.clone();
        // a bench ends by unwinding; what it was is only dropped afterwards
        let ended = catch_unwind(AssertUnwindSafe(|| self.work(inbox, ready)));
        let why = match ended {
            Ok(Ok(())) => return,
            Ok(Err(why)) => why,
            Err(panic) => text_of(&*panic),
        };
        tracing::error!(why, "the simulation stops");
        *locked(&failure) = Some(why);
    }

    fn work(self, inbox: &Receiver<Order>, ready: &Sender<()>) -> Result<(), String> {
        let (stats, rests) = (self.stats.clone(), matches!(self.config.tick, Tick::Wall(_)));
        let mut idle = Idle::new(self.config.patience, self.config.tick.cycles());
        let mut machine = Machine::new(self.config, (self.messages, self.wake))?;
        ready.send(()).map_err(|_| "nobody waits for the device any more")?;
        while !machine.bench.cycle().is_multiple_of(LOOK_EVERY) || machine.look(inbox, &stats)? {
            if rests {
                machine.step()?;
                machine.rest()?;
            } else if !(machine.bench.cycle().is_multiple_of(LOOK_EVERY) && machine.passes_over(&mut idle)?) {
                machine.step()?;
            }
        }
        machine.finish(&stats)
    }
}
