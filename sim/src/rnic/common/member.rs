// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device's thread in a common time.
use super::super::idle::Word;
use super::super::machine::{Machine, LOOK_EVERY};
use super::super::part::{Make, Part};
use super::meeting::Meeting;
use super::turn::{Turn, Vote};
use std::os::fd::OwnedFd;
use std::sync::mpsc::Sender;
use std::sync::Arc;

/// A device that is to run in a common time.
pub(in super::super) struct Member {
    make: Make,
}

impl Member {
    pub(in super::super) fn of(make: Make) -> Self {
        Self { make }
    }

    /// Cycles of its tick, 0 if ticks are wall time.
    pub(super) fn tick(&self) -> u64 {
        self.make.tick.cycles()
    }

    /// Until the device is to finish, or all end. `ready` is told when it has begun.
    pub(super) fn run(
        &self,
        meeting: &Meeting,
        (number, part, wake): (usize, &Part, &Arc<OwnedFd>),
        ready: Sender<()>,
    ) -> Result<(), String> {
        let mut machine = self.make.machine(part, wake)?;
        // who starts them may have given up
        let _ = ready.send(());
        drop(ready);
        let mut vote = Vote { member: number, cycle: machine.bench.cycle(), ..Vote::default() };
        loop {
            let goes_on = match meeting.meet(vote) {
                Turn::Run { until, rested } => {
                    if let Some(longest) = rested {
                        machine.has_rested(longest);
                    }
                    run_block(&mut machine, part, until)?.map(|passed| vote.stood = passed).is_some()
                }
                Turn::Look => part.look(&mut machine)?,
                Turn::Ask { limit } => {
                    vote.still_until = machine.still_until(limit);
                    true
                }
                Turn::Skip { to } => {
                    machine.skip_to(to);
                    vote.stood = false;
                    true
                }
                Turn::End => return Ok(()),
            };
            if !goes_on {
                part.finish(machine, &self.make)?;
                meeting.leave();
                part.is_gone();
                return Ok(());
            }
            vote = judge(&mut machine, part, vote);
        }
    }
}

/// What a device says after its turn.
fn judge(machine: &mut Machine, part: &Part, vote: Vote) -> Vote {
    let touched = std::mem::take(&mut machine.desk.seen.touched);
    let word = machine.take_word();
    let word = if part.messages.has_told() { Some(Word::Other) } else { word };
    let (stood, rests) = (vote.stood && !touched, machine.may_rest());
    // nobody asks for the cycle of a device that did not stand
    let wakes = if stood { machine.wakes() } else { 0 };
    Vote {
        cycle: machine.bench.cycle(),
        touched,
        word,
        asked: machine.is_asked(),
        stood,
        wakes,
        rests,
        ..vote
    }
}

/// Runs a device up to a cycle; whether it passed over all cycles. None if it is to finish. Orders
/// are obeyed in the first cycle: how fast software answers to what happens in a block does not
/// matter.
fn run_block(machine: &mut Machine, part: &Part, until: u64) -> Result<Option<bool>, String> {
    if !part.look(machine)? {
        return Ok(None);
    }
    let mut passed = true;
    while machine.bench.cycle() < until {
        let cycle = machine.bench.cycle();
        let limit = until.min(machine.wakes());
        let still = machine.still_until(limit);
        machine.skip_to(still);
        if machine.bench.cycle() > cycle {
            continue;
        }
        passed = false;
        for _ in cycle..until.min(cycle + LOOK_EVERY) {
            machine.step()?;
        }
    }
    Ok(Some(passed))
}
