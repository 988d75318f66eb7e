// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the thread of devices that share one time has of the handle of each.
use super::clock::Shared;
use super::handle::Rnic;
use super::machine::{Board, BoardCable, Machine};
use super::messages::Messages;
use super::order::{Order, RnicStats};
use super::recording::Recorder;
use super::trace::TraceFiles;
use crate::bench::Bench;
use crate::eth::{Bridge, BridgeConfig, Tick};
use crate::link::{Link, Side};
use crate::model::Library;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{channel, sync_channel, Receiver, Sender};
use std::sync::{Arc, Mutex};

/// Orders that a device keeps while the clock is held; who orders more before it goes on waits for
/// ever.
const MOST_ORDERS: usize = 65_536;

/// Where the second model's seed differs, so that they do not start with equal registers.
pub(super) const SEEDS: [u64; 2] = [1, 1 << 62];

/// What the thread has of a device's handle.
pub(super) struct Part {
    inbox: Receiver<Order>,
    pub(super) messages: Arc<Messages>,
    stats: Arc<Mutex<RnicStats>>,
    gone: Sender<()>,
}

impl Part {
    /// Looks at orders and answers; false if it is to finish.
    pub(super) fn look(&self, machine: &mut Machine) -> Result<bool, String> {
        machine.look(&self.inbox, &self.stats)
    }

    /// Ends the device: its wire is not plugged in any more.
    pub(super) fn finish(&self, machine: Machine, make: &Make) -> Result<(), String> {
        let finished = machine.finish(&self.stats);
        make.link.unplug(make.side);
        finished
    }

    /// Tells who closed the device that it is gone.
    pub(super) fn is_gone(&self) {
        // nobody may wait for this any more
        let _ = self.gone.send(());
    }
}

/// What a device is made of that shares its time with others.
pub(super) struct Make {
    pub(super) library: Arc<Library>,
    /// Of the registers that a reset leaves as they are.
    pub(super) seed: u64,
    pub(super) link: Link,
    /// Its end of the link.
    pub(super) side: Side,
    pub(super) tick: Tick,
    pub(super) trace: Option<TraceFiles>,
    pub(super) recorder: Option<Recorder>,
    /// The device is on a board with this cable.
    pub(super) board: Option<BoardCable>,
}

impl Make {
    /// The device. `wake` is readable when an order has come.
    pub(super) fn machine(&self, part: &Part, wake: &Arc<OwnedFd>) -> Result<Machine, String> {
        let mut bench = Bench::live(&self.library, self.seed)?;
        let config = self.link.config();
        let bridge = BridgeConfig { tick: self.tick, ..BridgeConfig::device(config) };
        let handle = (part.messages.clone(), wake.clone());
        let mut machine = match &self.board {
            None => {
                let bridge = Bridge::join(&mut bench, &self.link, self.side, bridge);
                Machine::on(bench, bridge, handle)?
            }
            Some(made) => {
                let cable = made.link(config.clock_ps);
                made.set_pins(&mut bench, config.clock_ps);
                let bridge = Bridge::join(&mut bench, &cable, Side::A, bridge);
                let board = Board::new(made, cable, (self.link.clone(), self.side));
                Machine::of_board(bench, bridge, board, handle)?
            }
        };
        machine.desk.recorder = self.recorder.clone();
        Ok(machine.traced(self.trace.clone()))
    }
}

/// A handle, and what the thread has of it.
pub(super) fn end(shared: &Shared) -> (Rnic, Part) {
    let ((orders, inbox), (gone, told)) = (sync_channel(MOST_ORDERS), channel());
    let (messages, stats) = <(Arc<Messages>, Arc<Mutex<RnicStats>>)>::default();
    let part = Part { inbox, messages: messages.clone(), stats: stats.clone(), gone };
    let (wake, failure) = (shared.wake.clone(), shared.failure.clone());
    let gone = Mutex::new(Some(told));
    (Rnic { orders, wake, thread: Mutex::default(), gone, failure, stats, messages }, part)
}
