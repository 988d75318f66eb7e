// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices on one clock and one wire: a cycle of the first, then the same cycle of the second.
use super::clock::{Shared, FREE};
use super::idle::{rest, Idle, Wish, WORTH};
use super::machine::{Machine, LOOK_EVERY};
use super::part::{Make, Part};
use crate::link::Side;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// Both devices.
pub(super) struct Both {
    pub(super) make: [Make; 2],
    /// Wall time for which time stands still for software.
    pub(super) patience: Duration,
}

impl Both {
    /// Steps both until both were to finish; `ready` is told when they have begun.
    pub(super) fn run(&self, shared: &Shared, parts: &[Part; 2], ready: &Sender<()>) -> Result<(), String> {
        let make =
            |side: Side| self.make[side as usize].machine(&parts[side as usize], &shared.wake).map(Some);
        let [a, b] = Side::BOTH.map(make);
        let mut machines = [a?, b?];
        ready.send(()).map_err(|_| "nobody waits for the devices any more")?;
        let first = &self.make[0];
        let mut idle = Idle::new(self.patience, first.tick.cycles());
        let mut cycle = machines.iter().flatten().map(|machine| machine.bench.cycle()).max().unwrap_or(0);
        loop {
            // who lets the clock go on has ordered all that is to be done before
            let stands = shared.reached(cycle);
            for ((slot, part), make) in machines.iter_mut().zip(parts).zip(&self.make) {
                let Some(mut machine) = slot.take() else { continue };
                if part.look(&mut machine)? {
                    *slot = Some(machine);
                    continue;
                }
                part.finish(machine, make)?;
                part.is_gone();
            }
            if let Some(recorder) = &first.recorder {
                recorder.reached(cycle);
            }
            if machines.iter().all(Option::is_none) {
                return Ok(());
            }
            if stands {
                rest(&[shared.wake.as_fd()], None)?;
                continue;
            }
            let held = shared.until();
            match passed_over(&mut machines, cycle, held, (&mut idle, &shared.wake))? {
                Some(passed) => cycle = passed,
                None => {
                    for _ in 0..LOOK_EVERY {
                        machines.iter_mut().flatten().try_for_each(Machine::step)?;
                    }
                    cycle += LOOK_EVERY;
                }
            }
        }
    }
}

/// Where both devices stand behind cycles in which nothing could move in either, up to `held`,
/// where a held clock is to stand; none if the next ones are to be evaluated. A clock that nobody
/// holds waits for software first, by `idle` and `wake`.
fn passed_over(
    machines: &mut [Option<Machine>; 2],
    cycle: u64,
    held: u64,
    (idle, wake): (&mut Idle, &OwnedFd),
) -> Result<Option<u64>, String> {
    let wakes = machines.iter_mut().flatten().map(Machine::wakes).min().unwrap_or(FREE);
    let mut limit = wakes.min(held);
    if limit == FREE {
        // only software or a timer goes on
        if still_until(machines, cycle + WORTH) == cycle {
            return Ok(None);
        }
        let touched = machines
            .iter_mut()
            .flatten()
            .fold(false, |any, m| any | std::mem::take(&mut m.desk.seen.touched));
        match idle.wish(cycle, Instant::now(), touched) {
            Wish::Run(until) => limit = until,
            Wish::Wait(most) => {
                rest(&[wake.as_fd()], Some(most))?;
                return Ok(Some(cycle));
            }
        }
    }
    let until = still_until(machines, limit);
    machines.iter_mut().flatten().for_each(|machine| machine.skip_to(until));
    Ok((until > cycle).then_some(until))
}

/// First cycle, up to `limit`, that has to be evaluated in one of the devices.
fn still_until(machines: &mut [Option<Machine>; 2], limit: u64) -> u64 {
    machines.iter_mut().flatten().fold(limit, |limit, machine| machine.still_until(limit))
}
